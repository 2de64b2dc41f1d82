//! The recurrence rules a second time: slow, and so plain that it can be checked by reading.
//!
//! It walks: day after day for rules of the calendar, point after point for rules of elapsed time, and asks of each
//! whether the rule allows it. It shares no code with the model; the calendar and the zones are jiff's. It answers for
//! the years 1973 to 9998, where every offset from UTC is a whole number of minutes.

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Span, Timestamp, Unit};
use punctual_model::recurrence::Frequency;

use crate::crontab::Crontab;
use crate::definition::{Definition, Lists};

/// A definition and the moment it was accepted.
pub(crate) struct Oracle {
    zone: TimeZone,
    /// No point lies before it.
    anchor: Timestamp,
    /// What the wall clock was meant to show at the anchor, even where it never did.
    written: DateTime,
    /// The anchor is a point whatever the rule says.
    runs_at_anchor: bool,
    /// The anchor is no point whatever the rule says.
    runs_after_anchor: bool,
    end: Option<Timestamp>,
    rule: Rule,
}

enum Rule {
    Every { frequency: Frequency, interval: i64, lists: Lists },
    Cron(Crontab),
}

/// Times of day.
enum Times {
    /// Each happens once: later by the gap if it does not exist, the first time if it exists twice.
    Named(Vec<Time>),
    /// Each happens as often as the wall clock shows it: not at all, once or twice.
    Shown(Vec<Time>),
}

impl Oracle {
    pub(crate) fn new(definition: &Definition, accepted: Timestamp) -> Self {
        let zone = zone(definition.zone.as_deref());
        let (anchor, written) = match &definition.start {
            Some(start) => moment(start, &zone),
            None => (accepted, zone.to_datetime(accepted)),
        };
        let rule = match &definition.cron {
            Some(cron) => Rule::Cron(Crontab::parse(cron, definition.dialect)),
            None => Rule::Every {
                frequency: definition.frequency.expect("a frequency where there is no cron"),
                interval: definition.interval.unwrap_or(1),
                lists: definition.lists.clone(),
            },
        };
        let is_cron = matches!(rule, Rule::Cron(_));
        let has_start = definition.start.is_some();
        Self {
            anchor,
            written,
            runs_at_anchor: !is_cron && (!has_start || definition.lists == Lists::default()),
            runs_after_anchor: is_cron && !has_start,
            end: definition.end.as_deref().map(|end| moment(end, &zone).0),
            zone,
            rule,
        }
    }

    /// The instant the job is counted from.
    pub(crate) fn anchor(&self) -> Timestamp {
        self.anchor
    }

    /// Every point from `from` to before `until`.
    pub(crate) fn points(&self, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let mut points = match &self.rule {
            Rule::Every { frequency, interval, lists } => match frequency {
                Frequency::Minute => self.ticks(60 * interval, lists, from, until),
                Frequency::Hour if lists.minutes.is_empty() => self.ticks(3600 * interval, lists, from, until),
                Frequency::Hour => self.hours(3600 * interval, lists, from, until),
                _ => self.days(from, until),
            },
            Rule::Cron(_) => self.days(from, until),
        };
        points.retain(|at| *at >= self.anchor);
        if self.runs_at_anchor {
            points.insert(self.anchor);
        }
        if self.runs_after_anchor {
            points.remove(&self.anchor);
        }
        points.retain(|at| from <= *at && *at < until && self.end.is_none_or(|end| *at <= end));
        points.into_iter().collect()
    }

    /// Whether some date on or after the anchor's satisfies the rule; only for rules of the calendar.
    pub(crate) fn has_any_date(&self) -> bool {
        let first = self.written.date();
        let last = first.saturating_add(Span::new().years(2000));
        first.series(Span::new().days(1)).take_while(|date| *date <= last).any(|date| self.has_date(date))
    }

    /// Elapsed time: a point every so many seconds from the anchor, where the lists allow it.
    fn ticks(&self, period: i64, lists: &Lists, from: Timestamp, until: Timestamp) -> BTreeSet<Timestamp> {
        let past_minute = self.anchor.duration_since(Timestamp::UNIX_EPOCH).as_nanos().rem_euclid(60_000_000_000);
        let past_minute = SignedDuration::from_nanos(i64::try_from(past_minute).expect("less than a minute"));
        // Where the minutes are named the seconds are zero; in UTC, because a local minute of long ago began elsewhere.
        let origin = if lists.minutes.is_empty() { self.anchor } else { self.anchor - past_minute };
        let period = SignedDuration::from_secs(period);
        let mut points = BTreeSet::new();
        let mut at = step_before(origin, period, from);
        while at < until {
            if self.is_within(lists, at) {
                points.insert(at);
            }
            at += period;
        }
        points
    }

