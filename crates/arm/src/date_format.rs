//! Instants in the formats of .NET, and durations that are added to them.

use std::fmt::Write;

use punctual_model::time::{
    Date, Month, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp, Wall, Weekday,
};

/// Writes an instant in UTC. Nothing for a format that is not known.
pub(crate) fn write(at: Timestamp, format: &str) -> Option<String> {
    let format = match format {
        "d" => "MM/dd/yyyy",
        "o" | "O" => "yyyy-MM-ddTHH:mm:ss.fffffffZ",
        "r" | "R" => "ddd, dd MMM yyyy HH:mm:ss GMT",
        "s" => "yyyy-MM-ddTHH:mm:ss",
        "u" => "yyyy-MM-dd HH:mm:ssZ",
        other => other,
    };
    let wall = Wall::from_ticks(at.ticks());
    let (date, (hour, minute, second)) = (wall.date(), wall.time());
    let fraction = wall.of_day().rem_euclid(TICKS_PER_SECOND);
    let mut made = String::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| c != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(length);
        rest = after;
        match (first, run.len()) {
            ('y', 4) => _ = write!(made, "{:04}", date.year),
            ('y', 2) => _ = write!(made, "{:02}", date.year.rem_euclid(100)),
            ('M', 4) => made.push_str(date.month.name()),
            ('M', 3) => made.push_str(&date.month.name()[..3]),
            ('M', length @ 1..=2) => pad(&mut made, date.month.number(), length),
            ('d', 4) => made.push_str(Weekday::of_day_number(wall.day()).name()),
            ('d', 3) => made.push_str(&Weekday::of_day_number(wall.day()).name()[..3]),
            ('d', length @ 1..=2) => pad(&mut made, date.day, length),
            ('H', length @ 1..=2) => pad(&mut made, hour, length),
            ('h', length @ 1..=2) => pad(&mut made, (hour + 11) % 12 + 1, length),
            ('m', length @ 1..=2) => pad(&mut made, minute, length),
            ('s', length @ 1..=2) => pad(&mut made, second, length),
            ('f', length @ 1..=7) => made.push_str(&format!("{fraction:07}")[..length]),
            ('t', 2) => made.push_str(if hour < 12 { "AM" } else { "PM" }),
            ('T' | 'Z' | '-' | '/' | ':' | '.' | ',' | ' ' | '_' | '+' | 'G', _) => made.push_str(run),
            ('\'', 1) => {
                let (literal, after) = rest.split_once('\'')?;
                made.push_str(literal);
                rest = after;
            }
            _ => return None,
        }
    }
    Some(made)
}

fn pad(made: &mut String, number: u8, length: usize) {
    // Writing to a text does not fail.
    let _ = write!(made, "{number:0length$}");
}

/// Reads `20260131T080000Z`, as `utcNow()` writes it.
pub(crate) fn read_compact(text: &str) -> Option<Timestamp> {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = digits.split_once('T').filter(|(day, time)| day.len() == 8 && time.len() == 6)?;
    if !digits.is_ascii() {
        return None;
    }
    let number = |text: &str| text.parse::<u8>().ok();
    let date = Date::new(day[..4].parse().ok()?, number(&day[4..6])?, number(&day[6..])?)?;
    let (hour, minute, second) = (number(&time[..2])?, number(&time[2..4])?, number(&time[4..])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let of_day =
        i64::from(hour) * TICKS_PER_HOUR + i64::from(minute) * TICKS_PER_MINUTE + i64::from(second) * TICKS_PER_SECOND;
    Timestamp::from_ticks(Wall::at(date.day_number(), of_day).ticks())
}

/// Adds a duration of ISO 8601, which may be negative: years and months by the calendar, the rest by the clock.
pub(crate) fn add(at: Timestamp, duration: &str) -> Option<Timestamp> {
    let (sign, text) = duration.trim().strip_prefix('-').map_or((1, duration.trim()), |text| (-1, text));
    let text = text.strip_prefix('P')?;
    let (days, times) = text.split_once('T').unwrap_or((text, ""));
    if days.is_empty() && times.is_empty() {
        return None;
    }
    let (mut months, mut ticks) = (0_i64, 0_i64);
    for (part, is_time) in [(days, false), (times, true)] {
        let mut rest = part;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let number: i64 = rest[..end].parse().ok()?;
            let add = |unit: i64| number.checked_mul(unit);
            let (wanted, unit) = (if is_time { "HMS" } else { "YMWD" }, rest[end..].chars().next()?);
            match wanted.find(unit)? {
                0 if !is_time => months = months.checked_add(add(12)?)?,
                1 if !is_time => months = months.checked_add(number)?,
                2 if !is_time => ticks = ticks.checked_add(add(7 * TICKS_PER_DAY)?)?,
                0 => ticks = ticks.checked_add(add(TICKS_PER_HOUR)?)?,
                1 => ticks = ticks.checked_add(add(TICKS_PER_MINUTE)?)?,
                2 => ticks = ticks.checked_add(add(TICKS_PER_SECOND)?)?,
                _ => ticks = ticks.checked_add(add(TICKS_PER_DAY)?)?,
            }
            rest = &rest[end + 1..];
        }
    }
    let wall = Wall::from_ticks(at.ticks());
    let moved = months_later(wall.date(), sign * months)?;
    let ticks = Wall::at(moved.day_number(), wall.of_day()).ticks().checked_add(sign * ticks)?;
    Timestamp::from_ticks(ticks)
}

/// The same day of another month, or the last one of it.
fn months_later(date: Date, months: i64) -> Option<Date> {
    let index =
        i64::from(date.year).checked_mul(12)?.checked_add(i64::from(date.month.number()) - 1)?.checked_add(months)?;
    let year = i32::try_from(index.div_euclid(12)).ok().filter(|year| (1..=9999).contains(year))?;
    let month = Month::new(u8::try_from(index.rem_euclid(12) + 1).ok()?)?;
    Date::new(year, month.number(), date.day.min(month.length(year)))
}
