//! What a clock on a wall shows.

use std::fmt;

use super::{Date, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// A date and a time of day without a zone, in ticks since 1970-01-01 00:00 of that wall.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wall(i64);

impl Wall {
    /// The wall-clock time `ticks` after 1970-01-01 00:00.
    pub const fn from_ticks(ticks: i64) -> Self {
        Self(ticks)
    }

    /// The time `of_day` (ticks after midnight) on the day with number `day`.
    pub const fn at(day: i32, of_day: i64) -> Self {
        Self(day as i64 * TICKS_PER_DAY + of_day)
    }

    /// Ticks since 1970-01-01 00:00.
    pub const fn ticks(self) -> i64 {
        self.0
    }

    /// The number of the day, counted from 1970-01-01.
    #[expect(clippy::cast_possible_truncation, reason = "i64 ticks hold fewer than 2^25 days")]
    pub const fn day(self) -> i32 {
        self.0.div_euclid(TICKS_PER_DAY) as i32
    }

    /// Ticks since midnight.
    pub const fn of_day(self) -> i64 {
        self.0.rem_euclid(TICKS_PER_DAY)
    }

    /// The date.
    pub const fn date(self) -> Date {
        Date::from_day_number(self.day())
    }

    /// Hour, minute and second of the day.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parts of a day fit a byte")]
    pub const fn time(self) -> (u8, u8, u8) {
        let of_day = self.of_day();
        let hour = of_day / TICKS_PER_HOUR;
        let minute = of_day % TICKS_PER_HOUR / TICKS_PER_MINUTE;
        let second = of_day % TICKS_PER_MINUTE / TICKS_PER_SECOND;
        (hour as u8, minute as u8, second as u8)
    }
}

impl fmt::Debug for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Date { year, month, day } = self.date();
        let (hour, minute, second) = self.time();
        write!(f, "{year:04}-{:02}-{day:02} {hour:02}:{minute:02}:{second:02}", month.number())?;
        match self.0.rem_euclid(TICKS_PER_SECOND) {
            0 => Ok(()),
            fraction => write!(f, ".{fraction:07}"),
        }
    }
}