    /// Elapsed hours, counted from the full hour that holds the anchor, and in each the minutes of the list.
    fn hours(&self, period: i64, lists: &Lists, from: Timestamp, until: Timestamp) -> BTreeSet<Timestamp> {
        let shown = self.zone.to_datetime(self.anchor).time();
        let full_hour = shown.with().minute(0).second(0).subsec_nanosecond(0).build().expect("a full hour");
        let origin = self.anchor - shown.duration_since(full_hour);
        let period = SignedDuration::from_secs(period);
        let mut points = BTreeSet::new();
        let mut block = step_before(origin, period, from);
        while block < until {
            let end = block + SignedDuration::from_hours(1);
            let mut at = block.round((Unit::Minute, 1)).expect("far from the end of time");
            while at < end {
                if at >= block && self.is_within(lists, at) {
                    points.insert(at);
                }
                at += SignedDuration::from_mins(1);
            }
            block += period;
        }
        points
    }

    /// Whether the wall clock shows an hour, a minute and a month that are in the lists.
    fn is_within(&self, lists: &Lists, at: Timestamp) -> bool {
        let shown = self.zone.to_datetime(at);
        allows(&lists.hours, shown.hour())
            && allows(&lists.minutes, shown.minute())
            && allows(&lists.months, shown.month())
    }

    /// The calendar: the times of day of each date the rule has.
    fn days(&self, from: Timestamp, until: Timestamp) -> BTreeSet<Timestamp> {
        // A time in a gap moves to a later date if the gap is a whole day, as it was in Samoa.
        let first = self.zone.to_datetime(from).date().saturating_sub(Span::new().days(2));
        let last = self.zone.to_datetime(until).date().saturating_add(Span::new().days(2));
        let times = self.times();
        let mut points = BTreeSet::new();
        for date in first.series(Span::new().days(1)).take_while(|date| *date <= last) {
            if !self.has_date(date) {
                continue;
            }
            match &times {
                Times::Named(times) => {
                    points.extend(times.iter().map(|time| named(&self.zone, date.to_datetime(*time))));
                }
                Times::Shown(times) => {
                    points.extend(times.iter().flat_map(|time| shown(&self.zone, date.to_datetime(*time))));
                }
            }
        }
        points
    }

    fn has_date(&self, date: Date) -> bool {
        let (frequency, interval, lists) = match &self.rule {
            Rule::Cron(cron) => return cron.has_date(date),
            Rule::Every { frequency, interval, lists } => (*frequency, *interval, lists),
        };
        let anchor = self.written.date();
        let months = i64::from(date.year() - anchor.year()) * 12 + i64::from(date.month() - anchor.month());
        let is_step = match frequency {
            Frequency::Day => days_between(anchor, date) % interval == 0,
            Frequency::Week => days_between(monday(anchor), monday(date)) / 7 % interval == 0,
            Frequency::Month => months % interval == 0,
            Frequency::Year => i64::from(date.year() - anchor.year()) % interval == 0,
            Frequency::Minute | Frequency::Hour => unreachable!("they count elapsed time"),
        };
        let is_day = match frequency {
            Frequency::Week if lists.week_days.is_empty() => date.weekday() == anchor.weekday(),
            Frequency::Week => lists.week_days.contains(&date.weekday()),
            Frequency::Month | Frequency::Year => is_day_of_month(lists, anchor, date),
            _ => true,
        };
        let is_month = match frequency {
            Frequency::Year if lists.months.is_empty() => date.month() == anchor.month(),
            _ => allows(&lists.months, date.month()),
        };
        is_step && is_day && is_month
    }

    fn times(&self) -> Times {
        let all_hours: Vec<i8> = (0..24).collect();
        match &self.rule {
            Rule::Cron(cron) => {
                let list = |set: &BTreeSet<i8>| set.iter().copied().collect::<Vec<_>>();
                let times = product(&list(&cron.hours), &list(&cron.minutes), &list(&cron.seconds));
                if cron.is_every_hour { Times::Shown(times) } else { Times::Named(times) }
            }
            Rule::Every { lists, .. } if lists.minutes.is_empty() && lists.hours.is_empty() => {
                Times::Named(vec![self.written.time()])
            }
            Rule::Every { lists, .. } if lists.minutes.is_empty() => {
                let at_hour = |hour: &i64| self.written.time().with().hour(small(*hour)).build().expect("an hour");
                Times::Named(lists.hours.iter().map(at_hour).collect())
            }
            Rule::Every { lists, .. } if lists.hours.is_empty() => {
                Times::Shown(product(&all_hours, &smalls(&lists.minutes), &[0]))
            }
            Rule::Every { lists, .. } => Times::Named(product(&smalls(&lists.hours), &smalls(&lists.minutes), &[0])),
        }
    }
}

