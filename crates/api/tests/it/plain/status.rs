//! What has come of a job, in our own words.

use insta::assert_snapshot;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_model::job::Counters;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_store::{HistoryEntry, JobEntry, OpenWork, RowChange, WorkChange};
use serde_json::{Value, json};

use super::{get, make};
use crate::attempts::{find_job, write};
use crate::server::{Server, instant};

/// What an engine writes after an attempt of the schedule at `now`: how it ended, and what is open from then on.
async fn settled(server: &Server, now: &str, is_success: bool, faulted: u64, open: Occurrence) {
    let job = find_job(server, "default", "j").await;
    let now = instant(now);
    let row = server.work_store.work(vec![job.id.into()]).await.unwrap().remove(0).unwrap();
    let OpenWork::Schedule(before) = row.open else { panic!("not the schedule") };
    let tried = before.open.unwrap();
    let started = before.started + u32::from(open.nominal > tried.nominal);
    let status = if is_success { Status::Completed(tried.nominal) } else { Status::Failed(tried.nominal) };
    let record = Record {
        started: now,
        ended: now,
        occurrence: tried.id(job.uid),
        origin: Origin::Schedule,
        phase: Phase::Main,
        retry: tried.attempt,
        repeat: 1,
        status,
        is_resent: false,
        retry_at: None,
        message: if is_success { "HTTP 200".to_owned() } else { "HTTP 500".to_owned() },
        failure: (!is_success).then(|| Failure::answered(FailureClass::Status, "example.com", 500, "")),
    };
    let change = WorkChange {
        id: row.id,
        job: job.id,
        collection: row.collection,
        revision: row.revision,
        needs_shard: false,
        row: RowChange::Schedule {
            progress: Progress { open: Some(open), last_failed: !is_success, started, ..before },
            beside: None,
        },
        lane: row.lane,
        counted: Counters { executions: 1, failures: u64::from(!is_success), faulted, last_started: Some(now) },
        ends: None,
        records: vec![entry(&job, record)],
    };
    write(server, vec![change], Vec::new()).await;
}

fn entry(job: &JobEntry, record: Record) -> HistoryEntry {
    HistoryEntry { job: job.id, record, node: 0, revision: 1, is_duplicate: false }
}

/// An occurrence of the schedule after `attempt` attempts.
fn open(nominal: &str, attempt: u32, wake_at: &str) -> Occurrence {
    let series = 1;
    Occurrence { attempt, series, ..Occurrence::asked_for(Origin::Schedule, instant(nominal), instant(wake_at)) }
}

async fn status(server: &Server) -> String {
    let (one, listed) = (get(server, "/v1/jobs/j").await, get(server, "/v1/jobs").await);
    let (one, listed) = (one.at("/status"), listed.at("/value/0/status"));
    let said = listed.as_object().unwrap().iter().filter(|(name, value)| one[*name] != **value);
    assert_eq!(said.collect::<Vec<_>>(), [], "a list says less, and nothing else");
    one.to_string()
}

fn every_minute() -> Value {
    json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "minute" } })
}

