//! The model and the `rrule` crate, which implements the recurrence rules of iCalendar, name the same instants, where
//! their rules are the same.
//!
//! They are not the same in these places, which are left out here:
//!
//! - A start on the 29th, 30th or 31st that names no day: iCalendar skips short months, we take their last day.
//! - `monthDays` and `monthlyOccurrences` together: iCalendar takes the days that are in both, we those in either.
//! - iCalendar's hours and minutes are wall-clock ones in a zone, ours are elapsed: those are compared in UTC only.
//! - What does not exist or exists twice has other rules, and chrono-tz may be older than our database: the zones are
//!   settled ones, the years lie in the past, and nothing within a day of a change of the clock is compared.
//! - The fifth weekday from the end, which the crate does not take.
//! - Each Friday together with the first Monday: the crate takes the days that are in both.
//! - Minutes in some hours, and minutes or hours in some months: the crate leaves its own grid when it skips others.
//! - A start is written to the second there.

use jiff::civil::Weekday;
use jiff::{Timestamp as Instant, Zoned};
use proptest::prelude::*;
use proptest::sample::select;
use punctual_model::recurrence::Frequency;
use punctual_model::time::{TICKS_PER_DAY, Timestamp, Zone};
use rrule::RRuleSet;

use crate::arbitrary;
use crate::definition::{Definition, Lists};
use crate::oracle;

const CASES: u32 = 5_000;
/// How many occurrences of each rule are compared, if the crate finds as many before it gives up.
const OCCURRENCES: u16 = 60;
const ZONES: [&str; 4] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns"];
/// Minutes of 2000-01-01 and 2015-01-01 since 1970.
const MINUTES: std::ops::Range<i64> = 15_778_080..23_667_840;

/// 2037-01-01: what comes after the tables of chrono-tz has no summer time.
const LAST_SECOND: i64 = 2_114_380_800;

fn config() -> ProptestConfig {
    ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn minutes_and_hours_in_utc(
        definition in arbitrary::every(&[Frequency::Minute, Frequency::Hour]), minute in MINUTES,
    ) {
        compare(definition, "UTC", minute)?;
    }

    #[test]
    fn calendars_in_utc(definition in arbitrary::every(&Frequency::ALL[2..]), minute in MINUTES) {
        compare(definition, "UTC", minute)?;
    }

    #[test]
    fn calendars_in_settled_zones(
        definition in arbitrary::every(&Frequency::ALL[2..]), minute in MINUTES, zone in select(&ZONES[..]),
    ) {
        compare(definition, zone, minute)?;
    }
}

fn compare(mut definition: Definition, zone: &str, minute: i64) -> Result<(), TestCaseError> {
    let start = Instant::from_second(minute * 60).expect("a minute of our age").to_zoned(oracle::zone(Some(zone)));
    let start = with_shared_rules(&mut definition, start);
    // Written without its offset, a start that the clock shows twice is not one instant.
    if is_near_change(Zone::find(zone).expect("a zone"), timestamp(start.timestamp())) {
        return Ok(());
    }
    definition.zone = Some(zone.to_owned());
    definition.start = Some(start.timestamp().to_string());
    let first = timestamp(start.timestamp());
    let rule = rule(&definition, &start);
    let rules: RRuleSet = rule.parse().map_err(|error| TestCaseError::fail(format!("{rule}: {error}")))?;
    let found = rules.all(OCCURRENCES).dates;
    let theirs: Vec<_> = found.iter().map(|at| Timestamp::from_seconds(at.timestamp()).expect("our age")).collect();
    let Some(last) = theirs.last() else {
        return Ok(());
    };
    let timetable = definition.timetable(first);
    prop_assert!(timetable.is_some(), "{}", rule);
    let ours: Vec<_> = timetable.iter().flat_map(|t| t.occurrences(first..last.saturating_add(1))).collect();
    let zone = Zone::find(zone).expect("a zone");
    let is_compared = |at: &&Timestamp| at.seconds() < LAST_SECOND && !is_near_change(zone, **at);
    let (ours, theirs): (Vec<_>, Vec<_>) =
        (ours.iter().filter(is_compared).collect(), theirs.iter().filter(is_compared).collect());
    prop_assert_eq!(ours, theirs, "{}", rule);
    Ok(())
}

