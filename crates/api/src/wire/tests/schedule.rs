//! Schedules.

use insta::assert_snapshot;

use super::recurrence;

#[test]
fn every_list() {
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"minutes": [0, 59], "hours": [0, 23], "monthDays": [1, 31, -1, -31], "months": [1, 12], "monthlyOccurrences": [{"day": "monday", "occurrence": -5}, {"day": "Sunday"}]}}"#), @"Every(Every { frequency: Month, interval: 1, schedule: Some(Schedule { minutes: [0, 59], hours: [0, 23], week_days: [], month_days: [1, 31, -1, -31], monthly_occurrences: [MonthlyOccurrence { day: Monday, occurrence: Some(-5) }, MonthlyOccurrence { day: Sunday, occurrence: None }], months: [1, 12] }) })");
}

#[test]
fn schedules_that_are_wrong() {
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": [5]}"#), @"✗ recurrence.schedule: given a list of 1, expected an object in braces");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hours": [0, 24]}}"#), @"✗ recurrence.schedule.hours[1]: given 24, expected 0 to 23; 0 is midnight");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hours": "noon"}}"#), @r#"✗ recurrence.schedule.hours[0]: given "noon", expected a whole number"#);
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"hours": [5.5, true, null, [6], -1]}}"#), @"
    ✗ recurrence.schedule.hours[0]: given 5.5, expected a whole number
    ✗ recurrence.schedule.hours[1]: given true, expected a whole number
    ✗ recurrence.schedule.hours[2]: given null, expected a whole number
    ✗ recurrence.schedule.hours[3]: given a list of 1, expected a whole number
    ✗ recurrence.schedule.hours[4]: given -1, expected 0 to 23; 0 is midnight
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"minutes": [60], "months": [0, 13]}}"#), @"
    ✗ recurrence.schedule.minutes[0]: given 60, expected 0 to 59
    ✗ recurrence.schedule.months[0]: given 0, expected 1 to 12
    ✗ recurrence.schedule.months[1]: given 13, expected 1 to 12
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Day", "schedule": {"weekDays": ["Monday"]}}"#), @"✗ recurrence.schedule.weekDays: given frequency Day, expected weekDays only with frequency Week");
    assert_snapshot!(recurrence(r#"{"frequency": "Week", "schedule": {"weekDays": ["Montag", 1]}}"#), @r#"
    ✗ recurrence.schedule.weekDays[0]: given "Montag", expected one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday
    ✗ recurrence.schedule.weekDays[1]: given 1, expected one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday
    "#);
    assert_snapshot!(recurrence(r#"{"frequency": "Week", "schedule": {"monthDays": [1], "monthlyOccurrences": [{"day": "Friday"}]}}"#), @"
    ✗ recurrence.schedule.monthDays: given frequency Week, expected monthDays only with frequency Month or Year
    ✗ recurrence.schedule.monthlyOccurrences: given frequency Week, expected monthlyOccurrences only with frequency Month or Year
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthDays": [0, 32]}}"#), @"
    ✗ recurrence.schedule.monthDays[0]: given 0, expected 1 to 31, or -1 to -31
    ✗ recurrence.schedule.monthDays[1]: given 32, expected 1 to 31, or -1 to -31
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthlyOccurrences": [{"occurrence": 1}, {"day": "Friday", "occurrence": 0}, {"day": "Friday", "occurrence": "last"}, "Friday"]}}"#), @r#"
    ✗ recurrence.schedule.monthlyOccurrences[0].day: given nothing, expected a weekday such as Friday
    ✗ recurrence.schedule.monthlyOccurrences[2].occurrence: given "last", expected a whole number
    ✗ recurrence.schedule.monthlyOccurrences[3]: given a text, expected an object in braces
    ✗ recurrence.schedule.monthlyOccurrences[1].occurrence: given 0, expected 1 to 5, or -1 to -5
    "#);
    assert_snapshot!(recurrence(r#"{"frequency": "Month", "schedule": {"monthlyOccurrences": 5}}"#), @"✗ recurrence.schedule.monthlyOccurrences[0]: given 5, expected an object in braces");
}
