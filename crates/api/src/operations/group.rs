//! Writes of resource groups.

use punctual_model::event::Edit;
use punctual_store::{CollectionKey, CollectionPage, GroupEntry, GroupKey, GroupRemoval};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::input::GroupInput;
use crate::page;

/// Makes a resource group or changes it. Says whether it is new.
pub(crate) async fn save_group(
    operations: &Operations,
    key: &GroupKey,
    input: GroupInput,
) -> Result<(GroupEntry, bool), Fault> {
    let GroupInput { location, tags } = input;
    let entry = GroupEntry { key: key.clone(), location, tags: tags.unwrap_or_default() };
    let is_new = operations.store.put_group(entry.clone()).await?;
    Ok((entry, is_new))
}

/// Deletes a resource group; one that holds collections only if they shall go with it.
pub(crate) async fn delete_group(
    operations: &Operations,
    caller: &Caller,
    key: &GroupKey,
    with_collections: bool,
) -> Result<(), Fault> {
    let collections = if with_collections { collections_of(operations, key).await? } else { Vec::new() };
    match operations.store.delete_group(key, with_collections, caller.stamp()).await? {
        GroupRemoval::Removed => {
            for collection in &collections {
                operations.publish_collection(caller, collection, Edit::Deleted);
            }
            Ok(())
        }
        GroupRemoval::Absent => Err(Fault::NoGroup(key.group.to_string())),
        GroupRemoval::Holds(number) => Err(Fault::Conflict {
            target: "resourceGroup",
            message: format!(
                "The resource group '{}' holds {number} job collections; delete them first, or add ?force=true.",
                key.group
            ),
        }),
    }
}

/// The collections that go with a group. One that is made at the same time goes as well, but without an event.
async fn collections_of(operations: &Operations, key: &GroupKey) -> Result<Vec<CollectionKey>, Fault> {
    let GroupKey { subscription, group } = key.clone();
    let mut rows = CollectionPage { subscription, group: Some(group), after: None, limit: page::LOOK };
    let mut keys = Vec::new();
    loop {
        let read = operations.store.collections(&rows).await?;
        let is_last = read.len() < rows.limit;
        keys.extend(read.into_iter().map(|entry| entry.key));
        if is_last {
            return Ok(keys);
        }
        rows.after = keys.last().map(|last| (last.group.clone(), last.collection.clone()));
    }
}
