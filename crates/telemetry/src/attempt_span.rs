//! The spans of an attempt.
//!
//! ```text
//!   occurrence ────────────────────────────────────────────────────────  root; sent when no attempt follows
//!     wait ──                                                            from its time to its start
//!            name ─ connect ── tls ──                                    where a connection was made
//!                                     request ───────────                its id is in the target's traceparent
//!                                                        settle ─        until its outcome is on disk
//! ```

use std::sync::Arc;

use punctual_model::failure::Failure;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

use crate::ids;
use crate::otlp::{AnyValueKind, ERROR, KeyValue, Link, Span, SpanKind, Status};

/// An attempt that is settled.
#[derive(Clone, Debug)]
pub struct AttemptSpan {
    /// The occurrence, whose id is the id of the trace.
    pub occurrence: OccurrenceId,
    /// For an error action, the occurrence of the main action.
    pub main_occurrence: Option<OccurrenceId>,
    /// The attempt itself.
    pub attempt_id: [u8; 16],
    /// The number of the attempt among those of the same action, from 1.
    pub attempt: u32,
    /// Which of the two actions.
    pub phase: Phase,
    /// The job: `{subscription}/{group}/{collection}/{job}`.
    pub job_path: Arc<str>,
    /// The `type` of the action.
    pub kind: &'static str,
    /// What was called: host and port, or account and queue, or namespace and entity.
    pub target: String,
    /// The host and the port of an HTTP action.
    pub server: Option<(String, u16)>,
    /// When the occurrence began.
    pub begins: Timestamp,
    /// When the attempt was due.
    pub due: Timestamp,
    /// When the attempt started.
    pub started: Timestamp,
    /// When the attempt ended.
    pub ended: Timestamp,
    /// When its outcome was on disk.
    pub settled: Timestamp,
    /// How connections were made, if any were.
    pub connecting: Vec<ConnectSpan>,
    /// The status code of the answer, if there was one.
    pub status: Option<u16>,
    /// Why the attempt failed, if it did.
    pub failure: Option<Failure>,
    /// Whether the same attempt may have been sent before.
    pub is_resent: bool,
    /// Whether no other attempt of the occurrence follows.
    pub is_last: bool,
    /// Whether the trace is sampled; what is not sampled is recorded because something failed.
    pub is_sampled: bool,
}

/// A step of making a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectSpan {
    /// `name`, `connect` or `tls`.
    pub name: &'static str,
    /// When it began.
    pub started: Timestamp,
    /// When it was done; none if it was not.
    pub ended: Option<Timestamp>,
}

impl AttemptSpan {
    /// The spans, as they are sent.
    pub(crate) fn into_spans(self) -> Vec<Span> {
        let mut spans = Vec::with_capacity(4 + self.connecting.len());
        let mut number = 0;
        let mut step = |spans: &mut Vec<Span>, name: &str, from: Timestamp, to: Timestamp| {
            number += 1;
            let id = ids::step_of(self.attempt_id, number);
            let attributes = vec![KeyValue::whole("punctual.attempt", self.attempt)];
            spans.push(Span { attributes, ..self.child(id, name, SpanKind::Internal, from, to) });
        };
        step(&mut spans, "wait", self.due, self.started);
        for connecting in &self.connecting {
            step(&mut spans, connecting.name, connecting.started, connecting.ended.unwrap_or(self.ended));
        }
        step(&mut spans, "settle", self.ended, self.settled);
        let is_connected = self.connecting.last().is_none_or(|last| last.ended.is_some());
        if is_connected {
            spans.push(self.request());
        } else if let Some(failed) = spans.iter_mut().rev().nth(1) {
            // The step before `settle` was not done: the attempt failed in it.
            failed.status = self.span_status();
        }
        if self.is_last {
            spans.push(self.root());
        }
        spans
    }

    /// The request, whose id the target was told.
    fn request(&self) -> Span {
        let started = self.connecting.iter().filter_map(|step| step.ended).max().unwrap_or(self.started);
        let mut attributes = vec![
            KeyValue::text("punctual.target", &self.target),
            KeyValue::text("punctual.action.type", self.kind),
            KeyValue::whole("punctual.attempt", self.attempt),
        ];
        attributes.extend(self.server_attributes());
        attributes.extend(self.outcome_attributes());
        if self.is_resent {
            attributes.push(KeyValue::of("punctual.resent", AnyValueKind::Truth(true)));
        }
        let id = ids::request_of(self.attempt_id);
        let child = self.child(id, "request", SpanKind::Client, started, self.ended);
        Span { attributes, status: self.span_status(), ..child }
    }

    fn root(&self) -> Span {
        let mut names = self.job_path.splitn(4, '/');
        let keys = ["punctual.subscription", "punctual.group", "punctual.collection", "punctual.job"];
        let mut attributes: Vec<KeyValue> =
            keys.into_iter().map(|key| KeyValue::text(key, names.next().unwrap_or_default())).collect();
        attributes.push(KeyValue::text("punctual.occurrence", &self.occurrence.to_string()));
        attributes.push(KeyValue::text("punctual.action", self.phase.action_name()));
        attributes.push(KeyValue::whole("punctual.attempts", self.attempt));
        attributes.push(KeyValue::text("punctual.target", &self.target));
        attributes.extend(self.outcome_attributes());
        let id = ids::root_of(self.occurrence.bytes());
        let span = self.child(id, "occurrence", SpanKind::Internal, self.begins, self.settled);
        let links = self.main_occurrence.map(Link::to_occurrence).into_iter().collect();
        Span { parent_span_id: Vec::new(), attributes, links, status: self.span_status(), ..span }
    }

