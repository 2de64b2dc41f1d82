//! Writes that are sent together.

use serde_json::{Value, json};

use super::object::Object;
use crate::cli::failure::Failure;
use crate::cli::remote::client::Server;
use crate::limits::{BULK_BYTES, BULK_ITEMS};

/// On what condition something is written.
pub(super) enum Condition<'a> {
    None,
    /// Nothing is there.
    Absent,
    /// The object is there, in the version of this ETag.
    Tag(&'a str),
}

/// Writes that wait until there are enough of them for one request, each with what its sender wants to know again.
pub(super) struct Batch<T> {
    waiting: Vec<T>,
    items: String,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { waiting: Vec::new(), items: String::new() }
    }
}

impl<T> Batch<T> {
    pub(super) fn add(&mut self, what: T, item: &Value) {
        if !self.waiting.is_empty() {
            self.items.push(',');
        }
        self.items.push_str(&item.to_string());
        self.waiting.push(what);
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= BULK_ITEMS || self.items.len() >= BULK_BYTES
    }

    /// Sends what waits, and gives what came of each. `assumed` are collections that a plan takes to be there, as JSON.
    pub(super) fn send(
        &mut self,
        server: &Server,
        is_dry: bool,
        assumed: impl Fn(&[T]) -> String,
    ) -> Result<Vec<(T, Value)>, Failure> {
        if self.waiting.is_empty() {
            return Ok(Vec::new());
        }
        let (waiting, items) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.items));
        let path = if is_dry { "/v1/bulk?dryRun=true" } else { "/v1/bulk" };
        let assumed = assumed(&waiting);
        let body = format!("{{\"items\":[{items}],\"assumed\":[{assumed}]}}");
        let mut answer = server.call_text("POST", path, &body)?;
        let answers = match answer["value"].take() {
            Value::Array(answers) if answers.len() == waiting.len() => answers,
            _ => return Err(anyhow::anyhow!("the server has not answered each of the writes").into()),
        };
        Ok(waiting.into_iter().zip(answers).collect())
    }
}

/// The write of an object, whose secrets are there.
pub(super) fn put(object: &Object, condition: &Condition<'_>) -> Value {
    with_condition(json!({ "path": object.path, "body": object.body }), condition)
}

/// The deletion of what is at a path.
pub(super) fn delete(path: &str, condition: &Condition<'_>) -> Value {
    with_condition(json!({ "method": "DELETE", "path": path }), condition)
}

fn with_condition(mut item: Value, condition: &Condition<'_>) -> Value {
    match condition {
        Condition::None => {}
        Condition::Absent => item["ifNoneMatch"] = json!("*"),
        Condition::Tag(tag) => item["ifMatch"] = json!(tag),
    }
    item
}

/// What is wrong with a write, in sentences; nothing if it was made.
pub(super) fn refusal(answer: &Value) -> Option<String> {
    let error = answer.get("error")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let details = error["details"].as_array().filter(|details| !details.is_empty());
    Some(match details {
        Some(details) => {
            let each = details.iter().map(|it| format!("{}: {}", text(&it["target"]), text(&it["message"])));
            each.collect::<Vec<_>>().join(" ")
        }
        None => text(&error["message"]),
    })
}
