//! A recurrence: when a job shall run again, as the user asked for it.

use super::schedule::ScheduleParts;
use super::{Cron, CronDialect, Schedule};
use crate::time::{DateTime, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp, Zone};
use crate::{Violation, Warning, limits};

/// A rule with its zone and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    rule: Rule,
    zone: Option<TimeZoneName>,
    count: Option<u32>,
    end: Option<Timestamp>,
}

/// The two ways to say when a job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// By frequency, interval and schedule, as the original API does.
    Every(Every),
    /// By a cron expression.
    Cron(Cron),
}

/// Every `interval` units of `frequency`, at the times of `schedule` where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Every {
    frequency: Frequency,
    interval: u16,
    schedule: Option<Schedule>,
}

/// The unit in which a recurrence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Frequency {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A zone by the name the user chose for it: IANA's or Windows'.
#[derive(Clone, Debug)]
pub struct TimeZoneName {
    written: Box<str>,
    zone: Zone,
}

/// The members of a recurrence as someone wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the members of the API by their own names")]
pub struct Parts {
    pub frequency: Option<Frequency>,
    pub interval: Option<i64>,
    pub schedule: Option<ScheduleParts>,
    pub cron: Option<String>,
    pub cron_dialect: Option<CronDialect>,
    pub time_zone: Option<String>,
    pub count: Option<i64>,
    pub end_time: Option<DateTime>,
}

impl Recurrence {
    /// The recurrence, or everything that is wrong with it. Paths are relative to it: `schedule.hours[0]`.
    pub fn new(parts: &Parts) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let rule = rule(parts, &mut violations);
        let count = parts.count.and_then(|given| {
            let count = u32::try_from(given).ok().filter(|count| (1..=limits::COUNT_MAX).contains(count));
            if count.is_none() {
                violations.push(Violation::new("count", given, format!("1 to {}", limits::COUNT_MAX)));
            }
            count
        });
        let zone = parts.time_zone.as_deref().and_then(|name| {
            let zone = TimeZoneName::parse(name).map_err(|expected| expected.at("timeZone", format!("{name:?}")));
            zone.map_err(|violation| violations.push(violation)).ok()
        });
        let end_zone = zone.as_ref().map_or_else(Zone::utc, TimeZoneName::zone);
        let end = parts.end_time.map(|end| end.resolve(end_zone).instant());
        match rule {
            Some(rule) if violations.is_empty() => Ok(Self { rule, zone, count, end }),
            _ => Err(violations),
        }
    }

    /// When the job runs.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The zone the user named.
    pub fn time_zone(&self) -> Option<&TimeZoneName> {
        self.zone.as_ref()
    }

    /// The zone of the wall-clock times: the one that the user named, else UTC.
    pub fn zone(&self) -> Zone {
        self.zone.as_ref().map_or_else(Zone::utc, TimeZoneName::zone)
    }

    /// After how many occurrences the series ends.
    pub fn count(&self) -> Option<u32> {
        self.count
    }

    /// Whether both mean the same nominal times, apart from `count` and `endTime`.
    pub fn is_same_rule(&self, other: &Self) -> bool {
        let zones_are_equal = self.zone() == other.zone();
        zones_are_equal
            && match (&self.rule, &other.rule) {
                (Rule::Every(own), Rule::Every(other)) => own.is_same(other),
                (own, other) => own == other,
            }
    }

    /// Where the rule means something else than it looks like. Paths are relative to the recurrence.
    pub fn oddities(&self) -> Vec<Warning> {
        match &self.rule {
            Rule::Cron(cron) => cron.oddities().into_iter().map(|text| Warning::new("cron", text)).collect(),
            Rule::Every(_) => Vec::new(),
        }
    }

    /// The last instant at which an occurrence may lie.
    pub fn end(&self) -> Option<Timestamp> {
        self.end
    }
}

