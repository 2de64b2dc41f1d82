//! What the engine asks of the store: what is due, and how to write what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::collection::Sku;
use punctual_model::dispatch::InFlight;
use punctual_model::failure::Failure;
use punctual_model::job::{Definition, JobState, Uid};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::pause::Pauses;
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::time::Timestamp;

use crate::bell::Bell;
use crate::collection::EndedStop;
use crate::error::Error;
use crate::key::{BatchId, CollectionId, JobId, NodeId, Revision, WorkId};
use crate::shards::Shards;
use crate::work_change::{Batch, BatchOutcome};

/// The store as the engine sees it. Every function is one transaction.
#[async_trait]
pub trait WorkStore: Send + Sync {
    /// The bell that the store rings for every job and collection that is written through it.
    fn bell(&self) -> &Arc<Bell>;

    /// When the server was paused, the last times.
    async fn pause_times(&self) -> Result<Pauses, Error>;

    /// Takes over what a dead process of a node has left in these shards. Every row there that was to wake up to that
    /// node's watermark and was not settled may have been sent, and is marked so. Returns the number of marked rows.
    async fn take_over(&self, from: NodeId, shards: Shards) -> Result<u64, Error>;

    /// Makes durable up to which wake time a node may start attempts. It never goes back.
    async fn set_watermark(&self, node: NodeId, until: Timestamp) -> Result<(), Error>;

    /// Forgets the watermark of a node that ends cleanly, with nothing in flight: the process that takes over marks nothing.
    async fn forget_watermark(&self, node: NodeId) -> Result<(), Error>;

    /// What wakes in some shards, in the order of wake time, lane and row.
    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error>;

    /// What is open of these jobs and has a wake time, in no order.
    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error>;

    /// These rows as they are now, in no order; rows that are gone are left out. A row that cannot be read is an entry,
    /// too: it must not keep its neighbours from running.
    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error>;

    /// These jobs as they are now, in no order; what is gone is left out. One that cannot be read is an entry, too:
    /// it must not keep others from running.
    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error>;

    /// Rows, and the definitions of jobs that the caller expects to need for them, as [`Self::work`] and [`Self::definitions`] have
    /// them. A store may read both at once: a row and the definition of its job are often found together.
    async fn work_with_definitions(&self, ids: Vec<WorkId>, jobs: Vec<JobId>) -> Result<WorkPage, Error> {
        Ok(WorkPage { rows: self.work(ids).await?, definitions: self.definitions(jobs).await? })
    }

    /// Writes a batch in one transaction: changes, each on the condition that its row is as it was read, and notes of
    /// what changes nothing. A change that the database refuses is left out, and the others are written.
    async fn write_work(&self, batch: Batch) -> BatchOutcome;

    /// Whether a batch whose outcome is unknown was written. The answer is final: if it was not, it never will be.
    async fn has_landed(&self, node: NodeId, batch: BatchId) -> Result<bool, Error>;

    /// The next jobs that may have to be woken, of one collection that was enabled again; none if there is nothing to do. A
    /// collection that was disabled again has to wait until it is enabled.
    async fn stopped_jobs(&self, limit: usize) -> Result<Option<StoppedJobs>, Error>;

    /// Marks those jobs as woken.
    async fn mark_woken(&self, done: StoppedJobs) -> Result<(), Error>;

    /// Rows of one kind, in the order of their numbers.
    async fn rows(&self, page: RowPage) -> Result<Vec<WorkId>, Error>;

    /// How old the oldest things are.
    async fn oldest(&self) -> Result<Oldest, Error>;

    /// The bytes of history on disk.
    async fn history_bytes(&self) -> Result<u64, Error>;

    /// Keeps the time at which old things were last removed, for [`Oldest::removed_at`].
    async fn record_removal(&self, at: Timestamp) -> Result<(), Error>;

    /// Removes at most `limit` jobs that ended before that instant. Returns how many.
    async fn remove_ended(&self, before: Timestamp, now: Timestamp, limit: usize) -> Result<usize, Error>;

