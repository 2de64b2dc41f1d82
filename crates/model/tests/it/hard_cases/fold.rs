//! The clock goes back.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// 02:30 exists twice on 25 October: the first time only.
#[test]
fn berlin_fold() {
    let definition = r#"{"cron":"30 2 * * *","timeZone":"Europe/Berlin"}"#;
    assert_snapshot!(upcoming(definition, "2026-10-24", 3), @"
    2026-10-24T00:30:00Z  Sat 2026-10-24 02:30:00
    2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-26T01:30:00Z  Mon 2026-10-26 02:30:00
    ");
}

/// Every hour: twice.
#[test]
fn berlin_fold_every_hour() {
    let definition = r#"{"cron":"30 * * * *","timeZone":"Europe/Berlin"}"#;
    assert_snapshot!(upcoming(definition, "2026-10-24T23:00Z", 4), @"
    2026-10-24T23:30:00Z  Sun 2026-10-25 01:30:00
    2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-25T01:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-25T02:30:00Z  Sun 2026-10-25 03:30:00
    ");
}

/// All hours by name: once.
#[test]
fn berlin_fold_all_hours_by_name() {
    let definition = r#"{"cron":"30 0-23 * * *","timeZone":"Europe/Berlin"}"#;
    assert_snapshot!(upcoming(definition, "2026-10-24T23:00Z", 3), @"
    2026-10-24T23:30:00Z  Sun 2026-10-25 01:30:00
    2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-25T02:30:00Z  Sun 2026-10-25 03:30:00
    ");
}

/// From 02:00 back to 01:30: 01:45 twice for every hour, 01:15 and 02:15 once.
#[test]
fn lord_howe_fold() {
    let definition = r#"{"cron":"15,45 * * * *","timeZone":"Australia/Lord_Howe"}"#;
    assert_snapshot!(upcoming(definition, "2026-04-04T14:00Z", 5), @"
    2026-04-04T14:15:00Z  Sun 2026-04-05 01:15:00
    2026-04-04T14:45:00Z  Sun 2026-04-05 01:45:00
    2026-04-04T15:15:00Z  Sun 2026-04-05 01:45:00
    2026-04-04T15:45:00Z  Sun 2026-04-05 02:15:00
    2026-04-04T16:15:00Z  Sun 2026-04-05 02:45:00
    ");
}

/// From 03:45 back to 02:45.
#[test]
fn chatham_fold() {
    let definition = r#"{"cron":"0 3 * * *","timeZone":"Pacific/Chatham"}"#;
    assert_snapshot!(upcoming(definition, "2026-04-03T20:00Z", 3), @"
    2026-04-04T13:15:00Z  Sun 2026-04-05 03:00:00
    2026-04-05T14:15:00Z  Mon 2026-04-06 03:00:00
    2026-04-06T14:15:00Z  Tue 2026-04-07 03:00:00
    ");
}

/// Two hours: 01:30 and 02:30 come twice.
#[test]
fn troll_fold() {
    let definition = r#"{"cron":"30 * * * *","timeZone":"Antarctica/Troll"}"#;
    assert_snapshot!(upcoming(definition, "2026-10-24T23:00Z", 6), @"
    2026-10-24T23:30:00Z  Sun 2026-10-25 01:30:00
    2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-25T01:30:00Z  Sun 2026-10-25 01:30:00
    2026-10-25T02:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-25T03:30:00Z  Sun 2026-10-25 03:30:00
    2026-10-25T04:30:00Z  Sun 2026-10-25 04:30:00
    ");
}

/// Greenland only renamed its time that night: the clock went on, and 23:00 comes once.
#[test]
fn nuuk_renames_its_time() {
    let definition = r#"{"cron":"0 23 * * *","timeZone":"America/Nuuk"}"#;
    assert_snapshot!(upcoming(definition, "2023-10-28", 3), @"
    2023-10-28T01:00:00Z  Fri 2023-10-27 23:00:00
    2023-10-29T01:00:00Z  Sat 2023-10-28 23:00:00
    2023-10-30T01:00:00Z  Sun 2023-10-29 23:00:00
    ");
}

/// The start is the second 02:30, by its offset. It is the first run; after it the first 02:30 counts.
#[test]
fn second_time_of_a_fold_as_start() {
    let definition = r#"{"startTime":"2026-10-25T02:30:00+01:00","timeZone":"Europe/Berlin","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-10-01", 3), @"
    2026-10-25T01:30:00Z  Sun 2026-10-25 02:30:00
    2026-10-26T01:30:00Z  Mon 2026-10-26 02:30:00
    2026-10-27T01:30:00Z  Tue 2026-10-27 02:30:00
    ");
}

/// Elapsed time does not care what the clock shows.
#[test]
fn thousand_minutes_over_a_fold() {
    let definition = r#"{"startTime":"2026-10-24T12:00","timeZone":"Europe/Berlin","frequency":"Minute",
        "interval":1000}"#;
    assert_snapshot!(upcoming(definition, "2026-10-01", 4), @"
    2026-10-24T10:00:00Z  Sat 2026-10-24 12:00:00
    2026-10-25T02:40:00Z  Sun 2026-10-25 03:40:00
    2026-10-25T19:20:00Z  Sun 2026-10-25 20:20:00
    2026-10-26T12:00:00Z  Mon 2026-10-26 13:00:00
    ");
}

/// Elapsed hours, but only where the clock shows 2 or 7.
#[test]
fn six_hours_over_a_fold_limited() {
    let definition = r#"{"startTime":"2026-10-24T02:00","timeZone":"Europe/Berlin","frequency":"Hour","interval":6,
        "schedule":{"hours":[2,7]}}"#;
    assert_snapshot!(upcoming(definition, "2026-10-01", 4), @"
    2026-10-24T00:00:00Z  Sat 2026-10-24 02:00:00
    2026-10-25T00:00:00Z  Sun 2026-10-25 02:00:00
    2026-10-25T06:00:00Z  Sun 2026-10-25 07:00:00
    2026-10-26T06:00:00Z  Mon 2026-10-26 07:00:00
    ");
}
