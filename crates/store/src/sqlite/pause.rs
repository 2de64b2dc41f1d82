//! Times in which a collection was disabled, and which of its jobs were woken since.

use rusqlite::{Connection, Row, params};

use super::cells::Cells;
use super::damage::Damage;
use crate::collection::Pause;
use crate::error::Error;
use crate::key::{CollectionId, WorkId};
use crate::work_store::PausedJobs;

/// The first time after which not all jobs of its collection were woken. A collection that was disabled again waits.
pub(super) const OPEN: &str = "select collection, paused_from, paused_until, woken_until from collection_pause
    where all_woken = 0 and not exists (
        select 1 from collection where collection.id = collection_pause.collection and stopped_at is not null
    )
    order by collection, paused_from";

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

/// The next jobs that are to be woken.
pub(super) fn jobs(db: &Connection, limit: usize, damage: &Damage) -> Result<Option<PausedJobs>, Error> {
    let open = damage.read_page(db.prepare_cached(OPEN)?.query([])?, 1, read)?.pop();
    let Some((collection, pause, woken_until)) = open else {
        return Ok(None);
    };
    let mut statement = db.prepare_cached(JOBS)?;
    let rows = statement.query_map(params![collection.0, woken_until, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let next = found.last().filter(|_| found.len() >= limit).map(|(_, name)| name.clone());
    let rows = found.iter().map(|(id, _)| WorkId(*id)).collect();
    Ok(Some(PausedJobs { collection, pause, rows, next }))
}

fn read(row: &Row<'_>) -> Result<(CollectionId, Pause, String), Error> {
    let mut cells = Cells::of(row);
    let collection = CollectionId(cells.next()?);
    let pause = Pause { from: cells.next_required_instant()?, until: cells.next_required_instant()? };
    Ok((collection, pause, cells.next()?))
}

/// Marks those jobs as woken.
pub(super) fn mark_woken(db: &Connection, done: &PausedJobs) -> Result<(), Error> {
    db.prepare_cached(
        "update collection_pause set woken_until = ifnull(?4, woken_until), all_woken = ?4 is null
         where collection = ?1 and paused_from = ?2 and paused_until = ?3 and all_woken = 0",
    )?
    .execute(params![done.collection.0, done.pause.from.ticks(), done.pause.until.ticks(), done.next])?;
    Ok(())
}
