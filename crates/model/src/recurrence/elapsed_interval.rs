//! Every n minutes or hours of elapsed time, where only some times of day or months count.
//!
//! Every n minutes a window opens: one instant, or an hour in which the schedule names minutes. Under one offset of the
//! zone the windows fall on the minutes of the day in a fixed rotation: after n minutes comes the minute n further, modulo
//! 1440. Which window falls on a given minute is a division, so nothing is searched window by window; only months and
//! changes of the clock interrupt the rotation.

use super::months::{MonthIndex, MonthSet};
use super::times::Times;
use crate::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp, Wall, Zone};

/// The instants within the windows at which the wall clock shows a time and a month that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ElapsedInterval {
    /// The instant from which elapsed time counts, in ticks.
    anchor: i64,
    /// How far apart the starts of two windows are, in ticks: whole minutes.
    period: i64,
    /// How long a window is open: one instant, or an hour.
    length: i64,
    /// The times of day that count: whole minutes where a window is one instant.
    pub(super) times: Times,
    /// The months that count.
    pub(super) months: MonthSet,
    /// The zone whose wall clock shows those times and months.
    pub(super) zone: Zone,
    rotation: Rotation,
}

const MINUTES_PER_DAY: i64 = 1440;

impl ElapsedInterval {
    /// Windows of one instant, `period` apart, of which those in the minutes of `times` count.
    pub(super) fn of_instants(anchor: i64, period: i64, times: Times, months: MonthSet, zone: Zone) -> Self {
        let rotation = Rotation::new(period / TICKS_PER_MINUTE, 1, &times);
        Self { anchor, period, length: 1, times, months, zone, rotation }
    }

    /// Windows of an hour, the first of which opens at `anchor`; the times of day in them count.
    pub(super) fn of_hours(anchor: i64, period: i64, times: Times, months: MonthSet, zone: Zone) -> Self {
        let rotation = Rotation::new(period / TICKS_PER_MINUTE, 60, &times);
        Self { anchor, period, length: TICKS_PER_HOUR, times, months, zone, rotation }
    }

    pub(super) const fn period(&self) -> i64 {
        self.period
    }

    /// The first instant at or after `from`, in ticks.
    pub(super) fn next(&self, from: i64) -> Option<i64> {
        self.next_before(from, Timestamp::MAX.ticks() + 1)
    }

    fn next_before(&self, mut from: i64, until: i64) -> Option<i64> {
        while from < until {
            let span = self.zone.span_at(from);
            let at = self.next_under(from, span.offset).filter(|at| *at < span.end);
            match at.map(|at| (at, self.excluded_month(at, span.offset))) {
                None => from = span.end,
                Some((at, None)) => return Some(at).filter(|at| *at < until),
                Some((_, Some(month))) => from = start_of(self.months.after(month), span.offset).min(span.end),
            }
        }
        None
    }

    /// The last instant at or before `until`.
    pub(super) fn previous(&self, mut until: i64) -> Option<i64> {
        while until >= Timestamp::MIN.ticks() {
            let span = self.zone.span_at(until);
            let at = self.previous_under(until, span.offset).filter(|at| *at >= span.start);
            match at.map(|at| (at, self.excluded_month(at, span.offset))) {
                None => until = span.start.saturating_sub(1),
                Some((at, None)) => return Some(at),
                Some((_, Some(month))) => {
                    until = start_of(self.months.before(month).following(), span.offset).max(span.start) - 1;
                }
            }
        }
        None
    }

    /// How many instants lie from `from` to before `until`.
    pub(super) fn count(&self, mut from: i64, until: i64) -> i64 {
        let mut count = 0;
        while from < until {
            let span = self.zone.span_at(from);
            let end = until.min(span.end);
            if self.is_reachable_at(span.offset) {
                count += self.count_in_months(from, end, span.offset);
            }
            from = end;
        }
        count
    }

