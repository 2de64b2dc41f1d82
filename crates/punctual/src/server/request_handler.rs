//! Handles requests: a bounded number at once, each in a task of its own.
//!
//! A request whose body is still to come is not counted. A client that goes away does not end the task of its request, and a panic in a task ends nothing else.

use std::sync::{Arc, Mutex, PoisonError};

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::UnreadBody;
use super::responder::{Body, Peer, Responder, full};
use crate::limits::REQUESTS_ANSWERED_MAX;

/// Hands requests to the responder.
pub(super) struct RequestHandler<R> {
    responder: Arc<R>,
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
    cut: CancellationToken,
}

const INTERNAL_ERROR: &str =
    r#"{"error":{"code":"InternalError","message":"The server failed at this request. Its log says more."}}"#;
const SERVER_BUSY: &str = r#"{"error":{"code":"ServerBusy","message":"The server is stopping. Try again."}}"#;

impl<R: Responder> RequestHandler<R> {
    /// A handler whose tasks end with `cut`.
    pub(super) fn new(responder: Arc<R>, cut: CancellationToken) -> Self {
        Self { responder, permits: Arc::new(Semaphore::new(REQUESTS_ANSWERED_MAX)), tasks: TaskTracker::new(), cut }
    }

    /// Has one request answered.
    pub(super) async fn handle(&self, request: Request<UnreadBody>, peer: Peer) -> Response<Body> {
        let method = request.method().clone();
        let permit = Arc::new(AnswerPermit { permits: Arc::clone(&self.permits), held: Mutex::default() });
        permit.acquire().await;
        let request = request.map(|body| body.lend(Arc::clone(&permit)));
        let responder = Arc::clone(&self.responder);
        let answered = self.cut.clone().run_until_cancelled_owned(async move {
            let _permit = permit;
            responder.respond(request, peer).await
        });
        match self.tasks.spawn(answered).await {
            Ok(Some(response)) => response,
            Ok(None) => failure(StatusCode::SERVICE_UNAVAILABLE, SERVER_BUSY),
            Err(panic) => {
                tracing::error!(%panic, "a request of method {method} ended in a panic");
                failure(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL_ERROR)
            }
        }
    }

    /// Waits until every request is answered, also those of clients that have gone.
    pub(super) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// One of the requests that may be answered at once, until this is dropped.
pub(super) struct AnswerPermit {
    permits: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl AnswerPermit {
    /// Lets another request be answered.
    pub(super) fn release(&self) {
        self.hold(None);
    }

    /// Waits until the request may be answered.
    pub(super) async fn acquire(&self) {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        self.hold(permit);
    }

    fn hold(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

fn failure(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}