    /// Forgets some of the changes of jobs and collections that were made before that instant. Returns how many.
    async fn forget_changes(&self, before: Timestamp, limit: usize) -> Result<usize, Error>;

    /// Forgets some of the counts of outcomes of minutes before that instant, the oldest first. Returns how many.
    async fn forget_tallies(&self, before: Timestamp, limit: usize) -> Result<usize, Error>;

    /// Drops history that is beyond its bounds. What schedules were is forgotten up to the same instant.
    async fn drop_history(&self, bounds: &HistoryBounds) -> Result<Vec<DroppedHistory>, Error>;
}

/// Rows that maintenance looks for, whether they are due or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The occurrence has begun: it was tried at least once, or is due by now.
    Begun,
    /// The row wakes after now although it is not the schedule's next: a retry, an error action, a missed occurrence that runs
    /// nevertheless, or what someone asked for. After the clock went back such a row must not wait for it.
    Delayed,
}

/// A part of the rows of one kind.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RowPage {
    pub shards: Shards,
    pub kind: RowKind,
    pub now: Timestamp,
    /// The last row of the page before.
    pub after: Option<WorkId>,
    pub limit: usize,
}

/// The place of something open in the order in which it wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DueKey {
    /// When it wakes.
    pub wake_at: Timestamp,
    /// The line it stands in.
    pub lane: Lane,
    /// Its row.
    pub id: WorkId,
    /// The job it is of.
    pub job: JobId,
}

/// Rows, and definitions that belong to them.
#[derive(Debug, Default)]
pub struct WorkPage {
    /// The rows that were asked for, without those that are gone.
    pub rows: Vec<WorkRead>,
    /// The definitions that were asked for, without those that are gone.
    pub definitions: Vec<DefinitionRead>,
}

/// A part of what wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuePage {
    /// What is in these shards only.
    pub shards: Shards,
    /// Where it begins.
    pub start: DueStart,
    /// What wakes then or earlier.
    pub until: Timestamp,
    /// What stands in that lane only.
    pub lane: Option<Lane>,
    /// So much at most.
    pub limit: usize,
}

/// Where a part of what wakes begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueStart {
    /// With what wakes first.
    Beginning,
    /// With this key, or what comes next if it is not there.
    At(DueKey),
    /// With what comes after this key.
    After(DueKey),
}

impl DueStart {
    /// Whether a key does not come before it.
    pub fn has(&self, key: &DueKey) -> bool {
        match self {
            Self::Beginning => true,
            Self::At(first) => key.order() >= first.order(),
            Self::After(last) => key.order() > last.order(),
        }
    }
}

impl DueKey {
    /// What keys are ordered by.
    const fn order(&self) -> (i64, i64, i64) {
        (self.wake_at.ticks(), self.lane.0, self.id.0)
    }
}

/// A row of work, or which one could not be read and why.
pub type WorkRead = Result<WorkEntry, (WorkId, Error)>;

/// A row of work with what decides about it, but for the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkEntry {
    /// Its number.
    pub id: WorkId,
    /// The job it is of.
    pub job: JobId,
    /// How often it was written.
    pub revision: Revision,
    /// The line it stands in.
    pub lane: Lane,
    /// 0, or 1 if it may have been sent by a process that died, and one more for each time that it was sent again since.
    pub resends: u32,
    /// The node that has the open attempt in flight, although another one may own the row's shard by now.
    pub claimed_by: Option<NodeId>,
    /// Attempts of other rows of the job that are in flight at nodes which have claimed them.
    pub claimed_beside: InFlight,
    /// What is open.
    pub open: OpenWork,
    /// How many other occurrences that the schedule opened have rows of their own.
    pub scheduled_beside: u32,
    /// Which version of the definition is in force.
    pub job_revision: Revision,
    /// The collection the job is in.
    pub collection: CollectionId,
    /// Its plan.
    pub sku: Option<Sku>,
    /// Since when it is disabled, if it is.
    pub collection_stopped_at: Option<Timestamp>,
    /// Times in which it was disabled and after which this job may not have been woken yet, earliest first.
    pub ended_stops: Vec<EndedStop>,
    /// Why the action failed, where its error action is open.
    pub failure: Option<Box<Failure>>,
}

