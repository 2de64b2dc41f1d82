//! Records of history: one by its path, and those of one occurrence or of what was given up.

use insta::assert_snapshot;
use punctual_model::history::{Record, StatusKind};
use punctual_model::occurrence::{Occurrence, OccurrenceId, Origin, Phase};
use punctual_store::HistoryEntry;
use serde_json::{Value, json};

use crate::attempts::{attempted, find_job, write};
use crate::server::{Server, collection, instant};

/// A job with three attempts: one that failed and was made again, the one that failed after it, and one that succeeded.
async fn with_attempts() -> Server {
    let server = Server::start().await;
    let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01" });
    server.put("/v1/jobs/j", job).await;
    let job = find_job(&server, "default", "j").await;
    attempted(&server, &job, "2026-11-15T10:00:00Z", "2026-11-15T10:00:30Z", StatusKind::Failed).await;
    attempted(&server, &job, "2026-11-15T11:00:00Z", "2026-11-15T11:00:00Z", StatusKind::Completed).await;
    let last: Vec<Value> = server.get("/v1/jobs/j/history").await.at("/value").as_array().unwrap().clone();
    assert_eq!(last.len(), 2);
    let first = server.store.history(job.id, &punctual_store::HistoryPage { limit: 9, ..Default::default() }).await;
    let entry = first.unwrap().pop().unwrap().entry;
    let retried =
        Record { started: instant("2026-11-15T10:00:00Z"), retry_at: Some(entry.record.started), ..entry.record };
    write(&server, Vec::new(), vec![HistoryEntry { record: retried, ..entry }]).await;
    server
}

fn tag_of(job: punctual_model::job::Uid, nominal: &str) -> OccurrenceId {
    let at = instant(nominal);
    Occurrence { phase: Phase::Main, ..Occurrence::asked_for(Origin::Schedule, at, at) }.id(job)
}

/// The start of each record that a list holds.
async fn started(server: &Server, path: &str) -> Vec<String> {
    server.call("GET", path).plain().send().await.each("startTime")
}

#[tokio::test]
async fn a_record_is_found_by_its_path() {
    let server = with_attempts().await;
    let list = server.call("GET", "/v1/jobs/j/history").plain().send().await;
    for record in list.at("/value").as_array().unwrap() {
        let name = record["name"].as_str().unwrap();
        let path = record["path"].as_str().unwrap();
        let short = server.call("GET", &format!("/v1/jobs/j/history/{name}")).plain().send().await;
        assert_eq!((short.status(), &short.json()), (200, record), "{short}");
        let long = server.get(&format!("{path}?api-version=2016-03-01")).await;
        assert_eq!((long.status(), long.at("/id")), (200, json!(path)), "{long}");
    }
    for missing in ["1", "02519548441775952091:09223372036853986554"] {
        let answer =
            server.get(&format!("{}/jobs/j/history/{missing}?api-version=2016-03-01", collection("default"))).await;
        assert_eq!(answer.status(), 404, "{answer}");
    }
    assert_eq!(server.delete("/v1/jobs/j/history/1").await.status(), 405);
}

#[tokio::test]
async fn records_of_one_occurrence() {
    let server = with_attempts().await;
    let tag = tag_of(find_job(&server, "default", "j").await.uid, "2026-11-15T10:00:00Z");
    let both = ["2026-11-15T10:00:30Z", "2026-11-15T10:00:00Z"];
    assert_eq!(started(&server, &format!("/v1/jobs/j/history?$filter=executionTag%20eq%20{tag}")).await, both);
    let mut all = started(&server, &format!("/v1/history?executionTag={}", tag.to_string().to_uppercase())).await;
    all.sort();
    assert_eq!(all, ["2026-11-15T10:00:00Z", "2026-11-15T10:00:30Z"]);
    let wrong = server.get("/v1/jobs/j/history?$filter=executionTag%20eq%2012").await;
    assert_snapshot!(wrong.complaint(), @"400 BadRequest: $filter: Given executionTag eq 12, expected executionTag eq (32 hexadecimal digits).");
    assert_snapshot!(server.get("/v1/history?executionTag=12").await.complaint(), @r#"400 BadRequest: executionTag: Given "12", expected the executionTag of a record: 32 hexadecimal digits."#);
}

#[tokio::test]
async fn records_of_what_was_given_up() {
    let server = with_attempts().await;
    let given_up = ["2026-11-15T10:00:30Z"];
    assert_eq!(started(&server, "/v1/jobs/j/history?$filter=status%20eq%20givenUp").await, given_up);
    assert_eq!(started(&server, "/v1/history?outcome=givenUp").await, given_up);
    assert_eq!(started(&server, "/v1/history?outcome=failed").await.len(), 2);
}

#[tokio::test]
async fn top_is_the_size_of_a_page_of_the_history_of_all_jobs() {
    let server = with_attempts().await;
    let (mut sizes, mut next) = (Vec::new(), Some("/v1/history?$top=2".to_owned()));
    while let Some(path) = next {
        let page = server.call("GET", &path).plain().send().await;
        sizes.push(page.each("startTime").len());
        next = page.next_path();
    }
    assert_eq!(sizes, [2, 1]);
}

/// A body could be meant to change what is run.
#[tokio::test]
async fn what_is_said_to_a_run_is_not_passed_over() {
    let server = with_attempts().await;
    let record = server.call("GET", "/v1/jobs/j/history").plain().send().await.at("/value/0/name");
    let rerun = format!("/v1/jobs/j/history/{}/rerun", record.as_str().unwrap());
    for path in ["/v1/jobs/j/run", &rerun, "/v1/collections/default/enable"] {
        for body in ["{\"at\": \"2030-01-01\"}", "[]", "now", "3"] {
            let answer = server.call("POST", path).body(body).send().await;
            assert_eq!(answer.status(), 400, "{path} {body}: {answer}");
        }
    }
    let refused = server.call("POST", "/v1/jobs/j/run").body("{\"at\": 1}").send().await;
    assert_snapshot!(refused.complaint(), @"400 BadRequest: body: Nothing can be said in the body here: send none.");
    assert_eq!(server.get("/v1/jobs/j").await.at("/properties/status/executionCount"), 0);
    for body in ["", " \n", "{}", "null"] {
        assert_eq!(server.call("POST", "/v1/jobs/j/run").body(body).send().await.status(), 200, "{body:?}");
    }
    let long = format!("{}/jobs/j/run?api-version=2016-03-01", collection("default"));
    let warned = server.call("POST", &long).body("now").send().await;
    assert_snapshot!(warned, @r#"
    200 OK
    warning: 299 punctual "the body: ignored: nothing can be said here"
    "#);
}
