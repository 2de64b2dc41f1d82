//! What is sent in one request.

/// A kind of telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Metrics.
    Metrics,
    /// Lines of the log.
    Logs,
}

/// The body of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What it holds.
    pub signal: Signal,
    /// The message in protobuf.
    pub body: Vec<u8>,
    /// How many occurrences, requests, lines or metrics it holds.
    pub number: u64,
}

impl Signal {
    /// The path below the endpoint of a collector.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Traces => "/v1/traces",
            Self::Metrics => "/v1/metrics",
            Self::Logs => "/v1/logs",
        }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }
}
