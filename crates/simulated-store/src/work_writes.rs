//! What the engine writes: many rows at a time, each on the condition that it is as it was read.

use punctual_model::job::JobState;
use punctual_store::{Batch, BesideRow, NodeId, Revision, RowChange, WorkChange, WorkId, Written};

use crate::tables::{OpenRow, Tables, WorkRow};

impl Tables {
    /// Writes a batch. Returns what became of each change, in their order.
    pub fn write_work(&mut self, batch: Batch) -> Vec<Written> {
        let Batch { node, id, changes, notes } = batch;
        let written = changes.into_iter().map(|change| self.write_change(change, node)).collect();
        self.append_history(notes);
        self.landed.insert((node, id));
        written
    }

    fn write_change(&mut self, change: WorkChange, node: NodeId) -> Written {
        if !self.is_as_read(&change) || (change.needs_shard && !self.has_shard_of(node, change.job)) {
            return Written::Stale;
        }
        if self.damage.refused_rows.contains(&change.id) {
            return Written::Refused("the simulation refuses it".to_owned());
        }
        let beside = self.change_row(&change);
        if let (Some(row), Some(failure)) = (self.work.get_mut(&change.id), change.failure_of_action()) {
            row.failure = Some(failure.clone());
        }
        let schedule = match change.row {
            RowChange::Beside { schedule, .. } => schedule,
            RowChange::Schedule { .. } | RowChange::Resent => None,
        };
        if let Some((_, last_failed)) = schedule {
            let row = self.work.get_mut(&change.job.into()).expect("a job has a schedule");
            row.revision.0 += 1;
            if let OpenRow::Schedule(progress) = &mut row.open {
                progress.last_failed = last_failed;
            }
        }
        if let Some((_, at)) = change.ends {
            self.keep_series(change.job, at);
        }
        let job = self.jobs.get_mut(&change.job).expect("a row has a job");
        job.counters = job.counters.plus(change.counted);
        if let Some((state, at)) = change.ends {
            job.state = JobState::ended(state);
            (job.ended_at, job.since, job.disabled_until) = (Some(at), at, None);
        }
        self.note_health(change.job, change.health());
        self.count_records(change.collection, &change.records);
        self.append_history(change.records);
        Written::Applied { revision: Revision(change.revision.0 + 1), beside }
    }

    /// Whether the row, and the schedule where that matters, are as they were read.
    fn is_as_read(&self, change: &WorkChange) -> bool {
        let is_at = |id: WorkId, revision| {
            self.work.get(&id).is_some_and(|row| (row.job, row.revision) == (change.job, revision))
        };
        let is_schedule_as_read = match change.row {
            RowChange::Beside { schedule: Some((revision, _)), .. } => is_at(change.job.into(), revision),
            _ => true,
        };
        is_at(change.id, change.revision) && is_schedule_as_read
    }

    /// Changes the row itself. Returns the new row beside the schedule, if one was to be made.
    fn change_row(&mut self, change: &WorkChange) -> Option<WorkId> {
        let row = self.work.get_mut(&change.id).expect("the row is as it was read");
        match change.row {
            RowChange::Resent => {
                row.revision.0 += 1;
                row.resends += 1;
                None
            }
            RowChange::Schedule { progress, beside } => {
                row.replace(OpenRow::Schedule(progress), change.lane);
                let new = |BesideRow { occurrence, resends }| {
                    let row = WorkRow::new(change.job, change.lane, OpenRow::Beside(occurrence));
                    WorkRow { resends, ..row }
                };
                beside.map(|beside| self.insert_work(new(beside)))
            }
            RowChange::Beside { occurrence: Some(occurrence), .. } => {
                row.replace(OpenRow::Beside(occurrence), change.lane);
                None
            }
            RowChange::Beside { occurrence: None, .. } => {
                self.work.remove(&change.id);
                None
            }
        }
    }
}
