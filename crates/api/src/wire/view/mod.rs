//! What goes out at the door: the types of the model written as the clients of the original service read them.
//!
//! Members that are not there are left out, and the order of the others is the recorded one.

mod action;
mod authentication;
mod collection;
mod job;
mod members;
mod recurrence;
mod settings;

pub use collection::CollectionView;
pub use job::{JobView, StatusView};

use punctual_model::Warning;

use super::dialect::{Dialect, Extent};
use super::json::Json;

/// How something is written, and what could not be.
pub struct Writer {
    dialect: Dialect,
    extent: Extent,
    secrets: Secrets,
    warnings: Vec<Warning>,
}

/// Whether secrets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Never, to anyone outside.
    Omitted,
    /// So that a partial edit can be merged with what is stored, inside.
    Included,
}

impl Writer {
    /// A writer of answers in a dialect.
    pub fn new(dialect: Dialect, extent: Extent) -> Self {
        Self { dialect, extent, secrets: Secrets::Omitted, warnings: Vec::new() }
    }

    /// A writer of what is stored, complete, for our own eyes.
    pub fn complete() -> Self {
        Self { secrets: Secrets::Included, ..Self::new(Dialect::RECORDED, Extent::One) }
    }

    /// What could not be written in the dialect.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    fn is_secret_shown(&self) -> bool {
        self.secrets == Secrets::Included
    }

    fn leave_out(&mut self, path: &str, what: &str) {
        self.warnings.push(Warning::new(path, format!("left out: this client does not know {what}")));
    }

    fn duration(&self, span: &punctual_model::time::Span) -> Json {
        Json::Text(self.dialect.duration(span, self.extent))
    }
}
