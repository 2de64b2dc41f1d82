//! A receiver of HTTP calls that does what a test tells it: it counts, delays, hangs, trickles, breaks off, redirects, lies
//! about lengths, floods, closes and talks nonsense. It speaks HTTP/1.1 by hand, so that it sees every byte and can send any.

pub(crate) mod certificates;
pub(crate) mod http2;
pub(crate) mod mail;
pub(crate) mod pfx;
mod reply;
pub(crate) mod tunnel;

pub(crate) use reply::{Reply, Step};

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A running receiver. It ends with its runtime.
pub(crate) struct Receiver {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

/// A request as it came, byte for byte.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Its number, from 0, of all connections together.
    pub(crate) number: usize,
    /// The line and the headers, without the empty line.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<u8>,
}

struct Shared {
    script: Box<dyn Fn(&Seen) -> Reply + Send + Sync>,
    connections: AtomicUsize,
    requests: Mutex<Vec<Seen>>,
    /// Requests that were answered, or are being so: all that can be written at once was.
    progress: watch::Sender<usize>,
}

impl Receiver {
    /// A receiver that gives the same answer to everybody.
    pub(crate) async fn always(reply: Reply) -> Self {
        Self::start(move |_| reply.clone()).await
    }

    /// A receiver that answers each request as `script` says.
    pub(crate) async fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(None, script).await
    }

    /// One that speaks TLS.
    pub(crate) async fn start_tls(
        config: rustls::ServerConfig,
        script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Some(TlsAcceptor::from(Arc::new(config))), script).await
    }

    async fn listen(tls: Option<TlsAcceptor>, script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script: Box::new(script),
            connections: AtomicUsize::new(0),
            requests: Mutex::default(),
            progress: watch::channel(0).0,
        });
        let kept = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let (shared, tls) = (Arc::clone(&shared), tls.clone());
                tokio::spawn(async move { serve(stream, tls, &shared).await.ok() });
            }
        });
        Self { address, shared: kept }
    }

    /// An address of it.
    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    /// An address of it over TLS.
    pub(crate) fn secure_url(&self, target: &str) -> String {
        format!("https://localhost:{}{target}", self.address.port())
    }

    /// How many connections were made to it.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits until so many requests were answered, as far as their replies can be written at once.
    pub(crate) async fn answered(&self, number: usize) {
        self.shared.progress.subscribe().wait_for(|count| *count >= number).await.unwrap();
    }
}

impl Seen {
    /// The lines of the headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &str> {
        self.head.split("\r\n").skip(1)
    }

    /// The value of a header.
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers().filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == wanted).map(|(_, v)| v)
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

async fn serve(stream: TcpStream, tls: Option<TlsAcceptor>, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match tls {
        None => talk(stream, shared).await,
        Some(tls) => talk(tls.accept(stream).await?, shared).await,
    }
}

/// Answers one request after the other.
async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, shared: &Shared) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8(buffer.drain(..end + 4).take(end).collect()).unwrap();
        let mut seen = Seen { number: 0, head, body: Vec::new() };
        let reads_body = !seen.target().contains("unread");
        let length: usize = seen.header("Content-Length").map_or(0, |length| length.parse().unwrap());
        while reads_body && buffer.len() < length {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        seen.body = buffer.drain(..if reads_body { length } else { buffer.len() }).collect();
        {
            let mut requests = shared.requests.lock().unwrap();
            seen.number = requests.len();
            requests.push(seen.clone());
        }
        let is_over = reply(&mut stream, shared, &seen).await?;
        if is_over {
            return Ok(());
        }
    }
}

/// Does what the script says; whether the connection ends with it.
async fn reply(stream: &mut (impl AsyncWrite + Unpin), shared: &Shared, seen: &Seen) -> io::Result<bool> {
    let progress = || shared.progress.send_modify(|count| *count += 1);
    for step in (shared.script)(seen).steps {
        match step {
            Step::Write(bytes) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
            }
            Step::Repeat(bytes, count) => {
                for _ in 0..count {
                    stream.write_all(&bytes).await?;
                }
            }
            Step::ByteByByte(bytes) => {
                for byte in bytes {
                    stream.write_all(&[byte]).await?;
                    stream.flush().await?;
                    tokio::task::yield_now().await;
                }
            }
            Step::Hang => {
                progress();
                std::future::pending::<()>().await;
            }
            Step::Close => {
                stream.shutdown().await?;
                progress();
                return Ok(true);
            }
        }
    }
    progress();
    Ok(false)
}
