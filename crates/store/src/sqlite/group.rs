//! Resource groups and subscriptions. A group that holds a collection is there, whether someone made it or not.

use punctual_model::Name;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::collection;
use crate::collection::{CollectionPage, GroupEntry, GroupRemoval};
use crate::error::Error;
use crate::key::GroupKey;
use crate::record;

/// The group of that path, if someone made it.
pub(super) fn get(db: &Connection, key: &GroupKey) -> Result<Option<GroupEntry>, Error> {
    let mut statement = db.prepare_cached("select record from resource_group where subscription = ?1 and name = ?2")?;
    let names = [key.subscription.folded(), key.group.folded()];
    let record: Option<String> = statement.query_row(names, |row| row.get(0)).optional()?;
    record.map(|record| read(&record)).transpose()
}

/// Every group that was made or holds a collection.
pub(super) fn list(
    db: &Connection,
    subscription: &Name,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<GroupEntry>, Error> {
    let mut statement = db.prepare_cached(
        "select name, max(made), max(held) from (
             select name, record as made, null as held from resource_group where subscription = ?1 and name > ?2
             union all
             select resource_group, null, record from collection
             where subscription = ?1 and resource_group > ?2 and deleted_at is null
         )
         group by name order by name limit ?3",
    )?;
    let values = params![subscription.folded(), after.map_or("", Name::folded), limit];
    let rows = statement.query_map(values, |row| Ok((row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (made, held): (Option<String>, Option<String>) = row?;
        match (made, held) {
            (Some(made), _) => read(&made),
            (None, held) => implied(&held.unwrap_or_default()),
        }
    })
    .collect()
}

/// Makes or changes one. Says whether it is new.
pub(super) fn put(db: &Connection, mut group: GroupEntry) -> Result<bool, Error> {
    let stored = get(db, &group.key)?;
    let is_new = stored.is_none();
    if let Some(stored) = stored {
        group.key = stored.key;
    }
    db.prepare_cached("insert or replace into resource_group (subscription, name, record) values (?1, ?2, ?3)")?
        .execute([group.key.subscription.folded(), group.key.group.folded(), &record::write_group(&group)])?;
    Ok(is_new)
}

/// Removes one; with its collections, if that is said.
pub(super) fn delete(
    db: &Connection,
    key: &GroupKey,
    with_collections: bool,
    now: Timestamp,
) -> Result<GroupRemoval, Error> {
    let names = [key.subscription.folded(), key.group.folded()];
    let held: u32 = db
        .prepare_cached(
            "select count(*) from collection where subscription = ?1 and resource_group = ?2 and deleted_at is null",
        )?
        .query_row(names, |row| row.get(0))?;
    if held > 0 && !with_collections {
        return Ok(GroupRemoval::Holds(held));
    }
    if held > 0 {
        let (subscription, group) = (key.subscription.clone(), Some(key.group.clone()));
        let all = CollectionPage { subscription, group, after: None, limit: held as usize };
        for entry in collection::list(db, &all)? {
            collection::delete(db, entry.id, entry.revision, now)?;
        }
    }
    let deleted =
        db.prepare_cached("delete from resource_group where subscription = ?1 and name = ?2")?.execute(names)?;
    Ok(if deleted + held as usize == 0 { GroupRemoval::Absent } else { GroupRemoval::Removed })
}

/// Every subscription that holds something.
pub(super) fn subscriptions(db: &Connection, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error> {
    let mut statement = db.prepare_cached(
        "select subscription, max(made), max(held) from (
             select subscription, record as made, null as held from resource_group where subscription > ?1
             union all
             select subscription, null, record from collection where subscription > ?1 and deleted_at is null
         )
         group by subscription order by subscription limit ?2",
    )?;
    let rows =
        statement.query_map(params![after.map_or("", Name::folded), limit], |row| Ok((row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (made, held): (Option<String>, Option<String>) = row?;
        let group = made.map_or_else(|| implied(&held.unwrap_or_default()), |made| read(&made))?;
        Ok(group.key.subscription)
    })
    .collect()
}

fn read(record: &str) -> Result<GroupEntry, Error> {
    record::read_group(record).map_err(|reason| Error::corrupt(format!("a resource group: {reason}")))
}

/// The group that a collection is in.
fn implied(record: &str) -> Result<GroupEntry, Error> {
    let (key, _) =
        record::read_collection(record).map_err(|reason| Error::corrupt(format!("a collection: {reason}")))?;
    let key = GroupKey { subscription: key.subscription, group: key.group };
    Ok(GroupEntry { key, location: None, tags: std::collections::BTreeMap::new() })
}
