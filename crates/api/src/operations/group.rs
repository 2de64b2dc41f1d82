//! Writes of resource groups.

use punctual_store::{GroupEntry, GroupKey, GroupRemoval};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::input::GroupInput;

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
    match operations.store.delete_group(key, with_collections, caller.stamp()).await? {
        GroupRemoval::Removed => Ok(()),
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
