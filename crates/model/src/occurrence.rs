//! An occurrence: one of the times at which a job runs, and how far that run has come.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::job::Uid;
use crate::recurrence::Timetable;
use crate::time::{TICKS_PER_MILLISECOND, Timestamp};

/// An open occurrence: one that is due, is running, or waits for a retry or its error action.
///
/// A retry is the same occurrence with another wake time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Who asked for the occurrence.
    pub origin: Origin,
    /// The nominal time: when the occurrence should have started.
    pub nominal: Timestamp,
    /// Which of the two actions is next.
    pub phase: Phase,
    /// How many attempts of this phase were made: 0 before the first.
    pub attempt: u32,
    /// When the next attempt is due.
    pub wake_at: Timestamp,
    /// The number of the occurrence in its series, from 1; 0 for a run beside the schedule, unless that repeats an
    /// occurrence with a number.
    pub repeat: u32,
    /// The number of the series that the occurrence belongs to; an edit of the schedule begins a new series. A backfill belongs to
    /// none: of it this is the distance between two starts, in milliseconds.
    pub series: u32,
    /// Set for an occurrence that was missed and runs nevertheless: it and all after it, up to this nominal time, are made
    /// good one by one. A backfill goes on up to here.
    pub backlog_until: Option<Timestamp>,
}

impl Occurrence {
    /// Whether no attempt of the occurrence was settled yet.
    pub const fn is_untried(&self) -> bool {
        matches!(self.phase, Phase::Main) && self.attempt == 0
    }

    /// Whether both are at the same attempt. A settlement applies only to the attempt that it was made for.
    pub fn is_same_attempt(&self, other: &Self) -> bool {
        (self.origin, self.nominal, self.phase, self.attempt)
            == (other.origin, other.nominal, other.phase, other.attempt)
    }

    /// The id of the occurrence, which every attempt of this phase carries.
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

    /// The first occurrence of a backfill, due at `now`: it and all after it on the timetable, up to `last`, run one by one, so
    /// many milliseconds apart.
    pub const fn backfill(first: Timestamp, last: Timestamp, spacing_ms: u32, now: Timestamp) -> Self {
        Self { series: spacing_ms, backlog_until: Some(last), ..Self::asked_for(Origin::Backfill, first, now) }
    }

    /// The distance between two starts of a backfill, in ticks.
    pub fn backfill_spacing_ticks(&self) -> i64 {
        i64::from(self.series) * TICKS_PER_MILLISECOND
    }

    /// The occurrence of a backfill that comes after this one, whose last attempt started at `started` and ended at `now`. None if
    /// this is the last, or no backfill.
    pub fn next_of_backfill(&self, timetable: &Timetable, started: Timestamp, now: Timestamp) -> Option<Self> {
        let last = self.backlog_until.filter(|_| self.origin == Origin::Backfill)?;
        let nominal = timetable.next(self.nominal).filter(|next| *next <= last)?;
        let spacing = self.backfill_spacing_ticks();
        let wake_at = started.saturating_add(spacing).clamp(now, now.saturating_add(spacing));
        Some(Self { nominal, phase: Phase::Main, attempt: 0, wake_at, ..*self })
    }

    /// Whether the occurrence is a rerun: each of its attempts may have reached the target before.
    pub const fn is_rerun(&self) -> bool {
        matches!(self.origin, Origin::Rerun(_))
    }
}

/// Who asked for an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The schedule.
    Schedule,
    /// A user called `run`. Manual runs of a job are numbered.
    Manual(u32),
    /// A user had a past nominal time made good.
    Backfill,
    /// A user tested the job.
    Test,
    /// A user had an occurrence rerun. The rerun has the id of the original, and runs beside the schedule whatever the
    /// original was.
    Rerun(Original),
}

/// What a rerun repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Original {
    /// An occurrence of the schedule.
    Schedule,
    /// The manual run with that number.
    Manual(u32),
    /// A past nominal time that was made good.
    Backfill,
}

impl Original {
    /// The origin of the occurrence that is repeated.
    pub const fn origin(self) -> Origin {
        match self {
            Self::Schedule => Origin::Schedule,
            Self::Manual(number) => Origin::Manual(number),
            Self::Backfill => Origin::Backfill,
        }
    }
}

impl Origin {
    /// What a rerun of an occurrence with this origin repeats. None for a test: tests are not rerun.
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
/// The id is derived, so that it is the same after a crash, on another node and after a restore.
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

    /// Reads an id as it is shown: 32 hexadecimal digits, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let is_right = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| is_right)?;
        Some(Self(number.to_be_bytes()))
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
