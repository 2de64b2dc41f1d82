//! Collections.

use std::collections::HashMap;
use std::sync::Arc;

use punctual_model::Name;
use punctual_model::collection::{Collection, CollectionState, Sku};
use punctual_model::event::Edit;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::cells::Cells;
use super::change::{self, ChangedPath};
use super::damage::Damage;
use super::known_collections::KnownCollections;
use super::writer::WriteTx;
use super::{alert, job, series, stop, tally};
use crate::change::Stamp;
use crate::collection::{CollectionEntry, CollectionPage, CollectionWrite};
pub(super) use crate::columns::collection::read_path;
use crate::columns::collection::{COLUMNS, read, read_as, read_changed_path};
use crate::error::Error;
use crate::key::{CollectionId, CollectionKey, GroupKey, JobId, Revision};
use crate::record;

/// Jobs of a deleted collection that are cleared away in one write, so that others need not wait.
const SWEPT_MAX: usize = 200;

/// Counts of a deleted collection that are cleared away in one write. A year of minutes has half a million of them, and each is
/// far smaller than a job.
const TALLIES_SWEPT_MAX: usize = 5000;

pub(super) const BY_PATH: &str = "select id, revision, record, stopped_at, jobs from collection
     where subscription = ?1 and resource_group = ?2 and name = ?3 and deleted_at is null";

/// What [`room`] reads.
pub(super) const ROOM: &str =
    "select jobs, exists (select 1 from job where collection = ?1 and job.name = ?3) from collection
     where id = ?1 and revision = ?2 and deleted_at is null";

/// Paths of collections that are remembered.
const PATHS_MAX: usize = 1000;

/// The paths of collections in which jobs were written, for the log of changes: a path never becomes another one.
#[derive(Default)]
pub(super) struct ChangedPaths(HashMap<CollectionId, Arc<ChangedPath>>);

impl ChangedPaths {
    /// That of a collection that is there.
    pub(super) fn get(&mut self, db: &Connection, id: CollectionId) -> Result<Arc<ChangedPath>, Error> {
        if let Some(path) = self.0.get(&id) {
            return Ok(Arc::clone(path));
        }
        let path = Arc::new(changed_path(db, id)?);
        if self.0.len() >= PATHS_MAX {
            self.0.clear();
        }
        self.0.insert(id, Arc::clone(&path));
        Ok(path)
    }

