//! Time for things that grow old: answers of name servers, connections nobody uses.
//!
//! Nothing here reads a clock. A task counts seconds by a timer, and whatever grows old remembers the count.

use std::sync::atomic::{AtomicU32, Ordering};

/// Seconds since the first call, counted by a task.
#[derive(Debug, Default)]
pub(crate) struct Pulse(AtomicU32);

impl Pulse {
    /// The count.
    pub(crate) fn seconds(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Another second has passed.
    pub(crate) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
