//! Counts of outcomes by minute and collection, written in the transaction of the records that they count.

use punctual_model::history::Record;
use punctual_model::tally::{Minute, Tally};
use punctual_model::time::Timestamp;
use rusqlite::{Connection, params};

use crate::columns::tally::{COUNTS, read};
use crate::error::Error;
use crate::key::CollectionId;
use crate::tally::{TallyEntry, TallyPage, TallyWrite};

const ADD: &str = "insert into tally (collection, minute, succeeded, failed, not_run, given_up)
    values (?1, ?2, ?3, ?4, ?5, ?6)
    on conflict (collection, minute) do update set succeeded = succeeded + ?3, failed = failed + ?4,
        not_run = not_run + ?5, given_up = given_up + ?6";

/// A page of the counts of every collection. What is gone with its collection is not read, even if it is not cleared away yet.
pub(super) fn page_sql() -> String {
    format!(
        "select {COUNTS} from tally cross join collection on collection.id = tally.collection and deleted_at is null
         where minute < ?1 and (minute, tally.collection) > (?2, ?3) and ?5 is null
         order by minute, tally.collection limit ?4"
    )
}

/// A page of the counts of some collections.
pub(super) fn page_of_some_sql() -> String {
    format!(
        "select {COUNTS} from (select distinct value as id from json_each(?5)) as asked
         cross join collection on collection.id = asked.id and deleted_at is null
         cross join tally on tally.collection = collection.id
         where minute < ?1 and minute >= ?2 and (minute, tally.collection) > (?2, ?3)
         order by minute, tally.collection limit ?4"
    )
}

/// The oldest counts.
pub(super) const FORGET: &str = "delete from tally where (collection, minute) in
    (select collection, minute from tally where minute < ?1 order by minute limit ?2)";

/// Some of the counts of one collection.
pub(super) const FORGET_OF: &str = "delete from tally where (collection, minute) in
    (select collection, minute from tally where collection = ?1 order by minute limit ?2)";

/// Adds what these records of jobs in a collection count.
pub(super) fn add_records<'a>(
    db: &Connection,
    collection: CollectionId,
    records: impl Iterator<Item = &'a Record>,
) -> Result<(), Error> {
    let mut write = TallyWrite::default();
    records.for_each(|record| write.add(collection, record));
    add(db, write)
}

/// Adds to the counts: one statement for each minute and collection.
pub(super) fn add(db: &Connection, write: TallyWrite) -> Result<(), Error> {
    // Most edits count nothing, and looking a statement up takes longer than that.
    if write.is_empty() {
        return Ok(());
    }
    let mut statement = db.prepare_cached(ADD)?;
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    for TallyEntry { minute, collection, tally } in write.into_entries() {
        let Tally { succeeded, failed, not_run, given_up } = tally;
        let [succeeded, failed, not_run, given_up] = [succeeded, failed, not_run, given_up].map(count);
        statement.execute([collection.0, minute.0, succeeded, failed, not_run, given_up])?;
    }
    Ok(())
}

/// A page of counts.
pub(super) fn page(db: &Connection, page: &TallyPage) -> Result<Vec<TallyEntry>, Error> {
    let TallyPage { collections, from, until, after, limit } = page;
    let start = (from.0, i64::MIN);
    let (minute, collection) = after.map_or(start, |(minute, collection)| start.max((minute.0, collection.0)));
    let numbers = |ids: &Vec<CollectionId>| ids.iter().map(|id| id.0).collect::<Vec<_>>();
    let asked = collections.as_ref().map(|ids| serde_json::Value::from(numbers(ids)).to_string());
    let mut statement = db.prepare_cached(&if asked.is_some() { page_of_some_sql() } else { page_sql() })?;
    let mut rows = statement.query(params![until.0, minute, collection, limit, asked])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(read(row)?);
    }
    Ok(entries)
}

/// When the oldest counts were made.
pub(super) fn oldest(db: &Connection) -> Result<Option<Timestamp>, Error> {
    let minute: Option<i64> = db.prepare_cached("select min(minute) from tally")?.query_row([], |row| row.get(0))?;
    Ok(minute.map(|minute| Minute(minute).begins()))
}

/// Forgets some of the oldest counts, as far as they are of minutes before that of an instant. Returns how many.
pub(super) fn forget(db: &Connection, before: Timestamp, limit: usize) -> Result<usize, Error> {
    Ok(db.prepare_cached(FORGET)?.execute(params![Minute::of(before).0, limit])?)
}

/// Forgets some of the counts of a collection that is gone. Returns how many.
pub(super) fn forget_of(db: &Connection, collection: CollectionId, limit: usize) -> Result<usize, Error> {
    Ok(db.prepare_cached(FORGET_OF)?.execute(params![collection.0, limit])?)
}
