//! Handles requests: a bounded number at once, each in a task of its own.
//!
//! A client that goes away does not end the task of its request, and a panic in a task ends nothing else.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::responder::{Body, Peer, Received, Responder, full};
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
    pub(super) async fn handle(&self, request: Request<Received>, peer: Peer) -> Response<Body> {
        let what = format!("{} {}", request.method(), request.uri().path());
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let responder = Arc::clone(&self.responder);
        let answered = self.cut.clone().run_until_cancelled_owned(async move {
            let _permit = permit;
            responder.respond(request, peer).await
        });
        match self.tasks.spawn(answered).await {
            Ok(Some(response)) => response,
            Ok(None) => failure(StatusCode::SERVICE_UNAVAILABLE, SERVER_BUSY),
            Err(panic) => {
                tracing::error!(%panic, "the request {what} ended in a panic");
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

fn failure(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}
