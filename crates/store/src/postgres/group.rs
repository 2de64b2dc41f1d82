//! Resource groups and subscriptions. A group that holds a collection is there, whether it was made or not.

use punctual_model::Name;

use super::collection;
use super::db::Db;
use super::error::Fault;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::change::Stamp;
use crate::collection::{GroupEntry, GroupRemoval};
use crate::columns::group::{bare, parse, read, read_row};
use crate::damage::Damage;
use crate::error::Error;
use crate::key::GroupKey;
use crate::record;

/// The group of that path, if it was made.
pub(super) async fn get(db: &Db, key: &GroupKey) -> Result<Option<GroupEntry>, Fault> {
    Ok(get_record(db, key, "").await?.map(|record| read(&record)).transpose()?)
}

async fn get_record(db: &Db, key: &GroupKey, lock: &str) -> Result<Option<String>, Fault> {
    let sql = format!("select record from resource_group where subscription = $1 and name = $2{lock}");
    let row = db.row(&sql, &[&key.subscription.folded(), &key.group.folded()]).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?)
}

/// Every group that was made or holds a collection.
pub(super) async fn list(
    db: &Db,
    subscription: &Name,
    after: Option<&Name>,
    limit: usize,
    damage: &Damage,
) -> Result<Vec<GroupEntry>, Fault> {
    let sql = "select name, max(made), max(held) from (
            select name, record as made, null::text as held from resource_group where subscription = $1 and name > $2
            union all
            select resource_group, null, record from collection
            where subscription = $1 and resource_group > $2 and deleted_at is null
        ) as groups
        group by name order by name";
    let after = after.map_or("", Name::folded);
    db.read_page(sql, &[&subscription.folded(), &after], limit, damage, |row| {
        let (folded, entry) = read_row(row)?;
        let bare = |group| bare(GroupKey { subscription: subscription.clone(), group });
        damage.sieve(entry)?.map_or_else(|| Ok(bare(parse(folded)?)), Ok)
    })
    .await
}

/// Makes or changes one. Says whether it is new.
pub(super) async fn put(tx: &mut WriteTx, group: &GroupEntry) -> Result<bool, Fault> {
    let mut group = group.clone();
    let stored = get_record(tx, &group.key, " for update").await?;
    let record = match &stored {
        Some(stored) => {
            group.key = read(stored)?.key;
            record::rewrite_group(stored, &group).map_err(Error::from)?
        }
        None => record::write_group(&group),
    };
    let (subscription, name) = (group.key.subscription.folded(), group.key.group.folded());
    if stored.is_some() {
        let sql = "update resource_group set record = $3 where subscription = $1 and name = $2";
        tx.execute(sql, &[&subscription, &name, &record]).await?;
        return Ok(false);
    }
    let sql = "insert into resource_group (subscription, name, record) values ($1, $2, $3) on conflict do nothing";
    if tx.execute(sql, &[&subscription, &name, &record]).await? == 0 {
        // Somebody else has made it at this instant: the record that it has is to be kept, where it says more than ours.
        return Err(Fault::Again(Error::Stale));
    }
    Ok(true)
}

/// Removes one; with its collections, if that is said.
pub(super) async fn delete(
    tx: &mut WriteTx,
    key: &GroupKey,
    with_collections: bool,
    stamp: &Stamp,
) -> Result<GroupRemoval, Fault> {
    let held = collection::of_group(tx, key).await?;
    if !held.is_empty() && !with_collections {
        return Ok(GroupRemoval::Holds(held.len().try_into().unwrap_or(u32::MAX)));
    }
    for (id, revision) in &held {
        collection::delete(tx, *id, *revision, stamp).await?;
    }
    let sql = "delete from resource_group where subscription = $1 and name = $2";
    let deleted = tx.execute(sql, &[&key.subscription.folded(), &key.group.folded()]).await?;
    Ok(if deleted == 0 && held.is_empty() { GroupRemoval::Absent } else { GroupRemoval::Removed })
}

/// Every subscription that holds something.
pub(super) async fn subscriptions(
    db: &Db,
    after: Option<&Name>,
    limit: usize,
    damage: &Damage,
) -> Result<Vec<Name>, Fault> {
    let sql = "select subscription, max(made), max(held) from (
            select subscription, record as made, null::text as held from resource_group where subscription > $1
            union all
            select subscription, null, record from collection where subscription > $1 and deleted_at is null
        ) as subscriptions
        group by subscription order by subscription";
    let after = after.map_or("", Name::folded);
    db.read_page(sql, &[&after], limit, damage, |row| {
        let (folded, entry) = read_row(row)?;
        damage.sieve(entry)?.map_or_else(|| parse(folded), |entry| Ok(entry.key.subscription))
    })
    .await
}
