//! Rules that never match, and rules that are long in coming.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// No year has it.
#[test]
fn february_30() {
    let definition = r#"{"startTime":"2026-01-01","frequency":"Month","schedule":{"monthDays":[30],"months":[2]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// Nor has cron's.
#[test]
fn february_30_cron() {
    let definition = r#"{"cron":"0 0 30 2 *","timeZone":"Europe/Berlin"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// Every twelfth month from January is January.
#[test]
fn february_by_way_of_january() {
    let definition = r#"{"startTime":"2026-01-15","frequency":"Month","interval":12,"schedule":{"months":[2]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// Every eighth month from May is May, January or September; a zone with summer time for ever does not make it April.
#[test]
fn april_by_way_of_may() {
    let definition = r#"{"startTime":"1973-05-01T00:00","timeZone":"America/Havana","frequency":"Month","interval":8,
        "schedule":{"months":[4]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// Every second minute of an even start is even, in every zone.
#[test]
fn odd_minutes_from_an_even_start() {
    let definition = r#"{"startTime":"2026-01-01T00:00","timeZone":"Europe/Berlin","frequency":"Minute","interval":2,
        "schedule":{"minutes":[1,3,5]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// 1000 and a day share 40 minutes: from 00:00 only the minutes 0, 20 and 40 come up.
#[test]
fn thousand_minutes_on_an_unreachable_minute() {
    let definition = r#"{"startTime":"2026-01-01T00:00Z","frequency":"Minute","interval":1000,
        "schedule":{"minutes":[10]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// Only in summer does this interval fall on 02:00, and January is not summer.
#[test]
fn unreachable_in_winter() {
    let definition = r#"{"startTime":"2026-01-01T01:00","timeZone":"Europe/Berlin","frequency":"Hour","interval":24,
        "schedule":{"hours":[2],"months":[1]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"never");
}

/// The same without the month.
#[test]
fn reachable_in_summer() {
    let definition = r#"{"startTime":"2026-01-01T01:00","timeZone":"Europe/Berlin","frequency":"Hour","interval":24,
        "schedule":{"hours":[2]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"
    2026-03-30T00:00:00Z  Mon 2026-03-30 02:00:00
    2026-03-31T00:00:00Z  Tue 2026-03-31 02:00:00
    ");
}

/// Of the years that end in 6, every second one is a leap year.
#[test]
fn a_leap_day_every_ten_years() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Year","interval":10,
        "schedule":{"months":[2],"monthDays":[29]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"
    Fri 2036-02-29T06:00:00Z
    Tue 2056-02-29T06:00:00Z
    Sat 2076-02-29T06:00:00Z
    ");
}

/// Rare: every seventeenth month, if it is a February with five Fridays. No zone has an end of time to stop at.
#[test]
fn a_fifth_friday_in_february_every_seventeen_months() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Month","interval":17,
        "schedule":{"months":[2],"monthlyOccurrences":[{"day":"Friday","occurrence":5}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 2), @"
    Fri 2492-02-29T06:00:00Z
    Fri 2560-02-29T06:00:00Z
    ");
}
