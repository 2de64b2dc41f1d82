//! Rows of SQLite, as they are read.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::cells::Fields;
use crate::error::Error;

pub(super) use crate::cells::Cells;

impl Fields for Row<'_> {
    fn integer(&self, column: usize) -> Result<Option<i64>, Error> {
        match self.get_ref(column)? {
            ValueRef::Integer(number) => Ok(Some(number)),
            ValueRef::Null => Ok(None),
            // An error that names the column. `get` for every value would take twice as long.
            _ => Ok(self.get(column)?),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, Error> {
        Ok(self.get_ref(column)?.as_str_or_null()?)
    }

    fn blob(&self, column: usize) -> Result<Option<&[u8]>, Error> {
        Ok(self.get_ref(column)?.as_blob_or_null()?)
    }

    fn name(&self, column: usize) -> &str {
        self.as_ref().column_name(column).unwrap_or("a column")
    }
}
