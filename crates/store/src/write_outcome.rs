//! What became of a write, in any database.

use crate::error::Error;

/// What became of a write.
#[derive(Debug)]
pub enum WriteOutcome<T> {
    /// The write is on disk.
    Written(T),
    /// Nothing of the write is on disk, and nothing will be.
    NotWritten(Error),
    /// The store's answer was lost: the write is on disk whole, or not at all.
    Unknown(Error),
}
