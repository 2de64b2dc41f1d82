//! Definitions as they are written to a database.
//!
//! Text in JSON, with members of our own: neither the JSON of the API, which has dialects and leniency, nor the types of
//! the model, which may change their insides. What is read goes through the model's own constructors again, so that a
//! database that was tampered with or damaged says so instead of running something at a wrong time.
//!
//! Records of a newer version: a member that this version does not know is passed over when it is read and kept when the
//! record is written again. A newer version that adds a member which must not be passed over says so beside
//! it, with the member `needs` and the [generation](GENERATION) that knows it; this version then reads nothing of the
//! record, and so runs nothing of it.

mod access;
mod action;
mod alert;
pub(crate) mod codes;
mod collection;
mod email;
mod failure;
mod labels;
mod schedule;
mod unknown;

pub use access::{read_assignment, read_token, write_assignment, write_token};
pub use action::{read_action, rewrite_action, write_action};
pub use alert::{read_alert, rewrite_alert, write_alert};
pub use collection::{read_collection, read_group, rewrite_collection, rewrite_group, write_collection, write_group};
pub(crate) use failure::{read_failure, write_failure};
pub use labels::{read_labels, write_labels};
pub use schedule::{ScheduleRecord, read_schedule, rewrite_schedule, write_schedule};
use serde::{Deserialize, Deserializer};

use crate::error::Error;

/// The generation of records that this version understands.
pub const GENERATION: u32 = 1;

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The record cannot be what we wrote.
    #[error("a record cannot be read: {0}")]
    Corrupt(String),
    /// The record was written by a newer version, and needs this generation.
    #[error("a record needs generation {0} of Punctual's records, and this version knows {GENERATION}")]
    Newer(u32),
}

impl Unreadable {
    fn new(reason: impl std::fmt::Display) -> Self {
        Self::Corrupt(reason.to_string())
    }
}

impl From<Unreadable> for Error {
    fn from(reason: Unreadable) -> Self {
        match reason {
            Unreadable::Corrupt(_) => Self::Corrupt(reason.to_string()),
            Unreadable::Newer(needs) => Self::Newer { what: "a record".to_owned(), needs },
        }
    }
}

impl From<Vec<punctual_model::Violation>> for Unreadable {
    fn from(violations: Vec<punctual_model::Violation>) -> Self {
        Self::new(violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }
}

/// A row as JSON. Members that are not there are left out: a million jobs have thirty million of them.
fn text(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).expect("texts and numbers are JSON")
}

/// Reads the row that [`text`] wrote.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|error| {
        // What a newer version writes may look wrong in any place.
        match serde_json::from_str(text) {
            Ok(Generation { needs }) if needs > GENERATION => Unreadable::Newer(needs),
            _ => Unreadable::new(error),
        }
    })
}

/// Text for a row that was there: with the members of the old text that this version does not know.
fn rewrite<T>(
    old: &str,
    new: String,
    read: impl FnOnce(&str) -> Result<T, Unreadable>,
    write: impl FnOnce(&T) -> String,
) -> Result<String, Unreadable> {
    match read(old) {
        Ok(known) => Ok(unknown::keep(old, &write(&known), new)),
        Err(Unreadable::Corrupt(_)) => Ok(new),
        Err(newer) => Err(newer),
    }
}

#[derive(Deserialize)]
struct Generation {
    #[serde(default)]
    needs: u32,
}

/// The member `needs` of a row, which is refused where it is too high.
#[derive(Default)]
struct Needs;

impl<'de> Deserialize<'de> for Needs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let needs = u32::deserialize(deserializer)?;
        if needs > GENERATION { Err(serde::de::Error::custom("a newer version wrote it")) } else { Ok(Self) }
    }
}

#[cfg(test)]
mod tests;
