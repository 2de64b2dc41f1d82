//! When a job starts: the table of the original's document, three starts by three kinds of job, and what was recorded
//! from the original at work.

use insta::assert_snapshot;
use punctual_model::recurrence::{Anchor, Timetable};
use punctual_model::time::{DateTime, Timestamp, Zone};

use crate::upcoming::upcoming;

/// The runs of a job without recurrence.
fn once(start: Option<&str>, now: &str) -> Vec<Timestamp> {
    let start = start.map(|start| DateTime::parse(start).expect("a date-time").resolve(Zone::utc()));
    let now = at(now);
    let timetable = Timetable::new(None, Anchor::new(start, false, now)).expect("once is once");
    std::iter::successors(timetable.first(now), |at| timetable.next(*at)).collect()
}

fn at(text: &str) -> Timestamp {
    DateTime::parse(text).expect("a date-time").resolve(Zone::utc()).instant()
}

/// Without a start, or with one that is past: now. The nominal time is that of acceptance.
#[test]
fn without_recurrence() {
    assert_eq!(once(None, "2015-04-08T13:00Z"), [at("2015-04-08T13:00Z")]);
    assert_eq!(once(Some("2015-04-07T14:00Z"), "2015-04-08T13:00Z"), [at("2015-04-08T13:00Z")]);
    assert_eq!(once(Some("2015-04-08T13:00Z"), "2015-04-08T13:00Z"), [at("2015-04-08T13:00Z")]);
    assert_eq!(once(Some("2015-04-09T14:00Z"), "2015-04-08T13:00Z"), [at("2015-04-09T14:00Z")]);
}

/// Now, and from now on.
#[test]
fn no_start_recurrence() {
    let definition = r#"{"frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 3), @"
    Wed 2015-04-08T13:00:00Z
    Fri 2015-04-10T13:00:00Z
    Sun 2015-04-12T13:00:00Z
    ");
}

/// Now, and then by the schedule.
#[test]
fn no_start_schedule() {
    let definition = r#"{"frequency":"Day","interval":2,"schedule":{"hours":[14],"minutes":[0]}}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 3), @"
    Wed 2015-04-08T13:00:00Z
    Wed 2015-04-08T14:00:00Z
    Fri 2015-04-10T14:00:00Z
    ");
}

/// The example of the document: every second day from yesterday is tomorrow.
#[test]
fn past_start_recurrence() {
    let definition = r#"{"startTime":"2015-04-07T14:00","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 4), @"
    Thu 2015-04-09T14:00:00Z
    Sat 2015-04-11T14:00:00Z
    Mon 2015-04-13T14:00:00Z
    Wed 2015-04-15T14:00:00Z
    ");
}

/// It is the same for a start two days earlier,
#[test]
fn past_start_recurrence_two_days_before() {
    let definition = r#"{"startTime":"2015-04-05T14:00","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 2), @"
    Thu 2015-04-09T14:00:00Z
    Sat 2015-04-11T14:00:00Z
    ");
}

/// and for one six days earlier.
#[test]
fn past_start_recurrence_a_week_before() {
    let definition = r#"{"startTime":"2015-04-01T14:00","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 2), @"
    Thu 2015-04-09T14:00:00Z
    Sat 2015-04-11T14:00:00Z
    ");
}

/// The first hit after now.
#[test]
fn past_start_schedule() {
    let definition = r#"{"startTime":"2015-04-07T14:00Z","frequency":"Day","schedule":{"hours":[9,14]}}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 3), @"
    Wed 2015-04-08T14:00:00Z
    Thu 2015-04-09T09:00:00Z
    Thu 2015-04-09T14:00:00Z
    ");
}

/// At the start, and from there on.
#[test]
fn future_start_recurrence() {
    let definition = r#"{"startTime":"2015-04-10T14:00Z","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 3), @"
    Fri 2015-04-10T14:00:00Z
    Sun 2015-04-12T14:00:00Z
    Tue 2015-04-14T14:00:00Z
    ");
}

