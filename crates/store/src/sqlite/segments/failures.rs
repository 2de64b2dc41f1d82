//! Dropping what is old, and keeping its failures.

use super::{DropStep, Segments, first_number};
use crate::history::HistoryEntry;
use crate::history::day::Day;
use crate::history::month::Month;
use crate::history::segment::Segment;
use crate::{Error, HistoryBounds};

/// Failures that are copied at a time: some 20 ms, in which nobody else can write.
const SLICE: usize = 2_000;

/// The part of all history that kept failures may take, if all of it takes as much as it may: a quarter.
const FAILURE_SHARE: u64 = 4;

/// A day whose failures are being copied to the file of their month.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copying {
    day: Day,
    /// The number of the last record that was copied.
    after: i64,
    kept: u64,
}

impl Segments {
    /// Takes a step towards history within its bounds: copies some failures, or drops one file. What is too old goes
    /// first; of what takes too much of the disk it is the oldest.
    pub(crate) fn drop_one(&mut self, bounds: &HistoryBounds) -> Result<DropStep, Error> {
        let failures_before = bounds.failures_before.unwrap_or(bounds.before);
        if let Some(month) = self.cache.months().into_iter().find(|month| month.last() < failures_before) {
            return self.drop_month(month);
        }
        let days = self.cache.days();
        if let Some(day) = days.iter().copied().find(|day| day.last() < bounds.before) {
            return self.drop_day(day, bounds);
        }
        if self.bytes() <= bounds.bytes_max {
            return Ok(DropStep::Nothing);
        }
        match (self.cache.months().first(), &days[..]) {
            (Some(month), _) if self.cache.failure_bytes() > bounds.bytes_max / FAILURE_SHARE => {
                self.drop_month(*month)
            }
            // The last day stays: it is being written.
            (_, [oldest, _, ..]) => self.drop_day(*oldest, bounds),
            (Some(month), _) => self.drop_month(*month),
            (None, _) => Ok(DropStep::Nothing),
        }
    }

    fn drop_month(&mut self, month: Month) -> Result<DropStep, Error> {
        self.drop_segment(Segment::Failures(month), month.last(), 0).map(DropStep::Dropped)
    }

    /// Drops a day, once its failures are in the file of their month, if they are kept longer.
    pub(super) fn drop_day(&mut self, day: Day, bounds: &HistoryBounds) -> Result<DropStep, Error> {
        let keeps_failures = bounds.failures_before.is_some_and(|before| day.last() >= before);
        if keeps_failures && self.copy_failures(day)? {
            return Ok(DropStep::Copied);
        }
        let kept = self.copying.take().filter(|copying| copying.day == day).map_or(0, |copying| copying.kept);
        self.drop_segment(Segment::Day(day), day.last(), kept).map(DropStep::Dropped)
    }

    /// Copies some failures of a day. Says whether there may be more of them.
    ///
    /// Neither a day that cannot be read nor a disk without room for them keeps the day from being dropped.
    fn copy_failures(&mut self, day: Day) -> Result<bool, Error> {
        let begin = Copying { day, after: -1, kept: 0 };
        let mut copying = self.copying.filter(|copying| copying.day == day).unwrap_or(begin);
        match self.copy_slice(day, copying.after) {
            Ok(Some((last, number))) => {
                (copying.after, copying.kept) = (last, copying.kept + number);
                self.copying = Some(copying);
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error @ (Error::DiskFull | Error::Corrupt(_))) => {
                tracing::error!("failures of {} cannot be kept longer: {error}", day.file_name());
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Copies the first failures after a number. Returns the number of the last one, and how many there were.
    fn copy_slice(&mut self, day: Day, after: i64) -> Result<Option<(i64, u64)>, Error> {
        let mut failures = self.reader().failures(day, after, SLICE)?;
        // A batch that the main file does not know is no history.
        if self.unconfirmed.contains(&day) {
            let unknown = first_number(self.last_batch)?.unsigned_abs();
            failures.retain(|item| item.key.number() < unknown);
        }
        let rows: Vec<(i64, &HistoryEntry)> =
            failures.iter().map(|item| (item.key.number().cast_signed(), &item.entry)).collect();
        let Some((last, _)) = rows.last() else { return Ok(None) };
        self.write(Segment::Failures(Month::of(day.first())), &rows)?;
        Ok(Some((*last, rows.len() as u64)))
    }
}
