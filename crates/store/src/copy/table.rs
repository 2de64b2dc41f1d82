//! What is known of a table that is copied, and whether a database has no others.
//!
//! What a database holds beyond [`TABLES`] is named here, with the reason why it is not copied. A copy looks at both databases before it
//! begins, and refuses a table or column that is in neither list: whoever adds one decides here what becomes of it.

use std::collections::{BTreeMap, BTreeSet};

use super::tables::{ATTEMPT, TABLES};
use crate::error::Error;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    /// An integer for which PostgreSQL takes two bytes.
    Small,
    /// 0 or 1, and a `boolean` of PostgreSQL.
    Truth,
    Text,
    Bytes,
    /// An action, sealed for the `uid` of its row.
    Sealed,
}

/// A table that is copied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// So many of the first columns are its primary key, by which pages follow each other.
    pub(crate) key_columns: usize,
    pub(crate) columns: &'static [(&'static str, Kind)],
}

impl Table {
    /// The columns of the primary key.
    pub(crate) fn key(&self) -> &'static [(&'static str, Kind)] {
        &self.columns[..self.key_columns]
    }

    /// The place of a column in a row.
    pub(crate) fn place_of(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| *name == column)
    }

    /// The places of what an action is sealed for, and of the action, in a table that holds actions.
    pub(crate) fn sealed(&self) -> Option<(usize, usize)> {
        let action = self.columns.iter().position(|(_, kind)| *kind == Kind::Sealed)?;
        Some((self.place_of("uid")?, action))
    }

    /// The names of all columns, as a statement lists them.
    pub(crate) fn column_list(&self) -> String {
        list(self.columns)
    }

    /// The names of the columns of the key, as a statement lists them.
    pub(crate) fn key_list(&self) -> String {
        list(self.key())
    }
}

fn list(columns: &[(&str, Kind)]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Columns of these tables that one of the databases has alone, and that are made anew.
const MADE_ANEW: [(&str, &str); 5] = [
    // SQLite finds the first change of a job by it until the job is changed; all changes are found by their path.
    ("change", "job"),
    // Follows from the uid of the job.
    ("work", "shard"),
    // Who has a row in flight: nobody has in a copy, and what had it there is marked as possibly sent.
    ("work", "claimed_by"),
    ("work", "claimed_until"),
    // Follows from the record.
    ("alert", "by_clock"),
];

/// Tables that are not copied, or not as they are.
const NOT_COPIED: [&str; 12] = [
    // Who has signed in to the console signs in again.
    "session",
    // Each store has its own keys.
    "sealing_key",
    // Numbers and instants that the two databases keep in different ways: see `numbers`.
    "meta",
    "counter",
    "sqlite_sequence",
    // Processes, what they have sent last, and what they hold: none of them uses a copy.
    "node",
    "shard_owner",
    "landed",
    "lock_row",
    // What the database says of itself.
    "schema_state",
    "schema_step",
    "history_segment",
];

/// Refuses a database whose tables, with their columns, are not those that are known here.
pub(crate) fn check(found: &BTreeMap<String, BTreeSet<String>>) -> Result<(), Error> {
    for Table { name, columns, .. } in &TABLES {
        let found = found.get(*name).ok_or_else(|| Error::corrupt(format!("the table {name} is missing")))?;
        if let Some((missing, _)) = columns.iter().find(|(column, _)| !found.contains(*column)) {
            return Err(Error::corrupt(format!("the table {name} has no column {missing}")));
        }
        let is_known = |column: &str| columns.iter().any(|(known, _)| *known == column);
        let is_made_anew = |column: &str| MADE_ANEW.contains(&(name, column));
        if let Some(unknown) = found.iter().find(|column| !is_known(column) && !is_made_anew(column)) {
            return Err(unknown_to_us(&format!("the column {unknown} of the table {name}")));
        }
    }
    let is_known = |table: &str| TABLES.iter().any(|known| known.name == table) || NOT_COPIED.contains(&table);
    match found.keys().find(|table| !is_known(table)) {
        Some(unknown) => Err(unknown_to_us(&format!("the table {unknown}"))),
        None => Ok(()),
    }
}

/// The same of a segment of history.
pub(crate) fn check_segment(found: &BTreeSet<String>) -> Result<(), Error> {
    let known: BTreeSet<String> = ATTEMPT.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    match found.symmetric_difference(&known).next() {
        Some(column) => Err(unknown_to_us(&format!("a history with or without the column {column}"))),
        None => Ok(()),
    }
}

fn unknown_to_us(what: &str) -> Error {
    Error::refused(format!(
        "it has {what}, which this version of `punctual copy` does not know and would lose: use the version that made it"
    ))
}

#[cfg(test)]
mod tests {
    use super::{ATTEMPT, BTreeMap, BTreeSet, TABLES, Table, check, check_segment};

    fn known() -> BTreeMap<String, BTreeSet<String>> {
        let columns = |table: &Table| table.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        TABLES.iter().map(|table| (table.name.to_owned(), columns(table))).collect()
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        check(&known()).unwrap();
        let mut tables = known();
        tables.insert("new".to_owned(), BTreeSet::new());
        let told = check(&tables).unwrap_err().to_string();
        assert!(told.contains("it has the table new, which this version"), "{told}");
        let mut tables = known();
        tables.get_mut("job").unwrap().insert("colour".to_owned());
        let told = check(&tables).unwrap_err().to_string();
        assert!(told.contains("it has the column colour of the table job"), "{told}");
        let mut tables = known();
        tables.get_mut("job").unwrap().remove("note");
        assert_eq!(check(&tables).unwrap_err().to_string(), "the table job has no column note");
        tables.remove("job");
        assert_eq!(check(&tables).unwrap_err().to_string(), "the table job is missing");
        check_segment(&ATTEMPT.columns.iter().map(|(name, _)| (*name).to_owned()).collect()).unwrap();
        assert!(check_segment(&BTreeSet::new()).is_err());
    }

    #[test]
    fn history_has_the_columns_that_are_written() {
        let written: Vec<&str> = crate::columns::attempt::COLUMNS.split(", ").collect();
        let copied: Vec<&str> = ATTEMPT.columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(copied, written);
    }
}
