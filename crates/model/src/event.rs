//! Events: what clients that watch the server are told.

use std::sync::Arc;

use crate::failure::Failure;
use crate::history::{NotRun, Record, Status};
use crate::occurrence::{OccurrenceId, Phase};
use crate::time::Timestamp;

/// Something that happened. An event holds nothing that was sent to a target, and of what a target answered the status only.
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
        /// Why it failed, if it did.
        failure: Option<Failure>,
    },
    /// Nominal times were not run.
    Skipped(NotRun),
    /// The job or the collection was created, changed, turned on or off, or deleted; or the server was paused or resumed.
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

/// What was done to a job, to a collection, to an alert, which alone is muted, or to the server, which alone is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Edit {
    Created,
    Changed,
    Enabled,
    Disabled,
    Deleted,
    Paused,
    Resumed,
    Muted,
    Unmuted,
}

impl Edit {
    /// What an edit did to something that was there: turned it on, turned it off, or changed something else.
    pub const fn of_state(was_enabled: bool, is_enabled: bool) -> Self {
        match (was_enabled, is_enabled) {
            (false, true) => Self::Enabled,
            (true, false) => Self::Disabled,
            _ => Self::Changed,
        }
    }

    /// The word for what was done.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Deleted => "deleted",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Muted => "muted",
            Self::Unmuted => "unmuted",
        }
    }
}

impl EventKind {
    /// Every value of [`Self::name`].
    pub const NAMES: [&'static str; 8] =
        ["started", "succeeded", "failed", "retrying", "skipped", "edited", "clockJump", "historyDropped"];

    /// The event for a record.
    pub fn of_record(record: &Record) -> Self {
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
        Self::Ended { attempt, has_succeeded, retry_at: record.retry_at, failure: record.failure.clone() }
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
