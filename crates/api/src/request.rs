//! A request, as far as every route needs it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::HeaderMap;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::{DateTime, Span, Timestamp, Zone};
use punctual_model::{Violation, Warning};

use crate::condition::Condition;
use crate::fault::Fault;
use crate::operations::Caller;
use crate::query::Query;
use crate::wire::{Dialect, Json, Unknown};

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Peer {
    pub address: std::net::SocketAddr,
    pub is_tls: bool,
}

/// Why the body of a request is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// The body is longer than this.
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// The body did not arrive in this time.
    TooSlow {
        /// The limit.
        seconds_max: u64,
    },
    /// The connection broke.
    Broken,
    /// The bodies of other requests, of all callers or of this one, have left no room for the body for too long.
    NoRoom,
}

/// The body of a request. It is read when the caller is known and may do what they ask for, and not before: strangers
/// must not fill the memory.
pub trait RequestBody: Send {
    /// Reads all of the body, on the account of `caller`.
    fn read(self, caller: &str) -> impl Future<Output = Result<Bytes, BodyFault>> + Send;
}

impl RequestBody for Result<Bytes, BodyFault> {
    async fn read(self, _caller: &str) -> Self {
        self
    }
}

/// What a route gets.
pub(crate) struct Request {
    pub(crate) caller: Caller,
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The body where it was read already, as a part of another one.
    pub(crate) given: Option<Json>,
    pub(crate) dialect: Dialect,
    /// Whether the path begins with `/v1`, which no client of the original uses: nothing is passed over there.
    pub(crate) is_short: bool,
    /// Whether the body had comments or trailing commas.
    pub(crate) is_relaxed: AtomicBool,
    /// The occurrence that the request has begun, for those who trace.
    pub(crate) opened: OnceLock<OccurrenceId>,
}

impl Request {
    /// What is done about members that mean nothing.
    pub(crate) const fn unknown(&self) -> Unknown {
        if self.is_short { Unknown::Refused } else { Unknown::Warned }
    }

    /// The body, which must be there and be JSON; comments and trailing commas are passed over.
    pub(crate) fn json(&self) -> Result<Json, Fault> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        let text = std::str::from_utf8(&self.body)
            .map_err(|_| Fault::from(Violation::sentence("", "the body is not UTF-8: send JSON in UTF-8")))?;
        if text.trim().is_empty() {
            return Err(Violation::sentence("", "the body is empty: send a JSON object").into());
        }
        let (json, is_relaxed) = Json::parse_relaxed(text).map_err(Fault::Invalid)?;
        self.is_relaxed.fetch_or(is_relaxed, Ordering::Relaxed);
        Ok(json)
    }

    /// The body, or an empty object if there is none.
    pub(crate) fn json_or_empty(&self) -> Result<Json, Fault> {
        if self.body.is_empty() && self.given.is_none() { Ok(Json::Object(Vec::new())) } else { self.json() }
    }

    /// How long the body is.
    pub(crate) fn body_bytes(&self) -> usize {
        self.given.as_ref().map_or(self.body.len(), Json::written_bytes)
    }

    /// Whether only what the request would do is asked for.
    pub(crate) fn is_dry(&self) -> Result<bool, Fault> {
        self.query.flag("dryRun")
    }

    /// Whether a job that has ended is to be deleted and made again where it cannot be changed.
    pub(crate) fn replaces_ended(&self) -> Result<bool, Fault> {
        match self.query.get("replace") {
            None => Ok(false),
            Some(which) if which.eq_ignore_ascii_case("completed") => Ok(true),
            Some(other) => Err(Violation::new("replace", format!("{other:?}"), "completed").into()),
        }
    }

    /// Reads the body of a request that says all it has to say in its path: nothing, or an object without members. Anything
    /// else may be meant to change what is done, so that the short path refuses it; elsewhere a warning says that it does not.
    pub(crate) fn read_empty_body(&self) -> Result<Vec<Warning>, Fault> {
        if self.body.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        match self.json() {
            Ok(Json::Null) => Ok(Vec::new()),
            Ok(Json::Object(members)) if members.is_empty() => Ok(Vec::new()),
            _ if !self.is_short => Ok(vec![Warning::new("the body", "ignored: nothing can be said here")]),
            Ok(_) => Err(Violation::sentence("", "nothing can be said in the body here: send none").into()),
            Err(fault) => Err(fault),
        }
    }

    /// What the client expects to replace. A header that is no text is none of our tags; taken as absent it would let the
    /// write through.
    pub(crate) fn condition(&self) -> Condition {
        let text =
            |name| self.headers.get(name).map(|value| value.to_str().unwrap_or("something unreadable").to_owned());
        Condition { if_match: text(IF_MATCH), if_none_match: text(IF_NONE_MATCH) }
    }

    /// An instant in the query.
    pub(crate) fn instant(&self, parameter: &str) -> Result<Option<Timestamp>, Fault> {
        let Some(text) = self.query.get(parameter) else { return Ok(None) };
        let written = DateTime::parse(text).map_err(|expected| expected.at(parameter, format!("{text:?}")))?;
        Ok(Some(written.resolve(Zone::utc()).instant()))
    }

    /// An instant in the query, or a time before now, such as `24h` or `PT24H`.
    pub(crate) fn instant_or_span_ago(&self, parameter: &str) -> Result<Option<Timestamp>, Fault> {
        let Some(text) = self.query.get(parameter) else { return Ok(None) };
        if let Ok(span) = Span::parse(text) {
            return Ok(Some(self.caller.now.saturating_add(-span.ticks())));
        }
        let expected = "an instant, such as 2026-01-01T00:00:00Z, or a time before now, such as 24h";
        let written = DateTime::parse(text).map_err(|_| Violation::new(parameter, format!("{text:?}"), expected))?;
        Ok(Some(written.resolve(Zone::utc()).instant()))
    }

    /// Where a piece of work goes on that was too long for the last request.
    pub(crate) fn place<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Fault> {
        let Some(text) = self.query.get("continue") else { return Ok(None) };
        let sentence = "this is no place to go on at: send what the last answer said";
        let place = parse(text).ok_or_else(|| Violation::sentence("continue", sentence));
        Ok(Some(place?))
    }
}
