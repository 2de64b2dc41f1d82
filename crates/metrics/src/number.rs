//! The two kinds of single numbers.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A number that only grows while the process lives.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts one more.
    pub fn increment(&self) {
        self.add(1);
    }

    /// Counts some more.
    pub fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    /// The number so far.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// A gauge that shows a number from the beginning.
    pub const fn new(value: i64) -> Self {
        Self(AtomicI64::new(value))
    }

    /// Shows another number from now on.
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Shows a number of things from now on.
    pub fn set_count(&self, count: usize) {
        self.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// The number at the moment.
    pub fn value(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}
