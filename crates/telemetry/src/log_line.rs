//! A line of the log.

use punctual_model::time::Timestamp;

use crate::attempt_span::nanoseconds;
use crate::otlp::{AnyValueKind, KeyValue, LogRecord};

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When it was written.
    pub at: Timestamp,
    /// How severe it is.
    pub severity: Severity,
    /// The part of the server that wrote it.
    pub target: String,
    /// The line itself.
    pub message: String,
    /// What it says for programs.
    pub fields: Vec<(String, String)>,
}

/// How severe a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// All is well.
    Info,
    /// Somebody should look.
    Warn,
    /// Something does not work.
    Error,
}

impl LogLine {
    /// The line, as it is sent.
    pub(crate) fn into_record(self) -> LogRecord {
        let (severity_number, severity_text) = match self.severity {
            Severity::Info => (9, "INFO"),
            Severity::Warn => (13, "WARN"),
            Severity::Error => (17, "ERROR"),
        };
        let fields = self.fields.iter().map(|(name, text)| KeyValue::text(name, text));
        LogRecord {
            time_unix_nano: nanoseconds(self.at),
            observed_time_unix_nano: nanoseconds(self.at),
            severity_number,
            severity_text: severity_text.to_owned(),
            body: Some(AnyValueKind::Text(self.message).into()),
            attributes: [KeyValue::text("code.namespace", &self.target)].into_iter().chain(fields).collect(),
        }
    }
}
