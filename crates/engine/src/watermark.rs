//! Up to which wake time attempts may be started.
//!
//! Nothing is written down before an attempt is sent: that would be an fsync for each. Instead one instant is made durable
//! ahead of time, and nothing is started that wakes after it. Whoever finds it after a crash knows that everything up to it
//! may have been sent, and that nothing after it was.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

/// How far ahead the watermark is set.
const AHEAD_TICKS: i64 = 5 * TICKS_PER_SECOND;

/// A watermark nearer than this is set again.
const NEAR_TICKS: i64 = 2 * TICKS_PER_SECOND;

#[derive(Debug, Default)]
pub(crate) struct Watermark {
    durable: Option<Timestamp>,
    /// The value that is being written.
    asked: Option<Timestamp>,
    /// Nothing is asked for before this reading of the steady clock: the store could not write.
    rests_until: i64,
}

impl Watermark {
    /// Whether what wakes then may be started.
    pub(crate) fn covers(&self, wake_at: Timestamp) -> bool {
        self.durable.is_some_and(|durable| wake_at <= durable)
    }

    /// The value that is to be made durable now, because something wakes at `wake_at` and soon.
    pub(crate) fn ask(&mut self, wake_at: Timestamp, now: Timestamp, steady: i64) -> Option<Timestamp> {
        let needed = wake_at.max(now.saturating_add(NEAR_TICKS));
        if self.asked.is_some() || self.covers(needed) || steady < self.rests_until {
            return None;
        }
        self.asked = Some(now.max(wake_at).saturating_add(AHEAD_TICKS));
        self.asked
    }

    /// Takes note whether the value that was asked for is durable. If it is not, the next one is asked for after
    /// `rests_until`, a reading of the steady clock.
    pub(crate) fn record(&mut self, is_durable: bool, rests_until: i64) {
        let asked = self.asked.take();
        if is_durable {
            self.durable = self.durable.max(asked);
        } else {
            self.rests_until = rests_until;
        }
    }
}
