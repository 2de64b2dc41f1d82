//! An entry of history as a row of SQLite.

use rusqlite::{CachedStatement, Connection, ToSql};

use crate::Error;
use crate::columns::attempt::AttemptColumns;
pub(super) use crate::columns::attempt::{COLUMNS, read};
use crate::history::HistoryEntry;

const VALUES: &str = "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// The statement that [`insert`] runs, once per row. No row may have a number that is there already.
pub(super) fn prepare_insert(connection: &Connection) -> Result<CachedStatement<'_>, Error> {
    Ok(connection.prepare_cached(&format!("insert into attempt {VALUES}"))?)
}

/// The same, where rows may be copied again after a crash.
pub(super) fn prepare_copy(connection: &Connection) -> Result<CachedStatement<'_>, Error> {
    Ok(connection.prepare_cached(&format!("insert or ignore into attempt {VALUES}"))?)
}

pub(super) fn insert(statement: &mut CachedStatement<'_>, number: i64, entry: &HistoryEntry) -> Result<(), Error> {
    let columns = AttemptColumns::of(number, entry);
    // Bound one by one, each by its own type: a list of them all takes twice the time, for every attempt.
    let mut binding = Binding::of(statement);
    binding.bind(columns.number)?;
    binding.bind(columns.job)?;
    binding.bind(columns.started)?;
    binding.bind(columns.ended)?;
    binding.bind(columns.occurrence)?;
    binding.bind(columns.origin)?;
    binding.bind(columns.manual_number)?;
    binding.bind(columns.phase)?;
    binding.bind(columns.retry)?;
    binding.bind(columns.repeat)?;
    binding.bind(columns.status)?;
    binding.bind(columns.nominal)?;
    binding.bind(columns.nominal_last)?;
    binding.bind(columns.nominal_count)?;
    binding.bind(columns.reason)?;
    binding.bind(columns.is_resent)?;
    binding.bind(columns.retry_at)?;
    binding.bind(columns.is_duplicate)?;
    binding.bind(columns.node)?;
    binding.bind(columns.revision)?;
    binding.bind(columns.message)?;
    binding.bind(columns.failure_class)?;
    binding.bind(columns.failure_code)?;
    binding.bind(columns.failure_host)?;
    binding.bind(columns.failure_detail)?;
    statement.raw_execute()?;
    Ok(())
}

/// Binds values to the parameters of a statement, from the first on.
struct Binding<'s, 'db> {
    statement: &'s mut CachedStatement<'db>,
    bound: usize,
}

impl<'s, 'db> Binding<'s, 'db> {
    fn of(statement: &'s mut CachedStatement<'db>) -> Self {
        Self { statement, bound: 0 }
    }

    fn bind(&mut self, value: impl ToSql) -> Result<(), Error> {
        self.bound += 1;
        Ok(self.statement.raw_bind_parameter(self.bound, value)?)
    }
}
