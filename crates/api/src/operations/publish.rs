//! The one place that tells what a write did. It runs after the write is on disk; the engine has heard of it before,
//! from the store.

use punctual_model::Name;
use punctual_model::event::{Edit, Event, EventKind};
use punctual_store::CollectionKey;

use super::{Caller, Operations};

impl Operations {
    /// Tells that a job was written.
    pub(super) fn publish_job(&self, caller: &Caller, collection: &CollectionKey, job: &Name, edit: Edit) {
        self.publish(caller, format!("{}/{job}", path(collection)), edit);
    }

    /// Tells that a collection was written. What that does to its jobs is not told job by job.
    pub(super) fn publish_collection(&self, caller: &Caller, collection: &CollectionKey, edit: Edit) {
        self.publish(caller, path(collection), edit);
    }

    fn publish(&self, caller: &Caller, path: String, edit: Edit) {
        let Caller { principal, request_id, .. } = caller;
        tracing::debug!(%request_id, caller = %principal, "{path} {}", edit.name());
        self.events.push(Event { at: caller.now, path: Some(path.into()), kind: EventKind::Edited(edit) });
    }
}

fn path(collection: &CollectionKey) -> String {
    let CollectionKey { subscription, group, collection } = collection;
    format!("{subscription}/{group}/{collection}")
}
