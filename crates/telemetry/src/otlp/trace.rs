//! Traces.

use prost::{Enumeration, Message};
use punctual_model::occurrence::OccurrenceId;

use super::common::{InstrumentationScope, KeyValue, Resource};
use crate::ids;

/// The body of a request to `/v1/traces`.
#[derive(Clone, PartialEq, Message)]
pub struct ExportTraces {
    /// Spans by sender.
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// Spans of one sender.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    /// The sender.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Spans by part of the sender.
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
}

/// Spans of one part of a sender.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    /// The part.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The spans.
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
}

/// A piece of work, with its beginning and its end.
#[derive(Clone, PartialEq, Message)]
pub struct Span {
    /// The trace it belongs to: 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// The span itself: 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// The span that it is a part of; empty for a root.
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    /// What was done.
    #[prost(string, tag = "5")]
    pub name: String,
    /// On which side of a call it was done.
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub kind: i32,
    /// Its beginning, in nanoseconds since 1970.
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    /// Its end.
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    /// What else is known of it.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    /// Spans of other traces that have to do with it.
    #[prost(message, repeated, tag = "13")]
    pub links: Vec<Link>,
    /// What came of it.
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
    /// The flags of `traceparent`.
    #[prost(fixed32, tag = "16")]
    pub flags: u32,
}

/// A span of another trace.
#[derive(Clone, PartialEq, Message)]
pub struct Link {
    /// Its trace.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// The span.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
}

impl Link {
    /// A link to the root span of an occurrence.
    pub(crate) fn to_occurrence(occurrence: OccurrenceId) -> Self {
        let trace = occurrence.bytes();
        Self { trace_id: trace.to_vec(), span_id: ids::root_of(trace).to_vec() }
    }
}

/// What came of a span.
#[derive(Clone, PartialEq, Message)]
pub struct Status {
    /// What went wrong, in a sentence.
    #[prost(string, tag = "2")]
    pub message: String,
    /// Whether something went wrong: [`ERROR`].
    #[prost(int32, tag = "3")]
    pub code: i32,
}

/// The code of a status that says that something went wrong.
pub const ERROR: i32 = 2;

/// On which side of a call something was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum SpanKind {
    /// Not known.
    Unspecified = 0,
    /// Inside.
    Internal = 1,
    /// Where a call arrives.
    Server = 2,
    /// Where a call is made.
    Client = 3,
}
