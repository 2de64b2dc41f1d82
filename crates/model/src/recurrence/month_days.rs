//! Days of a month by name, and where they fall in a given month.

use super::bits::bits;
use crate::time::Weekday;

/// Which days of a month a recurrence picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// That day, or the last one of a month that is too short for it.
    Clamped(u8),
    /// The days named, where the month has them.
    Named(MonthDays),
    /// The days that both name.
    Both(MonthDays, MonthDays),
}

/// Monday to Sunday.
pub(super) const EVERY_WEEKDAY: u8 = 0x7F;

/// Days of a month by their names: "the 15th", "the last", "the third Friday".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MonthDays {
    /// Bit d: day d.
    pub(super) from_start: u64,
    /// Bit d: the d-th day from the end.
    pub(super) from_end: u64,
    /// For each n, the weekdays (bit 0 for Monday) whose n-th is meant.
    pub(super) weekdays: [u8; 5],
    /// For each n, the weekdays whose n-th from the end is meant.
    pub(super) weekdays_from_end: [u8; 5],
    /// Bit d: the Monday to Friday nearest to day d, in the same month.
    pub(super) nearest: u64,
    /// Bit d: the Monday to Friday nearest to the d-th day from the end.
    pub(super) nearest_from_end: u64,
}

impl Pick {
    /// The days picked in a month that starts on `first`, as bits: bit d for day d.
    pub(super) fn in_month(&self, first: Weekday, length: u8) -> u64 {
        match self {
            Self::Clamped(day) => 1 << (*day).min(length),
            Self::Named(days) => days.in_month(first, length),
            Self::Both(a, b) => a.in_month(first, length) & b.in_month(first, length),
        }
    }
}

impl MonthDays {
    /// Adds a day, 1 to 31, or −1 to −31 from the end.
    pub(super) fn add_day(&mut self, day: i8) {
        let bit = 1 << day.unsigned_abs();
        if day > 0 { self.from_start |= bit } else { self.from_end |= bit }
    }

    /// Adds the Monday to Friday nearest to a day, 1 to 31, or −1 to −31 from the end, within the month.
    pub(super) fn add_nearest_weekday(&mut self, day: i8) {
        let bit = 1 << day.unsigned_abs();
        if day > 0 { self.nearest |= bit } else { self.nearest_from_end |= bit }
    }

    /// Adds the n-th such weekday, 1 to 5, or −1 to −5 from the end; all of them without `which`.
    pub(super) fn add_weekday(&mut self, weekday: Weekday, which: Option<i8>) {
        let bit = 1 << weekday.index();
        let Some(which) = which else {
            return self.weekdays.iter_mut().for_each(|weekdays| *weekdays |= bit);
        };
        let from = if which > 0 { &mut self.weekdays } else { &mut self.weekdays_from_end };
        from[usize::from(which.unsigned_abs()) - 1] |= bit;
    }

    /// What either of the two names.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.from_start |= other.from_start;
        self.from_end |= other.from_end;
        self.nearest |= other.nearest;
        self.nearest_from_end |= other.nearest_from_end;
        for n in 0..5 {
            self.weekdays[n] |= other.weekdays[n];
            self.weekdays_from_end[n] |= other.weekdays_from_end[n];
        }
        self
    }

    /// The weekdays, if the days are these weekdays of every week and nothing else; each day of the month is all seven.
    pub(super) fn as_whole_weeks(&self) -> Option<u8> {
        let weekdays = self.weekdays[0];
        let has_nearest = (self.nearest | self.nearest_from_end) != 0;
        let has_other_days = self.from_end != 0 || self.weekdays_from_end != [0; 5] || has_nearest;
        let is_every_day = self.from_start == 0xFFFF_FFFE;
        match (has_other_days, self.from_start) {
            (false, _) if is_every_day => Some(EVERY_WEEKDAY),
            (false, 0) if self.weekdays == [weekdays; 5] => Some(weekdays),
            _ => None,
        }
    }

    fn in_month(&self, first: Weekday, length: u8) -> u64 {
        let mut days = self.from_start;
        for (n, weekdays) in self.weekdays.iter().enumerate() {
            // Turned so that bit 0 is the weekday of the 1st, the set lies on the days 7n+1 to 7n+7.
            days |= u64::from(rotate_week_right(*weekdays, first.index())) << (7 * n + 1);
        }
        let mut days_from_end = self.from_end;
        if self.weekdays_from_end != [0; 5] {
            let last = (first.index() + length - 1) % 7;
            for (n, weekdays) in self.weekdays_from_end.iter().enumerate() {
                // Counted backwards from the end, the week runs backwards too.
                let mirrored = weekdays.reverse_bits() >> 1;
                days_from_end |= u64::from(rotate_week_right(mirrored, 6 - last)) << (7 * n + 1);
            }
        }
        // The d-th day from the end is day length + 1 − d.
        days |= days_from_end.reverse_bits() >> (62 - length);
        let in_month = (2 << length) - 2;
        let nearest = (self.nearest | self.nearest_from_end.reverse_bits() >> (62 - length)) & in_month;
        days |= bits(nearest).fold(0, |days, day| days | 1 << nearest_weekday(day, first, length.into()));
        days & in_month
    }
}

/// The Monday to Friday nearest to a day of a month that starts on `first`, without leaving the month.
fn nearest_weekday(day: u32, first: Weekday, length: u32) -> u32 {
    match Weekday::ALL[((u32::from(first.index()) + day - 1) % 7) as usize] {
        Weekday::Saturday if day == 1 => 3,
        Weekday::Saturday => day - 1,
        Weekday::Sunday if day == length => day - 2,
        Weekday::Sunday => day + 1,
        _ => day,
    }
}

/// Turns a set of weekdays so that `weekday` becomes bit 0.
fn rotate_week_right(weekdays: u8, weekday: u8) -> u8 {
    ((weekdays >> weekday) | (weekdays << (7 - weekday))) & 0x7F
}
