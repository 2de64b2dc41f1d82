//! `--every`: a recurrence in a word or two.

use punctual_model::Expected;
use punctual_model::recurrence::{Frequency, Parts};

/// Reads `15m`, `2 hours`, `week`, `3mo`.
pub(crate) fn parse(text: &str) -> Result<Parts, Expected> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let interval = if number.is_empty() { Some(1) } else { number.parse().ok() };
    let frequency = match unit.trim().to_ascii_lowercase().as_str() {
        "m" | "min" | "mins" | "minute" | "minutes" => Some(Frequency::Minute),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(Frequency::Hour),
        "d" | "day" | "days" => Some(Frequency::Day),
        "w" | "week" | "weeks" => Some(Frequency::Week),
        "mo" | "month" | "months" => Some(Frequency::Month),
        "y" | "year" | "years" => Some(Frequency::Year),
        _ => None,
    };
    match (interval, frequency) {
        (Some(interval), Some(frequency)) => {
            Ok(Parts { frequency: Some(frequency), interval: Some(interval), ..Parts::default() })
        }
        _ => Err(Expected::new("a number and a unit such as 15m, 2 hours, day, 3 weeks, 6 months or year")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Frequency, parse};

    #[test]
    fn numbers_and_units() {
        for (text, frequency, interval) in [
            ("15m", Frequency::Minute, 15),
            ("2 hours", Frequency::Hour, 2),
            ("day", Frequency::Day, 1),
            (" 3 Weeks ", Frequency::Week, 3),
            ("6mo", Frequency::Month, 6),
            ("1y", Frequency::Year, 1),
        ] {
            let parts = parse(text).unwrap();
            assert_eq!((parts.frequency, parts.interval), (Some(frequency), Some(interval)), "{text}");
        }
        for text in ["", "15", "s", "15 s", "-1m", "1.5h", "99999999999999999999m", "minutes 3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
