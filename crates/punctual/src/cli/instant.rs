//! An instant on the command line: written out, or relative to now.

use punctual_model::Expected;
use punctual_model::time::{DateTime, Span, TICKS_PER_DAY, Timestamp, Zone};

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

#[cfg(test)]
mod tests {
    use super::{Timestamp, parse};

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
