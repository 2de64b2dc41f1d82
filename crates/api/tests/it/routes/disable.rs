//! Disabling a job with a note and an end, and enabling it.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Server;

/// A job that calls something every minute from 12:00 on.
fn minutely() -> Value {
    json!({
        "action": { "request": { "uri": "https://example.com" } },
        "startTime": "2026-11-15T12:00:00Z",
        "recurrence": { "frequency": "Minute" }
    })
}

async fn disable(server: &Server, body: Value) -> Answer {
    server.call("POST", "/v1/jobs/j/disable").plain().json(&body).send().await
}

async fn get(server: &Server, path: &str) -> Answer {
    server.call("GET", path).plain().send().await
}

/// What is said of a disabled job: its state, since when, until when and why.
fn said(answer: &Answer) -> String {
    let status = answer.at("/status");
    let members =
        ["disabledSince", "disabledUntil", "note"].map(|name| status[name].as_str().unwrap_or("-").to_owned());
    format!("{} {}", answer.at("/state").as_str().unwrap(), members.join(" "))
}

#[tokio::test]
async fn a_note_and_an_end_are_kept_shown_and_removed() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", minutely()).await;
    server.set_clock("2026-11-15T12:30:10Z");
    let disabled =
        disable(&server, json!({ "note": " the target moves ", "until": "2026-11-16T08:00:00+01:00" })).await;
    assert_snapshot!(said(&disabled), @"disabled 2026-11-15T12:30:10Z 2026-11-16T07:00:00Z the target moves");
    assert_eq!(said(&get(&server, "/v1/jobs/j").await), said(&disabled));
    let listed = get(&server, "/v1/jobs").await;
    assert_eq!(listed.at("/value/0/status/disabledUntil"), "2026-11-16T07:00:00Z");
    server.set_clock("2026-11-15T12:40:10Z");
    let again = disable(&server, json!({ "note": "the target has moved" })).await;
    assert_snapshot!(said(&again), @"disabled 2026-11-15T12:30:10Z - the target has moved");
    let same = disable(&server, json!({ "note": "the target has moved" })).await;
    assert_eq!(same.etag(), again.etag(), "nothing was changed");
    let patched =
        server.call("PATCH", "/v1/jobs/j").plain().json(&json!({ "options": { "timeout": "PT5S" } })).send().await;
    assert_eq!(said(&patched), said(&again), "an edit of something else leaves them");
    assert_snapshot!(said(&server.call("POST", "/v1/jobs/j/enable").plain().send().await), @"enabled - - -");
    let disabled = server.call("PATCH", "/v1/jobs/j").plain().json(&json!({ "state": "disabled" })).send().await;
    assert_snapshot!(said(&disabled), @"disabled 2026-11-15T12:40:10Z - -");
    let changes = get(&server, "/v1/jobs/j/changes").await.at("/value");
    let told = changes.as_array().unwrap().iter().map(|change| {
        format!("{} {} {}", change["change"].as_str().unwrap(), change["note"].as_str().unwrap_or("-"), change["time"])
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    disabled - "2026-11-15T12:40:10Z"
    enabled - "2026-11-15T12:40:10Z"
    changed the target has moved "2026-11-15T12:40:10Z"
    changed the target has moved "2026-11-15T12:40:10Z"
    disabled the target moves "2026-11-15T12:30:10Z"
    created - "2026-11-15T12:00:00Z"
    "#);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_and_changes_nothing() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", minutely()).await;
    let mut wrong = Vec::new();
    for body in [
        json!({ "until": "2026-11-15T12:00:00Z" }),
        json!({ "until": "2126-11-15T12:00:00Z" }),
        json!({ "until": "monday" }),
        json!({ "note": "x".repeat(1001) }),
        json!({ "till": "2026-11-16T12:00:00Z" }),
    ] {
        wrong.push(disable(&server, body).await.at("/error/details/0/message").to_string());
    }
    assert_snapshot!(wrong.join("\n"), @r#"
    "Given 2026-11-15T12:00:00Z, expected an instant after now, 2026-11-15T12:00:00Z, and before 2036-11-22T12:00:00Z."
    "Given 2126-11-15T12:00:00Z, expected an instant after now, 2026-11-15T12:00:00Z, and before 2036-11-22T12:00:00Z."
    "Given \"monday\", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00."
    "Given 1001 characters, expected at most 1000 characters."
    "There is no such member here, only note, until."
    "#);
    assert_eq!(get(&server, "/v1/jobs/j").await.at("/state"), "enabled");
    assert_eq!(server.call("POST", "/v1/jobs/j/enable").json(&json!({ "note": "x" })).send().await.status(), 400);
    assert_eq!(server.call("POST", "/v1/jobs/none/disable").json(&json!({})).send().await.status(), 404);
    let stale = server.call("POST", "/v1/jobs/j/disable").header("if-match", "\"0-0\"").send().await;
    assert_eq!(stale.status(), 412);
}
