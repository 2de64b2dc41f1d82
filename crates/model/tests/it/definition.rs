//! A job's start and recurrence as a test writes them: JSON, as a user would send it, with `startTime` beside the rest.
//!
//! The model under test and the oracle both start from this value and share nothing else.

use std::fmt;

use jiff::civil::Weekday;
use punctual_model::recurrence::{Anchor, CronDialect, Frequency, Parts, Recurrence, ScheduleParts, Timetable};
use punctual_model::time::{self, DateTime, Timestamp};
use serde_json::{Map, Value, json};

/// Everything that decides when a job runs, except the moment it is accepted.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Definition {
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) zone: Option<String>,
    pub(crate) cron: Option<String>,
    pub(crate) dialect: CronDialect,
    pub(crate) frequency: Option<Frequency>,
    pub(crate) interval: Option<i64>,
    pub(crate) lists: Lists,
}

/// The lists of a schedule.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists {
    pub(crate) minutes: Vec<i64>,
    pub(crate) hours: Vec<i64>,
    pub(crate) week_days: Vec<Weekday>,
    pub(crate) month_days: Vec<i64>,
    pub(crate) monthly_occurrences: Vec<(Weekday, Option<i64>)>,
    pub(crate) months: Vec<i64>,
}

impl Definition {
    /// Reads JSON. A member that is not known is a mistake in the test.
    pub(crate) fn parse(text: &str) -> Self {
        let object: Map<String, Value> = serde_json::from_str(text).expect("a test writes JSON");
        let mut definition = Self::default();
        for (member, value) in object {
            let text = || value.as_str().map(str::to_owned);
            match member.as_str() {
                "startTime" => definition.start = text(),
                "endTime" => definition.end = text(),
                "timeZone" => definition.zone = text(),
                "cron" => definition.cron = text(),
                "cronDialect" => definition.dialect = dialect(text().as_deref()),
                "frequency" => definition.frequency = text().map(|name| frequency(&name)),
                "interval" => definition.interval = value.as_i64(),
                "schedule" => definition.lists = Lists::parse(&value),
                _ => panic!("no member of a definition: {member}"),
            }
        }
        definition
    }

    /// The model's recurrence.
    pub(crate) fn recurrence(&self) -> Recurrence {
        let parts = Parts {
            frequency: self.frequency,
            interval: self.interval,
            schedule: (self.lists != Lists::default()).then(|| self.lists.parts()),
            cron: self.cron.clone(),
            cron_dialect: self.cron.is_some().then_some(self.dialect),
            time_zone: self.zone.clone(),
            count: None,
            end_time: self.end.as_deref().map(|end| DateTime::parse(end).expect("a date-time")),
        };
        Recurrence::new(&parts).unwrap_or_else(|violations| panic!("{self:?}: {violations:?}"))
    }

    /// What the model counts from when it accepts the job at `now`.
    pub(crate) fn anchor(&self, now: Timestamp) -> Anchor {
        let start = self.start.as_deref().map(|start| DateTime::parse(start).expect("a date-time"));
        Anchor::new(start.map(|start| start.resolve(self.recurrence().zone())), true, now)
    }

    /// The model's timetable for a job accepted at `now`, or none if it can never run.
    pub(crate) fn timetable(&self, now: Timestamp) -> Option<Timetable> {
        Timetable::new(Some(&self.recurrence()), self.anchor(now)).ok()
    }
}

impl Lists {
    fn parse(value: &Value) -> Self {
        let mut lists = Self::default();
        for (member, value) in value.as_object().expect("schedule is an object") {
            let items = value.as_array().expect("a list");
            let numbers = || items.iter().map(|item| item.as_i64().expect("a number")).collect();
            match member.as_str() {
                "minutes" => lists.minutes = numbers(),
                "hours" => lists.hours = numbers(),
                "monthDays" => lists.month_days = numbers(),
                "months" => lists.months = numbers(),
                "weekDays" => lists.week_days = items.iter().map(weekday).collect(),
                "monthlyOccurrences" => {
                    let each = |item: &Value| (weekday(&item["day"]), item["occurrence"].as_i64());
                    lists.monthly_occurrences = items.iter().map(each).collect();
                }
                _ => panic!("no member of a schedule: {member}"),
            }
        }
        lists
    }

    fn parts(&self) -> ScheduleParts {
        ScheduleParts {
            minutes: self.minutes.clone(),
            hours: self.hours.clone(),
            week_days: self.week_days.iter().copied().map(model_weekday).collect(),
            month_days: self.month_days.clone(),
            monthly_occurrences: self.monthly_occurrences.iter().map(|(day, n)| (model_weekday(*day), *n)).collect(),
            months: self.months.clone(),
        }
    }
}

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn frequency(name: &str) -> Frequency {
    let is_it = |frequency: &Frequency| frequency.name().eq_ignore_ascii_case(name);
    Frequency::ALL.into_iter().find(is_it).unwrap_or_else(|| panic!("no frequency: {name}"))
}

fn dialect(name: Option<&str>) -> CronDialect {
    let is_it = |dialect: &CronDialect| Some(dialect.name()) == name;
    CronDialect::ALL.into_iter().find(is_it).unwrap_or_else(|| panic!("no dialect: {name:?}"))
}

fn weekday(value: &Value) -> Weekday {
    let name = value.as_str().expect("the name of a weekday");
    let index = WEEKDAYS.iter().position(|known| known.eq_ignore_ascii_case(name)).expect("the name of a weekday");
    Weekday::from_monday_zero_offset(i8::try_from(index).expect("less than seven")).expect("less than seven")
}

fn index(day: Weekday) -> usize {
    usize::try_from(day.to_monday_zero_offset()).expect("not negative")
}

fn model_weekday(day: Weekday) -> time::Weekday {
    time::Weekday::ALL[index(day)]
}

/// As JSON, so that what a property test finds can be pasted into a test of its own.
impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut object = Map::new();
        let mut text = |member: &str, value: Option<&str>| {
            value.map(|value| object.insert(member.to_owned(), json!(value)));
        };
        text("startTime", self.start.as_deref());
        text("endTime", self.end.as_deref());
        text("timeZone", self.zone.as_deref());
        text("cron", self.cron.as_deref());
        text("cronDialect", (self.dialect != CronDialect::default()).then(|| self.dialect.name()));
        text("frequency", self.frequency.map(Frequency::name));
        self.interval.map(|interval| object.insert("interval".to_owned(), json!(interval)));
        if self.lists != Lists::default() {
            object.insert("schedule".to_owned(), self.lists.json());
        }
        write!(f, "{}", Value::Object(object))
    }
}

impl Lists {
    fn json(&self) -> Value {
        let name = |day: &Weekday| WEEKDAYS[index(*day)];
        let each = |(day, n): &(Weekday, Option<i64>)| match n {
            Some(n) => json!({"day": name(day), "occurrence": n}),
            None => json!({"day": name(day)}),
        };
        let mut object = Map::new();
        let mut list = |member: &str, items: Vec<Value>| {
            if !items.is_empty() {
                object.insert(member.to_owned(), Value::Array(items));
            }
        };
        let numbers = |items: &[i64]| items.iter().map(|item| json!(item)).collect();
        list("minutes", numbers(&self.minutes));
        list("hours", numbers(&self.hours));
        list("weekDays", self.week_days.iter().map(|day| json!(name(day))).collect());
        list("monthDays", numbers(&self.month_days));
        list("monthlyOccurrences", self.monthly_occurrences.iter().map(each).collect());
        list("months", numbers(&self.months));
        Value::Object(object)
    }
}