/// The first hit not before the start.
#[test]
fn future_start_schedule() {
    let definition = r#"{"startTime":"2015-04-10T14:00Z","frequency":"Day","schedule":{"hours":[9,14,20]}}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 3), @"
    Fri 2015-04-10T14:00:00Z
    Fri 2015-04-10T20:00:00Z
    Sat 2015-04-11T09:00:00Z
    ");
}

/// Now is not past.
#[test]
fn start_now_recurrence() {
    let definition = r#"{"startTime":"2015-04-08T13:00Z","frequency":"Day","interval":2}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 2), @"
    Wed 2015-04-08T13:00:00Z
    Fri 2015-04-10T13:00:00Z
    ");
}

/// Nor is it for a schedule.
#[test]
fn start_now_schedule() {
    let definition = r#"{"startTime":"2015-04-08T13:00Z","frequency":"Day","schedule":{"hours":[13]}}"#;
    assert_snapshot!(upcoming(definition, "2015-04-08T13:00Z", 2), @"
    Wed 2015-04-08T13:00:00Z
    Thu 2015-04-09T13:00:00Z
    ");
}

/// Recorded: weekly from Monday, 13 July 2015, put in March 2016: 4 April.
#[test]
fn recorded_weekly() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Week","interval":1}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Mon 2016-04-04T00:00:00Z
    Mon 2016-04-11T00:00:00Z
    ");
}

/// Recorded: patched to daily from 14 July 2015: the next midnight.
#[test]
fn recorded_daily() {
    let definition = r#"{"startTime":"2015-07-14T00:00Z","frequency":"Day"}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Thu 2016-03-31T00:00:00Z
    Fri 2016-04-01T00:00:00Z
    ");
}

/// Recorded: 20:00 of the same day.
#[test]
fn recorded_day_with_hours_and_minutes() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Day",
        "schedule":{"hours":[5,10,15,20],"minutes":[0,10,20,30,40,50]}}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Wed 2016-03-30T20:00:00Z
    Wed 2016-03-30T20:10:00Z
    ");
}

/// Recorded: the 30th is today, at 20:00.
#[test]
fn recorded_month_days() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Month",
        "schedule":{"monthDays":[15,30],"hours":[5,10,15,20],"minutes":[0,10,20,30,40,50]}}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Wed 2016-03-30T20:00:00Z
    Wed 2016-03-30T20:10:00Z
    ");
}

/// Recorded: the first Friday, 1 April 2016, at 05:00.
#[test]
fn recorded_first_monday_and_friday() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"Monday","occurrence":1},{"day":"Friday","occurrence":1}],
        "hours":[5,10,15,20],"minutes":[0,10,20,30,40,50]}}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Fri 2016-04-01T05:00:00Z
    Fri 2016-04-01T05:10:00Z
    ");
}

/// Recorded a year before: the first Monday, 3 August 2015.
#[test]
fn recorded_first_monday_and_friday_in_2015() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"Monday","occurrence":1},{"day":"Friday","occurrence":1}],
        "hours":[5,10,15,20],"minutes":[0,10,20,30,40,50]}}"#;
    assert_snapshot!(upcoming(definition, "2015-07-13T19:36Z", 2), @"
    Mon 2015-08-03T05:00:00Z
    Mon 2015-08-03T05:10:00Z
    ");
}

/// Recorded: the next Monday, 4 April 2016, at 05:00.
#[test]
fn recorded_week_with_monday() {
    let definition = r#"{"startTime":"2015-07-13T00:00Z","frequency":"Week",
        "schedule":{"weekDays":["Monday"],"hours":[5,10,15,20],"minutes":[0,10,20,30,40,50]}}"#;
    assert_snapshot!(upcoming(definition, "2016-03-30T19:36Z", 2), @"
    Mon 2016-04-04T05:00:00Z
    Mon 2016-04-04T05:10:00Z
    ");
}

/// An hourly job stays on the minute and the second of its start, as hundreds of recorded runs did.
#[test]
fn hourly_without_drift() {
    let definition = r#"{"startTime":"2015-10-01T10:20:51Z","frequency":"Hour"}"#;
    assert_snapshot!(upcoming(definition, "2016-01-05T07:45Z", 2), @"
    Tue 2016-01-05T08:20:51Z
    Tue 2016-01-05T09:20:51Z
    ");
}
