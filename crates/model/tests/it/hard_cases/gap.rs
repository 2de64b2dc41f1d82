//! The clock goes forward.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// 02:30 does not exist on 29 March: it runs at 03:30, once, and is 02:30 again the day after.
#[test]
fn berlin_gap() {
    let definition = r#"{"startTime":"2026-03-28T02:30","timeZone":"Europe/Berlin","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 3), @"
    2026-03-28T01:30:00Z  Sat 2026-03-28 02:30:00
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00
    2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00
    ");
}

/// Every hour that exists.
#[test]
fn berlin_gap_every_hour() {
    let definition = r#"{"startTime":"2026-03-29T00:00","timeZone":"Europe/Berlin","frequency":"Day",
        "schedule":{"minutes":[30]}}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 5), @"
    2026-03-28T23:30:00Z  Sun 2026-03-29 00:30:00
    2026-03-29T00:30:00Z  Sun 2026-03-29 01:30:00
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00
    2026-03-29T02:30:00Z  Sun 2026-03-29 04:30:00
    2026-03-29T03:30:00Z  Sun 2026-03-29 05:30:00
    ");
}

/// 02:30 moves onto 03:30, which is named too: one occurrence.
#[test]
fn berlin_gap_onto_another() {
    let definition = r#"{"startTime":"2026-03-28T12:00","timeZone":"Europe/Berlin","frequency":"Day",
        "schedule":{"hours":[1,2,3,4],"minutes":[30]}}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 7), @"
    2026-03-29T00:30:00Z  Sun 2026-03-29 01:30:00
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00
    2026-03-29T02:30:00Z  Sun 2026-03-29 04:30:00
    2026-03-29T23:30:00Z  Mon 2026-03-30 01:30:00
    2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00
    2026-03-30T01:30:00Z  Mon 2026-03-30 03:30:00
    2026-03-30T02:30:00Z  Mon 2026-03-30 04:30:00
    ");
}

/// Twenty-four hours by name are names: one of them moves onto the next.
#[test]
fn berlin_gap_all_hours_by_name() {
    let definition = r#"{"startTime":"2026-03-29T01:15","timeZone":"Europe/Berlin","frequency":"Day",
        "schedule":{"hours":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 4), @"
    2026-03-29T00:15:00Z  Sun 2026-03-29 01:15:00
    2026-03-29T01:15:00Z  Sun 2026-03-29 03:15:00
    2026-03-29T02:15:00Z  Sun 2026-03-29 04:15:00
    2026-03-29T03:15:00Z  Sun 2026-03-29 05:15:00
    ");
}

/// Half an hour: 02:15 runs at 02:45.
#[test]
fn lord_howe_gap() {
    let definition = r#"{"startTime":"2026-10-03T02:15","timeZone":"Australia/Lord_Howe","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-09-01", 3), @"
    2026-10-02T15:45:00Z  Sat 2026-10-03 02:15:00
    2026-10-03T15:45:00Z  Sun 2026-10-04 02:45:00
    2026-10-04T15:15:00Z  Mon 2026-10-05 02:15:00
    ");
}

