//! The span of a request to the API.

use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;

use crate::attempt_span::nanoseconds;
use crate::otlp::{ERROR, KeyValue, Link, Span, SpanKind, Status};
use crate::trace_context::TraceContext;

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct RequestSpan {
    /// The random id of the request, by which its trace is found if the client named none.
    pub request_id: [u8; 16],
    /// What the client said in `traceparent`.
    pub parent: Option<TraceContext>,
    /// The name of the route.
    pub route: &'static str,
    /// The method: one of a few.
    pub method: &'static str,
    /// The status code of the answer.
    pub code: u16,
    /// The occurrence that the request has begun, if any.
    pub opened: Option<OccurrenceId>,
    /// When the request came.
    pub started: Timestamp,
    /// When it was answered.
    pub ended: Timestamp,
}

impl RequestSpan {
    /// The id of its trace.
    pub(crate) fn trace(&self) -> [u8; 16] {
        self.parent.map_or(self.request_id, |parent| parent.trace)
    }

    /// Whether the server failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.code >= 500
    }

    /// The span, as it is sent.
    pub(crate) fn into_span(self, is_sampled: bool) -> Span {
        let message = format!("The server answered {}.", self.code);
        Span {
            trace_id: self.trace().to_vec(),
            span_id: self.request_id[8..].to_vec(),
            parent_span_id: self.parent.map(|parent| parent.span.to_vec()).unwrap_or_default(),
            name: format!("{} {}", self.method, self.route),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: nanoseconds(self.started),
            end_time_unix_nano: nanoseconds(self.ended.max(self.started)),
            attributes: vec![
                KeyValue::text("http.request.method", self.method),
                KeyValue::text("http.route", self.route),
                KeyValue::whole("http.response.status_code", self.code),
            ],
            links: self.opened.map(Link::to_occurrence).into_iter().collect(),
            status: self.has_failed().then_some(Status { message, code: ERROR }),
            flags: is_sampled.into(),
        }
    }
}
