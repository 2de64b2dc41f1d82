//! What wakes, and up to where a process may have started it.

use std::collections::HashSet;

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Rows, params};

use super::damage::Damage;
use super::pause;
use crate::columns::due::read;
use crate::error::Error;
use crate::key::{CollectionId, JobId, NodeId, WorkId};
use crate::pause::PauseEntry;
use crate::work_store::{DueKey, DuePage, DueStart, RowKind, RowPage};

/// What stands in the same lane and wakes at the same instant as the last one: many jobs at midnight, for one host.
pub(super) const BEHIND: &str = "select wake_at, lane, id, coalesce(job, id) from work
    where wake_at = ?1 and lane = ?2 and id > ?3 order by id";

/// What comes after that instant and lane.
pub(super) const AFTER: &str = "select wake_at, lane, id, coalesce(job, id) from work
    where (wake_at, lane) > (?1, ?2) and wake_at <= ?3 order by wake_at, lane, id";

/// The same, of one lane. The plus keeps SQLite from sorting: what it knows to be equal it leaves out of the order, and
/// then does not see that the index has it.
pub(super) const AFTER_IN_LANE: &str = "select wake_at, lane, id, coalesce(job, id) from work
    where wake_at > ?1 and wake_at <= ?2 and +lane = ?3 order by wake_at, lane, id";

/// What is open of a job.
pub(super) const OF_JOB: &str = "select wake_at, lane, id, ?1 from work where id = ?1 and wake_at is not null
    union all select wake_at, lane, id, ?1 from work where job = ?1 and wake_at is not null";

/// What may have been sent. In a pause only the server's own jobs start, whose lanes are negative: others that wake after `?2`, which
/// is as far as the watermark had come when the pause began, were not sent.
pub(super) const TAKE_OVER: &str = "update work set resends = max(resends, 1), revision = revision + 1
    where wake_at <= ?1 and (lane < 0 or wake_at <= ?2)";

/// A page of what wakes.
///
/// In two steps, because SQLite compares no three columns at once where the third is the number of the row: a page in the
/// middle of a million jobs that wake together would begin with the first of them.
pub(super) fn page(db: &Connection, page: &DuePage, damage: &Damage) -> Result<Vec<DueKey>, Error> {
    let (mut keys, limit) = (Vec::new(), page.limit);
    // Before the beginning of time.
    let (mut wake_at, mut lane) = (i64::MIN, i64::MIN);
    let start = match page.start {
        DueStart::Beginning => None,
        DueStart::At(key) => Some((key, key.id.0 - 1)),
        DueStart::After(key) => Some((key, key.id.0)),
    };
    if let Some((after, after_id)) = start {
        (wake_at, lane) = (after.wake_at.ticks(), after.lane.0);
        let is_asked_for = after.wake_at <= page.until && page.lane.is_none_or(|lane| lane == after.lane);
        if is_asked_for {
            let mut statement = db.prepare_cached(BEHIND)?;
            read_until(limit, &mut statement.query([wake_at, lane, after_id])?, &mut keys, damage)?;
        }
    }
    let until = page.until.ticks();
    if let Some(Lane(of_lane)) = page.lane {
        // At the instant of the last key there is more of this lane only if the lane comes later.
        let after = if of_lane > lane { wake_at.saturating_sub(1) } else { wake_at };
        let mut statement = db.prepare_cached(AFTER_IN_LANE)?;
        read_until(limit, &mut statement.query([after, until, of_lane])?, &mut keys, damage)?;
    } else {
        let mut statement = db.prepare_cached(AFTER)?;
        read_until(limit, &mut statement.query([wake_at, lane, until])?, &mut keys, damage)?;
    }
    Ok(keys)
}

/// What is open of these jobs and has a wake time.
pub(super) fn of_jobs(db: &Connection, jobs: &[JobId], damage: &Damage) -> Result<Vec<DueKey>, Error> {
    let mut statement = db.prepare_cached(OF_JOB)?;
    let mut keys = Vec::with_capacity(jobs.len());
    for job in jobs {
        read_until(usize::MAX, &mut statement.query([job.0])?, &mut keys, damage)?;
    }
    Ok(keys)
}

/// The keys of jobs of these collections.
pub(super) fn in_collections(
    db: &Connection,
    keys: Vec<DueKey>,
    only: &HashSet<CollectionId>,
) -> Result<Vec<DueKey>, Error> {
    let mut statement = db.prepare_cached("select collection from job where id = ?1")?;
    let mut kept = Vec::new();
    for key in keys {
        let collection: Option<i64> = statement.query_row([key.job.0], |row| row.get(0)).optional()?;
        kept.extend(collection.filter(|id| only.contains(&CollectionId(*id))).map(|_| key));
    }
    Ok(kept)
}

