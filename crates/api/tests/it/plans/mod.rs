//! What the plans of the original allow.

mod free;
mod quotas;
mod unlimited;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Server;

/// Makes or changes the collection `c`.
async fn collection(server: &Server, sku: &str, quota: Value) -> Answer {
    let mut body = json!({ "properties": { "sku": { "name": sku } } });
    if !quota.is_null() {
        body["properties"]["quota"] = quota;
    }
    server.put("/v1/collections/c", body).await
}

/// A job in it.
async fn job(server: &Server, name: &str, recurrence: Value) -> Answer {
    let job = json!({ "properties": { "action": { "request": { "uri": "https://example.com" } }, "recurrence": recurrence } });
    server.put(&format!("/v1/collections/c/jobs/{name}"), job).await
}

fn hourly() -> Value {
    json!({ "frequency": "Hour" })
}