/// At 02:45: 03:00 runs at 04:00.
#[test]
fn chatham_gap() {
    let definition = r#"{"cron":"0 3 * * *","timeZone":"Pacific/Chatham"}"#;
    assert_snapshot!(upcoming(definition, "2026-09-25", 3), @"
    2026-09-25T14:15:00Z  Sat 2026-09-26 03:00:00
    2026-09-26T14:15:00Z  Sun 2026-09-27 04:00:00
    2026-09-27T13:15:00Z  Mon 2026-09-28 03:00:00
    ");
}

/// Two hours: 01:30 runs at 03:30, 02:30 at 04:30.
#[test]
fn troll_gap() {
    let definition = r#"{"cron":"30 1,2 * * *","timeZone":"Antarctica/Troll"}"#;
    assert_snapshot!(upcoming(definition, "2026-03-28", 6), @"
    2026-03-28T01:30:00Z  Sat 2026-03-28 01:30:00
    2026-03-28T02:30:00Z  Sat 2026-03-28 02:30:00
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00
    2026-03-29T02:30:00Z  Sun 2026-03-29 04:30:00
    2026-03-29T23:30:00Z  Mon 2026-03-30 01:30:00
    2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00
    ");
}

/// The day begins at 01:00; midnight runs then.
#[test]
fn santiago_gap_at_midnight() {
    let definition = r#"{"startTime":"2026-09-05","timeZone":"America/Santiago","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-09-01", 3), @"
    2026-09-05T04:00:00Z  Sat 2026-09-05 00:00:00
    2026-09-06T04:00:00Z  Sun 2026-09-06 01:00:00
    2026-09-07T03:00:00Z  Mon 2026-09-07 00:00:00
    ");
}

/// Midnight of 29 March is 01:00 there, too, and 01:00 is named as well: one occurrence.
#[test]
fn beirut_gap_at_midnight() {
    let definition = r#"{"cron":"0 0,1 * * *","timeZone":"Asia/Beirut"}"#;
    assert_snapshot!(upcoming(definition, "2026-03-28", 4), @"
    2026-03-28T22:00:00Z  Sun 2026-03-29 01:00:00
    2026-03-29T21:00:00Z  Mon 2026-03-30 00:00:00
    2026-03-29T22:00:00Z  Mon 2026-03-30 01:00:00
    2026-03-30T21:00:00Z  Tue 2026-03-31 00:00:00
    ");
}

/// 30 December 2011 never was: its noon is that of the 31st, which is one occurrence.
#[test]
fn samoa_missing_day() {
    let definition = r#"{"startTime":"2011-12-28T12:00","timeZone":"Pacific/Apia","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2011-12-01", 4), @"
    2011-12-28T22:00:00Z  Wed 2011-12-28 12:00:00
    2011-12-29T22:00:00Z  Thu 2011-12-29 12:00:00
    2011-12-30T22:00:00Z  Sat 2011-12-31 12:00:00
    2011-12-31T22:00:00Z  Sun 2012-01-01 12:00:00
    ");
}

/// Every second day is the 30th by name, so it runs a day later.
#[test]
fn samoa_missing_day_every_second() {
    let definition = r#"{"startTime":"2011-12-28T12:00","timeZone":"Pacific/Apia","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2011-12-01", 4), @"
    2011-12-28T22:00:00Z  Wed 2011-12-28 12:00:00
    2011-12-30T22:00:00Z  Sat 2011-12-31 12:00:00
    2011-12-31T22:00:00Z  Sun 2012-01-01 12:00:00
    2012-01-02T22:00:00Z  Tue 2012-01-03 12:00:00
    ");
}

/// Every hour that exists knows no 30 December.
#[test]
fn samoa_missing_day_every_hour() {
    let definition = r#"{"cron":"0 */1 30,31 12 *","timeZone":"Pacific/Apia"}"#;
    assert_snapshot!(upcoming(definition, "2011-12-01", 3), @"
    2011-12-30T10:00:00Z  Sat 2011-12-31 00:00:00
    2011-12-30T11:00:00Z  Sat 2011-12-31 01:00:00
    2011-12-30T12:00:00Z  Sat 2011-12-31 02:00:00
    ");
}

/// A start inside the gap is moved by it, and 02:30 on the days after.
#[test]
fn anchor_in_a_gap() {
    let definition = r#"{"startTime":"2026-03-29T02:30","timeZone":"Europe/Berlin","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 3), @"
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00
    2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00
    2026-03-31T00:30:00Z  Tue 2026-03-31 02:30:00
    ");
}

/// The same by months, where a schedule names the hour but not the minute.
#[test]
fn anchor_in_a_gap_monthly() {
    let definition = r#"{"startTime":"2026-03-29T02:30:15.5","timeZone":"Europe/Berlin","frequency":"Month",
        "schedule":{"hours":[2,5]}}"#;
    assert_snapshot!(upcoming(definition, "2026-03-01", 4), @"
    2026-03-29T01:30:15.5Z  Sun 2026-03-29 03:30:15.5000000
    2026-03-29T03:30:15.5Z  Sun 2026-03-29 05:30:15.5000000
    2026-04-29T00:30:15.5Z  Wed 2026-04-29 02:30:15.5000000
    2026-04-29T03:30:15.5Z  Wed 2026-04-29 05:30:15.5000000
    ");
}

/// The clock goes from 00:00 to 00:15; the hours are counted from what it shows then.
#[test]
fn anchor_in_a_gap_hourly_with_minutes() {
    let definition = r#"{"startTime":"1986-01-01T00:00","timeZone":"Asia/Kathmandu","frequency":"Hour","interval":2,
        "schedule":{"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "1985-12-31", 3), @"
    1985-12-31T20:15:00Z  Wed 1986-01-01 02:00:00
    1985-12-31T22:15:00Z  Wed 1986-01-01 04:00:00
    1986-01-01T00:15:00Z  Wed 1986-01-01 06:00:00
    ");
}
