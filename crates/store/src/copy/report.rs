//! What came of a copy.

/// A row, or a file of history, that was not copied as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The table.
    pub table: String,
    /// The key of the row; empty for a whole file.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
    /// Whether the row is in the copy all the same, with an action that neither store can open.
    pub is_kept: bool,
}

/// A table, as it was found in both stores after the copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedTable {
    /// What it is called.
    pub name: String,
    /// The rows of the source that were copied, and of the target.
    pub rows: (u64, u64),
    /// Checksums over all values of the source and of the target, with actions opened.
    pub checksums: (String, String),
}

impl CopiedTable {
    /// Whether both stores have the same.
    pub fn is_same(&self) -> bool {
        self.rows.0 == self.rows.1 && self.checksums.0 == self.checksums.1
    }
}

/// What came of a copy: whether it was verified, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// The source, without a password.
    pub from: String,
    /// The target, without a password.
    pub to: String,
    /// Rows that an earlier, interrupted copy had written.
    pub resumed_rows: u64,
    /// Rows that this copy has written.
    pub copied_rows: u64,
    /// The tables, each with what it was verified by.
    pub tables: Vec<CopiedTable>,
    /// What could not be read, the first of them.
    pub left_out: Vec<LeftOut>,
    /// How many that are.
    pub left_out_count: u64,
}

impl CopyReport {
    /// Things that are named. A store that is damaged in more places says nothing new about itself.
    pub(super) const NAMED_MAX: usize = 1_000;

    pub(super) fn leave_out(&mut self, left_out: Vec<LeftOut>) {
        self.left_out_count += left_out.len() as u64;
        let room = Self::NAMED_MAX.saturating_sub(self.left_out.len());
        self.left_out.extend(left_out.into_iter().take(room));
    }

    /// Whether both stores have the same rows.
    pub fn is_verified(&self) -> bool {
        self.tables.iter().all(CopiedTable::is_same)
    }

    /// All rows of the copy.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows.1).sum()
    }
}
