//! Times in which a collection was disabled, and which of its jobs were woken since.

use tokio_postgres::Row;

use super::db::{Db, count};
use super::error::Fault;
use crate::cells::Cells;
use crate::collection::EndedStop;
use crate::columns::stop::read;
use crate::damage::Damage;
use crate::error::Error;
use crate::key::{CollectionId, WorkId};
use crate::work_store::StoppedJobs;

/// The first time after which not all jobs of its collection were woken. A collection that was disabled again waits.
const OPEN: &str = "select collection, stopped_from, stopped_until, woken_until from collection_stop
    where not all_woken and not exists (
        select 1 from collection where collection.id = collection_stop.collection and stopped_at is not null
    )
    order by collection, stopped_from";

/// Keeps when the jobs of a collection did not run.
pub(super) async fn insert(db: &Db, id: CollectionId, stop: EndedStop) -> Result<(), Fault> {
    db.execute(
        "insert into collection_stop (collection, stopped_from, stopped_until) values ($1, $2, $3)
         on conflict (collection, stopped_from)
         do update set stopped_until = excluded.stopped_until, woken_until = '', all_woken = false",
        &[&id.0, &stop.from.ticks(), &stop.until.ticks()],
    )
    .await?;
    Ok(())
}

/// A collection is deleted: what it was is kept as long as history. None of its jobs is left to be woken.
pub(super) async fn end(db: &Db, id: CollectionId) -> Result<(), Fault> {
    db.execute(
        "insert into collection_stop (collection, stopped_from, stopped_until, all_woken)
         select id, stopped_at, deleted_at, true from collection where id = $1 and stopped_at is not null
         on conflict (collection, stopped_from)
         do update set stopped_until = excluded.stopped_until, woken_until = '', all_woken = true",
        &[&id.0],
    )
    .await?;
    db.execute("update collection_stop set all_woken = true where collection = $1 and not all_woken", &[&id.0]).await?;
    Ok(())
}

/// The next jobs that are to be woken.
pub(super) async fn jobs(db: &Db, limit: usize, damage: &Damage) -> Result<Option<StoppedJobs>, Fault> {
    let open = db.read_page(OPEN, &[], 1, damage, |row| read(row)).await?.pop();
    let Some((collection, stop, woken_until)) = open else { return Ok(None) };
    let sql = "select id, name from job where collection = $1 and name > $2 order by name limit $3";
    let rows = db.rows(sql, &[&collection.0, &woken_until, &count(limit)]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, cells.next()?))
    };
    let found: Vec<(i64, String)> = rows.iter().map(read).collect::<Result<_, Error>>()?;
    let next = found.last().filter(|_| found.len() >= limit).map(|(_, name)| name.clone());
    let rows = found.iter().map(|(id, _)| WorkId(*id)).collect();
    Ok(Some(StoppedJobs { collection, stop, rows, next }))
}

/// Marks those jobs as woken.
pub(super) async fn mark_woken(db: &Db, done: &StoppedJobs) -> Result<(), Fault> {
    db.execute(
        "update collection_stop set woken_until = coalesce($4::text, woken_until), all_woken = $4::text is null
         where collection = $1 and stopped_from = $2 and stopped_until = $3 and not all_woken",
        &[&done.collection.0, &done.stop.from.ticks(), &done.stop.until.ticks(), &done.next],
    )
    .await?;
    Ok(())
}

/// A time in which a collection was disabled, with the name of the last job that was woken since; or why it cannot be read.
pub(super) type OpenStop = (CollectionId, Result<(EndedStop, String), String>);

/// Times in which collections were disabled and after which not all of their jobs were woken, earliest first.
pub(super) async fn open_of(db: &Db, collections: &[i64]) -> Result<Vec<OpenStop>, Fault> {
    let sql = "select collection, stopped_from, stopped_until, woken_until from collection_stop
        where not all_woken and collection = any($1) order by collection, stopped_from";
    let rows = db.rows(sql, &[&collections]).await?;
    let read_one = |row: &Row| {
        let collection = CollectionId(Cells::of(row).next()?);
        let stop = read(row).map(|(_, stop, woken_until)| (stop, woken_until));
        Ok((collection, stop.map_err(|error| error.to_string())))
    };
    Ok(rows.iter().map(read_one).collect::<Result<_, Error>>()?)
}
