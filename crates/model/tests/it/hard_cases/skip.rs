//! What lies between is skipped at once, not walked through.

use punctual_model::recurrence::Timetable;
use punctual_model::time::{DateTime, Timestamp, Zone};

use crate::definition::Definition;

fn at(text: &str) -> Timestamp {
    DateTime::parse(text).expect("a date-time").resolve(Zone::utc()).instant()
}

fn timetable(definition: &str) -> Timetable {
    Definition::parse(definition).timetable(at("2026-01-01")).expect("it runs")
}

/// The last line would take years if the points between were visited: it asks a hundred thousand times for eight
/// thousand years of minutes.
#[test]
fn a_year_of_minutely_points_at_once() {
    let minutely = timetable(r#"{"startTime":"2026-01-01T00:00:30Z","frequency":"Minute"}"#);
    assert_eq!(minutely.next(at("2027-01-01T00:00:30Z")), Some(at("2027-01-01T00:01:30Z")));
    assert_eq!(minutely.previous(at("2027-01-01T00:00:30Z")), Some(at("2026-12-31T23:59:30Z")));
    assert_eq!(minutely.count(at("2026-01-01")..at("2027-01-01")), 365 * 1440);
    for _ in 0..100_000 {
        assert_eq!(minutely.count(at("2026-01-01")..at("9999-01-01")), 2_912_078 * 1440);
    }
}

/// The same where the wall clock limits the minutes: 60 each day from 9 to 10, in a zone with two changes a year.
#[test]
fn a_year_of_limited_minutes_at_once() {
    let limited = r#"{"startTime":"2026-01-01","timeZone":"Europe/Berlin","frequency":"Minute",
        "schedule":{"hours":[9]}}"#;
    let limited = timetable(limited);
    assert_eq!(limited.count(at("2026-01-01")..at("2027-01-01")), 365 * 60);
    assert_eq!(limited.next(at("2026-07-01T07:59Z")), Some(at("2026-07-02T07:00Z")));
    assert_eq!(limited.next(at("2026-12-01T08:59Z")), Some(at("2026-12-02T08:00Z")));
}

/// A century of every second: 36,525 days.
#[test]
fn a_century_of_seconds_at_once() {
    let every_second = timetable(r#"{"cron":"* * * * * *","timeZone":"Europe/Berlin"}"#);
    assert_eq!(every_second.count(at("2027-01-01")..at("2127-01-01")), 36_524 * 86_400);
}
