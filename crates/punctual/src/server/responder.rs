//! The seam between the server and the API that answers its requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};

use super::body::UnreadBody;

/// Answers requests.
///
/// A request that has come to this point is answered to its end, even if its client has gone: what the request began, such
/// as a write and the bell to be rung after it, is not left half done. Only a shutdown that takes too long cuts it off.
pub(crate) trait Responder: Send + Sync + 'static {
    /// Answers one request. Its body is there when it was read, or has a fault that the answer should name.
    fn respond(&self, request: Request<UnreadBody>, peer: Peer) -> impl Future<Output = Response<Body>> + Send;
}

/// The body of a request, whole.
pub(crate) type Received = Result<Bytes, BodyFault>;

/// The body of an answer: whole, or a stream such as that of events.
pub(crate) type Body = Either<Full<Bytes>, UnsyncBoxBody<Bytes, Infallible>>;

/// A body that is there as a whole.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(bytes.into()))
}

/// A body that comes bit by bit.
pub(crate) fn streamed(body: impl hyper::body::Body<Data = Bytes, Error = Infallible> + Send + 'static) -> Body {
    Either::Right(UnsyncBoxBody::new(body))
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Where the connection comes from: the client, or a proxy before it.
    pub(crate) address: SocketAddr,
    /// Whether nobody in between could read it.
    pub(crate) is_tls: bool,
}

/// Why the body of a request was not taken. After it an HTTP/1 connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyFault {
    /// The body is longer than the server takes.
    #[error("the body is longer than {bytes_max} bytes")]
    TooLarge {
        /// The longest body that the server takes.
        bytes_max: usize,
    },
    /// The body was not complete in time.
    #[error("the body was not complete within {} seconds", time_max.as_secs_f32())]
    TooSlow {
        /// How long the server waits.
        time_max: Duration,
    },
    /// The client went away in the middle, or broke the rules of the protocol.
    #[error("the body ended before it was complete, or is not written as HTTP asks")]
    Broken,
    /// Other bodies have taken all the room there is for too long.
    #[error("there is no room for the body at the moment")]
    NoRoom,
}
