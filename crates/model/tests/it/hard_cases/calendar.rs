//! The calendar.

use insta::assert_snapshot;

use crate::upcoming::upcoming;

/// 2100 is no leap year; a yearly job that started on 29 February runs on the last day of February then.
#[test]
fn leap_day_yearly() {
    let definition = r#"{"startTime":"2096-02-29T06:00Z","frequency":"Year"}"#;
    assert_snapshot!(upcoming(definition, "2096-01-01", 9), @"
    Wed 2096-02-29T06:00:00Z
    Thu 2097-02-28T06:00:00Z
    Fri 2098-02-28T06:00:00Z
    Sat 2099-02-28T06:00:00Z
    Sun 2100-02-28T06:00:00Z
    Mon 2101-02-28T06:00:00Z
    Tue 2102-02-28T06:00:00Z
    Wed 2103-02-28T06:00:00Z
    Fri 2104-02-29T06:00:00Z
    ");
}

/// Named, the day is skipped in years that lack it: from 2096 to 2104 that is eight years.
#[test]
fn leap_day_yearly_by_name() {
    let definition = r#"{"startTime":"2096-01-01T06:00Z","frequency":"Year",
        "schedule":{"months":[2],"monthDays":[29]}}"#;
    assert_snapshot!(upcoming(definition, "2096-01-01", 4), @"
    Wed 2096-02-29T06:00:00Z
    Fri 2104-02-29T06:00:00Z
    Wed 2108-02-29T06:00:00Z
    Mon 2112-02-29T06:00:00Z
    ");
}

/// Every twelfth month is the same day each year.
#[test]
fn leap_day_monthly() {
    let definition = r#"{"startTime":"2096-02-29T06:00Z","frequency":"Month","interval":12}"#;
    assert_snapshot!(upcoming(definition, "2096-01-01", 9), @"
    Wed 2096-02-29T06:00:00Z
    Thu 2097-02-28T06:00:00Z
    Fri 2098-02-28T06:00:00Z
    Sat 2099-02-28T06:00:00Z
    Sun 2100-02-28T06:00:00Z
    Mon 2101-02-28T06:00:00Z
    Tue 2102-02-28T06:00:00Z
    Wed 2103-02-28T06:00:00Z
    Fri 2104-02-29T06:00:00Z
    ");
}

/// Every month's 29th, in February only.
#[test]
fn leap_day_monthly_in_february() {
    let definition = r#"{"startTime":"2095-12-01T06:00Z","frequency":"Month",
        "schedule":{"monthDays":[29],"months":[2]}}"#;
    assert_snapshot!(upcoming(definition, "2095-12-01", 3), @"
    Wed 2096-02-29T06:00:00Z
    Fri 2104-02-29T06:00:00Z
    Wed 2108-02-29T06:00:00Z
    ");
}

/// Cron's 29 February, over the year 2100.
#[test]
fn leap_day_cron() {
    let definition = r#"{"cron":"0 6 29 2 *"}"#;
    assert_snapshot!(upcoming(definition, "2095-12-01", 4), @"
    Wed 2096-02-29T06:00:00Z
    Fri 2104-02-29T06:00:00Z
    Wed 2108-02-29T06:00:00Z
    Mon 2112-02-29T06:00:00Z
    ");
}

/// A star in front makes both fields count: 29 February that is a Sunday or a Thursday.
#[test]
fn leap_day_cron_on_a_weekday() {
    let definition = r#"{"cron":"0 6 29 2 */4"}"#;
    assert_snapshot!(upcoming(definition, "2024-01-01", 4), @"
    Thu 2024-02-29T06:00:00Z
    Sun 2032-02-29T06:00:00Z
    Thu 2052-02-29T06:00:00Z
    Sun 2060-02-29T06:00:00Z
    ");
}

/// Named, the 31st is skipped in short months.
#[test]
fn day_31_by_name() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Month","schedule":{"monthDays":[31]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 8), @"
    Sat 2026-01-31T06:00:00Z
    Tue 2026-03-31T06:00:00Z
    Sun 2026-05-31T06:00:00Z
    Fri 2026-07-31T06:00:00Z
    Mon 2026-08-31T06:00:00Z
    Sat 2026-10-31T06:00:00Z
    Thu 2026-12-31T06:00:00Z
    Sun 2027-01-31T06:00:00Z
    ");
}

/// Not named but the day of the start, it becomes the last day, counted from the start each time.
#[test]
fn day_31_of_the_start() {
    let definition = r#"{"startTime":"2026-01-31T06:00Z","frequency":"Month"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 6), @"
    Sat 2026-01-31T06:00:00Z
    Sat 2026-02-28T06:00:00Z
    Tue 2026-03-31T06:00:00Z
    Thu 2026-04-30T06:00:00Z
    Sun 2026-05-31T06:00:00Z
    Tue 2026-06-30T06:00:00Z
    ");
}

/// Hours do not name the day, so it is still the last one of a short month.
#[test]
fn day_31_of_the_start_with_hours() {
    let definition = r#"{"startTime":"2026-01-31T06:00Z","frequency":"Month","schedule":{"hours":[8],"minutes":[30]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 4), @"
    Sat 2026-01-31T08:30:00Z
    Sat 2026-02-28T08:30:00Z
    Tue 2026-03-31T08:30:00Z
    Thu 2026-04-30T08:30:00Z
    ");
}

/// The 31st day from the end is the first of a long month and missing in the others.
#[test]
fn day_minus_31() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Month","schedule":{"monthDays":[-31]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 4), @"
    Thu 2026-01-01T06:00:00Z
    Sun 2026-03-01T06:00:00Z
    Fri 2026-05-01T06:00:00Z
    Wed 2026-07-01T06:00:00Z
    ");
}

/// A fifth Friday.
#[test]
fn fifth_weekday() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"Friday","occurrence":5}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-30T06:00:00Z
    Fri 2026-05-29T06:00:00Z
    Fri 2026-07-31T06:00:00Z
    Fri 2026-10-30T06:00:00Z
    Fri 2027-01-29T06:00:00Z
    ");
}

