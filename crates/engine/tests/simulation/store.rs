//! The store of the simulation: what `WorkStore` promises, in memory and so plain that it can be checked by reading.
//!
//! Nothing fails here. Faults are made by whoever calls: an answer that is lost, a write that is not made.

use std::collections::BTreeMap;

use punctual_model::history::Record;
use punctual_model::job::{Counters, Job, Uid};
use punctual_model::lane::{Host, Lane};
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use punctual_store::{Changed, CollectionId, HistoryEntry, JobId, Pause, WorkId};

/// All that is on disk, and the bell.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) collections: BTreeMap<CollectionId, Collection>,
    pub(crate) jobs: BTreeMap<JobId, JobRow>,
    pub(crate) rows: BTreeMap<WorkId, Row>,
    pub(crate) watermark: Option<Timestamp>,
    /// What was written to history and not yet looked at by whoever checks.
    pub(crate) unchecked: Vec<HistoryEntry>,
    changed: Changed,
    pub(crate) last: i64,
}

#[derive(Clone, Default)]
pub(crate) struct Collection {
    pub(crate) revision: i64,
    pub(crate) stopped_at: Option<Timestamp>,
    /// Pauses, each with the last job that was told of it.
    pub(crate) pauses: Vec<(Pause, JobId)>,
}

#[derive(Clone)]
pub(crate) struct JobRow {
    pub(crate) collection: CollectionId,
    pub(crate) uid: Uid,
    pub(crate) revision: i64,
    /// What it is; how far it has come stands in its row.
    pub(crate) stored: Job,
    pub(crate) counters: Counters,
    pub(crate) manual: u32,
    pub(crate) ended_at: Option<Timestamp>,
}

#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) job: JobId,
    pub(crate) revision: i64,
    pub(crate) lane: Lane,
    pub(crate) resends: u32,
    pub(crate) open: Open,
}

#[derive(Clone, Copy)]
pub(crate) enum Open {
    Schedule(Progress),
    Beside(Occurrence),
}

impl Row {
    /// What is open, if anything is.
    pub(crate) fn occurrence(&self) -> Option<Occurrence> {
        match self.open {
            Open::Schedule(progress) => progress.open,
            Open::Beside(occurrence) => Some(occurrence),
        }
    }

    /// How often it may have been sent, if this is what it holds from now on.
    pub(crate) fn resends_with(&self, open: Option<Occurrence>) -> u32 {
        let is_same = open.zip(self.occurrence()).is_some_and(|(open, kept)| open.is_same_attempt(&kept));
        if is_same { self.resends } else { 0 }
    }

    fn is_scheduled_beside(&self) -> bool {
        matches!(self.open, Open::Beside(occurrence) if occurrence.origin == Origin::Schedule)
    }
}

/// A job as an editor reads it.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) id: JobId,
    pub(crate) revision: i64,
    pub(crate) work_revision: i64,
    pub(crate) collection_revision: i64,
    pub(crate) collection_stopped_at: Option<Timestamp>,
    pub(crate) uid: Uid,
    pub(crate) stored: Job,
    pub(crate) scheduled_beside: u32,
}

