//! Attempts of one occurrence are spans of one trace, whatever process has made them.

use std::sync::Arc;

use prost::Message;
use punctual_model::options::Overlap;
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::time::{Clock, Span as Length, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use punctual_telemetry::otlp::{AnyValueKind, ExportTraces, Span};
use punctual_telemetry::{Settings, Telemetry};

use super::restarts::Server;
use crate::plain::job;

fn server(sample: f64, failing: u32) -> Server {
    let mut server = Server::new();
    let settings = Settings { has_traces: true, has_metrics: false, has_logs: false, sample, resource: Vec::new() };
    let telemetry = Telemetry::new(settings, Arc::clone(&server.metrics), server.clock.now());
    server.telemetry = Some(Arc::new(telemetry));
    server.failing = failing;
    server
}

/// The spans that were recorded since they were last taken.
fn spans(server: &Server) -> Vec<Span> {
    let export = server.telemetry.as_ref().and_then(|telemetry| telemetry.next_traces());
    let exports = export.iter().map(|export| ExportTraces::decode(&*export.body).expect("spans"));
    let resources = exports.flat_map(|export| export.resource_spans);
    resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
}

/// The spans of a name with the number of their attempt, and whether they failed.
fn told(spans: &[Span], name: &str) -> Vec<(i64, bool)> {
    let attempt = |span: &Span| {
        let is_number = |key: &str| matches!(key, "punctual.attempt" | "punctual.attempts");
        let found = span.attributes.iter().find(|attribute| is_number(&attribute.key));
        match found.and_then(|attribute| attribute.value.clone()?.value) {
            Some(AnyValueKind::Whole(number)) => number,
            _ => 0,
        }
    };
    spans.iter().filter(|span| span.name == name).map(|span| (attempt(span), span.status.is_some())).collect()
}

#[test]
fn retries_continue_the_trace_after_a_restart_and_its_root_comes_last() {
    let server = server(0.0, 2);
    let retry = RetryPolicy::new(Some(RetryKind::Fixed), Some(Length::from_seconds(60)), None, Some(4));
    let mut wanted = job(1, None, Overlap::Skip);
    wanted.action.retry = Some(retry.expect("a policy"));
    server.create_as(1, wanted);
    server.serve(30 * TICKS_PER_SECOND, |_| ());
    let mut all = spans(&server);
    assert_eq!((told(&all, "request"), told(&all, "occurrence")), (vec![(1, true)], vec![]));
    server.serve(5 * TICKS_PER_MINUTE, |_| ());
    all.extend(spans(&server));
    assert_eq!(told(&all, "request"), [(1, true), (2, true), (3, false)]);
    assert_eq!(told(&all, "occurrence"), [(3, false)]);
    let root = all.iter().find(|span| span.name == "occurrence").expect("a root");
    for span in all.iter().filter(|span| span.name != "occurrence") {
        assert_eq!((&span.trace_id, &span.parent_span_id), (&root.trace_id, &root.span_id), "{}", span.name);
        assert!(span.start_time_unix_nano >= root.start_time_unix_nano, "{}", span.name);
        assert!(span.end_time_unix_nano <= root.end_time_unix_nano, "{}", span.name);
    }
    assert!(all.iter().all(|span| span.flags == 0), "none of this was sampled");
}

#[test]
fn a_success_is_recorded_if_it_is_sampled() {
    for (sample, expected) in [(0.0, vec![]), (1.0, vec![(1, false)])] {
        let server = server(sample, 0);
        server.create(1);
        server.serve(TICKS_PER_MINUTE, |_| ());
        assert_eq!(server.calls(), 1);
        assert_eq!(told(&spans(&server), "occurrence"), expected, "{sample}");
    }
}
