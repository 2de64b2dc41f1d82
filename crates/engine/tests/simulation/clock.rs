//! A clock that the simulation sets.

use std::sync::atomic::{AtomicI64, Ordering};

use punctual_model::time::{Clock, Timestamp};

/// What three clocks show: the one on the wall, one that is never set, and one that goes on while the machine sleeps.
pub(crate) struct FakeClock {
    wall: AtomicI64,
    steady: AtomicI64,
    uptime: AtomicI64,
}

impl FakeClock {
    pub(crate) fn new(wall: Timestamp) -> Self {
        Self { wall: AtomicI64::new(wall.ticks()), steady: AtomicI64::new(0), uptime: AtomicI64::new(0) }
    }

    /// Time goes by.
    pub(crate) fn go_on(&self, ticks: i64) {
        for clock in [&self.wall, &self.steady, &self.uptime] {
            clock.fetch_add(ticks, Ordering::Relaxed);
        }
    }

    /// Someone sets the clock on the wall.
    pub(crate) fn set_by(&self, ticks: i64) {
        self.wall.fetch_add(ticks, Ordering::Relaxed);
    }

    /// The machine sleeps.
    pub(crate) fn sleep(&self, ticks: i64) {
        self.wall.fetch_add(ticks, Ordering::Relaxed);
        self.uptime.fetch_add(ticks, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ticks(self.wall.load(Ordering::Relaxed)).expect("an instant of this age")
    }

    fn steady(&self) -> i64 {
        self.steady.load(Ordering::Relaxed)
    }

    fn uptime(&self) -> Option<i64> {
        Some(self.uptime.load(Ordering::Relaxed))
    }
}
