//! A clock that follows the paused time of a runtime, and can be set.

use std::sync::{Mutex, MutexGuard, PoisonError};

use punctual_model::time::{Clock, Timestamp};
use tokio::time::Instant;

/// What the clock on the wall and one that is never set show, across processes.
pub(crate) struct PausedClock(Mutex<Readings>);

struct Readings {
    wall: i64,
    steady: i64,
    /// Since when the time of a runtime counts; none while there is no process.
    since: Option<Instant>,
}

impl PausedClock {
    pub(crate) fn new(wall: Timestamp) -> Self {
        Self(Mutex::new(Readings { wall: wall.ticks(), steady: 0, since: None }))
    }

    /// Follows the runtime that runs now.
    pub(crate) fn start(&self) {
        self.readings().since = Some(Instant::now());
    }

    /// Stands still until the next runtime.
    pub(crate) fn stop(&self) {
        let mut readings = self.readings();
        let elapsed = readings.elapsed();
        readings.wall += elapsed;
        readings.steady += elapsed;
        readings.since = None;
    }

    /// Time goes by without a process.
    pub(crate) fn go_on(&self, ticks: i64) {
        let mut readings = self.readings();
        readings.wall += ticks;
        readings.steady += ticks;
    }

    /// Someone sets the clock on the wall.
    pub(crate) fn set_by(&self, ticks: i64) {
        self.readings().wall += ticks;
    }

    fn readings(&self) -> MutexGuard<'_, Readings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readings {
    fn elapsed(&self) -> i64 {
        let nanoseconds = self.since.map_or(0, |since| since.elapsed().as_nanos());
        i64::try_from(nanoseconds / 100).expect("a process of some minutes")
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        let readings = self.readings();
        Timestamp::from_ticks(readings.wall + readings.elapsed()).expect("an instant of this age")
    }

    fn steady(&self) -> i64 {
        let readings = self.readings();
        readings.steady + readings.elapsed()
    }

    fn uptime(&self) -> Option<i64> {
        Some(self.steady())
    }
}