/// A date-time as someone wrote it: the instant, and what the wall clock was meant to show.
fn moment(text: &str, zone: &TimeZone) -> (Timestamp, DateTime) {
    if let Ok(at) = text.parse::<Timestamp>() {
        return (at, zone.to_datetime(at));
    }
    let written: DateTime = text.parse().expect("a date or a date-time");
    (named(zone, written), written)
}

/// The zone of that name; UTC if none is named.
pub(crate) fn zone(name: Option<&str>) -> TimeZone {
    name.map_or(TimeZone::UTC, |name| TimeZoneDatabase::bundled().get(name).expect("a zone of the tz database"))
}

/// The one instant that a wall-clock time names: the first at which the clock shows it. If it never does, the offset from
/// before the change, which makes it later by the gap.
fn named(zone: &TimeZone, wall: DateTime) -> Timestamp {
    shown(zone, wall).first().copied().unwrap_or_else(|| {
        let day_before = zone.to_offset(utc(wall) - SignedDuration::from_hours(24));
        day_before.to_timestamp(wall).expect("far from the end of time")
    })
}

/// Every instant at which the wall clock shows that time: tried with each offset of the hours around it. No zone is more
/// than 15 hours from UTC, and none keeps an offset for less than the four hours between two samples.
///
/// Not asked of the library in one question: where a zone changes only the name of its time, as Greenland did in
/// October 2023, it answers that an hour comes twice.
fn shown(zone: &TimeZone, wall: DateTime) -> Vec<Timestamp> {
    let around = (-16..=16).step_by(4).map(|hours| zone.to_offset(utc(wall) + SignedDuration::from_hours(hours)));
    let tried = around.map(|offset| offset.to_timestamp(wall).expect("far from the end of time"));
    let mut instants: Vec<_> = tried.filter(|at| zone.to_datetime(*at) == wall).collect();
    instants.sort();
    instants.dedup();
    instants
}

fn utc(wall: DateTime) -> Timestamp {
    jiff::tz::Offset::UTC.to_timestamp(wall).expect("far from the end of time")
}

/// The last step at or before `from`, or the first of all: where a walk has to begin.
fn step_before(origin: Timestamp, period: SignedDuration, from: Timestamp) -> Timestamp {
    let steps = (from.duration_since(origin).as_secs() / period.as_secs() - 1).max(0);
    origin + SignedDuration::from_secs(steps * period.as_secs())
}

/// Named days are skipped where they are missing; the day of the start is moved to the end of a month that lacks it.
fn is_day_of_month(lists: &Lists, anchor: Date, date: Date) -> bool {
    let length = date.days_in_month();
    if lists.month_days.is_empty() && lists.monthly_occurrences.is_empty() {
        return date.day() == anchor.day().min(length);
    }
    let from_end = date.day() - length - 1;
    let by_day = lists.month_days.iter().any(|day| *day == i64::from(date.day()) || *day == i64::from(from_end));
    let by_weekday = lists.monthly_occurrences.iter().any(|(weekday, which)| {
        let is_which = |n: &i64| date.nth_weekday_of_month(small(*n), *weekday).is_ok_and(|nth| nth == date);
        date.weekday() == *weekday && which.as_ref().is_none_or(is_which)
    });
    by_day || by_weekday
}

fn monday(date: Date) -> Date {
    date.saturating_sub(Span::new().days(date.weekday().to_monday_zero_offset()))
}

fn days_between(from: Date, to: Date) -> i64 {
    to.duration_since(from).as_secs() / (24 * 3600)
}

fn product(hours: &[i8], minutes: &[i8], seconds: &[i8]) -> Vec<Time> {
    let mut times = Vec::new();
    for hour in hours {
        for minute in minutes {
            for second in seconds {
                times.push(jiff::civil::time(*hour, *minute, *second, 0));
            }
        }
    }
    times
}

/// A list that is absent allows everything.
fn allows(list: &[i64], value: i8) -> bool {
    list.is_empty() || list.contains(&i64::from(value))
}

fn smalls(list: &[i64]) -> Vec<i8> {
    list.iter().copied().map(small).collect()
}

fn small(n: i64) -> i8 {
    i8::try_from(n).expect("hours, minutes and days are small")
}
