//! The bytes of a connection, until we are done with it.
//!
//! A connection that is closed waits for the broker's answer, and its task stays busy meanwhile. A broker that hangs would
//! keep both for a minute, so the stream is cut a few seconds after its connection was dropped.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::limits;
use crate::stream::Stream;

/// A stream that ends with an error once it is cut.
#[derive(Debug)]
pub(crate) struct Cuttable {
    stream: Stream,
    /// Loses its sender when the stream is cut; None from then on.
    cut: Option<oneshot::Receiver<()>>,
}

/// Cuts its stream a few seconds after the guard was dropped.
#[derive(Debug)]
pub(crate) struct CutGuard(Option<oneshot::Sender<()>>);

impl Cuttable {
    pub(crate) fn new(stream: Stream) -> (Self, CutGuard) {
        let (guard, cut) = oneshot::channel();
        (Self { stream, cut: Some(cut) }, CutGuard(Some(guard)))
    }

    /// The stream, or the error that it was cut.
    fn uncut(&mut self, cx: &mut Context<'_>) -> io::Result<Pin<&mut Stream>> {
        match self.poll_cut(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Pending => Ok(Pin::new(&mut self.stream)),
        }
    }

    fn poll_cut(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(cut) = &mut self.cut {
            // Nothing is ever sent: the guard was dropped.
            drop(ready!(Pin::new(cut).poll(cx)));
            self.cut = None;
        }
        Poll::Ready(())
    }
}

impl Drop for CutGuard {
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

impl AsyncRead for Cuttable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.uncut(cx)?.poll_read(cx, buffer)
    }
}

impl AsyncWrite for Cuttable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.uncut(cx)?.poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.uncut(cx)?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.uncut(cx)?.poll_shutdown(cx)
    }
}
