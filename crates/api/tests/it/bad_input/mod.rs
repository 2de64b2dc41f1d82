//! What is wrong is refused, and nothing of it is kept.
//!
//! Each test is a table: what was sent, and what its sender is told. For every row it is also checked that the status is
//! the documented one, that a detail names the field, and that everything that is stored is as it was.

mod actions;
mod authentication;
mod bodies;
mod collections;
mod cron;
mod headers;
mod names;
mod options;
mod placeholders;
mod queries;
mod recurrences;
mod rights;
mod schedules;
mod service_bus;
mod storage_queue;
mod times;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Server;

/// A server with something to be spoilt, and what was told so far.
struct Table {
    server: Server,
    before: String,
    rows: Vec<String>,
    /// Rows that were not answered as they should.
    wrong: Vec<String>,
}

impl Table {
    async fn new() -> Self {
        let server = Server::start().await;
        let basic = json!({ "type": "Basic", "username": "ada", "password": "x" });
        let job = json!({ "properties": {
            "action": { "request": { "uri": "https://example.com", "authentication": basic } },
            "recurrence": { "frequency": "day", "count": 5 } } });
        for path in ["/v1/jobs/j", "/v1/jobs/k"] {
            assert_eq!(server.put(path, job.clone()).await.status(), 201);
        }
        server.put("/v1/collections/c", json!({ "properties": { "sku": { "name": "Standard" } } })).await;
        let before = server.everything().await;
        Self { server, before, rows: Vec::new(), wrong: Vec::new() }
    }

    /// Adds what `answer` says to `sent`, of which `field` is wrong.
    fn add(&mut self, sent: &str, field: &str, answer: &Answer) {
        let details = answer.json().pointer("/error/details").cloned().unwrap_or_default();
        let names_it = |detail: &Value| detail["target"].as_str().is_some_and(|target| target.contains(field));
        let is_named = details.as_array().is_some_and(|details| details.iter().any(names_it));
        if answer.status() != 400 || answer.at("/error/code") != "BadRequest" || !is_named {
            self.wrong.push(format!("{sent}: {field} should be named: {}", answer.complaint()));
            return;
        }
        let sent: String =
            if sent.chars().count() > 110 { sent.chars().take(100).chain(['…']).collect() } else { sent.into() };
        let complaint = answer.complaint();
        let complaint = complaint.strip_prefix("400 BadRequest: ").unwrap();
        self.rows.push(format!("{sent}\n  -> {}", complaint.replace(" | ", "\n  -> ")));
    }

    /// Puts `body` where `path` is.
    async fn put(&mut self, path: &str, body: &Value, field: &str, sent: &str) {
        let answer = self.server.call("PUT", path).json(body).send().await;
        self.add(sent, field, &answer);
    }

    /// A job with this action.
    async fn action(&mut self, text: &str, field: &str) {
        let body = json!({ "properties": { "action": parsed(text) } });
        self.put("/v1/jobs/j", &body, field, text).await;
    }

    /// A job with this request.
    async fn request(&mut self, text: &str, field: &str) {
        let body = json!({ "properties": { "action": { "request": parsed(text) } } });
        self.put("/v1/jobs/j", &body, field, text).await;
    }

    /// A job with these members beside its action.
    async fn job(&mut self, text: &str, field: &str) {
        let mut properties = parsed(text);
        properties["action"] = json!({ "request": { "uri": "https://example.com" } });
        self.put("/v1/jobs/j", &json!({ "properties": properties }), field, text).await;
    }

    /// A job with this recurrence.
    async fn recurrence(&mut self, text: &str, field: &str) {
        self.job(&format!(r#"{{"recurrence": {text}}}"#), field).await;
    }

    /// The table, once it is sure that nothing was changed by any row.
    async fn finish(self) -> String {
        assert!(self.wrong.is_empty(), "{:#?}", self.wrong);
        assert_eq!(self.server.everything().await, self.before);
        self.rows.join("\n")
    }
}

/// The JSON that a row is written as.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}
