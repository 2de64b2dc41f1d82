//! What is taken although it is not quite right, and what is said about it.

use insta::assert_snapshot;

use super::{recurrence, timed};

#[test]
fn any_case_of_names_and_values() {
    assert_snapshot!(timed(r#""STARTTIME": "2030-01-01T00:00:00z", "Recurrence": {"FREQUENCY": "wEEK", "Schedule": {"WeekDays": ["MONDAY"]}}, "State": "DISABLED""#), @"
    from 2030-01-01T00:00:00Z
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [], hours: [], week_days: [Monday], month_days: [], monthly_occurrences: [], months: [] }) })
    state Disabled
    ");
}

#[test]
fn starts_without_seconds_zone_or_time() {
    assert_snapshot!(timed(r#""startTime": "2012-08-04T00:00Z""#), @"from 2012-08-04T00:00:00Z");
    assert_snapshot!(timed(r#""startTime": "2012-08-04""#), @"from 2012-08-04T00:00:00Z");
    assert_snapshot!(timed(r#""startTime": "2012-08-04T10:30""#), @"from 2012-08-04T10:30:00Z");
    assert_snapshot!(timed(r#""startTime": " 2012-08-04 10:30:15.12345678+02:00 ""#), @"from 2012-08-04T08:30:15.1234567Z");
}

#[test]
fn adverbs_for_frequencies() {
    assert_snapshot!(recurrence(r#"{"frequency": "minutely"}"#), @"
    Every(Every { frequency: Minute, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Minute
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Hourly"}"#), @"
    Every(Every { frequency: Hour, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Hour
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "daily"}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Day
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "WEEKLY"}"#), @"
    Every(Every { frequency: Week, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Week
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "monthly"}"#), @"
    Every(Every { frequency: Month, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Month
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "yearly"}"#), @"
    Every(Every { frequency: Year, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Year
    ");
}

#[test]
fn other_names_for_lists() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"minute": [1], "hour": [2], "month": [3]}}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: Some(Schedule { minutes: [1], hours: [2], week_days: [], month_days: [], monthly_occurrences: [], months: [3] }) })
    ! recurrence.schedule.minute: taken as minutes
    ! recurrence.schedule.hour: taken as hours
    ! recurrence.schedule.month: taken as months
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Week", "schedule": {"days": ["Monday"]}}"#), @"
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [], hours: [], week_days: [Monday], month_days: [], monthly_occurrences: [], months: [] }) })
    ! recurrence.schedule.days: taken as weekDays
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Week", "schedule": {"weekDay": "Monday"}}"#), @"
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [], hours: [], week_days: [Monday], month_days: [], monthly_occurrences: [], months: [] }) })
    ! recurrence.schedule.weekDay: taken as weekDays
    ! recurrence.schedule.weekDays: not a list; taken as a list of one
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthDay": [1], "monthlyOccurrence": [{"day": "Friday"}]}}"#), @"
    Every(Every { frequency: Month, interval: 1, schedule: Some(Schedule { minutes: [], hours: [], week_days: [], month_days: [1], monthly_occurrences: [MonthlyOccurrence { day: Friday, occurrence: None }], months: [] }) })
    ! recurrence.schedule.monthDay: taken as monthDays
    ! recurrence.schedule.monthlyOccurrence: taken as monthlyOccurrences
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hour": [1], "hours": [2]}}"#), @"✗ recurrence.schedule.hour: keep only hours, which means the same");
}

#[test]
fn one_value_for_a_list() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hours": 5, "minutes": "30"}}"#), @r#"
    Every(Every { frequency: Day, interval: 1, schedule: Some(Schedule { minutes: [30], hours: [5], week_days: [], month_days: [], monthly_occurrences: [], months: [] }) })
    ! recurrence.schedule.minutes: not a list; taken as a list of one
    ! recurrence.schedule.minutes[0]: the text "30" was taken as the number 30
    ! recurrence.schedule.hours: not a list; taken as a list of one
    "#);
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthlyOccurrences": {"day": "Friday", "Occurrence": -1}}}"#), @"
    Every(Every { frequency: Month, interval: 1, schedule: Some(Schedule { minutes: [], hours: [], week_days: [], month_days: [], monthly_occurrences: [MonthlyOccurrence { day: Friday, occurrence: Some(-1) }], months: [] }) })
    ! recurrence.schedule.monthlyOccurrences: not a list; taken as a list of one
    ");
}

#[test]
fn empty_lists_and_schedules() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hours": [], "minutes": [5]}}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: Some(Schedule { minutes: [5], hours: [], week_days: [], month_days: [], monthly_occurrences: [], months: [] }) })
    ! recurrence.schedule.hours: an empty list; taken as not given
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {}}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ! recurrence.schedule: without any list; taken as no schedule
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": null}"#), @"Every(Every { frequency: Day, interval: 1, schedule: None })");
}

#[test]
fn whole_numbers_however_they_are_written() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": 2.0, "count": 1e3}"#), @"
    Every(Every { frequency: Day, interval: 2, schedule: None })
    zone None, count Some(1000), end None
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "interval": "2"}"#), @r#"
    Every(Every { frequency: Day, interval: 2, schedule: None })
    ! recurrence.interval: the text "2" was taken as the number 2
    "#);
}

#[test]
fn null_is_absent() {
    assert_snapshot!(timed(r#""startTime": null, "recurrence": {"frequency": "Day", "interval": null, "count": null, "endTime": null, "schedule": {"hours": null}, "whatever": null}, "options": null"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ! recurrence.schedule: without any list; taken as no schedule
    ");
    assert_snapshot!(timed(r#""recurrence": null"#), @"");
}
