//! Reads history, page by page.
//!
//! A page is read from the newest table to older ones until it is full. Each table is read by a statement of its own, outside
//! transactions: a table that is dropped meanwhile is as if it had been dropped before.

use std::collections::BTreeSet;

use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use tokio_postgres::types::ToSql;

use super::super::db::{Db, Values, count};
use super::super::error::Fault;
use super::super::values::large;
use super::segments;
use crate::cells::Cells;
use crate::columns::attempt::{COLUMNS, read, status_and_phase};
use crate::damage::Damage;
use crate::history::day::Day;
use crate::history::month::Month;
use crate::history::segment::Segment;
use crate::history::shelf::Shelf;
use crate::history::{HistoryFilter, HistoryItem, HistoryKey, HistoryPage, LatestPage};
use crate::key::JobId;

/// The first instant of which everything is there.
pub(in super::super) async fn oldest(db: &Db) -> Result<Option<Timestamp>, Fault> {
    let Some(day) = segments(db).await?.into_iter().find_map(Segment::day) else { return Ok(None) };
    if day.is_first_part() {
        return Ok(Some(day.first()));
    }
    // The parts before are gone, and with them what ended before this one was begun.
    let table = Segment::Day(day).table_name();
    let rows = rows_of(db, &format!("select ended from {table} order by number limit 1"), &[]).await?;
    let begins = rows.first().map(|row| Cells::of(row).next_instant()).transpose()?.flatten();
    Ok(Some(begins.unwrap_or(day.last())))
}

/// The first instant of which there are failures without the rest of its day.
pub(in super::super) async fn oldest_failures(db: &Db) -> Result<Option<Timestamp>, Fault> {
    let months = months(&segments(db).await?);
    Ok(months.first().map(|month| month.first()))
}

/// The bytes on disk of these tables, with their indexes; of all of them if none are named.
pub(in super::super) async fn bytes(db: &Db, of: Option<&[Segment]>) -> Result<u64, Fault> {
    let all = segments(db).await?;
    let is_asked_for = |segment: &Segment| of.is_none_or(|of| of.contains(segment));
    let names: Vec<String> = all.iter().filter(|segment| is_asked_for(segment)).map(|it| it.table_name()).collect();
    let sql =
        "select coalesce(sum(pg_total_relation_size(to_regclass(name)))::bigint, 0) from unnest($1::text[]) as name";
    let row = db.one(sql, &[&names]).await?;
    Ok(Cells::of(&row).next()?)
}

pub(super) fn days(segments: &BTreeSet<Segment>) -> Vec<Day> {
    segments.iter().filter_map(|segment| segment.day()).collect()
}

pub(super) fn months(segments: &BTreeSet<Segment>) -> Vec<Month> {
    let month = |segment: &Segment| if let Segment::Failures(month) = segment { Some(*month) } else { None };
    segments.iter().filter_map(month).collect()
}

async fn shelves(db: &Db) -> Result<Vec<Shelf>, Fault> {
    let segments = segments(db).await?;
    Ok(Shelf::all(&days(&segments), &months(&segments)))
}

/// The rows of a table, none if it was dropped.
async fn rows_of(db: &Db, sql: &str, values: Values<'_>) -> Result<Vec<tokio_postgres::Row>, Fault> {
    match db.rows_once(sql, values).await {
        Err(Fault::NoTable(_)) => Ok(Vec::new()),
        rows => rows,
    }
}

/// The entries that a statement about a table finds: so many that can be read, after some that are skipped.
async fn read_page(
    db: &Db,
    damage: &Damage,
    sql: &str,
    values: Values<'_>,
    skip: usize,
    limit: usize,
) -> Result<Vec<HistoryItem>, Fault> {
    let (mut page, mut offset) = (Vec::new(), count(skip));
    let paged = format!("{sql} limit ${} offset ${}", values.len() + 1, values.len() + 2);
    while page.len() < limit {
        let asked = count(limit - page.len());
        let mut all: Vec<&(dyn ToSql + Sync)> = values.to_vec();
        all.extend([&asked as &(dyn ToSql + Sync), &offset]);
        let rows = rows_of(db, &paged, &all).await?;
        for row in &rows {
            page.extend(damage.sieve(read(row))?);
        }
        if count(rows.len()) < asked {
            break;
        }
        offset += asked;
    }
    Ok(page)
}

