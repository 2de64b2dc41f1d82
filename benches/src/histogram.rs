//! How often something took how long.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of microseconds, in steps of 3 % and less. Many may count at once.
pub struct Histogram {
    counts: Vec<AtomicU64>,
}

/// Steps in which the times between a number and its double are counted, as a power of two.
const STEPS_BITS: u32 = 5;
/// As many as the longest time needs.
const COUNTS: usize = ((64 - STEPS_BITS as usize) + 1) << STEPS_BITS;

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty one.
    pub fn new() -> Self {
        Self { counts: (0..COUNTS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Counts one.
    pub fn add(&self, microseconds: u64) {
        self.counts[index(microseconds)].fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many were counted.
    pub fn len(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// The milliseconds that so many of a hundred did not exceed; none took 0.
    #[expect(clippy::cast_precision_loss, reason = "there are not so many, and none took so long")]
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        let wanted = self.len() as f64 * percent / 100.0;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count.load(Ordering::Relaxed);
            if seen > 0 && seen as f64 >= wanted {
                return longest(index) as f64 / 1000.0;
            }
        }
        0.0
    }
}

/// Where a time is counted: small ones each by itself, others with those that begin with the same bits.
fn index(microseconds: u64) -> usize {
    let shift = (63 - STEPS_BITS).saturating_sub(microseconds.leading_zeros());
    usize::try_from((u64::from(shift) << STEPS_BITS) + (microseconds >> shift)).expect("fewer than 2,000")
}

/// The longest time that is counted there.
fn longest(index: usize) -> u64 {
    let steps = 1_u64 << STEPS_BITS;
    let index = index as u64;
    let shift = (index >> STEPS_BITS).saturating_sub(1);
    let first = index - (shift * steps);
    ((first + 1) << shift) - 1
}
