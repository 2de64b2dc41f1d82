//! A clock.

use super::Timestamp;

/// A clock. The server uses the clock of the machine; a test uses one that it sets.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// Ticks of a monotonic clock with an arbitrary zero, which may stand still while the machine sleeps. Falls back to
    /// `now` where there is no such clock.
    fn steady(&self) -> i64 {
        self.now().ticks()
    }

    /// Ticks since the machine was started, its sleep included, where that is known.
    fn uptime(&self) -> Option<i64> {
        None
    }
}
