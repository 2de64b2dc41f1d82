//! Where requests are answered: a bounded number at once, each in a task of its own.
//!
//! A task of its own is not ended by a client that goes away, and its panic ends nothing else.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{Answer, Body, Peer, Received, full};
use crate::limits::REQUESTS_ANSWERED_MAX;

/// Hands requests to whoever answers them.
pub(super) struct Desk<A> {
    answer: Arc<A>,
    places: Arc<Semaphore>,
    tasks: TaskTracker,
    cut: CancellationToken,
}

const INTERNAL_ERROR: &str =
    r#"{"error":{"code":"InternalError","message":"The server failed at this request. Its log says more."}}"#;
const SERVER_BUSY: &str = r#"{"error":{"code":"ServerBusy","message":"The server is stopping. Try again."}}"#;

impl<A: Answer> Desk<A> {
    /// A desk whose work is cut off by `cut`.
    pub(super) fn new(answer: Arc<A>, cut: CancellationToken) -> Self {
        Self { answer, places: Arc::new(Semaphore::new(REQUESTS_ANSWERED_MAX)), tasks: TaskTracker::new(), cut }
    }

    /// Answers one request.
    pub(super) async fn answer(&self, request: Request<Received>, peer: Peer) -> Response<Body> {
        let what = format!("{} {}", request.method(), request.uri().path());
        let place = Arc::clone(&self.places).acquire_owned().await;
        let answer = Arc::clone(&self.answer);
        let answered = self.cut.clone().run_until_cancelled_owned(async move {
            let _place = place;
            answer.answer(request, peer).await
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

    /// Waits until everything is answered, the requests of clients that have gone, too.
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
