//! Writing again what is there changes nothing.

use serde_json::{Value, json};

use super::{daily, with};
use crate::server::Server;

fn next(answer: &crate::answer::Answer) -> Value {
    answer.at("/properties/status/nextExecutionTime")
}

#[tokio::test]
async fn the_same_again_changes_nothing() {
    let server = Server::start().await;
    let jobs = [
        daily(),
        json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "hour" } }),
        json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "cron": "7 3 * * *", "timeZone": "Europe/Berlin" },
            "startTime": "2026-11-20T10:00" , "options": { "timeout": "PT2M", "overlap": "allow" } }),
    ];
    for (number, job) in jobs.into_iter().enumerate() {
        server.set_clock("2026-11-15T12:00:00Z");
        let path = format!("/v1/jobs/j{number}");
        let made = server.put(&path, job.clone()).await;
        assert_eq!(made.status(), 201, "{made}");
        server.set_clock("2026-11-15T12:30:00Z");
        let before = server.get(&path).await;
        let again = server.put(&path, job).await;
        assert_eq!((again.status(), again.etag(), next(&again)), (200, made.etag(), next(&before)), "{again}");
        let read = server.put(&path, before.json()).await;
        assert_eq!((read.status(), read.etag(), next(&read)), (200, made.etag(), next(&before)), "{read}");
        let patched = server.patch(&path, json!({})).await;
        assert_eq!((patched.status(), patched.etag()), (200, made.etag()), "{patched}");
    }
}

#[tokio::test]
async fn another_action_keeps_the_time() {
    let server = Server::start().await;
    let job = json!({ "properties": { "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Hour" } } });
    server.put("/v1/jobs/j", job.clone()).await;
    server.set_clock("2026-11-15T12:20:00Z");
    let before = next(&server.get("/v1/jobs/j").await);
    let other = with(job, "/properties/action/request/uri", "https://example.org".into());
    assert_eq!(next(&server.put("/v1/jobs/j", other).await), before);
}

#[tokio::test]
async fn another_recurrence_without_a_start_keeps_the_anchor() {
    let server = Server::start().await;
    let job = json!({ "properties": { "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Hour" } } });
    let future = with(job.clone(), "/properties/startTime", "2026-11-15T13:00:00Z".into());
    server.put("/v1/jobs/j", future.clone()).await;
    let two = with(future, "/properties/recurrence/interval", 2.into());
    server.set_clock("2026-11-15T13:30:00Z");
    assert_eq!(
        next(&server.patch("/v1/jobs/j", json!({ "recurrence": { "interval": 2 } })).await),
        "2026-11-15T15:00:00Z"
    );
    let again = server.put("/v1/jobs/j", two).await;
    assert_eq!(next(&again), "2026-11-15T15:00:00Z", "{again}");
}

#[tokio::test]
async fn enabling_goes_on_with_the_next_point() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    server.patch("/v1/jobs/j", json!({ "properties": { "state": "Disabled" } })).await;
    assert_eq!(next(&server.get("/v1/jobs/j").await), json!(null));
    server.set_clock("2026-11-18T09:00:00Z");
    let on = server.patch("/v1/jobs/j", json!({ "properties": { "state": "Enabled" } })).await;
    assert_eq!(next(&on), "2026-11-19T08:00:00Z");
}

#[tokio::test]
async fn a_one_time_job_that_never_ran_runs_when_it_is_enabled() {
    let server = Server::start().await;
    let job =
        json!({ "properties": { "action": { "request": { "uri": "https://example.com" } }, "state": "Disabled" } });
    server.put("/v1/jobs/j", job).await;
    server.set_clock("2026-11-18T09:00:00Z");
    let on = server.patch("/v1/jobs/j", json!({ "properties": { "state": "Enabled" } })).await;
    assert_eq!(next(&on), "2026-11-15T12:00:00Z", "due since it was accepted: {on}");
}
