//! What the engine asks of the store: what is due, and how to write what came of it.

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::collection::Sku;
use punctual_model::job::{Counters, Definition, State, Uid};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::revise::Standing;
use punctual_model::time::Timestamp;

use crate::bell::Bell;
use crate::collection::Pause;
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::key::{CollectionId, JobId, Revision, WorkId};

/// The store as the engine sees it. Every function is one transaction.
#[async_trait]
pub trait Agenda: Send + Sync {
    /// The bell that the store rings for every job and collection that is written through it.
    fn bell(&self) -> &Arc<Bell>;

    /// Takes over what an earlier process has left. Whatever it may have sent, all that was to wake up to its watermark
    /// and was not settled, is marked; then that watermark is forgotten. Says how much was marked.
    async fn take_over(&self) -> Result<u64, Error>;

    /// Makes durable up to which wake time attempts may be started.
    async fn set_watermark(&self, until: Timestamp) -> Result<(), Error>;

    /// Forgets the watermark at a clean end, when nothing is on the wire: the next process has nothing to mark.
    async fn forget_watermark(&self) -> Result<(), Error>;

    /// What wakes, in the order of wake time, lane and number.
    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error>;

    /// What is open of these jobs and has a wake time, in no order.
    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error>;

    /// These rows as they are now, in no order; what is gone is left out.
    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkEntry>, Error>;

    /// These jobs as they are now, in no order; what is gone is left out. One that cannot be read is an entry, too:
    /// it must not keep others from running.
    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error>;

    /// Writes changes, each on the condition that its row is as it was read, and notes of what changes nothing. Says of
    /// each change, in their order, what became of it.
    async fn write_work(&self, changes: Vec<WorkChange>, notes: Vec<HistoryEntry>) -> Result<Vec<Written>, Error>;

    /// The next jobs of a collection that was enabled again, which may have to be woken, of one such collection; none if
    /// there is nothing to do. A collection that is disabled once more has to wait until it is enabled.
    async fn paused_jobs(&self, limit: usize) -> Result<Option<PausedJobs>, Error>;

    /// Those jobs are woken.
    async fn resumed_jobs(&self, done: PausedJobs) -> Result<(), Error>;

    /// Rows after that one of occurrences that have begun, by number: tried at least once, or due by now.
    async fn begun(&self, after: WorkId, now: Timestamp, limit: usize) -> Result<Vec<WorkId>, Error>;

    /// How old the oldest things are.
    async fn oldest(&self) -> Result<Oldest, Error>;

    /// Removes some jobs that ended before that instant. Says how many.
    async fn remove_ended(&self, before: Timestamp, limit: usize) -> Result<usize, Error>;

    /// Drops history that is older than that instant, and the oldest while there are more bytes than that.
    async fn drop_history(&self, before: Timestamp, bytes_max: u64) -> Result<Vec<DroppedHistory>, Error>;
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

/// A part of what wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuePage {
    /// What comes after this one; from the beginning if none is given.
    pub after: Option<DueKey>,
    /// What wakes then or earlier.
    pub until: Timestamp,
    /// What stands in that lane only.
    pub lane: Option<Lane>,
    /// So much at most.
    pub limit: usize,
}

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
    /// Times in which it was disabled that this job may not have heard of, earliest first.
    pub pauses: Vec<Pause>,
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
    pub standing: Standing,
    /// What its series is counted from.
    pub anchor: Anchor,
    /// The series its timetable is.
    pub series: u32,
    /// About how much memory all of this takes.
    pub bytes: usize,
}

/// What becomes of a row of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkChange {
    /// The row.
    pub id: WorkId,
    /// The job it is of.
    pub job: JobId,
    /// The version that was read.
    pub revision: Revision,
    /// What it holds from now on. Its resends begin anew, unless the same attempt of the same occurrence stays open.
    pub row: RowChange,
    /// The line it stands in from now on, where something is open.
    pub lane: Lane,
    /// What is added to the counters of the job.
    pub counted: Counters,
    /// The state in which the job ends, if it does, and when.
    pub ends: Option<(State, Timestamp)>,
    /// What goes to history with it.
    pub records: Vec<HistoryEntry>,
}

/// What a row of work holds from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// The schedule of the job, and an occurrence that it opened and that gets a row of its own.
    Schedule {
        /// The schedule.
        progress: Progress,
        /// The occurrence that is to run beside it.
        beside: Option<Occurrence>,
    },
    /// An occurrence beside the schedule; its row goes if there is none.
    Beside {
        /// The occurrence.
        occurrence: Option<Occurrence>,
        /// Where it is one of the schedule's: the version of the schedule's row that was read, and whether the last
        /// attempt has failed from now on.
        schedule: Option<(Revision, bool)>,
    },
    /// What it held, which is about to be sent once more although it may have been sent before.
    Resent,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is on disk.
    Applied {
        /// The new row beside the schedule, if one was to be made.
        beside: Option<WorkId>,
    },
    /// The row was not as it was read; nothing of the change was written.
    Stale,
}

/// Jobs of a collection that was enabled again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedJobs {
    /// The collection.
    pub collection: CollectionId,
    /// When it was disabled.
    pub pause: Pause,
    /// The jobs.
    pub jobs: Vec<JobId>,
    /// Where the next ones begin, in the words of the store; none if these are the last.
    pub next: Option<String>,
}

/// How old the oldest things are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oldest {
    /// The beginning of history.
    pub history: Option<Timestamp>,
    /// The end of the job that ended first, of those that are still there.
    pub ended: Option<Timestamp>,
}

/// History that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedHistory {
    /// What it was called.
    pub name: String,
    /// How much it was.
    pub bytes: u64,
}
