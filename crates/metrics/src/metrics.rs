//! Everything that is counted.

use crate::api_requests::ApiRequests;
use crate::collections::Collections;
use crate::engine::{EngineMetrics, HeartbeatMetrics, TelemetryDropped};
use crate::number::Counter;

/// Everything that is counted, from the start of the process.
#[derive(Debug)]
pub struct Metrics {
    /// What is counted for each collection.
    pub collections: Collections,
    /// What the engine counts beside that.
    pub engine: EngineMetrics,
    /// What clients have asked for.
    pub api: ApiRequests,
    /// Events that a watcher was too slow for.
    pub events_dropped: Counter,
    /// What became of heartbeats.
    pub heartbeats: HeartbeatMetrics,
    /// Telemetry that was not sent.
    pub telemetry_dropped: TelemetryDropped,
}

/// Collections with numbers of their own where nobody has set another limit: a dozen series each.
const COLLECTIONS_MAX: usize = 100;

impl Metrics {
    /// Metrics in which at most so many collections have numbers of their own.
    pub fn new(collections_max: usize) -> Self {
        Self {
            collections: Collections::new(collections_max),
            engine: EngineMetrics::default(),
            api: ApiRequests::default(),
            events_dropped: Counter::default(),
            heartbeats: HeartbeatMetrics::default(),
            telemetry_dropped: TelemetryDropped::default(),
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(COLLECTIONS_MAX)
    }
}
