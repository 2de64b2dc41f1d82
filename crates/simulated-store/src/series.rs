//! What the schedule and the state of each job were, and what they are.

use punctual_model::time::{Timestamp, tz_database_version};
use punctual_store::{JobId, SeriesEntry, SeriesKey, SeriesPage};

use crate::jobs::schedule_record;
use crate::tables::Tables;

/// The number of what still is so, after all that was.
const NUMBER_NOW: i64 = i64::MAX;

impl Tables {
    /// A page of what schedules were and are, in the order of the jobs' numbers.
    pub fn series(&self, page: &SeriesPage) -> Vec<SeriesEntry> {
        let present = self.jobs.keys().map(|id| self.series_entry(*id, NUMBER_NOW, None));
        let mut entries: Vec<SeriesEntry> = self.series.values().cloned().chain(present).collect();
        entries.retain(|entry| page.after.is_none_or(|after| entry.key > after));
        entries.sort_by_key(|entry| entry.key);
        entries.truncate(page.limit);
        entries
    }

    /// Keeps what a job was until now, if there was a time in which it was: it is another one from now on, or gone.
    pub(crate) fn keep_series(&mut self, id: JobId, now: Timestamp) {
        if self.jobs[&id].since == now {
            return;
        }
        let number = self.series.keys().filter(|key| key.job == id).map(|key| key.number).max().unwrap_or(0) + 1;
        let entry = self.series_entry(id, number, Some(now));
        self.series.insert(entry.key, entry);
    }

    fn series_entry(&self, id: JobId, number: i64, until: Option<Timestamp>) -> SeriesEntry {
        let job = &self.jobs[&id];
        SeriesEntry {
            key: SeriesKey { job: id, number },
            uid: job.uid,
            collection: job.collection,
            from: job.since,
            until,
            state: job.state.kind(),
            schedule: schedule_record(&job.definition),
            anchor: job.anchor,
            series: job.series,
            zones: tz_database_version().to_owned(),
        }
    }
}
