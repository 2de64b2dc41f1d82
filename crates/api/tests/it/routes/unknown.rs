//! Members and parameters that nobody knows, and JSON that is none in the strict sense.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::{Server, collection};

fn details(details: &Value) -> String {
    let text = |name: &str, detail: &Value| detail[name].as_str().unwrap().to_owned();
    let details = details.as_array().unwrap().iter();
    details
        .map(|detail| format!("{}: {}", text("target", detail), text("message", detail)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A wrong time is worse than an error: on the short path nothing unknown is taken, and on the long one nothing that looks
/// as if it decided when the job runs.
#[tokio::test]
async fn what_decides_when_is_never_ignored() {
    let server = Server::start().await;
    let action = r#""action": {"request": {"uri": "https://example.com"}}"#;
    let long = format!("{}/jobs/j?api-version=2016-03-01", collection("default"));
    let mut table = String::new();
    for body in [
        format!(r#"{{"properties": {{{action}}}, "startTime": "2030-01-01"}}"#),
        format!(r#"{{{action}, "timeZone": "Europe/Berlin", "recurrence": {{"frequency": "day"}}}}"#),
        format!(r#"{{{action}, "cron": "@daily"}}"#),
        format!(r#"{{{action}, "reccurence": {{"frequency": "day"}}}}"#),
        format!(r#"{{{action}, "starttme": "2030-01-01"}}"#),
        format!(r#"{{{action}, "jitter": "PT5S"}}"#),
        format!(r#"{{{action}, "options": {{"catchup": "none", "catchUpp": "all"}}}}"#),
        format!(r#"{{{action}, "recurrence": {{"frequency": "day", "hours": [5]}}}}"#),
        format!(r#"{{{action}, "recurrence": {{"frequency": "day", "schedule": {{"timezone": "UTC"}}}}}}"#),
        format!(r#"{{{action}, "retryPolicy": {{"interval": "PT1M", "count": 2}}}}"#),
        format!(r#"{{{action}, "location": "x", "tags": {{}}, "etag": "e"}}"#),
        r#"{"action": {"request": {"url": "https://example.com", "uri": "https://example.com"}}}"#.to_owned(),
        r#"{"action": {"request": {"uri": "https://example.com", "timeout": "PT5S"}}}"#.to_owned(),
    ] {
        for path in ["/v1/jobs/j", &long] {
            let answer = server.call("PUT", path).body(body.clone()).send().await;
            let said = match answer.status() {
                400 => details(&answer.at("/error/details")),
                status => format!("{status} {}", answer.header("warning")),
            };
            writeln!(table, "{body}\n  {} -> {said}", &path[..3]).unwrap();
        }
    }
    assert_snapshot!(table, @r#"
    {"properties": {"action": {"request": {"uri": "https://example.com"}}}, "startTime": "2030-01-01"}
      /v1 -> startTime: Move startTime beside action.
    {"properties": {"action": {"request": {"uri": "https://example.com"}}}, "startTime": "2030-01-01"}
      /su -> startTime: Move startTime beside action.
    {"action": {"request": {"uri": "https://example.com"}}, "timeZone": "Europe/Berlin", "recurrence": {"frequency": "day"}}
      /v1 -> timeZone: Move timeZone into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "timeZone": "Europe/Berlin", "recurrence": {"frequency": "day"}}
      /su -> timeZone: Move timeZone into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "cron": "@daily"}
      /v1 -> cron: Move cron into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "cron": "@daily"}
      /su -> cron: Move cron into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "reccurence": {"frequency": "day"}}
      /v1 -> reccurence: There is no such member here: did you mean recurrence?
    {"action": {"request": {"uri": "https://example.com"}}, "reccurence": {"frequency": "day"}}
      /su -> reccurence: There is no such member here: did you mean recurrence?
    {"action": {"request": {"uri": "https://example.com"}}, "starttme": "2030-01-01"}
      /v1 -> starttme: There is no such member here: did you mean startTime?
    {"action": {"request": {"uri": "https://example.com"}}, "starttme": "2030-01-01"}
      /su -> starttme: There is no such member here: did you mean startTime?
    {"action": {"request": {"uri": "https://example.com"}}, "jitter": "PT5S"}
      /v1 -> jitter: Move jitter into options.
    {"action": {"request": {"uri": "https://example.com"}}, "jitter": "PT5S"}
      /su -> jitter: Move jitter into options.
    {"action": {"request": {"uri": "https://example.com"}}, "options": {"catchup": "none", "catchUpp": "all"}}
      /v1 -> options.catchUpp: There is no such member here: did you mean catchUp?
    {"action": {"request": {"uri": "https://example.com"}}, "options": {"catchup": "none", "catchUpp": "all"}}
      /su -> options.catchUpp: There is no such member here: did you mean catchUp?
    {"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "day", "hours": [5]}}
      /v1 -> recurrence.hours: Move hours into recurrence.schedule.
    {"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "day", "hours": [5]}}
      /su -> recurrence.hours: Move hours into recurrence.schedule.
    {"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "day", "schedule": {"timezone": "UTC"}}}
      /v1 -> recurrence.schedule.timezone: Move timeZone into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"frequency": "day", "schedule": {"timezone": "UTC"}}}
      /su -> recurrence.schedule.timezone: Move timeZone into recurrence.
    {"action": {"request": {"uri": "https://example.com"}}, "retryPolicy": {"interval": "PT1M", "count": 2}}
      /v1 -> retryPolicy.interval: Did you mean retryInterval? retryPolicy.count: Did you mean retryCount?
    {"action": {"request": {"uri": "https://example.com"}}, "retryPolicy": {"interval": "PT1M", "count": 2}}
      /su -> retryPolicy.interval: Did you mean retryInterval? retryPolicy.count: Did you mean retryCount?
    {"action": {"request": {"uri": "https://example.com"}}, "location": "x", "tags": {}, "etag": "e"}
      /v1 -> location: There is no such member here, only properties, action, startTime, recurrence, state, retryPolicy, errorAction, options. tags: There is no such member here, only properties, action, startTime, recurrence, state, retryPolicy, errorAction, options.
    {"action": {"request": {"uri": "https://example.com"}}, "location": "x", "tags": {}, "etag": "e"}
      /su -> 201 299 punctual "location: ignored: it means nothing here; tags: ignored: it means nothing here; etag: ignored: it means nothing here"
    {"action": {"request": {"url": "https://example.com", "uri": "https://example.com"}}}
      /v1 -> action.request.url: There is no such member here: did you mean uri?
    {"action": {"request": {"url": "https://example.com", "uri": "https://example.com"}}}
      /su -> 200 299 punctual "action.request.url: ignored: it means nothing here"
    {"action": {"request": {"uri": "https://example.com", "timeout": "PT5S"}}}
      /v1 -> action.request.timeout: Move timeout into options.
    {"action": {"request": {"uri": "https://example.com", "timeout": "PT5S"}}}
      /su -> action.request.timeout: Move timeout into options.
    "#);
    assert_eq!(server.get("/v1/jobs/j?colour=red").await.status(), 400);
    let answer = server.get("/v1/jobs?$tpo=5&$top=5").await;
    assert_snapshot!(details(&answer.at("/error/details")), @"$tpo: There is no such parameter here: did you mean $top?");
}

/// The shapes of the original's documents: comments, trailing commas, members in other places.
#[tokio::test]
async fn comments_and_trailing_commas_are_passed_over() {
    let server = Server::start().await;
    let body = r#"{ // a job
        "action": { "type": "http", "request": { "uri": "https://example.com/a//b", /* two */ "method": "GET", }, },
        "recurrence": { "frequency": "day", "schedule": { "hours": [5, 17, ], }, },
    }"#;
    let made = server.call("PUT", "/v1/jobs/j").body(body).send().await;
    assert_eq!(made.status(), 201);
    assert_snapshot!(made.header("warning"), @r#"299 punctual "body: comments and trailing commas were passed over: JSON has none""#);
    let twice = r#"{"state": "disabled", /* and */ "State": "enabled",}"#;
    assert_eq!(server.call("PATCH", "/v1/jobs/j").body(twice).send().await.status(), 400);
    let quota = json!({ "properties": { "quota": { "maxJobs": 3 } } });
    let made = server.put("/v1/collections/c", quota).await;
    assert_snapshot!(made.header("warning"), @r#"299 punctual "properties.quota.maxJobs: taken as maxJobCount""#);
}