fn rule(parts: &Parts, violations: &mut Vec<Violation>) -> Option<Rule> {
    let Some(cron) = &parts.cron else {
        if parts.cron_dialect.is_some() {
            violations.push(Violation::sentence("cronDialect", "it is the dialect of cron, and there is no cron"));
        }
        return every(parts, violations).map(Rule::Every);
    };
    let instead = [
        ("frequency", parts.frequency.is_some()),
        ("interval", parts.interval.is_some()),
        ("schedule", parts.schedule.is_some()),
    ];
    for (member, _) in instead.into_iter().filter(|(_, is_given)| *is_given) {
        violations.push(Violation::sentence(member, format!("cron and {member} exclude each other: keep one")));
    }
    let cron = Cron::parse(cron, parts.cron_dialect.unwrap_or_default());
    cron.map_err(|violation| violations.push(violation)).ok().map(Rule::Cron)
}

fn every(parts: &Parts, violations: &mut Vec<Violation>) -> Option<Every> {
    let Some(frequency) = parts.frequency else {
        violations.push(Violation::new("frequency", "nothing", format!("one of {}, or cron", Frequency::names())));
        return None;
    };
    let given = parts.interval.unwrap_or(1);
    let interval = u16::try_from(given).ok().filter(|n| (1..=frequency.interval_max()).contains(n));
    if interval.is_none() {
        let expected = format!("1 to {} with frequency {}", frequency.interval_max(), frequency.name());
        violations.push(Violation::new("interval", given, expected));
    }
    let known = violations.len();
    let schedule = parts.schedule.as_ref().map(|parts| Schedule::check(parts, frequency, violations));
    let in_schedule = violations.split_off(known).into_iter().map(|violation| violation.under("schedule"));
    violations.extend(in_schedule);
    interval.map(|interval| Every { frequency, interval, schedule })
}

impl Every {
    /// The unit.
    pub fn frequency(&self) -> Frequency {
        self.frequency
    }

    /// How many units lie between two occurrences.
    pub fn interval(&self) -> u16 {
        self.interval
    }

    fn is_same(&self, other: &Self) -> bool {
        let none = Schedule::default();
        let (own, others) = (self.schedule.as_ref().unwrap_or(&none), other.schedule.as_ref().unwrap_or(&none));
        self.frequency == other.frequency && self.interval == other.interval && own.is_same_set(others)
    }

    /// The days and times in each unit.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }
}

impl Frequency {
    /// From the shortest to the longest.
    pub const ALL: [Self; 6] = [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minute => "Minute",
            Self::Hour => "Hour",
            Self::Day => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Year => "Year",
        }
    }

    /// The longest interval in this unit.
    pub const fn interval_max(self) -> u16 {
        match self {
            Self::Minute => limits::interval_max::MINUTE,
            Self::Hour => limits::interval_max::HOUR,
            Self::Day => limits::interval_max::DAY,
            Self::Week => limits::interval_max::WEEK,
            Self::Month => limits::interval_max::MONTH,
            Self::Year => limits::interval_max::YEAR,
        }
    }

    /// The shortest one unit can be, in ticks.
    pub const fn ticks_min(self) -> i64 {
        match self {
            Self::Minute => TICKS_PER_MINUTE,
            Self::Hour => TICKS_PER_HOUR,
            Self::Day => TICKS_PER_DAY,
            Self::Week => 7 * TICKS_PER_DAY,
            Self::Month => 28 * TICKS_PER_DAY,
            Self::Year => 365 * TICKS_PER_DAY,
        }
    }

    /// All names, for an error.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl TimeZoneName {
    fn parse(name: &str) -> Result<Self, crate::Expected> {
        Zone::find(name).map(|zone| Self { written: name.into(), zone })
    }

    /// As the user wrote it.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// The zone it means.
    pub fn zone(&self) -> Zone {
        self.zone
    }
}

impl PartialEq for TimeZoneName {
    fn eq(&self, other: &Self) -> bool {
        self.zone == other.zone
    }
}

impl Eq for TimeZoneName {}
