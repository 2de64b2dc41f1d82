//! What is recorded until it is sent.

use std::sync::Arc;

use prost::Message;
use punctual_metrics::{Counter, Metrics};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use tokio::sync::Notify;

use crate::attempt_span::AttemptSpan;
use crate::export::{Export, Signal};
use crate::ids::Sampler;
use crate::log_line::LogLine;
use crate::metric_points::{Period, metric};
use crate::otlp::{
    ExportLogs, ExportMetrics, ExportTraces, InstrumentationScope, LogRecord, Resource, ResourceLogs, ResourceMetrics,
    ResourceSpans, ScopeLogs, ScopeMetrics, ScopeSpans, Span,
};
use crate::queue::{Queue, Queued};
use crate::request_span::RequestSpan;
use crate::settings::Settings;

/// Attempts and requests that wait to be sent: a few megabytes.
const SPANS_MAX: usize = 8192;

/// Lines of the log that wait to be sent.
const LINES_MAX: usize = 4096;

/// Attempts, requests or lines in one request: less than the megabyte or more that every collector takes.
const EXPORT_MAX: usize = 1024;

/// What is recorded until it is sent. Recording never waits: what finds no room is dropped and counted.
#[derive(Debug)]
pub struct Telemetry {
    settings: Settings,
    sampler: Sampler,
    metrics: Arc<Metrics>,
    /// Since when metrics are counted.
    started: Timestamp,
    spans: Queue<Recorded>,
    lines: Queue<LogLine>,
    fills: Notify,
}

/// What becomes spans when it is sent, and not where it is recorded.
#[derive(Debug)]
enum Recorded {
    Attempt(Box<AttemptSpan>),
    Request { request: Box<RequestSpan>, is_sampled: bool },
}

impl Telemetry {
    /// Records what the settings say. `metrics` are sent, and count what is dropped.
    pub fn new(settings: Settings, metrics: Arc<Metrics>, started: Timestamp) -> Self {
        let sampler = Sampler::new(settings.sample);
        let (spans, lines) = (Queue::new(SPANS_MAX), Queue::new(LINES_MAX));
        Self { settings, sampler, metrics, started, spans, lines, fills: Notify::new() }
    }

    /// Whether occurrences and requests are traced.
    pub fn has_traces(&self) -> bool {
        self.settings.has_traces
    }

    /// Whether lines of the log are sent.
    pub fn has_logs(&self) -> bool {
        self.settings.has_logs
    }

    /// Whether the trace of an occurrence is sampled: the same answer for all its attempts, after a restart, too.
    pub fn is_sampled(&self, occurrence: OccurrenceId) -> bool {
        self.sampler.is_sampled(occurrence.bytes())
    }

    /// Records an attempt.
    pub fn record_attempt(&self, attempt: AttemptSpan) {
        self.record(Recorded::Attempt(Box::new(attempt)));
    }

    /// Records a request to the API, if its trace is sampled or the server failed. A client that says whether it records
    /// the trace has decided about it.
    pub fn record_request(&self, request: RequestSpan) {
        let by_id = || self.sampler.is_sampled(request.trace());
        let is_sampled = request.parent.map_or_else(by_id, |parent| parent.is_sampled);
        if self.settings.has_traces && (is_sampled || request.has_failed()) {
            self.record(Recorded::Request { request: Box::new(request), is_sampled });
        }
    }

    /// Records a line of the log.
    pub fn record_line(&self, line: LogLine) {
        let queued = self.lines.push(line);
        self.note(queued, Signal::Logs);
    }

    /// Waits until a queue becomes half full.
    pub async fn wait_until_half_full(&self) {
        self.fills.notified().await;
    }

    /// The next spans to send; none if nothing waits.
    pub fn next_traces(&self) -> Option<Export> {
        let recorded = self.spans.take(EXPORT_MAX);
        let number = recorded.len() as u64;
        let spans: Vec<Span> = recorded.into_iter().flat_map(Recorded::into_spans).collect();
        (number > 0).then(|| self.traces(spans, number))
    }

    /// The next lines to send; none if nothing waits.
    pub fn next_logs(&self) -> Option<Export> {
        let log_records: Vec<LogRecord> = self.lines.take(EXPORT_MAX).into_iter().map(LogLine::into_record).collect();
        let number = log_records.len() as u64;
        let scope_logs = vec![ScopeLogs { scope: Some(InstrumentationScope::own()), log_records }];
        let resource_logs = vec![ResourceLogs { resource: Some(self.resource()), scope_logs }];
        let body = ExportLogs { resource_logs }.encode_to_vec();
        (number > 0).then_some(Export { signal: Signal::Logs, body, number })
    }

