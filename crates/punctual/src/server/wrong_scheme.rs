//! Clients that speak HTTPS to a port without TLS, or HTTP to one with it: both look like noise, and are told apart by the
//! first byte.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

use crate::limits::REQUEST_HEAD_BYTES_MAX;

/// With this a TLS handshake begins, and no request of HTTP does.
const HANDSHAKE: u8 = 0x16;

/// What a client is told that sends plain HTTP to a port with TLS. The connection ends after it.
const USE_HTTPS: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n\
    content-length: 100\r\n\r\n\
    {\"error\":{\"code\":\"BadRequest\",\"message\":\"This port speaks HTTPS: begin the address with https://.\"}}";

/// Whether a client that is about to shake hands sends plain HTTP instead. Waits for its first byte, and leaves it there.
pub(super) async fn sniff_http(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    let read = stream.peek(&mut first).await?;
    Ok(read == 1 && first[0].is_ascii_uppercase())
}

/// Tells a client of plain HTTP to use HTTPS.
pub(super) async fn answer_plain_http(mut stream: TcpStream) {
    // A client that does not take the answer cannot be told anything.
    if stream.write_all(USE_HTTPS.as_bytes()).await.is_ok() && stream.shutdown().await.is_ok() {
        // A connection that is closed with something unread is reset, and the reset would overtake the answer.
        let _ = tokio::io::copy(&mut stream.take(REQUEST_HEAD_BYTES_MAX as u64), &mut tokio::io::sink()).await;
    }
}

/// Logs that a client tried to shake hands where there is no TLS: the first time for everyone to see, then for who looks
/// closely. The client itself can be told nothing that it would show.
pub(super) fn log_handshake(address: SocketAddr) {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    if HAS_WARNED.swap(true, Ordering::Relaxed) {
        tracing::debug!(%address, "{address} speaks HTTPS to a port without TLS");
    } else {
        tracing::warn!(
            %address,
            "{address} speaks HTTPS, and this port does not: use an address with http://, or turn TLS on (--tls-self-signed, \
             [server.tls])"
        );
    }
}

/// A connection without TLS that remembers whether its client began with a handshake.
pub(super) struct PlainStream {
    pub(super) stream: TcpStream,
    /// None until the first byte was read.
    pub(super) is_handshake: Arc<OnceLock<bool>>,
}

impl AsyncRead for PlainStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        if this.is_handshake.get().is_none()
            && let Some(first) = buf.filled().get(before)
        {
            let _ = this.is_handshake.set(*first == HANDSHAKE);
        }
        read
    }
}

impl AsyncWrite for PlainStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
