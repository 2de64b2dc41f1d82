//! Which days: the calendar half of a recurrence, as arithmetic on day numbers.

use super::months::{MonthIndex, MonthSet, Months};
use crate::time::{Weekday, day_number};

/// The days a recurrence picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Days {
    /// Every n-th day from an anchor, in the months of a set.
    Stride { anchor: i32, every: i32, months: MonthSet },
    /// Some weekdays of every n-th week, in the months of a set.
    Weeks(Weeks),
    /// Some days of the month.
    Months(Months),
}

/// Some weekdays (bit 0 for Monday) of every n-th week from the one that begins at `anchor`, a Monday.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Weeks {
    pub(super) anchor: i32,
    pub(super) every: i32,
    pub(super) weekdays: u8,
    pub(super) months: MonthSet,
}

/// Time that can be written lies in the years 1 to 9999; a zone may be a day beside it.
const FIRST_DAY: i32 = day_number(1, 1, 1) - 1;
const LAST_DAY: i32 = day_number(9999, 12, 31) + 1;

impl Days {
    /// The first day picked at or after `day`.
    pub(super) fn next(&self, day: i32) -> Option<i32> {
        match self {
            Self::Stride { anchor, every, months } => {
                next_in(*months, day, |day| day + (anchor - day).rem_euclid(*every))
            }
            Self::Weeks(weeks) => next_in(weeks.months, day, |day| weeks.next(day)),
            Self::Months(months) => months.next(day),
        }
    }

    /// The last day picked at or before `day`.
    pub(super) fn previous(&self, day: i32) -> Option<i32> {
        match self {
            Self::Stride { anchor, every, months } => {
                previous_in(*months, day, |day| day - (day - anchor).rem_euclid(*every))
            }
            Self::Weeks(weeks) => previous_in(weeks.months, day, |day| weeks.previous(day)),
            Self::Months(months) => months.previous(day),
        }
    }

    /// How many days are picked from `from` to before `until`.
    pub(super) fn count(&self, from: i32, until: i32) -> i64 {
        match self {
            Self::Stride { anchor, every, months } => {
                count_in(*months, from, until, |day| i64::from((day - 1 - anchor).div_euclid(*every)))
            }
            Self::Weeks(weeks) => count_in(weeks.months, from, until, |day| weeks.before(day)),
            Self::Months(months) => months.count(from, until),
        }
    }
}

impl Weeks {
    fn next(&self, day: i32) -> i32 {
        let monday = monday_of(day);
        match (self.anchor - monday).rem_euclid(7 * self.every) {
            0 => match self.weekdays >> (day - monday) {
                0 => monday + 7 * self.every + lowest(self.weekdays),
                rest => day + lowest(rest),
            },
            ahead => monday + ahead + lowest(self.weekdays),
        }
    }

    fn previous(&self, day: i32) -> i32 {
        let monday = monday_of(day);
        match (monday - self.anchor).rem_euclid(7 * self.every) {
            0 => match self.weekdays & up_to(day - monday) {
                0 => monday - 7 * self.every + highest(self.weekdays),
                rest => monday + highest(rest),
            },
            back => monday - back + highest(self.weekdays),
        }
    }

    /// How many days are picked before `day`, counted from the anchor; negative before it.
    fn before(&self, day: i32) -> i64 {
        let monday = monday_of(day);
        let weeks = (monday - self.anchor) / 7;
        let picked_weeks = -(-weeks).div_euclid(self.every);
        let in_this_week =
            if weeks.rem_euclid(self.every) == 0 { self.weekdays & !(0xFF << (day - monday)) } else { 0 };
        i64::from(picked_weeks) * i64::from(self.weekdays.count_ones()) + i64::from(in_this_week.count_ones())
    }
}

/// The Monday of the week that holds `day`.
pub(super) fn monday_of(day: i32) -> i32 {
    day - i32::from(Weekday::of_day_number(day).index())
}

fn lowest(weekdays: u8) -> i32 {
    weekdays.trailing_zeros().cast_signed()
}

fn highest(weekdays: u8) -> i32 {
    7 - weekdays.leading_zeros().cast_signed()
}

fn up_to(weekday: i32) -> u8 {
    !(0xFE << weekday)
}

/// The first day at or after `day` that `next` gives and whose month counts.
fn next_in(months: MonthSet, mut day: i32, next: impl Fn(i32) -> i32) -> Option<i32> {
    while day <= LAST_DAY {
        day = next(day);
        if months == MonthSet::ALL {
            return Some(day);
        }
        let month = MonthIndex::of_day(day);
        if months.contains(month) {
            return Some(day);
        }
        day = months.after(month).first_day();
    }
    None
}

fn previous_in(months: MonthSet, mut day: i32, previous: impl Fn(i32) -> i32) -> Option<i32> {
    while day >= FIRST_DAY {
        day = previous(day);
        if months == MonthSet::ALL {
            return Some(day);
        }
        let month = MonthIndex::of_day(day);
        if months.contains(month) {
            return Some(day);
        }
        day = months.before(month).following().first_day() - 1;
    }
    None
}

/// Counts by `before`, which numbers the days picked, within each month that counts.
fn count_in(months: MonthSet, from: i32, until: i32, before: impl Fn(i32) -> i64) -> i64 {
    if months == MonthSet::ALL {
        return before(until) - before(from);
    }
    let mut month = MonthIndex::of_day(from);
    let mut count = 0;
    while month.first_day() < until {
        if months.contains(month) {
            let (start, end) = (month.first_day().max(from), month.following().first_day().min(until));
            count += before(end) - before(start);
        }
        month = months.after(month);
    }
    count
}
