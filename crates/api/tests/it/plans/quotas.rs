//! Quotas within the plans.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{collection, hourly, job};
use crate::server::Server;

#[tokio::test]
async fn a_quota_above_the_plan() {
    let server = Server::start().await;
    let mut said = Vec::new();
    for (sku, quota) in [
        ("Free", json!({ "maxJobCount": 6, "maxRecurrence": { "frequency": "minute", "interval": 30 } })),
        ("Standard", json!({ "maxJobCount": 51 })),
        ("P10Premium", json!({ "maxJobCount": 51 })),
        ("Premium", json!({ "maxJobCount": 51 })),
        ("P20Premium", json!({ "maxJobCount": 1001 })),
    ] {
        said.push(format!("{sku}: {}", collection(&server, sku, quota).await.complaint()));
    }
    assert_snapshot!(said.join("\n"), @"
    Free: 400 BadRequest: properties.quota.maxJobCount: Given 6, expected 1 to 5 in the plan Free. | properties.quota.maxRecurrence: Given every 30 minutes, expected every hour or longer in the plan Free.
    Standard: 400 BadRequest: properties.quota.maxJobCount: Given 51, expected 1 to 50 in the plan Standard.
    P10Premium: 400 BadRequest: properties.quota.maxJobCount: Given 51, expected 1 to 50 in the plan P10Premium.
    Premium: 400 BadRequest: properties.quota.maxJobCount: Given 51, expected 1 to 50 in the plan Premium.
    P20Premium: 400 BadRequest: properties.quota.maxJobCount: Given 1001, expected 1 to 1000 in the plan P20Premium.
    ");
    assert_eq!(collection(&server, "P20Premium", json!({ "maxJobCount": 1000 })).await.status(), 201);
}

#[tokio::test]
async fn a_quota_below_what_is_there() {
    let server = Server::start().await;
    collection(&server, "Standard", json!({ "maxJobCount": 3 })).await;
    for name in ["a", "b", "c"] {
        job(&server, name, json!({ "frequency": "Minute", "interval": 5 })).await;
    }
    assert_snapshot!(job(&server, "d", hourly()).await.complaint(), @"409 ConflictError: properties.quota.maxJobCount: The job collection has reached its quota of '3' jobs; delete one or raise the quota.");
    assert_snapshot!(collection(&server, "Standard", json!({ "maxJobCount": 2 })).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "The collection holds 3 jobs, more than the 2 that it would allow.",
        "details": [
          {
            "code": "ConflictError",
            "target": "properties.quota.maxJobCount",
            "message": "The collection holds 3 jobs, more than the 2 that it would allow."
          }
        ]
      }
    }
    "#);
    let slower = json!({ "maxRecurrence": { "frequency": "Minute", "interval": 10 } });
    assert_snapshot!(collection(&server, "Standard", slower).await.complaint(), @"409 ConflictError: properties.quota.maxRecurrence: Job 'a' is in the way. The job recurs more often than every 10 minutes, the shortest that its quota allows.");
    assert_eq!(
        collection(&server, "Standard", json!({ "maxRecurrence": { "frequency": "Minute", "interval": 5 } }))
            .await
            .status(),
        201
    );
    assert_snapshot!(job(&server, "d", json!({ "frequency": "Minute", "interval": 4 })).await.complaint(), @"409 ConflictError: properties.recurrence: The job recurs more often than every 5 minutes, the shortest that its quota allows.");
}

#[tokio::test]
async fn a_quota_holds_without_a_plan() {
    let server = Server::start().await;
    server.put("/v1/collections/c", json!({ "properties": { "quota": { "maxJobCount": 1 } } })).await;
    assert_eq!(job(&server, "a", json!({ "cron": "* * * * * *" })).await.status(), 201);
    assert_eq!(job(&server, "b", hourly()).await.status(), 409);
}

#[tokio::test]
async fn a_job_is_of_limited_size_in_a_plan() {
    let server = Server::start().await;
    let body = |length: usize| json!({ "action": { "request": { "uri": "https://example.com", "body": "x".repeat(length) } } });
    let padded = |bytes: usize| {
        let mut text = body(10).to_string();
        text.push_str(&" ".repeat(bytes - text.len()));
        text
    };
    collection(&server, "Standard", Value::Null).await;
    let put = |text: String| server.call("PUT", "/v1/collections/c/jobs/j").body(text).send();
    assert_snapshot!(put(padded(16_001)).await.complaint(), @"400 BadRequest: body: Given 16001 bytes, expected a job of at most 16000 bytes in the plan Standard.");
    assert_eq!(put(padded(16_000)).await.status(), 201);
    assert_snapshot!(put(body(8193).to_string()).await.complaint(), @"400 BadRequest: action.request.body: Given 8193 characters, expected at most 8192 in the plan Standard.");
    assert_eq!(put(body(8192).to_string()).await.status(), 200);
    let error = json!({ "request": { "uri": "https://example.com", "body": "x".repeat(8192) } });
    let patch = json!({ "properties": { "action": { "errorAction": error } } }).to_string();
    let patched = server.call("PATCH", "/v1/collections/c/jobs/j").body(patch).send().await;
    assert_eq!(patched.status(), 400, "what a patch makes of it counts: {patched}");
    let in_default = server.call("PUT", "/v1/jobs/j").body(body(60_000).to_string()).send().await;
    assert_eq!(in_default.status(), 201, "without a plan it is larger: {in_default}");
}
