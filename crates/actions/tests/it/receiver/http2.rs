//! A receiver that speaks HTTP/2 over TLS, by hyper.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A running receiver.
pub(crate) struct Http2Receiver {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Http2Receiver {
    /// One that answers with what it was asked.
    pub(crate) async fn echo(mut config: rustls::ServerConfig) -> Self {
        config.alpn_protocols = vec![b"h2".to_vec()];
        let tls = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let tls = tls.clone();
                tokio::spawn(async move {
                    let Ok(stream) = tls.accept(stream).await else { return };
                    let mut server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    server.auto_date_header(false);
                    server.serve_connection(TokioIo::new(stream), service_fn(echo)).await.ok();
                });
            }
        });
        Self { address, connections }
    }
}

/// Stands between a caller and a receiver, and can cut the connections that there are without a word to either side.
pub(crate) struct Middleman {
    pub(crate) address: SocketAddr,
    cut: watch::Sender<usize>,
}

impl Middleman {
    pub(crate) async fn before(receiver: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cut = watch::channel(0).0;
        let subscriber = cut.clone();
        tokio::spawn(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                let mut cut = subscriber.subscribe();
                tokio::spawn(async move {
                    let mut to = TcpStream::connect(receiver).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut from, &mut to) => {}
                        // The connections stay open, and nothing goes through them any more.
                        _ = cut.changed() => std::future::pending().await,
                    }
                });
            }
        });
        Self { address, cut }
    }

    pub(crate) fn cut(&self) {
        self.cut.send_modify(|times| *times += 1);
    }
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let mut text = format!("{} {}\n", parts.method, parts.uri);
    for (name, value) in &parts.headers {
        text.extend([name.as_str(), ": ", value.to_str().unwrap_or("?"), "\n"]);
    }
    text.push_str(&String::from_utf8_lossy(&body.collect().await.unwrap().to_bytes()));
    if parts.uri.path() == "/hang" {
        std::future::pending::<()>().await;
    }
    if parts.uri.path() == "/large" {
        text = "x".repeat(10_000_000);
    }
    Ok(Response::new(Full::new(text.into())))
}
