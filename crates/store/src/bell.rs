//! How whoever writes jobs wakes whoever runs them.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::key::JobId;

/// The bell. It is rung after the write is on disk and before the writer is told so: what was acknowledged has been
/// heard.
#[derive(Debug, Default)]
pub struct Bell {
    changed: Mutex<Changed>,
    waiting: Notify,
}

/// For whom it was rung.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Jobs that were written.
    pub jobs: BTreeSet<JobId>,
    /// Collections were written, or so much that nobody remembers what: anything may have changed.
    pub all: bool,
}

impl Bell {
    /// So many jobs are remembered; after more of them everything is looked at anew.
    const JOBS_MAX: usize = 100_000;

    /// Rings for a job.
    pub fn ring(&self, job: JobId) {
        let mut changed = self.changed();
        if changed.jobs.len() < Self::JOBS_MAX {
            changed.jobs.insert(job);
        } else {
            changed.all = true;
        }
        drop(changed);
        self.waiting.notify_one();
    }

    /// Rings for everyone.
    pub fn ring_all(&self) {
        self.changed().all = true;
        self.waiting.notify_one();
    }

    /// Rings for all of these.
    pub(crate) fn ring_for(&self, changed: Changed) {
        for job in changed.jobs {
            self.ring(job);
        }
        if changed.all {
            self.ring_all();
        }
    }

    /// For whom it was rung since it was last asked.
    pub fn take(&self) -> Changed {
        mem::take(&mut *self.changed())
    }

    /// Waits until it is rung. It may be heard once more than it was rung.
    pub async fn heard(&self) {
        self.waiting.notified().await;
    }

    fn changed(&self) -> std::sync::MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bell, JobId};

    #[tokio::test]
    async fn it_is_heard_whenever_it_was_rung() {
        let bell = Bell::default();
        bell.ring(JobId(1));
        bell.ring(JobId(2));
        bell.heard().await;
        assert_eq!(bell.take().jobs, [JobId(1), JobId(2)].into());
        assert_eq!(bell.take(), super::Changed::default());
        bell.ring_all();
        bell.heard().await;
        assert!(bell.take().all);
    }

    #[test]
    fn after_too_many_it_is_rung_for_all() {
        let bell = Bell::default();
        for job in 0..=i64::try_from(Bell::JOBS_MAX).unwrap() {
            bell.ring(JobId(job));
        }
        assert!(bell.take().all);
    }
}
