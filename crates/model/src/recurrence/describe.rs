//! A recurrence in plain English: "At 05:15 and 17:15 on the third Wednesday of each month, Europe/Prague".
//!
//! What is described is what was compiled, so that a cron expression and a schedule that mean the same read the same.

use super::Recurrence;
use super::bits::bits;
use super::calendar::{Calendar, Meaning};
use super::days::{Days, Weeks};
use super::elapsed_interval::ElapsedInterval;
use super::month_days::{EVERY_WEEKDAY, MonthDays, Pick};
use super::months::{MonthSet, Months};
use super::times::Times;
use super::timetable::{Points, Timetable};
use super::words::{join, ordinal, runs};
use crate::plural;
use crate::time::{Month, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp, Weekday};

/// More times a day than these are described by their pattern, not listed.
const LISTED_TIMES_MAX: i64 = 6;

/// Describes the nominal times of a job, and where they end.
pub(super) fn describe(recurrence: Option<&Recurrence>, timetable: &Timetable) -> String {
    let start = Timestamp::from_ticks(timetable.start()).unwrap_or(Timestamp::MIN);
    let times = match timetable.points() {
        Points::Once => return format!("Once, at {start}"),
        Points::Elapsed(period) => format!("{}, counted from {start}", every_period(*period)),
        Points::Calendar(calendar) => format!("{}, {}", calendar_text(calendar), calendar.zone.name()),
        Points::LimitedElapsed(interval) => {
            format!("{}, counted from {start}, {}", interval_text(interval), interval.zone.name())
        }
    };
    let count = recurrence.and_then(Recurrence::count).map(|count| format!(", {}", plural(count.into(), "time")));
    let end = recurrence.and_then(Recurrence::end).map(|end| format!(", until {end}"));
    format!("{}{}{}", capitalized(&times), count.unwrap_or_default(), end.unwrap_or_default())
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_ascii_uppercase() + rest
}

fn every_period(period: i64) -> String {
    let (number, unit) = match period % TICKS_PER_HOUR {
        0 => (period / TICKS_PER_HOUR, "hour"),
        _ => (period / TICKS_PER_MINUTE, "minute"),
    };
    every(number, unit)
}

fn every(number: i64, unit: &str) -> String {
    if number == 1 { format!("every {unit}") } else { format!("every {number} {unit}s") }
}

fn calendar_text(calendar: &Calendar) -> String {
    let (times, is_point) = times_text(&calendar.times, calendar.meaning);
    match days_text(&calendar.days) {
        days if days == "every day" && !is_point => times,
        days => format!("{times} {days}"),
    }
}

fn interval_text(interval: &ElapsedInterval) -> String {
    let ElapsedInterval { times, months, .. } = interval;
    let mut text = every_period(interval.period());
    if times.minutes != Times::ALL_MINUTES {
        text = format!("{text} at {}", minutes_text(times.minutes));
    }
    if times.hours != Times::ALL_HOURS {
        text = format!("{text} {}", hours_text(times.hours));
    }
    text + &in_months(*months)
}

/// The times of a day, and whether they are points of time that want to know their day.
fn times_text(times: &Times, meaning: Meaning) -> (String, bool) {
    let is_every_hour = meaning == Meaning::Existing;
    if !is_every_hour && times.per_day() <= LISTED_TIMES_MAX {
        let mut listed = Vec::new();
        let mut next = times.next(0);
        while let Some(of_day) = next {
            listed.push(time_text(of_day));
            next = times.next(of_day + 1);
        }
        return (format!("at {}", join(&listed)), true);
    }
    let mut text = match (times.seconds, times.minutes) {
        (1, minutes) if step(minutes).is_some() => every_step(minutes, "minute"),
        (1, minutes) => format!("at {}", minutes_text(minutes)),
        (seconds, Times::ALL_MINUTES) if step(seconds).is_some() => every_step(seconds, "second"),
        (seconds, minutes) => format!("at {} of {}", seconds_text(seconds), minutes_text(minutes)),
    };
    if !is_every_hour {
        text = format!("{text} {}", hours_text(times.hours));
    } else if !text.starts_with("every") {
        text += " of every hour";
    }
    (text, false)
}

fn time_text(of_day: i64) -> String {
    let (hour, minute, second) = crate::time::Wall::from_ticks(of_day).time();
    if second == 0 { format!("{hour:02}:{minute:02}") } else { format!("{hour:02}:{minute:02}:{second:02}") }
}

/// n, if a set of minutes or seconds is 0, n, 2n and so on to the end of the hour or minute.
fn step(set: u64) -> Option<i64> {
    (1..=30).filter(|n| 60 % n == 0).find(|n| {
        let multiples = (0..60).step_by(usize::try_from(*n).unwrap_or(1));
        multiples.fold(0_u64, |set, at| set | 1 << at) == set
    })
}

fn every_step(set: u64, unit: &str) -> String {
    every(step(set).unwrap_or(1), unit)
}

fn minutes_text(minutes: u64) -> String {
    numbered("minute", minutes)
}

fn seconds_text(seconds: u64) -> String {
    numbered("second", seconds)
}