    /// Counts under one offset, month by month where only some months count.
    fn count_in_months(&self, from: i64, until: i64, offset: i64) -> i64 {
        if self.months == MonthSet::ALL {
            return self.count_under(from, until, offset);
        }
        let mut month = MonthIndex::of_day(Wall::from_ticks(from + offset).day());
        let mut count = 0;
        while start_of(month, offset) < until {
            if self.months.contains(month) {
                let (start, end) = (start_of(month, offset).max(from), start_of(month.following(), offset).min(until));
                count += self.count_under(start, end, offset);
            }
            month = self.months.after(month);
        }
        count
    }

    /// The month in which the wall clock shows `at`, if it does not count.
    fn excluded_month(&self, at: i64, offset: i64) -> Option<MonthIndex> {
        if self.months == MonthSet::ALL {
            return None;
        }
        let month = MonthIndex::of_day(Wall::from_ticks(at + offset).day());
        (!self.months.contains(month)).then_some(month)
    }

    /// The first instant at or after `from` if the offset never changed and every month counted.
    fn next_under(&self, from: i64, offset: i64) -> Option<i64> {
        if !self.is_reachable_at(offset) {
            return None;
        }
        if self.length == 1 {
            let window = (from - self.anchor + self.period - 1).div_euclid(self.period);
            let ahead = self.rotation.windows_ahead(self.minute_of(window, offset), &self.times)?;
            return Some(self.start_of_window(window + ahead));
        }
        let mut at = from;
        loop {
            at = if self.is_in_window(at) { at } else { at + (self.anchor - at).rem_euclid(self.period) };
            let wall = Wall::from_ticks(at + offset);
            let picked = match self.times.next(wall.of_day()) {
                Some(of_day) => Wall::at(wall.day(), of_day),
                None => Wall::at(wall.day() + 1, self.times.first()),
            };
            at = picked.ticks() - offset;
            if self.is_in_window(at) {
                return Some(at);
            }
        }
    }

    fn previous_under(&self, until: i64, offset: i64) -> Option<i64> {
        if !self.is_reachable_at(offset) {
            return None;
        }
        if self.length == 1 {
            let window = (until - self.anchor).div_euclid(self.period);
            let back = self.rotation.windows_back(self.minute_of(window, offset), &self.times)?;
            return Some(self.start_of_window(window - back));
        }
        let mut at = until;
        loop {
            let behind_end = (at - self.anchor - (self.length - 1)).rem_euclid(self.period);
            at = if self.is_in_window(at) { at } else { at - behind_end };
            let wall = Wall::from_ticks(at + offset);
            let picked = match self.times.previous(wall.of_day()) {
                Some(of_day) => Wall::at(wall.day(), of_day),
                None => Wall::at(wall.day() - 1, self.times.last()),
            };
            at = picked.ticks() - offset;
            if self.is_in_window(at) {
                return Some(at);
            }
        }
    }

    fn count_under(&self, from: i64, until: i64, offset: i64) -> i64 {
        if self.length == 1 {
            let window_at_or_after = |at: i64| (at - self.anchor + self.period - 1).div_euclid(self.period);
            let (first, end) = (window_at_or_after(from), window_at_or_after(until));
            return self.rotation.count(self.minute_of(first, offset), end - first, &self.times);
        }
        // Whole rotations are all alike, and none has more than the minutes of a day.
        let rotation = self.period * self.rotation.length;
        let rotations = (until - from).max(0) / rotation;
        let rest = self.count_one_by_one(from + rotations * rotation, until, offset);
        if rotations == 0 { rest } else { rest + rotations * self.count_one_by_one(from, from + rotation, offset) }
    }

    fn count_one_by_one(&self, from: i64, until: i64, offset: i64) -> i64 {
        let mut count = 0;
        let mut next = self.next_under(from, offset);
        while let Some(at) = next.filter(|at| *at < until) {
            count += 1;
            next = self.next_under(at + 1, offset);
        }
        count
    }

    /// The instant at which a window opens. Windows are numbered from the one at the anchor, which is 0.
    fn start_of_window(&self, window: i64) -> i64 {
        self.anchor + window * self.period
    }

