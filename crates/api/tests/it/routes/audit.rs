//! Whether everything that should have run did.

use insta::assert_snapshot;
use punctual_api::AuditLimits;
use punctual_model::history::StatusKind::{Completed, Failed, Postponed};
use punctual_model::job::Counters;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::progress::Progress;
use punctual_store::{HistoryBounds, JobEntry, OpenWork, RowChange, WorkChange};
use serde_json::json;

use crate::attempts::{attempted, find_job, write};
use crate::server::{Server, instant};

/// Lets the schedule of a job wait for that time, as if everything before had been accounted for.
async fn goes_on(server: &Server, job: &JobEntry, next: &str) {
    let row = server.work_store.work(vec![job.id.into()]).await.unwrap().remove(0).unwrap();
    let OpenWork::Schedule(before) = row.open else { panic!("not the schedule") };
    let next = instant(next);
    let open = Some(Occurrence { series: before.series, ..Occurrence::asked_for(Origin::Schedule, next, next) });
    let progress = Progress { open, accounted: next.saturating_add(-1), ..before };
    let change = WorkChange {
        id: row.id,
        job: job.id,
        collection: row.collection,
        revision: row.revision,
        needs_shard: false,
        row: RowChange::Schedule { progress, beside: None },
        lane: row.lane,
        counted: Counters::default(),
        ends: None,
        records: Vec::new(),
    };
    write(server, vec![change], Vec::new()).await;
}

fn every_minute() -> serde_json::Value {
    json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Minute" } })
}

#[tokio::test]
async fn what_ran_what_did_not_and_what_nobody_knows() {
    let server = Server::start().await;
    server.put("/v1/jobs/Hello", every_minute()).await;
    let job = find_job(&server, "default", "hello").await;
    for (minute, kind) in [(0, Completed), (1, Failed), (1, Completed), (2, Completed), (3, Postponed), (7, Completed)]
    {
        let at = format!("2026-11-15T12:0{minute}Z");
        attempted(&server, &job, &at, &at, kind).await;
    }
    goes_on(&server, &job, "2026-11-15T12:09Z").await;
    server.set_clock("2026-11-15T12:10:30Z");
    assert_snapshot!(server.get("/v1/audit?from=2026-11-15").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "from": "2026-11-15T00:00:00Z",
      "to": "2026-11-15T12:10:30Z",
      "historyFrom": "2026-11-15T00:00:00Z",
      "jobs": 1,
      "nominal": 11,
      "run": 4,
      "failed": 0,
      "attempts": 5,
      "notRun": {
        "overlap": 0,
        "missed": 1,
        "disabled": 0,
        "paused": 0,
        "shadow": 0,
        "deleted": 0
      },
      "open": 2,
      "unexplained": 4,
      "ranges": [
        {
          "job": 1,
          "path": "local/default/default/Hello",
          "first": "2026-11-15T12:04:00Z",
          "last": "2026-11-15T12:06:00Z",
          "number": 3
        },
        {
          "job": 1,
          "path": "local/default/default/Hello",
          "first": "2026-11-15T12:08:00Z",
          "last": "2026-11-15T12:08:00Z",
          "number": 1
        }
      ],
      "otherZones": 0
    }
    "#);
    let part = server.get("/v1/audit?from=2026-11-15T12:01Z&to=2026-11-15T12:03Z").await;
    assert_eq!((part.at("/nominal"), part.at("/run"), part.at("/attempts")), (json!(2), json!(2), json!(3)));
}

