//! Deleting an alert.

use punctual_alerts::compose;
use punctual_model::Name;
use punctual_model::access::Role;
use punctual_model::alert::{Message, MessageKind, delivery_job, delivery_uid, incident_key};
use punctual_model::time::Timestamp;
use punctual_store::{AlertEntry, DeliveryWrite, Error, IncidentEntry, IncidentPage};

use super::alerts::{find_writable, no_alert, require_writer, test_message, write_of};
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

/// What is told of the incidents of an alert that is deleted.
async fn last_messages(
    operations: &Operations,
    entry: &AlertEntry,
    now: Timestamp,
) -> Result<Vec<DeliveryWrite>, Fault> {
    let page =
        IncidentPage { alert: Some(entry.id), is_open: Some(true), before: None, limit: limits::LAST_MESSAGES_MAX };
    if !entry.alert.form.keeps_incidents() {
        return Ok(Vec::new());
    }
    let incidents = operations.alerts.incidents(page).await?;
    let told = incidents.iter().filter(|incident| incident.incident.told_at.is_some());
    Ok(told.filter_map(|incident| last_message(entry, incident, now)).collect())
}

/// That an incident is over; none if that cannot be made, as a message that never was sent could not either.
fn last_message(entry: &AlertEntry, incident: &IncidentEntry, now: Timestamp) -> Option<DeliveryWrite> {
    let message = Message {
        kind: MessageKind::Recovered,
        incident: incident_key(entry.uid, incident.id.0),
        trouble: incident.incident.trouble,
        target: incident.target.clone(),
        detail: "The alert was deleted.".to_owned(),
        since: incident.incident.opened_at,
        ..test_message(entry, entry.uid, now)
    };
    let action = compose(&entry.action, entry.alert.form, &message);
    let uid = delivery_uid(entry.uid, &message.incident, now);
    let job = delivery_job(action, &entry.alert.scope, uid, now).ok()?;
    Some(DeliveryWrite { incident: Some(incident.id), ..write_of(entry, &message, uid, job) })
}
