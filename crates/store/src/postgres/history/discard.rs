//! Dropping what is old, and keeping its failures.

use super::super::error::Fault;
use super::super::write::WriteTx;
use super::append::{copy, make};
use super::reader::{bytes, days, failures, months};
use super::segments;
use crate::history::day::Day;
use crate::history::month::Month;
use crate::history::segment::Segment;
use crate::work_store::HistoryBounds;

/// The part of all history that kept failures may take, if all of it takes as much as it may: a quarter.
const FAILURE_SHARE: u64 = 4;

/// Failures that are copied by one statement.
const SLICE: usize = 2_000;

/// A smaller table is not worth a second one for its day.
const PART_BYTES_MIN: u64 = 1 << 20;

/// A table that was dropped.
pub(in super::super) struct Discarded {
    pub(in super::super) segment: Segment,
    pub(in super::super) bytes: u64,
    /// How many of its records are kept.
    pub(in super::super) kept: u64,
}

/// Begins a new part of the newest day, if the table that is written now holds this much, and not little.
pub(in super::super) async fn begin_part(tx: &mut WriteTx, bytes_max: u64) -> Result<(), Fault> {
    let Some(newest) = days(&segments(tx).await?).last().copied() else { return Ok(()) };
    if bytes(tx, Some(&[Segment::Day(newest)])).await? < bytes_max.max(PART_BYTES_MIN) {
        return Ok(());
    }
    make(tx, Segment::Day(newest.next_part())).await
}

/// Takes a step towards history within its bounds: drops one table, if there is one to drop. What is too old goes first; of what takes
/// too much of the disk it is the oldest.
pub(in super::super) async fn drop_one(tx: &mut WriteTx, bounds: &HistoryBounds) -> Result<Option<Discarded>, Fault> {
    let all = segments(tx).await?;
    let (days, months) = (days(&all), months(&all));
    let failures_before = bounds.failures_before.unwrap_or(bounds.before);
    if let Some(month) = months.iter().find(|month| month.last() < failures_before) {
        return drop_table(tx, Segment::Failures(*month), 0).await.map(Some);
    }
    if let Some(day) = days.iter().find(|day| day.last() < bounds.before) {
        return drop_day(tx, *day, bounds).await.map(Some);
    }
    if bytes(tx, None).await? <= bounds.bytes_max {
        return Ok(None);
    }
    let of_failures: Vec<Segment> = months.iter().copied().map(Segment::Failures).collect();
    let failure_bytes = bytes(tx, Some(&of_failures)).await?;
    match (months.first(), &days[..]) {
        (Some(month), _) if failure_bytes > bounds.bytes_max / FAILURE_SHARE => {
            drop_table(tx, Segment::Failures(*month), 0).await.map(Some)
        }
        // The last day stays: it is being written.
        (_, [oldest, _, ..]) => drop_day(tx, *oldest, bounds).await.map(Some),
        (Some(month), _) => drop_table(tx, Segment::Failures(*month), 0).await.map(Some),
        (None, _) => Ok(None),
    }
}

/// Drops a day, once its failures are in the table of their month, if they are kept longer.
async fn drop_day(tx: &mut WriteTx, day: Day, bounds: &HistoryBounds) -> Result<Discarded, Fault> {
    let keeps_failures = bounds.failures_before.is_some_and(|before| day.last() >= before);
    let kept = if keeps_failures { keep_failures(tx, day).await? } else { 0 };
    drop_table(tx, Segment::Day(day), kept).await
}

/// Copies the failures of a day to the table of their month. Returns how many there are.
async fn keep_failures(tx: &mut WriteTx, day: Day) -> Result<u64, Fault> {
    let month = Segment::Failures(Month::of(day.first()));
    let (mut after, mut kept) = (-1, 0);
    loop {
        let found = failures(tx, &tx.shared.damage, day, after, SLICE).await?;
        let Some(last) = found.last() else { return Ok(kept) };
        if !segments(tx).await?.contains(&month) {
            make(tx, month).await?;
        }
        copy(tx, &month.table_name(), &found).await?;
        (after, kept) = (last.key.number().cast_signed(), kept + found.len() as u64);
    }
}

async fn drop_table(tx: &WriteTx, segment: Segment, kept: u64) -> Result<Discarded, Fault> {
    let (table, bytes) = (segment.table_name(), bytes(tx, Some(&[segment])).await?);
    tx.run(&format!("drop table {table}")).await?;
    tx.execute("delete from history_segment where name = $1", &[&table]).await?;
    Ok(Discarded { segment, bytes, kept })
}
