//! What the schedule and the state of each job were. What they are is in the job's own row.

use punctual_model::job::Uid;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, Row, params};

use super::{instant, job, required_instant};
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::record;
use crate::series::{SeriesEntry, SeriesKey, SeriesPage, Stop};

/// Rows that are forgotten in one write, so that others need not wait.
const FORGOTTEN_MAX: usize = 1000;

/// The number of what still is so, after all that was.
const NUMBER_NOW: i64 = i64::MAX;

/// Keeps what the schedule and the state of a job were until now, if there was a time in which they were.
const KEEP: &str =
    "insert into series (job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones)
    select id, (select ifnull(max(number), 0) + 1 from series where series.job = job.id), uid, collection, since, ?2,
        state, series, anchor_at, anchor_moved, schedule, zones
    from job where id = ?1 and since <> ?2";

/// What was, and what is. A collection that was deleted took its jobs with it.
pub(super) const PAGE: &str =
    "select job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones
    from series where (job, number) > (?1, ?2)
    union all
    select job.id, ?3, uid, collection, since, deleted_at, state, series, anchor_at, anchor_moved, schedule, zones
    from job join collection on collection.id = job.collection where job.id >= ?4
    order by 1, 2 limit ?5";

/// When the jobs of a collection did not run, and since when they do not.
pub(super) const STOPS: &str = "select paused_from, paused_until from collection_pause where collection = ?1
    union all select stopped_at, null from collection where id = ?1 and stopped_at is not null and deleted_at is null
    order by 1";

/// Keeps what a job was until now; it is another one from now on, or gone.
pub(super) fn keep(db: &Connection, id: JobId, now: Timestamp) -> Result<(), Error> {
    db.prepare_cached(KEEP)?.execute([id.0, now.ticks()])?;
    Ok(())
}

/// A page of them.
pub(super) fn page(db: &Connection, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error> {
    let (job, number) = page.after.map_or((i64::MIN, 0), |after| (after.job.0, after.number));
    let first_now = if number == NUMBER_NOW { job.saturating_add(1) } else { job };
    let mut statement = db.prepare_cached(PAGE)?;
    let values = params![job, number, NUMBER_NOW, first_now, page.limit];
    let rows = statement.query_map(values, |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

/// When the jobs of a collection did not run.
pub(super) fn stops(db: &Connection, collection: CollectionId) -> Result<Vec<Stop>, Error> {
    let mut statement = db.prepare_cached(STOPS)?;
    let read = |row: &Row<'_>| Ok::<_, Error>(Stop { from: required_instant(row, 0)?, until: instant(row, 1)? });
    let rows = statement.query_map([collection.0], |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

/// Forgets some of what was over before that instant. Says whether there may be more.
pub(super) fn forget(db: &Connection, before: Timestamp) -> Result<bool, Error> {
    let forgotten = db
        .prepare_cached(
            "delete from series where (job, number) in (select job, number from series where until < ?1 limit ?2)",
        )?
        .execute(params![before.ticks(), FORGOTTEN_MAX])?;
    db.prepare_cached("delete from collection_pause where paused_until < ?1 and all_told = 1")?
        .execute([before.ticks()])?;
    Ok(forgotten == FORGOTTEN_MAX)
}

fn read(row: &Row<'_>) -> Result<SeriesEntry, Error> {
    let id = JobId(row.get("job")?);
    let schedule = row.get_ref("schedule")?.as_str()?;
    Ok(SeriesEntry {
        key: SeriesKey { job: id, number: row.get("number")? },
        uid: Uid::from_bytes(row.get("uid")?),
        collection: CollectionId(row.get("collection")?),
        from: required_instant(row, "since")?,
        until: instant(row, "until")?,
        state: job::read_state(id, row)?,
        schedule: record::read_schedule(schedule).map_err(|reason| Error::corrupt_job(id, reason))?,
        anchor: job::read_anchor(row)?,
        series: row.get("series")?,
        zones: row.get("zones")?,
    })
}
