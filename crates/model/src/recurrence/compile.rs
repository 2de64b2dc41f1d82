//! From what the user asked for to what is computed: a recurrence and its anchor become a timetable.

use super::calendar::{Calendar, Meaning};
use super::days::{Days, Weeks, monday_of};
use super::elapsed_interval::ElapsedInterval;
use super::month_days::{EVERY_WEEKDAY, MonthDays, Pick};
use super::months::{MonthIndex, MonthSet, Months};
use super::times::Times;
use super::timetable::{Points, Timetable};
use super::{Anchor, Cron, Every, Frequency, Recurrence, Rule, Schedule};
use crate::time::{TICKS_PER_HOUR, TICKS_PER_MINUTE, Wall, Zone};

pub(super) fn compile(recurrence: &Recurrence, anchor: Anchor) -> Timetable {
    let zone = recurrence.zone();
    let at = anchor.instant().ticks();
    match recurrence.rule() {
        // The moment of creation is no occurrence of a cron job: cron never runs what has just been written.
        Rule::Cron(cron) => {
            let start = at + i64::from(anchor.is_creation());
            Timetable::of(start, recurrence.end(), false, Points::Calendar(cron_calendar(cron, zone)))
        }
        Rule::Every(every) => {
            // Without a schedule the start is the first step, even if it is the second time that the clock shows it.
            let runs_at_start = anchor.is_creation() || every.schedule().is_none_or(Schedule::is_empty);
            Timetable::of(at, recurrence.end(), runs_at_start, every_points(every, anchor, zone))
        }
    }
}

fn cron_calendar(cron: &Cron, zone: Zone) -> Calendar {
    let fields = &cron.fields;
    let whole_weeks = if let Pick::Named(days) = &fields.days { days.as_whole_weeks() } else { None };
    let days = match whole_weeks {
        Some(EVERY_WEEKDAY) => Days::Stride { anchor: 0, every: 1, months: fields.months },
        Some(weekdays) => Days::Weeks(Weeks { anchor: monday_of(0), every: 1, weekdays, months: fields.months }),
        None => Days::Months(Months {
            anchor: MonthIndex::FIRST,
            month_step: 1,
            year_step: 1,
            set: fields.months,
            pick: fields.days.clone(),
        }),
    };
    let times = Times { hours: fields.hours, minutes: fields.minutes, seconds: fields.seconds, subsecond: 0 };
    let meaning = if fields.every_hour { Meaning::Existing } else { Meaning::Named };
    Calendar { days, times, zone, meaning }
}

fn every_points(every: &Every, anchor: Anchor, zone: Zone) -> Points {
    let none = Schedule::default();
    let schedule = every.schedule().unwrap_or(&none);
    match every.frequency() {
        Frequency::Minute => elapsed_points(every, schedule, TICKS_PER_MINUTE, anchor, zone),
        Frequency::Hour => elapsed_points(every, schedule, TICKS_PER_HOUR, anchor, zone),
        _ => {
            let wall = anchor.wall(zone);
            let (times, meaning) = times(schedule, wall);
            Points::Calendar(Calendar { days: days(every, schedule, wall.day()), times, zone, meaning })
        }
    }
}