/// What a row of work holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWork {
    /// The schedule of a job.
    Schedule(Progress),
    /// An occurrence beside it, and the schedule with the revision of its row.
    Beside {
        /// The occurrence.
        occurrence: Occurrence,
        /// The schedule of its job.
        schedule: Progress,
        /// How often the schedule's row was written.
        schedule_revision: Revision,
    },
}

/// A row of work with its job.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DueWork {
    pub entry: WorkEntry,
    pub job: JobDefinition,
}

impl DueWork {
    /// Puts rows and their jobs together; a row whose job is not there is left out.
    pub fn join(rows: Vec<WorkRead>, jobs: Vec<DefinitionRead>) -> Vec<Self> {
        let jobs: HashMap<JobId, JobDefinition> = jobs.into_iter().flatten().map(|job| (job.id, job)).collect();
        let join = |entry: WorkEntry| jobs.get(&entry.job).cloned().map(|job| Self { entry, job });
        rows.into_iter().flatten().filter_map(join).collect()
    }
}

/// A job, or which one could not be read and why.
pub type DefinitionRead = Result<JobDefinition, (JobId, Error)>;

/// A job, as far as running it needs.
#[derive(Clone, Debug)]
pub struct JobDefinition {
    /// Its number.
    pub id: JobId,
    /// Which version this is.
    pub revision: Revision,
    /// The random number by which it is the same job for ever.
    pub uid: Uid,
    /// Its path as users write it: `{subscription}/{group}/{collection}/{job}`.
    pub path: Arc<str>,
    /// What the user said about it.
    pub definition: Arc<Definition>,
    /// How it stands.
    pub state: JobState,
    /// What its series is counted from.
    pub anchor: Anchor,
    /// The series its timetable is.
    pub series: u32,
    /// About how much memory all of this takes.
    pub bytes: usize,
}

/// Jobs of a collection that was enabled again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedJobs {
    /// The collection.
    pub collection: CollectionId,
    /// When it was disabled.
    pub stop: EndedStop,
    /// The rows of their schedules.
    pub rows: Vec<WorkId>,
    /// Where the next ones begin, in the words of the store; none if these are the last.
    pub next: Option<String>,
}

/// How old the oldest things are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oldest {
    /// The beginning of history.
    pub history: Option<Timestamp>,
    /// The beginning of the failures that are left of history that was dropped.
    pub failures: Option<Timestamp>,
    /// The end of the job that ended first, of those that are still there.
    pub ended: Option<Timestamp>,
    /// The time of the first change, of those that are still known.
    pub change: Option<Timestamp>,
    /// The first minute whose outcomes are counted, of those that are still known.
    pub tally: Option<Timestamp>,
    /// When old things were last removed because of their age, whichever process did it.
    pub removed_at: Option<Timestamp>,
}

/// History that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedHistory {
    /// What it was called.
    pub name: String,
    /// How much it was.
    pub bytes: u64,
    /// How many records of failures are kept of it.
    pub kept: u64,
}

/// How much history there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryBounds {
    /// Days that are over before it are dropped.
    pub before: Timestamp,
    /// Set if failures are kept longer than the rest, by months that are dropped if they are over before it. Failures are
    /// records of what did not succeed, and of error actions.
    pub failures_before: Option<Timestamp>,
    /// The oldest is dropped while all of it has more bytes. Failures that are kept longer are dropped when they have more
    /// than a quarter of that.
    pub bytes_max: u64,
}

impl HistoryBounds {
    /// Bounds by age alone, and for all records alike.
    #[must_use]
    pub const fn of_age(before: Timestamp) -> Self {
        Self { before, failures_before: None, bytes_max: u64::MAX }
    }
}
