//! What the schedule and the state of each job were. What they are is in the job's own row.
//!
//! ```text
//!   table series:  made ──edit──┐ ┌──edit──┐            rows of what was, written by the edit that ended it
//!   row of job:                            └──────▶     what is: since, state
//!                                          └────┤──▶    of a job that ended: since_before and state_before, too
//! ```
//!
//! The engine ends jobs by the thousand, and a row for each took a fifth of all its time: so what such a job was until
//! then stays in its own row, and is moved to the table by whatever happens to the job next.

use punctual_model::time::Timestamp;
use rusqlite::{Connection, params};

use super::cells::Cells;
use super::damage::Damage;
use crate::columns::series::{NUMBER_NOW, read};
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::series::{SeriesEntry, SeriesPage, Stop};

/// Rows that are forgotten in one write, so that others need not wait.
const FORGOTTEN_MAX: usize = 1000;

/// Keeps what a job was before it ended, if it has ended and there was a time in which it was something else.
///
/// The revision of the job makes the number: at most one write of a revision keeps something, and the next has another one.
const KEEP_BEFORE: &str =
    "insert into series (job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones)
    select id, 2 * revision, uid, collection, since_before, since, state_before, series, anchor_at, anchor_moved,
        schedule, zones
    from job where id = ?1 and since_before <> since";

/// Keeps what the schedule and the state of a job were until now, if there was a time in which they were.
const KEEP: &str =
    "insert into series (job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones)
    select id, 2 * revision + 1, uid, collection, since, ?2, state, series, anchor_at, anchor_moved, schedule, zones
    from job where id = ?1 and since <> ?2";

/// What was, and what is. A collection that was deleted took its jobs with it.
pub(super) const PAGE: &str =
    "select job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved, schedule, zones,
        null, null
    from series where (job, number) > (?1, ?2)
    union all
    select job.id, ?3, uid, collection, since, deleted_at, state, series, anchor_at, anchor_moved, schedule, zones,
        since_before, state_before
    from job join collection on collection.id = job.collection where job.id >= ?4 and collection.id <> 0
    order by 1, 2";

/// When the jobs of a collection did not run, and since when they do not.
pub(super) const STOPS: &str = "select stopped_from, stopped_until from collection_stop where collection = ?1
    union all select stopped_at, null from collection where id = ?1 and stopped_at is not null and deleted_at is null
    order by 1";

/// Keeps all that a job was until now; it is another one from now on, or gone.
pub(super) fn keep(db: &Connection, id: JobId, now: Timestamp) -> Result<(), Error> {
    keep_before(db, id)?;
    db.prepare_cached(KEEP)?.execute([id.0, now.ticks()])?;
    Ok(())
}

/// Keeps what a job was before it ended: its row goes. Of the time after its end nothing is asked.
pub(super) fn keep_before(db: &Connection, id: JobId) -> Result<(), Error> {
    db.prepare_cached(KEEP_BEFORE)?.execute([id.0])?;
    Ok(())
}

/// A page of what was and is.
pub(super) fn page(db: &Connection, page: &SeriesPage, damage: &Damage) -> Result<Vec<SeriesEntry>, Error> {
    let (job, number) = page.after.map_or((i64::MIN, 0), |after| (after.job.0, after.number));
    let first_now = if number == NUMBER_NOW { job.saturating_add(1) } else { job };
    let mut statement = db.prepare_cached(PAGE)?;
    let mut rows = statement.query([job, number, NUMBER_NOW, first_now])?;
    let mut entries = Vec::new();
    while entries.len() < page.limit
        && let Some(row) = rows.next()?
    {
        let id = JobId(row.get(0)?);
        let Some((before, entry)) = damage.sieve(read(id, row).map_err(|error| error.of_job(id)))? else { continue };
        // The last page may have ended between the two.
        entries.extend(before.filter(|before| page.after.is_none_or(|after| before.key > after)));
        if entries.len() < page.limit {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// When the jobs of a collection did not run.
pub(super) fn stops(db: &Connection, collection: CollectionId) -> Result<Vec<Stop>, Error> {
    let mut statement = db.prepare_cached(STOPS)?;
    let rows = statement.query_and_then([collection.0], |row| {
        let mut cells = Cells::of(row);
        Ok(Stop { from: cells.next_required_instant()?, until: cells.next_instant()? })
    })?;
    rows.collect()
}

/// Forgets some of what was over before that instant. Says whether there may be more.
pub(super) fn forget(db: &Connection, before: Timestamp) -> Result<bool, Error> {
    let forgotten = db
        .prepare_cached(
            "delete from series where (job, number) in (select job, number from series where until < ?1 limit ?2)",
        )?
        .execute(params![before.ticks(), FORGOTTEN_MAX])?;
    db.prepare_cached("delete from collection_stop where stopped_until < ?1 and all_woken = 1")?
        .execute([before.ticks()])?;
    Ok(forgotten == FORGOTTEN_MAX)
}
