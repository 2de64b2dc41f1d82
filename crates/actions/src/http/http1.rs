//! HTTP/1.1 on one connection.
//!
//! Our own, and not a library's: a request has to go out byte for byte as it was given, in its order and its case, which no
//! client library does; and one task that writes and reads is a good deal faster than two that talk to each other. It is
//! careful in one respect: if there is any doubt where an answer ends, the connection is not used again.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Poll, ready};

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

use super::answer::{Answer, Ending};
use super::body::BodyReader;
use super::framing::{Framing, Step};
use super::head::{Head, Http1Head, take_head};
use super::stage::Stage;
use crate::failure::Failure;
use crate::limits;
use crate::stream::Stream;
use crate::tls;

/// What is read at once: the whole answer in most cases.
const READ_BYTES: usize = 8192;

/// A connection on which one request after the other is made.
#[derive(Debug)]
pub(crate) struct Http1 {
    stream: Stream,
    buffer: BytesMut,
}

/// Why an exchange failed, and what that means for the request.
#[derive(Debug)]
pub(crate) struct BrokenExchange {
    pub(crate) failure: Failure,
    /// Whether the target may have got the request, or a part of it.
    pub(crate) was_sent: bool,
    /// Whether it said anything.
    pub(crate) was_answered: bool,
}

/// How far writing a request came.
enum Written {
    All,
    /// The target answered, or closed, before it had the whole request.
    Part,
    Nothing,
}

