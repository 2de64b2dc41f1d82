//! What the engine asks of the store: the same functions as `WorkStore` has.

use std::sync::Arc;

use punctual_model::job::JobState;
use punctual_model::time::Timestamp;
use punctual_store::{
    DefinitionRead, DueKey, DuePage, HistoryEntry, JobDefinition, JobId, OpenWork, PausedJobs, Revision, RowChange,
    WorkChange, WorkEntry, WorkId, WorkRead, Written,
};

use crate::store::{JobRow, Open, Row, Store};

impl Store {
    pub(crate) fn take_over(&mut self) -> u64 {
        let Some(watermark) = self.watermark.take() else { return 0 };
        let mut marked = 0;
        for row in self.rows.values_mut() {
            if row.occurrence().is_some_and(|open| open.wake_at <= watermark) {
                row.resends = row.resends.max(1);
                row.revision += 1;
                marked += 1;
            }
        }
        marked
    }

    pub(crate) fn due(&self, page: DuePage) -> Vec<DueKey> {
        let mut keys: Vec<DueKey> = self.keys().filter(|key| page.lane.is_none_or(|lane| key.lane == lane)).collect();
        keys.sort_unstable();
        keys.retain(|key| key.wake_at <= page.until && page.start.has(key));
        keys.truncate(page.limit);
        keys
    }

    pub(crate) fn due_of(&self, jobs: &[JobId]) -> Vec<DueKey> {
        self.keys().filter(|key| jobs.contains(&key.job)).collect()
    }

    fn keys(&self) -> impl Iterator<Item = DueKey> {
        self.rows.iter().filter_map(|(id, row)| {
            let wake_at = row.occurrence()?.wake_at;
            Some(DueKey { wake_at, lane: row.lane, id: *id, job: row.job })
        })
    }

    pub(crate) fn work(&self, ids: &[WorkId]) -> Vec<WorkRead> {
        ids.iter().filter_map(|id| Some(Ok(self.entry(*id, self.rows.get(id)?)))).collect()
    }

    fn entry(&self, id: WorkId, row: &Row) -> WorkEntry {
        let job = &self.jobs[&row.job];
        let collection = &self.collections[&job.collection];
        let open = match row.open {
            Open::Schedule(progress) => OpenWork::Schedule(progress),
            Open::Beside(occurrence) => OpenWork::Beside {
                occurrence,
                schedule: self.progress(row.job),
                schedule_revision: Revision(self.rows[&row.job.into()].revision),
            },
        };
        let untold = collection.pauses.iter().filter(|(_, told)| *told < row.job);
        WorkEntry {
            id,
            job: row.job,
            revision: Revision(row.revision),
            lane: row.lane,
            resends: row.resends,
            open,
            scheduled_beside: self.scheduled_beside(row.job, Some(id)),
            job_revision: Revision(job.revision),
            collection: job.collection,
            sku: None,
            collection_stopped_at: collection.stopped_at,
            pauses: untold.map(|(pause, _)| *pause).collect(),
        }
    }

    pub(crate) fn definitions(&self, jobs: &[JobId]) -> Vec<DefinitionRead> {
        let read = |id: &JobId| {
            let job = self.jobs.get(id)?;
            Some(Ok(JobDefinition {
                id: *id,
                revision: Revision(job.revision),
                uid: job.uid,
                path: Arc::from(format!("s/g/c/{}", id.0)),
                definition: Arc::new(job.stored.definition.clone()),
                state: job.stored.state,
                anchor: job.stored.anchor,
                series: job.stored.series,
                bytes: 1000,
            }))
        };
        jobs.iter().filter_map(read).collect()
    }

    pub(crate) fn write_work(&mut self, changes: Vec<WorkChange>, notes: Vec<HistoryEntry>) -> Vec<Written> {
        let written = changes.into_iter().map(|change| self.write_one(change)).collect();
        self.unchecked.extend(notes);
        written
    }

