//! Days by month: some days of every n-th month, or of some months of every n-th year.

use super::month_days::Pick;
use crate::time::{Date, Month, Weekday};

/// A set of months of the year, bit 0 for January.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MonthSet(u16);

impl MonthSet {
    pub(super) const ALL: Self = Self(0xFFF);

    /// The months with these numbers, 1 to 12; all of them where none is named.
    pub(super) fn of(numbers: &[u8]) -> Self {
        if numbers.is_empty() { Self::ALL } else { Self(numbers.iter().fold(0, |set, number| set | 1 << (number - 1))) }
    }

    pub(super) fn contains(self, month: MonthIndex) -> bool {
        self.0 >> month.of_year() & 1 == 1
    }

    /// How many months after `month` the next one of the set comes, 1 to 12; the set is not empty.
    fn ahead(self, month: MonthIndex) -> i32 {
        let turned = u32::from(self.0) | u32::from(self.0) << 12;
        1 + (turned >> (month.of_year() + 1)).trailing_zeros().cast_signed()
    }

    /// How many months before `month` the next one of the set comes, 1 to 12.
    fn back(self, month: MonthIndex) -> i32 {
        let turned = u32::from(self.0) | u32::from(self.0) << 12;
        1 + (turned << (20 - month.of_year())).leading_zeros().cast_signed()
    }

    /// The first month of the set after this one.
    pub(super) fn after(self, month: MonthIndex) -> MonthIndex {
        MonthIndex(month.0 + self.ahead(month))
    }

    /// The last month of the set before this one.
    pub(super) fn before(self, month: MonthIndex) -> MonthIndex {
        MonthIndex(month.0 - self.back(month))
    }

    /// Whether one of its months can be too short for that day.
    pub(super) fn has_shorter_than(self, day: u8) -> bool {
        let common_year = 2001;
        let lengths = (1..=12).filter(|number| self.0 >> (number - 1) & 1 == 1).filter_map(Month::new);
        lengths.map(|month| month.length(common_year)).any(|length| length < day)
    }

    /// Bit 0 for January.
    pub(super) fn bits(self) -> u64 {
        self.0.into()
    }
}

/// A month of a year, counted from January of the year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MonthIndex(i32);

impl MonthIndex {
    pub(super) const FIRST: Self = Self(0);
    const LAST: Self = Self(10_000 * 12);

    pub(super) fn of_date(date: Date) -> Self {
        Self(date.year * 12 + i32::from(date.month.number()) - 1)
    }

    pub(super) fn of_day(day: i32) -> Self {
        Self::of_date(Date::from_day_number(day))
    }

    fn year(self) -> i32 {
        self.0.div_euclid(12)
    }

    fn of_year(self) -> u32 {
        self.0.rem_euclid(12).cast_unsigned()
    }

    fn first_date(self) -> Date {
        let number = u8::try_from(self.of_year() + 1).expect("a month");
        Date { year: self.year(), month: Month::new(number).expect("a month"), day: 1 }
    }

    /// The number of its first day.
    pub(super) fn first_day(self) -> i32 {
        self.first_date().day_number()
    }

