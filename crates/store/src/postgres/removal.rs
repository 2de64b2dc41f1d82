//! What goes because it is old: jobs that have ended, and history.

use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::change::NewChange;
use super::db::{Db, count};
use super::error::Fault;
use super::history::{self, Discarded};
use super::write::WriteTx;
use super::{collection, job, series, work};
use crate::cells::Cells;
use crate::change::Stamp;
use crate::error::Error;
use crate::history::segment::Segment;
use crate::key::{CollectionId, JobId};
use crate::work_store::{DroppedHistory, HistoryBounds};

/// Tables that all history is in, at least, when it takes as much of the disk as it may.
const PARTS: u64 = 8;

/// The names of two instants in `meta`.
const REMOVED_AT: &str = "removed at";
const DROPPED_UNTIL: &str = "history dropped until";

/// Jobs that ended before an instant, without those of which a run is still open.
const ENDED: &str = "select id, collection from job
    where ended_at < $1 and collection <> 0 and not exists (select 1 from work where work.job = job.id)";

/// The end of the job that ended first.
pub(super) async fn oldest_ended(db: &Db) -> Result<Option<Timestamp>, Fault> {
    let row = db.one("select min(ended_at) from job where ended_at is not null", &[]).await?;
    Ok(Cells::of(&row).next_instant()?)
}

/// When old things were last removed because of their age.
pub(super) async fn removed_at(db: &Db) -> Result<Option<Timestamp>, Fault> {
    recall(db, REMOVED_AT).await
}

/// Keeps the time at which old things are removed because of their age.
pub(super) async fn record(db: &Db, at: Timestamp) -> Result<(), Fault> {
    let sql = "insert into meta (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value";
    db.execute(sql, &[&REMOVED_AT, &at.ticks()]).await?;
    Ok(())
}

/// Until when history was dropped.
pub(super) async fn dropped_until(db: &Db) -> Result<Option<Timestamp>, Fault> {
    recall(db, DROPPED_UNTIL).await
}

async fn recall(db: &Db, name: &str) -> Result<Option<Timestamp>, Fault> {
    let row = db.row("select value from meta where name = $1", &[&name]).await?;
    Ok(row.map(|row| Cells::of(&row).next_instant()).transpose()?.flatten())
}

fn read(rows: &[Row]) -> Result<Vec<(i64, i64)>, Error> {
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, cells.next()?))
    };
    rows.iter().map(read).collect()
}

/// Removes some jobs that ended before that instant. Says how many.
pub(super) async fn remove_ended(
    tx: &mut WriteTx,
    before: Timestamp,
    now: Timestamp,
    limit: usize,
) -> Result<usize, Fault> {
    let found = format!("{ENDED} order by ended_at, id limit $2");
    let found = read(&tx.rows(&found, &[&before.ticks(), &count(limit)]).await?)?;
    let mut collections: Vec<i64> = found.iter().map(|(_, collection)| *collection).collect();
    collections.sort_unstable();
    collections.dedup();
    for id in collections {
        collection::hold(tx, CollectionId(id)).await?;
    }
    let ids: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
    work::lock_all(tx, &ids).await?;
    // Now nobody else can edit or run them: they are still over, or are left.
    let ended =
        read(&tx.rows(&format!("{ENDED} and id = any($2) order by id for update"), &[&before.ticks(), &ids]).await?)?;
    let stamp = Stamp::of_server(now);
    for (id, collection) in &ended {
        series::keep_before(tx, JobId(*id)).await?;
        let path = job::changed_path(tx, JobId(*id)).await?;
        tx.changes.push(NewChange::deleted(path, &stamp));
        job::remove(tx, JobId(*id), now).await?;
        collection::count_job(tx, CollectionId(*collection), -1).await?;
    }
    tx.changed.jobs.extend(ended.iter().map(|(id, _)| JobId(*id)));
    Ok(ended.len())
}

/// Takes a step towards history within its bounds: drops a table, if there is one to drop. Returns what it was, and until when history is
/// gone with it, if it is.
pub(super) async fn drop_segment(
    tx: &mut WriteTx,
    bounds: &HistoryBounds,
) -> Result<Option<(DroppedHistory, Option<Timestamp>)>, Fault> {
    // One node at a time looks after history.
    tx.lock("history").await?;
    // So that the bound holds within a day, too: what is being written is never dropped.
    history::begin_part(tx, bounds.bytes_max / PARTS).await?;
    let Some(Discarded { segment, bytes, kept }) = history::drop_one(tx, bounds).await? else { return Ok(None) };
    let dropped = DroppedHistory { name: segment.table_name(), bytes, kept };
    let Segment::Day(day) = segment else { return Ok(Some((dropped, None))) };
    // If a part of the day is left, it begins where the one that was dropped has ended.
    let begins = history::oldest(tx).await?;
    let last = begins.map_or(day.last(), |begins| day.last().min(begins.saturating_add(-1)));
    let sql = "insert into meta (name, value) values ($1, $2)
        on conflict (name) do update set value = greatest(meta.value, excluded.value)";
    tx.execute(sql, &[&DROPPED_UNTIL, &last.ticks()]).await?;
    Ok(Some((dropped, Some(last))))
}
