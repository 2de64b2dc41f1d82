//! A change of a job, a collection or an alert.

use punctual_model::action::Secret;
use punctual_store::{ChangeEntry, Version};

use super::members::Members;
use super::{CollectionView, Writer, alert, write_definition};
use crate::wire::diff::{Difference, Pair, differences};
use crate::wire::json::Json;

/// What an answer says about a change.
pub struct ChangeView<'a> {
    /// The path of the job or the collection; nothing for an alert.
    pub resource: &'a str,
    /// The change.
    pub change: &'a ChangeEntry,
    /// The change before, if it is known.
    pub before: Option<&'a ChangeEntry>,
}

impl ChangeView<'_> {
    /// The change, as `shown` writes it. What it did is found with `full`, which masks nothing.
    pub fn write(&self, full: &Writer, shown: &Writer) -> Json {
        let ChangeEntry { id, stamp, edit, after } = self.change;
        let known = self.before.and_then(|before| before.after.as_ref());
        let members = known.zip(after.as_ref()).map(|(old, new)| self.members(old, new, full, shown));
        let has_other_secrets = known.zip(after.as_ref()).is_some_and(|(old, new)| secrets(old) != secrets(new));
        Members::new()
            .add("id", id.to_string())
            .add("time", stamp.at.to_string())
            .add("by", &stamp.who)
            .add_some("requestId", Some(&stamp.request_id).filter(|id| !id.is_empty()))
            .add("change", edit.name())
            .add_some("members", members)
            .add_some("note", after.as_ref().and_then(note))
            .add_some("secretsChanged", has_other_secrets.then_some(true))
            .add_some("definition", after.as_ref().map(|version| self.version(version, shown)))
            .into_json()
    }

    /// The members that the change has changed.
    fn members(&self, old: &Version, new: &Version, full: &Writer, shown: &Writer) -> Json {
        let (old_full, new_full) = (self.version(old, full), self.version(new, full));
        let (old_shown, new_shown) = (self.version(old, shown), self.version(new, shown));
        let before = Pair { compared: &old_full, shown: &old_shown };
        let after = Pair { compared: &new_full, shown: &new_shown };
        list(before, after)
    }

    fn version(&self, version: &Version, writer: &Writer) -> Json {
        match version {
            Version::Job { definition, state, annotations } => {
                write_definition(definition, *state, &annotations.labels, writer)
            }
            Version::Collection(collection) => CollectionView { id: self.resource, collection }.write(writer),
            Version::Alert { alert, action, muted_until } => alert::write_version(alert, action, *muted_until, writer),
        }
    }
}

/// The members that differ between two values.
pub(crate) fn write_differences(old: &Json, new: &Json) -> Json {
    list(Pair { compared: old, shown: old }, Pair { compared: new, shown: new })
}

fn list(before: Pair<'_>, after: Pair<'_>) -> Json {
    let write = |difference: Difference<'_>| {
        Members::new()
            .add("path", difference.path)
            .add_some("before", difference.before.cloned())
            .add_some("after", difference.after.cloned())
            .into_json()
    };
    Json::List(differences(before, after).into_iter().map(write).collect())
}

/// Why a job was disabled, where somebody said so.
fn note(version: &Version) -> Option<&String> {
    match version {
        Version::Job { annotations, .. } => annotations.note.as_ref(),
        Version::Collection(_) | Version::Alert { .. } => None,
    }
}

/// The fingerprints of the secrets, in their order.
fn secrets(version: &Version) -> Vec<Secret> {
    let mut found = Vec::new();
    let action = match version {
        Version::Job { definition, .. } => Some(&definition.action),
        Version::Alert { action, .. } => Some(&**action),
        Version::Collection(_) => None,
    };
    if let Some(action) = action {
        action.clone().map_secrets(&mut |secret| found.push(secret));
    }
    found
}
