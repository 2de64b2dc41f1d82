//! The body of a request: read when it is asked for, all of it, within bounds of size and time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::EXPECT;
use http::request::Parts;
use http::{Request, Version};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;

use super::body_budget::{BodyBudget, Reservation};
use super::request_handler::AnswerPermit;
use super::responder::{BodyFault, Received};
use crate::limits::{BODY_ROOM_BYTES, REFUSED_BODY_BYTES_MAX, REFUSED_BODY_SECONDS_MAX, UNREAD_BODY_BYTES_MAX};

/// A body that was not read yet. If nobody does, a part of it is thrown away, so that its sender reads the answer.
pub(crate) struct UnreadBody {
    incoming: Option<Incoming>,
    limits: BodyLimits,
    budget: Arc<BodyBudget>,
    sender: Sender,
    end: Arc<BodyEnd>,
    permit: Option<Arc<AnswerPermit>>,
}

/// How much of a body is taken, and how long it may take to come.
#[derive(Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes_max: usize,
    pub(super) time_max: Duration,
}

/// How the client sends the body.
#[derive(Clone, Copy)]
struct Sender {
    /// HTTP/2 can stop one request without closing the connection.
    is_http2: bool,
    /// The client waits for `100 Continue`, and sends nothing before.
    is_waiting: bool,
}

/// What is known about the rest of a body when its request was answered.
#[derive(Default)]
pub(super) struct BodyEnd {
    is_last: AtomicBool,
}

impl BodyEnd {
    /// Whether the connection takes no further request: what is left of the body stands in its way.
    pub(super) fn is_last(&self) -> bool {
        self.is_last.load(Ordering::Relaxed)
    }
}

impl UnreadBody {
    /// Takes the body of a request apart from its head.
    pub(super) fn take(
        request: Request<Incoming>,
        limits: BodyLimits,
        budget: &Arc<BodyBudget>,
    ) -> (Request<Self>, Arc<BodyEnd>) {
        let (head, incoming) = request.into_parts();
        let end = Arc::new(BodyEnd::default());
        let (sender, budget) = (Sender::of(&head), Arc::clone(budget));
        let body = Self { incoming: Some(incoming), limits, budget, sender, end: Arc::clone(&end), permit: None };
        (Request::from_parts(head, body), end)
    }

    /// Gives the permit back while the body is read: clients that send slowly do not keep others from being answered.
    pub(super) fn lend(mut self, permit: Arc<AnswerPermit>) -> Self {
        self.permit = Some(permit);
        self
    }

    /// Reads the whole body, on the account of `caller`.
    pub(crate) async fn read(mut self, caller: &str) -> Received {
        let Some(mut incoming) = self.incoming.take().filter(|incoming| !incoming.is_end_stream()) else {
            return Ok(Bytes::new());
        };
        let permit = self.permit.take();
        if let Some(permit) = &permit {
            permit.release();
        }
        let received = self.read_within(&mut incoming, caller).await;
        if let Some(permit) = permit {
            permit.acquire().await;
        }
        if let Err(fault) = &received {
            self.end.is_last.store(!self.sender.is_http2, Ordering::Relaxed);
            if matches!(fault, BodyFault::TooLarge { .. } | BodyFault::NoRoom) && self.sender.is_sending() {
                spawn_discard(incoming, REFUSED_BODY_BYTES_MAX);
            }
        }
        received
    }

    async fn read_within(&self, incoming: &mut Incoming, caller: &str) -> Received {
        let BodyLimits { bytes_max, time_max } = self.limits;
        // What the client says about the length; without a word from it, nothing.
        let length = incoming.size_hint();
        if length.lower() > bytes_max as u64 {
            return Err(BodyFault::TooLarge { bytes_max });
        }
        let bytes = length.exact().and_then(|exact| usize::try_from(exact).ok()).unwrap_or(BODY_ROOM_BYTES);
        let room = if self.sender.is_http2 {
            // A body that waits fills the window of its connection, and the one that it waits for may be behind it.
            self.budget.try_reserve(caller, bytes)
        } else {
            timeout(time_max, self.budget.reserve(caller, bytes)).await.ok().flatten()
        };
        let mut room = room.ok_or(BodyFault::NoRoom)?;
        match timeout(time_max, read(incoming, bytes_max, &mut room)).await {
            Ok(received) => received.map(|bytes| Bytes::from_owner(Held { bytes, _room: room })),
            Err(_) => Err(BodyFault::TooSlow { time_max }),
        }
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        let Some(incoming) = self.incoming.take().filter(|incoming| !incoming.is_end_stream()) else { return };
        let is_short = incoming.size_hint().upper().is_some_and(|length| length <= UNREAD_BODY_BYTES_MAX as u64);
        if !self.sender.is_sending() {
            self.end.is_last.store(!self.sender.is_http2, Ordering::Relaxed);
            return;
        }
        self.end.is_last.store(!is_short, Ordering::Relaxed);
        spawn_discard(incoming, UNREAD_BODY_BYTES_MAX);
    }
}

impl Sender {
    fn of(head: &Parts) -> Self {
        Self { is_http2: head.version > Version::HTTP_11, is_waiting: head.headers.contains_key(EXPECT) }
    }

    /// Whether the client sends its body in any case, and will not look for an answer before it is done.
    fn is_sending(self) -> bool {
        !self.is_http2 && !self.is_waiting
    }
}

/// A body with the room that it takes.
struct Held {
    bytes: Bytes,
    _room: Reservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads the body as far as its limit, and takes room for it as it comes.
async fn read(incoming: &mut Incoming, bytes_max: usize, room: &mut Reservation) -> Received {
    let Some(first) = next(incoming).await? else { return Ok(Bytes::new()) };
    if first.len() <= bytes_max && incoming.is_end_stream() {
        return Ok(first);
    }
    // Copied together: a body that comes in pieces of one byte must not hold the buffer that each of them came in.
    let mut whole = BytesMut::from(first);
    while whole.len() <= bytes_max {
        if whole.len() > room.bytes() && !room.try_grow(BODY_ROOM_BYTES) {
            return Err(BodyFault::NoRoom);
        }
        let Some(piece) = next(incoming).await? else { return Ok(whole.freeze()) };
        whole.extend_from_slice(&piece);
    }
    Err(BodyFault::TooLarge { bytes_max })
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

/// Reads on for a while without keeping anything, and then drops the body, which closes the connection.
fn spawn_discard(mut incoming: Incoming, bytes_max: usize) {
    let discard = async move {
        let mut bytes = 0;
        while bytes < bytes_max {
            let Ok(Some(piece)) = next(&mut incoming).await else { return };
            bytes += piece.len();
        }
    };
    tokio::spawn(timeout(Duration::from_secs(REFUSED_BODY_SECONDS_MAX), discard));
}
