//! Collections and resource groups as the store gives and takes them.

use std::collections::BTreeMap;

use punctual_model::Name;
use punctual_model::collection::{Collection, Sku};
use punctual_model::time::Timestamp;

use crate::change::Stamp;
use crate::key::{CollectionId, CollectionKey, GroupKey, Revision};

/// A collection that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionEntry {
    /// Its number.
    pub id: CollectionId,
    /// Which version this is.
    pub revision: Revision,
    /// Its path, as it was first written.
    pub key: CollectionKey,
    /// What the user said about it.
    pub collection: Collection,
    /// Since when its jobs do not run, if they do not.
    pub stopped_at: Option<Timestamp>,
    /// How many jobs it holds.
    pub jobs: u32,
}

/// A collection that is to be there.
#[derive(Clone, Debug)]
pub struct CollectionWrite {
    /// Its path.
    pub key: CollectionKey,
    /// What the user says about it.
    pub collection: Collection,
    /// Which version the caller has read; none if there was none.
    pub replaces: Option<Revision>,
    /// Since when its jobs do not run, if they do not.
    pub stopped_at: Option<Timestamp>,
    /// The jobs did not run from then to then: what this write ends, if it lets them run again.
    pub ended_stop: Option<EndedStop>,
    /// How many other collections of its plan its subscription may hold, at most.
    pub collections_max: Option<(Sku, u32)>,
    /// Who writes it, and when that was decided.
    pub stamp: Stamp,
}

/// A time in which the jobs of a collection did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct EndedStop {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl CollectionWrite {
    /// A collection that is new, in a subscription that may hold any number of them.
    pub const fn new(key: CollectionKey, collection: Collection, stamp: Stamp) -> Self {
        let (replaces, stopped_at, ended_stop, collections_max) = (None, None, None, None);
        Self { key, collection, replaces, stopped_at, ended_stop, collections_max, stamp }
    }
}

/// Which collections are listed.
#[derive(Clone, Debug)]
pub struct CollectionPage {
    /// Those of this subscription.
    pub subscription: Name,
    /// Those of this resource group only.
    pub group: Option<Name>,
    /// Those after this one, in the order of group and name.
    pub after: Option<(Name, Name)>,
    /// So many at most.
    pub limit: usize,
}

/// A resource group that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupEntry {
    /// Its path, as it was first written.
    pub key: GroupKey,
    /// Where it is, echoed as it was sent; it means nothing here.
    pub location: Option<String>,
    /// The user's own labels.
    pub tags: BTreeMap<String, String>,
}

/// What became of a resource group that was to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRemoval {
    /// It is gone, and so are its collections.
    Removed,
    /// It was not there.
    Absent,
    /// It holds this number of collections and was left as it is.
    Holds(u32),
}