#[tokio::test]
async fn the_life_of_a_job() {
    let server = Server::start().await;
    let made = make(&server, "/v1/jobs/j", every_minute()).await;
    assert_eq!(made.at("/status").to_string(), status(&server).await);
    assert_snapshot!(status(&server).await, @r#"{"executionCount":0,"failureCount":0,"failuresInARow":0,"faultedCount":0,"nextExecutionTime":"2026-11-15T12:00:00Z","outcome":"running","owedRuns":1}"#);
    settled(&server, "2026-11-15T12:00:00Z", true, 0, open("2026-11-15T12:01Z", 0, "2026-11-15T12:01Z")).await;
    assert_snapshot!(status(&server).await, @r#"{"executionCount":1,"failureCount":0,"failuresInARow":0,"faultedCount":0,"lastExecutionTime":"2026-11-15T12:00:00Z","lastOutcome":"succeeded","lastSuccessTime":"2026-11-15T12:00:00Z","message":"HTTP 200","nextExecutionTime":"2026-11-15T12:01:00Z","outcome":"succeeded","owedRuns":0,"recent":["succeeded"]}"#);
    server.set_clock("2026-11-15T12:01:01Z");
    settled(&server, "2026-11-15T12:01:00Z", false, 0, open("2026-11-15T12:01Z", 1, "2026-11-15T12:01:30Z")).await;
    assert_snapshot!(status(&server).await, @r#"{"executionCount":2,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":1,"failuresInARow":1,"faultedCount":0,"lastExecutionTime":"2026-11-15T12:01:00Z","lastOutcome":"failed","lastSuccessTime":"2026-11-15T12:00:00Z","message":"HTTP 500","nextExecutionTime":"2026-11-15T12:02:00Z","outcome":"waiting","owedRuns":1,"recent":["failed","succeeded"],"waitingUntil":"2026-11-15T12:01:30Z"}"#);
    server.set_clock("2026-11-15T12:01:30Z");
    assert_snapshot!(status(&server).await, @r#"{"executionCount":2,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":1,"failuresInARow":1,"faultedCount":0,"lastExecutionTime":"2026-11-15T12:01:00Z","lastOutcome":"failed","lastSuccessTime":"2026-11-15T12:00:00Z","message":"HTTP 500","nextExecutionTime":"2026-11-15T12:02:00Z","outcome":"running","owedRuns":1,"recent":["failed","succeeded"]}"#);
    settled(&server, "2026-11-15T12:01:30Z", false, 1, open("2026-11-15T12:02Z", 0, "2026-11-15T12:02Z")).await;
    assert_snapshot!(status(&server).await, @r#"{"executionCount":3,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":2,"failuresInARow":2,"faultedCount":1,"lastExecutionTime":"2026-11-15T12:01:30Z","lastOutcome":"givenUp","lastSuccessTime":"2026-11-15T12:00:00Z","message":"HTTP 500","nextExecutionTime":"2026-11-15T12:02:00Z","outcome":"givenUp","owedRuns":0,"recent":["failed","failed","succeeded"]}"#);
    // A run that was asked for.
    server.post("/v1/jobs/j/run").await;
    assert_snapshot!(status(&server).await, @r#"{"executionCount":3,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":2,"failuresInARow":2,"faultedCount":1,"lastExecutionTime":"2026-11-15T12:01:30Z","lastOutcome":"failed","lastSuccessTime":"2026-11-15T12:00:00Z","message":"HTTP 500","nextExecutionTime":"2026-11-15T12:02:00Z","outcome":"running","owedRuns":1,"recent":["failed","failed","succeeded"]}"#);
}

#[tokio::test]
async fn times_that_were_not_run_since_the_last_attempt() {
    let server = Server::start().await;
    make(&server, "/v1/jobs/j", every_minute()).await;
    settled(&server, "2026-11-15T12:00:00Z", false, 1, open("2026-11-15T12:03Z", 0, "2026-11-15T12:03Z")).await;
    let job = find_job(&server, "default", "j").await;
    let (first, last) = (instant("2026-11-15T12:01Z"), instant("2026-11-15T12:02Z"));
    let range = NotRun { first, last, number: 2, reason: Reason::Overlap };
    let record = Record::of_not_run(job.uid, range, instant("2026-11-15T12:02:01Z"));
    write(&server, Vec::new(), vec![entry(&job, record)]).await;
    server.set_clock("2026-11-15T12:02:10Z");
    assert_snapshot!(status(&server).await, @r#"{"executionCount":1,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":1,"failuresInARow":1,"faultedCount":1,"lastExecutionTime":"2026-11-15T12:00:00Z","lastOutcome":"givenUp","message":"HTTP 500","nextExecutionTime":"2026-11-15T12:03:00Z","notRun":{"first":"2026-11-15T12:01:00Z","last":"2026-11-15T12:02:00Z","number":2,"reason":"overlap"},"outcome":"givenUp","owedRuns":0,"recent":["failed"]}"#);
    // Whoever stops the job or its collection has not made it give up.
    server.patch("/v1/collections/default", json!({ "state": "disabled" })).await;
    server.set_clock("2026-11-15T12:03:10Z");
    assert_snapshot!(status(&server).await, @r#"{"executionCount":1,"failure":{"class":"status","code":500,"host":"example.com","reason":"example.com answered 500 Internal Server Error."},"failureCount":1,"failuresInARow":1,"faultedCount":1,"heldBy":"collectionDisabled","lastExecutionTime":"2026-11-15T12:00:00Z","lastOutcome":"failed","message":"HTTP 500","notRun":{"first":"2026-11-15T12:01:00Z","last":"2026-11-15T12:02:00Z","number":2,"reason":"overlap"},"outcome":"failed","owedRuns":0,"recent":["failed"]}"#);
}

/// Failures in a row are counted up to a success, however the attempts of the job went before.
#[tokio::test]
async fn failures_in_a_row() {
    let server = Server::start().await;
    make(&server, "/v1/jobs/j", every_minute()).await;
    let mut in_a_row = 0;
    for minute in 0..45 {
        let (at, next) = (format!("2026-11-15T12:{minute:02}Z"), format!("2026-11-15T12:{:02}Z", minute + 1));
        let is_success = minute == 3;
        settled(&server, &at, is_success, 1, open(&next, 0, &next)).await;
        in_a_row = if is_success { 0 } else { in_a_row + 1 };
        assert_eq!(get(&server, "/v1/jobs/j").await.at("/status/failuresInARow"), in_a_row, "{minute}");
        assert_eq!(get(&server, "/v1/jobs").await.at("/value/0/status/failuresInARow"), in_a_row, "{minute}");
    }
}

#[tokio::test]
async fn a_disabled_job_has_a_status_too() {
    let server = Server::start().await;
    let mut job = every_minute();
    job["state"] = json!("disabled");
    make(&server, "/v1/jobs/j", job).await;
    assert_snapshot!(status(&server).await, @r#"{"disabledSince":"2026-11-15T12:00:00Z","executionCount":0,"failureCount":0,"failuresInARow":0,"faultedCount":0,"owedRuns":0}"#);
}

/// Missed times that are made good one after the other are owed, as far as `count` allows them.
#[tokio::test]
async fn what_is_to_be_made_good_is_owed() {
    for (count, owed) in [(Value::Null, 5), (json!(100), 5), (json!(4), 3)] {
        let server = Server::start().await;
        let mut job = every_minute();
        job["recurrence"]["count"] = count;
        make(&server, "/v1/jobs/j", job).await;
        let backlog_until = Some(instant("2026-11-15T12:05Z"));
        let next = Occurrence { backlog_until, repeat: 2, ..open("2026-11-15T12:01Z", 0, "2026-11-15T12:06:01Z") };
        settled(&server, "2026-11-15T12:00:00Z", true, 0, next).await;
        server.set_clock("2026-11-15T12:06:00Z");
        let shown = get(&server, "/v1/jobs/j").await;
        assert_eq!((shown.at("/status/owedRuns"), shown.at("/status/outcome")), (json!(owed), json!("succeeded")));
    }
}

/// While the server is paused nothing is running, and what is due is owed.
#[tokio::test]
async fn nothing_runs_while_the_server_is_paused() {
    let server = Server::start().await;
    make(&server, "/v1/jobs/j", every_minute()).await;
    let outcome = async || get(&server, "/v1/jobs/j").await.at("/status/outcome");
    assert_eq!(outcome().await, "running");
    let paused = server.call("POST", "/v1/pause").plain().json(&json!({ "why": "a drill" })).send().await;
    assert_eq!(paused.status(), 200, "{paused}");
    assert_eq!(outcome().await, Value::Null);
    assert_eq!(get(&server, "/v1/jobs/j").await.at("/status/heldBy"), "paused");
    assert_eq!(get(&server, "/v1/jobs").await.at("/value/0/status/owedRuns"), 1);
    server.call("POST", "/v1/resume").plain().send().await;
    assert_eq!(outcome().await, "running");
}