/// Minutes and hours are elapsed time from the anchor. Fields of the schedule limit them, except that the minutes of an
/// hourly job are times within each of its hours.
fn elapsed_points(every: &Every, schedule: &Schedule, unit: i64, anchor: Anchor, zone: Zone) -> Points {
    let period = i64::from(every.interval()) * unit;
    let is_limited = [&schedule.minutes, &schedule.hours, &schedule.months].iter().any(|list| !list.is_empty());
    if !is_limited {
        return Points::Elapsed(period);
    }
    let months = MonthSet::of(&schedule.months);
    // What the clock really shows at the start, not what it was meant to: the hours are elapsed ones.
    let wall = zone.wall(anchor.instant()).ticks();
    let at = anchor.instant().ticks();
    let has_minutes = !schedule.minutes.is_empty();
    let is_hour_with_minutes = every.frequency() == Frequency::Hour && has_minutes;
    let first_window = match (every.frequency(), has_minutes) {
        (_, false) => at,
        (Frequency::Hour, true) => at - wall.rem_euclid(TICKS_PER_HOUR),
        // Named minutes begin with second 0. Cut in UTC, because a start of long ago may have had an offset with
        // seconds, and none has today.
        (_, true) => at - at.rem_euclid(TICKS_PER_MINUTE),
    };
    // The first window alone decides the second, except within an hour in which the schedule names minutes.
    let times =
        Times { hours: hour_set(&schedule.hours), minutes: minute_set(&schedule.minutes), seconds: 1, subsecond: 0 };
    let windows = if is_hour_with_minutes { ElapsedInterval::of_hours } else { ElapsedInterval::of_instants };
    Points::LimitedElapsed(Box::new(windows(first_window, period, times, months, zone)))
}

/// The times of day: hours × minutes, with the start's where one is not named, and every hour where only minutes are.
fn times(schedule: &Schedule, start: Wall) -> (Times, Meaning) {
    let of_start = Times::at(start.of_day());
    let has_minutes = !schedule.minutes.is_empty();
    let times = Times {
        hours: match (schedule.hours.is_empty(), has_minutes) {
            (true, false) => of_start.hours,
            _ => hour_set(&schedule.hours),
        },
        minutes: if has_minutes { minute_set(&schedule.minutes) } else { of_start.minutes },
        seconds: if has_minutes { 1 } else { of_start.seconds },
        subsecond: if has_minutes { 0 } else { of_start.subsecond },
    };
    let meaning = if has_minutes && schedule.hours.is_empty() { Meaning::Existing } else { Meaning::Named };
    (times, meaning)
}

fn days(every: &Every, schedule: &Schedule, start_day: i32) -> Days {
    let months = MonthSet::of(&schedule.months);
    let interval = i32::from(every.interval());
    let start = crate::time::Date::from_day_number(start_day);
    let monthly = |month_step, year_step, set| {
        let anchor = MonthIndex::of_date(start);
        Days::Months(Months { anchor, month_step, year_step, set, pick: pick(schedule, start.day) })
    };
    match every.frequency() {
        Frequency::Week => {
            let monday = monday_of(start_day);
            let named = schedule.week_days.iter().fold(0, |set, day| set | 1 << day.index());
            let weekdays = if named == 0 { 1 << (start_day - monday) } else { named };
            Days::Weeks(Weeks { anchor: monday, every: interval, weekdays, months })
        }
        Frequency::Month => monthly(interval, 1, months),
        Frequency::Year if schedule.months.is_empty() => monthly(1, interval, MonthSet::of(&[start.month.number()])),
        Frequency::Year => monthly(1, interval, months),
        _ => Days::Stride { anchor: start_day, every: interval, months },
    }
}

fn pick(schedule: &Schedule, start_day: u8) -> Pick {
    if schedule.month_days.is_empty() && schedule.monthly_occurrences.is_empty() {
        return Pick::Clamped(start_day);
    }
    let mut days = MonthDays::default();
    for day in &schedule.month_days {
        days.add_day(*day);
    }
    for weekday in &schedule.monthly_occurrences {
        days.add_weekday(weekday.day, weekday.occurrence);
    }
    Pick::Named(days)
}

fn hour_set(hours: &[u8]) -> u32 {
    if hours.is_empty() { Times::ALL_HOURS } else { hours.iter().fold(0, |set, hour| set | 1 << hour) }
}

fn minute_set(minutes: &[u8]) -> u64 {
    if minutes.is_empty() { Times::ALL_MINUTES } else { minutes.iter().fold(0, |set, minute| set | 1 << minute) }
}