    #[must_use]
    pub(super) fn following(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Some days of every n-th month in every n-th year, counted from an anchor, in the months of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Months {
    pub(super) anchor: MonthIndex,
    pub(super) month_step: i32,
    pub(super) year_step: i32,
    pub(super) set: MonthSet,
    pub(super) pick: Pick,
}

impl Months {
    /// The first day picked at or after `day`.
    pub(super) fn next(&self, day: i32) -> Option<i32> {
        let date = Date::from_day_number(day);
        let mut month = MonthIndex::of_date(date);
        if self.next_month(month)? == month {
            // All about the month of `day` is known already.
            let first = day + 1 - i32::from(date.day);
            let days = self.days_of_month(first, date) & (u64::MAX << date.day);
            if days != 0 {
                return Some(first - 1 + days.trailing_zeros().cast_signed());
            }
            month = month.following();
        }
        loop {
            let picked = self.next_month(month)?;
            let (first, days) = self.days_of(picked);
            if days != 0 {
                return Some(first - 1 + days.trailing_zeros().cast_signed());
            }
            month = picked.following();
        }
    }

    /// The last day picked at or before `day`.
    pub(super) fn previous(&self, day: i32) -> Option<i32> {
        let date = Date::from_day_number(day);
        let mut month = MonthIndex::of_date(date);
        let mut to_day = (2 << date.day) - 1;
        loop {
            let picked = self.previous_month(month)?;
            if picked != month {
                to_day = u64::MAX;
            }
            let (first, days) = self.days_of(picked);
            let days = days & to_day;
            if days != 0 {
                return Some(first + 62 - days.leading_zeros().cast_signed());
            }
            month = MonthIndex(picked.0 - 1);
            to_day = u64::MAX;
        }
    }

    /// How many days are picked from `from` to before `until`.
    pub(super) fn count(&self, from: i32, until: i32) -> i64 {
        let (first_date, last_date) = (Date::from_day_number(from), Date::from_day_number(until));
        let (first_month, last_month) = (MonthIndex::of_date(first_date), MonthIndex::of_date(last_date));
        let mut count = 0;
        let mut month = first_month;
        while let Some(picked) = self.next_month(month).filter(|picked| *picked <= last_month) {
            let mut days = self.days_of(picked).1;
            if picked == first_month {
                days &= u64::MAX << first_date.day;
            }
            if picked == last_month {
                days &= (1 << last_date.day) - 1;
            }
            count += i64::from(days.count_ones());
            month = picked.following();
        }
        count
    }

    /// The days picked in a month, bit d for day d, with the number of its first day.
    fn days_of(&self, month: MonthIndex) -> (i32, u64) {
        let first = month.first_date();
        let number = first.day_number();
        (number, self.days_of_month(number, first))
    }

    /// The days picked in the month of `date`, bit d for day d; `first` is the number of its first day.
    fn days_of_month(&self, first: i32, date: Date) -> u64 {
        self.pick.in_month(Weekday::of_day_number(first), date.month.length(date.year))
    }

    /// Whether all months of the set count. Nearly all recurrences are so, and need none of the divisions that steps need.
    fn has_no_steps(&self) -> bool {
        self.month_step == 1 && self.year_step == 1
    }

    /// The first month that counts, at or after `month`.
    fn next_month(&self, mut month: MonthIndex) -> Option<MonthIndex> {
        if self.has_no_steps() {
            month.0 += if self.set.contains(month) { 0 } else { self.set.ahead(month) };
            return (month <= MonthIndex::LAST).then_some(month);
        }
        while month <= MonthIndex::LAST {
            let years = (self.anchor.year() - month.year()).rem_euclid(self.year_step);
            let months = (self.anchor.0 - month.0).rem_euclid(self.month_step);
            if years > 0 {
                month = MonthIndex((month.year() + years) * 12);
            } else if months > 0 {
                month.0 += months;
            } else if self.set.contains(month) {
                return Some(month);
            } else {
                month.0 += if self.month_step == 1 { self.set.ahead(month) } else { self.month_step };
            }
        }
        None
    }

    /// The last month that counts, at or before `month`.
    fn previous_month(&self, mut month: MonthIndex) -> Option<MonthIndex> {
        if self.has_no_steps() {
            month.0 -= if self.set.contains(month) { 0 } else { self.set.back(month) };
            return (month >= MonthIndex::FIRST).then_some(month);
        }
        while month >= MonthIndex::FIRST {
            let years = (month.year() - self.anchor.year()).rem_euclid(self.year_step);
            let months = (month.0 - self.anchor.0).rem_euclid(self.month_step);
            if years > 0 {
                month = MonthIndex((month.year() - years) * 12 + 11);
            } else if months > 0 {
                month.0 -= months;
            } else if self.set.contains(month) {
                return Some(month);
            } else {
                month.0 -= if self.month_step == 1 { self.set.back(month) } else { self.month_step };
            }
        }
        None
    }
}
