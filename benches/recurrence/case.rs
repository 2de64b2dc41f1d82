//! The schedules that are measured.

use punctual_model::recurrence::{Frequency, Parts, ScheduleParts};
use punctual_model::time::Weekday;

/// One schedule, in the words of each contestant that can say it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) parts: Parts,
    pub(crate) croner: Option<&'static str>,
    /// Seconds first; weekdays by name, since its Sunday is 1.
    pub(crate) cron: Option<&'static str>,
}

pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![
        cron("*/15 * * * *", Some("0 */15 * * * *")),
        cron("0 5 * * *", Some("0 0 5 * * *")),
        cron("30 2 * * 1-5", Some("0 30 2 * * Mon-Fri")),
        cron("0 0 1 * *", Some("0 0 0 1 * *")),
        cron("0 12 * * 5#3", None),
        cron("0 12 * * 5L", None),
        cron("0 0 29 2 *", Some("0 0 0 29 2 *")),
    ];
    cases.extend([
        every("Day at hours × minutes", Frequency::Day, 1, Some(day_times())),
        every("Week Mon, Wed, Fri", Frequency::Week, 1, Some(week_days())),
        every("Month last Friday", Frequency::Month, 1, Some(last_friday())),
        every("15 minutes elapsed", Frequency::Minute, 15, None),
        every("15 minutes, hours 9-17", Frequency::Minute, 15, Some(office_hours())),
    ]);
    cases
}

fn cron(expression: &'static str, in_quartz: Option<&'static str>) -> Case {
    let parts = Parts { cron: Some(expression.into()), ..Parts::default() };
    Case { name: expression, parts, croner: Some(expression), cron: in_quartz }
}

fn every(name: &'static str, frequency: Frequency, interval: i64, schedule: Option<ScheduleParts>) -> Case {
    let parts = Parts { frequency: Some(frequency), interval: Some(interval), schedule, ..Parts::default() };
    Case { name, parts, croner: None, cron: None }
}

fn day_times() -> ScheduleParts {
    ScheduleParts { hours: vec![5, 17], minutes: vec![0, 15, 30, 45], ..ScheduleParts::default() }
}

fn week_days() -> ScheduleParts {
    let week_days = vec![Weekday::Monday, Weekday::Wednesday, Weekday::Friday];
    ScheduleParts { week_days, hours: vec![5], minutes: vec![0], ..ScheduleParts::default() }
}

fn last_friday() -> ScheduleParts {
    ScheduleParts { monthly_occurrences: vec![(Weekday::Friday, Some(-1))], ..ScheduleParts::default() }
}

fn office_hours() -> ScheduleParts {
    ScheduleParts { hours: (9..=17).collect(), ..ScheduleParts::default() }
}
