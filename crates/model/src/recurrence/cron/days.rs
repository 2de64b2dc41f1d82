//! The two fields of a cron expression that pick days: day of month and weekday.

use super::field::{DAY, Field, QUARTZ_WEEKDAY, WEEKDAY, number};
use super::{CronDialect, Sentence, small_bits};
use crate::recurrence::month_days::{MonthDays, Pick};
use crate::time::Weekday;

/// The days that both fields pick together.
///
/// In Debian's cron either one is enough, unless one of them begins with `*`; then both must hold. Quartz takes only one
/// of them.
pub(super) fn pick(day: &str, weekday: &str, dialect: CronDialect) -> Result<Pick, Sentence> {
    let (day, weekday) = (any_as_star(day), any_as_star(weekday));
    let days = month_days(day)?;
    let weekdays = weekdays(weekday, dialect)?;
    Ok(match (day.starts_with('*'), weekday.starts_with('*')) {
        _ if is_every(weekday) => Pick::Named(days),
        _ if is_every(day) => Pick::Named(weekdays),
        _ if dialect == CronDialect::Quartz => {
            return Err("Quartz takes a day of month or a weekday: write ? for the one that does not matter".to_owned());
        }
        (true, _) | (_, true) => Pick::Both(days, weekdays),
        (false, false) => Pick::Named(days.or(&weekdays)),
    })
}

/// Whether both fields name days, so that either one is enough.
pub(super) fn is_either(day: &str, weekday: &str) -> bool {
    !any_as_star(day).starts_with('*') && !any_as_star(weekday).starts_with('*')
}

/// Whether a weekday stands there by a number, which is another day in another dialect.
pub(super) fn has_numbered_weekday(field: &str) -> bool {
    field.split(',').any(|item| {
        let days = item.split(['#', '/']).next().unwrap_or_default();
        days.split('-').any(|day| day.starts_with(|first: char| first.is_ascii_digit()))
    })
}

fn any_as_star(field: &str) -> &str {
    if field == "?" { "*" } else { field }
}

fn is_every(field: &str) -> bool {
    matches!(field, "*" | "*/1")
}

fn month_days(field: &str) -> Result<MonthDays, Sentence> {
    let mut days = MonthDays::default();
    for item in field.split(',') {
        let (of_month, is_nearest) = match item.strip_suffix(['W', 'w']) {
            Some(day) if !day.is_empty() => (day, true),
            _ => (item, false),
        };
        if let Some(before_last) = of_month.strip_prefix(['L', 'l']) {
            let day = -1 - days_before_last(before_last)?;
            if is_nearest { days.add_nearest_weekday(day) } else { days.add_day(day) }
        } else if is_nearest {
            days.add_nearest_weekday(signed(DAY.value(of_month)?));
        } else {
            small_bits(DAY.item_set(item)?).for_each(|day| days.add_day(signed(day)));
        }
    }
    Ok(days)
}

/// How many days before the last one: 3 of `L-3`.
fn days_before_last(text: &str) -> Result<i8, Sentence> {
    if text.is_empty() {
        return Ok(0);
    }
    let days = text.strip_prefix('-').and_then(number).filter(|days| (1..=30).contains(days));
    days.map(signed).ok_or_else(|| DAY.takes(&format!("L or L-1 to L-30 for days before the last, not \"L{text}\"")))
}

fn signed(day: u8) -> i8 {
    i8::try_from(day).expect("at most 31")
}

fn weekdays(field: &str, dialect: CronDialect) -> Result<MonthDays, Sentence> {
    let (numbers, sunday): (Field, u8) = match dialect {
        CronDialect::Debian => (WEEKDAY, 0),
        CronDialect::Quartz => (QUARTZ_WEEKDAY, 1),
    };
    let named = |number: u8| Weekday::ALL[usize::from((number + 6 - sunday) % 7)];
    let mut days = MonthDays::default();
    for item in field.split(',') {
        if let Some((weekday, which)) = item.split_once('#') {
            let which = number(which).filter(|which| (1..=5).contains(which));
            let which = which.ok_or_else(|| numbers.takes("a number from 1 to 5 after #"))?;
            days.add_weekday(named(numbers.value(weekday)?), Some(signed(which)));
        } else if let Some(weekday) = item.strip_suffix(['L', 'l']).filter(|weekday| !weekday.is_empty()) {
            days.add_weekday(named(numbers.value(weekday)?), Some(-1));
        } else if dialect == CronDialect::Quartz && item.eq_ignore_ascii_case("l") {
            // Alone it is the last day of Quartz's week.
            days.add_weekday(Weekday::Saturday, None);
        } else {
            small_bits(numbers.item_set(item)?).for_each(|weekday| days.add_weekday(named(weekday), None));
        }
    }
    Ok(days)
}
