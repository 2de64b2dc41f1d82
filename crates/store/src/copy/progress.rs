//! How far a copy has come.

/// What a copy is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Writes rows.
    Copying,
    /// Reads both stores again.
    Verifying,
}

/// How far a copy has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// The table it is at.
    pub table: String,
    /// Rows of this stage that are done.
    pub done: u64,
    /// Rows of this stage that were done before the copy was interrupted.
    pub done_before: u64,
    /// All rows of this stage.
    pub total: u64,
}
