//! What wakes, and up to where a process may have started it.

use std::collections::{HashMap, HashSet};

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::cluster::numbers;
use super::db::{Db, Values, count};
use super::error::Fault;
use super::pause;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::columns::due::read;
use crate::damage::Damage;
use crate::error::Error;
use crate::key::{CollectionId, JobId, NodeId, WorkId};
use crate::pause::PauseEntry;
use crate::shards::Shards;
use crate::work_store::{DueKey, DuePage, DueStart, RowKind, RowPage};

/// Keys of what wakes.
const KEYS: &str = "select wake_at, lane, id, coalesce(job, id) from work";

/// A page of what wakes.
pub(super) async fn page(db: &Db, page: &DuePage, damage: &Damage) -> Result<Vec<DueKey>, Fault> {
    // Before the beginning of time.
    let beginning = (i64::MIN, i64::MIN, i64::MIN);
    let (wake_at, lane, id) = match page.start {
        DueStart::Beginning => beginning,
        DueStart::At(key) => (key.wake_at.ticks(), key.lane.0, key.id.0.saturating_sub(1)),
        DueStart::After(key) => (key.wake_at.ticks(), key.lane.0, key.id.0),
    };
    let of_shards = in_shards(page.shards, 6);
    let sql = format!(
        "{KEYS} where (wake_at, lane, id) > ($1, $2, $3) and wake_at <= $4 and ($5::bigint is null or lane = $5){of_shards}
         order by wake_at, lane, id"
    );
    let (of_lane, shards) = (page.lane.map(|Lane(lane)| lane), numbers(page.shards));
    let values: Values<'_> = &[&wake_at, &lane, &id, &page.until.ticks(), &of_lane, &shards];
    // Where all shards are asked for, they are not compared.
    let values = if of_shards.is_empty() { &values[..5] } else { values };
    db.read_page(&sql, values, page.limit, damage, |row| read(row)).await
}

/// The condition that a row is in some shards, which are the value of that number.
fn in_shards(shards: Shards, value: usize) -> String {
    if shards == Shards::ALL { String::new() } else { format!(" and shard = any(${value})") }
}

/// What is open of these jobs and has a wake time.
pub(super) async fn of_jobs(db: &Db, jobs: &[JobId], damage: &Damage) -> Result<Vec<DueKey>, Fault> {
    let ids: Vec<i64> = jobs.iter().map(|job| job.0).collect();
    let sql = format!(
        "{KEYS} where id = any($1) and job is null and wake_at is not null
         union all {KEYS} where job = any($1) and wake_at is not null"
    );
    let mut keys = Vec::new();
    for row in &db.rows(&sql, &[&ids]).await? {
        keys.extend(damage.sieve(read(row))?);
    }
    Ok(keys)
}

/// The keys of jobs of these collections.
pub(super) async fn in_collections(
    db: &Db,
    keys: Vec<DueKey>,
    only: &HashSet<CollectionId>,
) -> Result<Vec<DueKey>, Fault> {
    let jobs: Vec<i64> = keys.iter().map(|key| key.job.0).collect();
    let rows = db.rows("select id, collection from job where id = any($1)", &[&jobs]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, CollectionId(cells.next()?)))
    };
    let collections: HashMap<i64, CollectionId> = rows.iter().map(read).collect::<Result<_, Error>>()?;
    let is_wanted = |key: &DueKey| collections.get(&key.job.0).is_some_and(|collection| only.contains(collection));
    Ok(keys.into_iter().filter(is_wanted).collect())
}

/// A page of rows of one kind. They are looked for among all rows.
pub(super) async fn rows(db: &Db, page: &RowPage) -> Result<Vec<WorkId>, Fault> {
    let kind = match page.kind {
        // Was tried, or is due.
        RowKind::Begun => "wake_at is not null and (attempt > 0 or phase = 1 or wake_at <= $2)",
        // Wakes after now although it is not the schedule's next: it was tried or missed, or someone asked for it.
        RowKind::Delayed => "wake_at > $2 and (attempt > 0 or phase = 1 or kind <> 0 or backlog_until is not null)",
    };
    let of_shards = in_shards(page.shards, 4);
    let sql = format!("select id from work where id > $1 and {kind}{of_shards} order by id limit $3");
    let (after, shards) = (page.after.map_or(0, |after| after.0), numbers(page.shards));
    let values: Values<'_> = &[&after, &page.now.ticks(), &count(page.limit), &shards];
    let values = if of_shards.is_empty() { &values[..3] } else { values };
    let rows = db.rows(&sql, values).await?;
    Ok(rows.iter().map(|row| Ok(WorkId(Cells::of(row).next()?))).collect::<Result<_, Error>>()?)
}

