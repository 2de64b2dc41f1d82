//! A clock for caches: how many seconds ago was a name looked up, or a connection last used?
//!
//! Nothing in this crate reads the system's clock. A task counts seconds, and each cache entry remembers the count.

use std::sync::atomic::{AtomicU32, Ordering};

/// Seconds since the first call, counted by the upkeep task of [`crate::Actions`].
#[derive(Debug, Default)]
pub(crate) struct CoarseClock(AtomicU32);

impl CoarseClock {
    /// The seconds counted so far.
    pub(crate) fn seconds(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts one more second.
    pub(crate) fn advance_second(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
