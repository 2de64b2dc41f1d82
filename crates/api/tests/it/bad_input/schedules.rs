use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn schedules() {
    let mut table = Table::new().await;
    for (sent, field) in [
        (r#"{"frequency": "day", "schedule": 5}"#, "schedule"),
        (r#"{"frequency": "day", "schedule": {"hours": [24]}}"#, "schedule.hours[0]"),
        (r#"{"frequency": "day", "schedule": {"hours": [5, -1]}}"#, "schedule.hours[1]"),
        (r#"{"frequency": "day", "schedule": {"hours": ["noon"]}}"#, "schedule.hours[0]"),
        (r#"{"frequency": "day", "schedule": {"hours": [5.5]}}"#, "schedule.hours[0]"),
        (r#"{"frequency": "day", "schedule": {"hours": "5,6"}}"#, "schedule.hours"),
        (r#"{"frequency": "day", "schedule": {"minutes": [60]}}"#, "schedule.minutes[0]"),
        (r#"{"frequency": "day", "schedule": {"minutes": [true]}}"#, "schedule.minutes[0]"),
        (r#"{"frequency": "day", "schedule": {"weekDays": ["monday"]}}"#, "schedule.weekDays"),
        (r#"{"frequency": "week", "schedule": {"weekDays": ["someday"]}}"#, "schedule.weekDays[0]"),
        (r#"{"frequency": "week", "schedule": {"weekDays": [1]}}"#, "schedule.weekDays[0]"),
        (r#"{"frequency": "week", "schedule": {"monthDays": [1]}}"#, "schedule.monthDays"),
        (r#"{"frequency": "month", "schedule": {"weekDays": ["monday"]}}"#, "schedule.weekDays"),
        (r#"{"frequency": "month", "schedule": {"monthDays": [0]}}"#, "schedule.monthDays[0]"),
        (r#"{"frequency": "month", "schedule": {"monthDays": [32, -32]}}"#, "schedule.monthDays[1]"),
        (
            r#"{"frequency": "day", "schedule": {"monthlyOccurrences": [{"day": "friday"}]}}"#,
            "schedule.monthlyOccurrences",
        ),
        (r#"{"frequency": "month", "schedule": {"monthlyOccurrences": ["friday"]}}"#, "schedule.monthlyOccurrences[0]"),
        (
            r#"{"frequency": "month", "schedule": {"monthlyOccurrences": [{"occurrence": 1}]}}"#,
            "schedule.monthlyOccurrences[0].day",
        ),
        (
            r#"{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 0}]}}"#,
            "schedule.monthlyOccurrences[0].occurrence",
        ),
        (
            r#"{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 6}]}}"#,
            "schedule.monthlyOccurrences[0].occurrence",
        ),
        (
            r#"{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "week": 1}]}}"#,
            "schedule.monthlyOccurrences[0].week",
        ),
        (r#"{"frequency": "year", "schedule": {"months": [13]}}"#, "schedule.months[0]"),
        (r#"{"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}}"#, "recurrence"),
        (r#"{"frequency": "day", "schedule": {"hour": [5], "hours": [6]}}"#, "schedule.hour"),
        (r#"{"frequency": "day", "schedule": {"seconds": [5]}}"#, "schedule.seconds"),
    ] {
        table.recurrence(sent, field).await;
    }
    let many: Vec<_> = (0..129).map(|minute| minute % 60).collect();
    table
        .recurrence(&format!(r#"{{"frequency": "day", "schedule": {{"minutes": {many:?}}}}}"#), "schedule.minutes")
        .await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace(r#"{"recurrence": "#, ""), @r#"
    {"frequency": "day", "schedule": 5}}
      -> properties.recurrence.schedule: Given 5, expected an object in braces.
    {"frequency": "day", "schedule": {"hours": [24]}}}
      -> properties.recurrence.schedule.hours[0]: Given 24, expected 0 to 23; 0 is midnight.
    {"frequency": "day", "schedule": {"hours": [5, -1]}}}
      -> properties.recurrence.schedule.hours[1]: Given -1, expected 0 to 23; 0 is midnight.
    {"frequency": "day", "schedule": {"hours": ["noon"]}}}
      -> properties.recurrence.schedule.hours[0]: Given "noon", expected a whole number.
    {"frequency": "day", "schedule": {"hours": [5.5]}}}
      -> properties.recurrence.schedule.hours[0]: Given 5.5, expected a whole number.
    {"frequency": "day", "schedule": {"hours": "5,6"}}}
      -> properties.recurrence.schedule.hours[0]: Given "5,6", expected a whole number.
    {"frequency": "day", "schedule": {"minutes": [60]}}}
      -> properties.recurrence.schedule.minutes[0]: Given 60, expected 0 to 59.
    {"frequency": "day", "schedule": {"minutes": [true]}}}
      -> properties.recurrence.schedule.minutes[0]: Given true, expected a whole number.
    {"frequency": "day", "schedule": {"weekDays": ["monday"]}}}
      -> properties.recurrence.schedule.weekDays: Given frequency Day, expected weekDays only with frequency Week.
    {"frequency": "week", "schedule": {"weekDays": ["someday"]}}}
      -> properties.recurrence.schedule.weekDays[0]: Given "someday", expected one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday.
    {"frequency": "week", "schedule": {"weekDays": [1]}}}
      -> properties.recurrence.schedule.weekDays[0]: Given 1, expected one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday.
    {"frequency": "week", "schedule": {"monthDays": [1]}}}
      -> properties.recurrence.schedule.monthDays: Given frequency Week, expected monthDays only with frequency Month or Year.
    {"frequency": "month", "schedule": {"weekDays": ["monday"]}}}
      -> properties.recurrence.schedule.weekDays: Given frequency Month, expected weekDays only with frequency Week.
    {"frequency": "month", "schedule": {"monthDays": [0]}}}
      -> properties.recurrence.schedule.monthDays[0]: Given 0, expected 1 to 31, or -1 to -31.
    {"frequency": "month", "schedule": {"monthDays": [32, -32]}}}
      -> properties.recurrence.schedule.monthDays[0]: Given 32, expected 1 to 31, or -1 to -31.
      -> properties.recurrence.schedule.monthDays[1]: Given -32, expected 1 to 31, or -1 to -31.
    {"frequency": "day", "schedule": {"monthlyOccurrences": [{"day": "friday"}]}}}
      -> properties.recurrence.schedule.monthlyOccurrences: Given frequency Day, expected monthlyOccurrences only with frequency Month or Year.
    {"frequency": "month", "schedule": {"monthlyOccurrences": ["friday"]}}}
      -> properties.recurrence.schedule.monthlyOccurrences[0]: Given a text, expected an object in braces.
    {"frequency": "month", "schedule": {"monthlyOccurrences": [{"occurrence": 1}]}}}
      -> properties.recurrence.schedule.monthlyOccurrences[0].day: Given nothing, expected a weekday such as Friday.
    {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurre…
      -> properties.recurrence.schedule.monthlyOccurrences[0].occurrence: Given 0, expected 1 to 5, or -1 to -5.
    {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurre…
      -> properties.recurrence.schedule.monthlyOccurrences[0].occurrence: Given 6, expected 1 to 5, or -1 to -5.
    {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "week": 1}]}}}
      -> properties.recurrence.schedule.monthlyOccurrences[0].week: There is no such member here, only day, occurrence.
    {"frequency": "year", "schedule": {"months": [13]}}}
      -> properties.recurrence.schedule.months[0]: Given 13, expected 1 to 12.
    {"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}}}
      -> properties.recurrence: Given a rule that matches no date up to the year 9999, expected days and times that exist together.
    {"frequency": "day", "schedule": {"hour": [5], "hours": [6]}}}
      -> properties.recurrence.schedule.hour: Keep only hours, which means the same.
    {"frequency": "day", "schedule": {"seconds": [5]}}}
      -> properties.recurrence.schedule.seconds: There is no such member here, only minutes, hours, weekDays, monthDays, monthlyOccurrences, months.
    {"frequency": "day", "schedule": {"minutes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1…
      -> properties.recurrence.schedule.minutes: Given 129 values, expected at most 128 values.
    "#);
}
