//! The collections of the jobs that are read together: hundreds of jobs are in the same one, which is read once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

use super::cells::Cells;
use super::collection;
use crate::error::Error;
use crate::key::CollectionId;

/// A collection that is not deleted.
pub(super) const COLLECTION: &str =
    "select sku, stopped_at, record from collection where id = ?1 and deleted_at is null";

/// Collections by their numbers, in one snapshot of the database.
pub(super) struct CollectionCache<'db> {
    db: &'db Connection,
    /// None: the collection is deleted.
    read: HashMap<CollectionId, Option<CachedCollection>>,
}

/// What rows and definitions of jobs need of their collection.
pub(super) struct CachedCollection {
    pub(super) sku: Option<String>,
    pub(super) stopped_at: Option<Timestamp>,
    record: String,
    /// Taken from the record when it is first needed.
    path: Option<String>,
}

impl<'db> CollectionCache<'db> {
    pub(super) fn new(db: &'db Connection) -> Self {
        Self { db, read: HashMap::new() }
    }

    /// The collection of that number; none if it is deleted.
    pub(super) fn get(&mut self, id: CollectionId) -> Result<Option<&mut CachedCollection>, Error> {
        let found = match self.read.entry(id) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => {
                let mut statement = self.db.prepare_cached(COLLECTION)?;
                let found = statement.query_row([id.0], |row| Ok(read(row))).optional()?;
                place.insert(found.transpose()?)
            }
        };
        Ok(found.as_mut())
    }

    /// The path of the collection of that number; none if it is deleted.
    pub(super) fn path(&mut self, id: CollectionId) -> Result<Option<&str>, Error> {
        let Some(found) = self.get(id)? else { return Ok(None) };
        let path = match found.path.take() {
            Some(path) => path,
            None => collection::read_path(id, &found.record)?,
        };
        Ok(Some(found.path.insert(path)))
    }
}

fn read(row: &Row<'_>) -> Result<CachedCollection, Error> {
    let mut cells = Cells::of(row);
    Ok(CachedCollection { sku: cells.next()?, stopped_at: cells.next_instant()?, record: cells.next()?, path: None })
}
