//! What is kept of every attempt, and of every time that was not run.

use crate::failure::Failure;
use crate::job::Uid;
use crate::occurrence::{Occurrence, OccurrenceId, Origin, Phase};
use crate::time::Timestamp;

/// One attempt, or one range of nominal times that were not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When the attempt started, or when it was decided not to run.
    pub started: Timestamp,
    /// When the attempt ended.
    pub ended: Timestamp,
    /// The occurrence that was attempted; of a range that was not run, the last one.
    pub occurrence: OccurrenceId,
    /// Who asked for the occurrence.
    pub origin: Origin,
    /// Which of the two actions.
    pub phase: Phase,
    /// The number of the retry; 0 for the first attempt.
    pub retry: u32,
    /// The number of the occurrence in its series.
    pub repeat: u32,
    /// How the attempt ended and for which nominal time, or which times were not run.
    pub status: Status,
    /// Whether the same attempt may have been sent before: by a process that died, or because this is a rerun.
    pub is_resent: bool,
    /// When the attempt is made again, if it is.
    pub retry_at: Option<Timestamp>,
    /// What the target answered, or why nothing was sent.
    pub message: String,
    /// Why the attempt failed, if it did.
    pub failure: Option<Failure>,
}

impl Record {
    /// The record of nominal times that were decided at `now` not to run.
    pub fn of_not_run(job: Uid, range: NotRun, now: Timestamp) -> Self {
        let (origin, phase) = (Origin::Schedule, Phase::Main);
        Self {
            started: now,
            ended: now,
            occurrence: Occurrence::asked_for(origin, range.last, now).id(job),
            origin,
            phase,
            retry: 0,
            repeat: 0,
            status: Status::Postponed(range),
            is_resent: false,
            retry_at: None,
            message: range.reason.sentence().to_owned(),
            failure: None,
        }
    }

    /// The record of an occurrence of a shadow, which would have started at `now` and done this.
    pub fn of_shadow(job: Uid, occurrence: &Occurrence, deed: &str, now: Timestamp) -> Self {
        let range = NotRun::one(occurrence.nominal, Reason::Shadow);
        Self {
            occurrence: occurrence.id(job),
            origin: occurrence.origin,
            phase: occurrence.phase,
            repeat: occurrence.repeat,
            message: format!("{} It would have sent {deed}.", range.reason.sentence()),
            ..Self::of_not_run(job, range, now)
        }
    }

    /// The occurrence that repeats the recorded one, due at `now`: the same occurrence, from its first attempt on. None if
    /// nothing was attempted, or if the record is of a test run.
    pub fn rerun(&self, now: Timestamp) -> Option<Occurrence> {
        let (Status::Completed(nominal) | Status::Failed(nominal)) = self.status else {
            return None;
        };
        let origin = Origin::Rerun(self.origin.original()?);
        let (phase, repeat) = (self.phase, self.repeat);
        Some(Occurrence { phase, repeat, ..Occurrence::asked_for(origin, nominal, now) })
    }
}

/// How an attempt ended, or that there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The attempt for this nominal time succeeded.
    Completed(Timestamp),
    /// The attempt for this nominal time failed.
    Failed(Timestamp),
    /// These nominal times were not run, or not to the end. `Postponed` is the original's word for it.
    Postponed(NotRun),
}

impl Status {
    /// The status without its times.
    pub const fn kind(&self) -> StatusKind {
        match self {
            Self::Completed(_) => StatusKind::Completed,
            Self::Failed(_) => StatusKind::Failed,
            Self::Postponed(_) => StatusKind::Postponed,
        }
    }
}

/// A [`Status`] without its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the API")]
pub enum StatusKind {
    Completed,
    Failed,
    Postponed,
}

impl StatusKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::Postponed];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::Postponed => "Postponed",
        }
    }
}

/// Nominal times, one after the other on the timetable, that were not run, or not to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// How many nominal times the range has.
    pub number: u64,
    /// Why they were not run.
    pub reason: Reason,
}

impl NotRun {
    /// One nominal time.
    pub const fn one(nominal: Timestamp, reason: Reason) -> Self {
        Self { first: nominal, last: nominal, number: 1, reason }
    }
}

/// Why an occurrence was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// An earlier occurrence was still running or waiting for a retry.
    Overlap,
    /// The occurrence could not start in time: the server was down or too busy, or the clock jumped.
    Missed,
    /// The job or its collection was disabled.
    Disabled,
    /// The server was paused.
    Paused,
    /// The job is a shadow: it is only recorded what it would have done.
    Shadow,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Overlap, Self::Missed, Self::Disabled, Self::Paused, Self::Shadow];

    /// The index of the reason in [`Self::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::Overlap => 0,
            Self::Missed => 1,
            Self::Disabled => 2,
            Self::Paused => 3,
            Self::Shadow => 4,
        }
    }

    /// What a reader of history is told.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Overlap => "Not run: an earlier occurrence was still running or waiting for a retry.",
            Self::Missed => "Not run: nothing could start it in its time.",
            Self::Disabled => "Not run: the job or its collection was disabled.",
            Self::Paused => "Not run: the server was paused.",
            Self::Shadow => "Not run: the job is a shadow.",
        }
    }

    /// The word for the reason in records and events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Missed => "missed",
            Self::Disabled => "disabled",
            Self::Paused => "paused",
            Self::Shadow => "shadow",
        }
    }
}
