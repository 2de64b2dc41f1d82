//! Something that knows what time it is.

use super::Timestamp;

/// A clock. The server has that of the machine; a test has one that it sets.
pub trait Clock: Send + Sync {
    /// What it shows.
    fn now(&self) -> Timestamp;
}
