//! A cron expression as the oracle reads it: every field a plain set of numbers.
//!
//! Written from the manual of Debian's cron, with `L`, `W` and `#` and Quartz's numbers beside it, and for expressions that are right: what is
//! wrong with an expression is not its business.

use std::collections::BTreeSet;

use jiff::Span;
use jiff::civil::{Date, Weekday};
use punctual_model::recurrence::CronDialect;

/// The sets of an expression.
pub(crate) struct Crontab {
    pub(crate) seconds: BTreeSet<i8>,
    pub(crate) minutes: BTreeSet<i8>,
    pub(crate) hours: BTreeSet<i8>,
    /// The hour is a star: whatever hours a day has, not twenty-four of them by name.
    pub(crate) is_every_hour: bool,
    months: BTreeSet<i8>,
    days: BTreeSet<i8>,
    /// Days counted back from the last, which is 0.
    days_before_last: BTreeSet<i8>,
    /// Days whose nearest Monday to Friday is meant: from the start, or counted back from the last.
    near: BTreeSet<(bool, i8)>,
    weekdays: BTreeSet<i8>,
    /// A weekday counted from Sunday, and which one of the month: −1 is the last.
    nth_weekdays: BTreeSet<(i8, i8)>,
    /// One of the two day fields begins with a star, so that a day must match both and not just one.
    needs_both: bool,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Crontab {
    pub(crate) fn parse(text: &str, dialect: CronDialect) -> Self {
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
        let (second, rest) = if fields.len() >= 6 { (fields[0], &fields[1..6]) } else { ("0", &fields[..]) };
        let [minute, hour, day, month, weekday] = rest else { panic!("five or six fields: {text}") };
        let [day, weekday] = [day, weekday].map(|field| if *field == "?" { "*" } else { field });
        let sunday = i8::from(dialect == CronDialect::Quartz);
        let plain = |field: &str, is_special: &dyn Fn(&str) -> bool| {
            field.split(',').filter(|item| !is_special(item)).map(str::to_owned).collect::<Vec<_>>().join(",")
        };
        let is_nth = |item: &str| item.contains('#') || (item.len() > 1 && item.ends_with('l'));
        let special_days = || day.split(',').filter(|item| is_special_day(item)).map(special_day);
        let plain_weekday = plain(weekday, &is_nth);
        let plain_weekday = if plain_weekday == "l" { "sat" } else { plain_weekday.as_str() };
        Self {
            seconds: set(second, 0, 59, &[]),
            minutes: set(minute, 0, 59, &[]),
            hours: set(hour, 0, 23, &[]),
            is_every_hour: ["*", "*/1", "0/1"].contains(hour),
            months: set(month, 1, 12, &MONTHS),
            days: set(&plain(day, &is_special_day), 1, 31, &[]),
            days_before_last: special_days().filter(|(is_near, ..)| !is_near).map(|(_, _, day)| day).collect(),
            near: special_days().filter(|(is_near, ..)| *is_near).map(|(_, is_back, day)| (is_back, day)).collect(),
            weekdays: set(plain_weekday, sunday, 7, &WEEKDAYS).into_iter().map(|n| (n - sunday) % 7).collect(),
            nth_weekdays: weekday
                .split(',')
                .filter(|item| is_nth(item))
                .map(|item| nth_weekday(item, sunday))
                .collect(),
            needs_both: day.starts_with('*') || weekday.starts_with('*'),
        }
    }

    /// Whether the three fields of days allow the date.
    pub(crate) fn has_date(&self, date: Date) -> bool {
        let length = date.days_in_month();
        let near = |(is_back, day): &(bool, i8)| nearest_weekday(date, if *is_back { length - day } else { *day });
        let by_day = self.days.contains(&date.day())
            || self.days_before_last.contains(&(length - date.day()))
            || self.near.iter().any(|day| near(day) == Some(date));
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

/// The Monday to Friday of the date's month with the least distance to a day, if the month has that day.
fn nearest_weekday(date: Date, day: i8) -> Option<Date> {
    let wanted = date.with().day(day).build().ok()?;
    let is_working = |day: &Date| day.weekday().to_monday_zero_offset() < 5;
    let candidates = date.first_of_month().series(Span::new().days(1)).take_while(|day| *day <= date.last_of_month());
    candidates.filter(is_working).min_by_key(|candidate| candidate.duration_since(wanted).as_secs().abs())
}

fn is_special_day(item: &str) -> bool {
    item.contains(['l', 'w'])
}

/// Whether the nearest Monday to Friday is meant, whether the day counts back from the last, and the day.
fn special_day(item: &str) -> (bool, bool, i8) {
    let (day, is_near) = item.strip_suffix('w').map_or((item, false), |day| (day, true));
    match day.strip_prefix('l') {
        Some("") => (is_near, true, 0),
        Some(back) => (is_near, true, back[1..].parse().expect("a number after L-")),
        None => (is_near, false, day.parse().expect("a day before W")),
    }
}

fn nth_weekday(item: &str, sunday: i8) -> (i8, i8) {
    let (day, n) = match item.split_once('#') {
        Some((day, n)) => (day, n.parse().expect("a number after #")),
        None => (item.trim_end_matches('l'), -1),
    };
    ((number(day, &WEEKDAYS, sunday) - sunday) % 7, n)
}

/// A list of numbers, ranges and stars, each with a step or without.
fn set(field: &str, low: i8, high: i8, names: &[&str]) -> BTreeSet<i8> {
    let mut set = BTreeSet::new();
    for item in field.split(',').filter(|item| !item.is_empty()) {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, step.parse().expect("a step")),
            None => (item, 1_i8),
        };
        // Both 0 and 7 are Sunday.
        let size = if (low, high) == (0, 7) { 7 } else { high - low + 1 };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (low, low + size - 1),
            Some((first, last)) => (number(first, names, low), number(last, names, low)),
            None if item.contains('/') && size == 7 => (number(range, names, low) % (low + 7).max(7), low + 6),
            None if item.contains('/') => (number(range, names, low), high),
            None => (number(range, names, low), number(range, names, low)),
        };
        let mut at = first;
        let mut distance = if first <= last { last - first } else { last - first + size };
        loop {
            set.insert(at);
            if distance < step {
                break;
            }
            (at, distance) = (at + step, distance - step);
            if at > high {
                at -= size;
            }
        }
    }
    set
}

/// A number, or a name, which stands for its place counted from the lowest number.
fn number(text: &str, names: &[&str], low: i8) -> i8 {
    let by_name = names.iter().position(|name| *name == text);
    by_name.map_or_else(|| text.parse().expect("a number or a name"), |at| low + i8::try_from(at).expect("few names"))
}
