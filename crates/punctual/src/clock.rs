//! The one place where the clock is read.

use std::time::{SystemTime, UNIX_EPOCH};

use punctual_model::time::{Clock, Timestamp};

/// The clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    /// What it shows, held within the years 1 to 9999.
    fn now(&self) -> Timestamp {
        let ticks = |since: std::time::Duration| i64::try_from(since.as_nanos() / 100).unwrap_or(i64::MAX);
        let since_epoch = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => ticks(after),
            Err(before) => -ticks(before.duration()),
        };
        Timestamp::EPOCH.saturating_add(since_epoch)
    }
}
