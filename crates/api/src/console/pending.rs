//! Deletions that can still be undone: they are carried out after some seconds, by this process. A restart cancels them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use punctual_store::JobKey;
use tokio::time::sleep;

use crate::condition::Condition;
use crate::limits::UNDO_SECONDS;
use crate::operations::{Caller, Operations, delete_job};

/// The deletions that wait.
#[derive(Clone, Default)]
pub(crate) struct Pending(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    last: u64,
    deletions: HashMap<u64, Vec<JobKey>>,
}

impl Pending {
    /// Has jobs deleted after a while. Gives the number by which that can be undone.
    pub(super) fn delete_later(&self, operations: Operations, caller: Caller, jobs: Vec<JobKey>) -> u64 {
        let number = {
            let mut waiting = self.waiting();
            waiting.last += 1;
            let number = waiting.last;
            waiting.deletions.insert(number, jobs);
            number
        };
        let pending = self.clone();
        tokio::spawn(async move {
            sleep(Duration::from_secs(UNDO_SECONDS)).await;
            for job in pending.take(number).unwrap_or_default() {
                if let Err(fault) = delete_job(&operations, &caller, &job, &Condition::default()).await {
                    tracing::warn!("{} was not deleted: {}", job.job, fault.sentence().1);
                }
            }
        });
        number
    }

    /// The jobs of a deletion that has not begun, which is forgotten.
    pub(super) fn take(&self, number: u64) -> Option<Vec<JobKey>> {
        self.waiting().deletions.remove(&number)
    }

    /// The jobs of a deletion that has not begun.
    pub(super) fn find(&self, number: u64) -> Option<Vec<JobKey>> {
        self.waiting().deletions.get(&number).cloned()
    }

    /// All jobs that are about to be deleted.
    pub(super) fn jobs(&self) -> Vec<JobKey> {
        self.waiting().deletions.values().flatten().cloned().collect()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
