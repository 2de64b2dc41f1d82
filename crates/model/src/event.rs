//! Events: what clients that watch the server are told.

use std::sync::Arc;

use crate::history::{NotRun, Record, Status};
use crate::occurrence::{OccurrenceId, Phase};
use crate::time::Timestamp;

/// Something that happened. An event holds nothing that was sent to a target or that a target answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it happened.
    pub at: Timestamp,
    /// The job, by its path: `{subscription}/{group}/{collection}/{job}`; the collection, by its path without the job;
    /// none where all jobs are meant.
    pub path: Option<Arc<str>>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An attempt was started.
    Started(AttemptEvent),
    /// An attempt ended, and its outcome is on disk.
    Ended {
        /// Which attempt.
        attempt: AttemptEvent,
        /// Whether it succeeded.
        has_succeeded: bool,
        /// When the next attempt is due, if there is one.
        retry_at: Option<Timestamp>,
    },
    /// Nominal times were not run.
    Skipped(NotRun),
    /// A user created, changed or deleted the job or the collection, or turned the collection on or off.
    Edited(Edit),
    /// The clock of the server was set.
    ClockJumped {
        /// By how much, backwards if negative.
        ticks: i64,
    },
    /// Old history was dropped.
    HistoryDropped {
        /// The name of the file that was dropped.
        name: String,
        /// The size of that file.
        bytes: u64,
    },
}

/// What an event says about an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptEvent {
    /// The occurrence.
    pub occurrence: OccurrenceId,
    /// Which of the two actions.
    pub phase: Phase,
    /// The number of the retry; 0 for the first attempt.
    pub retry: u32,
    /// The nominal time of the occurrence.
    pub nominal: Timestamp,
    /// When the attempt started.
    pub started: Timestamp,
    /// Whether the same attempt may have been sent before: by a process that died, or because this is a rerun.
    pub is_resent: bool,
}

/// What a user did to a job or a collection. A job that is turned on or off counts as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Edit {
    Created,
    Changed,
    Enabled,
    Disabled,
    Deleted,
}

impl Edit {
    /// The word for what was done.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Deleted => "deleted",
        }
    }
}

impl EventKind {
    /// Every value of [`Self::name`].
    pub const NAMES: [&'static str; 8] =
        ["started", "succeeded", "failed", "retrying", "skipped", "edited", "clockJump", "historyDropped"];

    /// The event for a record; `retry_at` is when the next attempt is due, if there is one.
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

    /// The word for the kind of event.
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
