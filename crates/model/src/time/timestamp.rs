//! A point in time.

use std::fmt;

use super::{Date, TICKS_PER_DAY, TICKS_PER_SECOND, Wall, day_number};

/// A point in time: 100 ns ticks since 1970-01-01T00:00Z, from the year 1 to the year 9999.
///
/// One integer, so that it compares, adds and is stored as one. The tick is exactly what the API can write (seven
/// fractional digits): what a client reads is what is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 0001-01-01T00:00:00Z.
    pub const MIN: Self = Self(day_number(1, 1, 1) as i64 * TICKS_PER_DAY);
    /// 9999-12-31T23:59:59.9999999Z.
    pub const MAX: Self = Self(day_number(10_000, 1, 1) as i64 * TICKS_PER_DAY - 1);
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The instant `ticks` after 1970, unless it lies outside the years 1 to 9999.
    pub const fn from_ticks(ticks: i64) -> Option<Self> {
        if Self::MIN.0 <= ticks && ticks <= Self::MAX.0 { Some(Self(ticks)) } else { None }
    }

    /// The instant `seconds` after 1970, unless it lies outside the years 1 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        seconds.checked_mul(TICKS_PER_SECOND).and_then(Self::from_ticks)
    }

    /// Ticks since 1970.
    pub const fn ticks(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(TICKS_PER_SECOND)
    }

    /// This instant moved by `ticks`, held at the first or last one that can be written.
    #[must_use]
    pub const fn saturating_add(self, ticks: i64) -> Self {
        let moved = self.0.saturating_add(ticks);
        if moved < Self::MIN.0 {
            Self::MIN
        } else if moved > Self::MAX.0 {
            Self::MAX
        } else {
            Self(moved)
        }
    }

    /// Ticks from `earlier` to this instant; negative if it is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }
}

/// As the API writes it: UTC, `Z`, up to seven fractional digits without trailing zeros.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wall = Wall::from_ticks(self.0);
        let Date { year, month, day } = wall.date();
        let (hour, minute, second) = wall.time();
        write!(f, "{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", month.number())?;
        let fraction = self.0.rem_euclid(TICKS_PER_SECOND);
        if fraction != 0 {
            let digits = format!("{fraction:07}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
