//! How many streams of events there are, and whose.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::Fault;
use crate::limits;

/// The places of those who watch. One caller cannot have all of them.
pub(crate) struct Streams {
    permits: Arc<Semaphore>,
    by_caller: Arc<ByCaller>,
}

#[derive(Default)]
struct ByCaller(Mutex<HashMap<String, usize>>);

/// The place of one stream; free again when this is dropped.
pub(crate) struct StreamPermit {
    caller: String,
    by_caller: Arc<ByCaller>,
    _permit: OwnedSemaphorePermit,
}

impl Default for Streams {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(limits::EVENT_STREAMS_MAX)), by_caller: Arc::default() }
    }
}

impl Streams {
    /// A place for one more stream of a caller.
    pub(crate) fn open(&self, caller: &str) -> Result<StreamPermit, Fault> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_| Fault::TooManyStreams { max: limits::EVENT_STREAMS_MAX, is_callers: false })?;
        let mut numbers = self.by_caller.numbers();
        let number = numbers.entry(caller.to_owned()).or_default();
        if *number >= limits::EVENT_STREAMS_OF_CALLER_MAX {
            let max = limits::EVENT_STREAMS_OF_CALLER_MAX;
            return Err(Fault::TooManyStreams { max, is_callers: true });
        }
        *number += 1;
        Ok(StreamPermit { caller: caller.to_owned(), by_caller: Arc::clone(&self.by_caller), _permit: permit })
    }
}

impl ByCaller {
    fn numbers(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut numbers = self.by_caller.numbers();
        if let Some(number) = numbers.get_mut(&self.caller) {
            *number -= 1;
            if *number == 0 {
                numbers.remove(&self.caller);
            }
        }
    }
}
