//! Which times of a day: the other half of a recurrence, as three bit sets.

use super::bits::bits;
use crate::time::{TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// The hours × minutes × seconds of a day that a recurrence picks; none of the sets is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) hours: u32,
    pub(super) minutes: u64,
    pub(super) seconds: u64,
    /// Ticks after the full second, the same for each.
    pub(super) subsecond: i64,
}

const SECONDS_PER_DAY: i64 = 86_400;

impl Times {
    pub(super) const ALL_HOURS: u32 = (1 << 24) - 1;
    pub(super) const ALL_MINUTES: u64 = (1 << 60) - 1;

    /// The one time of day, in ticks after midnight.
    pub(super) fn at(of_day: i64) -> Self {
        let minute_of_day = of_day / TICKS_PER_MINUTE;
        Self {
            hours: 1 << (minute_of_day / 60),
            minutes: 1 << (minute_of_day % 60),
            seconds: 1 << (of_day % TICKS_PER_MINUTE / TICKS_PER_SECOND),
            subsecond: of_day % TICKS_PER_SECOND,
        }
    }

    /// The minutes of the day that are picked, counted from midnight.
    pub(super) fn minutes_of_day(&self) -> impl Iterator<Item = i64> {
        let (hours, minutes) = (self.hours, self.minutes);
        bits(hours.into()).flat_map(move |hour| bits(minutes).map(move |minute| i64::from(hour * 60 + minute)))
    }

    /// Whether that minute of the day is picked.
    pub(super) fn has_minute(&self, of_day: i64) -> bool {
        self.hours >> (of_day / 60) & 1 == 1 && self.minutes >> (of_day % 60) & 1 == 1
    }

    /// How many times a day has.
    pub(super) fn per_day(&self) -> i64 {
        i64::from(self.hours.count_ones()) * self.per_hour()
    }

    fn per_hour(&self) -> i64 {
        i64::from(self.minutes.count_ones()) * i64::from(self.seconds.count_ones())
    }

    /// The first time of the day, in ticks after midnight.
    pub(super) fn first(&self) -> i64 {
        self.ticks(self.hours.trailing_zeros(), self.minutes.trailing_zeros(), self.seconds.trailing_zeros())
    }

    /// The last time of the day.
    pub(super) fn last(&self) -> i64 {
        self.ticks(self.hours.ilog2(), self.minutes.ilog2(), self.seconds.ilog2())
    }

    /// The first time at or after `of_day`, in ticks after midnight.
    pub(super) fn next(&self, of_day: i64) -> Option<i64> {
        let (hour, minute, second) = split(-(self.subsecond - of_day).div_euclid(TICKS_PER_SECOND).min(0))?;
        let (first_minute, first_second) = (self.minutes.trailing_zeros(), self.seconds.trailing_zeros());
        if self.hours >> hour & 1 == 1 {
            if self.minutes >> minute & 1 == 1
                && let Some(second) = at_or_after(self.seconds, second)
            {
                return Some(self.ticks(hour, minute, second));
            }
            if let Some(minute) = at_or_after(self.minutes, minute + 1) {
                return Some(self.ticks(hour, minute, first_second));
            }
        }
        let hour = at_or_after(u64::from(self.hours), hour + 1)?;
        Some(self.ticks(hour, first_minute, first_second))
    }

    /// The last time at or before `of_day`.
    pub(super) fn previous(&self, of_day: i64) -> Option<i64> {
        let (hour, minute, second) = split((of_day - self.subsecond).div_euclid(TICKS_PER_SECOND))?;
        let (last_minute, last_second) = (self.minutes.ilog2(), self.seconds.ilog2());
        if self.hours >> hour & 1 == 1 {
            if self.minutes >> minute & 1 == 1
                && let Some(second) = before(self.seconds, second + 1)
            {
                return Some(self.ticks(hour, minute, second));
            }
            if let Some(minute) = before(self.minutes, minute) {
                return Some(self.ticks(hour, minute, last_second));
            }
        }
        let hour = before(u64::from(self.hours), hour)?;
        Some(self.ticks(hour, last_minute, last_second))
    }

    /// How many times lie before `of_day`.
    pub(super) fn before(&self, of_day: i64) -> i64 {
        let Some((hour, minute, second)) = split(-(self.subsecond - of_day).div_euclid(TICKS_PER_SECOND).min(0)) else {
            return self.per_day();
        };
        let below = |set: u64, bit: u32| i64::from((set & !(u64::MAX << bit)).count_ones());
        let mut count = below(u64::from(self.hours), hour) * self.per_hour();
        if self.hours >> hour & 1 == 1 {
            count += below(self.minutes, minute) * i64::from(self.seconds.count_ones());
            if self.minutes >> minute & 1 == 1 {
                count += below(self.seconds, second);
            }
        }
        count
    }

    fn ticks(&self, hour: u32, minute: u32, second: u32) -> i64 {
        i64::from((hour * 60 + minute) * 60 + second) * TICKS_PER_SECOND + self.subsecond
    }
}

/// Hour, minute and second of a second of the day.
fn split(second_of_day: i64) -> Option<(u32, u32, u32)> {
    let seconds = u32::try_from(second_of_day).ok().filter(|seconds| i64::from(*seconds) < SECONDS_PER_DAY)?;
    Some((seconds / 3600, seconds / 60 % 60, seconds % 60))
}

fn at_or_after(set: u64, bit: u32) -> Option<u32> {
    let rest = set & u64::MAX.checked_shl(bit)?;
    (rest != 0).then(|| rest.trailing_zeros())
}

fn before(set: u64, bit: u32) -> Option<u32> {
    let rest = set & !(u64::MAX.checked_shl(bit).unwrap_or(0));
    rest.checked_ilog2()
}