    fn child(&self, id: ids::SpanId, name: &str, kind: SpanKind, from: Timestamp, to: Timestamp) -> Span {
        let trace = self.occurrence.bytes();
        Span {
            trace_id: trace.to_vec(),
            span_id: id.to_vec(),
            parent_span_id: ids::root_of(trace).to_vec(),
            name: name.to_owned(),
            kind: kind.into(),
            start_time_unix_nano: nanoseconds(from),
            // The clock may have gone back.
            end_time_unix_nano: nanoseconds(to.max(from)),
            flags: self.is_sampled.into(),
            ..Span::default()
        }
    }

    /// Host and port, by which maps of services are drawn. A queue is known to its service by other names.
    fn server_attributes(&self) -> impl Iterator<Item = KeyValue> {
        let pair = |(host, port): &(String, u16)| {
            [KeyValue::text("server.address", host), KeyValue::whole("server.port", *port)]
        };
        self.server.as_ref().map(pair).into_iter().flatten()
    }

    fn outcome_attributes(&self) -> impl Iterator<Item = KeyValue> {
        let code = self.status.or(self.failure.as_ref().and_then(|failure| failure.code));
        let code = code.map(|code| KeyValue::whole("http.response.status_code", code));
        let class = self.failure.as_ref().map(|failure| KeyValue::text("error.type", failure.class.name()));
        code.into_iter().chain(class)
    }

    fn span_status(&self) -> Option<Status> {
        self.failure.as_ref().map(|failure| Status { message: failure.sentence(), code: ERROR })
    }
}

/// Nanoseconds since 1970; none before.
pub(crate) fn nanoseconds(at: Timestamp) -> u64 {
    const NANOSECONDS_PER_TICK: u64 = 100;
    u64::try_from(at.ticks()).unwrap_or(0).saturating_mul(NANOSECONDS_PER_TICK)
}

#[cfg(test)]
mod tests {
    use punctual_model::failure::FailureClass;
    use punctual_model::time::TICKS_PER_SECOND;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::EPOCH.saturating_add(seconds * TICKS_PER_SECOND)
    }

    fn attempt() -> AttemptSpan {
        AttemptSpan {
            occurrence: OccurrenceId::from_bytes([0xab; 16]),
            main_occurrence: None,
            attempt_id: *b"0123456789abcdef",
            attempt: 1,
            phase: Phase::Main,
            job_path: "s/g/c/j".into(),
            kind: "Http",
            target: "example.com".to_owned(),
            server: Some(("example.com".to_owned(), 443)),
            begins: at(1),
            due: at(1),
            started: at(2),
            ended: at(6),
            settled: at(7),
            connecting: Vec::new(),
            status: Some(200),
            failure: None,
            is_resent: false,
            is_last: true,
            is_sampled: true,
        }
    }

    /// Names with beginning and end in seconds, `!` where something failed.
    fn tell(attempt: AttemptSpan) -> Vec<String> {
        let seconds = |nanoseconds: u64| nanoseconds / 1_000_000_000;
        let told = |span: &Span| {
            let (from, to) = (seconds(span.start_time_unix_nano), seconds(span.end_time_unix_nano));
            format!("{} {from}-{to}{}", span.name, if span.status.is_some() { "!" } else { "" })
        };
        attempt.into_spans().iter().map(told).collect()
    }

    #[test]
    fn a_call_on_a_connection_that_was_there() {
        assert_eq!(tell(attempt()), ["wait 1-2", "settle 6-7", "request 2-6", "occurrence 1-7"]);
    }

    #[test]
    fn every_span_is_a_child_of_the_root_and_has_its_own_id() {
        let spans = attempt().into_spans();
        let root = spans.last().unwrap();
        assert_eq!(root.parent_span_id, Vec::<u8>::new());
        for span in &spans[..spans.len() - 1] {
            assert_eq!((&span.parent_span_id, &span.trace_id), (&root.span_id, &root.trace_id), "{}", span.name);
        }
        let ids: std::collections::BTreeSet<&Vec<u8>> = spans.iter().map(|span| &span.span_id).collect();
        assert_eq!(ids.len(), spans.len());
        assert_eq!(spans[2].span_id, b"01234567", "the request's id is the one in traceparent");
    }

    #[test]
    fn a_call_that_could_not_agree_on_tls_has_no_request() {
        let step = |name, started, ended: Option<i64>| ConnectSpan { name, started: at(started), ended: ended.map(at) };
        let connecting = vec![step("name", 2, Some(3)), step("connect", 3, Some(4)), step("tls", 4, None)];
        let done = connecting[..2].to_vec();
        let failure = Some(Failure::new(FailureClass::Trust, "example.com", "The certificate has expired."));
        let failed = AttemptSpan { connecting, failure, status: None, is_last: false, ..attempt() };
        assert_eq!(tell(failed), ["wait 1-2", "name 2-3", "connect 3-4", "tls 4-6!", "settle 6-7"]);
        let made = AttemptSpan { connecting: done, ..attempt() };
        assert_eq!(tell(made)[4], "request 4-6");
    }

    #[test]
    fn an_error_action_is_linked_to_what_failed() {
        let main = OccurrenceId::from_bytes([1; 16]);
        let spans = AttemptSpan { main_occurrence: Some(main), phase: Phase::Error, ..attempt() }.into_spans();
        assert_eq!(spans.last().unwrap().links[0].trace_id, [1; 16]);
    }
}
