//! Collections.

use punctual_model::Name;
use punctual_model::collection::{Collection, CollectionState, Sku};
use punctual_model::event::Edit;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::change::NewChange;
use super::db::Db;
use super::error::Fault;
use super::values::ticks;
use super::write::WriteTx;
use super::{alert, job, series, stop, tally, work};
use crate::cells::Cells;
use crate::change::{ChangedPath, Stamp};
use crate::collection::{CollectionEntry, CollectionPage, CollectionWrite};
use crate::columns::collection::{COLUMNS, read, read_changed_path};
use crate::damage::Damage;
use crate::error::Error;
use crate::key::{CollectionId, CollectionKey, GroupKey, JobId, Revision};
use crate::record;

/// Jobs of a deleted collection that are cleared away in one write, so that others need not wait.
const SWEPT_MAX: i64 = 200;

/// Counts of a deleted collection that are cleared away in one write. A year of minutes has half a million of them, and each is
/// far smaller than a job.
const TALLIES_SWEPT_MAX: usize = 5000;

/// The collection of that path.
pub(super) async fn get(db: &Db, key: &CollectionKey) -> Result<Option<CollectionEntry>, Fault> {
    find_row(db, key, "").await?.map(|row| Ok(read(&row)?)).transpose()
}

/// The number of the collection of that path, whether the rest of it can be read or not.
pub(super) async fn find(db: &Db, key: &CollectionKey) -> Result<Option<CollectionId>, Fault> {
    find_row(db, key, "").await?.map(|row| Ok(CollectionId(Cells::of(&row).next()?))).transpose()
}

async fn find_row(db: &Db, key: &CollectionKey, lock: &str) -> Result<Option<Row>, Fault> {
    let sql = format!(
        "select {COLUMNS} from collection
         where subscription = $1 and resource_group = $2 and name = $3 and deleted_at is null{lock}"
    );
    db.row(&sql, &[&key.subscription.folded(), &key.group.folded(), &key.collection.folded()]).await
}

/// A page of them, in the order of their group and name.
pub(super) async fn list(db: &Db, page: &CollectionPage, damage: &Damage) -> Result<Vec<CollectionEntry>, Fault> {
    let sql = format!(
        "select {COLUMNS} from collection
         where subscription = $1 and ($2::text is null or resource_group = $2) and (resource_group, name) > ($3, $4)
             and deleted_at is null
         order by resource_group, name"
    );
    let of_group = page.group.as_ref().map(Name::folded);
    let start = (of_group.unwrap_or_default(), "");
    let (group, name) = page.after.as_ref().map_or(start, |(group, name)| (group.folded(), name.folded()));
    let values: super::db::Values<'_> = &[&page.subscription.folded(), &of_group, &group, &name];
    db.read_page(&sql, values, page.limit, damage, |row| read(row)).await
}

/// Makes or changes one.
pub(super) async fn put(tx: &mut WriteTx, write: &CollectionWrite) -> Result<CollectionEntry, Fault> {
    if write.collections_max.is_some() {
        // Who counts the collections of a subscription is alone with it.
        tx.lock(&format!("collections of {}", write.key.subscription.folded())).await?;
    }
    let row = find_row(tx, &write.key, " for no key update").await?;
    let stored = row.as_ref().map(|row| read(row)).transpose()?;
    if stored.as_ref().map(|stored| stored.revision) != write.replaces {
        return Err(Error::Stale.into());
    }
    if let Some((sku, max)) = write.collections_max
        && count_others(tx, &write.key, sku).await? >= i64::from(max)
    {
        return Err(Error::Full { max }.into());
    }
    let key = stored.as_ref().map_or(&write.key, |stored| &stored.key);
    let record = match &row {
        Some(row) => {
            let mut cells = Cells::of(row);
            cells.skip(2);
            record::rewrite_collection(cells.next_text()?, key, &write.collection).map_err(Error::from)?
        }
        None => record::write_collection(key, &write.collection),
    };
    let (sku, stopped_at) = (write.collection.sku.map(Sku::name), ticks(write.stopped_at));
    match &stored {
        Some(stored) => {
            let sql =
                "update collection set revision = revision + 1, sku = $2, record = $3, stopped_at = $4 where id = $1";
            tx.execute(sql, &[&stored.id.0, &sku, &record, &stopped_at]).await?;
            if let Some(stop) = write.ended_stop {
                stop::insert(tx, stored.id, stop).await?;
            }
        }
        None => insert(tx, key, sku, &record, stopped_at).await?,
    }
    tell(tx, write, stored.as_ref(), key, record).await?;
    get(tx, key).await?.ok_or(Fault::Final(Error::Stale))
}

/// Notes what was done to a collection, for those who have to hear of it.
async fn tell(
    tx: &mut WriteTx,
    write: &CollectionWrite,
    stored: Option<&CollectionEntry>,
    key: &CollectionKey,
    record: String,
) -> Result<(), Fault> {
    let is_enabled = |collection: &Collection| collection.state == CollectionState::Enabled;
    let edit = stored
        .map_or(Edit::Created, |stored| Edit::of_state(is_enabled(&stored.collection), is_enabled(&write.collection)));
    tx.changes.push(NewChange::of_collection(ChangedPath::of(key), &write.stamp, edit, record));
    let Some(stored) = stored else { return Ok(()) };
    if stored.stopped_at != write.stopped_at {
        alert::signals::of_collection(tx, stored.id, write.stamp.at).await?;
    }
    tx.changed.all |= (stored.stopped_at, stored.collection.sku) != (write.stopped_at, write.collection.sku);
    Ok(())
}

