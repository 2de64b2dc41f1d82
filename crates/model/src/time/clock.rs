//! Something that knows what time it is.

use super::Timestamp;

/// A clock. The server has that of the machine; a test has one that it sets.
pub trait Clock: Send + Sync {
    /// What it shows.
    fn now(&self) -> Timestamp;

    /// A clock that is never set, in ticks since it does not matter when. It may stand still while the machine sleeps. One
    /// that knows no other shows the same as the clock on the wall.
    fn steady(&self) -> i64 {
        self.now().ticks()
    }

    /// Ticks since the machine was started, its sleep included, where that is known.
    fn uptime(&self) -> Option<i64> {
        None
    }
}
