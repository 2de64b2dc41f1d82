//! Past times that run now.

use insta::assert_snapshot;
use punctual_model::history::{NotRun, Reason, StatusKind};
use punctual_model::occurrence::{Origin, Phase};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::attempts::{attempted, attempted_as, beside, find_job, not_run};
use crate::server::{Server, instant};

/// A job that calls something every hour.
fn hourly() -> Value {
    json!({
        "action": { "request": { "uri": "https://example.com" } },
        "startTime": "2026-11-01T00:00:00Z",
        "recurrence": { "frequency": "hour" }
    })
}

async fn backfill(server: &Server, body: Value) -> Answer {
    server.call("POST", "/v1/jobs/j/backfill").plain().json(&body).send().await
}

async fn get(server: &Server, path: &str) -> Answer {
    server.call("GET", path).plain().send().await
}

#[tokio::test]
async fn what_did_not_run_is_counted_first_and_then_opened() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", hourly()).await;
    server.set_clock("2026-11-15T20:30:00Z");
    let job = find_job(&server, "default", "j").await;
    attempted(&server, &job, "2026-11-15T15:00:00Z", "2026-11-15T15:00:00Z", StatusKind::Failed).await;
    let manual = (Origin::Manual(1), Phase::Main);
    attempted_as(&server, &job, manual, "2026-11-15T16:00:00Z", "2026-11-15T16:00:00Z", StatusKind::Completed).await;
    let missed = NotRun {
        number: 2,
        last: instant("2026-11-15T19:00:00Z"),
        ..NotRun::one(instant("2026-11-15T18:00:00Z"), Reason::Missed)
    };
    not_run(&server, &job, "2026-11-15T19:30:00Z", missed).await;
    let mut body = json!({ "from": "2026-11-15T14:00:00Z", "spacing": "PT2S", "dryRun": true });
    let dry = backfill(&server, body.clone()).await;
    assert_snapshot!(dry.body(), @r#"{"dryRun":true,"count":6,"first":"2026-11-15T14:00:00Z","last":"2026-11-15T20:00:00Z","spacingMs":2000}"#);
    assert_eq!(beside(&server, &job).await, [], "it was only asked");
    body["only"] = json!("all");
    assert_snapshot!(backfill(&server, body.clone()).await.body(), @r#"{"dryRun":true,"count":7,"first":"2026-11-15T14:00:00Z","last":"2026-11-15T20:00:00Z","spacingMs":2000}"#);
    body["only"] = json!("notRun");
    body["dryRun"] = json!(false);
    assert_snapshot!(backfill(&server, body.clone()).await.body(), @r#"{"dryRun":false,"count":6,"first":"2026-11-15T14:00:00Z","last":"2026-11-15T20:00:00Z","spacingMs":2000}"#);
    let opened = beside(&server, &job)
        .await
        .into_iter()
        .map(|(part, _)| format!("{} to {} at {}", part.nominal, part.backlog_until.unwrap(), part.wake_at));
    assert_snapshot!(opened.collect::<Vec<_>>().join("\n"), @"
    2026-11-15T14:00:00Z to 2026-11-15T14:00:00Z at 2026-11-15T20:30:00Z
    2026-11-15T16:00:00Z to 2026-11-15T20:00:00Z at 2026-11-15T20:30:02Z
    ");
    assert_snapshot!(get(&server, "/v1/jobs/j").await.at("/status/backfill"), @r#"{"last":"2026-11-15T20:00:00Z","left":6,"next":"2026-11-15T14:00:00Z"}"#);
    assert_eq!(
        get(&server, "/v1/jobs/j/backfill").await.json(),
        get(&server, "/v1/jobs/j").await.at("/status/backfill")
    );
    let second = backfill(&server, body).await;
    assert_eq!(second.status(), 409);
    assert_snapshot!(second.at("/error/message"), @r#""A backfill of job 'j' is open; let it end, or cancel it.""#);
    let cancelled = server.call("DELETE", "/v1/jobs/j/backfill").plain().send().await;
    assert_snapshot!(cancelled.body(), @r#"{"left":1,"next":"2026-11-15T14:00:00Z","last":"2026-11-15T14:00:00Z"}"#);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", hourly()).await;
    let mut wrong = Vec::new();
    for body in [
        json!({}),
        json!({ "from": "2026-11-15T13:00:00Z" }),
        json!({ "from": "2026-11-14T00:00:00Z", "to": "2026-11-16T00:00:00Z" }),
        json!({ "from": "2026-11-14T00:00:00Z", "spacing": "PT2H" }),
        json!({ "from": "2026-11-14T00:00:00Z", "only": "failed" }),
        json!({ "from": "2026-11-14T00:00:00Z", "until": "2026-11-15T00:00:00Z" }),
    ] {
        wrong.push(backfill(&server, body).await.at("/error/details/0/message").to_string());
    }
    let minutely = json!({
        "action": { "request": { "uri": "https://example.com" } },
        "startTime": "2026-10-01T00:00:00Z",
        "recurrence": { "frequency": "minute" }
    });
    server.put("/v1/jobs/j", minutely).await;
    wrong.push(
        backfill(&server, json!({ "from": "2026-10-01T00:00:00Z" })).await.at("/error/details/0/message").to_string(),
    );
    assert_snapshot!(wrong.join("\n"), @r#"
    "Given nothing, expected the first instant of the range, such as 2026-01-01T00:00:00Z."
    "Given 2026-11-15T13:00:00Z, expected an instant before the end of the range, 2026-11-15T12:00:00Z."
    "Given 2026-11-16T00:00:00Z, expected an instant that has passed, up to 2026-11-15T12:00:00Z."
    "Given more than that, expected at most 1 hour."
    "Given \"failed\", expected one of notRun, all."
    "There is no such member here, only from, to, spacing, only, dryRun."
    "More than 20000 times lie from 2026-10-01T00:00:00Z to 2026-11-15T12:00:00Z: choose a shorter range."
    "#);
    server.call("POST", "/v1/jobs/j/disable").send().await;
    let disabled = backfill(&server, json!({ "from": "2026-11-15T11:00:00Z" })).await;
    assert_eq!(disabled.status(), 409);
    assert_snapshot!(disabled.at("/error/message"), @r#""The job is disabled; enable it first.""#);
    assert_eq!(get(&server, "/v1/jobs/none/backfill").await.status(), 404);
}

#[tokio::test]
async fn history_says_which_runs_are_of_a_backfill() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", hourly()).await;
    server.set_clock("2026-11-15T20:30:00Z");
    let job = find_job(&server, "default", "j").await;
    let origin = (Origin::Backfill, Phase::Main);
    attempted_as(&server, &job, origin, "2026-11-15T15:00:00Z", "2026-11-15T20:00:00Z", StatusKind::Failed).await;
    let listed = get(&server, "/v1/jobs/j/history").await;
    assert_eq!(
        (listed.at("/value/0/origin"), listed.at("/value/0/expectedExecutionTime")),
        (json!("backfill"), json!("2026-11-15T15:00:00Z"))
    );
    assert_eq!(get(&server, "/v1/jobs/j").await.at("/status/failuresInARow"), 0, "it does not count for alerts");
}
