//! The schema, step by step.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Error;

/// Each step leads from the version of its place in the list to the next. Steps that were released never change.
const STEPS: [&str; 3] =
    [include_str!("migrations/0001.sql"), include_str!("migrations/0002.sql"), include_str!("migrations/0003.sql")];

/// Brings the schema to the newest version, each step in a transaction. Refuses a schema that is newer than this program.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let version: i64 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
    let version = usize::try_from(version).map_err(|_| Error::corrupt(format!("the schema has version {version}")))?;
    if version > STEPS.len() {
        return Err(Error::unavailable(format!(
            "the database has schema {version}, and this program knows up to {}; use the newer program that wrote it",
            STEPS.len()
        )));
    }
    for (step, sql) in STEPS.iter().enumerate().skip(version) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(sql)?;
        transaction.execute_batch(&format!("pragma user_version = {}", step + 1))?;
        transaction.commit()?;
    }
    Ok(())
}
