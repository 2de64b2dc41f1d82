//! Pages of rows without those that cannot be read.

use rusqlite::{Row, Rows};

use crate::error::Error;

pub(super) use crate::damage::Damage;

impl Damage {
    /// Reads rows until there are so many that can be read.
    pub(super) fn read_page<T>(
        &self,
        mut rows: Rows<'_>,
        limit: usize,
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut page = Vec::new();
        while page.len() < limit
            && let Some(row) = rows.next()?
        {
            page.extend(self.sieve(read(row))?);
        }
        Ok(page)
    }
}
