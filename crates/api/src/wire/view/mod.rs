//! What goes out at the door: the types of the model written as the clients of the original service read them, or flat.
//!
//! Members that are not there are left out, and the order of the others is the recorded one.

mod action;
mod alert;
mod authentication;
mod change;
mod collection;
mod event;
mod history;
mod job;
pub(crate) mod members;
mod options;
mod recurrence;
mod resource;
mod status;

pub(crate) use alert::{message_link, write_alert, write_alert_definition, write_incident, write_message};
pub use change::ChangeView;
pub(crate) use change::write_differences;
pub use collection::CollectionView;
pub use event::{EventPath, write_event};
pub use history::HistoryView;
pub use job::{JobView, write_definition};
pub use status::view_backfill;

use std::cell::RefCell;

use punctual_model::Warning;
use punctual_model::action::{MASK, mask_address};

use super::dialect::{Dialect, Extent};
use super::json::Json;

/// How something is written, and what could not be.
pub struct Writer {
    dialect: Dialect,
    extent: Extent,
    secrets: Secrets,
    /// Whether of an address that may hold a secret nothing is written but the server.
    hides_paths: bool,
    warnings: RefCell<Vec<Warning>>,
}

/// How much of what should not be seen is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// No secrets; and what may hold some is masked: keys in the path and the query of an address, values of headers, and
    /// what is sent.
    Masked,
    /// No secrets.
    Omitted,
}

impl Writer {
    /// A writer of answers in a dialect.
    pub fn new(dialect: Dialect, extent: Extent) -> Self {
        Self { dialect, extent, secrets: Secrets::Omitted, hides_paths: false, warnings: RefCell::default() }
    }

    /// A writer of answers to someone who may write what they read, or may not.
    pub fn for_reader(dialect: Dialect, extent: Extent, may_write: bool) -> Self {
        let secrets = if may_write { Secrets::Omitted } else { Secrets::Masked };
        Self { secrets, ..Self::new(dialect, extent) }
    }

    /// A writer of an alert to someone who may write it, or may not. The path of a webhook is its key, however short.
    pub fn for_reader_of_alert(extent: Extent, may_write: bool) -> Self {
        Self { hides_paths: true, ..Self::for_reader(Dialect::PLAIN, extent, may_write) }
    }

    /// A writer of what is stored, for a partial edit to be laid over.
    pub fn of_stored() -> Self {
        Self::new(Dialect::RECORDED, Extent::One)
    }

    /// What could not be written in the dialect.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_inner()
    }

    /// A text that may hold a secret.
    fn guarded(&self, text: &str) -> Json {
        if self.secrets == Secrets::Masked { MASK.into() } else { text.into() }
    }

    /// An address that may hold one in its path or query, or as user and password before the host.
    fn guarded_uri(&self, uri: &str) -> Json {
        if self.secrets != Secrets::Masked {
            return uri.into();
        }
        let masked = mask_address(uri, MASK);
        let host = masked.find("://").map_or(0, |scheme| scheme + "://".len());
        match masked[host..].find(['/', '?']).map(|end| masked.split_at(host + end)) {
            Some((server, path)) if self.hides_paths && path != "/" => Json::Text(format!("{server}/{MASK}")),
            _ => Json::Text(masked),
        }
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
