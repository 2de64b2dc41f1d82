//! One time that a job runs: which it is, and how far it has come.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::job::Uid;
use crate::time::Timestamp;

/// An open occurrence: it is due, running, or waits for a retry or its error action.
///
/// A retry is the same occurrence with another wake time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Why it is there.
    pub origin: Origin,
    /// The time it stands for.
    pub nominal: Timestamp,
    /// Which of the two actions is next.
    pub phase: Phase,
    /// How many attempts of this phase were made: 0 before the first.
    pub attempt: u32,
    /// When that attempt is due.
    pub wake_at: Timestamp,
    /// Its number in its series, from 1; 0 beside the schedule, unless it repeats one that had a number.
    pub repeat: u32,
    /// The series it belongs to; an edit of the schedule begins a new one.
    pub series: u32,
    /// It is late and was decided to run nevertheless, and so were those after it up to here.
    pub backlog_until: Option<Timestamp>,
}

impl Occurrence {
    /// Whether nothing of it was settled yet.
    pub const fn is_untried(&self) -> bool {
        matches!(self.phase, Phase::Main) && self.attempt == 0
    }

    /// Whether both are at the same attempt: what a settlement is compared with before it applies.
    pub fn is_same_attempt(&self, other: &Self) -> bool {
        (self.origin, self.nominal, self.phase, self.attempt)
            == (other.origin, other.nominal, other.phase, other.attempt)
    }

    /// Whether it is only started while nothing else of its job is on the wire: what someone asked for is in no hurry, and
    /// must not meet itself.
    pub const fn waits_for_wire(&self) -> bool {
        !matches!(self.origin, Origin::Schedule)
    }

    /// The id that every attempt of this phase carries.
    pub fn id(&self, job: Uid) -> OccurrenceId {
        let (kind, value) = match self.origin.original() {
            Some(Original::Schedule) => ("schedule", self.nominal.ticks()),
            Some(Original::Manual(number)) => ("manual", i64::from(number)),
            Some(Original::Backfill) => ("backfill", self.nominal.ticks()),
            None => ("test", self.nominal.ticks()),
        };
        match self.phase {
            Phase::Main => OccurrenceId::derive(job, kind, value),
            Phase::Error => OccurrenceId::derive(job, &format!("error {kind}"), value),
        }
    }

    /// An occurrence that someone asked for, beside the schedule, due at `now`.
    pub const fn asked_for(origin: Origin, nominal: Timestamp, now: Timestamp) -> Self {
        let (phase, attempt, repeat, series) = (Phase::Main, 0, 0, 0);
        Self { origin, nominal, phase, attempt, wake_at: now, repeat, series, backlog_until: None }
    }

    /// Whether it was run before and is run once more: each of its attempts may have reached the target already.
    pub const fn is_rerun(&self) -> bool {
        matches!(self.origin, Origin::Rerun(_))
    }
}

/// Why an occurrence is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The schedule said so.
    Schedule,
    /// Someone called `run`; manual runs of a job are numbered.
    Manual(u32),
    /// Someone had a past time made good.
    Backfill,
    /// Someone tried the job out.
    Test,
    /// Someone had one run once more. It has the id of what it repeats, and is beside the schedule whatever that was.
    Rerun(Original),
}

/// What is run once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Original {
    /// An occurrence of the schedule.
    Schedule,
    /// The manual run of that number.
    Manual(u32),
    /// A past time that was made good.
    Backfill,
}

impl Original {
    /// As what it ran at first.
    pub const fn origin(self) -> Origin {
        match self {
            Self::Schedule => Origin::Schedule,
            Self::Manual(number) => Origin::Manual(number),
            Self::Backfill => Origin::Backfill,
        }
    }
}

impl Origin {
    /// What is run once more if this is; nothing of a trial.
    pub const fn original(self) -> Option<Original> {
        match self {
            Self::Schedule => Some(Original::Schedule),
            Self::Manual(number) => Some(Original::Manual(number)),
            Self::Backfill => Some(Original::Backfill),
            Self::Rerun(original) => Some(original),
            Self::Test => None,
        }
    }
}

/// Which of the two actions of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The action.
    Main,
    /// The error action, after the last failed attempt.
    Error,
}

impl Phase {
    /// Its `actionName` in the API.
    pub const fn action_name(self) -> &'static str {
        match self {
            Self::Main => "MainAction",
            Self::Error => "ErrorAction",
        }
    }
}

/// Names an occurrence: 32 hex digits, sent to targets as `x-ms-execution-tag`.
///
/// It is derived, so that it is the same after a crash, on another node and after a restore.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OccurrenceId([u8; 16]);

impl OccurrenceId {
    fn derive(job: Uid, kind: &str, value: i64) -> Self {
        let mut hash = Sha256::new();
        hash.update(job.bytes());
        hash.update(kind.as_bytes());
        hash.update(value.to_be_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&hash.finalize()[..16]);
        Self(id)
    }

    /// The id with these bytes, from a record.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes, for a record.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for OccurrenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for OccurrenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
