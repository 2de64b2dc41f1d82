//! The one place where the clock is read.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use punctual_model::time::{Clock, Timestamp};

/// The clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    /// What it shows, held within the years 1 to 9999.
    fn now(&self) -> Timestamp {
        let since_epoch = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => ticks(after),
            Err(before) => -ticks(before.duration()),
        };
        Timestamp::EPOCH.saturating_add(since_epoch)
    }

    fn steady(&self) -> i64 {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        ticks(START.elapsed())
    }

    /// As the system writes it down: seconds since it was started, its sleep included.
    fn uptime(&self) -> Option<i64> {
        let text = std::fs::read_to_string("/proc/uptime").ok()?;
        let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok().map(ticks)
    }
}

fn ticks(span: Duration) -> i64 {
    i64::try_from(span.as_nanos() / 100).unwrap_or(i64::MAX)
}
