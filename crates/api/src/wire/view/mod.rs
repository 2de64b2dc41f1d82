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

use std::cell::RefCell;

use punctual_model::Warning;

use super::dialect::{Dialect, Extent};
use super::json::Json;

/// How something is written, and what could not be.
pub struct Writer {
    dialect: Dialect,
    extent: Extent,
    secrets: Secrets,
    warnings: RefCell<Vec<Warning>>,
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
        Self { dialect, extent, secrets: Secrets::Omitted, warnings: RefCell::default() }
    }

    /// A writer of what is stored, complete, for our own eyes.
    pub fn complete() -> Self {
        Self { secrets: Secrets::Included, ..Self::new(Dialect::RECORDED, Extent::One) }
    }

    /// What could not be written in the dialect.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_inner()
    }

    fn is_secret_shown(&self) -> bool {
        self.secrets == Secrets::Included
    }

    /// The name of a value in lower case, or nothing if the client does not know it.
    fn lower_case_if_known(&self, path: &str, name: &str, is_extension: bool) -> Option<String> {
        if is_extension && !self.dialect.takes_extensions() {
            let text = format!("left out: this client does not know {name}");
            self.warnings.borrow_mut().push(Warning::new(path, text));
            return None;
        }
        Some(self.dialect.lower_case(name))
    }

    fn duration(&self, span: &punctual_model::time::Span) -> Json {
        Json::Text(self.dialect.duration(span, self.extent))
    }
}
