//! Why a job did, or did not, run at some time.

use insta::assert_snapshot;
use punctual_model::history::{NotRun, Reason, StatusKind};
use punctual_model::occurrence::{Origin, Phase};
use serde_json::{Value, json};

use crate::attempts::{attempted, attempted_as, find_job, not_run};
use crate::server::{Server, instant};

/// A job that calls something every hour, by the clock of Prague.
fn hourly() -> Value {
    json!({
        "action": { "request": { "uri": "https://example.com" } },
        "recurrence": { "cron": "0 * * * *", "timeZone": "Europe/Prague" }
    })
}

/// The verdict, the reason and the sentence.
async fn said(server: &Server, at: &str) -> String {
    let answer = server.call("GET", &format!("/v1/jobs/j/at/{at}")).plain().send().await;
    assert_eq!(answer.status(), 200, "{answer}");
    let word = |name: &str| answer.at(name).as_str().unwrap_or("-").to_owned();
    format!("{} {} {}", word("/verdict"), word("/reason"), word("/sentence"))
}

fn range(first: &str, last: &str, reason: Reason) -> NotRun {
    NotRun { first: instant(first), last: instant(last), number: 2, reason }
}

#[tokio::test]
async fn what_history_and_changes_tell() {
    let server = Server::start().await;
    server.set_clock("2026-11-15T10:30:00Z");
    server.put("/v1/jobs/j", hourly()).await;
    server.set_clock("2026-11-15T15:30:00Z");
    server.call("POST", "/v1/jobs/j/disable").json(&json!({ "note": "x" })).send().await;
    server.set_clock("2026-11-15T17:30:00Z");
    server.post("/v1/jobs/j/enable").await;
    server.set_clock("2026-11-15T18:30:00Z");
    server.post("/v1/collections/default/disable").await;
    server.set_clock("2026-11-15T19:30:00Z");
    server.post("/v1/collections/default/enable").await;
    server.set_clock("2026-11-15T20:30:00Z");
    server.post("/v1/pause").await;
    server.set_clock("2026-11-15T21:30:00Z");
    server.post("/v1/resume").await;
    server.set_clock("2026-11-15T23:30:00Z");
    let job = find_job(&server, "default", "j").await;
    attempted(&server, &job, "2026-11-15T11:00:00Z", "2026-11-15T11:00:00Z", StatusKind::Completed).await;
    attempted(&server, &job, "2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z", StatusKind::Failed).await;
    let overlap = range("2026-11-15T13:00:00Z", "2026-11-15T14:00:00Z", Reason::Overlap);
    not_run(&server, &job, "2026-11-15T14:20:00Z", overlap).await;
    let paused = NotRun::one(instant("2026-11-15T21:00:00Z"), Reason::Paused);
    not_run(&server, &job, "2026-11-15T21:30:00Z", paused).await;
    let missed = NotRun::one(instant("2026-11-15T22:00:00Z"), Reason::Missed);
    not_run(&server, &job, "2026-11-15T23:20:00Z", missed).await;
    attempted(&server, &job, "2026-11-15T23:00:00Z", "2026-11-15T23:20:01Z", StatusKind::Completed).await;
    let backfill = (Origin::Backfill, Phase::Main);
    attempted_as(&server, &job, backfill, "2026-11-15T14:00:00Z", "2026-11-15T23:25:00Z", StatusKind::Completed).await;
    let mut told = Vec::new();
    for at in [
        "2026-11-15T10:00:00Z",
        "12:00",
        "2026-11-15T12:30",
        "2026-11-15T12:00:00Z",
        "2026-11-15T13:00:00Z",
        "2026-11-15T14:00:00Z",
        "2026-11-15T16:00:00Z",
        "2026-11-15T19:00:00Z",
        "2026-11-15T21:00:00Z",
        "2026-11-15T22:00:00Z",
        "2026-11-15T23:00:00Z",
        "2026-11-16T23:00:00Z",
    ] {
        told.push(format!("{at}: {}", said(&server, at).await));
    }
    assert_snapshot!(told.join("\n"), @"
    2026-11-15T10:00:00Z: notYet - The job did not exist yet; token hyboqd4ahybo created it at 2026-11-15 11:30:00+01:00.
    12:00: ran - It ran at 2026-11-15 12:00:00+01:00.
    2026-11-15T12:30: notDue - It was not due at 2026-11-15 12:30:00+01:00. Before it 2026-11-15 12:00:00+01:00, after it 2026-11-15 13:00:00+01:00.
    2026-11-15T12:00:00Z: givenUp - It failed for good at 2026-11-15 13:00:00+01:00, after 1 attempt: example.com answered 500 Internal Server Error.
    2026-11-15T13:00:00Z: notRun overlap Not run: the one of 2026-11-15 13:00:00+01:00 was still running or waiting for a retry.
    2026-11-15T14:00:00Z: notRun overlap Not run: the one of 2026-11-15 13:00:00+01:00 was still running or waiting for a retry. A backfill ran it at 2026-11-16 00:25:00+01:00.
    2026-11-15T16:00:00Z: notRun disabled Not run: the job was disabled by token hyboqd4ahybo, 2026-11-15 16:30:00+01:00 to 2026-11-15 18:30:00+01:00.
    2026-11-15T19:00:00Z: notRun disabled Not run: its collection was disabled by token hyboqd4ahybo, 2026-11-15 19:30:00+01:00 to 2026-11-15 20:30:00+01:00.
    2026-11-15T21:00:00Z: notRun paused Not run: everything was paused by token hyboqd4ahybo, 2026-11-15 21:30:00+01:00 to 2026-11-15 22:30:00+01:00.
    2026-11-15T22:00:00Z: notRun missed Not run: nothing could start it in its time. The latest ran at 2026-11-16 00:20:01+01:00.
    2026-11-15T23:00:00Z: ranLate - It ran later, at 2026-11-16 00:20:01+01:00: 20 minutes after its time.
    2026-11-16T23:00:00Z: due - It is due then.
    ");
    server.call("DELETE", "/v1/jobs/j").send().await;
    assert_snapshot!(said(&server, "2026-11-15T12:00:00Z").await, @"deleted - The job was deleted by token hyboqd4ahybo at 2026-11-15 23:30:00Z.");
}

#[tokio::test]
async fn what_cannot_be_asked() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", hourly()).await;
    let wrong = server.get("/v1/jobs/j/at/noon").await;
    assert_snapshot!(wrong.at("/error/details/0/message"), @r#""Given \"noon\", expected an instant such as 2026-01-31T03:15:00Z, a local time such as 2026-01-31T03:15, or 03:15.""#);
    assert_eq!(server.get("/v1/jobs/none/at/12:00").await.status(), 404);
    assert_eq!(server.get("/v1/collections/none/jobs/j/at/12:00").await.status(), 404);
}

/// A job that was made without a start has the fractions of the second in which it was made, which nobody writes.
#[tokio::test]
async fn fractions_of_a_second_are_not_asked_for() {
    let server = Server::start().await;
    server.set_clock("2026-11-15T12:00:07.1234567Z");
    let every =
        json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "minute" } });
    server.put("/v1/jobs/j", every).await;
    assert_snapshot!(said(&server, "2026-11-15T12:01:07Z").await, @"due - It is due then.");
    assert_snapshot!(said(&server, "2026-11-15T12:01:00Z").await, @"notDue - It is not due at 2026-11-15 12:01:00Z. Before it 2026-11-15 12:00:07Z, after it 2026-11-15 12:01:07Z.");
}
