//! Times in which a collection was disabled, and which of its jobs were told of them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::required_instant;
use crate::collection::Pause;
use crate::error::Error;
use crate::key::{CollectionId, WorkId};
use crate::work_store::PausedJobs;

/// The first time that not all jobs of its collection were told of. A collection that is disabled once more waits.
pub(super) const OPEN: &str = "select collection, paused_from, paused_until, told_until from collection_pause
    where all_told = 0 and not exists (
        select 1 from collection where collection.id = collection_pause.collection and stopped_at is not null
    )
    order by collection, paused_from limit 1";

/// Jobs of a collection after a name.
pub(super) const JOBS: &str = "select id, name from job where collection = ?1 and name > ?2 order by name limit ?3";

/// Keeps when the jobs of a collection did not run.
pub(super) fn insert(db: &Connection, id: CollectionId, pause: Pause) -> Result<(), Error> {
    db.prepare_cached(
        "insert or replace into collection_pause (collection, paused_from, paused_until) values (?1, ?2, ?3)",
    )?
    .execute(params![id.0, pause.from.ticks(), pause.until.ticks()])?;
    Ok(())
}

/// The next jobs that are to be told.
pub(super) fn jobs(db: &Connection, limit: usize) -> Result<Option<PausedJobs>, Error> {
    let open = db.prepare_cached(OPEN)?.query_row([], |row| Ok(read(row))).optional()?;
    let Some((collection, pause, told_until)) = open.transpose()? else {
        return Ok(None);
    };
    let mut statement = db.prepare_cached(JOBS)?;
    let rows = statement.query_map(params![collection.0, told_until, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let next = found.last().filter(|_| found.len() >= limit).map(|(_, name)| name.clone());
    let rows = found.iter().map(|(id, _)| WorkId(*id)).collect();
    Ok(Some(PausedJobs { collection, pause, rows, next }))
}

fn read(row: &Row<'_>) -> Result<(CollectionId, Pause, String), Error> {
    let pause = Pause { from: required_instant(row, "paused_from")?, until: required_instant(row, "paused_until")? };
    Ok((CollectionId(row.get("collection")?), pause, row.get("told_until")?))
}

/// Those jobs were told.
pub(super) fn told(db: &Connection, done: &PausedJobs) -> Result<(), Error> {
    db.prepare_cached(
        "update collection_pause set told_until = ifnull(?4, told_until), all_told = ?4 is null
         where collection = ?1 and paused_from = ?2 and paused_until = ?3 and all_told = 0",
    )?
    .execute(params![done.collection.0, done.pause.from.ticks(), done.pause.until.ticks(), done.next])?;
    Ok(())
}
