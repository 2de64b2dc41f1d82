//! Reads the columns of a row one after the other.
//!
//! Rows of work are read by hundreds, and to look for each column by its name took longer than to read it.

use punctual_model::time::Timestamp;
use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::error::Error;

/// The columns of a row that were not read yet.
pub(super) struct Cells<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(super) const fn of(row: &'a Row<'a>) -> Self {
        Self { row, next: 0 }
    }

    /// What is in the next column.
    pub(super) fn next<T: FromSql>(&mut self) -> Result<T, Error> {
        let column = self.take();
        Ok(self.row.get(column)?)
    }

    /// The text in the next column, which always has one.
    pub(super) fn next_text(&mut self) -> Result<&'a str, Error> {
        let column = self.take();
        Ok(self.row.get_ref(column)?.as_str()?)
    }

    /// The text in the next column, if there is one.
    pub(super) fn next_optional_text(&mut self) -> Result<Option<&'a str>, Error> {
        let column = self.take();
        Ok(self.row.get_ref(column)?.as_str_or_null()?)
    }

    /// The bytes in the next column.
    pub(super) fn next_blob(&mut self) -> Result<&'a [u8], Error> {
        let column = self.take();
        Ok(self.row.get_ref(column)?.as_blob()?)
    }

    /// The instant in the next column, if there is one.
    pub(super) fn next_instant(&mut self) -> Result<Option<Timestamp>, Error> {
        let column = self.take();
        let ticks: Option<i64> = self.row.get(column)?;
        let wrong = |ticks| Error::corrupt(format!("{}: {ticks} is no instant", self.name_of(column)));
        ticks.map(|ticks| Timestamp::from_ticks(ticks).ok_or_else(|| wrong(ticks))).transpose()
    }

    /// The instant in the next column, which always has one.
    pub(super) fn next_required_instant(&mut self) -> Result<Timestamp, Error> {
        let column = self.next;
        self.next_instant()?.ok_or_else(|| Error::corrupt(format!("{} is empty", self.name_of(column))))
    }

    /// Leaves so many columns out.
    pub(super) const fn skip(&mut self, columns: usize) {
        self.next += columns;
    }

    const fn take(&mut self) -> usize {
        let column = self.next;
        self.next += 1;
        column
    }

    fn name_of(&self, column: usize) -> &str {
        self.row.as_ref().column_name(column).unwrap_or("a column")
    }
}