#[tokio::test]
async fn times_of_which_history_was_dropped_are_not_held_against_a_job() {
    let server = Server::start().await;
    server.put("/v1/jobs/Hello", every_minute()).await;
    let job = find_job(&server, "default", "hello").await;
    server.set_clock("2026-11-16T00:01:30Z");
    for at in ["2026-11-15T12:00Z", "2026-11-16T00:00Z", "2026-11-16T00:01Z"] {
        attempted(&server, &job, at, at, Completed).await;
    }
    goes_on(&server, &job, "2026-11-16T00:02Z").await;
    let before = server.get("/v1/audit?from=2026-11-15").await;
    assert_eq!((before.at("/run"), before.at("/unexplained")), (json!(3), json!(719)), "{before}");
    server.work_store.drop_history(&HistoryBounds::of_age(instant("2026-11-16"))).await.unwrap();
    let after = server.get("/v1/audit?from=2026-11-15").await;
    assert_eq!((after.at("/run"), after.at("/unexplained")), (json!(2), json!(0)), "{after}");
    assert_eq!(after.at("/historyFrom"), json!("2026-11-16T00:00:00Z"));
}

#[tokio::test]
async fn a_job_that_is_gone_is_looked_at_and_one_that_is_disabled_owes_nothing() {
    let server = Server::start().await;
    for name in ["gone", "disabled", "later"] {
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
        let job = find_job(&server, "default", name).await;
        attempted(&server, &job, "2026-11-15T12:00Z", "2026-11-15T12:00Z", Completed).await;
        goes_on(&server, &job, "2026-11-15T12:01Z").await;
    }
    server.set_clock("2026-11-15T12:00:30Z");
    server.patch("/v1/jobs/disabled", json!({ "properties": { "state": "Disabled" } })).await;
    server.set_clock("2026-11-15T12:02:30Z");
    server.delete("/v1/jobs/gone").await;
    server.set_clock("2026-11-15T12:05:30Z");
    let audit = server.get("/v1/audit?from=2026-11-15").await;
    assert_eq!((audit.at("/jobs"), audit.at("/run"), audit.at("/unexplained")), (json!(3), json!(3), json!(0)));
    assert_eq!((audit.at("/notRun/deleted"), audit.at("/open")), (json!(2), json!(5)), "{audit}");
    let rest = server.get("/v1/audit?from=2026-11-15&continue=2").await;
    assert_eq!(rest.at("/jobs"), 1);
}

/// What an audit reads is held in memory, so that nobody can have it hold any number of records.
#[tokio::test]
async fn an_audit_reads_and_holds_no_more_than_its_limits() {
    let limits = AuditLimits { records_max: 2, job_records_max: 3 };
    let server = Server::start().await.auditing(limits);
    for name in ["a", "b", "c"] {
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
        let job = find_job(&server, "default", name).await;
        for minute in 0..3 {
            let at = format!("2026-11-15T12:0{minute}Z");
            attempted(&server, &job, &at, &at, Completed).await;
        }
        goes_on(&server, &job, "2026-11-15T12:03Z").await;
    }
    server.set_clock("2026-11-15T12:02:30Z");
    let (mut jobs, mut path) = (Vec::new(), Some("/v1/audit?from=2026-11-15".to_owned()));
    while let Some(asked) = path {
        let part = server.get(&asked).await;
        jobs.push((part.at("/jobs"), part.at("/run")));
        path = part.at("/continue").as_str().map(|place| format!("/v1/audit?from=2026-11-15&continue={place}"));
    }
    assert_eq!(jobs, [(json!(1), json!(3)), (json!(1), json!(3)), (json!(1), json!(3))], "one job is enough at a time");
    let job = find_job(&server, "default", "a").await;
    attempted(&server, &job, "2026-11-15T12:03Z", "2026-11-15T12:03Z", Completed).await;
    server.set_clock("2026-11-15T12:03:30Z");
    assert_snapshot!(server.get("/v1/audit?from=2026-11-15").await.complaint(), @"400 BadRequest: from: Job number 1 has more than 3 records since 2026-11-15T00:00:00Z: audit a shorter time, such as a day, at once.");
    let later = server.get("/v1/audit?from=2026-11-15T12:02Z").await;
    assert_eq!((later.status(), later.at("/run")), (200, json!(2)), "a shorter time is within the limit: {later}");
}
