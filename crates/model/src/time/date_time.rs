//! A date-time as someone wrote it, before it is known which zone it is in.

use std::ops::RangeInclusive;

use super::{Date, Month, Start, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp, Wall, Zone};
use crate::Expected;

/// A date, a time of day where one was written, and an offset where one was written.
///
/// Taken are the spellings of ISO 8601 that the original service and its documents use: `2012-08-04`,
/// `2012-08-04T00:00Z`, `2013-01-09T09:30:00-08:00`, with any number of fractional digits, of which seven count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    wall: Wall,
    offset_ticks: Option<i64>,
}

const EXPECTED: &str =
    "an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00";

impl DateTime {
    /// Reads an ISO 8601 date or date-time.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let mut reader = Reader { rest: text.trim().as_bytes(), impossible: None };
        let read = reader.date_time().filter(|_| reader.rest.is_empty());
        read.ok_or_else(|| reader.impossible.map_or(Expected::new(EXPECTED), Expected::new))
    }

    /// Whether an offset or `Z` was written, so that no zone is needed to know the instant.
    pub fn is_instant(&self) -> bool {
        self.offset_ticks.is_some()
    }

    /// The start this means: by its own offset, else in `zone`.
    ///
    /// A wall-clock time that does not exist there moves forward by the gap; one that exists twice is the first.
    pub fn resolve(&self, zone: Zone) -> Start {
        match self.offset_ticks {
            Some(offset) => Start::at(Timestamp::EPOCH.saturating_add(self.wall.ticks() - offset)),
            None => zone.start_at(self.wall),
        }
    }
}

/// A cursor over the text; each method takes what it names, or nothing.
struct Reader<'a> {
    rest: &'a [u8],
    /// What a part that is well written but does not exist should have been.
    impossible: Option<String>,
}

impl Reader<'_> {
    fn date_time(&mut self) -> Option<DateTime> {
        let year = self.digits(4)?;
        self.byte(b"-")?;
        let month = self.part("a month", 1..=12)?;
        self.byte(b"-")?;
        let (year, month) = (i32::try_from(year).ok()?, Month::new(u8::try_from(month).ok()?)?);
        let length = month.length(year);
        let day = self.part(&format!("a day of {} {year}", month.name()), 1..=length.into())?;
        let date = Date::new(year, month.number(), u8::try_from(day).ok()?).filter(|date| date.year > 0)?;
        if self.byte(b"Tt ").is_none() {
            return Some(DateTime { wall: Wall::at(date.day_number(), 0), offset_ticks: None });
        }
        let of_day = self.time()?;
        let offset_ticks = if self.rest.is_empty() { None } else { Some(self.offset()?) };
        let wall = Wall::at(date.day_number(), of_day);
        let instant = wall.ticks() - offset_ticks.unwrap_or(0);
        Timestamp::from_ticks(instant).map(|_| DateTime { wall, offset_ticks })
    }

    /// Hours and minutes, then seconds and a fraction where they are written. 24:00 is not a time of day here.
    fn time(&mut self) -> Option<i64> {
        let hour = self.part("an hour", 0..=23)?;
        self.byte(b":")?;
        let minute = self.part("a minute", 0..=59)?;
        let mut ticks = hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE;
        if self.byte(b":").is_some() {
            ticks += self.part("a second", 0..=59)? * TICKS_PER_SECOND;
            if self.byte(b".,").is_some() {
                ticks += self.fraction()?;
            }
        }
        Some(ticks)
    }

    fn offset(&mut self) -> Option<i64> {
        let sign = match self.byte(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        let colon = self.byte(b":").is_some();
        let minutes = if colon || !self.rest.is_empty() { self.digits(2).filter(|minutes| *minutes < 60)? } else { 0 };
        Some(sign * (hours * TICKS_PER_HOUR + minutes * TICKS_PER_MINUTE))
    }

    /// A decimal fraction of a second in ticks, rounded down.
    fn fraction(&mut self) -> Option<i64> {
        let mut ticks = i64::from(self.digit()?) * (TICKS_PER_SECOND / 10);
        let mut unit = TICKS_PER_SECOND / 100;
        while let Some(digit) = self.digit() {
            ticks += i64::from(digit) * unit;
            unit /= 10;
        }
        Some(ticks)
    }

    /// Two digits, of a part of a date or time that has these values.
    fn part(&mut self, what: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.digits(2)?;
        if !range.contains(&value) {
            self.impossible = Some(format!("{what} from {} to {}, not {value}", range.start(), range.end()));
            return None;
        }
        Some(value)
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |value, _| Some(value * 10 + i64::from(self.digit()?)))
    }

    fn digit(&mut self) -> Option<u8> {
        self.byte(b"0123456789").map(|byte| byte - b'0')
    }

    fn byte(&mut self, one_of: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first().filter(|(first, _)| one_of.contains(first))?;
        self.rest = rest;
        Some(*first)
    }
}
