//! The set that files belong to: a name under which `--prune` finds again what they have made.

use clap::Args;
use serde_json::{Value, json};

use super::object::Kind;

/// The label of jobs, and the tag of collections, that holds the name of the set.
pub(super) const LABEL: &str = "managed-by";

/// The set that files belong to.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Set {
    /// The name of what these files are together: it is kept as the label managed-by of each job and the tag managed-by of each
    /// collection
    #[arg(long = "set", value_name = "NAME")]
    pub(super) name: Option<String>,
}

impl Set {
    /// Adds the mark of the set to what is sent.
    pub(super) fn mark(&self, kind: Kind, body: &mut Value) {
        let Some(name) = &self.name else { return };
        let holder = if body["properties"].is_object() && kind == Kind::Job { &mut body["properties"] } else { body };
        let member = match kind {
            Kind::Job => &mut holder["options"]["labels"],
            Kind::Collection => &mut holder["tags"],
            Kind::Alert => return,
        };
        // What is no object stays, and the server says that it should be one.
        if member.is_null() || member.is_object() {
            member[LABEL] = json!(name);
        }
    }

    /// The set that something belongs to.
    pub(super) fn of(kind: Kind, body: &Value) -> Option<&str> {
        match kind {
            Kind::Job => body["options"]["labels"][LABEL].as_str(),
            Kind::Collection => body["tags"][LABEL].as_str(),
            Kind::Alert => None,
        }
    }

    /// The path under which a plan names the mark.
    pub(super) const fn member(kind: Kind) -> &'static str {
        match kind {
            Kind::Job => "options.labels.managed-by",
            Kind::Collection => "tags.managed-by",
            Kind::Alert => "",
        }
    }
}
