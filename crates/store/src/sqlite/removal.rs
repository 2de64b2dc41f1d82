//! What goes because it is old: jobs that have ended, and history.

use std::ops::ControlFlow;

use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::segments::{DropStep, Dropped, Segment};
use super::writer::WriteTx;
use super::{change, collection, job, series};
use crate::change::Stamp;
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::work_store::{DroppedHistory, HistoryBounds};

/// Files that all history is in, at least, when it takes as much of the disk as it may.
const PARTS: u64 = 8;

/// The names of two instants in `meta`.
const REMOVED_AT: &str = "removed at";
const DROPPED_UNTIL: &str = "history dropped until";

/// Jobs that ended before an instant, without those of which a run is still open.
pub(super) const ENDED: &str = "select id, collection from job
    where ended_at < ?1 and collection <> 0 and not exists (select 1 from work where work.job = job.id) order by ended_at limit ?2";

/// The end of the job that ended first.
pub(super) fn oldest_ended(db: &Connection) -> Result<Option<Timestamp>, Error> {
    let mut statement = db.prepare_cached("select min(ended_at) from job where ended_at is not null")?;
    let ticks: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(ticks.and_then(Timestamp::from_ticks))
}

/// When old things were last removed because of their age.
pub(super) fn removed_at(db: &Connection) -> Result<Option<Timestamp>, Error> {
    recall(db, REMOVED_AT)
}

/// Keeps the time at which old things are removed because of their age.
pub(super) fn record(db: &Connection, at: Timestamp) -> Result<(), Error> {
    remember(db, REMOVED_AT, at)
}

/// Until when history was dropped.
pub(super) fn dropped_until(db: &Connection) -> Result<Option<Timestamp>, Error> {
    recall(db, DROPPED_UNTIL)
}

fn recall(db: &Connection, name: &str) -> Result<Option<Timestamp>, Error> {
    let mut statement = db.prepare_cached("select value from meta where name = ?1")?;
    let ticks: Option<i64> = statement.query_row([name], |row| row.get(0)).optional()?;
    Ok(ticks.and_then(Timestamp::from_ticks))
}

fn remember(db: &Connection, name: &str, at: Timestamp) -> Result<(), Error> {
    let mut statement = db.prepare_cached("insert or replace into meta (name, value) values (?1, ?2)")?;
    statement.execute(params![name, at.ticks()])?;
    Ok(())
}

/// Removes some jobs that ended before that instant. Says how many.
pub(super) fn remove_ended(
    tx: &mut WriteTx<'_>,
    before: Timestamp,
    now: Timestamp,
    limit: usize,
) -> Result<usize, Error> {
    let mut statement = tx.db.prepare_cached(ENDED)?;
    let rows = statement.query_map(params![before.ticks(), limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let ended: Vec<(i64, i64)> = rows.collect::<Result<_, _>>()?;
    let stamp = Stamp::of_server(now);
    for (id, collection) in &ended {
        series::keep_before(tx.db, JobId(*id))?;
        change::insert_deleted(tx.db, &job::changed_path(tx.db, JobId(*id))?, &stamp)?;
        job::remove(tx.db, JobId(*id), now)?;
        collection::count_job(tx.db, CollectionId(*collection), -1)?;
    }
    tx.changed.jobs.extend(ended.iter().map(|(id, _)| JobId(*id)));
    Ok(ended.len())
}

/// A file that was dropped, and until when history is gone with it, if it is.
type DroppedFile = (DroppedHistory, Option<Timestamp>);

/// Takes a step towards history within its bounds, until there is nothing left to do. Not every step drops a file.
pub(super) fn drop_segment(
    tx: &mut WriteTx<'_>,
    bounds: &HistoryBounds,
) -> Result<ControlFlow<(), Option<DroppedFile>>, Error> {
    // So that the bound holds within a day, too: what is being written is never dropped.
    tx.segments.begin_part(bounds.bytes_max / PARTS)?;
    let Dropped { segment, last, bytes, kept } = match tx.segments.drop_one(bounds)? {
        DropStep::Nothing => return Ok(ControlFlow::Break(())),
        DropStep::Copied => return Ok(ControlFlow::Continue(None)),
        DropStep::Dropped(dropped) => dropped,
    };
    let dropped = DroppedHistory { name: segment.file_name(), bytes, kept };
    if matches!(segment, Segment::Failures(_)) {
        return Ok(ControlFlow::Continue(Some((dropped, None))));
    }
    // If a part of the day is left, it begins where the one that was dropped has ended.
    let begins = tx.segments.reader().oldest();
    let last = begins.map_or(last, |begins| last.min(begins.saturating_add(-1)));
    let dropped_until = dropped_until(tx.db)?.map_or(last, |until| until.max(last));
    remember(tx.db, DROPPED_UNTIL, dropped_until)?;
    Ok(ControlFlow::Continue(Some((dropped, Some(last)))))
}
