//! HTTP/2: many requests on one connection, by hyper.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use super::answer::{Answer, Ending};
use super::body::BodyReader;
use super::head::Head;
use super::http1::BrokenExchange;
use super::message::Http2Request;
use crate::limits;

use super::stage::Stage;
use crate::failure::Failure;
use crate::stream::Stream;

/// What a target may send ahead of being read: on one request, and on all together. Answers are mostly not read to their
/// end.
const STREAM_WINDOW_BYTES: u32 = 65_536;
const CONNECTION_WINDOW_BYTES: u32 = 1 << 20;

/// How long a target is silent before it is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(limits::HTTP2_PING_SECONDS);

/// A connection that several attempts share.
#[derive(Clone, Debug)]
pub(crate) struct Http2 {
    requests: SendRequest<Full<Bytes>>,
    /// Every handle of the same connection has the same.
    identity: Arc<()>,
}

impl Http2 {
    /// Speaks HTTP/2 on a new connection, for as long as somebody holds a handle of it.
    pub(crate) async fn new(stream: Stream) -> Result<Self, Failure> {
        let handshake = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(Duration::from_secs(limits::HTTP2_PING_ANSWER_SECONDS_MAX))
            .keep_alive_while_idle(true)
            .max_header_list_size(u32::try_from(limits::ANSWER_HEAD_BYTES_MAX).unwrap_or(u32::MAX))
            .handshake(TokioIo::new(stream));
        let (requests, connection) = handshake.await.map_err(|error| failure(&error, Failure::NotHttp))?;
        // How the connection ends is told to every request on it.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self { requests, identity: Arc::new(()) })
    }

    /// Whether both are handles of one connection.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }

    /// Whether it takes requests.
    pub(crate) fn is_open(&self) -> bool {
        !self.requests.is_closed()
    }

    /// Makes one request and reads the answer.
    pub(crate) async fn exchange(
        &mut self,
        request: Http2Request,
        wanted: Option<&str>,
        stage: &Stage,
    ) -> Result<Answer, BrokenExchange> {
        let response = self.requests.try_send_request(request).await.map_err(|mut error| BrokenExchange {
            // What hyper gives back it has not sent.
            was_sent: error.take_message().is_none(),
            was_answered: false,
            failure: failure(error.error(), Failure::Closed),
        })?;
        let (parts, mut body) = response.into_parts();
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes())));
        let head = Head { status: parts.status.as_u16(), headers: headers.collect() };
        stage.reads_body(head.status);
        let mut reader = BodyReader::new(head.get("content-encoding"), wanted);
        let mut got_bytes = 0;
        let ending = loop {
            match stage.read_in_time(body.frame()).await {
                None => break Ending::TimedOut,
                Some(None) => break Ending::Complete,
                Some(Some(Err(_))) => {
                    let of_bytes = head.get("content-length").and_then(|length| length.parse().ok());
                    break Ending::CutShort { got_bytes, of_bytes };
                }
                Some(Some(Ok(frame))) => {
                    let Some(piece) = frame.data_ref() else { continue };
                    got_bytes += piece.len() as u64;
                    if !reader.eat(piece) {
                        break Ending::Enough;
                    }
                }
            }
        };
        Ok(Answer { head, body: reader.end(ending != Ending::Complete), ending })
    }
}

/// What went wrong, of this kind unless TLS says otherwise. Below hyper, what TLS has said becomes a text.
fn failure(error: &hyper::Error, kind: impl FnOnce(Cow<'static, str>) -> Failure) -> Failure {
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    match reason.strip_prefix("received fatal alert: ") {
        Some(alert) => Failure::Tls(format!("The target refused the TLS connection ({alert}).")),
        None => kind(format!("The HTTP/2 connection broke before an answer came ({reason}).").into()),
    }
}
