//! What is told last to a receiver that an alert leaves.

use std::collections::HashSet;

use punctual_alerts::compose;
use punctual_model::alert::{Message, MessageKind, delivery_job, delivery_uid, incident_key};
use punctual_model::time::Timestamp;
use punctual_store::{AlertEntry, DeliveryEntry, DeliveryPage, DeliveryWrite, IncidentEntry, IncidentId, IncidentPage};

use super::Operations;
use super::alerts::{test_message, write_of};
use crate::fault::Fault;
use crate::limits;

/// Why incidents are over for a receiver: their alert is gone.
const DELETED: &str = "The alert was deleted.";

/// Why incidents are over for a receiver: their alert tells another one.
const LEFT: &str = "The alert tells another receiver now.";

/// What is told of the incidents of an alert that is deleted.
pub(super) async fn last_messages(
    operations: &Operations,
    entry: &AlertEntry,
    now: Timestamp,
) -> Result<Vec<DeliveryWrite>, Fault> {
    let told = told_incidents(operations, entry).await?;
    Ok(told.iter().filter_map(|incident| last_message(entry, incident, DELETED, now)).collect())
}

/// What is told of incidents to the receiver that an alert had, when it gets another one. Of those that the receiver has never heard of,
/// because its address was wrong, nothing is told: what was on its way goes to the new one.
pub(super) async fn farewells(
    operations: &Operations,
    entry: &AlertEntry,
    now: Timestamp,
) -> Result<Vec<DeliveryWrite>, Fault> {
    let told = told_incidents(operations, entry).await?;
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let page = DeliveryPage { alert: Some(entry.id), before: None, limit: limits::LAST_MESSAGES_MAX };
    let has_arrived = |it: &DeliveryEntry| it.outcome.as_ref().is_some_and(|outcome| outcome.failure.is_none());
    let arrived = operations.alerts.deliveries(page).await?.into_iter().filter(has_arrived);
    let known: HashSet<IncidentId> = arrived.filter_map(|it| it.incident).collect();
    let told = told.iter().filter(|incident| known.contains(&incident.id));
    Ok(told.filter_map(|incident| last_message(entry, incident, LEFT, now)).collect())
}

/// The incidents that last and that a receiver keeps, since it was told of them.
async fn told_incidents(operations: &Operations, entry: &AlertEntry) -> Result<Vec<IncidentEntry>, Fault> {
    if !entry.alert.form.keeps_incidents() {
        return Ok(Vec::new());
    }
    let page =
        IncidentPage { alert: Some(entry.id), is_open: Some(true), before: None, limit: limits::LAST_MESSAGES_MAX };
    let mut incidents = operations.alerts.incidents(page).await?;
    incidents.retain(|incident| incident.incident.told_at.is_some());
    Ok(incidents)
}

/// That an incident is over; none if that cannot be made, as a message that never was sent could not either.
fn last_message(entry: &AlertEntry, incident: &IncidentEntry, why: &str, now: Timestamp) -> Option<DeliveryWrite> {
    let message = Message {
        kind: MessageKind::Recovered,
        incident: incident_key(entry.uid, incident.id.0),
        trouble: incident.incident.trouble,
        target: incident.target.clone(),
        detail: why.to_owned(),
        is_over: false,
        since: incident.incident.opened_at,
        ..test_message(entry, entry.uid, now)
    };
    let action = compose(&entry.action, entry.alert.form, &message);
    let uid = delivery_uid(entry.uid, &message.incident, now);
    let job = delivery_job(action, &entry.alert.scope, uid, now).ok()?;
    Some(DeliveryWrite { incident: Some(incident.id), ..write_of(entry, &message, uid, job) })
}
