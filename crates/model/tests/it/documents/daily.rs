//! The schedules of the original's document: times of day, and days of the week.
//!
//! The start is Tuesday, 6 January 2026, 12:25.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// Each day in the hour 5; the minute is the start's.
#[test]
fn five_in_the_morning() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day","schedule":{"hours":[5]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T05:25:00Z
    Thu 2026-01-08T05:25:00Z
    Fri 2026-01-09T05:25:00Z
    Sat 2026-01-10T05:25:00Z
    Sun 2026-01-11T05:25:00Z
    ");
}

/// Each day at 05:15.
#[test]
fn quarter_past_five() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day","schedule":{"minutes":[15],"hours":[5]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T05:15:00Z
    Thu 2026-01-08T05:15:00Z
    Fri 2026-01-09T05:15:00Z
    Sat 2026-01-10T05:15:00Z
    Sun 2026-01-11T05:15:00Z
    ");
}

/// Each day at two times.
#[test]
fn quarter_past_five_and_seventeen() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day",
        "schedule":{"minutes":[15],"hours":[5,17]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T17:15:00Z
    Wed 2026-01-07T05:15:00Z
    Wed 2026-01-07T17:15:00Z
    Thu 2026-01-08T05:15:00Z
    Thu 2026-01-08T17:15:00Z
    ");
}

/// Each hour with each minute: four times a day.
#[test]
fn two_hours_by_two_minutes() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day",
        "schedule":{"minutes":[15,45],"hours":[5,17]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T17:15:00Z
    Tue 2026-01-06T17:45:00Z
    Wed 2026-01-07T05:15:00Z
    Wed 2026-01-07T05:45:00Z
    Wed 2026-01-07T17:15:00Z
    ");
}

/// Minutes alone are minutes of every hour.
#[test]
fn every_quarter_of_an_hour() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day","schedule":{"minutes":[0,15,30,45]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T12:30:00Z
    Tue 2026-01-06T12:45:00Z
    Tue 2026-01-06T13:00:00Z
    Tue 2026-01-06T13:15:00Z
    Tue 2026-01-06T13:30:00Z
    ");
}

/// All hours, at the minute of the start. The document lacks a quotation mark.
#[test]
fn every_hour_by_name() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day",
        "schedule":{"hours":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T12:25:00Z
    Tue 2026-01-06T13:25:00Z
    Tue 2026-01-06T14:25:00Z
    Tue 2026-01-06T15:25:00Z
    Tue 2026-01-06T16:25:00Z
    ");
}

/// Each full hour. The document lacks the quotation marks.
#[test]
fn every_full_hour() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day","schedule":{"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T13:00:00Z
    Tue 2026-01-06T14:00:00Z
    Tue 2026-01-06T15:00:00Z
    Tue 2026-01-06T16:00:00Z
    Tue 2026-01-06T17:00:00Z
    ");
}

/// The same by weeks: each full hour of one day a week.
#[test]
fn every_full_hour_weekly() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week","schedule":{"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 13), @"
    Tue 2026-01-06T13:00:00Z
    Tue 2026-01-06T14:00:00Z
    Tue 2026-01-06T15:00:00Z
    Tue 2026-01-06T16:00:00Z
    Tue 2026-01-06T17:00:00Z
    Tue 2026-01-06T18:00:00Z
    Tue 2026-01-06T19:00:00Z
    Tue 2026-01-06T20:00:00Z
    Tue 2026-01-06T21:00:00Z
    Tue 2026-01-06T22:00:00Z
    Tue 2026-01-06T23:00:00Z
    Tue 2026-01-13T00:00:00Z
    Tue 2026-01-13T01:00:00Z
    ");
}

/// A quarter past each hour.
#[test]
fn quarter_past_every_hour() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Day","schedule":{"minutes":[15]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T13:15:00Z
    Tue 2026-01-06T14:15:00Z
    Tue 2026-01-06T15:15:00Z
    Tue 2026-01-06T16:15:00Z
    Tue 2026-01-06T17:15:00Z
    ");
}

/// Saturdays in the hour 17.
#[test]
fn saturday_at_seventeen() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"hours":[17],"weekDays":["saturday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sat 2026-01-10T17:25:00Z
    Sat 2026-01-17T17:25:00Z
    Sat 2026-01-24T17:25:00Z
    Sat 2026-01-31T17:25:00Z
    Sat 2026-02-07T17:25:00Z
    ");
}

