//! A request, as far as every route needs it.

use bytes::Bytes;
use http::HeaderMap;
use punctual_model::Violation;
use punctual_model::access::{Grants, Role, Scope};
use punctual_model::time::Timestamp;

use crate::fault::Fault;
use crate::query::Query;
use crate::wire::{Dialect, Json};

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
    /// It is longer than this.
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// It did not arrive in this time.
    TooSlow {
        /// The limit.
        seconds_max: u64,
    },
    /// The connection broke.
    Broken,
}

/// What a route gets.
pub(crate) struct Request {
    pub(crate) now: Timestamp,
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) dialect: Dialect,
    pub(crate) grants: Grants,
}

impl Request {
    /// The body, which must be there and be JSON.
    pub(crate) fn json(&self) -> Result<Json, Fault> {
        let text = std::str::from_utf8(&self.body)
            .map_err(|_| Fault::Invalid(vec![Violation::new("", "bytes that are not UTF-8", "JSON in UTF-8")]))?;
        if text.trim().is_empty() {
            return Err(Fault::Invalid(vec![Violation::new("", "an empty body", "a JSON object")]));
        }
        Json::parse(text).map_err(Fault::Invalid)
    }

    /// The body, or an empty object if there is none.
    pub(crate) fn json_or_empty(&self) -> Result<Json, Fault> {
        if self.body.is_empty() { Ok(Json::Object(Vec::new())) } else { self.json() }
    }

    /// Whether the caller may write what is in `scope`; who may not is shown less of it.
    pub(crate) fn may_write(&self, scope: &Scope) -> bool {
        self.grants.allows(Role::Contributor, scope)
    }
}