fn numbered(unit: &str, set: u64) -> String {
    let plural = if set.is_power_of_two() { "" } else { "s" };
    format!("{unit}{plural} {}", runs(set, |number| number.to_string()))
}

fn hours_text(hours: u32) -> String {
    let (first, last) = (hours.trailing_zeros(), hours.ilog2());
    if last - first + 1 == hours.count_ones() {
        format!("from {first:02}:00 to {last:02}:59")
    } else {
        format!("in the {}", numbered("hour", hours.into()))
    }
}

fn days_text(days: &Days) -> String {
    match days {
        Days::Stride { every: number, months, .. } => every((*number).into(), "day") + &in_months(*months),
        Days::Weeks(weeks) => weeks_text(weeks),
        Days::Months(months) => months_text(months),
    }
}

fn weeks_text(weeks: &Weeks) -> String {
    let on = on_weekdays(weeks.weekdays);
    let weeks_apart =
        if weeks.every == 1 { String::new() } else { format!(" of {}", every(weeks.every.into(), "week")) };
    format!("{on}{weeks_apart}{}", in_months(weeks.months))
}

fn on_weekdays(weekdays: u8) -> String {
    if weekdays == EVERY_WEEKDAY {
        return "every day".to_owned();
    }
    format!("on {}", runs(weekdays.into(), |weekday| Weekday::ALL[weekday].name().to_owned()))
}

fn in_months(months: MonthSet) -> String {
    if months == MonthSet::ALL { String::new() } else { format!(" in {}", months_names(months)) }
}

fn months_names(months: MonthSet) -> String {
    runs(months.bits(), |month| Month::new(u8::try_from(month + 1).unwrap_or(1)).map_or("", Month::name).to_owned())
}

fn months_text(months: &Months) -> String {
    let years =
        if months.year_step == 1 { String::new() } else { format!(" {}", every(months.year_step.into(), "year")) };
    if let Pick::Named(days) = &months.pick
        && let Some(weekdays) = days.as_whole_weeks()
        && months.month_step == 1
    {
        return format!("{}{}{years}", on_weekdays(weekdays), in_months(months.set));
    }
    let (days, only) = match &months.pick {
        Pick::Clamped(day) if *day > 28 && months.set.has_shorter_than(*day) => {
            (format!("the {} or the last day", ordinal(*day)), String::new())
        }
        Pick::Clamped(day) => (format!("the {}", ordinal(*day)), String::new()),
        Pick::Named(days) => (month_days_text(days), String::new()),
        Pick::Both(days, also) => {
            let also = also.as_whole_weeks().map_or_else(|| format!("on {}", month_days_text(also)), on_weekdays);
            (month_days_text(days), format!(", but only {also}"))
        }
    };
    let of = match (months.month_step, months.set) {
        (1, MonthSet::ALL) => "each month".to_owned(),
        (number, MonthSet::ALL) => every(number.into(), "month"),
        (1, set) => months_names(set),
        (number, set) => format!("{} in {}", every(number.into(), "month"), months_names(set)),
    };
    format!("on {days} of {of}{years}{only}")
}

fn month_days_text(days: &MonthDays) -> String {
    let mut parts = Vec::new();
    if days.from_start != 0 {
        parts.push(format!("the {}", runs(days.from_start, |day| ordinal(u8::try_from(day).unwrap_or(0)))));
    }
    for from_end in (1..=31).rev().filter(|day| days.from_end >> day & 1 == 1) {
        parts.push(format!("the {}day", from_end_text(from_end)));
    }
    for day in bits(days.nearest) {
        parts.push(format!("the weekday nearest to the {}", ordinal(u8::try_from(day).unwrap_or(0))));
    }
    for from_end in bits(days.nearest_from_end) {
        parts.push(match u8::try_from(from_end).unwrap_or(1) {
            1 => "the last weekday".to_owned(),
            from_end => format!("the weekday nearest to the {}day", from_end_text(from_end)),
        });
    }
    let is_each = |weekday: &u8| days.weekdays.iter().all(|set| set >> weekday & 1 == 1);
    for weekday in (0..7).filter(is_each) {
        parts.push(format!("every {}", Weekday::ALL[usize::from(weekday)].name()));
    }
    for (n, set) in (1..).zip(days.weekdays) {
        for weekday in (0..7_u8).filter(|weekday| set >> weekday & 1 == 1 && !is_each(weekday)) {
            parts.push(format!("the {} {}", COUNTED[n - 1], Weekday::ALL[usize::from(weekday)].name()));
        }
    }
    for (n, set) in (1..).zip(days.weekdays_from_end) {
        for weekday in (0..7).filter(|weekday| set >> weekday & 1 == 1) {
            parts.push(format!("the {}{}", from_end_text(n), Weekday::ALL[weekday].name()));
        }
    }
    join(&parts)
}

const COUNTED: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// "last ", "second-to-last ", … with the blank that follows it.
fn from_end_text(n: u8) -> String {
    match n {
        1 => "last ".to_owned(),
        2..=5 => format!("{}-to-last ", COUNTED[usize::from(n) - 1]),
        _ => format!("{}-to-last ", ordinal(n)),
    }
}
