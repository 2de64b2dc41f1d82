//! What is kept of every attempt, and how it is asked for: the same for every database.

use std::sync::Arc;

use punctual_model::history::{Record, StatusKind};
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

use crate::JobId;

pub(crate) mod day;
mod key;
pub(crate) mod month;
pub(crate) mod number;
pub(crate) mod segment;
pub(crate) mod shelf;

pub use key::HistoryKey;

/// One line of history as it is kept: the model's record, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The job.
    pub job: JobId,
    /// What happened.
    pub record: Record,
    /// The node that did it.
    pub node: u32,
    /// The revision of the definition it ran with.
    pub revision: i64,
    /// Whether the occurrence had moved on when this came: something was sent twice, and this changed nothing.
    pub is_duplicate: bool,
}

/// An entry and the key by which it is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryItem {
    /// Which it is, and its place in the order.
    pub key: HistoryKey,
    /// What is kept.
    pub entry: HistoryEntry,
}

impl HistoryEntry {
    /// Whether the attempt is the last one of its occurrence: it is not made again, and none counted in its place.
    pub const fn is_last_attempt(&self) -> bool {
        self.record.retry_at.is_none() && !self.is_duplicate
    }
}

/// Which entries of a job are wanted; all that is given must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// How it went.
    pub status: Option<StatusKind>,
    /// Without attempts that are made again, or that ended beside the one that counted.
    pub only_last_attempts: bool,
    /// Which of the two actions.
    pub phase: Option<Phase>,
    /// Attempts of this occurrence, and times not run whose last one it is.
    pub occurrence: Option<OccurrenceId>,
    /// Started then or later.
    pub started_from: Option<Timestamp>,
    /// Started then or earlier.
    pub started_until: Option<Timestamp>,
}

/// Which part of a job's history is listed.
#[derive(Clone, Debug, Default)]
pub struct HistoryPage {
    /// The entries that are wanted.
    pub filter: HistoryFilter,
    /// Those after this one.
    pub after: Option<HistoryKey>,
    /// Without the first so many of them.
    pub skip: u32,
    /// So many at most.
    pub limit: usize,
}

/// Which part of the history of all jobs is listed, the latest day first, and in it what was written last.
#[derive(Clone, Copy, Debug, Default)]
pub struct LatestPage {
    /// Without attempts of the main action that succeeded.
    pub only_trouble: bool,
    /// Started then or later.
    pub started_from: Option<Timestamp>,
    /// Those after this one.
    pub after: Option<HistoryKey>,
    /// How many records at most.
    pub limit: usize,
}

/// A record of any job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestRecord {
    /// The record.
    pub item: HistoryItem,
    /// The path of the job, as users write it; none if the job is gone.
    pub path: Option<Arc<str>>,
}
