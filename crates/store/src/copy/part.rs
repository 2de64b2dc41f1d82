//! What is copied as one: a table, or a segment of history.

use super::table::Table;
use super::tables::{ATTEMPT, TABLES};
use crate::history::segment::Segment;

/// A table, or a segment of history.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Table(&'static Table),
    Segment(Segment),
}

impl Part {
    /// All tables, and these segments behind them.
    pub(super) fn all(segments: impl IntoIterator<Item = Segment>) -> Vec<Self> {
        TABLES.iter().map(Self::Table).chain(segments.into_iter().map(Self::Segment)).collect()
    }

    /// Its columns.
    pub(crate) const fn table(self) -> &'static Table {
        match self {
            Self::Table(table) => table,
            Self::Segment(_) => &ATTEMPT,
        }
    }

    /// What it is called, in messages and as a table of PostgreSQL.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Table(table) => table.name.to_owned(),
            Self::Segment(segment) => segment.table_name(),
        }
    }
}
