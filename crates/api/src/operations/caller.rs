//! On whose behalf an operation is done.

use punctual_model::access::{Grants, Role, Scope};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionKey, JobKey, Stamp};

/// Who asks, and when.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The public part of a token, or an issuer and a subject.
    pub(crate) principal: String,
    /// What the principal may do.
    pub(crate) grants: Grants,
    /// The id under which client and log know the request.
    pub(crate) request_id: String,
    /// The instant of the request: every decision about it is made at this time.
    pub(crate) now: Timestamp,
}

impl Caller {
    /// What is kept with a write: that the caller made it.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { at: self.now, who: self.principal.clone(), request_id: self.request_id.clone() }
    }

    /// Whether the caller may see a collection and its jobs.
    pub(crate) fn may_read(&self, collection: &CollectionKey) -> bool {
        self.grants.allows(Role::Reader, &scope_of(collection))
    }

    /// Whether the caller may see the job of a path, as the store writes it.
    pub(crate) fn sees_path(&self, path: &str) -> bool {
        JobKey::of_path(path).is_some_and(|key| self.may_read(&key.collection))
    }

    /// Whether the caller may write a collection and its jobs; who may not is shown less of them.
    pub(crate) fn may_write(&self, collection: &CollectionKey) -> bool {
        self.grants.allows(Role::Contributor, &scope_of(collection))
    }
}

/// The scope that a collection is.
pub(crate) fn scope_of(key: &CollectionKey) -> Scope {
    let CollectionKey { subscription, group, collection } = key.clone();
    Scope::Collection { subscription, group, collection }
}
