//! The bytes of a connection, until we are done with it.
//!
//! A connection that is closed waits for the answer of the broker, and its task is not idle meanwhile. A broker that hangs
//! would keep both for a minute, so the line is cut after a few seconds.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::limits;
use crate::stream::Stream;

/// A connection that can be cut.
#[derive(Debug)]
pub(crate) struct Line {
    stream: Stream,
    /// None if it is cut.
    scissors: Option<oneshot::Receiver<()>>,
}

/// Cuts a line a while after it was dropped.
#[derive(Debug)]
pub(crate) struct Scissors(Option<oneshot::Sender<()>>);

impl Line {
    pub(crate) fn new(stream: Stream) -> (Self, Scissors) {
        let (cut, scissors) = oneshot::channel();
        (Self { stream, scissors: Some(scissors) }, Scissors(Some(cut)))
    }

    /// Ready with an error if the line is cut.
    fn poll_cut(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        if let Some(scissors) = &mut self.scissors {
            // Nothing is ever sent: the other end was dropped.
            drop(ready!(Pin::new(scissors).poll(cx)));
            self.scissors = None;
        }
        Poll::Ready(io::ErrorKind::ConnectionAborted.into())
    }
}

impl Drop for Scissors {
    fn drop(&mut self) {
        // Without a runtime there is no task to wait for.
        if let Ok(runtime) = Handle::try_current() {
            let cut = self.0.take();
            runtime.spawn(async move {
                tokio::time::sleep(Duration::from_secs(limits::AMQP_CLOSING_SECONDS_MAX)).await;
                drop(cut);
            });
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        match line.poll_cut(cx) {
            Poll::Ready(error) => Poll::Ready(Err(error)),
            Poll::Pending => Pin::new(&mut line.stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Line {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let line = self.get_mut();
        match line.poll_cut(cx) {
            Poll::Ready(error) => Poll::Ready(Err(error)),
            Poll::Pending => Pin::new(&mut line.stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        match line.poll_cut(cx) {
            Poll::Ready(error) => Poll::Ready(Err(error)),
            Poll::Pending => Pin::new(&mut line.stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        match line.poll_cut(cx) {
            Poll::Ready(error) => Poll::Ready(Err(error)),
            Poll::Pending => Pin::new(&mut line.stream).poll_shutdown(cx),
        }
    }
}
