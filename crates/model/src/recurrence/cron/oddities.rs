//! Where an expression means something else than it looks like.

use super::days::is_either;
use super::field::{DAY, Field, HOUR, MINUTE, MONTH, QUARTZ_WEEKDAY, SECOND, WEEKDAY, number};
use super::{Cron, CronDialect, small_bits};
use crate::plural;
use crate::recurrence::words::ordinal;

/// The oddities of an expression with these fields, one sentence each.
pub(super) fn of(fields: [&str; 6], cron: &Cron) -> Vec<String> {
    let [.., day, _, weekday] = fields;
    let weekdays = if cron.dialect() == CronDialect::Quartz { QUARTZ_WEEKDAY } else { WEEKDAY };
    let steps = fields.into_iter().zip([SECOND, MINUTE, HOUR, DAY, MONTH, weekdays]);
    let mut found: Vec<_> = steps.filter_map(|(text, field)| of_step(text, &field)).collect();
    found.extend(of_short_months(day, cron));
    if is_either(day, weekday) {
        found.push("day of month and weekday are both named: a day on which either one holds is enough".to_owned());
    }
    found
}

/// A step that looks like an interval and is none, because the field starts again before the interval is over.
fn of_step(text: &str, field: &Field) -> Option<String> {
    let (start, step) = text.split_once('/')?;
    let set: Vec<_> = small_bits(field.item_set(text).ok()?).collect();
    let number = number(step).filter(|step| *step > 1 && !start.contains('-'))?;
    let (first, last) = (*set.first()?, *set.last()?);
    let is_day = field.name == DAY.name;
    let back_to_first = first + field.size - last;
    if back_to_first == number && !is_day {
        return None;
    }
    let (name, unit) = (field.name, field.unit);
    let restart = if is_day {
        format!("each month starts again with day {first}")
    } else if set.len() == 1 {
        format!("it is {first} alone")
    } else {
        format!("after {last} comes {first}, {} later", plural(back_to_first.into(), unit))
    };
    Some(format!("{text} in the {name} field is not every {step} {unit}s: {restart}{}", field.longer_interval(step)))
}

/// A day that some of the months do not have.
fn of_short_months(day: &str, cron: &Cron) -> Option<String> {
    let named = day.split(',').filter_map(|item| number(item.trim_end_matches(['W', 'w'])));
    let latest = named.max().filter(|day| *day > 28 && cron.fields.months.has_shorter_than(*day))?;
    let text = format!("months without a {} are skipped", ordinal(latest));
    // The 29 February alone is what its writer means.
    let last = if latest == 29 { "" } else { "; L is the last day of every month" };
    Some(text + last)
}