async fn insert(
    db: &Db,
    key: &CollectionKey,
    sku: Option<&str>,
    record: &str,
    stopped_at: Option<i64>,
) -> Result<(), Fault> {
    let inserted = db
        .execute(
            "insert into collection (subscription, resource_group, name, revision, sku, record, stopped_at, jobs)
             values ($1, $2, $3, 1, $4, $5, $6, 0) on conflict do nothing",
            &[&key.subscription.folded(), &key.group.folded(), &key.collection.folded(), &sku, &record, &stopped_at],
        )
        .await?;
    // Somebody else was faster.
    if inserted == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// How many collections of that plan its subscription holds beside it.
async fn count_others(db: &Db, key: &CollectionKey, sku: Sku) -> Result<i64, Fault> {
    let sql = "select count(*) from collection
        where subscription = $1 and sku = $2 and deleted_at is null and (resource_group, name) <> ($3, $4)";
    let values: super::db::Values<'_> =
        &[&key.subscription.folded(), &sku.name(), &key.group.folded(), &key.collection.folded()];
    Ok(Cells::of(&db.one(sql, values).await?).next()?)
}

/// The numbers and revisions of all collections of a group, whether the rest of them can be read or not. They are held.
pub(super) async fn of_group(db: &Db, key: &GroupKey) -> Result<Vec<(CollectionId, Revision)>, Fault> {
    let sql = "select id, revision from collection
        where subscription = $1 and resource_group = $2 and deleted_at is null order by id for no key update";
    let rows = db.rows(sql, &[&key.subscription.folded(), &key.group.folded()]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((CollectionId(cells.next()?), Revision(cells.next()?)))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// Takes one away from its name. Its jobs cannot be reached from then on; they are left to [`sweep`].
pub(super) async fn delete(tx: &mut WriteTx, id: CollectionId, revision: Revision, stamp: &Stamp) -> Result<(), Fault> {
    let sql = "update collection set deleted_at = $3 where id = $1 and revision = $2 and deleted_at is null";
    if tx.execute(sql, &[&id.0, &revision.0, &stamp.at.ticks()]).await? == 0 {
        return Err(Error::Stale.into());
    }
    let path = changed_path(tx, id).await?;
    tx.changes.push(NewChange::deleted(path, stamp));
    stop::end(tx, id).await
}

/// Its path, for the log of changes.
pub(super) async fn changed_path(db: &Db, id: CollectionId) -> Result<ChangedPath, Fault> {
    let sql = "select subscription, resource_group, name, record from collection where id = $1";
    Ok(read_changed_path(&mut Cells::of(&db.one(sql, &[&id.0]).await?))?)
}

/// Whether one was deleted whose jobs are not all cleared away.
pub(super) async fn has_deleted(db: &Db) -> Result<bool, Fault> {
    db.exists("select 1::bigint from collection where deleted_at is not null limit 1", &[]).await
}

/// Clears away some of the jobs of one that was deleted, and then some of its counts. Says whether there may be more. Two that
/// sweep at the same time do not wait for each other.
pub(super) async fn sweep(tx: &mut WriteTx) -> Result<bool, Fault> {
    let sql = "select id, deleted_at from collection where deleted_at is not null
        order by id limit 1 for update skip locked";
    let Some(row) = tx.row(sql, &[]).await? else { return Ok(false) };
    let (id, deleted_at) = read_deleted(&row)?;
    let rows = tx.rows("select id from job where collection = $1 order by id limit $2", &[&id, &SWEPT_MAX]).await?;
    let jobs: Vec<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    work::lock_all(tx, &jobs).await?;
    for job in &jobs {
        series::keep(tx, JobId(*job), deleted_at).await?;
        job::remove(tx, JobId(*job), deleted_at).await?;
    }
    let are_all = super::db::count(jobs.len()) < SWEPT_MAX;
    if are_all && tally::forget_of(tx, CollectionId(id), TALLIES_SWEPT_MAX).await? < TALLIES_SWEPT_MAX {
        tx.execute("delete from collection where id = $1", &[&id]).await?;
    }
    Ok(true)
}

fn read_deleted(row: &Row) -> Result<(i64, Timestamp), Error> {
    let mut cells = Cells::of(row);
    Ok((cells.next()?, cells.next_required_instant()?))
}

/// Counts a job that came or went.
pub(super) async fn count_job(db: &Db, id: CollectionId, change: i64) -> Result<(), Fault> {
    db.execute("update collection set jobs = jobs + $2 where id = $1", &[&id.0, &change]).await?;
    Ok(())
}

/// Whether it is there, in any revision.
pub(super) async fn is_there(db: &Db, id: CollectionId) -> Result<bool, Fault> {
    db.exists("select 1::bigint from collection where id = $1 and deleted_at is null", &[&id.0]).await
}

/// How many jobs it holds, and its path, if it is there in that revision. It stays so until the end of the transaction: who counts
/// its jobs is alone with it, who only needs it to stay is not.
pub(super) async fn jobs(
    db: &Db,
    id: CollectionId,
    revision: Revision,
    counts: bool,
) -> Result<Option<(i64, ChangedPath)>, Fault> {
    let lock = if counts { "for no key update" } else { "for share" };
    let sql = format!(
        "select jobs, subscription, resource_group, name, record from collection
         where id = $1 and revision = $2 and deleted_at is null {lock}"
    );
    let Some(row) = db.row(&sql, &[&id.0, &revision.0]).await? else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some((cells.next()?, read_changed_path(&mut cells)?)))
}

/// Holds a collection whose jobs are about to be counted anew.
pub(super) async fn hold(db: &Db, id: CollectionId) -> Result<(), Fault> {
    db.row("select 1::bigint from collection where id = $1 for no key update", &[&id.0]).await?;
    Ok(())
}
