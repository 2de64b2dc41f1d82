//! Rows of SQLite, as they are read.

use rusqlite::Row;

use crate::cells::Fields;
use crate::error::Error;

pub(super) use crate::cells::Cells;

impl Fields for Row<'_> {
    fn integer(&self, column: usize) -> Result<Option<i64>, Error> {
        // Its error names the column, unlike that of the value alone.
        Ok(self.get(column)?)
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