impl Http1 {
    /// Speaks HTTP on a new connection.
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, buffer: BytesMut::new() }
    }

    /// Looks whether an idle connection is as it was left.
    pub(crate) fn check_quiet(&mut self) -> bool {
        self.buffer.is_empty() && self.stream.check_quiet()
    }

    /// Makes one request and reads the answer; says whether the connection can be used again.
    pub(crate) async fn exchange(
        &mut self,
        request: &[u8],
        is_head_request: bool,
        wanted: Option<&str>,
        stage: &Stage,
    ) -> Result<(Answer, bool), BrokenExchange> {
        let written = self.write(request).await;
        let was_sent = !matches!(written, Written::Nothing);
        let http1 = match self.read_head(is_head_request).await {
            Ok(head) => head,
            Err(failure) => return Err(BrokenExchange { failure, was_sent, was_answered: !self.buffer.is_empty() }),
        };
        stage.reads_body(http1.head.status);
        let Http1Head { head, framing, keeps_alive } = http1;
        let mut reader = BodyReader::new(head.get("content-encoding"), wanted);
        let ending = self.read_body(framing, stage, |piece| reader.eat(piece)).await;
        let ending = ending.map_err(|failure| BrokenExchange { failure, was_sent, was_answered: true })?;
        let is_reusable =
            keeps_alive && matches!((written, &ending), (Written::All, Ending::Complete)) && self.buffer.is_empty();
        Ok((Answer { head, body: reader.end(ending != Ending::Complete), ending }, is_reusable))
    }

    /// Makes one request and hands over the body of the answer piece by piece, each with the status, until `take` wants no
    /// more. Returns the head, and why no more was read.
    pub(crate) async fn exchange_in_pieces(
        &mut self,
        request: &[u8],
        take: &mut (dyn FnMut(u16, &[u8]) -> bool + Send),
    ) -> Result<(Head, Ending), Failure> {
        self.write(request).await;
        let Http1Head { head, framing, .. } = self.read_head(false).await?;
        let ending = self.read_body(framing, &Stage::default(), |piece| take(head.status, piece)).await?;
        Ok((head, ending))
    }

    /// Asks a proxy for a tunnel; gives the status of its answer.
    pub(crate) async fn open_tunnel(&mut self, request: &[u8]) -> Result<u16, Failure> {
        self.write(request).await;
        // Like the answer to HEAD, one to CONNECT has no body, whatever it says.
        Ok(self.read_head(true).await?.head.status)
    }

    /// The bare connection, unless something was read that belongs to nobody.
    pub(crate) fn into_stream(self) -> Option<Stream> {
        self.buffer.is_empty().then_some(self.stream)
    }

    /// Writes a request. While the target does not take it, an early refusal ends the writing: someone who refuses a body
    /// need not read it.
    async fn write(&mut self, request: &[u8]) -> Written {
        let mut written = 0;
        let Self { stream, buffer } = self;
        poll_fn(|cx| {
            while written < request.len() {
                match Pin::new(&mut *stream).poll_write(cx, &request[written..]) {
                    Poll::Ready(Ok(count)) if count > 0 => written += count,
                    Poll::Ready(_) => return Poll::Ready(part(written)),
                    Poll::Pending => {
                        let mut early = [0; 512];
                        let mut read = ReadBuf::new(&mut early);
                        let is_read = ready!(Pin::new(&mut *stream).poll_read(cx, &mut read)).is_ok();
                        buffer.extend_from_slice(read.filled());
                        if !is_read || read.filled().is_empty() || ends_writing(buffer) {
                            return Poll::Ready(part(written));
                        }
                    }
                }
            }
            match ready!(Pin::new(&mut *stream).poll_flush(cx)) {
                Ok(()) => Poll::Ready(Written::All),
                Err(_) => Poll::Ready(Written::Part),
            }
        })
        .await
    }

    /// Reads the head of the answer, and passes over preliminary ones.
    async fn read_head(&mut self, is_head_request: bool) -> Result<Http1Head, Failure> {
        let mut searched = 0;
        let mut preliminary = 0;
        loop {
            if !self.buffer.is_empty() {
                match take_head(&mut self.buffer, &mut searched, is_head_request)? {
                    Some(head) if head.head.status == 101 => {
                        return Err(Failure::NotHttp("The answer changes to another protocol, unasked.".into()));
                    }
                    Some(head) if head.head.status >= 200 => return Ok(head),
                    Some(_) if preliminary == limits::ANSWER_PRELIMINARY_MAX => {
                        return Err(Failure::NotHttp("Preliminary answers came, and no real one.".into()));
                    }
                    Some(_) => {
                        preliminary += 1;
                        continue;
                    }
                    None => {}
                }
            }
            match self.read().await {
                Ok(0) if self.buffer.is_empty() => {
                    return Err(Failure::Closed("The connection was closed before an answer came.".into()));
                }
                Ok(0) => return Err(Failure::Closed("The connection was closed within the headers.".into())),
                Ok(_) => {}
                Err(error) => {
                    return Err(tls::refusal(&error).unwrap_or_else(|| Failure::Closed(broke(&error).into())));
                }
            }
        }
    }

    async fn read_body(
        &mut self,
        mut framing: Framing,
        stage: &Stage,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<Ending, Failure> {
        let mut got_bytes = 0;
        loop {
            let mut eat = |piece: &[u8]| {
                got_bytes += piece.len() as u64;
                take(piece)
            };
            let wrong =
                |reason| Failure::NotHttp(format!("The body of the answer is not as it should be: {reason}.").into());
            match framing.feed(&mut self.buffer, &mut eat).map_err(wrong)? {
                Step::Complete => return Ok(Ending::Complete),
                Step::Enough => return Ok(Ending::Enough),
                Step::More => {}
            }
            match stage.read_in_time(self.read()).await {
                None => return Ok(Ending::TimedOut),
                Some(Ok(0)) if framing == Framing::UntilClose => return Ok(Ending::Complete),
                Some(Ok(0) | Err(_)) => {
                    return Ok(Ending::CutShort { got_bytes, of_bytes: framing.length(got_bytes) });
                }
                Some(Ok(_)) => {}
            }
        }
    }

    /// Reads what there is. Many servers end a TLS connection without saying goodbye; that is an end as well.
    async fn read(&mut self) -> io::Result<usize> {
        self.buffer.reserve(READ_BYTES);
        match self.stream.read_buf(&mut self.buffer).await {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            result => result,
        }
    }
}

/// Whether what came before the request was written is a refusal, or more than somebody says who is still listening.
fn ends_writing(early: &[u8]) -> bool {
    let status_class = early.get(b"HTTP/1.1 ".len());
    status_class.is_some_and(|class| *class >= b'4') || early.len() > limits::ANSWER_HEAD_BYTES_MAX
}

fn part(written: usize) -> Written {
    if written == 0 { Written::Nothing } else { Written::Part }
}

fn broke(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "The connection was reset before an answer came.".to_owned()
        }
        _ => format!("The connection broke before an answer came ({error})."),
    }
}
