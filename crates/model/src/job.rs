//! A job: what it does, when, and its state.

use std::fmt;

use crate::action::{Action, Secret};
use crate::options::Options;
use crate::progress::Progress;
use crate::recurrence::{Anchor, Recurrence};
use crate::time::{Start, Timestamp};

/// A job: what the user said about it, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What the user said about the job.
    pub definition: Definition,
    /// The state of the job.
    pub state: JobState,
    /// What the series is counted from.
    pub anchor: Anchor,
    /// The number of the series, from 1. An edit of the schedule begins a new series.
    pub series: u32,
    /// How far the schedule has come.
    pub progress: Progress,
}

/// The state of a job, and since when the job is disabled if it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// The job runs when it is due.
    Enabled,
    /// The user disabled the job at that instant.
    Disabled(Timestamp),
    /// The job has ended, and its last attempt succeeded or there was none.
    Completed,
    /// The job has ended, and its last attempt failed.
    Faulted,
}

impl JobState {
    /// The state that the API shows.
    pub const fn kind(self) -> State {
        match self {
            Self::Enabled => State::Enabled,
            Self::Disabled(_) => State::Disabled,
            Self::Completed => State::Completed,
            Self::Faulted => State::Faulted,
        }
    }

    /// Since when the schedule of the job stands still: since the job or its collection was disabled, whichever came
    /// first. None while both are enabled.
    pub fn stopped_at(self, collection_stopped_at: Option<Timestamp>) -> Option<Timestamp> {
        let disabled_at = if let Self::Disabled(since) = self { Some(since) } else { None };
        disabled_at.into_iter().chain(collection_stopped_at).min()
    }

    /// The state of a job that has ended as Completed or as Faulted.
    pub const fn ended(state: State) -> Self {
        if matches!(state, State::Faulted) { Self::Faulted } else { Self::Completed }
    }
}

/// What a user says about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition<S = Secret> {
    /// When the schedule starts; without a start, when the job is accepted.
    pub start: Option<Start>,
    /// What the job does.
    pub action: Action<S>,
    /// When the job runs again; without a recurrence it runs once.
    pub recurrence: Option<Recurrence>,
    /// What the user chose beyond the original API.
    pub options: Options,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The job runs when it is due.
    Enabled,
    /// The user disabled the job.
    Disabled,
    /// The job has ended, and its last attempt succeeded or there was none.
    Completed,
    /// The job has ended, and its last attempt failed.
    Faulted,
}

impl State {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Enabled, Self::Disabled, Self::Completed, Self::Faulted];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enabled => "Enabled",
            Self::Disabled => "Disabled",
            Self::Completed => "Completed",
            Self::Faulted => "Faulted",
        }
    }

    /// Whether the job has ended, so that nothing can change its state any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Faulted)
    }
}

/// The random number that identifies a job for ever, whatever the name of the job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid([u8; 16]);

impl Uid {
    /// The identity made of 128 random bits.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 128 bits.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// What is counted for each job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Attempts of the main action, retries and manual ones included.
    pub executions: u64,
    /// Attempts of the main action that failed.
    pub failures: u64,
    /// Occurrences that failed for good: after the last retry.
    pub faulted: u64,
    /// When the last attempt of the main action started.
    pub last_started: Option<Timestamp>,
}

impl Counters {
    /// The sum of these counters and of what was counted since.
    #[must_use]
    pub fn plus(self, since: Self) -> Self {
        Self {
            executions: self.executions + since.executions,
            failures: self.failures + since.failures,
            faulted: self.faulted + since.faulted,
            last_started: since.last_started.max(self.last_started),
        }
    }
}
