//! Who may only read does not see what a job sends.

use insta::assert_snapshot;
use punctual_model::access::Role;
use serde_json::{Value, json};

use crate::server::{GROUP, Server, collection};

fn jobs() -> Vec<(&'static str, Value)> {
    let request = json!({ "uri": "https://user:HIDDEN@example.com/path/T0/HIDDEN1234567890?key=HIDDEN#x", "method": "POST", "headers": { "X-Key": "HIDDEN", "Accept": "HIDDEN" },
        "body": "HIDDEN", "authentication": { "type": "Basic", "username": "ada", "password": "HIDDEN" } });
    let queue =
        json!({ "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=HIDDEN", "message": "HIDDEN" });
    let bus = |to: &str| {
        json!({ to: "t", "namespace": "ns", "message": "HIDDEN", "customMessageProperties": { "p": "HIDDEN" },
        "authentication": { "sasKeyName": "k", "sasKey": "HIDDEN" } })
    };
    let job = |action: Value, error: Value| {
        let mut action = action;
        action["errorAction"] = error;
        json!({ "action": action, "recurrence": { "frequency": "day" } })
    };
    vec![
        ("http", job(json!({ "request": request }), json!({ "queueMessage": queue }))),
        (
            "bus",
            job(
                json!({ "serviceBusTopicMessage": bus("topicPath") }),
                json!({ "serviceBusQueueMessage": bus("queueName") }),
            ),
        ),
        ("queue", job(json!({ "queueMessage": queue }), json!({ "request": request }))),
    ]
}

#[tokio::test]
async fn readers_see_where_and_not_what() {
    let server = Server::start().await;
    for (name, job) in jobs() {
        assert_eq!(server.put(&format!("/v1/jobs/{name}"), job).await.status(), 201);
    }
    let reader = server.token(Role::Reader, GROUP).await;
    let get = |path: &'static str, token: &str| server.call("GET", path).bearer(token).send();
    assert_snapshot!(get("/v1/jobs/http", &reader).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/http",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/http",
      "properties": {
        "action": {
          "request": {
            "uri": "https://***@example.com/path/T0/***?***",
            "method": "POST",
            "headers": {
              "Accept": "***",
              "X-Key": "***"
            },
            "body": "***",
            "authentication": {
              "username": "ada",
              "type": "Basic"
            }
          },
          "type": "Https",
          "errorAction": {
            "queueMessage": {
              "storageAccount": "acct",
              "queueName": "tasks",
              "message": "***"
            },
            "type": "StorageQueue"
          }
        },
        "recurrence": {
          "frequency": "day",
          "interval": 1
        },
        "state": "enabled",
        "status": {
          "nextExecutionTime": "2026-11-15T12:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
    for path in ["/v1/jobs/http", "/v1/jobs/bus", "/v1/jobs/queue", "/v1/jobs", "/v1/jobs/http/history"] {
        let shown = get(path, &reader).await;
        assert!(shown.status() == 200 && !shown.all().contains("HIDDEN"), "{shown}");
    }
    let contributor = server.token(Role::Contributor, &collection("default")).await;
    for path in ["/v1/jobs/http", "/v1/jobs"] {
        let shown = get(path, &contributor).await;
        assert!(shown.body().contains("?key=HIDDEN#x") && shown.body().contains(r#""body":"HIDDEN""#), "{shown}");
        assert!(!shown.body().contains("password") && !shown.body().contains("sasToken"), "{shown}");
    }
    let elsewhere = server.token(Role::Owner, "/subscriptions/local/resourceGroups/other").await;
    assert_eq!(get("/v1/jobs/http", &elsewhere).await.status(), 403);
}
