//! A cron expression as the oracle reads it: every field a plain set of numbers.
//!
//! Written from the manual of Debian's cron, with `L` and `#` beside it, and for expressions that are right: what is
//! wrong with an expression is not its business.

use std::collections::BTreeSet;

use jiff::civil::{Date, Weekday};

/// The sets of an expression.
pub(crate) struct Crontab {
    pub(crate) seconds: BTreeSet<i8>,
    pub(crate) minutes: BTreeSet<i8>,
    pub(crate) hours: BTreeSet<i8>,
    /// The hour is a star: whatever hours a day has, not twenty-four of them by name.
    pub(crate) is_every_hour: bool,
    months: BTreeSet<i8>,
    days: BTreeSet<i8>,
    has_last_day: bool,
    weekdays: BTreeSet<i8>,
    /// A weekday counted from Sunday, and which one of the month: −1 is the last.
    nth_weekdays: BTreeSet<(i8, i8)>,
    /// One of the two day fields begins with a star, so that a day must match both and not just one.
    needs_both: bool,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Crontab {
    pub(crate) fn parse(text: &str) -> Self {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            text => text,
        };
        let lower = text.to_ascii_lowercase();
        let fields: Vec<&str> = lower.split_whitespace().collect();
        let (second, rest) = if fields.len() == 6 { (fields[0], &fields[1..]) } else { ("0", &fields[..]) };
        let [minute, hour, day, month, weekday] = rest else { panic!("five or six fields: {text}") };
        let plain = |field: &str, is_special: &dyn Fn(&str) -> bool| {
            field.split(',').filter(|item| !is_special(item)).map(str::to_owned).collect::<Vec<_>>().join(",")
        };
        let is_nth = |item: &str| item.contains('#') || item.ends_with('l');
        Self {
            seconds: set(second, 0, 59, &[]),
            minutes: set(minute, 0, 59, &[]),
            hours: set(hour, 0, 23, &[]),
            is_every_hour: *hour == "*" || *hour == "*/1",
            months: set(month, 1, 12, &MONTHS),
            days: set(&plain(day, &|item| item == "l"), 1, 31, &[]),
            has_last_day: day.split(',').any(|item| item == "l"),
            weekdays: set(&plain(weekday, &is_nth), 0, 7, &WEEKDAYS).into_iter().map(|n| n % 7).collect(),
            nth_weekdays: weekday.split(',').filter(|item| is_nth(item)).map(nth_weekday).collect(),
            needs_both: day.starts_with('*') || weekday.starts_with('*'),
        }
    }

    /// Whether the three fields of days allow the date.
    pub(crate) fn has_date(&self, date: Date) -> bool {
        let is_last_day = date.day() == date.days_in_month();
        let by_day = self.days.contains(&date.day()) || (self.has_last_day && is_last_day);
        let weekday = date.weekday().to_sunday_zero_offset();
        let by_weekday = self.weekdays.contains(&weekday)
            || self
                .nth_weekdays
                .iter()
                .any(|(day, n)| is_nth_weekday(date, Weekday::from_sunday_zero_offset(*day), *n));
        let by_days = if self.needs_both { by_day && by_weekday } else { by_day || by_weekday };
        self.months.contains(&date.month()) && by_days
    }
}

fn is_nth_weekday(date: Date, weekday: Result<Weekday, jiff::Error>, n: i8) -> bool {
    let weekday = weekday.expect("a weekday of the expression");
    date.nth_weekday_of_month(n, weekday).is_ok_and(|nth| nth == date)
}

fn nth_weekday(item: &str) -> (i8, i8) {
    let (day, n) = match item.split_once('#') {
        Some((day, n)) => (day, n.parse().expect("a number after #")),
        None => (item.trim_end_matches('l'), -1),
    };
    (number(day, &WEEKDAYS, 0) % 7, n)
}

/// A list of numbers, ranges and stars, each with a step or without.
fn set(field: &str, low: i8, high: i8, names: &[&str]) -> BTreeSet<i8> {
    let mut set = BTreeSet::new();
    for item in field.split(',').filter(|item| !item.is_empty()) {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, step.parse().expect("a step")),
            None => (item, 1),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            // Sunday by name may also come last.
            Some((first, "sun")) if number(first, names, low) > 0 => (number(first, names, low), 7),
            Some((first, last)) => (number(first, names, low), number(last, names, low)),
            None => (number(range, names, low), number(range, names, low)),
        };
        set.extend((first..=last).step_by(step));
    }
    set
}

/// A number, or a name, which stands for its place counted from the lowest number.
fn number(text: &str, names: &[&str], low: i8) -> i8 {
    let by_name = names.iter().position(|name| *name == text);
    by_name.map_or_else(|| text.parse().expect("a number or a name"), |at| low + i8::try_from(at).expect("few names"))
}