/// A page of what came of a job, newest first.
pub(in super::super) async fn list(
    db: &Db,
    damage: &Damage,
    job: JobId,
    page: &HistoryPage,
) -> Result<Vec<HistoryItem>, Fault> {
    let query = Query::new(job, &page.filter, page.after);
    let (mut items, mut left_to_skip) = (Vec::new(), page.skip as usize);
    for shelf in shelves(db).await? {
        let left = page.limit - items.len();
        if left == 0 {
            break;
        }
        let Some(query) = query.within(&shelf) else { continue };
        let mut found = Vec::new();
        if let [segment] = shelf.segments[..] {
            let skipped = if left_to_skip > 0 { query.count(db, segment, left_to_skip).await? } else { 0 };
            left_to_skip -= skipped;
            if left_to_skip == 0 {
                found = query.read(db, damage, segment, skipped, left).await?;
            }
        } else {
            // An attempt that took long is in a later part than one that started after it.
            for segment in &shelf.segments {
                found.extend(query.read(db, damage, *segment, 0, left_to_skip.saturating_add(left)).await?);
            }
            found.sort_by_key(|item: &HistoryItem| item.key);
            // While a part is dropped, its failures are in it and in their month.
            found.dedup_by_key(|item| item.key);
            let skipped = left_to_skip.min(found.len());
            left_to_skip -= skipped;
            found.drain(..skipped);
            found.truncate(left);
        }
        items.extend(found);
    }
    Ok(items)
}

/// The entries after one number and up to another, `limit` of them at most, in the order of their numbers. What is left of
/// days that were dropped is not among them.
pub(in super::super) async fn numbered(
    db: &Db,
    damage: &Damage,
    after: u64,
    until: u64,
    limit: usize,
) -> Result<Vec<HistoryItem>, Fault> {
    let mut items = Vec::new();
    for day in days(&segments(db).await?) {
        let table = Segment::Day(day).table_name();
        let sql = format!("select {COLUMNS} from {table} where number > $1 and number <= $2 order by number");
        items.extend(read_page(db, damage, &sql, &[&large(after), &large(until)], 0, limit).await?);
    }
    items.sort_by_key(|item| item.key.number());
    items.truncate(limit);
    Ok(items)
}

/// The first number that an entry has.
pub(in super::super) async fn first_number(db: &Db) -> Result<Option<u64>, Fault> {
    let mut first = None;
    for day in days(&segments(db).await?) {
        let table = Segment::Day(day).table_name();
        let rows = rows_of(db, &format!("select min(number) from {table}"), &[]).await?;
        let number: Option<u64> = rows.first().map(|row| Cells::of(row).next()).transpose()?.flatten();
        first = [first, number].into_iter().flatten().min();
    }
    Ok(first)
}

/// What came of all jobs, the latest day first, and in it what was written last; then, the latest month first, what is
/// left of days that were dropped.
pub(in super::super) async fn latest(db: &Db, damage: &Damage, page: &LatestPage) -> Result<Vec<HistoryItem>, Fault> {
    let from = page.started_from.unwrap_or(Timestamp::MIN);
    let condition = if page.only_trouble { " and (status <> 0 or phase <> 0)" } else { "" };
    let mut items: Vec<HistoryItem> = Vec::new();
    for shelf in shelves(db).await?.into_iter().take_while(|shelf| shelf.last >= from) {
        let before = match page.after {
            Some(after) if shelf.first > after.started() => continue,
            Some(after) if shelf.last >= after.started() => large(after.number()),
            _ => i64::MAX,
        };
        let mut known = BTreeSet::new();
        for segment in &shelf.segments {
            let left = page.limit - items.len();
            let sql = format!(
                "select {COLUMNS} from {} where number < $1 and started between $2 and $3{condition} order by number desc",
                segment.table_name()
            );
            let bounds: Values<'_> = &[&before, &from.max(shelf.first).ticks(), &shelf.last.ticks()];
            // While a part is dropped, its failures are in it and in their month.
            let read = read_page(db, damage, &sql, bounds, 0, left + known.len()).await?;
            items.extend(read.into_iter().filter(|item| known.insert(item.key)).take(left));
        }
        if items.len() >= page.limit {
            break;
        }
    }
    Ok(items)
}

