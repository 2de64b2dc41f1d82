//! How long something took, in buckets.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};

use punctual_model::time::TICKS_PER_MILLISECOND;

/// The upper ends of the buckets: as text, and in ticks. From a millisecond, by which a well server is late, to half an
/// hour, which is the longest time-out of an attempt. One set for all histograms, so that they can be laid over each other.
pub(crate) const BOUNDS: [(&str, u64); 17] = [
    ("0.001", ticks(1)),
    ("0.0025", ticks(5) / 2),
    ("0.005", ticks(5)),
    ("0.01", ticks(10)),
    ("0.025", ticks(25)),
    ("0.05", ticks(50)),
    ("0.1", ticks(100)),
    ("0.25", ticks(250)),
    ("0.5", ticks(500)),
    ("1", ticks(1000)),
    ("2.5", ticks(2500)),
    ("5", ticks(5000)),
    ("10", ticks(10_000)),
    ("30", ticks(30_000)),
    ("60", ticks(60_000)),
    ("300", ticks(300_000)),
    ("1800", ticks(1_800_000)),
];

const fn ticks(milliseconds: i64) -> u64 {
    (milliseconds * TICKS_PER_MILLISECOND).unsigned_abs()
}

/// Counts durations by how long they were.
#[derive(Debug)]
pub struct Histogram {
    /// The last one has no upper end.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_ticks: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: array::from_fn(|_| AtomicU64::new(0)), sum_ticks: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts a duration. A negative one, after the clock went back, counts as none.
    pub fn observe(&self, ticks: i64) {
        let ticks = u64::try_from(ticks).unwrap_or(0);
        let bucket = BOUNDS.iter().position(|(_, bound)| ticks <= *bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_ticks.fetch_add(ticks, Ordering::Relaxed);
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.cumulated()[BOUNDS.len()]
    }

    /// The upper end of the bucket, in ticks, within which so many of a hundred durations were; none if nothing was counted, or
    /// if they were longer than any bucket.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let cumulated = self.cumulated();
        let wanted = (cumulated[BOUNDS.len()] * percent).div_ceil(100).max(1);
        let bucket = cumulated.iter().position(|count| *count >= wanted)?;
        BOUNDS.get(bucket).map(|(_, ticks)| *ticks)
    }

    /// For each bucket, how many durations were not longer than its upper end.
    pub(crate) fn cumulated(&self) -> [u64; BOUNDS.len() + 1] {
        let mut sum = 0;
        array::from_fn(|bucket| {
            sum += self.buckets[bucket].load(Ordering::Relaxed);
            sum
        })
    }

    /// All durations together.
    pub(crate) fn sum_ticks(&self) -> u64 {
        self.sum_ticks.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::time::TICKS_PER_SECOND;

    use super::*;

    #[test]
    fn bounds_are_what_their_texts_say() {
        for (text, ticks) in BOUNDS {
            let seconds: f64 = text.parse().unwrap();
            #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
            let said = ticks as f64 / TICKS_PER_SECOND as f64;
            assert!((said - seconds).abs() < 1e-9, "{text}");
        }
        assert!(BOUNDS.is_sorted_by_key(|(_, ticks)| ticks));
    }

    #[test]
    fn a_percentile_is_the_end_of_its_bucket() {
        let histogram = Histogram::default();
        assert_eq!(histogram.percentile(50), None);
        for milliseconds in [0, 1, 2, 4000] {
            histogram.observe(milliseconds * TICKS_PER_MILLISECOND);
        }
        assert_eq!(
            [50, 75, 99].map(|percent| histogram.percentile(percent)),
            [ticks(1), ticks(5) / 2, ticks(5000)].map(Some)
        );
    }

    #[test]
    fn a_duration_counts_in_every_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for ticks in [-5, 0, TICKS_PER_MILLISECOND, TICKS_PER_MILLISECOND + 1, 3600 * TICKS_PER_SECOND] {
            histogram.observe(ticks);
        }
        let cumulated = histogram.cumulated();
        assert_eq!((cumulated[0], cumulated[1], cumulated[16], cumulated[17]), (3, 4, 4, 5));
        assert_eq!(histogram.count(), 5);
        assert_eq!(histogram.sum_ticks(), (2 * TICKS_PER_MILLISECOND + 1 + 3600 * TICKS_PER_SECOND).unsigned_abs());
    }
}
