//! The stream of events as the body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use punctual_api::EventStream;
use tokio_util::sync::CancellationToken;

/// Asks for the next events when the connection has taken the last ones, and ends when the server stops.
pub(super) struct EventBody {
    /// None at the end.
    next: Option<Next>,
    shutdown: CancellationToken,
}

type Next = Pin<Box<dyn Future<Output = Option<(Bytes, Box<EventStream>)>> + Send>>;

impl EventBody {
    pub(super) fn new(stream: Box<EventStream>, shutdown: CancellationToken) -> Self {
        Self { next: Some(next(stream, shutdown.clone())), shutdown }
    }
}

fn next(mut stream: Box<EventStream>, shutdown: CancellationToken) -> Next {
    Box::pin(async move {
        let bytes = shutdown.run_until_cancelled(stream.next()).await??;
        Some((bytes, stream))
    })
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(waiting) = &mut self.next else { return Poll::Ready(None) };
        let (bytes, stream) = ready!(waiting.as_mut().poll(context)).unzip();
        let shutdown = self.shutdown.clone();
        self.next = stream.map(|stream| next(stream, shutdown));
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.next.is_none()
    }
}
