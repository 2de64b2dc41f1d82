//! How a write of a job wakes the engine.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Mutex, PoisonError};

use punctual_model::pause::Pauses;
use tokio::sync::Notify;

use crate::key::JobId;

/// Wakes the engine for jobs that were written. The bell is rung when the write is on disk and before its client has the
/// answer: the engine knows of every write that was acknowledged.
#[derive(Debug, Default)]
pub struct Bell {
    changed: Mutex<Changed>,
    waiting: Notify,
}

/// What was written since the engine last looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Jobs that were written.
    pub jobs: BTreeSet<JobId>,
    /// Collections were written, or more jobs than are remembered: anything may have changed.
    pub all: bool,
    /// The pauses of the server, if one has begun or ended.
    pub pauses: Option<Pauses>,
    /// All that other nodes had written is known up to this reading of the steady clock.
    pub heard_until: Option<i64>,
}

impl Changed {
    /// Whether there is nothing to hear.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty() && !self.all && self.pauses.is_none() && self.heard_until.is_none()
    }
}

impl Bell {
    /// Jobs that are remembered. After more of them the engine reads everything again.
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

    /// Rings for all jobs.
    pub fn ring_all(&self) {
        self.changed().all = true;
        self.waiting.notify_one();
    }

    /// Rings for all that was written.
    pub(crate) fn ring_for(&self, changed: Changed) {
        for job in changed.jobs {
            self.ring(job);
        }
        if changed.all {
            self.ring_all();
        }
        if let Some(pauses) = changed.pauses {
            self.ring_for_pauses(pauses);
        }
    }

    /// Rings because the server was paused, or is paused no more.
    pub fn ring_for_pauses(&self, pauses: Pauses) {
        self.changed().pauses = Some(pauses);
        self.waiting.notify_one();
    }

    /// Rings because the bell was rung for all that other nodes had written up to that reading of the steady clock.
    pub fn ring_for_others(&self, heard_until: i64) {
        self.changed().heard_until = Some(heard_until);
        self.waiting.notify_one();
    }

    /// Returns what the bell was rung for since the last call, and forgets it.
    pub fn take(&self) -> Changed {
        mem::take(&mut *self.changed())
    }

    /// Waits until the bell is rung. It may return once too often.
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
