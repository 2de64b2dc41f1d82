//! `api-version`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::{Server, collection};

const VERSIONS: [&str; 3] = ["2016-03-01", "2016-01-01", "2014-08-01-preview"];

/// Every operation, in the order of a short life: method, path below the collection, body, status.
fn operations() -> Vec<(&'static str, &'static str, Value, u16)> {
    let job = json!({ "properties": { "action": { "type": "Http", "request": { "uri": "https://example.com", "method": "GET" },
        "retryPolicy": { "retryType": "Fixed", "retryInterval": "00:01:00" } },
        "recurrence": { "frequency": "Week", "schedule": { "weekDays": ["Monday"], "hours": [5] } } } });
    vec![
        ("PUT", "", json!({ "location": "North Europe", "properties": { "sku": { "name": "Standard" } } }), 201),
        ("PUT", "", json!({ "location": "South Europe", "properties": { "sku": { "name": "Standard" } } }), 201),
        ("GET", "", json!(null), 200),
        ("PATCH", "", json!({ "tags": { "a": "b" } }), 200),
        ("POST", "/disable", json!(null), 200),
        ("POST", "/enable", json!(null), 200),
        ("PUT", "/jobs/j", job.clone(), 201),
        ("PUT", "/jobs/j", job, 200),
        ("GET", "/jobs/j", json!(null), 200),
        ("PATCH", "/jobs/j", json!({ "properties": { "recurrence": { "count": 3 } } }), 200),
        ("POST", "/jobs/j/run", json!(null), 200),
        ("GET", "/jobs", json!(null), 200),
        ("GET", "/jobs/j/history", json!(null), 200),
        ("DELETE", "/jobs/j", json!(null), 200),
        ("GET", "/jobs/j", json!(null), 404),
        ("DELETE", "", json!(null), 200),
        ("GET", "", json!(null), 404),
    ]
}

#[tokio::test]
async fn every_operation_is_the_same_in_every_version() {
    let mut lives = Vec::new();
    for version in VERSIONS.into_iter().chain(["2014-08-01-PREVIEW"]) {
        let server = Server::start().await;
        let mut life = Vec::new();
        for (method, below, body, status) in operations() {
            let call = server.call(method, &format!("{}{below}?api-version={version}", collection("c")));
            let answer = if body.is_null() { call } else { call.json(&body) }.send().await;
            assert_eq!(answer.status(), status, "{method} {below} {version}: {answer}");
            let is_bare = method == "POST" || (method == "DELETE" && status == 200);
            assert_eq!(answer.body().is_empty(), is_bare, "{method} {below}: {answer}");
            life.push(answer.to_string());
        }
        lives.push(life);
    }
    assert!(lives.iter().all(|life| *life == lives[0]));
}

#[tokio::test]
async fn lists_of_collections_in_every_version() {
    let server = Server::start().await;
    for version in VERSIONS {
        let path = format!("/subscriptions/local/providers/microsoft.scheduler/jobcollections?api-version={version}");
        assert_eq!(server.get(&path).await.ids(), [collection("default")]);
    }
}

#[tokio::test]
async fn missing_or_unknown() {
    let server = Server::start().await;
    let path = collection("default");
    assert_snapshot!(server.get(&path).await, @r#"
    400 Bad Request
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "BadRequest",
        "message": "api-version: given nothing, expected 2016-03-01, 2016-01-01 or 2014-08-01-preview.",
        "details": [
          {
            "code": "InvalidValue",
            "target": "api-version",
            "message": "Given nothing, expected 2016-03-01, 2016-01-01 or 2014-08-01-preview."
          }
        ]
      }
    }
    "#);
    for version in ["", "2016-03-02", "2016-03-01-preview", "2014-08-01", "latest", "2016-03-01 "] {
        let answer = server.get(&format!("{path}?api-version={}", version.replace(' ', "%20"))).await;
        assert_eq!(answer.status(), 400, "{version:?}: {answer}");
    }
    assert_snapshot!(server.get(&format!("{path}?api-version=2099-01-01")).await.complaint(), @r#"400 BadRequest: api-version: Given "2099-01-01", expected 2016-03-01, 2016-01-01 or 2014-08-01-preview."#);
    assert_eq!(server.call("GET", &path).anonymous().send().await.status(), 401, "who comes first");
}

#[tokio::test]
async fn neighbours_take_any_date() {
    let server = Server::start().await;
    for version in ["2016-02-01", "2021-04-01", "2015-11-01-preview"] {
        assert_eq!(server.get(&format!("/subscriptions?api-version={version}")).await.status(), 200, "{version}");
    }
    assert_snapshot!(server.get("/subscriptions").await.complaint(), @"400 BadRequest: api-version: Given nothing, expected a version such as 2016-02-01.");
    assert_snapshot!(server.get("/subscriptions/s/resourceGroups?api-version=new").await.complaint(), @r#"400 BadRequest: api-version: Given "new", expected a version such as 2016-02-01."#);
    assert_eq!(server.get("/subscriptions?api-version=2016-02-01x").await.status(), 400);
}
