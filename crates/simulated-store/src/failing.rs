//! Which jobs fail.

use std::sync::Arc;

use punctual_model::health::{self, HealthChange, RecentOutcome};
use punctual_store::{FailingJob, FailingPage, HistoryEntry, HistoryKey, JobId};

use crate::tables::Tables;

impl Tables {
    /// Takes note of what came of a job.
    pub(crate) fn note_health(&mut self, job: JobId, change: HealthChange) {
        if let Some(row) = self.jobs.get_mut(&job) {
            row.health = row.health.after(change);
        }
    }

    /// Takes note of what a record with that number says of its job.
    pub(crate) fn note_failing(&mut self, number: u64, entry: &HistoryEntry) {
        let (job, record) = (entry.job, &entry.record);
        match health::outcome(record).filter(|_| !entry.is_duplicate) {
            Some(RecentOutcome::Succeeded) => {
                self.failing.remove(&job);
            }
            Some(RecentOutcome::Failed) => {
                let (Some(failure), Some(row)) = (&record.failure, self.jobs.get(&job)) else { return };
                let before = self.failing.get(&job);
                let failing = FailingJob {
                    job,
                    path: Arc::from(self.path(job).unwrap_or_default()),
                    collection: row.collection,
                    target: row.definition.action.target.label(),
                    failure: failure.clone(),
                    since: before.map_or(record.started, |before| before.since),
                    count: before.map_or(0, |before| before.count) + 1,
                    record: HistoryKey::new(record.started, number).expect("fewer records than there are numbers"),
                    occurrence: record.occurrence,
                    retry_at: record.retry_at,
                };
                self.failing.insert(job, failing);
            }
            Some(RecentOutcome::NotRun) | None => {}
        }
    }

    /// A page of the jobs that fail, those whose last attempt is the latest first.
    pub fn failing_jobs(&self, page: &FailingPage) -> Vec<FailingJob> {
        let place = |failing: &FailingJob| (failing.place().started, failing.job);
        let is_after =
            |failing: &&FailingJob| page.after.is_none_or(|after| place(failing) < (after.started, after.job));
        let mut failing: Vec<FailingJob> = self.failing.values().filter(is_after).cloned().collect();
        failing.sort_by_key(|failing| std::cmp::Reverse(place(failing)));
        failing.truncate(page.limit);
        failing
    }
}