    /// Forgets all, when a transaction is taken back: the number of a collection that was made in it comes again.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The collection of that path.
pub(super) fn get(db: &Connection, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error> {
    get_as(db, key, |row| read(row))
}

/// The same beside the writer, for every request about a job.
pub(super) fn get_known(
    db: &Connection,
    key: &CollectionKey,
    known: &KnownCollections,
) -> Result<Option<CollectionEntry>, Error> {
    get_as(db, key, |row| read_as(row, |id, record| known.read(id, record)))
}

fn get_as(
    db: &Connection,
    key: &CollectionKey,
    read: impl FnOnce(&Row<'_>) -> Result<CollectionEntry, Error>,
) -> Result<Option<CollectionEntry>, Error> {
    let mut statement = db.prepare_cached(BY_PATH)?;
    let names = [key.subscription.folded(), key.group.folded(), key.collection.folded()];
    statement.query_row(names, |row| Ok(read(row))).optional()?.transpose()
}

/// The number of the collection of that path, whether the rest of it can be read or not.
pub(super) fn find(db: &Connection, key: &CollectionKey) -> Result<Option<CollectionId>, Error> {
    let mut statement = db.prepare_cached(
        "select id from collection where subscription = ?1 and resource_group = ?2 and name = ?3 and deleted_at is null",
    )?;
    let names = [key.subscription.folded(), key.group.folded(), key.collection.folded()];
    Ok(statement.query_row(names, |row| row.get(0).map(CollectionId)).optional()?)
}

/// A page of them, in the order of their group and name.
pub(super) fn list(db: &Connection, page: &CollectionPage, damage: &Damage) -> Result<Vec<CollectionEntry>, Error> {
    let mut statement = db.prepare_cached(&page_sql())?;
    let of_group = page.group.as_ref().map(Name::folded);
    let start = (of_group.unwrap_or_default(), "");
    let (group, name) = page.after.as_ref().map_or(start, |(group, name)| (group.folded(), name.folded()));
    let rows = statement.query(params![page.subscription.folded(), of_group, group, name])?;
    damage.read_page(rows, page.limit, |row| read(row))
}

pub(super) fn page_sql() -> String {
    format!(
        "select {COLUMNS} from collection
         where subscription = ?1 and (?2 is null or resource_group = ?2) and (resource_group, name) > (?3, ?4)
             and deleted_at is null
         order by resource_group, name"
    )
}

/// Makes or changes one.
pub(super) fn put(tx: &mut WriteTx<'_>, write: &CollectionWrite) -> Result<CollectionEntry, Error> {
    let db = tx.db;
    let stored = get(db, &write.key)?;
    if stored.as_ref().map(|stored| stored.revision) != write.replaces {
        return Err(Error::Stale);
    }
    if let Some((sku, max)) = write.collections_max
        && count_others(db, &write.key, sku)? >= max
    {
        return Err(Error::Full { max });
    }
    let key = stored.as_ref().map_or(&write.key, |stored| &stored.key);
    let record = match &stored {
        Some(stored) => {
            let mut statement = db.prepare_cached("select record from collection where id = ?1")?;
            let old: String = statement.query_row([stored.id.0], |row| row.get(0))?;
            record::rewrite_collection(&old, key, &write.collection)?
        }
        None => record::write_collection(key, &write.collection),
    };
    let sku = write.collection.sku.map(Sku::name);
    let stopped_at = write.stopped_at.map(Timestamp::ticks);
    match &stored {
        Some(stored) => {
            db.prepare_cached(
                "update collection set revision = revision + 1, sku = ?2, record = ?3, stopped_at = ?4 where id = ?1",
            )?
            .execute(params![stored.id.0, sku, record, stopped_at])?;
            if let Some(stop) = write.ended_stop {
                stop::insert(db, stored.id, stop)?;
            }
        }
        None => insert(db, key, sku, &record, stopped_at)?,
    }
    let is_enabled = |collection: &Collection| collection.state == CollectionState::Enabled;
    let edit = stored
        .as_ref()
        .map_or(Edit::Created, |stored| Edit::of_state(is_enabled(&stored.collection), is_enabled(&write.collection)));
    change::insert_collection(db, &ChangedPath::of(key), &write.stamp, edit, &record)?;
    if let Some(stored) = stored.as_ref().filter(|stored| stored.stopped_at != write.stopped_at) {
        alert::signals::of_collection(db, stored.id, write.stamp.at)?;
    }
    if stored
        .as_ref()
        .is_some_and(|stored| (stored.stopped_at, stored.collection.sku) != (write.stopped_at, write.collection.sku))
    {
        tx.changed.all = true;
    }
    get(db, key)?.ok_or(Error::Stale)
}

fn insert(
    db: &Connection,
    key: &CollectionKey,
    sku: Option<&str>,
    record: &str,
    stopped_at: Option<i64>,
) -> Result<(), Error> {
    db.prepare_cached(
        "insert into collection (subscription, resource_group, name, revision, sku, record, stopped_at, jobs)
         values (?1, ?2, ?3, 1, ?4, ?5, ?6, 0)",
    )?
    .execute(params![
        key.subscription.folded(),
        key.group.folded(),
        key.collection.folded(),
        sku,
        record,
        stopped_at
    ])?;
    Ok(())
}

/// How many collections of that plan its subscription holds beside it.
fn count_others(db: &Connection, key: &CollectionKey, sku: Sku) -> Result<u32, Error> {
    let mut statement = db.prepare_cached(
        "select count(*) from collection
         where subscription = ?1 and sku = ?2 and deleted_at is null and (resource_group, name) <> (?3, ?4)",
    )?;
    let values = [key.subscription.folded(), sku.name(), key.group.folded(), key.collection.folded()];
    Ok(statement.query_row(values, |row| row.get(0))?)
}

/// The numbers and revisions of all collections of a group, whether the rest of them can be read or not.
pub(super) fn of_group(db: &Connection, key: &GroupKey) -> Result<Vec<(CollectionId, Revision)>, Error> {
    let mut statement = db.prepare_cached(
        "select id, revision from collection where subscription = ?1 and resource_group = ?2 and deleted_at is null",
    )?;
    let names = [key.subscription.folded(), key.group.folded()];
    let rows = statement.query_map(names, |row| Ok((CollectionId(row.get(0)?), Revision(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes one away from its name. Its jobs cannot be reached from then on; they are left to [`sweep`].
pub(super) fn delete(db: &Connection, id: CollectionId, revision: Revision, stamp: &Stamp) -> Result<(), Error> {
    let deleted = db
        .prepare_cached("update collection set deleted_at = ?3 where id = ?1 and revision = ?2 and deleted_at is null")?
        .execute([id.0, revision.0, stamp.at.ticks()])?;
    if deleted == 0 {
        return Err(Error::Stale);
    }
    change::insert_deleted(db, &changed_path(db, id)?, stamp)?;
    // What it was is kept as long as history. None of its jobs is left to be woken.
    db.prepare_cached(
        "insert or replace into collection_stop (collection, stopped_from, stopped_until, all_woken)
         select id, stopped_at, deleted_at, 1 from collection where id = ?1 and stopped_at is not null",
    )?
    .execute([id.0])?;
    db.prepare_cached("update collection_stop set all_woken = 1 where collection = ?1 and all_woken = 0")?
        .execute([id.0])?;
    Ok(())
}

/// Its path, for the log of changes.
pub(super) fn changed_path(db: &Connection, id: CollectionId) -> Result<ChangedPath, Error> {
    let mut statement =
        db.prepare_cached("select subscription, resource_group, name, record from collection where id = ?1")?;
    statement.query_row([id.0], |row| Ok(read_changed_path(&mut Cells::of(row))))?
}

/// Whether one was deleted whose jobs are not all cleared away.
pub(super) fn has_deleted(db: &Connection) -> Result<bool, Error> {
    let mut statement = db.prepare_cached("select 1 from collection where deleted_at is not null limit 1")?;
    Ok(statement.exists([])?)
}

/// Clears away some of the jobs of one that was deleted, and then some of its counts. Says whether there may be more.
pub(super) fn sweep(db: &Connection) -> Result<bool, Error> {
    let mut statement =
        db.prepare_cached("select id, deleted_at from collection where deleted_at is not null order by id limit 1")?;
    let read = |row: &Row<'_>| {
        let mut cells = Cells::of(row);
        Ok::<_, Error>((cells.next::<i64>()?, cells.next_required_instant()?))
    };
    let found = statement.query_row([], |row| Ok(read(row))).optional()?;
    let Some((id, deleted_at)) = found.transpose()? else {
        return Ok(false);
    };
    let mut statement = db.prepare_cached("select id from job where collection = ?1 limit ?2")?;
    let jobs: Vec<i64> = statement.query_map(params![id, SWEPT_MAX], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in &jobs {
        series::keep(db, JobId(*id), deleted_at)?;
        job::remove(db, JobId(*id), deleted_at)?;
    }
    if jobs.len() < SWEPT_MAX && tally::forget_of(db, CollectionId(id), TALLIES_SWEPT_MAX)? < TALLIES_SWEPT_MAX {
        db.prepare_cached("delete from collection where id = ?1")?.execute([id])?;
    }
    Ok(true)
}

/// Counts a job that came or went.
pub(super) fn count_job(db: &Connection, id: CollectionId, change: i32) -> Result<(), Error> {
    db.prepare_cached("update collection set jobs = jobs + ?2 where id = ?1")?.execute(params![id.0, change])?;
    Ok(())
}

/// Whether it is there, in any revision.
pub(super) fn is_there(db: &Connection, id: CollectionId) -> Result<bool, Error> {
    Ok(db.prepare_cached("select 1 from collection where id = ?1 and deleted_at is null")?.exists([id.0])?)
}

/// Whether a job can be added to a collection.
pub(super) struct Room {
    /// How many jobs it holds.
    pub(super) jobs: u32,
    /// Whether one of them has the name.
    pub(super) has_name: bool,
}

/// The room for a job of that name, if the collection is there in that revision.
pub(super) fn room(db: &Connection, id: CollectionId, revision: Revision, name: &Name) -> Result<Option<Room>, Error> {
    let mut statement = db.prepare_cached(ROOM)?;
    let read = |row: &Row<'_>| Ok(Room { jobs: row.get(0)?, has_name: row.get(1)? });
    Ok(statement.query_row(params![id.0, revision.0, name.folded()], read).optional()?)
}
