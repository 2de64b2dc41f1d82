//! What a write does to what is there.

mod certificates;
mod conditions;
mod credentials;
mod masks;
mod origins;
mod patches;
mod placeholders;
mod redeploys;
mod signing;
mod targets;
mod warnings;

use serde_json::{Value, json};

/// A job every day at eight from tomorrow on.
fn daily() -> Value {
    json!({ "properties": {
        "startTime": "2026-11-16T08:00:00Z",
        "action": { "type": "Http", "request": { "uri": "http://example.com/", "method": "GET" } },
        "recurrence": { "frequency": "Day", "interval": 1, "count": 10, "endTime": "2027-06-01T00:00:00Z" },
        "state": "Enabled",
    } })
}

/// `job` with one of its values set.
fn with(mut job: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    job.pointer_mut(parent).unwrap()[name] = value;
    job
}
