//! When a job runs.

use punctual_model::recurrence::{Cron, CronDialect, Every, Frequency, MonthlyOccurrence, Recurrence, Rule, Schedule};

use super::Writer;
use super::members::{Members, list};
use crate::wire::json::Json;

pub(super) fn write(recurrence: &Recurrence, writer: &Writer) -> Json {
    let every = if let Rule::Every(every) = recurrence.rule() { Some(every) } else { None };
    let cron = if let Rule::Cron(cron) = recurrence.rule() { Some(cron) } else { None };
    let dialect = cron.map(Cron::dialect).filter(|dialect| *dialect != CronDialect::default());
    Members::new()
        .add_some("frequency", every.and_then(|every| frequency(every, writer)))
        .add_some("cron", cron.map(Cron::as_written))
        .add_some("cronDialect", dialect.map(CronDialect::name))
        .add_some("timeZone", recurrence.time_zone().map(|zone| zone.as_written().to_owned()))
        .add_some("count", recurrence.count())
        .add_some("endTime", recurrence.end().map(|end| end.to_string()))
        .add_some("interval", every.map(|every| u32::from(every.interval())))
        .add_some("schedule", every.and_then(Every::schedule).and_then(|it| schedule(it, writer)))
        .into_json()
}

fn frequency(every: &Every, writer: &Writer) -> Option<String> {
    let frequency = every.frequency();
    let path = "properties.recurrence.frequency";
    writer.lower_case_if_known(path, frequency.name(), frequency == Frequency::Year)
}

fn schedule(schedule: &Schedule, writer: &Writer) -> Option<Json> {
    let number = |number: &u8| u32::from(*number).into();
    let monthly_occurrence = |it: &MonthlyOccurrence| {
        Members::new()
            .add("day", writer.dialect.lower_case(it.day.name()))
            .add_some(writer.dialect.occurrence, it.occurrence.map(i64::from))
            .into_json()
    };
    Members::new()
        .add_some("minutes", list(schedule.minutes(), number))
        .add_some("hours", list(schedule.hours(), number))
        .add_some("weekDays", list(schedule.week_days(), |day| writer.dialect.lower_case(day.name()).into()))
        .add_some("monthDays", list(schedule.month_days(), |day| i64::from(*day).into()))
        .add_some("monthlyOccurrences", list(schedule.monthly_occurrences(), monthly_occurrence))
        .add_some("months", list(schedule.months(), number))
        .if_any()
}
