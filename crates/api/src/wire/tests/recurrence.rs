//! Recurrences.

use insta::assert_snapshot;

use super::{recurrence, timed};

#[test]
fn extensions() {
    assert_snapshot!(recurrence(r#"{"cron": "30 4 * * MON-FRI", "timeZone": "Europe/Prague", "count": 5}"#), @r#"
    Cron(Cron { text: "30 4 * * MON-FRI", dialect: Debian, fields: CronFields { seconds: 1, minutes: 1073741824, hours: 16, every_hour: false, months: MonthSet(4095), days: Named(MonthDays { from_start: 0, from_end: 0, weekdays: [31, 31, 31, 31, 31], weekdays_from_end: [0, 0, 0, 0, 0], nearest: 0, nearest_from_end: 0 }) } })
    zone Some("Europe/Prague"), count Some(5), end None
    "#);
    assert_snapshot!(recurrence(r#"{"frequency": "Year", "interval": 2, "schedule": {"months": [3], "monthDays": [-1], "hours": [12]}}"#), @"Every(Every { frequency: Year, interval: 2, schedule: Some(Schedule { minutes: [], hours: [12], week_days: [], month_days: [-1], monthly_occurrences: [], months: [3] }) })");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "timeZone": "Central Europe Standard Time", "endTime": "2026-07-01"}"#), @r#"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("Central Europe Standard Time"), count None, end Some(2026-06-30T22:00:00Z)
    "#);
}

#[test]
fn a_start_is_in_the_zone_of_its_recurrence() {
    assert_snapshot!(timed(r#""startTime": "2026-07-01T08:00", "recurrence": {"frequency": "Day", "timeZone": "Europe/Prague"}"#), @r#"
    from 2026-07-01T06:00:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("Europe/Prague"), count None, end None
    "#);
    assert_snapshot!(timed(r#""startTime": "2026-07-01T08:00-04:00", "recurrence": {"frequency": "Day", "timeZone": "Europe/Prague"}"#), @r#"
    from 2026-07-01T12:00:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("Europe/Prague"), count None, end None
    "#);
}

#[test]
fn a_start_in_a_gap_is_moved() {
    assert_snapshot!(timed(r#""startTime": "2026-03-29T02:30", "recurrence": {"frequency": "Day", "timeZone": "Europe/Prague"}"#), @r#"
    from 2026-03-29T01:30:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("Europe/Prague"), count None, end None
    ! startTime: 2026-03-29 02:30:00 does not exist in Europe/Prague; moved to 2026-03-29 03:30:00, 2026-03-29T01:30:00Z
    "#);
}

#[test]
fn the_first_and_the_last_day_of_all() {
    assert_snapshot!(timed(r#""startTime": "0001-01-01", "recurrence": {"frequency": "Day", "timeZone": "Pacific/Auckland"}"#), @r#"
    from 0001-01-01T00:00:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("Pacific/Auckland"), count None, end None
    ! startTime: 0001-01-01 00:00:00 does not exist in Pacific/Auckland; moved to 0001-01-01 11:39:04, 0001-01-01T00:00:00Z
    "#);
    assert_snapshot!(timed(r#""startTime": "9999-12-31T23:59", "recurrence": {"frequency": "Day", "timeZone": "America/New_York"}"#), @r#"
    from 9999-12-31T23:59:59.9999999Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("America/New_York"), count None, end None
    ! startTime: 9999-12-31 23:59:00 does not exist in America/New_York; moved to 9999-12-31 18:59:59.9999999, 9999-12-31T23:59:59.9999999Z
    "#);
}

#[test]
fn members_that_do_not_exist_are_refused() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "startTime": "2030-01-01", "every": 2}"#), @"
    ✗ recurrence.startTime: move startTime beside action
    ✗ recurrence.every: there is no such member here, only cron, frequency, interval, schedule, cronDialect, timeZone, count, endTime
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hors": [5]}}"#), @"✗ recurrence.schedule.hors: there is no such member here: did you mean hours?");
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthlyOccurrences": [{"day": "Friday", "week": 2}]}}"#), @"✗ recurrence.schedule.monthlyOccurrences[0].week: there is no such member here, only day, occurrence");
}

#[test]
fn recurrences_that_are_wrong() {
    assert_snapshot!(recurrence("{}"), @"✗ recurrence.frequency: given nothing, expected one of Minute, Hour, Day, Week, Month, Year, or cron");
    assert_snapshot!(recurrence(r#""daily""#), @"✗ recurrence: given a text, expected an object in braces");
    assert_snapshot!(recurrence("[]"), @"✗ recurrence: given a list of 0, expected an object in braces");
    assert_snapshot!(recurrence(r#"{"interval": 5}"#), @"✗ recurrence.frequency: given nothing, expected one of Minute, Hour, Day, Week, Month, Year, or cron");
    assert_snapshot!(recurrence(r#"{"frequency": "fortnight"}"#), @r#"✗ recurrence.frequency: given "fortnight", expected one of Minute, Hour, Day, Week, Month, Year"#);
    assert_snapshot!(recurrence(r#"{"frequency": 5}"#), @"✗ recurrence.frequency: given 5, expected one of Minute, Hour, Day, Week, Month, Year");
    assert_snapshot!(recurrence(r#"{"frequency": ["Day"]}"#), @"✗ recurrence.frequency: given a list of 1, expected one of Minute, Hour, Day, Week, Month, Year");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": 0}"#), @"✗ recurrence.interval: given 0, expected 1 to 548 with frequency Day");
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "interval": 19}"#), @"✗ recurrence.interval: given 19, expected 1 to 18 with frequency Month");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": 1.5}"#), @"✗ recurrence.interval: given 1.5, expected a whole number");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": 123456789012345678901234567890}"#), @"✗ recurrence.interval: given 1.2345678901234568e29, expected a whole number of at most 18 digits");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": 10000000000000000000}"#), @"✗ recurrence.interval: given 10000000000000000000, expected a whole number of at most 18 digits");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": "two"}"#), @r#"✗ recurrence.interval: given "two", expected a whole number"#);
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": [1]}"#), @"✗ recurrence.interval: given a list of 1, expected a whole number");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "count": 0}"#), @"✗ recurrence.count: given 0, expected 1 to 2147483647");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "count": 3000000000}"#), @"✗ recurrence.count: given 3000000000, expected 1 to 2147483647");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "endTime": "2012-13-04"}"#), @r#"✗ recurrence.endTime: given "2012-13-04", expected a month from 1 to 12, not 13"#);
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "endTime": 1351987200}"#), @"✗ recurrence.endTime: given 1351987200, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "timeZone": "Europe/Atlantis"}"#), @r#"✗ recurrence.timeZone: given "Europe/Atlantis", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time"#);
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "timeZone": 2}"#), @"✗ recurrence.timeZone: given 2, expected a text in quotes");
    assert_snapshot!(recurrence(r#"{"cron": "* * *"}"#), @"✗ recurrence.cron: an expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 3");
    assert_snapshot!(recurrence(r#"{"cron": 5}"#), @"✗ recurrence.cron: given 5, expected a text in quotes");
    assert_snapshot!(recurrence(r#"{"cron": "@daily", "frequency": "Day", "interval": 1, "schedule": {"hours": [1]}}"#), @"
    ✗ recurrence.frequency: cron and frequency exclude each other: keep one
    ✗ recurrence.interval: cron and interval exclude each other: keep one
    ✗ recurrence.schedule: cron and schedule exclude each other: keep one
    ");
}

#[test]
fn starts_that_are_wrong() {
    assert_snapshot!(timed(r#""startTime": """#), @r#"✗ startTime: given "", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00"#);
    assert_snapshot!(timed(r#""startTime": "2012-08-04T25:00Z""#), @r#"✗ startTime: given "2012-08-04T25:00Z", expected an hour from 0 to 23, not 25"#);
    assert_snapshot!(timed(r#""startTime": "04.08.2012""#), @r#"✗ startTime: given "04.08.2012", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00"#);
    assert_snapshot!(timed(r#""startTime": 1344038400"#), @"✗ startTime: given 1344038400, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes");
    assert_snapshot!(timed(r#""startTime": {"at": "2030-01-01"}"#), @"✗ startTime: given an object, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes");
}
