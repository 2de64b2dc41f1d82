//! One job.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::{Server, collection};

fn call() -> Value {
    json!({ "properties": { "action": { "type": "Http", "request": { "uri": "http://example.com/", "method": "get" } } } })
}

#[tokio::test]
async fn the_smallest_job_runs_at_once() {
    let server = Server::start().await;
    assert_snapshot!(server.put("/v1/jobs/hello", call()).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/hello",
      "properties": {
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "get"
          },
          "type": "Http"
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
}

#[tokio::test]
async fn put_makes_with_201_and_replaces_with_200() {
    let server = Server::start().await;
    let every = |unit: &str| {
        let mut job = call();
        job["properties"]["recurrence"] = json!({ "frequency": unit, "count": 3 });
        job["properties"]["startTime"] = "2026-11-16T00:00:00Z".into();
        job
    };
    assert_eq!(server.put("/v1/jobs/j", every("Day")).await.status(), 201);
    assert_snapshot!(server.put("/v1/jobs/J", every("Week")).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-2"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "startTime": "2026-11-16T00:00:00Z",
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "get"
          },
          "type": "Http"
        },
        "recurrence": {
          "frequency": "week",
          "count": 3,
          "interval": 1
        },
        "state": "enabled",
        "status": {
          "nextExecutionTime": "2026-11-16T00:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
    let once = server.put("/v1/jobs/j", call()).await;
    assert_eq!(once.at("/properties/recurrence"), json!(null), "what is not said again is gone: {once}");
}

#[tokio::test]
async fn get_of_what_is_not_there() {
    let server = Server::start().await;
    assert_snapshot!(server.get("/v1/jobs/Absent").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Job 'Absent' cannot be found."
      }
    }
    "#);
    assert_snapshot!(server.get("/v1/collections/c/jobs/j").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Scheduler/jobcollections/c' under resource group 'default' was not found."
      }
    }
    "#);
    assert_snapshot!(server.put("/v1/collections/c/jobs/j", call()).await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Scheduler/jobcollections/c' under resource group 'default' was not found."
      }
    }
    "#);
}

#[tokio::test]
async fn delete_has_no_body() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", call()).await;
    assert_snapshot!(server.delete("/v1/jobs/j").await, @"200 OK");
    assert_snapshot!(server.delete("/v1/jobs/j").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Job 'j' cannot be found."
      }
    }
    "#);
}

#[tokio::test]
async fn run_has_no_body_and_is_queued_ten_times() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", call()).await;
    assert_snapshot!(server.post("/v1/jobs/j/run").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "executionTag": "fce37581e291a842247f0d2d15b96f7a"
    }
    "#);
    for _ in 1..10 {
        assert_eq!(server.post("/v1/jobs/j/run").await.status(), 200);
    }
    assert_snapshot!(server.post("/v1/jobs/j/run").await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "10 runs of job 'j' wait already; let them run first.",
        "details": [
          {
            "code": "ConflictError",
            "target": "run",
            "message": "10 runs of job 'j' wait already; let them run first."
          }
        ]
      }
    }
    "#);
    assert_snapshot!(server.post("/v1/jobs/k/run").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Job 'k' cannot be found."
      }
    }
    "#);
}

#[tokio::test]
async fn a_disabled_job_has_no_status_and_may_be_run() {
    let server = Server::start().await;
    let mut job = call();
    job["properties"]["state"] = "Disabled".into();
    assert_snapshot!(server.put("/v1/jobs/j", job).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "get"
          },
          "type": "Http"
        },
        "state": "disabled"
      }
    }
    "#);
    assert_eq!(server.post("/v1/jobs/j/run").await.status(), 200);
}

#[tokio::test]
async fn the_history_of_a_new_job_is_empty() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", call()).await;
    assert_snapshot!(server.get("/v1/jobs/j/history").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [],
      "nextLink": null
    }
    "#);
    assert_snapshot!(server.get("/v1/jobs/k/history").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "NotFound",
        "message": "Job 'k' cannot be found."
      }
    }
    "#);
    let filter = "$filter=status%20eq%20Failed%20and%20startTime%20ge%202026-01-01T00:00:00Z";
    assert_eq!(server.get(&format!("/v1/jobs/j/history?{filter}")).await.status(), 200);
}

#[tokio::test]
async fn percent_encoding_in_an_address_stays() {
    let server = Server::start().await;
    let uri = "http://example.com/a%2d%2f%3d?x=%C3%A9&y=a+b";
    let job = json!({ "action": { "request": { "uri": uri } } });
    assert_eq!(server.put("/v1/jobs/j", job).await.at("/properties/action/request/uri"), uri);
}

