//! The bytes between us and a mail server, as lettre reads and writes them.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::limits;
use crate::stream::Stream;

/// A connection to a mail server. lettre begins with the greeting of the server; after STARTTLS the server has said it already,
/// so it is repeated from here.
#[derive(Debug)]
pub(super) struct Conversation {
    greeting: Vec<u8>,
    stream: Stream,
    /// How many bytes the server may still send: lettre reads a line to its end, however long.
    bytes_left: usize,
}

impl Conversation {
    /// `greeting` was read already.
    pub(super) const fn new(stream: Stream, greeting: Vec<u8>) -> Self {
        Self { greeting, stream, bytes_left: limits::SMTP_ANSWERS_BYTES_MAX }
    }
}

impl AsyncRead for Conversation {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            let given: Vec<u8> = this.greeting.drain(..this.greeting.len().min(buffer.remaining())).collect();
            buffer.put_slice(&given);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.stream).poll_read(cx, buffer);
        match this.bytes_left.checked_sub(buffer.filled().len() - before) {
            Some(left) => this.bytes_left = left,
            None => return Poll::Ready(Err(io::Error::other("the server says too much"))),
        }
        polled
    }
}

impl AsyncWrite for Conversation {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl AsyncTokioStream for Conversation {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.stream {
            Stream::Plain(stream) => stream.peer_addr(),
            Stream::Tls(stream) => stream.get_ref().0.peer_addr(),
        }
    }
}
