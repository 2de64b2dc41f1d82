//! What fails, what comes next, and what came of all jobs.

use insta::assert_snapshot;
use punctual_model::access::Role;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::StatusKind::{Completed, Failed, Postponed};
use serde_json::{Value, json};

use crate::attempts::{attempted, failed, find_job};
use crate::server::{Server, collection};

fn every_minute() -> Value {
    json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Minute" } })
}

/// Two jobs: one that fails, and one that has recovered and was not run once.
async fn troubled() -> Server {
    let server = Server::start().await;
    for name in ["broken", "mended"] {
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
    }
    let (broken, mended) = (find_job(&server, "default", "broken").await, find_job(&server, "default", "mended").await);
    for (job, minute, kind) in [
        (&mended, 0, Failed),
        (&mended, 1, Completed),
        (&mended, 2, Postponed),
        (&broken, 1, Completed),
        (&broken, 2, Failed),
        (&broken, 3, Failed),
    ] {
        let at = format!("2026-11-15T12:0{minute}Z");
        attempted(&server, job, &at, &at, kind).await;
    }
    server.set_clock("2026-11-15T12:04:30Z");
    server
}

fn names(answer: &Value) -> Vec<String> {
    let value = answer["value"].as_array().unwrap().iter();
    value.map(|it| format!("{} {}", it["job"].as_str().unwrap_or("-"), it["status"].as_str().unwrap_or("-"))).collect()
}

#[tokio::test]
async fn what_fails_now_and_what_has_failed() {
    let server = troubled().await;
    assert_snapshot!(server.get("/v1/failures").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "job": "broken",
          "collection": "default",
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/broken",
          "target": "example.com",
          "status": "failing",
          "class": "status",
          "code": 500,
          "reason": "example.com answered 500 Internal Server Error.",
          "since": "2026-11-15T12:02:00Z",
          "last": "2026-11-15T12:03:00Z",
          "count": 2,
          "record": "02516075566199999999:09223372036848484351",
          "executionTag": "65b48381eb2560a68e6b7f485b8a2c74",
          "message": "HTTP 500"
        }
      ],
      "nextLink": null
    }
    "#);
    let since = server.get("/v1/failures?since=24h").await.json();
    assert_eq!(names(&since), ["broken failing", "mended notRun", "mended recovered"]);
    assert_eq!(since["value"][1]["notRunReason"], "missed");
    let since = server.get("/v1/failures?since=2026-11-15T12:02Z").await.json();
    assert_eq!(names(&since), ["broken failing", "mended notRun"]);
    let grouped = server.get("/v1/failures?since=24h&grouped=target").await.json();
    assert_snapshot!(grouped["value"][0], @r#"{"class":"status","code":500,"count":3,"examples":["default/broken","default/mended"],"failing":1,"jobs":2,"last":"2026-11-15T12:03:00Z","reason":"example.com answered 500 Internal Server Error.","since":"2026-11-15T12:00:00Z","target":"example.com"}"#);
}

#[tokio::test]
async fn some_of_what_fails() {
    let server = troubled().await;
    let of = async |query: &str| names(&server.get(&format!("/v1/failures?since=24h&{query}")).await.json());
    assert_eq!(of("job=mended").await.len(), 2);
    assert_eq!(of("collection=other").await, [""; 0]);
    assert_eq!(of("target=example.com").await, ["broken failing", "mended recovered"]);
    assert_eq!(of("class=timeout").await, [""; 0]);
    assert_eq!(of("class=status").await, ["broken failing", "mended recovered"]);
    let broken = find_job(&server, "default", "broken").await;
    let timeout = Failure::new(FailureClass::Timeout, "example.com", "No answer within 60 s.");
    failed(&server, &broken, "2026-11-15T12:03:30Z", timeout).await;
    assert_eq!(of("class=status").await, ["broken failing", "mended recovered"], "it fails, if for another reason now");
    assert_eq!(of("class=timeout").await, ["broken failing"]);
    for (query, parameter) in [("class=bad", "class"), ("grouped=day", "grouped"), ("since=soon", "since")] {
        let refused = server.get(&format!("/v1/failures?{query}")).await;
        assert_eq!(refused.status(), 400, "{refused}");
        assert_eq!(refused.at("/error/details/0/target"), parameter, "{refused}");
    }
}

#[tokio::test]
async fn page_by_page() {
    let server = Server::start().await;
    for number in 0..5 {
        let name = format!("job{number}");
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
        let job = find_job(&server, "default", &name).await;
        let at = format!("2026-11-15T12:0{number}Z");
        attempted(&server, &job, &at, &at, Failed).await;
    }
    let first = server.get("/v1/failures?$top=2").await.json();
    assert_eq!(names(&first), ["job4 failing", "job3 failing"]);
    let next = first["nextLink"].as_str().unwrap().strip_prefix("https://punctual.example").unwrap();
    assert_eq!(names(&server.get(next).await.json()), ["job2 failing", "job1 failing"]);
    let all = server.get("/v1/failures").await.json();
    assert_eq!(names(&all).len(), 5);
}

#[tokio::test]
async fn nobody_sees_what_is_not_his() {
    let server = troubled().await;
    server.put("/v1/collections/mine", json!({})).await;
    server.put("/v1/collections/mine/jobs/own", every_minute()).await;
    let own = find_job(&server, "mine", "own").await;
    attempted(&server, &own, "2026-11-15T12:03Z", "2026-11-15T12:03Z", Failed).await;
    let reader = server.token(Role::Reader, &collection("mine")).await;
    for path in ["/v1/failures", "/v1/failures?since=1d", "/v1/history", "/v1/due?within=1d"] {
        let seen = server.call("GET", path).plain().bearer(&reader).send().await.json();
        let jobs: Vec<_> = seen["value"].as_array().unwrap().iter().map(|it| it["job"].clone()).collect();
        assert_eq!(jobs, ["own"], "{path}");
    }
}

#[tokio::test]
async fn what_comes_next() {
    let server = troubled().await;
    let due = server.get("/v1/due").await;
    assert_eq!(due.at("/value/0/isDue"), true, "{due}");
    assert_eq!(due.at("/until"), "2026-11-15T13:04:30Z");
    let refused = server.get("/v1/due?within=forever").await;
    assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("within")));
}

#[tokio::test]
async fn what_came_of_all_jobs() {
    let server = troubled().await;
    let of = async |query: &str| {
        let answer = server.call("GET", &format!("/v1/history?{query}")).plain().send().await;
        names(&answer.json())
    };
    assert_eq!(of("").await.len(), 6);
    assert_eq!(of("outcome=succeeded").await, ["broken succeeded", "mended succeeded"]);
    assert_eq!(of("outcome=notRun").await, ["mended notRun"]);
    assert_eq!(of("outcome=failed&job=broken").await, ["broken givenUp", "broken givenUp"]);
    assert_eq!(of("since=100s").await, ["broken givenUp"]);
}
