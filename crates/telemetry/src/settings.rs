//! What is recorded, and who we are.

/// What is recorded, and who we are.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether occurrences and requests are traced.
    pub has_traces: bool,
    /// Whether metrics are sent.
    pub has_metrics: bool,
    /// Whether lines of the log are sent.
    pub has_logs: bool,
    /// The part of traces that is sent whatever comes of them: from 0 to 1.
    pub sample: f64,
    /// Attributes of this server, `service.name` among them.
    pub resource: Vec<(String, String)>,
}
