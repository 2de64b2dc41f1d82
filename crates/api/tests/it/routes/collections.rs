//! One collection.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn put_answers_201_each_time() {
    let server = Server::start().await;
    let standard = json!({ "location": "South Central US", "tags": { "team": "ops" }, "properties": {
        "sku": { "name": "Standard" }, "state": "Enabled",
        "quota": { "maxJobCount": 20, "maxJobOccurrence": 300, "maxRecurrence": { "frequency": "Week", "interval": 1 } },
    } });
    let made = server.put("/v1/collections/a", standard.clone()).await;
    assert_snapshot!(made, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "c2-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/a",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "a",
      "location": "South Central US",
      "tags": {
        "team": "ops"
      },
      "properties": {
        "sku": {
          "name": "Standard"
        },
        "state": "Enabled",
        "quota": {
          "maxJobCount": 20,
          "maxJobOccurrence": 300,
          "maxRecurrence": {
            "frequency": "week",
            "interval": 1
          }
        }
      }
    }
    "#);
    let again = server.put("/v1/collections/a", standard).await;
    assert_eq!(again.to_string(), made.to_string(), "what is the same changes nothing");
    let changed = server.put("/v1/collections/a", json!({ "properties": { "state": "Suspended" } })).await;
    assert_snapshot!(changed, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "c2-2"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/a",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "a",
      "location": "South Central US",
      "properties": {
        "sku": {
          "name": "Standard"
        },
        "state": "Suspended"
      }
    }
    "#);
    assert_eq!(server.get("/v1/collections/a").await.body(), changed.body());
}

#[tokio::test]
async fn free_without_a_quota_has_none() {
    let server = Server::start().await;
    let free = json!({ "location": "West US", "properties": { "sku": { "name": "Free" } } });
    assert_snapshot!(server.put("/v1/collections/free", free).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "c2-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/free",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "free",
      "location": "West US",
      "properties": {
        "sku": {
          "name": "Free"
        },
        "state": "Enabled"
      }
    }
    "#);
}

#[tokio::test]
async fn nothing_at_all_makes_one_too() {
    let server = Server::start().await;
    assert_snapshot!(server.call("PUT", "/v1/collections/plain").send().await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "c2-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/plain",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "plain",
      "properties": {
        "state": "Enabled"
      }
    }
    "#);
}

#[tokio::test]
async fn get_of_what_is_not_there() {
    let server = Server::start().await;
    assert_snapshot!(server.get("/v1/collections/Absent?group=RG").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Scheduler/jobcollections/Absent' under resource group 'RG' was not found."
      }
    }
    "#);
}

#[tokio::test]
async fn patch_keeps_what_it_does_not_name() {
    let server = Server::start().await;
    let quota = json!({ "maxJobCount": 3, "maxRecurrence": { "frequency": "hour" } });
    let first = json!({ "location": "here", "tags": { "a": "1", "b": "2" },
        "properties": { "sku": { "name": "P20Premium" }, "quota": quota } });
    server.put("/v1/collections/a", first).await;
    let tagged = server.patch("/v1/collections/a", json!({ "tags": { "b": null, "c": "3" } })).await;
    assert_snapshot!(tagged, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "c2-2"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/a",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "a",
      "location": "here",
      "tags": {
        "a": "1",
        "c": "3"
      },
      "properties": {
        "sku": {
          "name": "P20Premium"
        },
        "state": "Enabled",
        "quota": {
          "maxJobCount": 3,
          "maxRecurrence": {
            "frequency": "hour",
            "interval": 1
          }
        }
      }
    }
    "#);
    let narrowed = json!({ "properties": { "quota": { "maxRecurrence": null, "maxJobCount": 2 } } });
    assert_snapshot!(server.patch("/v1/collections/a", narrowed).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "c2-3"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/a",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "a",
      "location": "here",
      "tags": {
        "a": "1",
        "c": "3"
      },
      "properties": {
        "sku": {
          "name": "P20Premium"
        },
        "state": "Enabled",
        "quota": {
          "maxJobCount": 2
        }
      }
    }
    "#);
    assert_snapshot!(server.patch("/v1/collections/b", json!({ "tags": {} })).await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Scheduler/jobcollections/b' under resource group 'default' was not found."
      }
    }
    "#);
}

