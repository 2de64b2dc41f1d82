//! One connection from its first byte to its last.
//!
//! ```text
//!   accepted ── TLS ── first head ── request, answer ── idle ── request, answer ── idle ── closed
//!               └ header_time_max ┘                     └ idle_time_max ┘
//! ```
//!
//! hyper has a time limit for heads, too, but it also runs while a connection is idle, and not before the version of HTTP
//! is known. Ours is one rule for both versions: how long it may take until the next request is there.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::ServerConfig;
use super::body::{BodyLimits, UnreadBody};
use super::body_budget::BodyBudget;
use super::request_handler::RequestHandler;
use super::requests::{OpenBody, OpenRequest, Requests};
use super::responder::{Peer, Responder};
use super::tls::Certificates;
use super::wrong_scheme::{self, PlainStream};
use crate::limits::{
    REQUEST_CONNECTION_WINDOW_BYTES, REQUEST_HEAD_BYTES_MAX, REQUEST_HEADERS_MAX, REQUEST_STREAM_WINDOW_BYTES,
    REQUEST_STREAMS_MAX,
};

/// What all connections share.
pub(super) struct ServerContext<R> {
    pub(super) config: ServerConfig,
    pub(super) handler: RequestHandler<R>,
    /// Rings when a connection waits for the place of an idle one.
    pub(super) give_way: Notify,
    /// Lets every connection end: requests that have begun are answered, and no new ones are taken.
    pub(super) finish: CancellationToken,
    /// Ends everything at once.
    pub(super) cut: CancellationToken,
    certificates: Option<Arc<Certificates>>,
    bodies: Arc<BodyBudget>,
    http: Builder<TokioExecutor>,
}

impl<R: Responder> ServerContext<R> {
    pub(super) fn new(config: ServerConfig, responder: Arc<R>, certificates: Option<Arc<Certificates>>) -> Self {
        let [finish, cut] = [(); 2].map(|()| CancellationToken::new());
        let handler = RequestHandler::new(responder, cut.clone());
        let bodies = Arc::new(BodyBudget::new(config.body_bytes_max));
        Self { config, handler, give_way: Notify::new(), cut, finish, certificates, bodies, http: protocol() }
    }

    /// Serves one connection until it ends.
    pub(super) async fn serve(self: &Arc<Self>, stream: TcpStream, address: SocketAddr) {
        // Answers are small, and written in one piece. Without it a connection is slower, not broken.
        let _ = stream.set_nodelay(true);
        let Some(certificates) = &self.certificates else {
            let is_handshake = Arc::<OnceLock<bool>>::default();
            let stream = PlainStream { stream, is_handshake: Arc::clone(&is_handshake) };
            self.converse(stream, Peer { address, is_tls: false }).await;
            if is_handshake.get() == Some(&true) {
                wrong_scheme::log_handshake(address);
            }
            return;
        };
        let handshake = async {
            if wrong_scheme::sniff_http(&stream).await? {
                wrong_scheme::answer_plain_http(stream).await;
                return Ok(None);
            }
            TlsAcceptor::from(certificates.current()).accept(stream).await.map(Some)
        };
        let handshake = self.finish.run_until_cancelled(timeout(self.config.header_time_max, handshake));
        match handshake.await {
            Some(Ok(Ok(Some(stream)))) => self.converse(stream, Peer { address, is_tls: true }).await,
            Some(Ok(Ok(None))) => tracing::debug!(%address, "{address} speaks HTTP to a port with TLS"),
            Some(Ok(Err(error))) => tracing::debug!(%address, %error, "no TLS with {address}: {error}"),
            Some(Err(_)) => tracing::debug!(%address, "no TLS with {address}: it took too long"),
            None => {}
        }
    }

    async fn converse(self: &Arc<Self>, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, peer: Peer) {
        let requests = Requests::new();
        let service = service_fn(|request| Arc::clone(self).answer(request, peer, requests.open()));
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.last_request(&requests) => {
                if requests.is_unused() {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection => ended,
                    // Someone who sends half a head, or does not take the last answer, does not hold us for ever.
                    () = requests.run_out(self.config.header_time_max) => return,
                    () = self.cut.cancelled() => return,
                }
            }
            () = self.cut.cancelled() => return,
        };
        if let Err(error) = ended {
            tracing::debug!(address = %peer.address, error, "the connection with {} broke: {error}", peer.address);
        }
    }

    /// Waits until no further request is to be taken.
    async fn last_request(&self, requests: &Requests) {
        let ServerConfig { header_time_max, idle_time_max, .. } = self.config;
        tokio::select! {
            () = requests.dry_up(header_time_max, idle_time_max, &self.give_way) => {}
            () = self.finish.cancelled() => {}
        }
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: Peer,
        open: OpenRequest,
    ) -> Result<Response<OpenBody>, Infallible> {
        let ServerConfig { body_bytes_max: bytes_max, body_time_max: time_max, .. } = self.config;
        let (request, end) = UnreadBody::take(request, BodyLimits { bytes_max, time_max }, &self.bodies);
        let mut response = self.handler.handle(request, peer).await;
        if end.is_last() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response.map(|body| open.until_sent(body)))
    }
}

/// HTTP/1 and HTTP/2 with their limits. Those against floods of reset streams are hyper's own.
fn protocol() -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_headers(REQUEST_HEADERS_MAX)
        .max_buf_size(REQUEST_HEAD_BYTES_MAX);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(REQUEST_STREAMS_MAX)
        .initial_stream_window_size(REQUEST_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(REQUEST_CONNECTION_WINDOW_BYTES)
        .max_header_list_size(u32::try_from(REQUEST_HEAD_BYTES_MAX).unwrap_or(u32::MAX));
    http
}
