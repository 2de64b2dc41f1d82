//! Resource groups and subscriptions. A group that holds a collection is there, whether someone made it or not.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::Name;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, Error, GroupEntry, GroupKey, GroupRemoval, Revision};

use crate::tables::{Tables, count};

impl Tables {
    /// The resource group of that path, if someone made it.
    pub fn group(&self, key: &GroupKey) -> Option<GroupEntry> {
        self.groups.get(key).cloned()
    }

    /// Resource groups of a subscription that were made or hold a collection, after one, in order.
    pub fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Vec<GroupEntry> {
        let all = self.all_groups().into_values();
        let is_asked_for =
            |key: &GroupKey| key.subscription == *subscription && after.is_none_or(|after| key.group > *after);
        all.filter(|entry| is_asked_for(&entry.key)).take(limit).collect()
    }

    /// Makes or changes a resource group. Returns whether it is new.
    pub fn put_group(&mut self, mut group: GroupEntry) -> bool {
        let stored = self.group(&group.key);
        let is_new = stored.is_none();
        if let Some(stored) = stored {
            group.key = stored.key;
        }
        self.groups.insert(group.key.clone(), group);
        is_new
    }

    /// Removes a resource group; with its collections, if that is said.
    pub fn delete_group(
        &mut self,
        key: &GroupKey,
        with_collections: bool,
        now: Timestamp,
    ) -> Result<GroupRemoval, Error> {
        let held: Vec<(CollectionId, Revision)> = self
            .collections
            .iter()
            .filter(|(_, row)| group_of(&row.key) == *key)
            .map(|(id, row)| (*id, row.revision))
            .collect();
        if !held.is_empty() && !with_collections {
            return Ok(GroupRemoval::Holds(count(held.iter())));
        }
        for (id, revision) in &held {
            self.delete_collection(*id, *revision, now)?;
        }
        let was_made = self.groups.remove(key).is_some();
        Ok(if was_made || !held.is_empty() { GroupRemoval::Removed } else { GroupRemoval::Absent })
    }

    /// Subscriptions that hold something, after one, in order.
    pub fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Vec<Name> {
        let made = self.groups.keys().map(|key| &key.subscription);
        let held = self.collections.values().map(|row| &row.key.subscription);
        let mut names = BTreeSet::new();
        for name in made.chain(held) {
            // A name that is there stays as it was first written.
            names.insert(name.clone());
        }
        names.into_iter().filter(|name| after.is_none_or(|after| name > after)).take(limit).collect()
    }

    /// Resource groups that were made, and those that only hold a collection.
    fn all_groups(&self) -> BTreeMap<GroupKey, GroupEntry> {
        let mut groups = self.groups.clone();
        for row in self.collections.values() {
            let key = group_of(&row.key);
            let implied = GroupEntry { key: key.clone(), location: None, tags: BTreeMap::new() };
            groups.entry(key).or_insert(implied);
        }
        groups
    }
}

fn group_of(key: &punctual_store::CollectionKey) -> GroupKey {
    GroupKey { subscription: key.subscription.clone(), group: key.group.clone() }
}
