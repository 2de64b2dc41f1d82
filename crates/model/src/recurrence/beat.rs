//! Every n minutes or hours of elapsed time, where only some times of day or months count.

use super::calendar::Calendar;
use super::days::Days;
use super::months::{MonthIndex, MonthSet};
use crate::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE};

/// The instants that keep the beat and that the calendar allows.
///
/// Neither is searched step by step: each in turn jumps to its first instant at or after where the other one stands,
/// until they agree. Together they repeat after the least common multiple of the beat and a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beat {
    /// The instant from which elapsed time counts, in ticks.
    anchor: i64,
    /// How far apart two beats are, in ticks: whole minutes.
    period: i64,
    /// How long a beat lasts: one instant, or the hour in which the calendar picks minutes.
    length: i64,
    /// What the wall clock shows; each time of day that exists.
    calendar: Calendar,
    /// The months that count.
    months: MonthSet,
    /// Whether a beat can ever meet the calendar, by the wall minute (of `common_minutes`) it falls on: bit sets.
    reachable: Box<[u64]>,
}

impl Beat {
    /// Single instants, `period` apart.
    pub(super) fn of_instants(anchor: i64, period: i64, calendar: Calendar) -> Self {
        Self::new(anchor, period, 1, calendar)
    }

    /// Whole hours, the first of which begins at `anchor`.
    pub(super) fn of_hours(anchor: i64, period: i64, calendar: Calendar) -> Self {
        Self::new(anchor, period, TICKS_PER_HOUR, calendar)
    }

    fn new(anchor: i64, period: i64, length: i64, calendar: Calendar) -> Self {
        let Days::Stride { months, .. } = calendar.days else { unreachable!("only months limit the days of a beat") };
        let mut beat = Self { anchor, period, length, calendar, months, reachable: Box::default() };
        beat.reachable = beat.reachable_minutes();
        beat
    }

    pub(super) const fn period(&self) -> i64 {
        self.period
    }

    pub(super) const fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The first instant at or after `from`, in ticks.
    pub(super) fn next(&self, mut from: i64) -> Option<i64> {
        loop {
            let span = self.calendar.zone.span_at(from);
            if self.is_reachable_at(span.offset) {
                from = self.calendar.next(self.beat_at_or_after(from))?;
                if self.is_on_beat(from) {
                    return Some(from);
                }
            } else if span.end == i64::MAX {
                return None;
            } else {
                from = span.end;
            }
        }
    }

    /// The last instant at or before `until`.
    pub(super) fn previous(&self, mut until: i64) -> Option<i64> {
        loop {
            let span = self.calendar.zone.span_at(until);
            if self.is_reachable_at(span.offset) {
                until = self.calendar.previous(self.beat_at_or_before(until))?;
                if self.is_on_beat(until) {
                    return Some(until);
                }
            } else if span.start == i64::MIN {
                return None;
            } else {
                until = span.start - 1;
            }
        }
    }

    /// How many instants lie from `from` to before `until`.
    pub(super) fn count(&self, mut from: i64, until: i64) -> i64 {
        let mut count = 0;
        while from < until {
            let span = self.calendar.zone.span_at(from);
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
            return self.count_periods(from, until);
        }
        let start_of = |month: MonthIndex| i64::from(month.first_day()) * TICKS_PER_DAY - offset;
        let day = (from + offset).div_euclid(TICKS_PER_DAY);
        let mut month = MonthIndex::of_day(i32::try_from(day).expect("days of a timestamp"));
        let mut count = 0;
        while start_of(month) < until {
            if self.months.contains(month) {
                count += self.count_periods(from.max(start_of(month)), until.min(start_of(month.following())));
            }
            month = self.months.after(month);
        }
        count
    }

    /// Counts where nothing but beat and time of day matters: whole periods are all alike.
    fn count_periods(&self, from: i64, until: i64) -> i64 {
        let common_period = self.period / gcd(self.period, TICKS_PER_DAY) * TICKS_PER_DAY;
        let periods = (until - from).max(0) / common_period;
        let rest = self.count_one_by_one(from + periods * common_period, until);
        if periods == 0 { rest } else { rest + periods * self.count_one_by_one(from, from + common_period) }
    }

    fn count_one_by_one(&self, from: i64, until: i64) -> i64 {
        let mut count = 0;
        let mut at = self.next(from);
        while let Some(found) = at.filter(|at| *at < until) {
            count += 1;
            at = self.next(found + 1);
        }
        count
    }

    fn beat_at_or_after(&self, from: i64) -> i64 {
        if self.is_on_beat(from) { from } else { from + (self.anchor - from).rem_euclid(self.period) }
    }

    fn beat_at_or_before(&self, until: i64) -> i64 {
        if self.is_on_beat(until) {
            until
        } else {
            until - (until - self.anchor - (self.length - 1)).rem_euclid(self.period)
        }
    }

    fn is_on_beat(&self, at: i64) -> bool {
        (at - self.anchor).rem_euclid(self.period) < self.length
    }

    /// Beats fall on the same minutes of the day again and again, which are this far apart.
    fn common_minutes(&self) -> i64 {
        gcd(self.period, TICKS_PER_DAY) / TICKS_PER_MINUTE
    }

    fn is_reachable_at(&self, offset: i64) -> bool {
        // A beat of one instant lies in a minute; one of an hour holds the minutes that begin in it.
        let to_minute_start = if self.length == 1 { 0 } else { TICKS_PER_MINUTE - 1 };
        let minute = (self.anchor + offset + to_minute_start).div_euclid(TICKS_PER_MINUTE);
        let minute = minute.rem_euclid(self.common_minutes()).cast_unsigned();
        let word = usize::try_from(minute / 64).expect("minutes of a day");
        self.reachable[word] >> (minute % 64) & 1 == 1
    }

    fn reachable_minutes(&self) -> Box<[u64]> {
        let common = self.common_minutes();
        let minutes_of_beat = (self.length / TICKS_PER_MINUTE).max(1);
        let mut reachable = [0_u64; 1440 / 64 + 1];
        let mut of_day = Some(self.calendar.times.first());
        while let Some(at) = of_day {
            let minute = at / TICKS_PER_MINUTE;
            for into_beat in 0..minutes_of_beat {
                let residue = (minute - into_beat).rem_euclid(common).cast_unsigned();
                reachable[usize::try_from(residue / 64).expect("minutes of a day")] |= 1 << (residue % 64);
            }
            of_day = self.calendar.times.next((minute + 1) * TICKS_PER_MINUTE);
        }
        reachable.into()
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
