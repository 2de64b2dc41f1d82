//! Times in which a collection was disabled, and which of its jobs were woken since.

use rusqlite::{Connection, params};

use super::damage::Damage;
use crate::collection::EndedStop;
use crate::columns::stop::read;
use crate::error::Error;
use crate::key::{CollectionId, WorkId};
use crate::work_store::StoppedJobs;

/// The first time after which not all jobs of its collection were woken. A collection that was disabled again waits.
pub(super) const OPEN: &str = "select collection, stopped_from, stopped_until, woken_until from collection_stop
    where all_woken = 0 and not exists (
        select 1 from collection where collection.id = collection_stop.collection and stopped_at is not null
    )
    order by collection, stopped_from";

/// Jobs of a collection after a name.
pub(super) const JOBS: &str = "select id, name from job where collection = ?1 and name > ?2 order by name limit ?3";

/// Keeps when the jobs of a collection did not run.
pub(super) fn insert(db: &Connection, id: CollectionId, stop: EndedStop) -> Result<(), Error> {
    db.prepare_cached(
        "insert or replace into collection_stop (collection, stopped_from, stopped_until) values (?1, ?2, ?3)",
    )?
    .execute(params![id.0, stop.from.ticks(), stop.until.ticks()])?;
    Ok(())
}

/// The next jobs that are to be woken.
pub(super) fn jobs(db: &Connection, limit: usize, damage: &Damage) -> Result<Option<StoppedJobs>, Error> {
    let open = damage.read_page(db.prepare_cached(OPEN)?.query([])?, 1, |row| read(row))?.pop();
    let Some((collection, stop, woken_until)) = open else {
        return Ok(None);
    };
    let mut statement = db.prepare_cached(JOBS)?;
    let rows = statement.query_map(params![collection.0, woken_until, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let next = found.last().filter(|_| found.len() >= limit).map(|(_, name)| name.clone());
    let rows = found.iter().map(|(id, _)| WorkId(*id)).collect();
    Ok(Some(StoppedJobs { collection, stop, rows, next }))
}

/// Marks those jobs as woken.
pub(super) fn mark_woken(db: &Connection, done: &StoppedJobs) -> Result<(), Error> {
    db.prepare_cached(
        "update collection_stop set woken_until = ifnull(?4, woken_until), all_woken = ?4 is null
         where collection = ?1 and stopped_from = ?2 and stopped_until = ?3 and all_woken = 0",
    )?
    .execute(params![done.collection.0, done.stop.from.ticks(), done.stop.until.ticks(), done.next])?;
    Ok(())
}
