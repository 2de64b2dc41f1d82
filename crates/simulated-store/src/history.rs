//! History. It is dropped in pieces of a day, as the files of SQLite are.

use std::collections::BTreeSet;

use punctual_model::history::StatusKind;
use punctual_model::occurrence::Phase;
use punctual_model::time::{Date, TICKS_PER_DAY, Timestamp, Wall};
use punctual_store::{
    DroppedHistory, HistoryBounds, HistoryEntry, HistoryFilter, HistoryItem, HistoryKey, HistoryPage, JobId,
    LatestPage, LatestRecord, SeriesEntry,
};

use crate::tables::Tables;

/// How much a record takes.
const RECORD_BYTES: u64 = 256;

impl Tables {
    /// One record of a job.
    pub fn record(&self, job: JobId, key: HistoryKey) -> Option<HistoryItem> {
        let entry = self.history.get(&key.number()).or_else(|| self.kept_failures.get(&key.number()))?;
        Some(item(key.number(), entry)).filter(|item| item.entry.job == job && item.key == key)
    }

    /// A page of the history of a job, newest first.
    pub fn history(&self, job: JobId, page: &HistoryPage) -> Vec<HistoryItem> {
        let items = self.history.iter().chain(&self.kept_failures).map(|(number, entry)| item(*number, entry));
        let mut items: Vec<HistoryItem> = items
            .filter(|item| item.entry.job == job && is_asked_for(&item.entry, &page.filter))
            .filter(|item| page.after.is_none_or(|after| item.key > after))
            .collect();
        items.sort_by_key(|item| item.key);
        items.into_iter().skip(page.skip as usize).take(page.limit).collect()
    }

    /// A page of the history of all jobs, the latest day first, and in it what was written last; then, the latest month
    /// first, what is left of days that were dropped.
    pub fn latest_records(&self, page: &LatestPage) -> Vec<LatestRecord> {
        let days: BTreeSet<i64> = self.days().collect();
        let place = |key: HistoryKey| {
            let day = key.started().ticks().div_euclid(TICKS_PER_DAY);
            (if days.contains(&day) { day } else { month_of(day).0 }, key.number())
        };
        let items = self.history.iter().chain(&self.kept_failures).map(|(number, entry)| item(*number, entry));
        let mut items: Vec<HistoryItem> = items
            .filter(|item| {
                let record = &item.entry.record;
                (is_failure(&item.entry) || !page.only_trouble)
                    && page.started_from.is_none_or(|from| record.started >= from)
                    && page.after.is_none_or(|after| place(item.key) < place(after))
            })
            .collect();
        items.sort_by_key(|item| std::cmp::Reverse(place(item.key)));
        items.truncate(page.limit);
        let with_path = |item: HistoryItem| LatestRecord { path: self.path(item.entry.job).map(Into::into), item };
        items.into_iter().map(with_path).collect()
    }

    /// The beginning of the oldest day of which there is history.
    pub fn history_begins(&self) -> Option<Timestamp> {
        let oldest = self.days().next()?;
        Some(Timestamp::from_ticks(oldest * TICKS_PER_DAY).unwrap_or(Timestamp::MIN))
    }

    /// The bytes that all history takes.
    pub fn history_bytes(&self) -> u64 {
        (self.history.len() + self.kept_failures.len()) as u64 * RECORD_BYTES
    }

    /// The beginning of the oldest month of which failures are kept.
    pub fn failures_begin(&self) -> Option<Timestamp> {
        let oldest = self.kept_failures.values().map(day).min()?;
        Some(Timestamp::from_ticks(month_of(oldest).0 * TICKS_PER_DAY).unwrap_or(Timestamp::MIN))
    }

