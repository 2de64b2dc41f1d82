//! PATCH is a deep merge.

use insta::assert_snapshot;
use serde_json::json;

use super::daily;
use crate::server::Server;

#[tokio::test]
async fn what_is_not_named_stays() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let weekly = server.patch("/v1/jobs/j", json!({ "properties": { "recurrence": { "frequency": "Week" } } })).await;
    assert_snapshot!(weekly, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-2"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "startTime": "2026-11-16T08:00:00Z",
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "GET"
          },
          "type": "Http"
        },
        "recurrence": {
          "frequency": "week",
          "count": 10,
          "endTime": "2027-06-01T00:00:00Z",
          "interval": 1
        },
        "state": "enabled",
        "status": {
          "nextExecutionTime": "2026-11-16T08:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
    let flat = server
        .patch("/v1/jobs/j", json!({ "recurrence": { "interval": 2 }, "retryPolicy": { "retryType": "none" } }))
        .await;
    assert_eq!(flat.at("/properties/recurrence/interval"), 2, "{flat}");
    assert_eq!(flat.at("/properties/action/retryPolicy/retryType"), "none");
}

#[tokio::test]
async fn null_removes_but_dates() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let patch = json!({ "properties": { "startTime": null, "recurrence": { "count": null, "endTime": null } } });
    let patched = server.patch("/v1/jobs/j", patch).await;
    assert_eq!(patched.at("/properties/recurrence/count"), json!(null), "{patched}");
    assert_eq!(patched.at("/properties/recurrence/endTime"), "2027-06-01T00:00:00Z");
    assert_eq!(patched.at("/properties/startTime"), "2026-11-16T08:00:00Z");
    let once = server.patch("/v1/jobs/j", json!({ "properties": { "recurrence": null } })).await;
    assert_eq!(once.at("/properties/recurrence"), json!(null));
    let refused =
        server.patch("/v1/jobs/j", json!({ "properties": { "action": { "request": { "uri": null } } } })).await;
    assert_snapshot!(refused.complaint(), @"400 BadRequest: properties.action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.");
}

#[tokio::test]
async fn another_message_takes_the_place_of_the_old_one() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let queue =
        json!({ "storageAccount": "store", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "message": "hello" });
    let patched = server
        .patch("/v1/jobs/j", json!({ "properties": { "action": { "type": "StorageQueue", "queueMessage": queue } } }))
        .await;
    assert_eq!(patched.status(), 200, "{patched}");
    assert_eq!(patched.at("/properties/action/request"), json!(null));
    assert_eq!(patched.at("/properties/action/type"), "StorageQueue");
}

#[tokio::test]
async fn cron_takes_the_place_of_a_frequency() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let cron = server.patch("/v1/jobs/j", json!({ "recurrence": { "cron": "0 3 * * *" } })).await;
    assert_snapshot!(cron.at("/properties/recurrence"), @r#"{"count":10,"cron":"0 3 * * *","endTime":"2027-06-01T00:00:00Z"}"#);
    let back = server.patch("/v1/jobs/j", json!({ "recurrence": { "frequency": "Hour" } })).await;
    assert_snapshot!(back.at("/properties/recurrence"), @r#"{"count":10,"endTime":"2027-06-01T00:00:00Z","frequency":"hour","interval":1}"#);
}

#[tokio::test]
async fn nothing_is_patched_that_is_not_there() {
    let server = Server::start().await;
    assert_snapshot!(server.patch("/v1/jobs/j", json!({ "properties": { "state": "Enabled" } })).await.complaint(), @"404 NotFound: Job 'j' cannot be found.");
    server.put("/v1/jobs/j", daily()).await;
    assert_eq!(
        server.call("PATCH", "/v1/jobs/j").send().await.status(),
        400,
        "an empty body changes nothing on purpose"
    );
}

#[tokio::test]
async fn a_start_moves_the_next_time() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let moved = server.patch("/v1/jobs/j", json!({ "properties": { "startTime": "2015-07-14T09:00:00Z" } })).await;
    assert_eq!(moved.at("/properties/status/nextExecutionTime"), "2026-11-16T09:00:00Z");
}
