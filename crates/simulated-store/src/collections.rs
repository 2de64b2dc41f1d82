//! Collections, and the times in which they were disabled.

use punctual_model::collection::{Collection, Sku};
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionEntry, CollectionId, CollectionKey, CollectionPage, CollectionWrite, EndedStop, Error, JobId, Revision,
    Stop,
};

use crate::tables::{CollectionRow, StopRow, Tables, count};

impl Tables {
    /// The collection of that path.
    pub fn collection(&self, key: &CollectionKey) -> Option<CollectionEntry> {
        let (id, row) = self.collections.iter().find(|(_, row)| row.key == *key)?;
        Some(self.collection_entry(*id, row))
    }

    /// A page of the collections of a subscription, in the order of their groups and names.
    pub fn collections(&self, page: &CollectionPage) -> Vec<CollectionEntry> {
        let is_asked_for = |key: &CollectionKey| {
            key.subscription == page.subscription
                && page.group.as_ref().is_none_or(|group| key.group == *group)
                && page.after.as_ref().is_none_or(|(group, name)| (&key.group, &key.collection) > (group, name))
        };
        let rows = self.collections.iter().filter(|(_, row)| is_asked_for(&row.key));
        let mut entries: Vec<_> = rows.map(|(id, row)| self.collection_entry(*id, row)).collect();
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        entries.truncate(page.limit);
        entries
    }

    /// Makes or changes a collection.
    pub fn put_collection(&mut self, write: CollectionWrite) -> Result<CollectionEntry, Error> {
        let stored = self.collection(&write.key);
        if stored.as_ref().map(|stored| stored.revision) != write.replaces {
            return Err(Error::Stale);
        }
        if let Some((sku, max)) = write.collections_max
            && self.count_others(&write.key, sku) >= max
        {
            return Err(Error::Full { max });
        }
        let is_other = stored.as_ref().is_some_and(|stored| {
            (stored.stopped_at, stored.collection.sku) != (write.stopped_at, write.collection.sku)
        });
        self.changed.all |= is_other;
        let (id, revision, key) = if let Some(stored) = stored {
            if let Some(stop) = write.ended_stop {
                self.insert_stop(stored.id, stop, false);
            }
            (stored.id, Revision(stored.revision.0 + 1), stored.key)
        } else {
            self.last_collection += 1;
            (CollectionId(self.last_collection), Revision(1), write.key)
        };
        let collection = Collection { name: key.collection.clone(), ..write.collection };
        let row = CollectionRow { revision, key, collection, stopped_at: write.stopped_at };
        self.collections.insert(id, row.clone());
        Ok(self.collection_entry(id, &row))
    }

    /// Removes a collection with its jobs.
    pub fn delete_collection(&mut self, id: CollectionId, revision: Revision, now: Timestamp) -> Result<(), Error> {
        let is_as_read = self.collections.get(&id).is_some_and(|row| row.revision == revision);
        let row = if is_as_read { self.collections.remove(&id) } else { None };
        let row = row.ok_or(Error::Stale)?;
        if let Some(from) = row.stopped_at {
            self.insert_stop(id, EndedStop { from, until: now }, true);
        }
        // No job is left that could be told.
        for (_, stop) in self.ended_stops.iter_mut().filter(|((of, _), _)| *of == id) {
            stop.all_told = true;
        }
        for job in self.jobs_of(id) {
            self.keep_series(job, now);
            self.remove_job(job);
        }
        self.tallies.retain(|(_, of), _| *of != id);
        self.changed.all = true;
        Ok(())
    }

    /// When the jobs of a collection, which may be gone, did not run, earliest first.
    pub fn stops(&self, id: CollectionId) -> Vec<Stop> {
        let ended = self.ended_stops.iter().filter(|((of, _), _)| *of == id).map(|(_, row)| row.stop);
        let mut stops: Vec<Stop> = ended.map(|EndedStop { from, until }| Stop { from, until: Some(until) }).collect();
        let stopped_at = self.collections.get(&id).and_then(|row| row.stopped_at);
        stops.extend(stopped_at.map(|from| Stop { from, until: None }));
        stops.sort_by_key(|stop| stop.from);
        stops
    }

    /// The jobs of a collection.
    pub(crate) fn jobs_of(&self, id: CollectionId) -> Vec<JobId> {
        self.jobs.iter().filter(|(_, job)| job.collection == id).map(|(id, _)| *id).collect()
    }

    pub(crate) fn collection_entry(&self, id: CollectionId, row: &CollectionRow) -> CollectionEntry {
        let CollectionRow { revision, key, collection, stopped_at } = row.clone();
        CollectionEntry { id, revision, key, collection, stopped_at, jobs: count(self.jobs_of(id).into_iter()) }
    }

    /// How many collections of a plan stand in the same subscription beside one.
    fn count_others(&self, key: &CollectionKey, sku: Sku) -> u32 {
        let is_other = |row: &&CollectionRow| {
            row.key != *key && row.key.subscription == key.subscription && row.collection.sku == Some(sku)
        };
        count(self.collections.values().filter(is_other))
    }

    fn insert_stop(&mut self, id: CollectionId, stop: EndedStop, all_told: bool) {
        self.ended_stops.insert((id, stop.from), StopRow { stop, told_until: String::new(), all_told });
    }
}
