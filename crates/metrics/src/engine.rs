//! What the engine counts and shows, beside what it counts for each collection.

use punctual_model::failure::FailureClass;

use crate::histogram::Histogram;
use crate::number::{Counter, Gauge};

/// What the store is asked to do, in the order of [`EngineMetrics::store_errors`].
pub const STORE_TASKS: [&str; 8] =
    ["read_due", "read_work", "read_definitions", "set_watermark", "write", "maintenance", "alerts", "keep_lease"];

/// What the engine counts and shows.
#[derive(Debug)]
pub struct EngineMetrics {
    /// How long after its wake time an attempt was started.
    pub lateness: Histogram,
    /// How long attempts took.
    pub attempt_duration: Histogram,
    /// Attempts of error actions that succeeded.
    pub error_actions_succeeded: Counter,
    /// Attempts of error actions that failed.
    pub error_actions_failed: Counter,
    /// Failed attempts of any action, in the order of [`FailureClass::ALL`].
    pub failures: [Counter; FailureClass::ALL.len()],
    /// Attempts that were sent again after a crash.
    pub resends: Counter,
    /// How long it took until a batch was on disk.
    pub batch_duration: Histogram,
    /// Changes of rows that were written in batches.
    pub settlements: Counter,
    /// Calls of the store that failed, in the order of [`STORE_TASKS`].
    pub store_errors: [Counter; STORE_TASKS.len()],
    /// Steps of a row that nobody thought of.
    pub impossible_steps: Counter,
    /// Attempts in flight.
    pub in_flight: Gauge,
    /// Attempts that may be in flight at once.
    pub in_flight_max: Gauge,
    /// Attempts that have ended and are not on disk yet, and other writes that are under way.
    pub settling: Gauge,
    /// Rows whose keys are known because they wake soon or are being worked on.
    pub window_rows: Gauge,
    /// Lanes in which these rows stand.
    pub window_lanes: Gauge,
    /// Rows that are being read.
    pub reading: Gauge,
    /// Rows that are to be read before others.
    pub queued: Gauge,
    /// Rows that wait for other attempts of their job.
    pub held_back: Gauge,
    /// Rows that cannot be read or written, and are left alone.
    pub set_aside: Gauge,
    /// Rows whose wake time has come and that were not started.
    pub due: Gauge,
    /// The part of [`Self::due`] that is late by more than a second.
    pub overdue: Gauge,
    /// The wake time of the row that is late the longest, in ticks; [`Self::NOTHING_DUE`] if nothing is due.
    pub due_since_ticks: Gauge,
    /// When the engine had its last turn, in ticks; 0 before the first.
    pub turn_ticks: Gauge,
    /// 1 while the server is paused.
    pub paused: Gauge,
    /// Shards that this node owned at its last heartbeat.
    pub cluster_shards: Gauge,
    /// Nodes that were alive then.
    pub cluster_nodes: Gauge,
    /// 1 while the clock is believed, 0 in the moments after it leapt forward.
    pub clock_trusted: Gauge,
    /// How often the clock was set by more than a second.
    pub clock_jumps: Counter,
    /// Bytes of history on disk.
    pub history_bytes: Gauge,
    /// When the oldest history begins, in ticks; 0 if there is none.
    pub history_from_ticks: Gauge,
    /// Bytes of history that were dropped.
    pub history_dropped_bytes: Counter,
    /// The part of them that was dropped before its time, because history took too much of the disk. Alerts read it.
    pub history_dropped_early_bytes: Counter,
    /// Messages of alerts that were written.
    pub alert_messages: Counter,
    /// Messages of alerts that did not arrive, and were given up.
    pub alert_messages_failed: Counter,
    /// Attempts to deliver a message that failed and are made again.
    pub alert_attempts_failed: Counter,
}

impl EngineMetrics {
    /// In the place of a wake time.
    pub const NOTHING_DUE: i64 = i64::MAX;
}

impl Default for EngineMetrics {
    fn default() -> Self {
        Self {
            lateness: Histogram::default(),
            attempt_duration: Histogram::default(),
            error_actions_succeeded: Counter::default(),
            error_actions_failed: Counter::default(),
            failures: Default::default(),
            resends: Counter::default(),
            batch_duration: Histogram::default(),
            settlements: Counter::default(),
            store_errors: Default::default(),
            impossible_steps: Counter::default(),
            in_flight: Gauge::default(),
            in_flight_max: Gauge::default(),
            settling: Gauge::default(),
            window_rows: Gauge::default(),
            window_lanes: Gauge::default(),
            reading: Gauge::default(),
            queued: Gauge::default(),
            held_back: Gauge::default(),
            set_aside: Gauge::default(),
            due: Gauge::default(),
            overdue: Gauge::default(),
            due_since_ticks: Gauge::new(Self::NOTHING_DUE),
            turn_ticks: Gauge::default(),
            paused: Gauge::default(),
            cluster_shards: Gauge::default(),
            cluster_nodes: Gauge::default(),
            clock_trusted: Gauge::new(1),
            clock_jumps: Counter::default(),
            history_bytes: Gauge::default(),
            history_from_ticks: Gauge::default(),
            history_dropped_bytes: Counter::default(),
            history_dropped_early_bytes: Counter::default(),
            alert_messages: Counter::default(),
            alert_messages_failed: Counter::default(),
            alert_attempts_failed: Counter::default(),
        }
    }
}

/// What became of heartbeats.
#[derive(Debug, Default)]
pub struct HeartbeatMetrics {
    /// Heartbeats that were answered with success.
    pub sent: Counter,
    /// Heartbeats that could not be sent, or were answered otherwise.
    pub failed: Counter,
    /// Heartbeats that were left out because the scheduler was not well.
    pub withheld: Counter,
}

/// Telemetry that found no room in its queue, or that no collector took.
#[derive(Debug, Default)]
pub struct TelemetryDropped {
    /// Occurrences and requests.
    pub traces: Counter,
    /// Metrics, of which the next ones say the same and more.
    pub metrics: Counter,
    /// Lines of the log.
    pub logs: Counter,
}
