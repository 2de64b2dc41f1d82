//! Which batches of the engine are on disk.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::key::BatchId;

/// Batches that are remembered. The engine asks for one of its last few, in the seconds after it was sent.
const REMEMBERED_MAX: usize = 4096;

/// The last batches that were written, by the process that asks: another process never asks for them.
#[derive(Debug, Default)]
pub(super) struct Landed(Mutex<BTreeSet<BatchId>>);

impl Landed {
    /// Remembers a batch that is on disk.
    pub(super) fn insert(&self, batch: BatchId) {
        let mut batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        batches.insert(batch);
        if batches.len() > REMEMBERED_MAX {
            batches.pop_first();
        }
    }

    /// Whether a batch is among them.
    pub(super) fn find(&self, batch: BatchId) -> Result<bool, Error> {
        let batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_forgotten = batches.len() == REMEMBERED_MAX && batches.first().is_some_and(|first| batch < *first);
        if is_forgotten {
            return Err(Error::unavailable(format!("batch {} is too old to be remembered", batch.0)));
        }
        Ok(batches.contains(&batch))
    }
}

#[cfg(test)]
mod tests {
    use super::{BatchId, Landed, REMEMBERED_MAX};

    #[test]
    fn the_last_batches_are_remembered() {
        let landed = Landed::default();
        for batch in 0..=REMEMBERED_MAX as u64 {
            landed.insert(BatchId(batch));
        }
        assert!(landed.find(BatchId(0)).is_err());
        assert!(landed.find(BatchId(1)).unwrap() && landed.find(BatchId(REMEMBERED_MAX as u64)).unwrap());
        assert!(!landed.find(BatchId(REMEMBERED_MAX as u64 + 1)).unwrap());
    }
}
