//! Writes records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::error::Fault;
use super::super::values::{number, plain};
use super::super::write::WriteTx;
use super::{Segment, last_part, layout, segments};
use crate::columns::attempt::{AttemptColumns, COLUMNS};
use crate::error::Error;
use crate::history::day::Day;
use crate::history::number::{BATCH_RECORDS_MAX, first_number};
use crate::history::{HistoryEntry, HistoryItem};

/// Writes the records of a transaction, which are put into the order of their numbers. Returns the number of their batch.
///
/// The counter is taken first: who holds it is alone, also in making tables.
pub(in super::super) async fn append(tx: &mut WriteTx, entries: &mut [HistoryEntry]) -> Result<i64, Fault> {
    if entries.len() > BATCH_RECORDS_MAX {
        return Err(Error::unavailable(format!("{} records are too many for one batch", entries.len())).into());
    }
    let batch = tx.number("history", 1).await?;
    // In the order of the index, so that it grows page by page; what is equal keeps the order it came in.
    entries.sort_by_key(|entry| (entry.job, entry.record.started));
    let mut by_day: BTreeMap<Day, Vec<(i64, &HistoryEntry)>> = BTreeMap::new();
    for (number, entry) in (first_number(batch)?..).zip(&*entries) {
        by_day.entry(Day::of(entry.record.started)).or_default().push((number, entry));
    }
    for (day, rows) in by_day {
        let table = table_of(tx, day).await?.table_name();
        insert(tx, &table, &rows, "").await?;
    }
    Ok(batch)
}

/// The table that records of a day are written to, which is made if it is not there.
async fn table_of(tx: &mut WriteTx, day: Day) -> Result<Segment, Fault> {
    if let Some(part) = tx.shared.segments.last_part(day) {
        return Ok(Segment::Day(part));
    }
    if let Some(part) = last_part(&segments(tx).await?, day) {
        tx.made.push(Segment::Day(part));
        return Ok(Segment::Day(part));
    }
    let segment = Segment::Day(day);
    make(tx, segment).await?;
    Ok(segment)
}

/// Makes a table.
pub(super) async fn make(tx: &mut WriteTx, segment: Segment) -> Result<(), Fault> {
    tx.run(&layout(&segment.table_name())).await?;
    tx.made.push(segment);
    Ok(())
}

/// Copies records, some of which may be there already.
pub(super) async fn copy(tx: &WriteTx, table: &str, items: &[HistoryItem]) -> Result<(), Fault> {
    let rows: Vec<_> = items.iter().map(|item| (item.key.number().cast_signed(), &item.entry)).collect();
    insert(tx, table, &rows, " on conflict (number) do nothing").await
}

/// Writes rows: one statement for all of them, with an array for each column.
async fn insert(tx: &WriteTx, table: &str, rows: &[(i64, &HistoryEntry)], conflict: &str) -> Result<(), Fault> {
    let rows: Vec<AttemptColumns<'_>> = rows.iter().map(|(number, entry)| AttemptColumns::of(*number, entry)).collect();
    let integers = |of: &dyn Fn(&AttemptColumns<'_>) -> i64| -> Vec<i64> { rows.iter().map(of).collect() };
    let optional =
        |of: &dyn Fn(&AttemptColumns<'_>) -> Option<i64>| -> Vec<Option<i64>> { rows.iter().map(of).collect() };
    let flags = |of: &dyn Fn(&AttemptColumns<'_>) -> bool| -> Vec<bool> { rows.iter().map(of).collect() };
    let occurrences: Vec<&[u8]> = rows.iter().map(|row| row.occurrence.as_slice()).collect();
    let messages: Vec<Cow<'_, str>> = rows.iter().map(|row| plain(row.message)).collect();
    let hosts: Vec<Option<Cow<'_, str>>> = rows.iter().map(|row| row.failure_host.map(plain)).collect();
    let details: Vec<Option<Cow<'_, str>>> = rows.iter().map(|row| row.failure_detail.map(plain)).collect();
    let sql = format!(
        "insert into {table} ({COLUMNS})
         select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[],
             $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
             $15::bigint[], $16::boolean[], $17::bigint[], $18::boolean[], $19::bigint[], $20::bigint[], $21::text[],
             $22::bigint[], $23::bigint[], $24::text[], $25::text[]){conflict}"
    );
    tx.execute_once(
        &sql,
        &[
            &integers(&|row| row.number),
            &integers(&|row| row.job),
            &integers(&|row| row.started),
            &integers(&|row| row.ended),
            &occurrences,
            &integers(&|row| row.origin),
            &optional(&|row| row.manual_number.map(number)),
            &integers(&|row| row.phase),
            &integers(&|row| row.retry.into()),
            &integers(&|row| row.repeat.into()),
            &integers(&|row| row.status),
            &integers(&|row| row.nominal),
            &optional(&|row| row.nominal_last),
            &optional(&|row| row.nominal_count),
            &optional(&|row| row.reason),
            &flags(&|row| row.is_resent),
            &optional(&|row| row.retry_at),
            &flags(&|row| row.is_duplicate),
            &integers(&|row| row.node.into()),
            &integers(&|row| row.revision),
            &messages,
            &optional(&|row| row.failure_class),
            &optional(&|row| row.failure_code.map(number)),
            &hosts,
            &details,
        ],
    )
    .await?;
    Ok(())
}
