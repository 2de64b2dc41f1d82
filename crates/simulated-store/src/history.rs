//! History. It is dropped in pieces of a day, as the files of SQLite are.

use punctual_model::history::StatusKind;
use punctual_model::occurrence::Phase;
use punctual_model::time::{TICKS_PER_DAY, Timestamp};
use punctual_store::{
    DroppedHistory, HistoryEntry, HistoryFilter, HistoryItem, HistoryKey, HistoryPage, JobId, LatestPage, LatestRecord,
    SeriesEntry,
};

use crate::tables::Tables;

/// How much a record takes.
const RECORD_BYTES: u64 = 256;

impl Tables {
    /// One record of a job.
    pub fn record(&self, job: JobId, key: HistoryKey) -> Option<HistoryItem> {
        let entry = self.history.get(&key.number())?;
        Some(item(key.number(), entry)).filter(|item| item.entry.job == job && item.key == key)
    }

    /// A page of the history of a job, newest first.
    pub fn history(&self, job: JobId, page: &HistoryPage) -> Vec<HistoryItem> {
        let items = self.history.iter().map(|(number, entry)| item(*number, entry));
        let mut items: Vec<HistoryItem> = items
            .filter(|item| item.entry.job == job && is_asked_for(&item.entry, &page.filter))
            .filter(|item| page.after.is_none_or(|after| item.key > after))
            .collect();
        items.sort_by_key(|item| item.key);
        items.into_iter().skip(page.skip as usize).take(page.limit).collect()
    }

    /// A page of the history of all jobs, the latest day first, and in it what was written last.
    pub fn latest_records(&self, page: &LatestPage) -> Vec<LatestRecord> {
        let place = |key: HistoryKey| (key.started().ticks().div_euclid(TICKS_PER_DAY), key.number());
        let items = self.history.iter().map(|(number, entry)| item(*number, entry));
        let mut items: Vec<HistoryItem> = items
            .filter(|item| {
                let record = &item.entry.record;
                let is_trouble = record.status.kind() != StatusKind::Completed || record.phase == Phase::Error;
                (is_trouble || !page.only_trouble)
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
        self.history.len() as u64 * RECORD_BYTES
    }

    /// Drops days that are over before an instant, and the oldest days but the last while history takes too many bytes.
    pub fn drop_history(&mut self, before: Timestamp, bytes_max: u64) -> Vec<DroppedHistory> {
        let (mut dropped, mut gone_before) = (Vec::new(), before);
        while let Some(oldest) = self.days().next() {
            let last = (oldest + 1) * TICKS_PER_DAY - 1;
            let is_too_much = self.history_bytes() > bytes_max && self.days().nth(1).is_some();
            if last >= before.ticks() && !is_too_much {
                break;
            }
            let records = self.history.len();
            self.history.retain(|_, entry| day(entry) != oldest);
            let bytes = (records - self.history.len()) as u64 * RECORD_BYTES;
            dropped.push(DroppedHistory { name: format!("day {oldest}"), bytes });
            let last = Timestamp::from_ticks(last).unwrap_or(Timestamp::MAX);
            gone_before = gone_before.max(last);
            self.dropped_until = self.dropped_until.max(Some(last));
        }
        self.series.retain(|_, entry: &mut SeriesEntry| entry.until.is_none_or(|until| until >= gone_before));
        self.ended_stops.retain(|_, row| !row.all_told || row.stop.until >= gone_before);
        dropped
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
