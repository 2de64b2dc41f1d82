//! When a job runs and how: what is kept in clear, because the server looks at it all the time.

use punctual_model::access::Scope;
use punctual_model::options::{CatchUp, Options, OptionsParts, Overlap, StatusRange, Success};
use punctual_model::recurrence::{CronDialect, Frequency, Parts, Recurrence, Rule, Schedule, ScheduleParts};
use punctual_model::time::{DateTime, Span, Start, Timestamp, Weekday};
use serde::{Deserialize, Serialize};

use super::{Needs, Unreadable, parse, rewrite, text};

/// The parts of a definition that are not its action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRecord {
    /// When the job starts.
    pub start: Option<Start>,
    /// When it runs again.
    pub recurrence: Option<Recurrence>,
    /// What the user chose beyond the original API.
    pub options: Options,
}

/// Writes the record.
pub fn write_schedule(record: &ScheduleRecord) -> String {
    let row = ScheduleRow {
        start: record.start.map(|start| (start.instant().ticks(), start.moved_ticks())),
        recurrence: record.recurrence.as_ref().map(RecurrenceRow::write),
        options: OptionsRow::write(&record.options),
        _needs: Needs,
    };
    text(&row)
}

/// Reads the record.
pub fn read_schedule(text: &str) -> Result<ScheduleRecord, Unreadable> {
    let row: ScheduleRow = parse(text)?;
    let start = row.start.map(|(at, moved)| Ok::<_, Unreadable>(Start::moved(timestamp(at)?, moved))).transpose()?;
    let recurrence = row.recurrence.map(RecurrenceRow::read).transpose()?;
    Ok(ScheduleRecord { start, recurrence, options: row.options.read()? })
}

/// Writes the record in the place of one that was there, and keeps what this version does not know of it.
pub fn rewrite_schedule(old: &str, record: &ScheduleRecord) -> Result<String, Unreadable> {
    rewrite(old, write_schedule(record), read_schedule, write_schedule)
}

