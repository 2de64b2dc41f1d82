//! The start and the end.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// What .NET sends for a date that was never set. Past points are dropped, the grid stays.
#[test]
fn start_in_year_1() {
    let definition = r#"{"startTime":"0001-01-01T00:00:00Z","frequency":"Hour","interval":5}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"
    Thu 2026-01-01T01:00:00Z
    Thu 2026-01-01T06:00:00Z
    Thu 2026-01-01T11:00:00Z
    ");
}

/// Local mean time had seconds; the minutes of a schedule have none.
#[test]
fn start_in_year_1_in_a_zone() {
    let definition = r#"{"startTime":"0001-01-02","timeZone":"Europe/Berlin","frequency":"Minute","interval":15,
        "schedule":{"minutes":[6,30]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"
    2026-01-01T00:06:00Z  Thu 2026-01-01 01:06:00
    2026-01-01T01:06:00Z  Thu 2026-01-01 02:06:00
    2026-01-01T02:06:00Z  Thu 2026-01-01 03:06:00
    ");
}

/// The first midnight of Berlin is before all time, but it is midnight.
#[test]
fn start_in_year_1_at_midnight() {
    let definition = r#"{"startTime":"0001-01-01","timeZone":"Europe/Berlin","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"
    2026-01-01T23:00:00Z  Fri 2026-01-02 00:00:00
    2026-01-02T23:00:00Z  Sat 2026-01-03 00:00:00
    ");
}

/// By the calendar, the time of day is the one written.
#[test]
fn start_in_year_1_daily() {
    let definition = r#"{"startTime":"0001-01-01T06:00","timeZone":"Europe/Berlin","frequency":"Month"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"
    2026-01-01T05:00:00Z  Thu 2026-01-01 06:00:00
    2026-02-01T05:00:00Z  Sun 2026-02-01 06:00:00
    ");
}

/// The last days that can be written.
#[test]
fn start_in_year_9999() {
    let definition = r#"{"startTime":"9999-12-29T12:00","timeZone":"Pacific/Auckland","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    9999-12-28T23:00:00Z  Wed 9999-12-29 12:00:00
    9999-12-29T23:00:00Z  Thu 9999-12-30 12:00:00
    9999-12-30T23:00:00Z  Fri 9999-12-31 12:00:00
    9999-12-31T23:00:00Z  Sat 10000-01-01 12:00:00
    no more
    ");
}

/// There is no year after it.
#[test]
fn start_in_year_9999_yearly() {
    let definition = r#"{"startTime":"9999-12-31T23:59:59.9999999Z","frequency":"Year"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"
    Fri 9999-12-31T23:59:59.9999999Z
    no more
    ");
}

/// An occurrence at the end runs.
#[test]
fn end_is_inclusive() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","endTime":"2026-01-03T06:00Z","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Thu 2026-01-01T06:00:00Z
    Fri 2026-01-02T06:00:00Z
    Sat 2026-01-03T06:00:00Z
    no more
    ");
}

/// One a tick after the end does not.
#[test]
fn end_a_tick_before() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","endTime":"2026-01-03T05:59:59.9999999Z","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Thu 2026-01-01T06:00:00Z
    Fri 2026-01-02T06:00:00Z
    no more
    ");
}

/// A date alone is its midnight in the zone.
#[test]
fn end_is_a_date_in_the_zone() {
    let definition = r#"{"startTime":"2026-01-01","endTime":"2026-01-03","timeZone":"Asia/Tokyo","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2025-12-31", 5), @"
    2025-12-31T15:00:00Z  Thu 2026-01-01 00:00:00
    2026-01-01T15:00:00Z  Fri 2026-01-02 00:00:00
    2026-01-02T15:00:00Z  Sat 2026-01-03 00:00:00
    no more
    ");
}

/// Accepted, but nothing is left.
#[test]
fn end_in_the_past() {
    let definition = r#"{"startTime":"2020-01-01","endTime":"2021-01-01","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"no more");
}

/// Not even the run at creation.
#[test]
fn end_in_the_past_without_start() {
    let definition = r#"{"endTime":"2021-01-01","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"no more");
}

/// The first run is now, and now is the anchor.
#[test]
fn no_start() {
    let definition = r#"{"frequency":"Hour","interval":7}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T10:11:12.5Z", 3), @"
    Thu 2026-01-01T10:11:12.5Z
    Thu 2026-01-01T17:11:12.5Z
    Fri 2026-01-02T00:11:12.5Z
    ");
}

/// Once at creation, then at every hit.
#[test]
fn no_start_with_schedule() {
    let definition = r#"{"frequency":"Day","schedule":{"hours":[9,17],"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T10:11:12.5Z", 4), @"
    Thu 2026-01-01T10:11:12.5Z
    Thu 2026-01-01T17:00:00Z
    Fri 2026-01-02T09:00:00Z
    Fri 2026-01-02T17:00:00Z
    ");
}

/// Creation is a hit by chance: one occurrence.
#[test]
fn no_start_with_schedule_on_a_hit() {
    let definition = r#"{"frequency":"Day","schedule":{"hours":[9,17],"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T09:00Z", 3), @"
    Thu 2026-01-01T09:00:00Z
    Thu 2026-01-01T17:00:00Z
    Fri 2026-01-02T09:00:00Z
    ");
}

/// The minute and the second are those of creation.
#[test]
fn no_start_hours_without_minutes() {
    let definition = r#"{"frequency":"Day","schedule":{"hours":[9,17]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T10:11:12.5Z", 3), @"
    Thu 2026-01-01T10:11:12.5Z
    Thu 2026-01-01T17:11:12.5Z
    Fri 2026-01-02T09:11:12.5Z
    ");
}

/// Cron does not run when it is created, even if that is a hit.
#[test]
fn no_start_cron() {
    let definition = r#"{"cron":"0 * * * *"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T09:00Z", 2), @"
    Thu 2026-01-01T10:00:00Z
    Thu 2026-01-01T11:00:00Z
    ");
}

/// The start is not past, so it runs.
#[test]
fn start_is_now() {
    let definition = r#"{"startTime":"2026-01-01T09:00Z","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T09:00Z", 2), @"
    Thu 2026-01-01T09:00:00Z
    Fri 2026-01-02T09:00:00Z
    ");
}

/// The same for cron.
#[test]
fn start_is_now_cron() {
    let definition = r#"{"startTime":"2026-01-01T09:00Z","cron":"0 * * * *"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T09:00Z", 2), @"
    Thu 2026-01-01T09:00:00Z
    Thu 2026-01-01T10:00:00Z
    ");
}

/// A tick late: the next one.
#[test]
fn start_was_a_moment_ago() {
    let definition = r#"{"startTime":"2026-01-01T09:00Z","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01T09:00:00.0000001Z", 2), @"
    Fri 2026-01-02T09:00:00Z
    Sat 2026-01-03T09:00:00Z
    ");
}

/// The first hit at or after the start.
#[test]
fn start_between_hits() {
    let definition = r#"{"startTime":"2026-01-01T09:00:00.0000001Z","frequency":"Day",
        "schedule":{"hours":[9,10],"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2025-01-01", 3), @"
    Thu 2026-01-01T10:00:00Z
    Fri 2026-01-02T09:00:00Z
    Fri 2026-01-02T10:00:00Z
    ");
}
