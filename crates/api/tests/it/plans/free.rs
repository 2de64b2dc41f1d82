//! The plan Free.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{collection, hourly, job};
use crate::server::Server;

async fn free() -> Server {
    let server = Server::start().await;
    assert_eq!(collection(&server, "Free", Value::Null).await.status(), 201);
    server
}

#[tokio::test]
async fn there_is_one_in_a_subscription() {
    let server = free().await;
    let body = json!({ "properties": { "sku": { "name": "Free" } } });
    assert_snapshot!(server.put("/v1/collections/second?group=elsewhere", body.clone()).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "The subscription already has a free job collection. Only one free job collection can be created per subscription.",
        "details": [
          {
            "code": "ConflictError",
            "target": "properties.sku.name",
            "message": "The subscription already has a free job collection. Only one free job collection can be created per subscription."
          }
        ]
      }
    }
    "#);
    assert_eq!(server.put("/v1/collections/second?subscription=elsewhere", body.clone()).await.status(), 201);
    assert_eq!(collection(&server, "Free", json!({ "maxJobCount": 4 })).await.status(), 201, "itself may be changed");
    assert_eq!(collection(&server, "Standard", Value::Null).await.status(), 201);
    assert_eq!(server.put("/v1/collections/second", body).await.status(), 201, "the place is free again");
    assert_eq!(collection(&server, "Free", Value::Null).await.status(), 409);
}

#[tokio::test]
async fn it_holds_five_jobs() {
    let server = free().await;
    for name in ["a", "b", "c", "d", "e"] {
        assert_eq!(job(&server, name, hourly()).await.status(), 201);
    }
    assert_snapshot!(job(&server, "f", hourly()).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "The job collection has reached its quota of '5' jobs; delete one or raise the quota.",
        "details": [
          {
            "code": "ConflictError",
            "target": "properties.quota.maxJobCount",
            "message": "The job collection has reached its quota of '5' jobs; delete one or raise the quota."
          }
        ]
      }
    }
    "#);
    assert_eq!(
        job(&server, "e", json!({ "frequency": "Day" })).await.status(),
        200,
        "those that are there may be changed"
    );
    server.delete("/v1/collections/c/jobs/a").await;
    assert_eq!(job(&server, "f", hourly()).await.status(), 201);
}

#[tokio::test]
async fn its_jobs_run_every_hour_at_most() {
    let server = free().await;
    assert_snapshot!(job(&server, "j", json!({ "frequency": "Minute", "interval": 59 })).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "The job recurs more often than every hour, the shortest that the plan Free allows.",
        "details": [
          {
            "code": "ConflictError",
            "target": "properties.recurrence",
            "message": "The job recurs more often than every hour, the shortest that the plan Free allows."
          }
        ]
      }
    }
    "#);
    assert_eq!(job(&server, "j", json!({ "frequency": "Minute", "interval": 60 })).await.status(), 201);
    let twice = json!({ "frequency": "Day", "schedule": { "hours": [5], "minutes": [0, 30] } });
    assert_eq!(job(&server, "k", twice).await.status(), 409, "what a schedule says counts");
    assert_eq!(job(&server, "k", json!({ "cron": "*/30 * * * *" })).await.status(), 409);
    let patched = server.patch("/v1/collections/c/jobs/j", json!({ "recurrence": { "interval": 1 } })).await;
    assert_eq!(patched.status(), 409, "{patched}");
}

