//! Collections and records, flat; runs, errors and other dialects.

use insta::assert_snapshot;
use punctual_model::history::StatusKind;
use punctual_model::occurrence::{Origin, Phase};
use serde_json::json;

use super::{get, make, put};
use crate::attempts::{attempted, attempted_as, beside, find_job};
use crate::server::{Server, collection};

#[tokio::test]
async fn a_collection() {
    let server = Server::start().await;
    let body = json!({ "location": "West Europe", "tags": { "Team": "Finance" }, "sku": { "name": "p10premium" },
        "state": "Suspended", "quota": { "maxJobCount": 20, "maxRecurrence": { "frequency": "Week", "interval": 1 } } });
    let made = put(&server, "/v1/collections/Reports", body).await;
    assert_snapshot!(made, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "c2-1"
    {
      "name": "Reports",
      "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/Reports",
      "location": "West Europe",
      "tags": {
        "Team": "Finance"
      },
      "sku": {
        "name": "p10Premium"
      },
      "state": "suspended",
      "quota": {
        "maxJobCount": 20,
        "maxRecurrence": {
          "frequency": "week",
          "interval": 1
        }
      }
    }
    "#);
    let list = get(&server, "/v1/collections").await;
    assert_eq!(list.each("name"), ["default", "Reports"]);
    assert_eq!(list.at("/value/1"), made.json());
    // Written back, in whole and in part.
    let again = put(&server, "/v1/collections/reports", made.json()).await;
    assert_eq!((again.status(), again.etag(), again.json()), (201, made.etag(), made.json()));
    let patch = |json| server.call("PATCH", "/v1/collections/reports").plain().json(&json).send();
    let same = patch(made.json()).await;
    assert_eq!((same.status(), same.etag(), same.json()), (200, made.etag(), made.json()));
    let enabled = patch(json!({ "state": "enabled", "tags": { "team": null } })).await;
    assert_eq!((enabled.at("/state"), enabled.at("/tags")), (json!("enabled"), json!(null)), "{enabled}");
    let wrong = patch(json!({ "state": "deleted" })).await;
    assert_snapshot!(wrong.complaint(), @r#"400 BadRequest: state: Given "deleted", expected Enabled, Disabled or Suspended; a collection is deleted with DELETE."#);
}

#[tokio::test]
async fn a_history() {
    let server = Server::start().await;
    make(
        &server,
        "/v1/jobs/j",
        json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01" }),
    )
    .await;
    let job = find_job(&server, "default", "j").await;
    attempted(&server, &job, "2026-11-14T10:00Z", "2026-11-14T10:00:01Z", StatusKind::Completed).await;
    attempted(&server, &job, "2026-11-14T11:00Z", "2026-11-14T11:00:01Z", StatusKind::Postponed).await;
    let error = (Origin::Schedule, Phase::Error);
    attempted_as(&server, &job, error, "2026-11-14T12:00Z", "2026-11-14T12:00:01Z", StatusKind::Failed).await;
    assert_snapshot!(get(&server, "/v1/jobs/j/history").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "name": "02516076431989999999:09223372036851630079",
          "job": "j",
          "collection": "default",
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j/history/02516076431989999999:09223372036851630079",
          "startTime": "2026-11-14T12:00:01Z",
          "endTime": "2026-11-14T12:00:01Z",
          "expectedExecutionTime": "2026-11-14T12:00:00Z",
          "status": "givenUp",
          "message": "HTTP 500",
          "failure": {
            "class": "status",
            "code": 500,
            "host": "example.com",
            "reason": "example.com answered 500 Internal Server Error."
          },
          "retryCount": 4,
          "repeatCount": 7,
          "actionName": "errorAction",
          "executionTag": "2ae110264574338f03d35f3b36fd7d95"
        },
        {
          "name": "02516076467989999999:09223372036852678655",
          "job": "j",
          "collection": "default",
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j/history/02516076467989999999:09223372036852678655",
          "startTime": "2026-11-14T11:00:01Z",
          "endTime": "2026-11-14T11:00:01Z",
          "expectedExecutionTime": "2026-11-14T11:00:00Z",
          "status": "notRun",
          "reason": "missed",
          "message": "HTTP 500",
          "retryCount": 4,
          "repeatCount": 7,
          "actionName": "mainAction",
          "executionTag": "bf87e3b8406585d39599a0cb17a79b18",
          "notRun": {
            "first": "2026-11-14T11:00:00Z",
            "last": "2026-11-14T11:00:00Z",
            "number": 1,
            "reason": "missed"
          }
        },
        {
          "name": "02516076503989999999:09223372036853727231",
          "job": "j",
          "collection": "default",
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j/history/02516076503989999999:09223372036853727231",
          "startTime": "2026-11-14T10:00:01Z",
          "endTime": "2026-11-14T10:00:01Z",
          "expectedExecutionTime": "2026-11-14T10:00:00Z",
          "status": "succeeded",
          "message": "HTTP 500",
          "retryCount": 4,
          "repeatCount": 7,
          "actionName": "mainAction",
          "executionTag": "798ec95e4eb32eb336db8f979121dde2"
        }
      ],
      "nextLink": null
    }
    "#);
    for (filter, number) in [("succeeded", 1), ("NOTRUN", 1), ("failed", 1), ("Completed", 1), ("postponed", 1)] {
        let some = get(&server, &format!("/v1/jobs/j/history?$filter=status%20eq%20{filter}")).await;
        assert_eq!(some.each("status").len(), number, "{filter}");
    }
}