/// Three days a week. The document lacks a quotation mark.
#[test]
fn three_weekdays() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"hours":[17],"weekDays":["monday","wednesday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T17:25:00Z
    Fri 2026-01-09T17:25:00Z
    Mon 2026-01-12T17:25:00Z
    Wed 2026-01-14T17:25:00Z
    Fri 2026-01-16T17:25:00Z
    ");
}

/// Three days a week at two minutes.
#[test]
fn three_weekdays_twice() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"minutes":[15,45],"hours":[17],"weekDays":["monday","wednesday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T17:15:00Z
    Wed 2026-01-07T17:45:00Z
    Fri 2026-01-09T17:15:00Z
    Fri 2026-01-09T17:45:00Z
    Mon 2026-01-12T17:15:00Z
    ");
}

/// Three days a week in two hours.
#[test]
fn three_weekdays_in_two_hours() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"hours":[5,17],"weekDays":["monday","wednesday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T05:25:00Z
    Wed 2026-01-07T17:25:00Z
    Fri 2026-01-09T05:25:00Z
    Fri 2026-01-09T17:25:00Z
    Mon 2026-01-12T05:25:00Z
    ");
}

/// Three days a week at four times.
#[test]
fn three_weekdays_four_times() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"minutes":[15,45],"hours":[5,17],"weekDays":["monday","wednesday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-07T05:15:00Z
    Wed 2026-01-07T05:45:00Z
    Wed 2026-01-07T17:15:00Z
    Wed 2026-01-07T17:45:00Z
    Fri 2026-01-09T05:15:00Z
    ");
}

/// Every quarter of an hour from Monday to Friday.
#[test]
fn working_days_every_quarter() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"minutes":[0,15,30,45],"weekDays":["monday","tuesday","wednesday","thursday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T12:30:00Z
    Tue 2026-01-06T12:45:00Z
    Tue 2026-01-06T13:00:00Z
    Tue 2026-01-06T13:15:00Z
    Tue 2026-01-06T13:30:00Z
    ");
}

/// Every quarter of an hour from 09:00 to 16:45. The document lacks a comma.
#[test]
fn office_hours() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"minutes":[0,15,30,45],"hours":[9,10,11,12,13,14,15,16],"weekDays":["monday","tuesday",
        "wednesday","thursday","friday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 19), @"
    Tue 2026-01-06T12:30:00Z
    Tue 2026-01-06T12:45:00Z
    Tue 2026-01-06T13:00:00Z
    Tue 2026-01-06T13:15:00Z
    Tue 2026-01-06T13:30:00Z
    Tue 2026-01-06T13:45:00Z
    Tue 2026-01-06T14:00:00Z
    Tue 2026-01-06T14:15:00Z
    Tue 2026-01-06T14:30:00Z
    Tue 2026-01-06T14:45:00Z
    Tue 2026-01-06T15:00:00Z
    Tue 2026-01-06T15:15:00Z
    Tue 2026-01-06T15:30:00Z
    Tue 2026-01-06T15:45:00Z
    Tue 2026-01-06T16:00:00Z
    Tue 2026-01-06T16:15:00Z
    Tue 2026-01-06T16:30:00Z
    Tue 2026-01-06T16:45:00Z
    Wed 2026-01-07T09:00:00Z
    ");
}

/// Sundays at the time of the start.
#[test]
fn sunday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week","schedule":{"weekDays":["sunday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sun 2026-01-11T12:25:00Z
    Sun 2026-01-18T12:25:00Z
    Sun 2026-01-25T12:25:00Z
    Sun 2026-02-01T12:25:00Z
    Sun 2026-02-08T12:25:00Z
    ");
}

/// Two days at the time of the start.
#[test]
fn tuesday_and_thursday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Week",
        "schedule":{"weekDays":["tuesday","thursday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Tue 2026-01-06T12:25:00Z
    Thu 2026-01-08T12:25:00Z
    Tue 2026-01-13T12:25:00Z
    Thu 2026-01-15T12:25:00Z
    Tue 2026-01-20T12:25:00Z
    ");
}
