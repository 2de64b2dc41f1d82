//! Reads the body of a request: all of it, within bounds of size and time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::EXPECT;
use http::request::Parts;
use http::{Request, Version};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;

use super::responder::{BodyFault, Received};
use crate::limits::{REFUSED_BODY_BYTES_MAX, REFUSED_BODY_SECONDS_MAX};

/// How much of a body is taken, and how long it may take to come.
#[derive(Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes_max: usize,
    pub(super) time_max: Duration,
}

/// The request with its body, or with what is wrong with it.
pub(super) async fn receive(request: Request<Incoming>, limits: BodyLimits) -> Request<Received> {
    let (head, mut incoming) = request.into_parts();
    let received = match timeout(limits.time_max, read(&mut incoming, limits.bytes_max)).await {
        Ok(received) => received,
        Err(_) => Err(BodyFault::TooSlow { time_max: limits.time_max }),
    };
    if matches!(received, Err(BodyFault::TooLarge { .. })) && is_being_sent(&head) {
        tokio::spawn(timeout(Duration::from_secs(REFUSED_BODY_SECONDS_MAX), discard(incoming)));
    }
    Request::from_parts(head, received)
}

async fn read(incoming: &mut Incoming, bytes_max: usize) -> Received {
    let too_large = Err(BodyFault::TooLarge { bytes_max });
    // What the client says about the length; without a word from it, nothing.
    if incoming.size_hint().lower() > bytes_max as u64 {
        return too_large;
    }
    let Some(first) = next(incoming).await? else { return Ok(Bytes::new()) };
    if first.len() <= bytes_max && incoming.is_end_stream() {
        return Ok(first);
    }
    // Copied together: a body that comes in pieces of one byte must not hold the buffer that each of them came in.
    let mut whole = BytesMut::from(first);
    while whole.len() <= bytes_max {
        let Some(piece) = next(incoming).await? else { return Ok(whole.freeze()) };
        whole.extend_from_slice(&piece);
    }
    too_large
}

/// The next piece of the body, which is not empty. Trailers are passed over: nobody asks for them.
async fn next(incoming: &mut Incoming) -> Result<Option<Bytes>, BodyFault> {
    while let Some(frame) = incoming.frame().await {
        match frame.map_err(|_| BodyFault::Broken)?.into_data() {
            Ok(data) if !data.is_empty() => return Ok(Some(data)),
            _ => {}
        }
    }
    Ok(None)
}

/// Whether the client sends its body without having been asked to, and will not look for an answer before it is done.
///
/// HTTP/2 can stop one stream without closing the connection, and a client that waits for `100 Continue` sends nothing.
fn is_being_sent(head: &Parts) -> bool {
    head.version <= Version::HTTP_11 && !head.headers.contains_key(EXPECT)
}

/// Reads on for a while without keeping anything, and then drops the body, which closes the connection.
async fn discard(mut incoming: Incoming) {
    let mut bytes = 0;
    while bytes < REFUSED_BODY_BYTES_MAX {
        let Ok(Some(piece)) = next(&mut incoming).await else { return };
        bytes += piece.len();
    }
}
