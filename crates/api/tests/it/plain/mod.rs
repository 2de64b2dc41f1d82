//! What the short path answers where nobody asks for another dialect.

mod jobs;
mod lists;
mod resources;
mod round_trip;
mod status;
mod warnings;

use serde_json::Value;

use crate::answer::Answer;
use crate::server::Server;

/// Reads something.
async fn get(server: &Server, path: &str) -> Answer {
    server.call("GET", path).plain().send().await
}

/// Makes or replaces something.
async fn put(server: &Server, path: &str, json: Value) -> Answer {
    server.call("PUT", path).plain().json(&json).send().await
}

/// Makes a job, which must be a good one.
async fn make(server: &Server, path: &str, json: Value) -> Answer {
    let made = put(server, path, json).await;
    assert_eq!(made.status(), 201, "{made}");
    made
}
