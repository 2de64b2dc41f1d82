//! Pausing the server, and running jobs again.

use std::sync::Arc;

use insta::assert_snapshot;
use punctual_metrics::Metrics;
use punctual_model::history::{NotRun, Reason, Record};
use punctual_store::HistoryEntry;
use serde_json::json;

use crate::attempts::{find_job, write};
use crate::server::{Server, instant};

/// A job that calls something every minute from 12:00 on.
fn minutely() -> serde_json::Value {
    json!({
        "action": { "request": { "uri": "https://example.com" } },
        "startTime": "2026-11-15T12:00:00Z",
        "recurrence": { "frequency": "Minute" }
    })
}

#[tokio::test]
async fn who_paused_it_and_why_is_told_with_what_resuming_would_run() {
    let server = Server::start().await;
    server.set_clock("2026-11-15T11:59:30Z");
    assert_snapshot!(server.get("/v1/pause").await.body(), @r#"{"paused":false}"#);
    assert_eq!(server.get("/readyz").await.body(), r#"{"status":"ready"}"#);
    server.put("/v1/jobs/a", minutely()).await;
    server.put("/v1/jobs/b", minutely()).await;
    server
        .put(
            "/v1/jobs/later",
            json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2030-01-01" }),
        )
        .await;
    let paused = server.call("POST", "/v1/pause").json(&json!({ "why": "a drill" })).send().await;
    assert_snapshot!(paused.body(), @r#"{"paused":true,"lastPause":{"since":"2026-11-15T11:59:30Z","by":"token hyboqd4ahybo","why":"a drill"}}"#);
    assert_eq!(server.get("/readyz").await.body(), r#"{"status":"ready","paused":true}"#);
    server.set_clock("2026-11-15T12:30:10Z");
    assert_eq!(server.post("/v1/jobs/later/run").await.status(), 200, "a manual run is acknowledged, and waits");
    let state = server.get("/v1/pause").await;
    assert_snapshot!(state.body(), @r#"{"paused":true,"lastPause":{"since":"2026-11-15T11:59:30Z","by":"token hyboqd4ahybo","why":"a drill"},"resuming":{"inFlight":0,"jobs":3,"runs":3,"notRun":60,"isAtLeast":false}}"#);
    assert_eq!(server.post("/v1/resume?dryRun=true").await.body(), state.body());
    let again = server.call("POST", "/v1/pause").json(&json!({ "why": "another reason" })).send().await;
    assert_eq!(again.body(), paused.body(), "one that is paused stays as it is");
    assert_snapshot!(server.post("/v1/resume").await.body(), @r#"{"paused":false,"lastPause":{"since":"2026-11-15T11:59:30Z","by":"token hyboqd4ahybo","why":"a drill","until":"2026-11-15T12:30:10Z","resumedBy":"token hyboqd4ahybo"}}"#);
    assert_eq!(
        server.get("/v1/pause").await.body(),
        server.post("/v1/resume").await.body(),
        "resuming twice is resuming"
    );
}

/// What is wrong with a request to pause.
async fn pause(server: &Server, body: serde_json::Value) -> String {
    server.call("POST", "/v1/pause").json(&body).send().await.at("/error/details/0/message").to_string()
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let server = Server::start().await;
    assert_snapshot!(pause(&server, json!({ "reason": "x" })).await, @r#""There is no such member here, only why.""#);
    assert_snapshot!(pause(&server, json!({ "why": "x".repeat(1001) })).await, @r#""Given 1001 characters, expected at most 1000 characters.""#);
    assert_snapshot!(server.post("/v1/resume?dryRun=1").await.at("/error/details/0/message"), @r#""Given \"1\", expected true or false.""#);
    assert_snapshot!(server.post("/v1/resume?dryrun=true&x=1").await.at("/error/details/0/message"), @r#""There is no such parameter here, only dryRun, api-version.""#);
    assert_eq!(server.get("/v1/pause").await.body(), r#"{"paused":false}"#, "none of them did anything");
}

#[tokio::test]
async fn runs_that_were_asked_for_count() {
    let server = Server::start().await;
    server.set_clock("2026-11-15T11:59:30Z");
    server.put("/v1/jobs/a", minutely()).await;
    for _ in 0..3 {
        server.post("/v1/jobs/a/run").await;
    }
    server.post("/v1/pause").await;
    server.set_clock("2026-11-15T12:00:01Z");
    assert_snapshot!(server.get("/v1/pause").await.at("/resuming"), @r#"{"inFlight":0,"isAtLeast":false,"jobs":1,"notRun":0,"runs":4}"#);
}

#[tokio::test]
async fn attempts_in_flight_are_not_started_by_resuming() {
    let metrics = Arc::<Metrics>::default();
    let server = Server::start().await.counting(Arc::clone(&metrics));
    server.set_clock("2026-11-15T11:59:30Z");
    server.put("/v1/jobs/early", minutely()).await;
    server.post("/v1/jobs/early/run").await;
    let later = serde_json::Value::from("2026-11-15T12:00:30Z");
    let mut late = minutely();
    late["startTime"] = later;
    server.put("/v1/jobs/late", late).await;
    server.set_clock("2026-11-15T12:00:05Z");
    server.post("/v1/pause").await;
    // The manual run and the first occurrence of `early` were started before the pause, and take long.
    metrics.engine.in_flight.set(2);
    server.set_clock("2026-11-15T12:00:35Z");
    assert_snapshot!(server.get("/v1/pause").await.at("/resuming"), @r#"{"inFlight":2,"isAtLeast":false,"jobs":1,"notRun":0,"runs":1}"#);
    server.set_clock("2026-11-15T12:02:05Z");
    assert_snapshot!(server.get("/v1/pause").await.at("/resuming"), @r#"{"inFlight":2,"isAtLeast":false,"jobs":1,"notRun":3,"runs":1}"#);
    // One has ended, and whose it was is not known here: the one that was due first is taken for the other.
    metrics.engine.in_flight.set(1);
    server.set_clock("2026-11-15T12:00:35Z");
    assert_snapshot!(server.get("/v1/pause").await.at("/resuming"), @r#"{"inFlight":1,"isAtLeast":false,"jobs":2,"notRun":0,"runs":2}"#);
}

#[tokio::test]
async fn who_paused_and_resumed_is_a_change_and_an_event() {
    let server = Server::start().await;
    assert_snapshot!(server.get("/v1/changes").await.body(), @r#"{"value":[],"nextLink":null}"#);
    let (_, stream) = server.call("GET", "/v1/events").send_for_stream().await;
    let mut stream = stream.unwrap();
    server.post("/v1/resume").await;
    server.post("/v1/pause").await;
    server.post("/v1/pause").await;
    server.set_clock("2026-11-15T12:30:00Z");
    server.post("/v1/resume").await;
    server.post("/v1/resume").await;
    assert_snapshot!(server.get("/v1/changes").await.body(), @r#"{"value":[{"id":"3","time":"2026-11-15T12:30:00Z","by":"token hyboqd4ahybo","change":"resumed"},{"id":"2","time":"2026-11-15T12:00:00Z","by":"token hyboqd4ahybo","change":"paused"}],"nextLink":null}"#);
    let mut told = String::new();
    while told.matches("event: ").count() < 2 {
        told.push_str(std::str::from_utf8(&stream.next().await.unwrap()).unwrap());
    }
    assert_snapshot!(told, @r#"
    id: 1048575-2
    event: edited
    data: {"type":"edited","time":"2026-11-15T12:00:00Z","edit":"paused"}

    id: 1048575-3
    event: edited
    data: {"type":"edited","time":"2026-11-15T12:30:00Z","edit":"resumed"}
    "#);
    let scope = crate::server::collection("default");
    let reader = server.token(punctual_model::access::Role::Reader, &scope).await;
    assert_eq!(server.call("GET", "/v1/changes").bearer(&reader).send().await.status(), 403);
}

/// Whoever finds in the history that something was not run sees who wanted it so.
#[tokio::test]
async fn what_was_not_run_in_a_pause_says_who_paused() {
    let server = Server::start().await;
    server.set_clock("2026-11-15T11:59:30Z");
    server.put("/v1/jobs/j", minutely()).await;
    server.post("/v1/pause").await;
    server.set_clock("2026-11-15T12:10:00Z");
    server.post("/v1/resume").await;
    let job = find_job(&server, "default", "j").await;
    for (first, reason) in [
        ("2026-11-15T11:00:00Z", Reason::Missed),
        ("2026-11-15T12:01:00Z", Reason::Paused),
        ("2026-11-15T13:00:00Z", Reason::Paused),
    ] {
        let range = NotRun { number: 4, ..NotRun::one(instant(first), reason) };
        let record = Record::of_not_run(job.uid, range, instant("2026-11-15T13:30:00Z"));
        let entry = HistoryEntry { job: job.id, record, node: 0, revision: 1, is_duplicate: false };
        write(&server, Vec::new(), vec![entry]).await;
    }
    let mut shown = Vec::new();
    for path in ["/v1/jobs/j/history", "/v1/history"] {
        let list = server.call("GET", path).plain().send().await;
        shown.push([0, 1, 2].map(|at| list.at(&format!("/value/{at}/notRun")).to_string()).join("\n"));
    }
    assert_eq!(shown[0], shown[1]);
    assert_snapshot!(shown[0], @r#"
    {"first":"2026-11-15T13:00:00Z","last":"2026-11-15T13:00:00Z","number":4,"reason":"paused"}
    {"by":"token hyboqd4ahybo","first":"2026-11-15T12:01:00Z","last":"2026-11-15T12:01:00Z","number":4,"reason":"paused","since":"2026-11-15T11:59:30Z"}
    {"first":"2026-11-15T11:00:00Z","last":"2026-11-15T11:00:00Z","number":4,"reason":"missed"}
    "#);
}
