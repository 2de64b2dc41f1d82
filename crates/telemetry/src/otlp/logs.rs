//! Logs.

use prost::Message;

use super::common::{AnyValue, InstrumentationScope, KeyValue, Resource};

/// The body of a request to `/v1/logs`.
#[derive(Clone, PartialEq, Message)]
pub struct ExportLogs {
    /// Lines by sender.
    #[prost(message, repeated, tag = "1")]
    pub resource_logs: Vec<ResourceLogs>,
}

/// Lines of one sender.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceLogs {
    /// The sender.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Lines by part of the sender.
    #[prost(message, repeated, tag = "2")]
    pub scope_logs: Vec<ScopeLogs>,
}

/// Lines of one part of a sender.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeLogs {
    /// The part.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The lines.
    #[prost(message, repeated, tag = "2")]
    pub log_records: Vec<LogRecord>,
}

/// A line of a log.
#[derive(Clone, PartialEq, Message)]
pub struct LogRecord {
    /// When it was written, in nanoseconds since 1970.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// How severe it is: 9 for information, 13 for a warning, 17 for an error.
    #[prost(int32, tag = "2")]
    pub severity_number: i32,
    /// The same in a word.
    #[prost(string, tag = "3")]
    pub severity_text: String,
    /// The line.
    #[prost(message, optional, tag = "5")]
    pub body: Option<AnyValue>,
    /// What else is known.
    #[prost(message, repeated, tag = "6")]
    pub attributes: Vec<KeyValue>,
    /// When it was recorded.
    #[prost(fixed64, tag = "11")]
    pub observed_time_unix_nano: u64,
}
