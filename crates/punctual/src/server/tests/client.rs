//! Two clients: one that writes HTTP/1 byte by byte, and one that speaks HTTP/2.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, SizeHint};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::within;

/// A connection on which everything can be written, also what no client would.
pub(super) struct Wire<S = TcpStream> {
    stream: S,
    unread: String,
}

impl Wire {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) fn over(stream: S) -> Self {
        Self { stream, unread: String::new() }
    }

    pub(super) async fn send(&mut self, text: &str) {
        within(self.stream.write_all(text.as_bytes())).await.unwrap();
    }

    /// The next answer, which has a `Content-Length`; without `Date`, which is never the same.
    pub(super) async fn answer(&mut self) -> String {
        loop {
            if let Some(length) = self.answer_length() {
                let rest = self.unread.split_off(length);
                let answer = std::mem::replace(&mut self.unread, rest);
                return without_date(&answer);
            }
            assert!(self.read().await, "the connection was closed after {:?}", self.unread);
        }
    }

    /// Sends a request without a body, and reads its answer.
    pub(super) async fn get(&mut self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")).await;
        self.answer().await
    }

    /// What comes until the server closes the connection.
    pub(super) async fn rest(mut self) -> String {
        while self.read().await {}
        without_date(&self.unread)
    }

    /// Waits until the server has closed the connection, whatever it said before.
    pub(super) async fn assert_cut_off(mut self) {
        let mut everything = Vec::new();
        let ended = within(self.stream.read_to_end(&mut everything)).await;
        let is_reset = ended.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionReset);
        assert!(ended.is_ok() || is_reset, "{ended:?}");
    }

    fn answer_length(&self) -> Option<usize> {
        let (head, _) = self.unread.split_once("\r\n\r\n")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a content-length");
        let length = head.len() + 4 + length.parse::<usize>().unwrap();
        (self.unread.len() >= length).then_some(length)
    }

    /// Whether something was read. A connection that was cut has ended, too.
    async fn read(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let length = within(self.stream.read(&mut buffer)).await.unwrap_or(0);
        self.unread += std::str::from_utf8(&buffer[..length]).unwrap();
        length > 0
    }
}

fn without_date(text: &str) -> String {
    text.split_inclusive("\r\n").filter(|line| !line.starts_with("date: ")).collect::<String>().replace("\r\n", "\n")
}

/// An HTTP/2 connection.
pub(super) struct Http2 {
    sender: SendRequest<UnsyncBoxBody<Bytes, Infallible>>,
    /// Ends when the connection does.
    pub(super) ended: JoinHandle<hyper::Result<()>>,
}

impl Http2 {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        // As every client of HTTP/2 does: otherwise the end of each window waits for an acknowledgement.
        stream.set_nodelay(true).unwrap();
        Self::over(stream).await
    }

    pub(super) async fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        Self { sender, ended: tokio::spawn(connection) }
    }

    pub(super) async fn ask(&self, path: &str, body: impl Into<Bytes>) -> hyper::Result<(StatusCode, String)> {
        self.send(path, UnsyncBoxBody::new(Full::new(body.into()))).await
    }

    /// Sends a request whose body never comes.
    pub(super) async fn promise(&self, path: &str) -> hyper::Result<(StatusCode, String)> {
        self.send(path, UnsyncBoxBody::new(Promised)).await
    }

    async fn send(&self, path: &str, body: UnsyncBoxBody<Bytes, Infallible>) -> hyper::Result<(StatusCode, String)> {
        let request = Request::builder().method(Method::POST).uri(format!("http://h{path}"));
        let response = within(self.sender.clone().send_request(request.body(body).unwrap())).await?;
        let status = response.status();
        let body = within(response.into_body().collect()).await?.to_bytes();
        Ok((status, String::from_utf8(body.to_vec()).unwrap()))
    }
}

/// A body of five bytes that never comes.
struct Promised;

impl Body for Promised {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(5)
    }
}
