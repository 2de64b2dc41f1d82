//! The HTTP server: reads requests from connections, and hands them to a [`Responder`], who reads their bodies.
//!
//! The server knows versions of HTTP, TLS and limits. It does not know routes, tokens or the shape of answers.
//!
//! When the most connections allowed are open, the next one waits, and those behind it wait in the queue of the system. A
//! refusal would be quicker, but most clients do not try again, and over TLS a refusal costs as much as the answer. So
//! that nobody waits for connections that are only kept open, the one that is idle longest gives way.

pub(crate) mod body;
mod body_budget;
mod connection;
mod request_handler;
mod requests;
pub(crate) mod responder;
mod tls;
mod wrong_scheme;

#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use connection::ServerContext;
use responder::Responder;
use tls::Certificates;
pub(crate) use tls::{TlsError, TlsSource, check as check_tls};

/// Listens, and answers by [`Server::run`].
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    certificates: Option<Arc<Certificates>>,
    config: ServerConfig,
}

/// Where a server listens, and its limits.
#[derive(Clone, Debug)]
pub(crate) struct ServerConfig {
    /// With port 0 the system chooses one.
    pub(crate) listen: SocketAddr,
    /// Connections open at once.
    pub(crate) connections_max: usize,
    /// How long TLS may take, and then the head of the first request.
    pub(crate) header_time_max: Duration,
    /// How long the body of a request may take.
    pub(crate) body_time_max: Duration,
    /// How long the body of a request may be.
    pub(crate) body_bytes_max: usize,
    /// How long a connection is kept for the next request.
    pub(crate) idle_time_max: Duration,
    /// How long a shutdown waits for requests that are being answered.
    pub(crate) shutdown_time_max: Duration,
    /// The certificate, where HTTPS is to be spoken.
    pub(crate) tls: Option<TlsSource>,
}

/// What became of the connections that were open when the server was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShutdownReport {
    /// Connections without a request, and those whose requests were answered.
    pub(crate) finished_count: usize,
    /// Connections whose requests took too long.
    pub(crate) cut_count: usize,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    /// The address is taken, not ours, or not allowed.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// Where it should have listened.
        address: SocketAddr,
        reason: io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// Between two attempts to accept a connection, when the process or the system has run out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A request that is cut ends at once, unless it blocks its thread. Then waiting longer does not help.
const CUT_TIME_MAX: Duration = Duration::from_secs(1);

impl Server {
    /// Takes the address and reads the certificate.
    pub(crate) async fn bind(config: ServerConfig) -> Result<Self, BindError> {
        let address = config.listen;
        let certificates = config.tls.as_ref().map(|source| Certificates::load(source, address.ip())).transpose()?;
        let listening = TcpListener::bind(address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = listening.map_err(|reason| BindError::Listen { address, reason })?;
        Ok(Self { listener, address, certificates: certificates.map(Arc::new), config })
    }

    /// Where it listens; the port is the real one if 0 was asked for.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown`, and then what was asked before.
    pub(crate) async fn run<R: Responder>(self, responder: Arc<R>, shutdown: CancellationToken) -> ShutdownReport {
        if let Some(certificates) = self.certificates.clone() {
            tokio::spawn(shutdown.clone().run_until_cancelled_owned(certificates.keep_current()));
        }
        let places = Arc::new(Semaphore::new(self.config.connections_max));
        let connections = TaskTracker::new();
        let context = Arc::new(ServerContext::new(self.config, responder, self.certificates));
        let accept = async {
            loop {
                let (stream, address) = next_connection(&self.listener, &context.give_way).await;
                let place = next_place(&places, &context.give_way).await;
                let context = Arc::clone(&context);
                connections.spawn(async move {
                    context.serve(stream, address).await;
                    drop(place);
                });
            }
        };
        shutdown.run_until_cancelled(accept).await;
        // From here on a new connection is refused, and does not wait in vain.
        drop(self.listener);
        connections.close();
        finish(&context, &connections).await
    }
}

/// The next connection. A shortage of the system, such as of open files, passes: after a pause the system is asked again.
async fn next_connection(listener: &TcpListener, give_way: &Notify) -> (TcpStream, SocketAddr) {
    let mut has_warned = false;
    loop {
        match listener.accept().await {
            Ok(connection) => return connection,
            // The client has changed its mind while it waited.
            Err(error) if is_of_client(&error) => tracing::debug!(%error, "a connection ended before it began"),
            Err(error) => {
                if !has_warned {
                    tracing::warn!(%error, "cannot accept connections: {error}; trying again");
                    has_warned = true;
                }
                // Most often open files are short, and every idle connection holds one.
                give_way.notify_one();
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// A place for a connection that was accepted. Waiting for it comes after accepting, so that an idle connection is closed
/// only for a new one that is really there.
async fn next_place(places: &Arc<Semaphore>, give_way: &Notify) -> Option<OwnedSemaphorePermit> {
    if places.available_permits() == 0 {
        tracing::debug!("every connection is taken: the next one waits for a place");
        give_way.notify_one();
    }
    Arc::clone(places).acquire_owned().await.ok()
}

/// Waits for the open connections, and for requests whose connection has gone; then cuts what is left.
async fn finish<R: Responder>(context: &ServerContext<R>, connections: &TaskTracker) -> ShutdownReport {
    // Counted before the connections hear of the shutdown and begin to end.
    let open = connections.len();
    context.finish.cancel();
    let finished = async {
        connections.wait().await;
        context.handler.finish().await;
    };
    let mut finished = pin!(finished);
    if timeout(context.config.shutdown_time_max, finished.as_mut()).await.is_ok() {
        return ShutdownReport { finished_count: open, cut_count: 0 };
    }
    let cut_count = connections.len();
    context.cut.cancel();
    // Whether the rest ends in time or not, it was cut.
    let _ = timeout(CUT_TIME_MAX, finished).await;
    ShutdownReport { finished_count: open - cut_count, cut_count }
}
