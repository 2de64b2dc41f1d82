//! All that a store keeps, table by table.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use punctual_model::Name;
use punctual_model::collection::Collection;
use punctual_model::failure::Failure;
use punctual_model::health::Health;
use punctual_model::job::{Counters, Definition, JobState, Uid};
use punctual_model::labels::Annotations;
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::tally::Tally;
use punctual_model::time::Timestamp;
use punctual_store::{
    BatchId, Changed, CollectionId, CollectionKey, EndedStop, FailingJob, GroupEntry, GroupKey, HistoryEntry, JobId,
    NodeId, PauseEntry, Revision, SeriesEntry, SeriesKey, TallyPlace, WorkId,
};

use crate::cluster::{Cluster, RowClaim};

/// All that a store keeps.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Collections that are there.
    pub collections: BTreeMap<CollectionId, CollectionRow>,
    /// Times in which collections were disabled, by collection and beginning; also of collections that are gone.
    pub ended_stops: BTreeMap<(CollectionId, Timestamp), StopRow>,
    /// Jobs that are there.
    pub jobs: BTreeMap<JobId, JobRow>,
    /// The schedule of each job, and the occurrences beside it.
    pub work: BTreeMap<WorkId, WorkRow>,
    /// History, by the number that every record has.
    pub history: BTreeMap<u64, HistoryEntry>,
    /// What is kept longer of history that was dropped.
    pub kept_failures: BTreeMap<u64, HistoryEntry>,
    /// What the schedules of jobs were, without what they are.
    pub series: BTreeMap<SeriesKey, SeriesEntry>,
    /// Jobs whose last attempt failed.
    pub failing: BTreeMap<JobId, FailingJob>,
    /// Counts of outcomes by minute and collection.
    pub tallies: BTreeMap<TallyPlace, Tally>,
    /// Pauses of the server, the earliest first.
    pub pauses: Vec<PauseEntry>,
    /// Resource groups that someone made.
    pub groups: BTreeMap<GroupKey, GroupEntry>,
    /// The nodes, and who owns which shard.
    pub cluster: Cluster,
    /// Up to which wake time each node may start attempts.
    pub watermarks: BTreeMap<NodeId, Timestamp>,
    /// How far they had come when the server was paused, if it is.
    pub watermarks_at_pause: BTreeMap<NodeId, Timestamp>,
    /// When old things were last removed because of their age.
    pub removed_at: Option<Timestamp>,
    /// Until when history was dropped.
    pub dropped_until: Option<Timestamp>,
    /// Rows that cannot be read or written.
    pub damage: Damage,
    /// Batches that were written by the process that runs now.
    pub(crate) landed: BTreeSet<(NodeId, BatchId)>,
    pub(crate) changed: Changed,
    /// The numbers that were given last.
    pub(crate) last_collection: i64,
    pub(crate) last_work: i64,
    pub(crate) last_record: u64,
}

/// Rows that cannot be read or written, as whoever simulates faults says. An edit of a job mends its own.
#[derive(Clone, Debug, Default)]
pub struct Damage {
    /// Rows of work that cannot be read.
    pub unreadable_rows: BTreeSet<WorkId>,
    /// Jobs whose definition cannot be read.
    pub unreadable_definitions: BTreeSet<JobId>,
    /// Rows of which every change is refused.
    pub refused_rows: BTreeSet<WorkId>,
}

/// A collection.
#[derive(Clone, Debug)]
pub struct CollectionRow {
    /// How often it was written.
    pub revision: Revision,
    /// Its path, as it was first written.
    pub key: CollectionKey,
    /// What the user said about it.
    pub collection: Collection,
    /// Since when its jobs do not run, if they do not.
    pub stopped_at: Option<Timestamp>,
}

/// A time in which a collection was disabled.
#[derive(Clone, Debug)]
pub struct StopRow {
    /// From when until when.
    pub stop: EndedStop,
    /// The name of the last job that was told, folded; empty if none was.
    pub told_until: String,
    /// Whether all jobs were told.
    pub all_told: bool,
}

/// A job, without how far it has come: that stands in its row of work.
#[derive(Clone, Debug)]
pub struct JobRow {
    /// The collection it is in.
    pub collection: CollectionId,
    /// Its name, as it was first written.
    pub name: Name,
    /// The random number by which it is the same job for ever.
    pub uid: Uid,
    /// How often its definition was written.
    pub revision: Revision,
    /// What the user said about it.
    pub definition: Arc<Definition>,
    /// Its state.
    pub state: JobState,
    /// Until when it is disabled, if that ends.
    pub disabled_until: Option<Timestamp>,
    /// What people say about it for each other.
    pub annotations: Annotations,
    /// What its series is counted from.
    pub anchor: Anchor,
    /// The series its timetable is.
    pub series: u32,
    /// What was counted.
    pub counters: Counters,
    /// How the last attempts of its action ended.
    pub health: Health,
    /// How many manual runs were ever opened.
    pub manual_runs: u32,
    /// When it ended, if it has.
    pub ended_at: Option<Timestamp>,
    /// Since when its schedule and state are what they are.
    pub since: Timestamp,
}