#[derive(Serialize, Deserialize)]
struct ScheduleRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    /// The instant, and by how much it was moved, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<(i64, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recurrence: Option<RecurrenceRow>,
    #[serde(default)]
    options: OptionsRow,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct RecurrenceRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<ListsRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cron: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cron_dialect: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<i64>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct ListsRow {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    minutes: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hours: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    week_days: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    month_days: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weekdays_of_month: Vec<(String, Option<i64>)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    months: Vec<i64>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OptionsRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_up: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_up_max: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_up_spacing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<SuccessRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placeholders: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shadow: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_scope: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SuccessRow {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    status: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_contains: Option<String>,
}

impl RecurrenceRow {
    fn write(recurrence: &Recurrence) -> Self {
        let row = Self {
            zone: recurrence.time_zone().map(|zone| zone.as_written().to_owned()),
            count: recurrence.count().map(i64::from),
            end: recurrence.end().map(Timestamp::ticks),
            ..Self::default()
        };
        match recurrence.rule() {
            Rule::Cron(cron) => Self {
                cron: Some(cron.as_written().to_owned()),
                cron_dialect: (cron.dialect() != CronDialect::default()).then(|| cron.dialect().name().to_owned()),
                ..row
            },
            Rule::Every(every) => Self {
                frequency: Some(every.frequency().name().to_owned()),
                interval: Some(every.interval().into()),
                schedule: every.schedule().map(ListsRow::write),
                ..row
            },
        }
    }

    fn read(self) -> Result<Recurrence, Unreadable> {
        let end_time = self.end.map(|ticks| DateTime::parse(&timestamp(ticks)?.to_string()).map_err(Unreadable::new));
        let parts = Parts {
            frequency: self.frequency.map(|name| named(&name, &Frequency::ALL, Frequency::name)).transpose()?,
            interval: self.interval,
            schedule: self.schedule.map(ListsRow::read).transpose()?,
            cron: self.cron,
            cron_dialect: self
                .cron_dialect
                .map(|name| named(&name, &CronDialect::ALL, CronDialect::name))
                .transpose()?,
            time_zone: self.zone,
            count: self.count,
            end_time: end_time.transpose()?,
        };
        Ok(Recurrence::new(&parts)?)
    }
}

impl ListsRow {
    fn write(schedule: &Schedule) -> Self {
        let wide = |numbers: &[u8]| numbers.iter().copied().map(i64::from).collect();
        let monthly = schedule.monthly_occurrences().iter();
        Self {
            minutes: wide(schedule.minutes()),
            hours: wide(schedule.hours()),
            week_days: schedule.week_days().iter().map(|day| day.name().to_owned()).collect(),
            month_days: schedule.month_days().iter().copied().map(i64::from).collect(),
            weekdays_of_month: monthly.map(|it| (it.day.name().to_owned(), it.occurrence.map(i64::from))).collect(),
            months: wide(schedule.months()),
        }
    }

    fn read(self) -> Result<ScheduleParts, Unreadable> {
        let weekday = |name: &str| named(name, &Weekday::ALL, Weekday::name);
        let monthly = self.weekdays_of_month.iter().map(|(day, which)| Ok((weekday(day)?, *which)));
        Ok(ScheduleParts {
            minutes: self.minutes,
            hours: self.hours,
            week_days: self.week_days.iter().map(|day| weekday(day)).collect::<Result<_, _>>()?,
            month_days: self.month_days,
            monthly_occurrences: monthly.collect::<Result<_, Unreadable>>()?,
            months: self.months,
        })
    }
}

impl OptionsRow {
    fn write(options: &Options) -> Self {
        let parts = options.parts();
        let span = |span: Option<Span>| span.map(|span| span.as_written().to_owned());
        Self {
            timeout: span(parts.timeout),
            jitter: span(parts.jitter),
            overlap: parts.overlap.map(|overlap| overlap.name().to_owned()),
            catch_up: parts.catch_up.map(|catch_up| catch_up.name().to_owned()),
            catch_up_max: parts.catch_up_max,
            catch_up_spacing: span(parts.catch_up_spacing),
            success: parts.success.map(|success| SuccessRow {
                status: success.status.iter().map(ToString::to_string).collect(),
                body_contains: success.body_contains,
            }),
            placeholders: parts.placeholders,
            shadow: parts.shadow,
            key_scope: options.key_scope().map(ToString::to_string),
        }
    }

    fn read(self) -> Result<Options, Unreadable> {
        let success = self.success.map(|row| {
            let status = row.status.iter().map(|text| StatusRange::parse(text).map_err(Unreadable::new));
            Ok::<_, Unreadable>(Success { status: status.collect::<Result<_, _>>()?, body_contains: row.body_contains })
        });
        let key_scope = self.key_scope.map(|path| Scope::parse(&path).map_err(Unreadable::new)).transpose()?;
        let options = Options::new(OptionsParts {
            timeout: read_span(self.timeout)?,
            jitter: read_span(self.jitter)?,
            overlap: self.overlap.map(|name| named(&name, &Overlap::ALL, Overlap::name)).transpose()?,
            catch_up: self.catch_up.map(|name| named(&name, &CatchUp::ALL, CatchUp::name)).transpose()?,
            catch_up_max: self.catch_up_max,
            catch_up_spacing: read_span(self.catch_up_spacing)?,
            success: success.transpose()?,
            placeholders: self.placeholders,
            shadow: self.shadow,
        })?;
        Ok(match key_scope {
            Some(scope) => options.with_key_scope(scope),
            None => options,
        })
    }
}

/// The value with that name.
pub(super) fn named<T: Copy>(name: &str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Result<T, Unreadable> {
    let found = all.iter().copied().find(|value| name_of(*value) == name);
    found.ok_or_else(|| Unreadable::new(format!("{name:?} is not a name we write")))
}

pub(super) fn read_span(text: Option<String>) -> Result<Option<Span>, Unreadable> {
    text.map(|text| Span::parse(&text).map_err(Unreadable::new)).transpose()
}

pub(super) fn timestamp(ticks: i64) -> Result<Timestamp, Unreadable> {
    Timestamp::from_ticks(ticks).ok_or_else(|| Unreadable::new(format!("{ticks} is no instant")))
}
