//! What jobs call, by their numbers.

use std::collections::HashMap;

use punctual_store::{JobId, JobKey};

use super::Operations;
use crate::fault::Fault;

/// What jobs call, read once for each job within a request. History does not say it, and reading it takes opening the job: so the
/// number of jobs that are looked up is bounded.
pub(super) struct TargetLabels<'a> {
    operations: &'a Operations,
    /// None where the job is gone, or cannot be read.
    known: HashMap<JobId, Option<String>>,
    /// How many more jobs are looked up.
    looks: usize,
}

/// What is known of what a job calls.
pub(super) enum TargetLabel {
    /// This is it.
    Known(String),
    /// The job is gone, or cannot be read.
    Gone,
    /// As many jobs were looked up as may be.
    NotLookedUp,
}

impl<'a> TargetLabels<'a> {
    pub(super) fn new(operations: &'a Operations, looks: usize) -> Self {
        Self { operations, known: HashMap::new(), looks }
    }

    /// What the job of that number calls, which has that path.
    pub(super) async fn find(&mut self, job: JobId, key: &JobKey) -> Result<TargetLabel, Fault> {
        if let Some(known) = self.known.get(&job) {
            return Ok(known.clone().map_or(TargetLabel::Gone, TargetLabel::Known));
        }
        let Some(looks) = self.looks.checked_sub(1) else { return Ok(TargetLabel::NotLookedUp) };
        self.looks = looks;
        let label = match self.operations.store.job(key).await {
            // A job that was made anew under the same name is another one.
            Ok(found) => found.and_then(|(_, entry)| entry).filter(|entry| entry.id == job),
            Err(error) if error.is_of_one_record() => None,
            Err(error) => return Err(error.into()),
        };
        let label = label.map(|entry| entry.job.definition.action.target.label());
        self.known.insert(job, label.clone());
        Ok(label.map_or(TargetLabel::Gone, TargetLabel::Known))
    }
}