/// The first records of a day after that number that did not succeed, with what followed from it, in the order of their numbers.
pub(super) async fn failures(
    db: &Db,
    damage: &Damage,
    day: Day,
    after: i64,
    limit: usize,
) -> Result<Vec<HistoryItem>, Fault> {
    let table = Segment::Day(day).table_name();
    let sql =
        format!("select {COLUMNS} from {table} where number > $1 and (status <> 0 or phase <> 0) order by number");
    read_page(db, damage, &sql, &[&after], 0, limit).await
}

/// The entry of a job with that key.
pub(in super::super) async fn find(db: &Db, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Fault> {
    let day = Day::of(key.started());
    let month = Segment::Failures(Month::of(key.started()));
    for segment in segments(db).await?.into_iter().rev() {
        if segment != month && !segment.day().is_some_and(|part| part.is_same_day(day)) {
            continue;
        }
        let sql =
            format!("select {COLUMNS} from {} where number = $1 and job = $2 and started = $3", segment.table_name());
        let rows = rows_of(db, &sql, &[&large(key.number()), &job.0, &key.started().ticks()]).await?;
        if let Some(row) = rows.first() {
            return Ok(Some(read(row)?));
        }
    }
    Ok(None)
}

/// What a list asks every table for.
#[derive(Clone)]
struct Query {
    job: JobId,
    from: Timestamp,
    /// Where the page before ended, or where the wanted time ends; not included. One bound for both, so that the index
    /// leads to it.
    before: (i64, i64),
    occurrence: Option<[u8; 16]>,
    condition: String,
}

impl Query {
    fn new(job: JobId, filter: &HistoryFilter, after: Option<HistoryKey>) -> Self {
        let until = filter.started_until.unwrap_or(Timestamp::MAX);
        let end = (until.ticks() + 1, 0);
        let before = after.map_or(end, |key| end.min((key.started().ticks(), large(key.number()))));
        let from = filter.started_from.unwrap_or(Timestamp::MIN);
        let occurrence = filter.occurrence.map(OccurrenceId::bytes);
        Self { job, from, before, occurrence, condition: condition(filter) }
    }

    /// The same, of the time that a shelf holds; nothing if that is another one.
    fn within(&self, Shelf { first, last, .. }: &Shelf) -> Option<Self> {
        if self.from > *last || first.ticks() > self.before.0 {
            return None;
        }
        let end = (last.ticks().saturating_add(1), 0);
        Some(Self { before: end.min(self.before), from: self.from.max(*first), ..self.clone() })
    }

    /// How many entries of a table there are, counted up to `limit`.
    async fn count(&self, db: &Db, segment: Segment, limit: usize) -> Result<usize, Fault> {
        let table = segment.table_name();
        let sql = format!("select count(*) from (select 1 from {table} where {} limit $6) as found", self.condition);
        let occurrence = self.occurrence.as_ref().map(<[u8; 16]>::as_slice);
        let (ticks, number) = self.before;
        let values: Values<'_> = &[&self.job.0, &self.from.ticks(), &ticks, &number, &occurrence, &count(limit)];
        let rows = rows_of(db, &sql, values).await?;
        let counted: i64 = rows.first().map(|row| Cells::of(row).next()).transpose()?.unwrap_or(0);
        Ok(usize::try_from(counted).unwrap_or(limit))
    }

    async fn read(
        &self,
        db: &Db,
        damage: &Damage,
        segment: Segment,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<HistoryItem>, Fault> {
        let table = segment.table_name();
        let sql = format!("select {COLUMNS} from {table} where {} order by started desc, number desc", self.condition);
        let occurrence = self.occurrence.as_ref().map(<[u8; 16]>::as_slice);
        let (ticks, number) = self.before;
        let values: Values<'_> = &[&self.job.0, &self.from.ticks(), &ticks, &number, &occurrence];
        read_page(db, damage, &sql, values, skip, limit).await
    }
}

fn condition(filter: &HistoryFilter) -> String {
    let bounds =
        "job = $1 and started >= $2 and (started, number) < ($3, $4) and ($5::bytea is null or occurrence = $5)";
    let picked = status_and_phase(filter);
    let last = if filter.only_last_attempts { " and retry_at is null and not is_duplicate" } else { "" };
    format!("{bounds}{picked}{last}")
}