/// Marks what an earlier process of a node may have sent from these shards. If they are all there are, up to where that was is forgotten;
/// else others may still have to know it.
pub(super) async fn take_over(tx: &mut WriteTx, from: NodeId, shards: Shards) -> Result<u64, Fault> {
    let marked = mark_sent(tx, from.0.into(), shards).await?;
    if shards == Shards::ALL {
        forget_watermark(tx, from).await?;
    }
    Ok(marked)
}

/// Marks what a node that is gone may have sent from these shards.
///
/// In a pause only the server's own jobs start, whose lanes are negative: others that wake after where the watermark was when it began
/// were not sent.
pub(super) async fn mark_sent(tx: &WriteTx, node: i64, shards: Shards) -> Result<u64, Fault> {
    let sql = "select watermark, watermark_at_pause from node where id = $1 for update";
    let Some(row) = tx.row(sql, &[&node]).await? else { return Ok(0) };
    let (watermark, at_pause): (Option<i64>, Option<i64>) = {
        let mut cells = Cells::of(&row);
        (cells.next()?, cells.next()?)
    };
    let Some(watermark) = watermark else { return Ok(0) };
    tx.take_time().await?;
    let is_paused = PauseEntry::times(&pause::list(tx).await?).is_paused();
    let of_jobs = if is_paused { at_pause.unwrap_or(i64::MIN) } else { i64::MAX };
    let sql = "update work set resends = greatest(resends, 1), revision = revision + 1
        where id in (
            select id from work where wake_at <= $1 and (lane < 0 or wake_at <= $2) and shard = any($3)
            order by id for update
        )";
    tx.execute(sql, &[&watermark, &of_jobs, &numbers(shards)]).await
}

/// Forgets the watermark of a node: nothing of it is in flight.
pub(super) async fn forget_watermark(db: &Db, node: NodeId) -> Result<(), Fault> {
    db.execute("update node set watermark = null, watermark_at_pause = null where id = $1", &[&i64::from(node.0)])
        .await?;
    Ok(())
}

/// Up to where a node may start attempts from now on; never less than before. Refused to a node whose lease has run out: others may
/// have marked by now what it may have sent, and must not have missed anything.
pub(super) async fn set_watermark(db: &Db, node: NodeId, until: Timestamp) -> Result<(), Fault> {
    let sql = "insert into node (id, watermark)
            select $1::bigint, $2::bigint where $1::bigint = 0 or exists (select from node where id = $1::bigint)
        on conflict (id) do update set watermark = greatest(node.watermark, excluded.watermark),
            watermark_at_pause = case when node.id = 0 or node.watermark_at_pause is null then node.watermark_at_pause
                else greatest(node.watermark_at_pause, excluded.watermark) end
            where node.lease_until is null or node.lease_until > clock_timestamp()";
    let written = db.execute(sql, &[&i64::from(node.0), &until.ticks()]).await?;
    if written == 0 { Err(Error::unavailable("the lease of this node has run out").into()) } else { Ok(()) }
}

/// Remembers how far the watermarks have come when the server is paused; see SQLite's `note_watermarks_at_pause` for why that is
/// exact where one node is alone. Of several nodes some hear of a pause later: what they set since counts as well, and may mark what
/// was not sent.
pub(super) async fn note_watermarks_at_pause(db: &Db) -> Result<(), Fault> {
    db.execute("update node set watermark_at_pause = watermark", &[]).await?;
    Ok(())
}

/// The server is paused no more.
pub(super) async fn forget_watermarks_at_pause(db: &Db) -> Result<(), Fault> {
    db.execute("update node set watermark_at_pause = null", &[]).await?;
    Ok(())
}
