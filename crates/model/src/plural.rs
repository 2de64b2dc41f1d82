//! Numbers of things and lengths of time, in words.

use crate::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// `1 time`, `2 times`.
pub fn plural(number: u64, noun: &str) -> String {
    let suffix = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{suffix}")
}

/// A length of time as people say it: `90 minutes`, `3 days`. Less than two of a unit are said in the next smaller one.
pub fn in_words(ticks: i64) -> String {
    let units =
        [(TICKS_PER_DAY, "day"), (TICKS_PER_HOUR, "hour"), (TICKS_PER_MINUTE, "minute"), (TICKS_PER_SECOND, "second")];
    let fitting = units.into_iter().find(|(unit, _)| ticks >= 2 * unit);
    let (unit, noun) = fitting.unwrap_or((TICKS_PER_SECOND, "second"));
    plural((ticks / unit).max(0).unsigned_abs(), noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_said_in_the_largest_unit_that_fits() {
        let seconds = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800];
        let words: Vec<String> = seconds.into_iter().map(|seconds| in_words(seconds * TICKS_PER_SECOND)).collect();
        assert_eq!(
            words,
            ["0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days"]
        );
    }
}
