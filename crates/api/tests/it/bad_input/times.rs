//! Dates, durations and states of a job.

use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn dates() {
    let mut table = Table::new().await;
    for text in [
        r#""""#,
        r#""tomorrow""#,
        r#""2026-13-01""#,
        r#""2026-02-30""#,
        r#""2026-11-15T24:01:00Z""#,
        r#""2026-11-15T12:60:00Z""#,
        r#""2026-11-15T12:00:00+25:00""#,
        r#""2026-11-15 12""#,
        r#""15.11.2026""#,
        r#""11/15/2026""#,
        r#""2026-11-15T12:00:00X""#,
        r#""20261115""#,
        r#""-2026-01-01""#,
        r#""10000-01-01""#,
        "1700000000",
        "true",
        r#"["2026-01-01"]"#,
        r#"{"date": "2026-01-01"}"#,
    ] {
        table.job(&format!(r#"{{"startTime": {text}}}"#), "properties.startTime").await;
    }
    assert_snapshot!(table.finish().await, @r#"
    {"startTime": ""}
      -> properties.startTime: Given "", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "tomorrow"}
      -> properties.startTime: Given "tomorrow", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "2026-13-01"}
      -> properties.startTime: Given "2026-13-01", expected a month from 1 to 12, not 13.
    {"startTime": "2026-02-30"}
      -> properties.startTime: Given "2026-02-30", expected a day of February 2026 from 1 to 28, not 30.
    {"startTime": "2026-11-15T24:01:00Z"}
      -> properties.startTime: Given "2026-11-15T24:01:00Z", expected an hour from 0 to 23, not 24.
    {"startTime": "2026-11-15T12:60:00Z"}
      -> properties.startTime: Given "2026-11-15T12:60:00Z", expected a minute from 0 to 59, not 60.
    {"startTime": "2026-11-15T12:00:00+25:00"}
      -> properties.startTime: Given "2026-11-15T12:00:00+25:00", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "2026-11-15 12"}
      -> properties.startTime: Given "2026-11-15 12", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "15.11.2026"}
      -> properties.startTime: Given "15.11.2026", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "11/15/2026"}
      -> properties.startTime: Given "11/15/2026", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "2026-11-15T12:00:00X"}
      -> properties.startTime: Given "2026-11-15T12:00:00X", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "20261115"}
      -> properties.startTime: Given "20261115", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "-2026-01-01"}
      -> properties.startTime: Given "-2026-01-01", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": "10000-01-01"}
      -> properties.startTime: Given "10000-01-01", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"startTime": 1700000000}
      -> properties.startTime: Given 1700000000, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"startTime": true}
      -> properties.startTime: Given true, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"startTime": ["2026-01-01"]}
      -> properties.startTime: Given a list of 1, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"startTime": {"date": "2026-01-01"}}
      -> properties.startTime: Given an object, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    "#);
}

#[tokio::test]
async fn durations() {
    let mut table = Table::new().await;
    for text in [
        "",
        "P",
        "PT",
        "5",
        "5 min",
        "PT5",
        "P1Y",
        "P1M",
        "PTS",
        "PT1.5.5S",
        "1:2",
        "00:60:00",
        "25:00:00",
        "a.01:00:00",
        "PT99999999999999999999S",
        "P1D1H",
        "-PT5M",
        "PT-5M",
    ] {
        table.job(&format!(r#"{{"options": {{"timeout": {text:?}}}}}"#), "options.timeout").await;
    }
    assert_snapshot!(table.finish().await, @r#"
    {"options": {"timeout": ""}}
      -> properties.options.timeout: Given "", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "P"}}
      -> properties.options.timeout: Given "P", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "PT"}}
      -> properties.options.timeout: Given "PT", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "5"}}
      -> properties.options.timeout: Given "5", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "5 min"}}
      -> properties.options.timeout: Given "5 min", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "PT5"}}
      -> properties.options.timeout: Given "PT5", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "P1Y"}}
      -> properties.options.timeout: Given P1Y, expected 1 second to 30 minutes.
    {"options": {"timeout": "P1M"}}
      -> properties.options.timeout: Given P1M, expected 1 second to 30 minutes.
    {"options": {"timeout": "PTS"}}
      -> properties.options.timeout: Given "PTS", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "PT1.5.5S"}}
      -> properties.options.timeout: Given "PT1.5.5S", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "1:2"}}
      -> properties.options.timeout: Given 1:2, expected 1 second to 30 minutes.
    {"options": {"timeout": "00:60:00"}}
      -> properties.options.timeout: Given "00:60:00", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "25:00:00"}}
      -> properties.options.timeout: Given "25:00:00", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "a.01:00:00"}}
      -> properties.options.timeout: Given "a.01:00:00", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "PT99999999999999999999S"}}
      -> properties.options.timeout: Given "PT99999999999999999999S", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "P1D1H"}}
      -> properties.options.timeout: Given P1D1H, expected 1 second to 30 minutes.
    {"options": {"timeout": "-PT5M"}}
      -> properties.options.timeout: Given "-PT5M", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"timeout": "PT-5M"}}
      -> properties.options.timeout: Given "PT-5M", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    "#);
}

#[tokio::test]
async fn states() {
    let mut table = Table::new().await;
    for text in [r#""on""#, "true", "1", r#""Completed""#, r#""Faulted""#, r#""Suspended""#] {
        table.job(&format!(r#"{{"state": {text}, "recurrence": {{"frequency": "day"}}}}"#), "properties.state").await;
    }
    let new = r#"{"action": {"request": {"uri": "https://example.com"}}, "state": "Completed"}"#;
    table.put("/v1/jobs/new", &super::parsed(new), "state", new).await;
    assert_snapshot!(table.finish().await, @r#"
    {"state": "on", "recurrence": {"frequency": "day"}}
      -> properties.state: Given "on", expected one of Enabled, Disabled, Completed, Faulted.
    {"state": true, "recurrence": {"frequency": "day"}}
      -> properties.state: Given true, expected one of Enabled, Disabled, Completed, Faulted.
    {"state": 1, "recurrence": {"frequency": "day"}}
      -> properties.state: Given 1, expected one of Enabled, Disabled, Completed, Faulted.
    {"state": "Completed", "recurrence": {"frequency": "day"}}
      -> properties.state: Given Completed, expected Enabled or Disabled; a job ends by itself.
    {"state": "Faulted", "recurrence": {"frequency": "day"}}
      -> properties.state: Given Faulted, expected Enabled or Disabled; a job ends by itself.
    {"state": "Suspended", "recurrence": {"frequency": "day"}}
      -> properties.state: Given "Suspended", expected one of Enabled, Disabled, Completed, Faulted.
    {"action": {"request": {"uri": "https://example.com"}}, "state": "Completed"}
      -> state: Given Completed, expected Enabled or Disabled; a job ends by itself.
    "#);
}
