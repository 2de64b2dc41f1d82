//! What is told to whoever watches.

use std::sync::Arc;

use punctual_model::history::{NotRun, Record};
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// The job, by its path: `{subscription}/{group}/{collection}/{job}`; none where all are meant.
    pub path: Option<Arc<str>>,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// An attempt was started.
    Started {
        /// Of this occurrence.
        occurrence: OccurrenceId,
        /// Of this action.
        phase: Phase,
        /// The number of the retry; 0 for the first attempt.
        retry: u32,
        /// For this nominal time.
        nominal: Timestamp,
        /// It may have been sent before.
        is_resent: bool,
    },
    /// An attempt came to its end.
    Ended {
        /// What is kept of it.
        record: Arc<Record>,
        /// When it is tried again, if it is.
        retry_at: Option<Timestamp>,
    },
    /// Nominal times were not run.
    Skipped(NotRun),
    /// The clock of the server was set.
    ClockJumped {
        /// By so much, backwards if negative.
        ticks: i64,
    },
    /// Old history was dropped.
    HistoryDropped {
        /// What it was called.
        name: String,
        /// How much it was.
        bytes: u64,
    },
}