    /// All metrics as they are now; none if they are not sent.
    pub fn metrics(&self, now: Timestamp) -> Option<Export> {
        if !self.settings.has_metrics {
            return None;
        }
        let period = Period { from: self.started, to: now };
        let metrics: Vec<_> = self.metrics.families(now).iter().map(|family| metric(family, period)).collect();
        let number = metrics.len() as u64;
        let scope_metrics = vec![ScopeMetrics { scope: Some(InstrumentationScope::own()), metrics }];
        let resource_metrics = vec![ResourceMetrics { resource: Some(self.resource()), scope_metrics }];
        let body = ExportMetrics { resource_metrics }.encode_to_vec();
        Some(Export { signal: Signal::Metrics, body, number })
    }

    /// Counts what could not be sent.
    pub fn count_dropped(&self, export: &Export) {
        self.dropped(export.signal).add(export.number);
    }

    fn record(&self, recorded: Recorded) {
        let queued = self.spans.push(recorded);
        self.note(queued, Signal::Traces);
    }

    fn note(&self, queued: Queued, signal: Signal) {
        match queued {
            Queued::Taken => {}
            Queued::HalfFull => self.fills.notify_one(),
            Queued::Dropped => self.dropped(signal).increment(),
        }
    }

    fn dropped(&self, signal: Signal) -> &Counter {
        let dropped = &self.metrics.telemetry_dropped;
        match signal {
            Signal::Traces => &dropped.traces,
            Signal::Metrics => &dropped.metrics,
            Signal::Logs => &dropped.logs,
        }
    }

    fn traces(&self, spans: Vec<Span>, number: u64) -> Export {
        let scope_spans = vec![ScopeSpans { scope: Some(InstrumentationScope::own()), spans }];
        let resource_spans = vec![ResourceSpans { resource: Some(self.resource()), scope_spans }];
        let body = ExportTraces { resource_spans }.encode_to_vec();
        Export { signal: Signal::Traces, body, number }
    }

    fn resource(&self) -> Resource {
        Resource::new(&self.settings.resource)
    }
}

impl Recorded {
    fn into_spans(self) -> Vec<Span> {
        match self {
            Self::Attempt(attempt) => attempt.into_spans(),
            Self::Request { request, is_sampled } => vec![request.into_span(is_sampled)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_line::Severity;
    use crate::trace_context::TraceContext;

    fn telemetry(sample: f64) -> Telemetry {
        let resource = vec![("service.name".to_owned(), "punctual".to_owned())];
        let settings = Settings { has_traces: true, has_metrics: true, has_logs: true, sample, resource };
        Telemetry::new(settings, Arc::default(), Timestamp::EPOCH)
    }

    fn request(code: u16, parent: Option<TraceContext>) -> RequestSpan {
        let (opened, at) = (Some(OccurrenceId::from_bytes([7; 16])), Timestamp::EPOCH);
        let (route, method, request_id) = ("run", "POST", [0xee; 16]);
        RequestSpan { request_id, parent, route, method, code, opened, started: at, ended: at }
    }

    fn spans(telemetry: &Telemetry) -> Vec<Span> {
        let export = telemetry.next_traces();
        let bodies = export.iter().map(|export| ExportTraces::decode(&*export.body).unwrap());
        bodies.flat_map(|mut body| body.resource_spans.remove(0).scope_spans.remove(0).spans).collect()
    }

    #[test]
    fn a_request_is_sampled_by_its_client_by_chance_or_because_it_failed() {
        let telemetry = telemetry(0.0);
        let parent = |is_sampled| Some(TraceContext { trace: [1; 16], span: [2; 8], is_sampled });
        telemetry.record_request(request(200, None));
        telemetry.record_request(request(200, parent(false)));
        assert_eq!(spans(&telemetry), []);
        telemetry.record_request(request(200, parent(true)));
        telemetry.record_request(request(500, None));
        let spans = spans(&telemetry);
        assert_eq!((&*spans[0].trace_id, &*spans[0].parent_span_id), (&[1; 16][..], &[2; 8][..]));
        assert_eq!((&*spans[1].trace_id, &*spans[1].parent_span_id), (&[0xee; 16][..], &[][..]));
        assert_eq!(spans[1].status.as_ref().unwrap().code, 2);
        assert_eq!(spans[0].links[0].trace_id, [7; 16], "the run that was asked for");
    }

    #[test]
    fn what_finds_no_room_is_dropped_and_counted() {
        let telemetry = telemetry(1.0);
        for _ in 0..LINES_MAX + 3 {
            let (target, message) = ("punctual".to_owned(), "a line".to_owned());
            let at = Timestamp::EPOCH;
            telemetry.record_line(LogLine { at, severity: Severity::Warn, target, message, fields: Vec::new() });
        }
        assert_eq!(telemetry.metrics.telemetry_dropped.logs.value(), 3);
        let mut sent = 0;
        while let Some(export) = telemetry.next_logs() {
            sent += export.number;
        }
        assert_eq!(sent, LINES_MAX as u64);
    }
}
