//! An instant on the command line: written out, or relative to now.

use punctual_model::Expected;
use punctual_model::time::{DateTime, Span, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Wall, Weekday, Zone};

/// Reads a duration such as `24h` or `7d`, which is so long ago, `now`, `today`, `yesterday`, a date or a date-time; in UTC where it names no zone.
pub(crate) fn parse(text: &str, now: Timestamp) -> Result<Timestamp, Expected> {
    let text = text.trim();
    let today = now.saturating_add(-now.ticks().rem_euclid(TICKS_PER_DAY));
    match text.to_ascii_lowercase().as_str() {
        "now" => return Ok(now),
        "today" => return Ok(today),
        "yesterday" => return Ok(today.saturating_add(-TICKS_PER_DAY)),
        _ => {}
    }
    if let Ok(ago) = Span::parse(text) {
        return Ok(now.saturating_add(-ago.ticks()));
    }
    let expected = |_| Expected::new("24h, 7d, today, yesterday, a date such as 2026-01-31, or 2026-01-31T08:00:00Z");
    DateTime::parse(text).map(|written| written.resolve(Zone::utc()).instant()).map_err(expected)
}

/// Which of the instants is meant that a time of day, a weekday or a duration can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toward {
    /// The last one, up to now.
    Past,
    /// The next one, after now.
    Future,
}

/// Reads `03:15`, `monday`, `tomorrow 08:00`, `10m`, `now`, a date or a date-time; on the clock of the zone where it names none.
pub(crate) fn parse_near(text: &str, now: Timestamp, zone: Zone, toward: Toward) -> Result<Timestamp, Expected> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if lower == "now" {
        return Ok(now);
    }
    // As a duration, 03:15 would be one; here it is a time.
    if let Some(span) = Span::parse(&lower).ok().filter(|_| !lower.contains(':')) {
        let ticks = if toward == Toward::Past { -span.ticks() } else { span.ticks() };
        return Ok(now.saturating_add(ticks));
    }
    let (day, time) = match lower.split_once(' ') {
        Some((day, time)) => (Some(day), Some(time.trim())),
        None if lower.contains(':') && !lower.contains('-') => (None, Some(lower.as_str())),
        None => (Some(lower.as_str()), None),
    };
    let of_day = match time {
        Some(time) => time_of_day(time),
        None => Some(0),
    };
    let today = zone.wall(now).day();
    if let (Some(days), Some(of_day)) = (candidates(day, today, toward), of_day) {
        let at = |day: i32| zone.start_at(Wall::at(day, of_day)).instant();
        let is_meant = |at: &Timestamp| match toward {
            // A day that is named is meant, whatever its hour.
            _ if days.len() == 1 => true,
            Toward::Past => *at <= now,
            Toward::Future => *at > now,
        };
        if let Some(at) = days.iter().copied().map(at).find(is_meant) {
            return Ok(at);
        }
    }
    let expected =
        |_| Expected::new("08:00, monday, tomorrow 08:00, 10m, a date such as 2026-01-31, or 2026-01-31T08:00:00Z");
    DateTime::parse(text).map(|written| written.resolve(zone).instant()).map_err(expected)
}

/// The days that a word can stand for, the nearest first; today and its neighbour where there is no word.
fn candidates(word: Option<&str>, today: i32, toward: Toward) -> Option<Vec<i32>> {
    let step = if toward == Toward::Past { -1 } else { 1 };
    match word {
        None => Some(vec![today, today + step]),
        Some("today") => Some(vec![today]),
        Some("tomorrow") => Some(vec![today + 1]),
        Some("yesterday") => Some(vec![today - 1]),
        Some(word) => {
            let is_named = |day: &i32| {
                let name = Weekday::of_day_number(*day).name().to_ascii_lowercase();
                name == word || (word.len() == 3 && name.starts_with(word))
            };
            let days: Vec<i32> = (0..=7).map(|days| today + step * days).filter(is_named).collect();
            (!days.is_empty()).then_some(days)
        }
    }
}

/// The ticks from midnight to `08:00` or `08:00:30`.
fn time_of_day(text: &str) -> Option<i64> {
    let parts: Option<Vec<i64>> = text.split(':').map(|part| part.parse().ok().filter(|_| part.len() == 2)).collect();
    let (hour, minute, second) = match parts?[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    is_time.then_some(((hour * 60 + minute) * 60 + second) * TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, Toward, Zone, parse, parse_near};

    /// Tuesday, 14 November 2023, 23:13:20 in Prague.
    fn near(text: &str, toward: Toward) -> String {
        let (now, zone) = (Timestamp::from_seconds(1_700_000_000).unwrap(), Zone::find("Europe/Prague").unwrap());
        parse_near(text, now, zone, toward).map_or_else(|expected| expected.to_string(), |at| at.to_string())
    }

    #[test]
    fn instants_near_now() {
        for (text, past, future) in [
            ("now", "2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"),
            ("03:15", "2023-11-14T02:15:00Z", "2023-11-15T02:15:00Z"),
            ("23:30", "2023-11-13T22:30:00Z", "2023-11-14T22:30:00Z"),
            ("10m", "2023-11-14T22:03:20Z", "2023-11-14T22:23:20Z"),
            ("monday", "2023-11-12T23:00:00Z", "2023-11-19T23:00:00Z"),
            ("Tue 23:00:30", "2023-11-14T22:00:30Z", "2023-11-21T22:00:30Z"),
            ("tomorrow 08:00", "2023-11-15T07:00:00Z", "2023-11-15T07:00:00Z"),
            ("today 08:00", "2023-11-14T07:00:00Z", "2023-11-14T07:00:00Z"),
            ("2023-11-01T08:00", "2023-11-01T07:00:00Z", "2023-11-01T07:00:00Z"),
            ("2023-11-01 08:00:00Z", "2023-11-01T08:00:00Z", "2023-11-01T08:00:00Z"),
        ] {
            assert_eq!(
                (near(text, Toward::Past).as_str(), near(text, Toward::Future).as_str()),
                (past, future),
                "{text}"
            );
        }
        for text in ["", "25:00", "8:00", "someday", "monday morning", "03:15:61"] {
            assert!(near(text, Toward::Past).starts_with("08:00, monday"), "{text}: {}", near(text, Toward::Past));
        }
    }

    fn at(text: &str) -> String {
        let now = Timestamp::from_seconds(1_700_000_000).unwrap();
        parse(text, now).map_or_else(|expected| expected.to_string(), |at| at.to_string())
    }

    #[test]
    fn instants() {
        for (text, expected) in [
            ("now", "2023-11-14T22:13:20Z"),
            ("24h", "2023-11-13T22:13:20Z"),
            ("1h30m", "2023-11-14T20:43:20Z"),
            ("7d", "2023-11-07T22:13:20Z"),
            ("today", "2023-11-14T00:00:00Z"),
            ("Yesterday", "2023-11-13T00:00:00Z"),
            ("2023-11-01", "2023-11-01T00:00:00Z"),
            ("2023-11-01T08:00:00+02:00", "2023-11-01T06:00:00Z"),
        ] {
            assert_eq!(at(text), expected, "{text}");
        }
        for text in ["", "h", "24", "24 parsecs", "-1h", "tomorrow", "99999999999999999999h"] {
            assert!(at(text).starts_with("24h, 7d, today"), "{text}: {}", at(text));
        }
    }
}
