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
        // Digit by digit: every call and every answer has some of these, and six numbers with leading zeros take the
        // formatter several times as long.
        const FRACTION_AT: usize = 20;
        let wall = Wall::from_ticks(self.0);
        let Date { year, month, day } = wall.date();
        let (hour, minute, second) = wall.time();
        let fraction = self.0.rem_euclid(TICKS_PER_SECOND);
        let mut text = *b"0000-00-00T00:00:00.0000000Z";
        write_digits(&mut text[..4], year.into());
        let parts = [month.number().into(), day.into(), hour.into(), minute.into(), second.into()];
        for (at, number) in [5, 8, 11, 14, 17].into_iter().zip(parts) {
            write_digits(&mut text[at..at + 2], number);
        }
        write_digits(&mut text[FRACTION_AT..FRACTION_AT + 7], fraction);
        let last = text.iter().rposition(|c| (b'1'..=b'9').contains(c)).filter(|_| fraction != 0);
        let end = last.map_or(FRACTION_AT - 1, |last| last + 1);
        text[end] = b'Z';
        f.write_str(str::from_utf8(&text[..=end]).map_err(|_| fmt::Error)?)
    }
}

/// Writes a number with leading zeros.
fn write_digits(place: &mut [u8], mut number: i64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
