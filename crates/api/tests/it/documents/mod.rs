//! The examples of the documents the original came with, sent as they stand but for their comments.

mod actions;
mod jobs;
mod tables;

use crate::answer::Answer;
use crate::server::Server;

/// Makes a job of an example.
async fn put(server: &Server, text: &str) -> Answer {
    let name = server.get("/v1/jobs").await.ids().len();
    server.call("PUT", &format!("/v1/jobs/example{name}")).body(text.to_owned()).send().await
}

/// Makes a job of an example that is only a part of one: the action, or what stands beside it.
async fn put_part(server: &Server, text: &str) -> Answer {
    let action = r#""action": {"type": "http", "request": {"uri": "http://contoso.com/foo", "method": "GET"}}"#;
    let whole = if text.contains("\"action\"") { format!("{{{text}}}") } else { format!("{{{action}, {text}}}") };
    put(server, &whole).await
}
