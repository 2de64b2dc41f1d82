//! Which rows are to be read, and when.

use std::collections::VecDeque;

use punctual_store::{JobId, WorkId};

use crate::row::Urgency;

/// Rows that are to be read. An index: a row is in one of the queues because its state says so. A row that left its queue
/// by another way is passed over when its turn comes.
#[derive(Default)]
pub(crate) struct Reads {
    now: VecDeque<WorkId>,
    ahead: VecDeque<WorkId>,
    later: Vec<WorkId>,
    /// Jobs whose definitions are to be read.
    definitions: Vec<JobId>,
    /// Jobs whose keys the store could not read.
    jobs_later: Vec<JobId>,
    /// The store is asked again at this reading of the steady clock.
    rests_until: i64,
    /// Reads that were sent and not answered.
    pub(crate) in_progress: usize,
}

impl Reads {
    pub(crate) fn add(&mut self, id: WorkId, urgency: Urgency) {
        match urgency {
            Urgency::Now => self.now.push_back(id),
            Urgency::Ahead => self.ahead.push_back(id),
            Urgency::Later => self.later.push(id),
        }
    }

    /// Has the definition of a job read.
    pub(crate) fn add_definition(&mut self, job: JobId) {
        self.definitions.push(job);
    }

    /// The jobs whose definitions are to be read, each once.
    pub(crate) fn take_definitions(&mut self) -> Vec<JobId> {
        let mut jobs = std::mem::take(&mut self.definitions);
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// Has the keys of these jobs read when the store has had its rest.
    pub(crate) fn read_keys_later(&mut self, jobs: Vec<JobId>) {
        self.jobs_later.extend(jobs);
    }

    /// Leaves the store alone until then.
    pub(crate) fn rest_until(&mut self, steady: i64) {
        self.rests_until = steady;
    }

    /// The rows and jobs that waited for the end of a rest, if it is over.
    pub(crate) fn take_rested(&mut self, steady: i64) -> (Vec<WorkId>, Vec<JobId>) {
        if steady < self.rests_until {
            return (Vec::new(), Vec::new());
        }
        (std::mem::take(&mut self.later), std::mem::take(&mut self.jobs_later))
    }

    /// The next row in the queues, those that are read ahead only if `has_ahead`.
    pub(crate) fn take_next(&mut self, has_ahead: bool) -> Option<(WorkId, Urgency)> {
        let now = self.now.pop_front().map(|id| (id, Urgency::Now));
        now.or_else(|| has_ahead.then(|| self.ahead.pop_front())?.map(|id| (id, Urgency::Ahead)))
    }

    /// Whether a row is in the queue of that urgency.
    pub(crate) fn has(&self, id: WorkId, urgency: Urgency) -> bool {
        match urgency {
            Urgency::Now => self.now.contains(&id),
            Urgency::Ahead => self.ahead.contains(&id),
            Urgency::Later => self.later.contains(&id),
        }
    }

    /// Jobs whose keys are to be read later.
    pub(crate) fn jobs_len(&self) -> usize {
        self.jobs_later.len()
    }
}
