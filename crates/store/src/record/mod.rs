//! Definitions as they are written to a database.
//!
//! Text in JSON, with members of our own: neither the wire's JSON, which has dialects and leniency, nor the types of the
//! model, which may change their insides. What is read goes through the model's own constructors again, so that a
//! database that was tampered with or damaged says so instead of running something at a wrong time.

mod access;
mod action;
mod collection;
mod schedule;

pub use access::{read_assignment, read_token, write_assignment, write_token};
pub use action::{read_action, write_action};
pub use collection::{read_collection, read_group, write_collection, write_group};
pub use schedule::{ScheduleRecord, read_schedule, write_schedule};

/// A row as JSON. Members that are not there are left out: a million jobs have thirty million of them.
fn text(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).expect("texts and numbers are JSON")
}

/// A record that cannot be what we wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a record cannot be read: {0}")]
pub struct Corrupt(String);

impl Corrupt {
    fn new(reason: impl std::fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl From<serde_json::Error> for Corrupt {
    fn from(error: serde_json::Error) -> Self {
        Self::new(error)
    }
}

impl From<Vec<punctual_model::Violation>> for Corrupt {
    fn from(violations: Vec<punctual_model::Violation>) -> Self {
        Self::new(violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests;