/// What users do.
impl Store {
    pub(crate) fn take_changed(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    pub(crate) fn read_job(&self, id: JobId) -> Option<Draft> {
        let (job, row) = (self.jobs.get(&id)?, &self.rows[&id.into()]);
        let collection = &self.collections[&job.collection];
        Some(Draft {
            id,
            revision: job.revision,
            work_revision: row.revision,
            collection_revision: collection.revision,
            collection_stopped_at: collection.stopped_at,
            uid: job.uid,
            stored: Job { progress: self.progress(id), ..job.stored.clone() },
            scheduled_beside: self.scheduled_beside(id, None),
        })
    }

    pub(crate) fn insert_job(
        &mut self,
        collection: CollectionId,
        uid: Uid,
        stored: Job,
        not_run: Vec<Record>,
    ) -> JobId {
        self.last += 1;
        let id = JobId(self.last);
        let lane = lane(collection, &stored, Phase::Main);
        let open = Open::Schedule(stored.progress);
        self.rows.insert(id.into(), Row { job: id, revision: 1, lane, resends: 0, open });
        let counters = Counters::default();
        self.jobs.insert(id, JobRow { collection, uid, revision: 1, stored, counters, manual: 0, ended_at: None });
        self.note_not_run(id, 1, not_run);
        self.changed.jobs.insert(id);
        id
    }

    /// Says whether it was as it was read.
    pub(crate) fn update_job(&mut self, read: &Draft, stored: Job, not_run: Vec<Record>, now: Timestamp) -> bool {
        let Some(job) = self.jobs.get_mut(&read.id) else { return false };
        let row = self.rows.get_mut(&read.id.into()).expect("a job has a row");
        let collection = &self.collections[&job.collection];
        let is_same = (job.revision, row.revision, collection.revision)
            == (read.revision, read.work_revision, read.collection_revision);
        if !is_same {
            return false;
        }
        let open = stored.progress.open;
        row.resends = row.resends_with(open);
        row.revision += 1;
        row.open = Open::Schedule(stored.progress);
        row.lane = lane(job.collection, &stored, open.map_or(Phase::Main, |open| open.phase));
        job.revision += 1;
        job.ended_at = stored.state.kind().is_final().then_some(now);
        job.stored = stored;
        let (collection, stored, revision) = (job.collection, job.stored.clone(), job.revision);
        for row in self.rows.values_mut().filter(|row| row.job == read.id) {
            if let Open::Beside(occurrence) = row.open {
                row.revision += 1;
                row.lane = lane(collection, &stored, occurrence.phase);
            }
        }
        self.note_not_run(read.id, revision, not_run);
        self.changed.jobs.insert(read.id);
        true
    }

    pub(crate) fn delete_job(&mut self, id: JobId) {
        self.jobs.remove(&id);
        self.rows.retain(|_, row| row.job != id);
        self.changed.jobs.insert(id);
    }

    /// Says whether there was room.
    pub(crate) fn run_job(&mut self, id: JobId, now: Timestamp, waiting_max: usize) -> bool {
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        let is_manual = |row: &&Row| {
            let is_manual = matches!(row.open, Open::Beside(occurrence) if occurrence.origin != Origin::Schedule);
            row.job == id && is_manual
        };
        if self.rows.values().filter(is_manual).count() >= waiting_max {
            return false;
        }
        job.manual += 1;
        self.last += 1;
        let lane = lane(job.collection, &job.stored, Phase::Main);
        let open = Open::Beside(Occurrence::asked_for(Origin::Manual(job.manual), now, now));
        self.rows.insert(WorkId(self.last), Row { job: id, revision: 1, lane, resends: 0, open });
        self.changed.jobs.insert(id);
        true
    }

    pub(crate) fn switch_collection(&mut self, id: CollectionId, is_enabled: bool, now: Timestamp) {
        let collection = self.collections.get_mut(&id).expect("a collection");
        match (is_enabled, collection.stopped_at) {
            (true, Some(from)) => {
                collection.stopped_at = None;
                collection.pauses.push((Pause { from, until: now.max(from) }, JobId(0)));
            }
            (false, None) => collection.stopped_at = Some(now),
            _ => return,
        }
        collection.revision += 1;
        self.changed.all = true;
    }

    fn note_not_run(&mut self, job: JobId, revision: i64, records: Vec<Record>) {
        let entry = |record| HistoryEntry { job, record, node: 0, revision, is_duplicate: false };
        self.unchecked.extend(records.into_iter().map(entry));
    }
}

impl Store {
    pub(crate) fn progress(&self, job: JobId) -> Progress {
        let Open::Schedule(progress) = self.rows[&job.into()].open else { unreachable!("the schedule's row") };
        progress
    }

    pub(crate) fn scheduled_beside(&self, job: JobId, but: Option<WorkId>) -> u32 {
        let others = self.rows.iter().filter(|(id, row)| row.job == job && Some(**id) != but);
        u32::try_from(others.filter(|(_, row)| row.is_scheduled_beside()).count()).expect("few rows")
    }
}

fn lane(collection: CollectionId, stored: &Job, phase: Phase) -> Lane {
    let action = &stored.definition.action;
    let target = match (phase, &action.error) {
        (Phase::Error, Some(error)) => &error.target,
        _ => &action.target,
    };
    Lane::new(collection.0, &Host::of(target))
}