/// A job whose time is over is Completed at once, and stays so.
#[tokio::test]
async fn a_job_that_has_ended_is_final() {
    let server = Server::start().await;
    let mut job = call();
    job["properties"]["startTime"] = "2020-01-01T00:00:00Z".into();
    job["properties"]["recurrence"] = json!({ "frequency": "Day", "endTime": "2020-02-01T00:00:00Z" });
    let made = server.put("/v1/jobs/j", job.clone()).await;
    assert_snapshot!(made, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    warning: 299 punctual "properties.recurrence.endTime: no occurrence is left up to 2020-02-01T00:00:00Z"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "startTime": "2020-01-01T00:00:00Z",
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "get"
          },
          "type": "Http"
        },
        "recurrence": {
          "frequency": "day",
          "endTime": "2020-02-01T00:00:00Z",
          "interval": 1
        },
        "state": "completed",
        "status": {
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
    let again = server.put("/v1/jobs/j", job.clone()).await;
    assert_eq!((again.status(), again.etag(), again.body()), (200, made.etag(), made.body()));
    assert_snapshot!(again.header("warning"), @r#"299 punctual "properties.state: the job is Completed, and writing it again runs nothing: delete it first""#);
    assert_eq!(server.put("/v1/jobs/j", made.json()).await.status(), 200, "what was read may be written back");
    assert_snapshot!(server.put("/v1/jobs/j", call()).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "Job 'j' is Completed and cannot be changed any more; delete it first.",
        "details": [
          {
            "code": "ConflictError",
            "target": "properties.state",
            "message": "Job 'j' is Completed and cannot be changed any more; delete it first."
          }
        ]
      }
    }
    "#);
    // A PATCH that asked for another state and was accepted would look as if the job ran again.
    for state in ["Enabled", "Disabled", "Faulted"] {
        let patched = server.patch("/v1/jobs/j", json!({ "properties": { "state": state } })).await;
        let etag = server.get("/v1/jobs/j").await.etag();
        assert_eq!((patched.status(), etag), (409, made.etag()), "{state}: {patched}");
    }
    assert_eq!(server.patch("/v1/jobs/j", json!({ "recurrence": { "interval": 2 } })).await.status(), 409);
    for same in [json!({}), json!({ "properties": { "state": "Completed" } }), made.json()] {
        let patched = server.patch("/v1/jobs/j", same).await;
        assert_eq!((patched.status(), patched.etag(), patched.body()), (200, made.etag(), made.body()));
        assert_eq!(patched.header("warning"), again.header("warning"), "nothing changed, and nothing runs");
    }
    let plain = server.call("GET", "/v1/jobs/j").plain().send().await;
    for method in ["PUT", "PATCH"] {
        let sent_back = server.call(method, "/v1/jobs/j").plain().json(&plain.json()).send().await;
        assert_eq!((sent_back.status(), sent_back.etag()), (200, made.etag()), "{method}: {sent_back}");
    }
    assert_eq!(server.post("/v1/jobs/j/run").await.status(), 200);
    assert_eq!(server.get("/v1/jobs/j").await.body(), made.body(), "a manual run changes no state");
    assert_eq!(server.delete("/v1/jobs/j").await.status(), 200);
    assert_eq!(server.put("/v1/jobs/j", call()).await.status(), 201);
}

/// `startTime` in the past: the next point of the grid that begins there.
#[tokio::test]
async fn a_start_in_the_past_keeps_the_grid() {
    let server = Server::start().await;
    let mut job = call();
    job["properties"]["startTime"] = "2015-07-13T00:00:00+02:00".into();
    job["properties"]["recurrence"] = json!({ "frequency": "Week", "count": 5, "endTime": "2030-10-10T00:00:00Z" });
    assert_snapshot!(server.put("/v1/jobs/j", job).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "startTime": "2015-07-12T22:00:00Z",
        "action": {
          "request": {
            "uri": "http://example.com/",
            "method": "get"
          },
          "type": "Http"
        },
        "recurrence": {
          "frequency": "week",
          "count": 5,
          "endTime": "2030-10-10T00:00:00Z",
          "interval": 1
        },
        "state": "enabled",
        "status": {
          "nextExecutionTime": "2026-11-15T22:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
}

#[tokio::test]
async fn what_is_not_known_is_ignored_and_named() {
    let server = Server::start().await;
    let job = json!({ "location": "x", "properties": { "colour": "red", "action": { "httpAuthentication": {},
        "request": { "uri": "https://example.com", "retries": 3 } } } });
    let path = format!("{}/jobs/j?api-version=2016-03-01", collection("default"));
    let made = server.put(&path, job).await;
    assert_eq!(made.status(), 201);
    assert_snapshot!(made.header("warning"), @r#"299 punctual "location: ignored: it means nothing here; properties.action.request.retries: ignored: it means nothing here; properties.action.httpAuthentication: ignored: it means nothing here; properties.colour: ignored: it means nothing here""#);
}
