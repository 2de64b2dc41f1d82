//! Incidents: what alerts have found.

use std::collections::HashMap;

use punctual_model::Name;
use punctual_model::alert::{AlertScope, Message, MessageKind};
use punctual_model::time::Timestamp;
use punctual_store::{
    AlertEntry, AlertId, Error, GroupKey, IncidentEntry, IncidentFacts, IncidentId, IncidentPage, JobKey,
};

use super::alerts::{find_alert, list_alerts, mute, require_writer};
use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;

/// Which incidents are wanted; all that is given must hold.
#[derive(Default)]
pub(crate) struct IncidentFilter {
    pub(crate) alert: Option<Name>,
    pub(crate) is_open: Option<bool>,
}

/// An incident, and what is known of it.
pub(crate) struct ListedIncident {
    pub(crate) entry: IncidentEntry,
    /// The alert that watches: its name and its scope.
    pub(crate) alert: Name,
    scope: AlertScope,
    pub(crate) facts: IncidentFacts,
}

impl ListedIncident {
    /// The incident in one line, as messages about it say.
    pub(crate) fn headline(&self, defaults: &GroupKey) -> String {
        let IncidentEntry { incident, target, cause, closed_at, .. } = &self.entry;
        let members = incident.members;
        // One that is over is what it was: who reads a list wants to know what happened.
        let message = Message {
            kind: MessageKind::Opened,
            alert: self.alert.clone(),
            scope: self.scope.clone(),
            incident: String::new(),
            trouble: incident.trouble,
            target: target.clone(),
            cause: cause.clone(),
            is_over: closed_at.is_some(),
            failure: self.facts.failure.clone(),
            detail: self.facts.detail.clone(),
            jobs: self.facts.jobs.clone(),
            troubled: members.troubled,
            well: members.well,
            well_jobs: self.facts.well_jobs.clone(),
            gone: members.gone,
            gone_jobs: self.facts.gone_jobs.clone(),
            since: self.facts.since.unwrap_or(incident.opened_at),
            until: closed_at.unwrap_or(incident.opened_at),
            at: closed_at.unwrap_or(incident.opened_at),
            excerpt: String::new(),
            link: None,
            home: format!("{}/{}", defaults.subscription, defaults.group),
        };
        message.headline()
    }
}

/// A page of the incidents of alerts that the caller may see, the latest first, and the last that was looked at, if there
/// may be more.
pub(crate) async fn list_incidents(
    operations: &Operations,
    caller: &Caller,
    filter: &IncidentFilter,
    mut before: Option<IncidentId>,
    limit: usize,
) -> Result<(Vec<ListedIncident>, Option<IncidentId>), Fault> {
    let watching = match &filter.alert {
        Some(name) => vec![find_alert(operations, caller, name).await?],
        None => list_alerts(operations, caller).await?,
    };
    let alert = filter.alert.as_ref().and_then(|_| watching.first()).map(|entry| entry.id);
    let names = |entry: AlertEntry| (entry.id, (entry.name, entry.alert.scope));
    let names: HashMap<AlertId, (Name, AlertScope)> = watching.into_iter().map(names).collect();
    let mut listed = Vec::new();
    for _ in 0..limits::INCIDENT_PAGES_MAX {
        let page = IncidentPage { alert, is_open: filter.is_open, before, limit: limits::INCIDENTS_PAGE as usize };
        let read = operations.alerts.incidents(page).await?;
        let is_last = read.len() < page.limit;
        for entry in read {
            if listed.len() == limit {
                return Ok((listed, before));
            }
            before = Some(entry.id);
            if let Some((alert, scope)) = names.get(&entry.alert).cloned() {
                let facts = find_facts(operations, caller, entry.id).await?;
                listed.push(ListedIncident { entry, alert, scope, facts });
            }
        }
        if is_last {
            return Ok((listed, None));
        }
    }
    Ok((listed, before))
}

/// One incident.
pub(crate) async fn show_incident(
    operations: &Operations,
    caller: &Caller,
    id: IncidentId,
) -> Result<ListedIncident, Fault> {
    let (watching, entry) = find_incident(operations, caller, id).await?;
    let facts = find_facts(operations, caller, id).await?;
    Ok(ListedIncident { entry, alert: watching.name, scope: watching.alert.scope, facts })
}

/// Mutes an incident until an instant, or lets it be told again where none is given.
pub(crate) async fn mute_incident(
    operations: &Operations,
    caller: &Caller,
    id: IncidentId,
    until: Option<Timestamp>,
) -> Result<ListedIncident, Fault> {
    let (watching, _) = find_incident(operations, caller, id).await?;
    require_writer(caller, &watching.alert.scope.scope)?;
    match operations.alerts.mute_incident(id, mute(caller, until)).await {
        Err(Error::Stale) => {
            return Err(Fault::Conflict {
                target: "incident",
                message: format!("Incident '{}' is over: nothing more is told of it.", id.0),
            });
        }
        muted => muted?,
    }
    show_incident(operations, caller, id).await
}

/// What is known of an incident. Its alert may have watched jobs before that the caller may not see: those are not named.
async fn find_facts(operations: &Operations, caller: &Caller, id: IncidentId) -> Result<IncidentFacts, Fault> {
    let may_see = |path: &str| JobKey::of_path(path).is_some_and(|job| caller.may_read(&job.collection));
    let mut facts = operations.alerts.incident_facts(id).await?;
    facts.jobs.retain(|job| may_see(&job.path));
    facts.well_jobs.retain(|job| may_see(&job.path));
    facts.gone_jobs.retain(|job| may_see(&job.path));
    Ok(facts)
}

/// The incident with the alert that watches. One whose alert the caller may not see is not there.
async fn find_incident(
    operations: &Operations,
    caller: &Caller,
    id: IncidentId,
) -> Result<(AlertEntry, IncidentEntry), Fault> {
    let missing = || Fault::Missing { what: "Incident", name: id.0.to_string() };
    let before = id.0.checked_add(1).map(IncidentId);
    let page = IncidentPage { before, limit: 1, ..IncidentPage::default() };
    let entry = operations.alerts.incidents(page).await?.pop().filter(|entry| entry.id == id).ok_or_else(missing)?;
    let watching = list_alerts(operations, caller).await?.into_iter().find(|alert| alert.id == entry.alert);
    Ok((watching.ok_or_else(missing)?, entry))
}
