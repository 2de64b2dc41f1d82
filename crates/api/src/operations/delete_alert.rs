//! Deleting an alert.

use punctual_model::Name;
use punctual_model::access::Role;
use punctual_store::Error;

use super::alerts::{find_writable, no_alert, require_writer};
use super::last_messages::last_messages;
use super::{Caller, Operations};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::limits;

/// Deletes an alert, with its incidents and messages. A receiver that keeps incidents of its own is told that those which last are
/// over: nobody else would end them.
pub(crate) async fn delete_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
) -> Result<(), Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let entry = match find_writable(operations, caller, name).await {
            Err(Fault::Store(error)) if error.is_of_one_record() => {
                return delete_unread(operations, caller, name, condition).await;
            }
            found => found?,
        };
        condition.check(Some(&ETag::of_alert(&entry)))?;
        let last = last_messages(operations, &entry, caller.now).await?;
        match operations.alerts.delete_alert(entry.id, entry.revision, last, caller.stamp()).await {
            Err(Error::Stale) => {}
            deleted => return Ok(deleted?),
        }
    }
    Err(Fault::Busy)
}

/// Deletes an alert that cannot be read: damaged, or written by a newer version. No condition holds for it, and nobody is told that
/// its incidents are over, since only the alert knew whom to tell.
async fn delete_unread(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
) -> Result<(), Fault> {
    let found = operations.alerts.find_alert(name).await?;
    let found = found.filter(|found| caller.grants.allows(Role::Reader, &found.scope)).ok_or_else(|| no_alert(name))?;
    require_writer(caller, &found.scope)?;
    condition.check(None)?;
    Ok(operations.alerts.delete_alert(found.id, found.revision, Vec::new(), caller.stamp()).await?)
}