    fn is_in_window(&self, at: i64) -> bool {
        (at - self.anchor).rem_euclid(self.period) < self.length
    }

    /// The minute of the day that the wall clock shows when a window opens.
    fn minute_of(&self, window: i64, offset: i64) -> i64 {
        (self.start_of_window(window) + offset).div_euclid(TICKS_PER_MINUTE).rem_euclid(MINUTES_PER_DAY)
    }

    fn is_reachable_at(&self, offset: i64) -> bool {
        // A window of one instant lies in a minute; a window of an hour holds the minutes that begin in it.
        let to_minute_start = if self.length == 1 { 0 } else { TICKS_PER_MINUTE - 1 };
        self.rotation.is_reachable((self.anchor + offset + to_minute_start).div_euclid(TICKS_PER_MINUTE))
    }
}

/// The instant at which a month begins on the wall.
fn start_of(month: MonthIndex, offset: i64) -> i64 {
    i64::from(month.first_day()) * TICKS_PER_DAY - offset
}

/// On which minutes of the day the windows open, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rotation {
    /// Windows until the minutes repeat.
    length: i64,
    /// How many minutes two windows are apart, within a day.
    step: i64,
    /// The minutes on which windows open are a multiple of this apart.
    common: i64,
    /// How many windows it takes to come `common` minutes further.
    windows_per_common: i64,
    /// From which minutes (modulo `common`) a time that counts is ever reached.
    reachable: Box<[u64]>,
}

impl Rotation {
    fn new(period_minutes: i64, window_minutes: i64, times: &Times) -> Self {
        let common = gcd(period_minutes, MINUTES_PER_DAY);
        let length = MINUTES_PER_DAY / common;
        let step = period_minutes % MINUTES_PER_DAY;
        let windows_per_common =
            (0..length).find(|windows| windows * step % MINUTES_PER_DAY == common % MINUTES_PER_DAY);
        let mut reachable = [0_u64; 1440 / 64 + 1];
        for minute in times.minutes_of_day() {
            for into_window in 0..window_minutes {
                let residue = (minute - into_window).rem_euclid(common).cast_unsigned();
                reachable[usize::try_from(residue / 64).expect("minutes of a day")] |= 1 << (residue % 64);
            }
        }
        Self { length, step, common, windows_per_common: windows_per_common.unwrap_or(0), reachable: reachable.into() }
    }

    fn is_reachable(&self, minute: i64) -> bool {
        let residue = minute.rem_euclid(self.common).cast_unsigned();
        self.reachable[usize::try_from(residue / 64).expect("minutes of a day")] >> (residue % 64) & 1 == 1
    }

    /// How many windows after the one on `minute` the first comes that opens at a time that counts.
    fn windows_ahead(&self, minute: i64, times: &Times) -> Option<i64> {
        if times.per_day() < self.length {
            return times.minutes_of_day().filter_map(|target| self.windows_to(target - minute)).min();
        }
        (0..self.length).find(|windows| times.has_minute((minute + windows * self.step) % MINUTES_PER_DAY))
    }

    fn windows_back(&self, minute: i64, times: &Times) -> Option<i64> {
        if times.per_day() < self.length {
            return times.minutes_of_day().filter_map(|target| self.windows_to(minute - target)).min();
        }
        (0..self.length).find(|windows| times.has_minute((minute - windows * self.step).rem_euclid(MINUTES_PER_DAY)))
    }

    /// How many of `windows` windows, the first of which opens on `minute`, open at a time that counts.
    fn count(&self, minute: i64, windows: i64, times: &Times) -> i64 {
        let counted = |target: i64| match self.windows_to(target - minute) {
            Some(first) if first < windows => (windows - 1 - first) / self.length + 1,
            _ => 0,
        };
        times.minutes_of_day().map(counted).sum()
    }

    /// How many windows it takes to come `minutes` further within a day, if that ever happens.
    fn windows_to(&self, minutes: i64) -> Option<i64> {
        (minutes % self.common == 0).then(|| (minutes / self.common * self.windows_per_common).rem_euclid(self.length))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