fn timestamp(at: Instant) -> Timestamp {
    Timestamp::from_seconds(at.as_second()).expect("a second of our age")
}

/// Leaves out what the two do not share, and moves a start that is too late in its month.
fn with_shared_rules(definition: &mut Definition, start: Zoned) -> Zoned {
    let lists = &mut definition.lists;
    if definition.frequency < Some(Frequency::Day) {
        lists.months.clear();
    }
    if definition.frequency == Some(Frequency::Minute) {
        lists.hours.clear();
    }
    if !lists.month_days.is_empty() {
        lists.monthly_occurrences.clear();
    }
    lists.monthly_occurrences.retain(|(_, n)| *n != Some(-5));
    if lists.monthly_occurrences.iter().any(|(_, n)| n.is_some()) {
        lists.monthly_occurrences.retain(|(_, n)| n.is_some());
    }
    if start.day() > 28 { start.with().day(28).build().expect("every month has a 28th") } else { start }
}

/// The definition in iCalendar's words.
fn rule(definition: &Definition, start: &Zoned) -> String {
    let lists = &definition.lists;
    let frequency = definition.frequency.expect("a frequency");
    let name = ["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"][frequency as usize];
    let mut parts = vec![format!("FREQ={name};INTERVAL={};WKST=MO", definition.interval.unwrap_or(1))];
    let mut list = |member: &str, items: Vec<String>| {
        if !items.is_empty() {
            parts.push(format!("{member}={}", items.join(",")));
        }
    };
    let is_calendar = frequency >= Frequency::Day;
    let every_hour = is_calendar && lists.hours.is_empty() && !lists.minutes.is_empty();
    list("BYHOUR", if every_hour { (0..24).map(|hour| hour.to_string()).collect() } else { texts(&lists.hours) });
    list("BYMINUTE", texts(&lists.minutes));
    list("BYMONTHDAY", month_days(frequency, lists, start));
    let weekdays = lists.week_days.iter().map(|day| weekday(*day).to_owned());
    let which = |n: Option<i64>| n.map(|n| n.to_string()).unwrap_or_default();
    let nth = lists.monthly_occurrences.iter().map(|(day, n)| format!("{}{}", which(*n), weekday(*day)));
    list("BYDAY", weekdays.chain(nth).collect());
    // A weekday of a year without months would be counted within the year.
    let start_month = frequency == Frequency::Year && lists.months.is_empty();
    list("BYMONTH", if start_month { vec![start.month().to_string()] } else { texts(&lists.months) });
    let zone = definition.zone.as_deref().expect("a zone");
    format!("DTSTART;TZID={zone}:{}\nRRULE:{}", start.strftime("%Y%m%dT%H%M%S"), parts.join(";"))
}

/// The days that are named; that of the start, where iCalendar would not take it by itself because months are named.
fn month_days(frequency: Frequency, lists: &Lists, start: &Zoned) -> Vec<String> {
    let is_named = !lists.month_days.is_empty() || !lists.monthly_occurrences.is_empty();
    if frequency >= Frequency::Month && !is_named { vec![start.day().to_string()] } else { texts(&lists.month_days) }
}

fn texts(items: &[i64]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn weekday(day: Weekday) -> &'static str {
    ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][usize::try_from(day.to_monday_zero_offset()).expect("not negative")]
}

fn is_near_change(zone: Zone, at: Timestamp) -> bool {
    let span = zone.span_at(at.ticks());
    at.ticks().saturating_sub(span.start) < TICKS_PER_DAY || span.end.saturating_sub(at.ticks()) < TICKS_PER_DAY
}
