//! Rows beside the schedules of their jobs: manual runs, reruns and occurrences that overlap.

use punctual_store::{JobId, WorkId};

use crate::number_map::NumberMap;
use crate::row::RowState;

/// Known rows beside the schedules of their jobs, by job. A schedule's row has the number of its job.
#[derive(Default)]
pub(crate) struct BesideRows {
    rows: NumberMap<JobId, Vec<WorkId>>,
    jobs: NumberMap<WorkId, JobId>,
}

impl BesideRows {
    /// The known rows beside the schedule of a job.
    pub(crate) fn of_job(&self, job: JobId) -> impl Iterator<Item = WorkId> {
        self.rows.get(&job).into_iter().flatten().copied()
    }

    /// The job of a row that is beside its schedule, if the row is known as one.
    pub(crate) fn job_of(&self, id: WorkId) -> Option<JobId> {
        self.jobs.get(&id).copied()
    }

    pub(crate) fn add(&mut self, id: WorkId, job: JobId) {
        if id != WorkId::from(job) && self.jobs.insert(id, job).is_none() {
            self.rows.entry(job).or_default().push(id);
        }
    }

    pub(crate) fn remove(&mut self, id: WorkId) {
        let Some(job) = self.jobs.remove(&id) else { return };
        if let Some(rows) = self.rows.get_mut(&job) {
            rows.retain(|row| *row != id);
            if rows.is_empty() {
                self.rows.remove(&job);
            }
        }
    }

    pub(crate) fn check(&self, table: &NumberMap<WorkId, RowState>) -> Result<(), String> {
        match self.jobs.keys().find(|id| !table.contains_key(id)) {
            Some(id) => Err(format!("row {} is kept as one of a job, and is not known", id.0)),
            None => Ok(()),
        }
    }
}
