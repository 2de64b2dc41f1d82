//! What the engine writes, many rows at a time, and what becomes of it.

use punctual_model::failure::Failure;
use punctual_model::health::HealthChange;
use punctual_model::job::{Counters, State};
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Phase};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;

use crate::history::HistoryEntry;
use crate::key::{BatchId, CollectionId, JobId, NodeId, Revision, WorkId};
use crate::write_outcome::WriteOutcome;

/// What is written in one transaction of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The node that writes it.
    pub node: NodeId,
    /// Its number, by which the store can be asked whether it landed.
    pub id: BatchId,
    /// Changes of rows, in the order of their rows.
    pub changes: Vec<WorkChange>,
    /// Records of what changes no row.
    pub notes: Vec<HistoryEntry>,
}

/// What became of a batch: if it is on disk, what became of each change, in their order. If that is unknown,
/// [`has_landed`](crate::WorkStore::has_landed) says it.
pub type BatchOutcome = WriteOutcome<Vec<Written>>;

/// What becomes of a row of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkChange {
    /// The row.
    pub id: WorkId,
    /// The job it is of.
    pub job: JobId,
    /// The collection the job is in, as the row was read with it: its records are counted there.
    pub collection: CollectionId,
    /// The version that was read.
    pub revision: Revision,
    /// Whether the row stays as it is if its shard is another node's by now. A decision about a row is its owner's, because the next
    /// owner may have started it; what became of an attempt is true whoever brings it.
    pub needs_shard: bool,
    /// What the row holds from now on. Its resends begin at 0, unless the same attempt of the same occurrence stays open.
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

impl WorkChange {
    /// What the change adds to how its job stands.
    pub fn health(&self) -> HealthChange {
        HealthChange::of(self.records.iter().filter(|entry| !entry.is_duplicate).map(|entry| &entry.record))
    }

    /// Why the action failed, if its error action is open from now on and was not before.
    pub fn failure_of_action(&self) -> Option<&Failure> {
        let mut of_action = self.records.iter().map(|entry| &entry.record).filter(|record| record.phase == Phase::Main);
        of_action.find_map(|record| record.failure.as_ref()).filter(|_| self.opens_error_action())
    }

    fn opens_error_action(&self) -> bool {
        let open = match &self.row {
            RowChange::Schedule { progress, .. } => progress.open,
            RowChange::Beside { occurrence, .. } => *occurrence,
            RowChange::Resent => None,
        };
        open.is_some_and(|open| open.phase == Phase::Error)
    }
}

/// An occurrence that gets a row of its own beside the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BesideRow {
    /// The occurrence.
    pub occurrence: Occurrence,
    /// How often it may have been sent before.
    pub resends: u32,
}

impl From<Occurrence> for BesideRow {
    /// An occurrence that was not sent before.
    fn from(occurrence: Occurrence) -> Self {
        Self { occurrence, resends: 0 }
    }
}

/// What a row of work holds from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// The schedule of the job, and an occurrence that it opened and that gets a row of its own.
    Schedule {
        /// The schedule.
        progress: Progress,
        /// The occurrence that is to run beside it.
        beside: Option<BesideRow>,
    },
    /// An occurrence beside the schedule; its row goes if there is none.
    Beside {
        /// The occurrence.
        occurrence: Option<Occurrence>,
        /// Where it is one of the schedule's: the version of the schedule's row that was read, and whether the last
        /// attempt has failed from now on.
        schedule: Option<(Revision, bool)>,
    },
    /// What the row held, which is about to be sent again although it may have been sent before.
    Resent,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// The change is on disk.
    Applied {
        /// The revision of the row from now on.
        revision: Revision,
        /// The new row beside the schedule, if one was to be made.
        beside: Option<WorkId>,
    },
    /// The row was not as it was read, or its shard is another node's; nothing of the change was written.
    Stale,
    /// The database cannot take this change, for this reason; nothing of it was written, and trying again will not help.
    Refused(String),
}
