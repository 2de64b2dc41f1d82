//! Counts of outcomes by minute and collection, written in the transaction of the records that they count.

use punctual_model::history::Record;
use punctual_model::tally::Minute;
use punctual_model::time::Timestamp;

use super::db::{Db, count};
use super::error::Fault;
use super::values::large;
use crate::cells::Cells;
use crate::columns::tally::{COUNTS, read};
use crate::error::Error;
use crate::key::CollectionId;
use crate::tally::{TallyEntry, TallyPage, TallyWrite};

/// Adds to counts. They are in the order of minutes and collections, in which all nodes lock them.
const ADD: &str = "insert into tally (collection, minute, succeeded, failed, not_run, given_up)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    on conflict (collection, minute) do update set succeeded = tally.succeeded + excluded.succeeded,
        failed = tally.failed + excluded.failed, not_run = tally.not_run + excluded.not_run,
        given_up = tally.given_up + excluded.given_up";

/// Adds what these records of jobs in a collection count.
pub(super) async fn add_records(db: &Db, collection: CollectionId, records: &[Record]) -> Result<(), Fault> {
    let mut write = TallyWrite::default();
    for record in records {
        write.add(collection, record);
    }
    add(db, write).await
}

/// Adds to the counts: one statement for all minutes and collections.
pub(super) async fn add(db: &Db, write: TallyWrite) -> Result<(), Fault> {
    if write.is_empty() {
        return Ok(());
    }
    let entries: Vec<TallyEntry> = write.into_entries().collect();
    let numbers = |of: fn(&TallyEntry) -> i64| -> Vec<i64> { entries.iter().map(of).collect() };
    db.execute(
        ADD,
        &[
            &numbers(|entry| entry.collection.0),
            &numbers(|entry| entry.minute.0),
            &numbers(|entry| large(entry.tally.succeeded)),
            &numbers(|entry| large(entry.tally.failed)),
            &numbers(|entry| large(entry.tally.not_run)),
            &numbers(|entry| large(entry.tally.given_up)),
        ],
    )
    .await?;
    Ok(())
}

/// A page of counts. What is gone with its collection is not read, even if it is not cleared away yet.
pub(super) async fn page(db: &Db, page: &TallyPage) -> Result<Vec<TallyEntry>, Fault> {
    let TallyPage { collections, from, until, after, limit } = page;
    let start = (from.0, i64::MIN);
    let (minute, collection) = after.map_or(start, |(minute, collection)| start.max((minute.0, collection.0)));
    let asked: Option<Vec<i64>> = collections.as_ref().map(|ids| ids.iter().map(|id| id.0).collect());
    let sql = format!(
        "select {COUNTS} from tally join collection on collection.id = tally.collection and deleted_at is null
         where minute < $1 and (minute, tally.collection) > ($2, $3) and ($5::bigint[] is null or tally.collection = any($5))
         order by minute, tally.collection limit $4"
    );
    let rows = db.rows(&sql, &[&until.0, &minute, &collection, &count(*limit), &asked]).await?;
    Ok(rows.iter().map(|row| read(row)).collect::<Result<_, Error>>()?)
}

/// When the oldest counts were made.
pub(super) async fn oldest(db: &Db) -> Result<Option<Timestamp>, Fault> {
    let row = db.one("select min(minute) from tally", &[]).await?;
    let minute: Option<i64> = Cells::of(&row).next()?;
    Ok(minute.map(|minute| Minute(minute).begins()))
}

/// Forgets some of the oldest counts, as far as they are of minutes before that of an instant. Returns how many.
pub(super) async fn forget(db: &Db, before: Timestamp, limit: usize) -> Result<usize, Fault> {
    let sql = "delete from tally where (collection, minute) in
        (select collection, minute from tally where minute < $1 order by minute limit $2)";
    let forgotten = db.execute(sql, &[&Minute::of(before).0, &count(limit)]).await?;
    Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
}

/// Forgets some of the counts of a collection that is gone. Returns how many.
pub(super) async fn forget_of(db: &Db, collection: CollectionId, limit: usize) -> Result<usize, Fault> {
    let sql = "delete from tally where (collection, minute) in
        (select collection, minute from tally where collection = $1 order by minute limit $2)";
    let forgotten = db.execute(sql, &[&collection.0, &count(limit)]).await?;
    Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
}