#[tokio::test]
async fn delete_takes_the_jobs_along() {
    let server = Server::start().await;
    server.put("/v1/collections/a", json!({})).await;
    server.put("/v1/collections/a/jobs/j", json!({ "action": { "request": { "uri": "https://example.com" } } })).await;
    assert_snapshot!(server.delete("/v1/collections/a").await, @"200 OK");
    assert_snapshot!(server.delete("/v1/collections/a").await, @r#"
    404 Not Found
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Scheduler/jobcollections/a' under resource group 'default' was not found."
      }
    }
    "#);
    assert_eq!(server.get("/v1/collections/a/jobs/j").await.status(), 404);
    server.put("/v1/collections/a", json!({})).await;
    assert_eq!(server.get("/v1/collections/a/jobs").await.ids(), [""; 0], "a new one is empty");
}

#[tokio::test]
async fn enable_and_disable_have_no_body() {
    let server = Server::start().await;
    server
        .put("/v1/collections/a", json!({ "tags": { "x": "y" }, "properties": { "quota": { "maxJobCount": 7 } } }))
        .await;
    let before = server.get("/v1/collections/a").await;
    assert_snapshot!(server.post("/v1/collections/a/disable").await, @"200 OK");
    assert_eq!(server.get("/v1/collections/a").await.at("/properties/state"), "Disabled");
    assert_eq!(server.post("/v1/collections/a/disable").await.status(), 200);
    assert_snapshot!(server.post("/v1/collections/a/enable").await, @"200 OK");
    assert_eq!(server.get("/v1/collections/a").await.body(), before.body(), "tags and quota are kept");
    assert_eq!(server.post("/v1/collections/b/enable").await.status(), 404);
}

/// A stopped collection hides when its jobs would run, and touches nothing else of them.
#[tokio::test]
async fn the_jobs_of_a_stopped_collection_have_no_next_time() {
    let server = Server::start().await;
    let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "hour" },
        "startTime": "2026-11-15T12:30:00Z" });
    let made = server.put("/v1/jobs/j", job).await;
    assert_eq!(made.at("/properties/status/nextExecutionTime"), "2026-11-15T12:30:00Z");
    for state in ["Disabled", "Suspended"] {
        server.patch("/v1/collections/default", json!({ "properties": { "state": state } })).await;
        let stopped = server.get("/v1/jobs/j").await;
        assert_eq!(stopped.at("/properties/state"), "enabled", "{stopped}");
        assert_eq!(stopped.at("/properties/status/nextExecutionTime"), json!(null), "{stopped}");
        assert_eq!(stopped.etag(), made.etag());
    }
    server.set_clock("2026-11-15T12:10:00Z");
    server.post("/v1/collections/default/enable").await;
    let next = server.get("/v1/jobs/j").await.at("/properties/status/nextExecutionTime");
    assert_eq!(next, "2026-11-15T12:30:00Z");
}

#[tokio::test]
async fn null_removes_the_plan_and_the_location_and_nothing_else() {
    let server = Server::start().await;
    let whole = json!({ "location": "West US", "tags": { "a": "b" }, "properties": { "sku": { "name": "Free" }, "state": "Disabled" } });
    for (name, patch) in [
        ("flat", json!({ "sku": null, "location": null })),
        ("deep", json!({ "location": null, "properties": { "sku": null } })),
    ] {
        let path = format!("/v1/collections/{name}");
        server.put(&path, whole.clone()).await;
        server.patch(&path, json!({ "tags": { "a": "c" } })).await;
        let known = server.get(&path).await;
        assert_eq!(
            (known.at("/properties/sku/name"), known.at("/location")),
            (json!("Free"), json!("West US")),
            "{name}"
        );
        server.call("POST", &format!("{path}/enable")).send().await;
        assert_eq!(server.get(&path).await.at("/properties/sku/name"), "Free", "{name}");
        let reset = server.patch(&path, patch).await;
        assert_eq!(reset.status(), 200, "{reset}");
        assert_eq!(reset.at("/properties"), json!({ "state": "Enabled" }), "{name}");
        assert_eq!((reset.at("/location"), reset.at("/tags")), (json!(null), json!({ "a": "c" })), "{name}");
        assert_eq!(server.delete(&path).await.status(), 200);
    }
}
