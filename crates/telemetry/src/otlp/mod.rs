//! The messages of OTLP 1, as far as they are sent. The numbers are those of the published `.proto` files.

mod common;
mod logs;
mod metrics;
mod trace;

pub use common::{AnyValue, AnyValueKind, InstrumentationScope, KeyValue, Resource};
pub use logs::{ExportLogs, LogRecord, ResourceLogs, ScopeLogs};
pub use metrics::{
    CUMULATIVE, ExportMetrics, Gauge, Histogram, HistogramPoint, Metric, MetricData, NumberPoint, NumberValue,
    ResourceMetrics, ScopeMetrics, Sum,
};
pub use trace::{ERROR, ExportTraces, Link, ResourceSpans, ScopeSpans, Span, SpanKind, Status};
