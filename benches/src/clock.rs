//! The clock on the wall, in the ticks that jobs are written in.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use punctual_model::time::Timestamp;

/// What time it is.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    Timestamp::EPOCH.saturating_add(i64::try_from(since.as_nanos() / 100).expect("a clock before the year 9999"))
}

/// Waits until then.
pub fn sleep_until(at: Timestamp) {
    std::thread::sleep(duration(at.since(now())));
}

/// So many ticks; none if they are negative.
pub fn duration(ticks: i64) -> Duration {
    Duration::from_nanos(u64::try_from(ticks).unwrap_or(0).saturating_mul(100))
}