/// The tag of a run leads to its attempts.
#[tokio::test]
async fn a_run() {
    let server = Server::start().await;
    make(
        &server,
        "/v1/jobs/j",
        json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01" }),
    )
    .await;
    let mut tags = Vec::new();
    for _ in 0..2 {
        let run = server.call("POST", "/v1/jobs/j/run").plain().send().await;
        assert_eq!(run.status(), 200, "{run}");
        tags.push(run.at("/executionTag").as_str().unwrap().to_owned());
    }
    let job = find_job(&server, "default", "j").await;
    let open: Vec<_> = beside(&server, &job).await.into_iter().map(|(_, id)| id.to_string()).collect();
    assert_eq!(tags, open);
    let manual = (Origin::Manual(1), Phase::Main);
    attempted_as(&server, &job, manual, "2026-11-15T12:00Z", "2026-11-15T12:00:01Z", StatusKind::Failed).await;
    let tag = get(&server, "/v1/jobs/j/history").await.at("/value/0/executionTag");
    assert_eq!(tag, tags[0]);
    // The original answered nothing.
    let long = server.post(&format!("{}/jobs/j/run?api-version=2016-03-01", collection("default"))).await;
    assert_eq!((long.status(), long.body()), (200, ""));
}

#[tokio::test]
async fn the_header_asks_for_another_dialect_on_every_path() {
    let server = Server::start().await;
    make(
        &server,
        "/v1/jobs/j",
        json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01" }),
    )
    .await;
    let long = format!("{}/jobs/j?api-version=2016-03-01", collection("default"));
    let read = async |path: &str, dialect: &str| {
        server.call("GET", path).header("x-punctual-dialect", dialect).send().await.json()
    };
    let plain = get(&server, "/v1/jobs/j").await.json();
    assert_eq!(read(&long, "Plain").await, plain);
    assert_eq!(read("/v1/jobs/j", "plain").await, plain);
    for dialect in ["recorded", "openapi"] {
        let enveloped = read(&long, dialect).await;
        assert_eq!(read("/v1/jobs/j", dialect).await, enveloped);
        assert!(enveloped["properties"]["action"].is_object(), "{enveloped}");
    }
    // Clients of the original do not use the short path, whoever says to be one.
    let agent = server.call("GET", "/v1/jobs/j").plain().header("user-agent", "azsdk-rust-x").send().await;
    assert_eq!(agent.json(), plain);
}

#[tokio::test]
async fn errors_name_members_as_they_were_written() {
    let server = Server::start().await;
    make(
        &server,
        "/v1/jobs/j",
        json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01" }),
    )
    .await;
    let patch = |json| server.call("PATCH", "/v1/jobs/j").plain().json(&json).send();
    let complaints = [
        put(&server, "/v1/jobs/k", json!({})).await,
        put(
            &server,
            "/v1/jobs/k",
            json!({ "action": { "request": {} }, "recurrence": { "frequency": "day", "interval": 0 } }),
        )
        .await,
        put(&server, "/v1/jobs/k", json!({ "properties": { "action": { "request": {} } } })).await,
        put(
            &server,
            "/v1/jobs/k",
            json!({ "action": { "request": { "uri": "https://example.com" } }, "recurence": {} }),
        )
        .await,
        patch(json!({ "recurrence": { "frequency": "day", "interval": 0 } })).await,
        patch(json!({ "properties": { "recurrence": { "frequency": "day", "interval": 0 } } })).await,
        patch(json!({ "state": "enabled", "color": "red" })).await,
        get(&server, "/v1/jobs/none").await,
    ];
    assert_snapshot!(complaints.map(|answer| answer.complaint()).join("\n"), @"
    400 BadRequest: action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    400 BadRequest: recurrence.interval: Given 0, expected 1 to 548 with frequency Day. | action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.
    400 BadRequest: properties.action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.
    400 BadRequest: recurence: There is no such member here: did you mean recurrence?
    400 BadRequest: recurrence.interval: Given 0, expected 1 to 548 with frequency Day.
    400 BadRequest: properties.recurrence.interval: Given 0, expected 1 to 548 with frequency Day.
    400 BadRequest: color: There is no such member here, only properties, action, startTime, recurrence, state, retryPolicy, errorAction, options.
    404 NotFound: Job 'none' cannot be found.
    ");
}
