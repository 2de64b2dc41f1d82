//! The requests of one connection: how many are open, and how long there has been none.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::responder::Body;

/// Counts the requests of one connection.
pub(super) struct Requests {
    count: watch::Sender<Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    open: usize,
    begun: u64,
}

/// A request that is open until this is dropped.
pub(super) struct OpenRequest {
    count: watch::Sender<Count>,
}

/// The body of an answer, which keeps its request open until it was handed over.
pub(super) struct OpenBody {
    body: Body,
    _request: OpenRequest,
}

impl Requests {
    pub(super) fn new() -> Self {
        Self { count: watch::Sender::new(Count::default()) }
    }

    /// Opens a request.
    pub(super) fn open(&self) -> OpenRequest {
        self.count.send_modify(|count| {
            count.open += 1;
            count.begun += 1;
        });
        OpenRequest { count: self.count.clone() }
    }

    /// Whether there was not a single request yet.
    pub(super) fn is_unused(&self) -> bool {
        self.count.borrow().begun == 0
    }

    /// Waits until there was no request for too long: the first one has `first_max` to come, each later one `next_max`
    /// since the one before it was answered.
    ///
    /// A connection that waits for a later one is idle, and ends earlier if `give_way` rings for it. The bell rings for
    /// those first that have been idle longest.
    pub(super) async fn dry_up(&self, first_max: Duration, next_max: Duration, give_way: &Notify) {
        let mut changes = self.count.subscribe();
        loop {
            let Count { open, begun } = *changes.borrow_and_update();
            let is_idle = open == 0 && begun > 0;
            let patience = if begun == 0 { first_max } else { next_max };
            tokio::select! {
                // `changed` never fails: `self` holds the sender.
                _ = changes.changed() => {}
                () = tokio::time::sleep(patience), if open == 0 => return,
                () = give_way.notified(), if is_idle => return,
            }
        }
    }

    /// Waits until every request was answered, and then for `time_max`.
    pub(super) async fn run_out(&self, time_max: Duration) {
        let mut changes = self.count.subscribe();
        while changes.wait_for(|count| count.open == 0).await.is_ok() {
            if timeout(time_max, changes.changed()).await.is_err() {
                return;
            }
        }
    }
}

impl OpenRequest {
    /// Hands the request over to the body of its answer.
    pub(super) fn until_sent(self, body: Body) -> OpenBody {
        OpenBody { body, _request: self }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.count.send_modify(|count| count.open -= 1);
    }
}

impl HttpBody for OpenBody {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
