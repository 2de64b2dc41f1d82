//! The HTTP server: makes requests with a whole body out of connections, and hands them to whoever answers them.
//!
//! It knows versions of HTTP, TLS and limits. It does not know routes, tokens or the shape of answers.
//!
//! When as many connections are open as may be, the next one waits, and those behind it in the queue of the system. A
//! refusal would be answered sooner, but most clients do not try again, and over TLS it costs as much as the answer. So
//! that nobody waits for connections that only are kept open, the one that is idle longest gives way.

pub(crate) mod answer;
mod body;
mod connection;
mod desk;
mod requests;
mod tls;

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

use answer::Answer;
use connection::Host;
use tls::Certificates;
pub(crate) use tls::{TlsError, TlsSource};

/// Listens, and answers by [`Server::run`].
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    certificates: Option<Arc<Certificates>>,
    config: ServerConfig,
}

/// Where a server listens, and how much it puts up with.
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
    /// How long it is waited at the end for the requests that are being answered.
    pub(crate) shutdown_time_max: Duration,
    /// The certificate, where HTTPS is to be spoken.
    pub(crate) tls: Option<TlsSource>,
}

/// What became of the connections that were open when the server was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Farewell {
    /// Had nothing to do, or were answered.
    pub(crate) finished: usize,
    /// Took too long.
    pub(crate) cut: usize,
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

/// What is cut ends at once, unless it keeps a thread to itself. Then there is nothing to wait for.
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
    pub(crate) async fn run<A: Answer>(self, answer: Arc<A>, shutdown: CancellationToken) -> Farewell {
        if let Some(certificates) = self.certificates.clone() {
            tokio::spawn(shutdown.clone().run_until_cancelled_owned(certificates.watch()));
        }
        let places = Arc::new(Semaphore::new(self.config.connections_max));
        let connections = TaskTracker::new();
        let host = Arc::new(Host::new(self.config, answer, self.certificates));
        let accept = async {
            loop {
                let (stream, address) = next_connection(&self.listener, &host.give_way).await;
                let place = next_place(&places, &host.give_way).await;
                let host = Arc::clone(&host);
                connections.spawn(async move {
                    host.serve(stream, address).await;
                    drop(place);
                });
            }
        };
        shutdown.run_until_cancelled(accept).await;
        // From here on a new connection is refused, and not left waiting for someone who does not come.
        drop(self.listener);
        connections.close();
        finish(&host, &connections).await
    }
}

/// The next connection. What the system has run out of comes back, so it is asked again, but not without a pause.
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
                // Most often it is files that may be open, and every idle connection holds one.
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

/// A place for a connection that was accepted. It is asked for afterwards, so that an idle one is closed only for a new
/// one that is really there.
async fn next_place(places: &Arc<Semaphore>, give_way: &Notify) -> Option<OwnedSemaphorePermit> {
    if places.available_permits() == 0 {
        tracing::debug!("every connection is taken: the next one waits for a place");
        give_way.notify_one();
    }
    Arc::clone(places).acquire_owned().await.ok()
}

/// Waits for the open connections, and for requests whose connection has gone; then cuts what is left.
async fn finish<A: Answer>(host: &Host<A>, connections: &TaskTracker) -> Farewell {
    // Counted before they hear of it, and begin to leave.
    let open = connections.len();
    host.finish.cancel();
    let finished = async {
        connections.wait().await;
        host.desk.finish().await;
    };
    let mut finished = pin!(finished);
    if timeout(host.config.shutdown_time_max, finished.as_mut()).await.is_ok() {
        return Farewell { finished: open, cut: 0 };
    }
    let cut = connections.len();
    host.cut.cancel();
    // Whether it ends or not, it was cut.
    let _ = timeout(CUT_TIME_MAX, finished).await;
    Farewell { finished: open - cut, cut }
}
