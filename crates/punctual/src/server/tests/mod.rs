//! The server on real sockets, with a handler that does what the path of a request says.

mod bodies;
mod client;
mod http;
mod patience;
mod shutdown;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ::http::{Request, Response, StatusCode};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::body::UnreadBody;
use super::responder::{Body, BodyFault, Peer, Responder, full};
use super::{Server, ServerConfig, ShutdownReport};

/// Longer than anything here takes, and shorter than anyone waits for a test that hangs.
const LONG: Duration = Duration::from_secs(20);
/// A limit that is reached at once.
const SHORT: Duration = Duration::from_millis(50);

/// Limits that no test reaches which does not make them smaller.
fn config() -> ServerConfig {
    ServerConfig {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        connections_max: 10,
        header_time_max: LONG,
        body_time_max: LONG,
        body_bytes_max: 1000,
        idle_time_max: LONG,
        shutdown_time_max: LONG,
        tls: None,
    }
}

/// A server that runs until it is told to stop.
struct Running {
    address: SocketAddr,
    shutdown: CancellationToken,
    /// What has begun and ended: `begun /wait`, `ended /wait`.
    events: mpsc::UnboundedReceiver<String>,
    /// Lets requests for `/wait` go on, one for each permit.
    gate: Arc<Semaphore>,
    task: JoinHandle<ShutdownReport>,
}

async fn start(config: ServerConfig) -> Running {
    run(Server::bind(config).await.expect("a port that is free"))
}

fn run(server: Server) -> Running {
    let (sender, events) = mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let shutdown = CancellationToken::new();
    let (address, handler) = (server.address(), Handler { events: sender, gate: gate.clone() });
    let task = tokio::spawn(server.run(Arc::new(handler), shutdown.clone()));
    Running { address, shutdown, events, gate, task }
}

impl Running {
    async fn event(&mut self) -> String {
        within(self.events.recv()).await.expect("the server lives")
    }

    async fn stop(self) -> ShutdownReport {
        self.shutdown.cancel();
        within(self.task).await.expect("the server does not panic")
    }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(LONG, future).await.expect("it takes too long")
}

struct Handler {
    events: mpsc::UnboundedSender<String>,
    gate: Arc<Semaphore>,
}

/// Tells when a request is over, whether it was answered or dropped.
struct Ended(mpsc::UnboundedSender<String>, String);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.send(format!("ended {}", self.1));
    }
}

impl Responder for Handler {
    async fn respond(&self, request: Request<UnreadBody>, peer: Peer) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let _ = self.events.send(format!("begun {path}"));
        let _ended = Ended(self.events.clone(), path.clone());
        let body = match path.as_str() {
            "/panic" => panic!("the handler was asked to panic"),
            "/hang" => std::future::pending().await,
            "/wait" => {
                self.gate.acquire().await.unwrap().forget();
                "waited".to_owned()
            }
            "/who" => format!("{:?} tls={}", request.version(), peer.is_tls),
            "/refuse" => {
                let mut refusal = Response::new(full("who are you?"));
                *refusal.status_mut() = StatusCode::UNAUTHORIZED;
                return refusal;
            }
            "/keep" => {
                let body = request.into_body().read("caller").await.unwrap();
                let _ = self.events.send("read /keep".to_owned());
                self.gate.acquire().await.unwrap().forget();
                format!("kept {}", body.len())
            }
            _ => match request.into_body().read("caller").await {
                Ok(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                Err(fault) => {
                    let mut refusal = Response::new(full(fault.to_string()));
                    *refusal.status_mut() = match fault {
                        BodyFault::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                        BodyFault::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
                        BodyFault::Broken => StatusCode::BAD_REQUEST,
                        BodyFault::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
                    };
                    return refusal;
                }
            },
        };
        Response::new(full(body))
    }
}
