//! Reads the columns of a row one after the other, whatever database the row is from.
//!
//! Rows of work are read by hundreds, and to look for each column by its name took longer than to read it.

use punctual_model::time::Timestamp;

use crate::error::Error;

/// A row of a database, as far as reading it needs. A column of another kind than the one that is asked for is corrupt.
pub(crate) trait Fields {
    /// The integer in a column, if there is one. A truth value is 0 or 1.
    fn integer(&self, column: usize) -> Result<Option<i64>, Error>;

    /// The text in a column, if there is one.
    fn text(&self, column: usize) -> Result<Option<&str>, Error>;

    /// The bytes in a column, if there are any.
    fn blob(&self, column: usize) -> Result<Option<&[u8]>, Error>;

    /// What a column is called.
    fn name(&self, column: usize) -> &str;
}

/// The columns of a row that were not read yet.
pub(crate) struct Cells<'a> {
    row: &'a dyn Fields,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) const fn of(row: &'a dyn Fields) -> Self {
        Self { row, next: 0 }
    }

    /// What is in the next column.
    pub(crate) fn next<T: Cell>(&mut self) -> Result<T, Error> {
        let column = self.take();
        T::read(self.row, column)
    }

    /// The text in the next column, which always has one.
    pub(crate) fn next_text(&mut self) -> Result<&'a str, Error> {
        let column = self.take();
        self.row.text(column)?.ok_or_else(|| empty(self.row, column))
    }

    /// The text in the next column, if there is one.
    pub(crate) fn next_optional_text(&mut self) -> Result<Option<&'a str>, Error> {
        let column = self.take();
        self.row.text(column)
    }

    /// The bytes in the next column.
    pub(crate) fn next_blob(&mut self) -> Result<&'a [u8], Error> {
        let column = self.take();
        self.row.blob(column)?.ok_or_else(|| empty(self.row, column))
    }

    /// The instant in the next column, if there is one.
    pub(crate) fn next_instant(&mut self) -> Result<Option<Timestamp>, Error> {
        let column = self.take();
        let wrong = |ticks| Error::corrupt(format!("{}: {ticks} is no instant", self.row.name(column)));
        let ticks = self.row.integer(column)?;
        ticks.map(|ticks| Timestamp::from_ticks(ticks).ok_or_else(|| wrong(ticks))).transpose()
    }

    /// The instant in the next column, which always has one.
    pub(crate) fn next_required_instant(&mut self) -> Result<Timestamp, Error> {
        let column = self.next;
        self.next_instant()?.ok_or_else(|| empty(self.row, column))
    }

    /// Leaves so many columns out.
    pub(crate) const fn skip(&mut self, columns: usize) {
        self.next += columns;
    }

    const fn take(&mut self) -> usize {
        let column = self.next;
        self.next += 1;
        column
    }
}

/// Something that a column holds.
pub(crate) trait Cell: Sized {
    /// Reads the column of a row; nothing if it is empty.
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error>;

    /// Reads the column of a row, which always has something.
    fn read(row: &dyn Fields, column: usize) -> Result<Self, Error> {
        Self::read_optional(row, column)?.ok_or_else(|| empty(row, column))
    }
}

impl<T: Cell> Cell for Option<T> {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        T::read_optional(row, column).map(Some)
    }
}

impl Cell for i64 {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        row.integer(column)
    }
}

impl Cell for u16 {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        read_number(row, column)
    }
}

impl Cell for u32 {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        read_number(row, column)
    }
}

impl Cell for u64 {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        read_number(row, column)
    }
}

impl Cell for bool {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        Ok(row.integer(column)?.map(|number| number != 0))
    }
}

impl Cell for String {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        Ok(row.text(column)?.map(str::to_owned))
    }
}

impl Cell for Vec<u8> {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        Ok(row.blob(column)?.map(<[u8]>::to_vec))
    }
}

impl<const N: usize> Cell for [u8; N] {
    fn read_optional(row: &dyn Fields, column: usize) -> Result<Option<Self>, Error> {
        let wrong = |_| Error::corrupt(format!("{}: {N} bytes are expected", row.name(column)));
        row.blob(column)?.map(|bytes| bytes.try_into().map_err(wrong)).transpose()
    }
}

fn read_number<T: TryFrom<i64>>(row: &dyn Fields, column: usize) -> Result<Option<T>, Error> {
    let wrong = |number| Error::corrupt(format!("{}: {number} is out of range", row.name(column)));
    row.integer(column)?.map(|number| T::try_from(number).map_err(|_| wrong(number))).transpose()
}

fn empty(row: &dyn Fields, column: usize) -> Error {
    Error::corrupt(format!("{} is empty", row.name(column)))
}
