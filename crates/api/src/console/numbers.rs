//! Numbers, lengths of time and plurals as people read them.

use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MILLISECOND, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// A number with a comma after each third digit.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun: "1 job", "2,313 jobs".
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// How long something took: "84 ms", "2.4 s", "4 min 2 s", "3 h 48 min", "14 days".
pub(super) fn took(ticks: i64) -> String {
    let ticks = ticks.max(0);
    if ticks < TICKS_PER_MILLISECOND {
        let tenths = ticks * 10 / TICKS_PER_MILLISECOND;
        return if tenths == 0 { "0 ms".to_owned() } else { format!("0.{tenths} ms") };
    }
    if ticks < TICKS_PER_SECOND {
        return format!("{} ms", ticks / TICKS_PER_MILLISECOND);
    }
    if ticks < TICKS_PER_MINUTE {
        let tenths = ticks * 10 / TICKS_PER_SECOND;
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    in_two(ticks)
}

/// A length of time in whole units, the two largest: "42 s", "3 min", "3 h 48 min", "14 days".
pub(super) fn span(ticks: i64) -> String {
    if ticks < TICKS_PER_MINUTE { format!("{} s", ticks.max(0) / TICKS_PER_SECOND) } else { in_two(ticks) }
}

fn in_two(ticks: i64) -> String {
    let units = [
        (TICKS_PER_DAY, "day", "days"),
        (TICKS_PER_HOUR, "h", "h"),
        (TICKS_PER_MINUTE, "min", "min"),
        (TICKS_PER_SECOND, "s", "s"),
    ];
    let at = units.iter().position(|(unit, ..)| ticks >= *unit).unwrap_or(units.len() - 1);
    let text =
        |number: i64, (_, one, many): (i64, &str, &str)| format!("{number} {}", if number == 1 { one } else { many });
    let first = text(ticks / units[at].0, units[at]);
    let rest = ticks % units[at].0;
    match units.get(at + 1) {
        // A second unit says something only while the first one is small.
        Some(next) if rest >= next.0 && ticks / units[at].0 < 10 => format!("{first} {}", text(rest / next.0, *next)),
        _ => first,
    }
}

/// A part of a whole as "97.9 %"; it is 100 only if nothing is missing.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 || part == whole {
        return "100 %".to_owned();
    }
    let tenths = u128::from(part) * 1000 / u128::from(whole);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 2_313, 1_234_567].map(grouped), ["0", "999", "1,000", "2,313", "1,234,567"]);
        assert_eq!(counted(1, "job", "jobs"), "1 job");
        assert_eq!(counted(1204, "job", "jobs"), "1,204 jobs");
        assert_eq!([percent(2, 2), percent(0, 0), percent(1999, 2000)], ["100 %", "100 %", "99.9 %"]);
    }

    #[test]
    fn lengths_of_time_read_well() {
        let ms = TICKS_PER_MILLISECOND;
        let shown = [0, ms / 2, 84 * ms, 2400 * ms, 242_000 * ms, 13_680_000 * ms, 14 * 86_400_000 * ms].map(took);
        assert_eq!(shown, ["0 ms", "0.5 ms", "84 ms", "2.4 s", "4 min 2 s", "3 h 48 min", "14 days"]);
        assert_eq!([span(42 * TICKS_PER_SECOND), span(-5), span(86_400 * TICKS_PER_SECOND)], ["42 s", "0 s", "1 day"]);
    }
}
