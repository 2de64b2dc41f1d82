//! Traces, metrics and logs as OpenTelemetry has them.
//!
//! ```text
//!   engine ──┐
//!   api ─────┼──▶ Telemetry: bounded queues ──▶ Export: bytes of OTLP, and where to send them
//!   log ─────┘
//! ```
//!
//! Nothing here waits and nothing here connects: whoever records something finds room or drops it, and the binary sends the
//! exports through its own client.

mod attempt_span;
mod export;
mod ids;
mod log_line;
mod metric_points;
pub mod otlp;
mod queue;
mod request_span;
mod settings;
mod telemetry;
mod trace_context;

pub use attempt_span::{AttemptSpan, ConnectSpan};
pub use export::{Export, Signal};
pub use log_line::{LogLine, Severity};
pub use request_span::RequestSpan;
pub use settings::Settings;
pub use telemetry::Telemetry;
pub use trace_context::TraceContext;