    /// Drops days that are over before an instant, and the oldest days but the last while history takes too many bytes. Of
    /// both, failures may be kept longer.
    pub fn drop_history(&mut self, bounds: &HistoryBounds) -> Vec<DroppedHistory> {
        let (mut dropped, mut gone_before) = (Vec::new(), bounds.before);
        loop {
            let failures_before = bounds.failures_before.unwrap_or(bounds.before);
            let month = self.kept_failures.values().map(|entry| month_of(day(entry))).min();
            if let Some(month) = month.filter(|(_, last)| (last + 1) * TICKS_PER_DAY - 1 < failures_before.ticks()) {
                dropped.push(self.drop_month(month));
                continue;
            }
            let Some(oldest) = self.days().next() else { break };
            let last = (oldest + 1) * TICKS_PER_DAY - 1;
            let is_too_much = self.history_bytes() > bounds.bytes_max;
            let failure_bytes = self.kept_failures.len() as u64 * RECORD_BYTES;
            let is_last = self.days().nth(1).is_none();
            match month {
                _ if last < bounds.before.ticks() => {}
                _ if !is_too_much => break,
                Some(month) if failure_bytes > bounds.bytes_max / 4 || is_last => {
                    dropped.push(self.drop_month(month));
                    continue;
                }
                _ if is_last => break,
                _ => {}
            }
            let keeps_failures = bounds.failures_before.is_some_and(|before| last >= before.ticks());
            dropped.push(self.drop_day(oldest, keeps_failures));
            let last = Timestamp::from_ticks(last).unwrap_or(Timestamp::MAX);
            gone_before = gone_before.max(last);
            self.dropped_until = self.dropped_until.max(Some(last));
        }
        self.series.retain(|_, entry: &mut SeriesEntry| entry.until.is_none_or(|until| until >= gone_before));
        self.ended_stops.retain(|_, row| !row.all_told || row.stop.until >= gone_before);
        dropped
    }

    fn drop_day(&mut self, number: i64, keeps_failures: bool) -> DroppedHistory {
        let gone: Vec<_> = self.history.extract_if(.., |_, entry| day(entry) == number).collect();
        let (bytes, kept_before) = (gone.len() as u64 * RECORD_BYTES, self.kept_failures.len());
        self.kept_failures.extend(gone.into_iter().filter(|(_, entry)| keeps_failures && is_failure(entry)));
        let kept = (self.kept_failures.len() - kept_before) as u64;
        DroppedHistory { name: format!("day {number}"), bytes, kept }
    }

    fn drop_month(&mut self, (first, last): (i64, i64)) -> DroppedHistory {
        let before = self.kept_failures.len();
        self.kept_failures.retain(|_, entry| !(first..=last).contains(&day(entry)));
        let bytes = (before - self.kept_failures.len()) as u64 * RECORD_BYTES;
        DroppedHistory { name: format!("failures of days {first} to {last}"), bytes, kept: 0 }
    }

    /// The days of which there is history, in order.
    fn days(&self) -> impl Iterator<Item = i64> + use<> {
        let days: std::collections::BTreeSet<i64> = self.history.values().map(day).collect();
        days.into_iter()
    }
}

fn item(number: u64, entry: &HistoryEntry) -> HistoryItem {
    let key = HistoryKey::new(entry.record.started, number).expect("fewer records than there are numbers");
    HistoryItem { key, entry: entry.clone() }
}

/// Whether a record says that something did not succeed, or what followed from it.
fn is_failure(entry: &HistoryEntry) -> bool {
    entry.record.status.kind() != StatusKind::Completed || entry.record.phase == Phase::Error
}

/// The first and the last day of the month of a day, all of them counted from 1970.
fn month_of(day: i64) -> (i64, i64) {
    let day = i32::try_from(day).unwrap_or(i32::MAX);
    let number = Wall::from_ticks(i64::from(day) * TICKS_PER_DAY).day();
    let date = Date::from_day_number(number);
    let first = day - i32::from(date.day) + 1;
    (i64::from(first), i64::from(first) + i64::from(date.month.length(date.year)) - 1)
}

fn day(entry: &HistoryEntry) -> i64 {
    entry.record.started.ticks().div_euclid(TICKS_PER_DAY)
}

fn is_asked_for(entry: &HistoryEntry, filter: &HistoryFilter) -> bool {
    let record = &entry.record;
    filter.status.is_none_or(|status| record.status.kind() == status)
        && (entry.is_last_attempt() || !filter.only_last_attempts)
        && filter.phase.is_none_or(|phase| record.phase == phase)
        && filter.occurrence.is_none_or(|occurrence| record.occurrence == occurrence)
        && filter.started_from.is_none_or(|from| record.started >= from)
        && filter.started_until.is_none_or(|until| record.started <= until)
}