/// The fifth Friday from the end: in the same months, but the first of them.
#[test]
fn fifth_weekday_from_the_end() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Month",
        "schedule":{"monthlyOccurrences":[{"day":"Friday","occurrence":-5}]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Fri 2026-01-02T06:00:00Z
    Fri 2026-05-01T06:00:00Z
    Fri 2026-07-03T06:00:00Z
    Fri 2026-10-02T06:00:00Z
    Fri 2027-01-01T06:00:00Z
    ");
}

/// Every Friday of every second month, and its 13th and 14th: the union.
#[test]
fn each_weekday_of_the_month_and_a_day() {
    let definition = r#"{"startTime":"2026-02-01T06:00Z","frequency":"Month","interval":2,
        "schedule":{"monthlyOccurrences":[{"day":"Friday"}],"monthDays":[13,14]}}"#;
    assert_snapshot!(upcoming(definition, "2026-02-01", 8), @"
    Fri 2026-02-06T06:00:00Z
    Fri 2026-02-13T06:00:00Z
    Sat 2026-02-14T06:00:00Z
    Fri 2026-02-20T06:00:00Z
    Fri 2026-02-27T06:00:00Z
    Fri 2026-04-03T06:00:00Z
    Fri 2026-04-10T06:00:00Z
    Mon 2026-04-13T06:00:00Z
    ");
}

/// Weeks start on Monday: Sunday belongs to the week of the start, the Monday after it does not.
#[test]
fn every_second_week() {
    let definition = r#"{"startTime":"2026-01-01T06:00Z","frequency":"Week","interval":2,
        "schedule":{"weekDays":["Sunday","Monday"]}}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 5), @"
    Sun 2026-01-04T06:00:00Z
    Mon 2026-01-12T06:00:00Z
    Sun 2026-01-18T06:00:00Z
    Mon 2026-01-26T06:00:00Z
    Sun 2026-02-01T06:00:00Z
    ");
}

/// A range may end on Sunday by its name.
#[test]
fn friday_to_sunday() {
    let definition = r#"{"cron":"0 6 * * fri-sun"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 4), @"
    Fri 2026-01-02T06:00:00Z
    Sat 2026-01-03T06:00:00Z
    Sun 2026-01-04T06:00:00Z
    Fri 2026-01-09T06:00:00Z
    ");
}

/// A range of names that begins on Sunday is not the whole week.
#[test]
fn sunday_to_sunday() {
    let definition = r#"{"cron":"0 6 * * sun-sun"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 3), @"
    Sun 2026-01-04T06:00:00Z
    Sun 2026-01-11T06:00:00Z
    Sun 2026-01-18T06:00:00Z
    ");
}

/// Neither field begins with a star: one of them is enough.
#[test]
fn day_or_weekday() {
    let definition = r#"{"cron":"0 6 13 * fri"}"#;
    assert_snapshot!(upcoming(definition, "2026-04-01", 5), @"
    Fri 2026-04-03T06:00:00Z
    Fri 2026-04-10T06:00:00Z
    Mon 2026-04-13T06:00:00Z
    Fri 2026-04-17T06:00:00Z
    Fri 2026-04-24T06:00:00Z
    ");
}

/// The day field begins with a star: both must hold, every second day if it is a Friday.
#[test]
fn day_and_weekday() {
    let definition = r#"{"cron":"0 6 */2 * fri"}"#;
    assert_snapshot!(upcoming(definition, "2026-02-01", 4), @"
    Fri 2026-02-13T06:00:00Z
    Fri 2026-02-27T06:00:00Z
    Fri 2026-03-13T06:00:00Z
    Fri 2026-03-27T06:00:00Z
    ");
}

/// L in both fields: either.
#[test]
fn last_friday_and_last_day() {
    let definition = r#"{"cron":"0 6 L * 5L"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 6), @"
    Fri 2026-01-30T06:00:00Z
    Sat 2026-01-31T06:00:00Z
    Fri 2026-02-27T06:00:00Z
    Sat 2026-02-28T06:00:00Z
    Fri 2026-03-27T06:00:00Z
    Tue 2026-03-31T06:00:00Z
    ");
}

/// Six fields: seconds first.
#[test]
fn third_monday_with_seconds() {
    let definition = r#"{"cron":"10,40 0 6 * * mon#3"}"#;
    assert_snapshot!(upcoming(definition, "2026-01-01", 4), @"
    Mon 2026-01-19T06:00:10Z
    Mon 2026-01-19T06:00:40Z
    Mon 2026-02-16T06:00:10Z
    Mon 2026-02-16T06:00:40Z
    ");
}