#[tokio::test]
async fn it_has_no_credentials_and_slow_retries() {
    let server = free().await;
    let put = |action: Value| server.put("/v1/collections/c/jobs/j", json!({ "properties": { "action": action } }));
    let basic = json!({ "type": "Basic", "username": "ada", "password": "x" });
    let request = |authentication: &Value| json!({ "uri": "https://example.com", "authentication": authentication });
    let both = put(json!({ "request": request(&basic), "errorAction": { "request": request(&basic) } })).await;
    assert_snapshot!(both, @r#"
    400 Bad Request
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "BadRequest",
        "message": "properties.action.request.authentication: given credentials, expected none in the plan Free; and 1 more.",
        "details": [
          {
            "code": "InvalidValue",
            "target": "properties.action.request.authentication",
            "message": "Given credentials, expected none in the plan Free."
          },
          {
            "code": "InvalidValue",
            "target": "properties.action.errorAction.request.authentication",
            "message": "Given credentials, expected none in the plan Free."
          }
        ]
      }
    }
    "#);
    let oauth =
        json!({ "type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "s" });
    let file = include_bytes!("../../../../pfx/tests/fixtures/aes128.pfx");
    let certificate = json!({ "type": "ClientCertificate", "pfx": BASE64_STANDARD.encode(file), "password": "secret" });
    for kind in [oauth, certificate] {
        let error = json!({ "request": request(&kind) });
        let nested = put(json!({ "request": { "uri": "https://example.com" }, "errorAction": error })).await;
        assert_eq!(
            nested.complaint(),
            "400 BadRequest: properties.action.errorAction.request.authentication: Given credentials, expected none in the plan Free."
        );
    }
    let quick = json!({ "retryType": "Fixed", "retryInterval": "PT59M" });
    let retried = put(json!({ "request": { "uri": "https://example.com" }, "retryPolicy": quick })).await;
    assert_snapshot!(retried.complaint(), @"400 BadRequest: properties.action.retryPolicy.retryInterval: Given PT59M, expected at least 1 hour in a Free collection.");
    let flat = server.put("/v1/collections/c/jobs/j", json!({ "action": { "request": request(&basic) } })).await;
    assert_snapshot!(flat.complaint(), @"400 BadRequest: action.request.authentication: Given credentials, expected none in the plan Free.");
    let slow = json!({ "retryType": "Fixed", "retryInterval": "PT1H" });
    assert_eq!(put(json!({ "request": { "uri": "https://example.com" }, "retryPolicy": slow })).await.status(), 201);
}

/// What is there must fit before a collection becomes a smaller one; the job in the way is named.
#[tokio::test]
async fn a_downgrade_names_what_is_in_the_way() {
    let server = Server::start().await;
    let mut refusals = Vec::new();
    assert_eq!(collection(&server, "Standard", Value::Null).await.status(), 201);
    job(&server, "fine", hourly()).await;
    job(&server, "quick", json!({ "frequency": "Minute" })).await;
    refusals.push(collection(&server, "Free", Value::Null).await);
    server.delete("/v1/collections/c/jobs/quick").await;
    let basic = json!({ "type": "Basic", "username": "ada", "password": "x" });
    let secret = json!({ "action": { "request": { "uri": "https://example.com", "authentication": basic } } });
    server.put("/v1/collections/c/jobs/secret", secret).await;
    refusals.push(collection(&server, "Free", Value::Null).await);
    server.delete("/v1/collections/c/jobs/secret").await;
    let retry = json!({ "action": { "request": { "uri": "https://example.com" }, "retryPolicy": { "retryType": "fixed", "retryInterval": "PT1M" } } });
    server.put("/v1/collections/c/jobs/retrying", retry).await;
    refusals.push(server.patch("/v1/collections/c", json!({ "properties": { "sku": { "name": "Free" } } })).await);
    server.delete("/v1/collections/c/jobs/retrying").await;
    for number in 0..5 {
        job(&server, &format!("j{number}"), hourly()).await;
    }
    refusals.push(collection(&server, "Free", Value::Null).await);
    let refusals: Vec<_> = refusals.iter().map(crate::answer::Answer::complaint).collect();
    assert_snapshot!(refusals.join("\n"), @"
    409 ConflictError: properties.sku: Job 'quick' is in the way. The job recurs more often than every hour, the shortest that the plan Free allows.
    409 ConflictError: properties.sku: Job 'secret' is in the way. properties.action.request.authentication: none in the plan Free.
    409 ConflictError: properties.sku: Job 'retrying' is in the way. properties.action.retryPolicy.retryInterval: at least 1 hour in a Free collection.
    409 ConflictError: properties.quota.maxJobCount: The collection holds 6 jobs, more than the 5 that it would allow.
    ");
    server.delete("/v1/collections/c/jobs/j0").await;
    assert_eq!(collection(&server, "Free", Value::Null).await.status(), 201);
}
