//! A length of time, and the ways in which it is written.

use std::fmt;

use super::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use crate::Expected;

/// A length of time with the text it was written as: clients expect to read back what they wrote.
///
/// Read are ISO 8601 durations (`PT30S`, `P1DT12H`; also `PT1D`, which the original's documents show) and the
/// `[d.]hh:mm:ss[.f]` of .NET, and what people write: `90s`, `1h30m`. As in .NET, a month is 30 days and a year 365. Two
/// spans are equal if they are as long.
#[derive(Clone, Debug)]
pub struct Span {
    ticks: i64,
    text: Box<str>,
}

const EXPECTED: &str = "a duration such as 30s, PT30S, P1DT12H or 00:00:30";

impl Span {
    /// Reads a duration.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let text = text.trim();
        let ticks = if text.starts_with(['P', 'p']) { iso_ticks(text) } else { time_span_ticks(text) };
        let as_written = ticks.map(|ticks| Self { ticks, text: text.into() });
        // No client of the original could read `5m`, so it is answered in ISO 8601.
        let short = || short_ticks(text).map(|ticks| Self { ticks, text: iso(ticks).into() });
        as_written.or_else(short).ok_or(Expected::new(EXPECTED))
    }

    /// A span of whole seconds, written in ISO 8601.
    pub fn from_seconds(seconds: u32) -> Self {
        let ticks = i64::from(seconds) * TICKS_PER_SECOND;
        Self { ticks, text: iso(ticks).into() }
    }

    /// Its length in ticks; never negative.
    pub fn ticks(&self) -> i64 {
        self.ticks
    }

    /// As it was written.
    pub fn as_written(&self) -> &str {
        &self.text
    }

    /// In ISO 8601: `PT1M30S`.
    pub fn to_iso(&self) -> String {
        iso(self.ticks)
    }

    /// As .NET writes it: `[d.]hh:mm:ss[.fffffff]`.
    pub fn to_time_span(&self) -> String {
        let (days, of_day) = (self.ticks / TICKS_PER_DAY, self.ticks % TICKS_PER_DAY);
        let days = if days == 0 { String::new() } else { format!("{days}.") };
        let fraction = match of_day % TICKS_PER_SECOND {
            0 => String::new(),
            fraction => format!(".{fraction:07}"),
        };
        let (hours, minutes) = (of_day / TICKS_PER_HOUR, of_day % TICKS_PER_HOUR / TICKS_PER_MINUTE);
        format!("{days}{hours:02}:{minutes:02}:{:02}{fraction}", of_day % TICKS_PER_MINUTE / TICKS_PER_SECOND)
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        self.ticks == other.ticks
    }
}

impl Eq for Span {}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn iso(ticks: i64) -> String {
    let parts = [
        (ticks % TICKS_PER_DAY / TICKS_PER_HOUR, 'H'),
        (ticks % TICKS_PER_HOUR / TICKS_PER_MINUTE, 'M'),
        (ticks % TICKS_PER_MINUTE / TICKS_PER_SECOND, 'S'),
    ];
    let fraction = match ticks % TICKS_PER_SECOND {
        0 => String::new(),
        fraction => format!(".{fraction:07}").trim_end_matches('0').to_owned(),
    };
    let mut date = String::from("P");
    if ticks >= TICKS_PER_DAY {
        date = format!("P{}D", ticks / TICKS_PER_DAY);
    }
    let mut time = String::new();
    for (count, unit) in parts {
        match unit {
            'S' if !fraction.is_empty() => time = format!("{time}{count}{fraction}S"),
            _ if count > 0 => time = format!("{time}{count}{unit}"),
            _ => {}
        }
    }
    match (date.as_str(), time.as_str()) {
        ("P", "") => "PT0S".to_owned(),
        (_, "") => date,
        _ => format!("{date}T{time}"),
    }
}

/// ISO 8601 without its order: `M` is minutes after the `T` and months before it; nothing else depends on the place.
fn iso_ticks(text: &str) -> Option<i64> {
    let mut ticks = 0_i64;
    let mut in_time = false;
    let mut parts = 0;
    let mut rest = &text[1..];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(['T', 't']) {
            if in_time || after.is_empty() {
                return None;
            }
            in_time = true;
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')?;
        let (number, unit_on) = rest.split_at(end);
        let unit = unit_on.chars().next()?;
        let unit_ticks = match unit.to_ascii_uppercase() {
            'Y' if !in_time => 365 * TICKS_PER_DAY,
            'M' if !in_time => 30 * TICKS_PER_DAY,
            'W' if !in_time => 7 * TICKS_PER_DAY,
            'D' => TICKS_PER_DAY,
            'H' => TICKS_PER_HOUR,
            'M' => TICKS_PER_MINUTE,
            'S' => TICKS_PER_SECOND,
            _ => return None,
        };
        ticks = ticks.checked_add(scaled(number, unit_ticks)?)?;
        parts += 1;
        rest = &unit_on[unit.len_utf8()..];
    }
    (parts > 0).then_some(ticks)
}

/// `90s`, `5m`, `1h30m`, `2d`: the time part of ISO 8601 without its letters.
fn short_ticks(text: &str) -> Option<i64> {
    let begins_with_digit = text.starts_with(|first: char| first.is_ascii_digit());
    let compact: String = text.split_ascii_whitespace().collect();
    if begins_with_digit && !compact.contains(['T', 't']) { iso_ticks(&format!("PT{compact}")) } else { None }
}

/// `[d.]hh:mm:ss[.fffffff]`.
fn time_span_ticks(text: &str) -> Option<i64> {
    let (days_and_hours, rest) = text.split_once(':')?;
    let (days, hours) = days_and_hours.split_once('.').unwrap_or(("0", days_and_hours));
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let below = |text: &str, limit: i64| whole(text).filter(|value| *value < limit);
    let seconds = scaled(seconds, TICKS_PER_SECOND).filter(|ticks| *ticks < TICKS_PER_MINUTE)?;
    let of_day = below(hours, 24)? * TICKS_PER_HOUR + below(minutes, 60)? * TICKS_PER_MINUTE + seconds;
    whole(days)?.checked_mul(TICKS_PER_DAY)?.checked_add(of_day)
}

/// A decimal number times a unit, rounded down to a tick.
fn scaled(number: &str, unit: i64) -> Option<i64> {
    let (integer, fraction) = number.split_once(['.', ',']).unwrap_or((number, ""));
    let mut ticks = whole(integer)?.checked_mul(unit)?;
    let mut unit = unit;
    for digit in fraction.chars().take(15) {
        unit /= 10;
        ticks = ticks.checked_add(i64::from(digit.to_digit(10)?) * unit)?;
    }
    fraction.chars().all(|c| c.is_ascii_digit()).then_some(ticks)
}

fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
