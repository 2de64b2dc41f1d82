//! A job that is being made of an item of the source.

use punctual_arm::{Json, Value};

/// A job, and what is to be said about it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The line in which the item begins.
    pub(crate) line: u32,
    /// What the item is called in its source.
    pub(crate) item: String,
    /// The collection, where the source names one.
    pub(crate) collection: Option<String>,
    /// The name of the job.
    pub(crate) name: String,
    /// What PUT takes.
    pub(crate) body: Json,
    /// Whether it ran in its origin.
    pub(crate) is_enabled: bool,
    /// What is worth knowing, although it does the same here.
    pub(crate) notes: Vec<String>,
    /// How it differs.
    pub(crate) near: Vec<String>,
    /// What must be done by hand.
    pub(crate) by_hand: Vec<String>,
}

impl Draft {
    pub(crate) fn new(line: u32, item: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            line,
            item: item.into(),
            collection: None,
            name: name.into(),
            body: Json { line, value: Value::Object(Vec::new()) },
            is_enabled: true,
            notes: Vec::new(),
            near: Vec::new(),
            by_hand: Vec::new(),
        }
    }

    /// Puts a member into the job.
    pub(crate) fn set(&mut self, name: &str, json: Json) {
        self.body.set(name, json);
    }

    /// Puts a text into an object of the job, which is made where it is missing.
    pub(crate) fn set_in(&mut self, object: &str, name: &str, value: impl Into<Value>) {
        let mut inner = self.body.remove(object).unwrap_or(Json { line: self.line, value: Value::Object(Vec::new()) });
        inner.set(name, Json::new(self.line, value));
        self.body.set(object, inner);
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(crate) fn near(&mut self, text: impl Into<String>) {
        self.near.push(text.into());
    }

    pub(crate) fn by_hand(&mut self, text: impl Into<String>) {
        self.by_hand.push(text.into());
    }
}
