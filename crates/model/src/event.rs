//! What is told to whoever watches.

use std::sync::Arc;

use crate::history::{NotRun, Record, Status};
use crate::occurrence::{OccurrenceId, Phase};
use crate::time::Timestamp;

/// Something that happened. It holds nothing that a target was sent or has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// The job, by its path: `{subscription}/{group}/{collection}/{job}`; none where all are meant.
    pub path: Option<Arc<str>>,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An attempt was started.
    Started(AttemptEvent),
    /// An attempt came to its end, and that is written down.
    Ended {
        /// Which attempt.
        attempt: AttemptEvent,
        /// Whether it succeeded.
        has_succeeded: bool,
        /// When it is tried again, if it is.
        retry_at: Option<Timestamp>,
    },
    /// Nominal times were not run.
    Skipped(NotRun),
    /// Someone wrote the job.
    Edited(Edit),
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

/// An attempt, as far as whoever watches is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptEvent {
    /// The occurrence.
    pub occurrence: OccurrenceId,
    /// Which of the two actions.
    pub phase: Phase,
    /// The number of the retry; 0 for the first attempt.
    pub retry: u32,
    /// The time it stands for.
    pub nominal: Timestamp,
    /// When it started.
    pub started: Timestamp,
    /// It may have been sent before: by a process that died, or because it is run once more.
    pub is_resent: bool,
}

/// What someone did to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Edit {
    Created,
    Changed,
    Deleted,
}

impl EventKind {
    /// Every word that [`Self::name`] has.
    pub const NAMES: [&'static str; 8] =
        ["started", "succeeded", "failed", "retrying", "skipped", "edited", "clockJump", "historyDropped"];

    /// The event of what was written down; `retry_at` says when an attempt is made again, if it is.
    pub fn of_record(record: &Record, retry_at: Option<Timestamp>) -> Self {
        let (nominal, has_succeeded) = match record.status {
            Status::Completed(nominal) => (nominal, true),
            Status::Failed(nominal) => (nominal, false),
            Status::Postponed(range) => return Self::Skipped(range),
        };
        let attempt = AttemptEvent {
            occurrence: record.occurrence,
            phase: record.phase,
            retry: record.retry,
            nominal,
            started: record.started,
            is_resent: record.is_resent,
        };
        Self::Ended { attempt, has_succeeded, retry_at }
    }

    /// The word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Ended { has_succeeded: true, .. } => "succeeded",
            Self::Ended { retry_at: Some(_), .. } => "retrying",
            Self::Ended { .. } => "failed",
            Self::Skipped(_) => "skipped",
            Self::Edited(_) => "edited",
            Self::ClockJumped { .. } => "clockJump",
            Self::HistoryDropped { .. } => "historyDropped",
        }
    }
}
