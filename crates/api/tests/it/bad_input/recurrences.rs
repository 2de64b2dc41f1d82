use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn recurrences() {
    let mut table = Table::new().await;
    for (sent, field) in [
        (r#""daily""#, "recurrence"),
        ("[]", "recurrence"),
        ("{}", "recurrence.frequency"),
        (r#"{"interval": 2}"#, "recurrence.frequency"),
        (r#"{"frequency": "fortnight"}"#, "recurrence.frequency"),
        (r#"{"frequency": 3}"#, "recurrence.frequency"),
        (r#"{"frequency": "second"}"#, "recurrence.frequency"),
        (r#"{"frequency": "day", "interval": 0}"#, "recurrence.interval"),
        (r#"{"frequency": "day", "interval": -1}"#, "recurrence.interval"),
        (r#"{"frequency": "day", "interval": 1.5}"#, "recurrence.interval"),
        (r#"{"frequency": "day", "interval": "often"}"#, "recurrence.interval"),
        (r#"{"frequency": "minute", "interval": 1001}"#, "recurrence.interval"),
        (r#"{"frequency": "hour", "interval": 1001}"#, "recurrence.interval"),
        (r#"{"frequency": "day", "interval": 549}"#, "recurrence.interval"),
        (r#"{"frequency": "week", "interval": 79}"#, "recurrence.interval"),
        (r#"{"frequency": "month", "interval": 19}"#, "recurrence.interval"),
        (r#"{"frequency": "year", "interval": 11}"#, "recurrence.interval"),
        (r#"{"frequency": "day", "count": 0}"#, "recurrence.count"),
        (r#"{"frequency": "day", "count": -3}"#, "recurrence.count"),
        (r#"{"frequency": "day", "count": 2147483648}"#, "recurrence.count"),
        (r#"{"frequency": "day", "count": 1e40}"#, "recurrence.count"),
        (r#"{"frequency": "day", "endTime": "never"}"#, "recurrence.endTime"),
        (r#"{"frequency": "day", "endTime": 20270101}"#, "recurrence.endTime"),
        (r#"{"frequency": "day", "timeZone": "Mars/Olympus"}"#, "recurrence.timeZone"),
        (r#"{"frequency": "day", "timeZone": ""}"#, "recurrence.timeZone"),
        (r#"{"frequency": "day", "timeZone": 1}"#, "recurrence.timeZone"),
        (r#"{"frequency": "day", "intervall": 2}"#, "recurrence.intervall"),
        (r#"{"frequency": "day", "hours": [5]}"#, "recurrence.hours"),
        (r#"{"frequency": "day", "startTime": "2027-01-01"}"#, "recurrence.startTime"),
        (
            r#"{"frequency": "x", "interval": 0, "count": 0, "endTime": "x", "schedule": 1, "timeZone": "x"}"#,
            "recurrence.schedule",
        ),
    ] {
        table.recurrence(sent, field).await;
    }
    let flat = r#"{"recurrence": {"frequency": "day", "interval": 0}}"#;
    let answer = table.server.patch("/v1/jobs/j", super::parsed(flat)).await;
    table.add(&format!("PATCH {flat}"), "recurrence.interval", &answer);
    assert_snapshot!(table.finish().await, @r#"
    {"recurrence": "daily"}
      -> properties.recurrence: Given a text, expected an object in braces.
    {"recurrence": []}
      -> properties.recurrence: Given a list of 0, expected an object in braces.
    {"recurrence": {}}
      -> properties.recurrence.frequency: Given nothing, expected one of Minute, Hour, Day, Week, Month, Year, or cron.
    {"recurrence": {"interval": 2}}
      -> properties.recurrence.frequency: Given nothing, expected one of Minute, Hour, Day, Week, Month, Year, or cron.
    {"recurrence": {"frequency": "fortnight"}}
      -> properties.recurrence.frequency: Given "fortnight", expected one of Minute, Hour, Day, Week, Month, Year.
    {"recurrence": {"frequency": 3}}
      -> properties.recurrence.frequency: Given 3, expected one of Minute, Hour, Day, Week, Month, Year.
    {"recurrence": {"frequency": "second"}}
      -> properties.recurrence.frequency: Given "second", expected one of Minute, Hour, Day, Week, Month, Year.
    {"recurrence": {"frequency": "day", "interval": 0}}
      -> properties.recurrence.interval: Given 0, expected 1 to 548 with frequency Day.
    {"recurrence": {"frequency": "day", "interval": -1}}
      -> properties.recurrence.interval: Given -1, expected 1 to 548 with frequency Day.
    {"recurrence": {"frequency": "day", "interval": 1.5}}
      -> properties.recurrence.interval: Given 1.5, expected a whole number.
    {"recurrence": {"frequency": "day", "interval": "often"}}
      -> properties.recurrence.interval: Given "often", expected a whole number.
    {"recurrence": {"frequency": "minute", "interval": 1001}}
      -> properties.recurrence.interval: Given 1001, expected 1 to 1000 with frequency Minute.
    {"recurrence": {"frequency": "hour", "interval": 1001}}
      -> properties.recurrence.interval: Given 1001, expected 1 to 1000 with frequency Hour.
    {"recurrence": {"frequency": "day", "interval": 549}}
      -> properties.recurrence.interval: Given 549, expected 1 to 548 with frequency Day.
    {"recurrence": {"frequency": "week", "interval": 79}}
      -> properties.recurrence.interval: Given 79, expected 1 to 78 with frequency Week.
    {"recurrence": {"frequency": "month", "interval": 19}}
      -> properties.recurrence.interval: Given 19, expected 1 to 18 with frequency Month.
    {"recurrence": {"frequency": "year", "interval": 11}}
      -> properties.recurrence.interval: Given 11, expected 1 to 10 with frequency Year.
    {"recurrence": {"frequency": "day", "count": 0}}
      -> properties.recurrence.count: Given 0, expected 1 to 2147483647.
    {"recurrence": {"frequency": "day", "count": -3}}
      -> properties.recurrence.count: Given -3, expected 1 to 2147483647.
    {"recurrence": {"frequency": "day", "count": 2147483648}}
      -> properties.recurrence.count: Given 2147483648, expected 1 to 2147483647.
    {"recurrence": {"frequency": "day", "count": 1e40}}
      -> properties.recurrence.count: Given 1e40, expected a whole number of at most 18 digits.
    {"recurrence": {"frequency": "day", "endTime": "never"}}
      -> properties.recurrence.endTime: Given "never", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"recurrence": {"frequency": "day", "endTime": 20270101}}
      -> properties.recurrence.endTime: Given 20270101, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"recurrence": {"frequency": "day", "timeZone": "Mars/Olympus"}}
      -> properties.recurrence.timeZone: Given "Mars/Olympus", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time.
    {"recurrence": {"frequency": "day", "timeZone": ""}}
      -> properties.recurrence.timeZone: Given "", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time.
    {"recurrence": {"frequency": "day", "timeZone": 1}}
      -> properties.recurrence.timeZone: Given 1, expected a text in quotes.
    {"recurrence": {"frequency": "day", "intervall": 2}}
      -> properties.recurrence.intervall: There is no such member here: did you mean interval?
    {"recurrence": {"frequency": "day", "hours": [5]}}
      -> properties.recurrence.hours: Move hours into recurrence.schedule.
    {"recurrence": {"frequency": "day", "startTime": "2027-01-01"}}
      -> properties.recurrence.startTime: Move startTime beside action.
    {"recurrence": {"frequency": "x", "interval": 0, "count": 0, "endTime": "x", "schedule": 1, "timeZone": "x"}}
      -> properties.recurrence.frequency: Given "x", expected one of Minute, Hour, Day, Week, Month, Year.
      -> properties.recurrence.schedule: Given 1, expected an object in braces.
      -> properties.recurrence.endTime: Given "x", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
      -> properties.recurrence.count: Given 0, expected 1 to 2147483647.
      -> properties.recurrence.timeZone: Given "x", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time.
    PATCH {"recurrence": {"frequency": "day", "interval": 0}}
      -> recurrence.interval: Given 0, expected 1 to 548 with frequency Day.
    "#);
}
