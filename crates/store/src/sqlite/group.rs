//! Resource groups and subscriptions. A group that holds a collection is there, whether it was made or not.

use punctual_model::Name;
use rusqlite::{Connection, OptionalExtension};

use super::collection;
use super::damage::Damage;
use crate::change::Stamp;
use crate::collection::{GroupEntry, GroupRemoval};
use crate::columns::group::{bare, parse, read, read_row};
use crate::error::Error;
use crate::key::GroupKey;
use crate::record;

/// The group of that path, if it was made.
pub(super) fn get(db: &Connection, key: &GroupKey) -> Result<Option<GroupEntry>, Error> {
    get_record(db, key)?.map(|record| read(&record)).transpose()
}

fn get_record(db: &Connection, key: &GroupKey) -> Result<Option<String>, Error> {
    let mut statement = db.prepare_cached("select record from resource_group where subscription = ?1 and name = ?2")?;
    let names = [key.subscription.folded(), key.group.folded()];
    Ok(statement.query_row(names, |row| row.get(0)).optional()?)
}

/// Every group that was made or holds a collection.
pub(super) fn list(
    db: &Connection,
    subscription: &Name,
    after: Option<&Name>,
    limit: usize,
    damage: &Damage,
) -> Result<Vec<GroupEntry>, Error> {
    let mut statement = db.prepare_cached(
        "select name, max(made), max(held) from (
             select name, record as made, null as held from resource_group where subscription = ?1 and name > ?2
             union all
             select resource_group, null, record from collection
             where subscription = ?1 and resource_group > ?2 and deleted_at is null
         )
         group by name order by name",
    )?;
    let rows = statement.query([subscription.folded(), after.map_or("", Name::folded)])?;
    damage.read_page(rows, limit, |row| {
        let (folded, entry) = read_row(row)?;
        let bare = |group| bare(GroupKey { subscription: subscription.clone(), group });
        damage.sieve(entry)?.map_or_else(|| Ok(bare(parse(folded)?)), Ok)
    })
}

/// Makes or changes one. Says whether it is new.
pub(super) fn put(db: &Connection, mut group: GroupEntry) -> Result<bool, Error> {
    let stored = get_record(db, &group.key)?;
    let record = match &stored {
        Some(stored) => {
            group.key = read(stored)?.key;
            record::rewrite_group(stored, &group)?
        }
        None => record::write_group(&group),
    };
    db.prepare_cached("insert or replace into resource_group (subscription, name, record) values (?1, ?2, ?3)")?
        .execute([group.key.subscription.folded(), group.key.group.folded(), &record])?;
    Ok(stored.is_none())
}

/// Removes one; with its collections, if that is said.
pub(super) fn delete(
    db: &Connection,
    key: &GroupKey,
    with_collections: bool,
    stamp: &Stamp,
) -> Result<GroupRemoval, Error> {
    let names = [key.subscription.folded(), key.group.folded()];
    let held = collection::of_group(db, key)?;
    if !held.is_empty() && !with_collections {
        return Ok(GroupRemoval::Holds(held.len().try_into().unwrap_or(u32::MAX)));
    }
    for (id, revision) in &held {
        collection::delete(db, *id, *revision, stamp)?;
    }
    let deleted =
        db.prepare_cached("delete from resource_group where subscription = ?1 and name = ?2")?.execute(names)?;
    Ok(if deleted + held.len() == 0 { GroupRemoval::Absent } else { GroupRemoval::Removed })
}

/// Every subscription that holds something.
pub(super) fn subscriptions(
    db: &Connection,
    after: Option<&Name>,
    limit: usize,
    damage: &Damage,
) -> Result<Vec<Name>, Error> {
    let mut statement = db.prepare_cached(
        "select subscription, max(made), max(held) from (
             select subscription, record as made, null as held from resource_group where subscription > ?1
             union all
             select subscription, null, record from collection where subscription > ?1 and deleted_at is null
         )
         group by subscription order by subscription",
    )?;
    let rows = statement.query([after.map_or("", Name::folded)])?;
    damage.read_page(rows, limit, |row| {
        let (folded, entry) = read_row(row)?;
        damage.sieve(entry)?.map_or_else(|| parse(folded), |entry| Ok(entry.key.subscription))
    })
}
