//! Reads history, page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Rows, Statement, params};

use super::super::damage::Damage;
use super::cache::SegmentCache;
use super::row;
use crate::columns::attempt::status_and_phase;
use crate::history::day::Day;
use crate::history::month::Month;
use crate::history::segment::Segment;
use crate::history::shelf::Shelf;
use crate::history::{HistoryFilter, HistoryItem, HistoryKey, LatestPage};
use crate::{Error, JobId};

/// The reader's side, for any thread.
///
/// A page is read from the newest segment to older ones until it is full. Nothing is held from one page to the next, nor
/// from one segment to the next: a segment that is dropped meanwhile is as if it had been dropped before.
#[derive(Clone)]
pub(crate) struct SegmentReader {
    cache: Arc<SegmentCache>,
    damage: Arc<Damage>,
}

impl SegmentReader {
    pub(super) const fn new(cache: Arc<SegmentCache>, damage: Arc<Damage>) -> Self {
        Self { cache, damage }
    }

    /// The first instant of which everything is there.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        let day = self.cache.days().first().copied()?;
        if day.is_first_part() {
            return Some(day.first());
        }
        // The parts before are gone, and with them what ended before this one was begun.
        let begins = self.cache.read(Segment::Day(day), |connection| {
            let mut statement = connection.prepare_cached("select ended from attempt order by number limit 1")?;
            Ok(statement.query_row([], |row| row.get(0)).optional()?)
        });
        let begins: Option<i64> = begins.ok().flatten().flatten();
        Some(begins.and_then(Timestamp::from_ticks).unwrap_or(day.last()))
    }

    /// The first instant of which there are failures without the rest of its day.
    pub(crate) fn oldest_failures(&self) -> Option<Timestamp> {
        Some(self.cache.months().first()?.first())
    }

    /// The bytes on disk of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// The entries of a job that the filter lets through, newest first: `limit` of them, after `after`, without the
    /// first `skip`.
    pub(crate) fn list(
        &self,
        job: JobId,
        filter: &HistoryFilter,
        after: Option<HistoryKey>,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<HistoryItem>, Error> {
        let query = Query::new(job, filter, after);
        let (mut items, mut left_to_skip) = (Vec::new(), skip);
        for shelf in self.cache.shelves() {
            if items.len() >= limit {
                break;
            }
            let Some(query) = query.within(&shelf) else { continue };
            let (skipped, page) = match shelf.segments[..] {
                [segment] => self.page(segment, &query, left_to_skip, limit - items.len())?,
                _ => self.merged_page(&shelf, &query, left_to_skip, limit - items.len())?,
            };
            left_to_skip -= skipped;
            items.extend(page);
        }
        Ok(items)
    }

    /// The entries of one segment, after some that are skipped, and how many were.
    fn page(
        &self,
        segment: Segment,
        query: &Query,
        skip: usize,
        limit: usize,
    ) -> Result<(usize, Vec<HistoryItem>), Error> {
        let read_row = |row: &Row<'_>| {
            row::read(row).map_err(|error| {
                error.about(format_args!("a record of job {} in {}", query.job.0, segment.file_name()))
            })
        };
        let page = self.cache.read(segment, |connection| {
            let skipped = if skip > 0 { query.count(connection, skip)? } else { 0 };
            if skipped < skip {
                return Ok((skipped, Vec::new()));
            }
            let mut statement = connection.prepare_cached(&query.sql())?;
            let rows = query.rows(&mut statement, skipped)?;
            Ok((skipped, self.damage.read_page(rows, limit, read_row)?))
        });
        // One day that cannot be read does not hide the others.
        Ok(self.damage.sieve(page)?.flatten().unwrap_or_default())
    }

    /// The same of several segments of a day. An attempt that took long is in a later part than one that started after it.
    fn merged_page(
        &self,
        shelved: &Shelf,
        query: &Query,
        skip: usize,
        limit: usize,
    ) -> Result<(usize, Vec<HistoryItem>), Error> {
        let mut items = Vec::new();
        for segment in &shelved.segments {
            items.extend(self.page(*segment, query, 0, skip.saturating_add(limit))?.1);
        }
        items.sort_by_key(|item| item.key);
        // While a part is dropped, its failures are in it and in their month.
        items.dedup_by_key(|item| item.key);
        let skipped = skip.min(items.len());
        Ok((skipped, items.into_iter().skip(skipped).take(limit).collect()))
    }

    /// The entries after one number and up to another, `limit` of them at most, in the order of their numbers. What is
    /// left of days that were dropped is not among them.
    pub(crate) fn numbered(&self, after: u64, until: u64, limit: usize) -> Result<Vec<HistoryItem>, Error> {
        let mut items = Vec::new();
        for day in self.cache.days() {
            let page = self.cache.read(Segment::Day(day), |connection| {
                let sql = format!(
                    "select {} from attempt where number > ?1 and number <= ?2 order by number limit ?3",
                    row::COLUMNS
                );
                let mut statement = connection.prepare_cached(&sql)?;
                let rows = statement.query([sql_integer(after), sql_integer(until), sql_size(limit)])?;
                self.damage.read_page(rows, limit, |row| row::read(row))
            });
            items.extend(self.damage.sieve(page)?.flatten().unwrap_or_default());
        }
        items.sort_by_key(|item| item.key.number());
        items.truncate(limit);
        Ok(items)
    }

    /// What came of all jobs, the latest day first, and in it what was written last; then, the latest month first, what is
    /// left of days that were dropped.
    pub(crate) fn latest(&self, page: &LatestPage) -> Result<Vec<HistoryItem>, Error> {
        let from = page.started_from.unwrap_or(Timestamp::MIN);
        let mut items: Vec<HistoryItem> = Vec::new();
        for shelf in self.cache.shelves().into_iter().take_while(|shelf| shelf.last >= from) {
            let before = match page.after {
                Some(after) if shelf.first > after.started() => continue,
                Some(after) if shelf.last >= after.started() => sql_integer(after.number()),
                _ => i64::MAX,
            };
            let mut known = BTreeSet::new();
            for segment in &shelf.segments {
                let left = page.limit - items.len();
                let read = self.cache.read(*segment, |connection| {
                    let mut statement = connection.prepare_cached(&latest_sql(page.only_trouble))?;
                    let rows = statement.query([before, from.max(shelf.first).ticks(), shelf.last.ticks()])?;
                    // While a part is dropped, its failures are in it and in their month.
                    self.damage.read_page(rows, left + known.len(), |row| row::read(row))
                });
                let read = self.damage.sieve(read)?.flatten().unwrap_or_default();
                items.extend(read.into_iter().filter(|item| known.insert(item.key)).take(left));
            }
            if items.len() >= page.limit {
                break;
            }
        }
        Ok(items)
    }

    /// The first records after that number that did not succeed, with what followed from it, in the order of their numbers.
    pub(super) fn failures(&self, day: Day, after: i64, limit: usize) -> Result<Vec<HistoryItem>, Error> {
        let failures = self.cache.read(Segment::Day(day), |connection| {
            let mut statement = connection.prepare_cached(&failures_sql())?;
            self.damage.read_page(statement.query([after])?, limit, |row| row::read(row))
        });
        Ok(failures?.unwrap_or_default())
    }

    /// The first number that an entry has.
    pub(crate) fn first_number(&self) -> Result<Option<u64>, Error> {
        let mut first = None;
        for day in self.cache.days() {
            let number = self.cache.read(Segment::Day(day), |connection| {
                Ok(connection.query_row("select min(number) from attempt", [], |row| row.get::<_, Option<i64>>(0))?)
            });
            let number = self.damage.sieve(number)?.flatten().flatten().and_then(|it| u64::try_from(it).ok());
            first = [first, number].into_iter().flatten().min();
        }
        Ok(first)
    }

    /// The entry of a job with that key.
    pub(crate) fn find(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error> {
        let day = Day::of(key.started());
        let parts = self.cache.days().into_iter().filter(|part| part.is_same_day(day)).map(Segment::Day);
        for segment in parts.chain([Segment::Failures(Month::of(key.started()))]) {
            let found = self.cache.read(segment, |connection| find(connection, job, key))?;
            if let Some(item) = found.flatten() {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }
}

/// The latest entries of a segment.
pub(super) fn latest_sql(only_trouble: bool) -> String {
    let (index, condition) =
        if only_trouble { (" indexed by trouble", " and (status <> 0 or phase <> 0)") } else { ("", "") };
    format!(
        "select {} from attempt{index} where number < ?1 and started between ?2 and ?3{condition} order by number desc",
        row::COLUMNS
    )
}

/// What of a segment is kept when its day is dropped.
fn failures_sql() -> String {
    let condition = "number > ?1 and (status <> 0 or phase <> 0)";
    format!("select {} from attempt indexed by trouble where {condition} order by number", row::COLUMNS)
}

/// One entry, by its number; the rest of what is asked for must be right, too.
fn find(connection: &Connection, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error> {
    let columns = row::COLUMNS;
    let sql = format!("select {columns} from attempt where number = ?1 and job = ?2 and started = ?3");
    let parameters = params![sql_integer(key.number()), job.0, key.started().ticks()];
    connection.prepare_cached(&sql)?.query_row(parameters, |it| Ok(row::read(it))).optional()?.transpose()
}

/// What a list asks every segment for.
pub(super) struct Query {
    job: JobId,
    from: Timestamp,
    /// Where the page before ended, or where the wanted time ends; not included. One bound for both, so that the index
    /// leads to it.
    before_ticks: i64,
    before_number: i64,
    condition: String,
}

impl Query {
    pub(super) fn new(job: JobId, filter: &HistoryFilter, after: Option<HistoryKey>) -> Self {
        let until = filter.started_until.unwrap_or(Timestamp::MAX);
        let end = (until.ticks() + 1, 0);
        let after = after.map_or(end, |key| (key.started().ticks(), sql_integer(key.number())));
        let (before_ticks, before_number) = end.min(after);
        let from = filter.started_from.unwrap_or(Timestamp::MIN);
        Self { job, from, before_ticks, before_number, condition: condition(filter) }
    }

    /// The same, of the time that a shelf holds; nothing if that is another one.
    fn within(&self, Shelf { first, last, .. }: &Shelf) -> Option<Self> {
        if self.from > *last || first.ticks() > self.before_ticks {
            return None;
        }
        let end = (last.ticks().saturating_add(1), 0);
        let (before_ticks, before_number) = end.min((self.before_ticks, self.before_number));
        let from = self.from.max(*first);
        Some(Self { job: self.job, from, before_ticks, before_number, condition: self.condition.clone() })
    }

    /// How many entries there are, counted up to `limit`.
    fn count(&self, connection: &Connection, limit: usize) -> Result<usize, Error> {
        let sql = format!("select count(*) from (select 1 from attempt where {} limit ?5)", self.condition);
        let bounds = params![self.job.0, self.from.ticks(), self.before_ticks, self.before_number, sql_size(limit)];
        let count: i64 = connection.prepare_cached(&sql)?.query_row(bounds, |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(limit))
    }

    /// The rows of the entries, newest first.
    fn rows<'a>(&self, statement: &'a mut Statement<'_>, skip: usize) -> Result<Rows<'a>, Error> {
        let bounds = [self.job.0, self.from.ticks(), self.before_ticks, self.before_number, sql_size(skip)];
        Ok(statement.query(bounds)?)
    }

    pub(super) fn sql(&self) -> String {
        format!(
            "select {} from attempt where {} order by started desc, number desc limit -1 offset ?5",
            row::COLUMNS,
            self.condition
        )
    }
}

fn condition(filter: &HistoryFilter) -> String {
    let bounds = "job = ?1 and started >= ?2 and (started, number) < (?3, ?4)";
    let picked = status_and_phase(filter);
    let last = if filter.only_last_attempts { " and retry_at is null and is_duplicate = 0" } else { "" };
    // The id is written as hexadecimal digits, which need no quoting.
    let occurrence = filter.occurrence.map(|id| format!(" and occurrence = x'{id}'")).unwrap_or_default();
    format!("{bounds}{picked}{last}{occurrence}")
}

/// A number of a key, none of which is greater than an integer of SQL.
fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn sql_size(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
