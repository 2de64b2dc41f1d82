//! A job of each kind, flat.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{get, make};
use crate::server::Server;

#[tokio::test]
async fn a_job_that_calls() {
    let server = Server::start().await;
    let made = make(
        &server,
        "/v1/jobs/Nightly",
        json!({
            "startTime": "2026-12-01T00:00:00+01:00",
            "action": {
                "type": "HTTPS",
                "request": { "uri": "https://example.com/a", "method": "post", "headers": { "X-A": "b" }, "body": "{}",
                    "authentication": { "type": "basic", "username": "ada", "password": "hunter2" } },
                "retryPolicy": { "retryType": "EXPONENTIAL", "retryInterval": "00:01:30", "retryIntervalMax": "1h", "retryCount": 3 },
                "errorAction": { "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "hi" } } },
            "recurrence": { "frequency": "Month", "timeZone": "Europe/Berlin",
                "schedule": { "hours": [2], "minutes": [30], "monthlyOccurrences": [{ "day": "Friday", "Occurrence": -1 }] } },
            "options": { "timeout": "00:05:00", "overlap": "Allow", "catchUp": "All" } }),
    )
    .await;
    assert_snapshot!(made, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "name": "Nightly",
      "collection": "default",
      "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/Nightly",
      "startTime": "2026-11-30T23:00:00Z",
      "action": {
        "request": {
          "uri": "https://example.com/a",
          "method": "post",
          "headers": {
            "X-A": "b"
          },
          "body": "{}",
          "authentication": {
            "username": "ada",
            "type": "basic"
          }
        },
        "type": "https",
        "retryPolicy": {
          "retryType": "exponential",
          "retryInterval": "PT1M30S",
          "retryIntervalMax": "PT1H",
          "retryCount": 3
        },
        "errorAction": {
          "queueMessage": {
            "storageAccount": "acct",
            "queueName": "tasks",
            "message": "hi"
          },
          "type": "storageQueue"
        }
      },
      "recurrence": {
        "frequency": "month",
        "timeZone": "Europe/Berlin",
        "interval": 1,
        "schedule": {
          "minutes": [
            30
          ],
          "hours": [
            2
          ],
          "monthlyOccurrences": [
            {
              "day": "friday",
              "occurrence": -1
            }
          ]
        }
      },
      "state": "enabled",
      "options": {
        "timeout": "PT5M",
        "overlap": "allow",
        "catchUp": "all"
      },
      "status": {
        "failuresInARow": 0,
        "owedRuns": 0,
        "nextExecutionTime": "2026-12-25T01:30:00Z",
        "executionCount": 0,
        "failureCount": 0,
        "faultedCount": 0
      }
    }
    "#);
    let shown = get(&server, "/v1/collections/default/jobs/nightly").await;
    assert_eq!(shown.body(), made.body());
}

/// A job with that message, as it is shown.
async fn sending(name: &str, message: Value) -> String {
    let server = Server::start().await;
    let job = json!({ "action": { name: message, "retryPolicy": { "retryType": "None" } }, "state": "Disabled" });
    make(&server, "/v1/jobs/sends", job).await;
    get(&server, "/v1/jobs/sends").await.to_string()
}

fn bus(member: &str) -> Value {
    json!({ member: "orders", "namespace": "ns", "message": "hi", "transportType": "amqp",
        "authentication": { "sasKeyName": "k", "sasKey": "hunter2" },
        "brokeredMessageProperties": { "timeToLive": "00:01:00", "label": "l" } })
}

#[tokio::test]
async fn a_job_that_sends_to_a_storage_queue() {
    let queue = json!({ "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "hi",
        "timeToLive": "1.00:00:00", "format": "RAW" });
    assert_snapshot!(sending("queueMessage", queue).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "name": "sends",
      "collection": "default",
      "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/sends",
      "action": {
        "queueMessage": {
          "storageAccount": "acct",
          "queueName": "tasks",
          "message": "hi",
          "format": "raw",
          "timeToLive": "P1D"
        },
        "type": "storageQueue",
        "retryPolicy": {
          "retryType": "none"
        }
      },
      "state": "disabled",
      "status": {
        "failuresInARow": 0,
        "owedRuns": 0,
        "disabledSince": "2026-11-15T12:00:00Z",
        "executionCount": 0,
        "failureCount": 0,
        "faultedCount": 0
      }
    }
    "#);
}

#[tokio::test]
async fn a_job_that_sends_to_a_service_bus_queue() {
    assert_snapshot!(sending("serviceBusQueueMessage", bus("queueName")).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "name": "sends",
      "collection": "default",
      "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/sends",
      "action": {
        "serviceBusQueueMessage": {
          "queueName": "orders",
          "namespace": "ns",
          "transportType": "amqp",
          "authentication": {
            "sasKeyName": "k",
            "type": "sharedAccessKey"
          },
          "message": "hi",
          "brokeredMessageProperties": {
            "label": "l",
            "timeToLive": "PT1M"
          }
        },
        "type": "serviceBusQueue",
        "retryPolicy": {
          "retryType": "none"
        }
      },
      "state": "disabled",
      "status": {
        "failuresInARow": 0,
        "owedRuns": 0,
        "disabledSince": "2026-11-15T12:00:00Z",
        "executionCount": 0,
        "failureCount": 0,
        "faultedCount": 0
      }
    }
    "#);
}

#[tokio::test]
async fn a_job_that_sends_to_a_service_bus_topic() {
    assert_snapshot!(sending("serviceBusTopicMessage", bus("topicPath")).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "name": "sends",
      "collection": "default",
      "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/sends",
      "action": {
        "serviceBusTopicMessage": {
          "topicPath": "orders",
          "namespace": "ns",
          "transportType": "amqp",
          "authentication": {
            "sasKeyName": "k",
            "type": "sharedAccessKey"
          },
          "message": "hi",
          "brokeredMessageProperties": {
            "label": "l",
            "timeToLive": "PT1M"
          }
        },
        "type": "serviceBusTopic",
        "retryPolicy": {
          "retryType": "none"
        }
      },
      "state": "disabled",
      "status": {
        "failuresInARow": 0,
        "owedRuns": 0,
        "disabledSince": "2026-11-15T12:00:00Z",
        "executionCount": 0,
        "failureCount": 0,
        "faultedCount": 0
      }
    }
    "#);
}