/// Reads until there are so many keys. One that cannot be read is left out: the others must not wait for it.
fn read_until(limit: usize, rows: &mut Rows<'_>, keys: &mut Vec<DueKey>, damage: &Damage) -> Result<(), Error> {
    while keys.len() < limit
        && let Some(row) = rows.next()?
    {
        keys.extend(damage.sieve(read(row))?);
    }
    Ok(())
}

/// What has begun: was tried, or is due.
const BEGUN: &str = "select id from work
    where id > ?1 and wake_at is not null and (attempt > 0 or phase = 1 or wake_at <= ?2) order by id limit ?3";

/// What wakes after now although it is not the schedule's next: it was tried or missed, or someone asked for it.
const DELAYED: &str = "select id from work
    where id > ?1 and wake_at > ?2 and (attempt > 0 or phase = 1 or kind <> 0 or backlog_until is not null)
    order by id limit ?3";

/// A page of rows of one kind. They are looked for among all rows.
pub(super) fn rows(db: &Connection, page: &RowPage) -> Result<Vec<WorkId>, Error> {
    let mut statement = db.prepare_cached(match page.kind {
        RowKind::Begun => BEGUN,
        RowKind::Delayed => DELAYED,
    })?;
    let values = params![page.after.map_or(0, |after| after.0), page.now.ticks(), page.limit];
    let ids = statement.query_map(values, |row| row.get(0).map(WorkId))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Marks what an earlier process of a node may have sent, and forgets up to where that was.
pub(super) fn take_over(db: &Connection, from: NodeId) -> Result<u64, Error> {
    let watermark: Option<i64> = db
        .prepare_cached("delete from meta where name = ?1 returning value")?
        .query_row([watermark_of(from)], |row| row.get(0))
        .optional()?;
    let Some(watermark) = watermark else {
        return Ok(0);
    };
    // What the pause holds is held from now on, whatever the watermark becomes for the server's own jobs.
    let at_pause: Option<i64> = db
        .prepare_cached("delete from meta where name = ?1 returning value")?
        .query_row([watermark_at_pause(from)], |row| row.get(0))
        .optional()?;
    let is_paused = PauseEntry::times(&pause::list(db)?).is_paused();
    let of_jobs = if is_paused { at_pause.unwrap_or(i64::MIN) } else { i64::MAX };
    let marked = db.execute(TAKE_OVER, [watermark, of_jobs])?;
    Ok(marked.try_into().unwrap_or(u64::MAX))
}

/// Remembers how far the watermarks have come when the server is paused. The bell is rung for the pause before anybody hears that
/// a later watermark is durable, and a turn of the engine looks at the bell first: no job starts that only a later watermark covers.
pub(super) fn note_watermarks_at_pause(db: &Connection) -> Result<(), Error> {
    forget_watermarks_at_pause(db)?;
    db.prepare_cached(
        "insert into meta (name, value)
         select name || ' when the server was paused', value from meta where name like 'watermark of node %'",
    )?
    .execute([])?;
    Ok(())
}

/// The server is paused no more.
pub(super) fn forget_watermarks_at_pause(db: &Connection) -> Result<(), Error> {
    db.prepare_cached("delete from meta where name like 'watermark of node % when the server was paused'")?
        .execute([])?;
    Ok(())
}

/// The watermark of each node, with what it was when the server was paused.
pub(super) fn watermarks(db: &Connection) -> Result<Vec<(i64, Option<i64>)>, Error> {
    let mut statement = db.prepare_cached(
        "select value, (select value from meta as at_pause where at_pause.name = meta.name || ' when the server was paused')
         from meta where name like 'watermark of node %' and name not like '% when the server was paused'",
    )?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// Whether an earlier process of a node may have sent something.
pub(super) fn has_watermark(db: &Connection, node: NodeId) -> Result<bool, Error> {
    Ok(db.prepare_cached("select 1 from meta where name = ?1")?.exists([watermark_of(node)])?)
}

/// Forgets the watermark of a node: nothing of it is in flight.
pub(super) fn forget_watermark(db: &Connection, node: NodeId) -> Result<(), Error> {
    let mut statement = db.prepare_cached("delete from meta where name in (?1, ?2)")?;
    statement.execute([watermark_of(node), watermark_at_pause(node)])?;
    Ok(())
}

/// Up to where a node may start attempts from now on; never less than before.
pub(super) fn set_watermark(db: &Connection, node: NodeId, until: Timestamp) -> Result<(), Error> {
    db.prepare_cached(
        "insert into meta (name, value) values (?1, ?2)
         on conflict (name) do update set value = max(value, excluded.value)",
    )?
    .execute(params![watermark_of(node), until.ticks()])?;
    Ok(())
}

fn watermark_of(node: NodeId) -> String {
    format!("watermark of node {}", node.0)
}

fn watermark_at_pause(node: NodeId) -> String {
    format!("{} when the server was paused", watermark_of(node))
}
