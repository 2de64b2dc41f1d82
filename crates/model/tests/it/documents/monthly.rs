//! The schedules of the original's document: days of the month.
//!
//! The start is Tuesday, 6 January 2026, 12:25.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// The same list by months: all hours of one day a month, the day of the start.
#[test]
fn every_hour_by_name_monthly() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"hours":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 14), @"
    Tue 2026-01-06T12:25:00Z
    Tue 2026-01-06T13:25:00Z
    Tue 2026-01-06T14:25:00Z
    Tue 2026-01-06T15:25:00Z
    Tue 2026-01-06T16:25:00Z
    Tue 2026-01-06T17:25:00Z
    Tue 2026-01-06T18:25:00Z
    Tue 2026-01-06T19:25:00Z
    Tue 2026-01-06T20:25:00Z
    Tue 2026-01-06T21:25:00Z
    Tue 2026-01-06T22:25:00Z
    Tue 2026-01-06T23:25:00Z
    Fri 2026-02-06T00:25:00Z
    Fri 2026-02-06T01:25:00Z
    ");
}

/// The 28th at 06:00.
#[test]
fn the_28th() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[0],"hours":[6],"monthDays":[28]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-28T06:00:00Z
    Sat 2026-02-28T06:00:00Z
    Sat 2026-03-28T06:00:00Z
    Tue 2026-04-28T06:00:00Z
    Thu 2026-05-28T06:00:00Z
    ");
}

/// The last day, however long the month is.
#[test]
fn the_last_day() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[0],"hours":[6],"monthDays":[-1]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sat 2026-01-31T06:00:00Z
    Sat 2026-02-28T06:00:00Z
    Tue 2026-03-31T06:00:00Z
    Thu 2026-04-30T06:00:00Z
    Sun 2026-05-31T06:00:00Z
    ");
}

/// The first and the last day.
#[test]
fn first_and_last_day() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[0],"hours":[6],"monthDays":[1,-1]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sat 2026-01-31T06:00:00Z
    Sun 2026-02-01T06:00:00Z
    Sat 2026-02-28T06:00:00Z
    Sun 2026-03-01T06:00:00Z
    Tue 2026-03-31T06:00:00Z
    ");
}

/// The same at the time of the start. The document lacks a quotation mark.
#[test]
fn first_and_last_day_at_the_start() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month","schedule":{"monthDays":[1,-1]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sat 2026-01-31T12:25:00Z
    Sun 2026-02-01T12:25:00Z
    Sat 2026-02-28T12:25:00Z
    Sun 2026-03-01T12:25:00Z
    Tue 2026-03-31T12:25:00Z
    ");
}

/// Two days. The document lacks a quotation mark.
#[test]
fn the_1st_and_14th() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month","schedule":{"monthDays":[1,14]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-14T12:25:00Z
    Sun 2026-02-01T12:25:00Z
    Sat 2026-02-14T12:25:00Z
    Sun 2026-03-01T12:25:00Z
    Sat 2026-03-14T12:25:00Z
    ");
}

/// One day. The document lacks a quotation mark.
#[test]
fn the_2nd() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month","schedule":{"monthDays":[2]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Mon 2026-02-02T12:25:00Z
    Mon 2026-03-02T12:25:00Z
    Thu 2026-04-02T12:25:00Z
    Sat 2026-05-02T12:25:00Z
    Tue 2026-06-02T12:25:00Z
    ");
}

/// The first Friday at 05:00.
#[test]
fn first_friday_at_five() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[0],"hours":[5],"monthlyOccurrences":[{"day":"friday","occurrence":1}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-02-06T05:00:00Z
    Fri 2026-03-06T05:00:00Z
    Fri 2026-04-03T05:00:00Z
    Fri 2026-05-01T05:00:00Z
    Fri 2026-06-05T05:00:00Z
    ");
}

/// The first Friday at the time of the start.
#[test]
fn first_friday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":1}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-02-06T12:25:00Z
    Fri 2026-03-06T12:25:00Z
    Fri 2026-04-03T12:25:00Z
    Fri 2026-05-01T12:25:00Z
    Fri 2026-06-05T12:25:00Z
    ");
}

/// The third Friday from the end.
#[test]
fn third_friday_from_the_end() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":-3}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-16T12:25:00Z
    Fri 2026-02-13T12:25:00Z
    Fri 2026-03-13T12:25:00Z
    Fri 2026-04-10T12:25:00Z
    Fri 2026-05-15T12:25:00Z
    ");
}

/// The first and the last Friday at 05:15.
#[test]
fn first_and_last_friday_at_quarter_past_five() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[15],"hours":[5],"monthlyOccurrences":[{"day":"friday","occurrence":1},
        {"day":"friday","occurrence":-1}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-30T05:15:00Z
    Fri 2026-02-06T05:15:00Z
    Fri 2026-02-27T05:15:00Z
    Fri 2026-03-06T05:15:00Z
    Fri 2026-03-27T05:15:00Z
    ");
}

/// The same at the time of the start.
#[test]
fn first_and_last_friday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":1},{"day":"friday","occurrence":-1}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-30T12:25:00Z
    Fri 2026-02-06T12:25:00Z
    Fri 2026-02-27T12:25:00Z
    Fri 2026-03-06T12:25:00Z
    Fri 2026-03-27T12:25:00Z
    ");
}

/// Only months that have five Fridays.
#[test]
fn fifth_friday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":5}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-30T12:25:00Z
    Fri 2026-05-29T12:25:00Z
    Fri 2026-07-31T12:25:00Z
    Fri 2026-10-30T12:25:00Z
    Fri 2027-01-29T12:25:00Z
    ");
}

/// All day long on the last Friday.
#[test]
fn last_friday_every_quarter() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[0,15,30,45],"monthlyOccurrences":[{"day":"friday","occurrence":-1}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-30T00:00:00Z
    Fri 2026-01-30T00:15:00Z
    Fri 2026-01-30T00:30:00Z
    Fri 2026-01-30T00:45:00Z
    Fri 2026-01-30T01:00:00Z
    ");
}

/// Four times on the third Wednesday.
#[test]
fn third_wednesday() {
    let definition = r#"{"startTime":"2026-01-06T12:25Z","frequency":"Month",
        "schedule":{"minutes":[15,45],"hours":[5,17],"monthlyOccurrences":[{"day":"wednesday","occurrence":3}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Wed 2026-01-21T05:15:00Z
    Wed 2026-01-21T05:45:00Z
    Wed 2026-01-21T17:15:00Z
    Wed 2026-01-21T17:45:00Z
    Wed 2026-02-18T05:15:00Z
    ");
}
