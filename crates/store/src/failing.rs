//! Jobs that fail.

use std::sync::Arc;

use punctual_model::failure::Failure;
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;

use crate::history::HistoryKey;
use crate::key::{CollectionId, JobId};

/// A job whose last attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingJob {
    /// The job.
    pub job: JobId,
    /// The path of the job: `{subscription}/{group}/{collection}/{job}`.
    pub path: Arc<str>,
    /// The collection of the job.
    pub collection: CollectionId,
    /// What the job calls: host and port, account and queue, namespace and entity.
    pub target: String,
    /// Why the last attempt failed.
    pub failure: Failure,
    /// When the first attempt started that failed since one succeeded.
    pub since: Timestamp,
    /// How many attempts have failed since then.
    pub count: u64,
    /// The record of the last attempt, which has the time when the attempt started.
    pub record: HistoryKey,
    /// The occurrence of the last attempt.
    pub occurrence: OccurrenceId,
    /// When the attempt is made again; none if its occurrence was given up.
    pub retry_at: Option<Timestamp>,
}

/// A place in the list of jobs that fail: those whose last attempt is the latest come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailingPlace {
    /// When the last attempt started.
    pub started: Timestamp,
    /// The job.
    pub job: JobId,
}

/// Which jobs that fail are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailingPage {
    /// Those behind this one.
    pub after: Option<FailingPlace>,
    /// How many jobs at most.
    pub limit: usize,
}

impl FailingJob {
    /// The place of the job in the list.
    pub const fn place(&self) -> FailingPlace {
        FailingPlace { started: self.record.started(), job: self.job }
    }
}