    fn write_one(&mut self, change: WorkChange) -> Written {
        let is_as_read = self.rows.get(&change.id).is_some_and(|row| Revision(row.revision) == change.revision);
        let schedule = WorkId::from(change.job);
        let is_schedule_as_read = match change.row {
            RowChange::Beside { schedule: Some((revision, _)), .. } => {
                self.rows.get(&schedule).is_some_and(|row| Revision(row.revision) == revision)
            }
            _ => true,
        };
        if !is_as_read || !is_schedule_as_read {
            return Written::Stale;
        }
        let row = self.rows.get_mut(&change.id).expect("it was there");
        if change.row == RowChange::Resent {
            row.revision += 1;
            row.resends += 1;
            return Written::Applied { revision: Revision(row.revision), beside: None };
        }
        let stays = match change.row {
            RowChange::Schedule { progress, .. } => progress.open,
            RowChange::Beside { occurrence, .. } => occurrence,
            RowChange::Resent => None,
        };
        row.revision += 1;
        row.resends = row.resends_with(stays);
        row.lane = change.lane;
        let mut made = None;
        match change.row {
            RowChange::Schedule { progress, beside } => {
                row.open = Open::Schedule(progress);
                if let Some(occurrence) = beside {
                    self.last += 1;
                    made = Some(WorkId(self.last));
                    let open = Open::Beside(occurrence);
                    let row = Row { job: change.job, revision: 1, lane: change.lane, resends: 0, open };
                    self.rows.insert(WorkId(self.last), row);
                }
            }
            RowChange::Beside { occurrence, schedule: of_schedule } => {
                match occurrence {
                    Some(occurrence) => row.open = Open::Beside(occurrence),
                    None => _ = self.rows.remove(&change.id),
                }
                if let Some((_, last_failed)) = of_schedule {
                    let row = self.rows.get_mut(&schedule).expect("a job has a row");
                    row.revision += 1;
                    let Open::Schedule(progress) = &mut row.open else { unreachable!("the schedule's row") };
                    progress.last_failed = last_failed;
                }
            }
            RowChange::Resent => {}
        }
        let job = self.jobs.get_mut(&change.job).expect("a row has a job");
        job.counters = job.counters.plus(change.counted);
        if let Some((state, at)) = change.ends {
            job.stored.state = JobState::ended(state);
            job.ended_at = Some(at);
        }
        self.unchecked.extend(change.records);
        Written::Applied { revision: Revision(change.revision.0 + 1), beside: made }
    }

    pub(crate) fn paused_jobs(&self, limit: usize) -> Option<PausedJobs> {
        // One that is disabled again has to wait until it is enabled.
        let (id, (pause, told)) = self.collections.iter().find_map(|(id, collection)| {
            let first = collection.pauses.first().filter(|_| collection.stopped_at.is_none())?;
            Some((*id, *first))
        })?;
        let of_collection = self.jobs.iter().filter(|(_, job)| job.collection == id).map(|(id, _)| *id);
        let jobs: Vec<JobId> = of_collection.filter(|job| *job > told).take(limit).collect();
        let next = jobs.last().filter(|_| jobs.len() == limit).map(|last| last.0.to_string());
        let rows = jobs.into_iter().map(WorkId::from).collect();
        Some(PausedJobs { collection: id, pause, rows, next })
    }

    pub(crate) fn resumed_jobs(&mut self, done: &PausedJobs) {
        let Some(collection) = self.collections.get_mut(&done.collection) else { return };
        match &done.next {
            Some(next) => {
                let told = JobId(next.parse().expect("a number"));
                for (_, until) in collection.pauses.iter_mut().filter(|(pause, _)| *pause == done.pause) {
                    *until = told;
                }
            }
            None => collection.pauses.retain(|(pause, _)| *pause != done.pause),
        }
    }

    pub(crate) fn begun(&self, after: WorkId, now: Timestamp, limit: usize) -> Vec<WorkId> {
        let has_begun = |row: &Row| row.occurrence().is_some_and(|open| !open.is_untried() || open.wake_at <= now);
        let rows = self.rows.iter().filter(|(id, row)| **id > after && has_begun(row));
        rows.map(|(id, _)| *id).take(limit).collect()
    }

    pub(crate) fn remove_ended(&mut self, before: Timestamp) -> Vec<JobId> {
        let is_old = |job: &JobRow| job.ended_at.is_some_and(|ended| ended < before);
        let old: Vec<JobId> = self.jobs.iter().filter(|(_, job)| is_old(job)).map(|(id, _)| *id).collect();
        for id in &old {
            self.delete_job(*id);
        }
        old
    }
}