/// A row of work.
#[derive(Clone, Debug)]
pub struct WorkRow {
    /// The job it is of.
    pub job: JobId,
    /// How often it was written.
    pub revision: Revision,
    /// The line it stands in.
    pub lane: Lane,
    /// 0, or how often the open attempt may have been sent.
    pub resends: u32,
    /// The node that has the open attempt in flight although another one owns the shard, if there is one.
    pub claim: Option<RowClaim>,
    /// What it holds.
    pub open: OpenRow,
    /// Why the action failed, where its error action is open.
    pub failure: Option<Failure>,
}

/// What a row of work holds.
#[derive(Clone, Copy, Debug)]
pub enum OpenRow {
    /// The schedule of a job.
    Schedule(Progress),
    /// An occurrence beside it.
    Beside(Occurrence),
}

impl Damage {
    /// Whether a row cannot run because of its damage or that of its job.
    pub fn concerns(&self, id: WorkId, job: JobId) -> bool {
        self.unreadable_rows.contains(&id)
            || self.refused_rows.contains(&id)
            || self.unreadable_definitions.contains(&job)
    }
}

impl WorkRow {
    /// A row that was just made.
    pub(crate) const fn new(job: JobId, lane: Lane, open: OpenRow) -> Self {
        Self { job, revision: Revision(1), lane, resends: 0, claim: None, open, failure: None }
    }

    /// The open occurrence, if there is one.
    pub const fn occurrence(&self) -> Option<Occurrence> {
        match self.open {
            OpenRow::Schedule(progress) => progress.open,
            OpenRow::Beside(occurrence) => Some(occurrence),
        }
    }

    /// The occurrence, if the row stands beside the schedule of its job.
    pub const fn beside(&self) -> Option<Occurrence> {
        if let OpenRow::Beside(occurrence) = self.open { Some(occurrence) } else { None }
    }

    /// Puts something else into the row. The mark of what may have been sent, and a claim, stay only on the same attempt.
    pub(crate) fn replace(&mut self, open: OpenRow, lane: Lane) {
        let before = self.occurrence();
        self.revision.0 += 1;
        self.lane = lane;
        self.open = open;
        let is_same_attempt = self.occurrence().zip(before).is_some_and(|(new, old)| new.is_same_attempt(&old));
        if !is_same_attempt {
            (self.resends, self.claim) = (0, None);
        }
        if self.occurrence().is_none_or(|open| open.phase != Phase::Error) {
            self.failure = None;
        }
    }
}

impl Tables {
    /// The jobs and collections that were written since this was last asked.
    pub fn take_changed(&mut self) -> Changed {
        mem::take(&mut self.changed)
    }

    /// How far the schedule of a job has come.
    pub fn progress(&self, job: JobId) -> Progress {
        match self.work[&job.into()].open {
            OpenRow::Schedule(progress) => progress,
            OpenRow::Beside(_) => unreachable!("the row with the number of a job holds its schedule"),
        }
    }

    /// How many occurrences that the schedule of a job opened have rows of their own, without one row.
    pub(crate) fn scheduled_beside(&self, job: JobId, without: Option<WorkId>) -> u32 {
        let others = self.rows_beside(job).filter(|(id, _)| Some(*id) != without);
        count(others.filter(|(_, occurrence)| occurrence.origin == Origin::Schedule))
    }

    /// What stands beside the schedule of a job.
    pub(crate) fn rows_beside(&self, job: JobId) -> impl Iterator<Item = (WorkId, Occurrence)> {
        let of_job = self.work.iter().filter(move |(_, row)| row.job == job);
        of_job.filter_map(|(id, row)| Some((*id, row.beside()?)))
    }

    /// The job of that path.
    pub fn find_job(&self, path: &str) -> Option<JobId> {
        let (_, name) = path.rsplit_once('/')?;
        let mut named = self.jobs.iter().filter(|(_, job)| job.name.as_str() == name).map(|(id, _)| *id);
        named.find(|id| self.path(*id).as_deref() == Some(path))
    }

    /// Makes a row of work.
    pub(crate) fn insert_work(&mut self, row: WorkRow) -> WorkId {
        self.last_work += 1;
        let id = WorkId(self.last_work);
        self.work.insert(id, row);
        id
    }

    /// Adds records to history.
    pub(crate) fn append_history(&mut self, records: impl IntoIterator<Item = HistoryEntry>) {
        for record in records {
            self.last_record += 1;
            self.note_failing(self.last_record, &record);
            self.history.insert(self.last_record, record);
        }
    }
}

/// How many there are.
pub(crate) fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
