//! What is told of incidents.

use punctual_alerts::compose;
use punctual_model::alert::{Form, Message, MessageKind, Tell, Trouble, delivery_job, delivery_uid, incident_key};
use punctual_model::limits;
use punctual_model::time::{TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_store::{AlertEntry, DeliveryEntry, DeliveryWrite, Error, IncidentEntry, IncidentFacts, IncidentWrite};

use super::{Keeper, PAGE, find, waits_for_retry};

/// How long an incident waits at least before it is looked at again whether an earlier message has arrived.
const WAIT_TICKS: i64 = 2 * TICKS_PER_SECOND;

/// And at most: who corrects the address of an alert has its messages sent before they would have been tried again.
const WAIT_TICKS_MAX: i64 = TICKS_PER_MINUTE;

/// When to look again whether what was told before has arrived: soon after its next attempt.
fn look_again_at(earlier: &[DeliveryEntry], now: Timestamp) -> Timestamp {
    let next = earlier.iter().filter_map(|earlier| earlier.next_attempt_at).min().unwrap_or(now);
    let (soonest, latest) = (now.saturating_add(WAIT_TICKS), now.saturating_add(WAIT_TICKS_MAX));
    next.saturating_add(WAIT_TICKS).clamp(soonest, latest)
}

/// Whether a later message can take the place of earlier ones, which wait for their next attempts. A receiver that keeps incidents
/// of its own needs the latest alone; people are told the beginning before the end.
fn can_supersede(earlier: &[DeliveryEntry], form: Form, now: Timestamp) -> bool {
    form.keeps_incidents() && earlier.iter().all(|earlier| waits_for_retry(earlier, now))
}

/// What stands before the answer of a target in the history of an attempt.
const BODY: &str = "Body: ";

impl Keeper {
    /// Does what is to be done about incidents by now.
    pub(super) async fn step_incidents(&self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let now = self.now();
        let incidents = self.deps.alert_store.incidents_to_look_at(now, PAGE).await?;
        for incident in &incidents {
            let Some(alert) = find(alerts, incident.alert) else { continue };
            match self.step(incident, alert, now).await {
                // Somebody has muted it meanwhile, or a job has left it: the next pass looks again.
                Err(Error::Stale) => {}
                other => other?,
            }
        }
        Ok(())
    }

    async fn step(&self, entry: &IncidentEntry, alert: &AlertEntry, now: Timestamp) -> Result<(), Error> {
        let step = entry.incident.step(&alert.alert, now);
        let earlier = match step.tell {
            Some(_) => self.deps.alert_store.open_deliveries(entry.id).await?,
            None => Vec::new(),
        };
        if !earlier.is_empty() && !can_supersede(&earlier, alert.alert.form, now) {
            return self.wait_for(entry, look_again_at(&earlier, now)).await;
        }
        let delivery = match step.tell {
            Some(tell) => {
                let is_over = step.closes || entry.incident.has_passed();
                self.delivery(entry, alert, (tell, is_over), now).await?
            }
            None => None,
        };
        let supersedes = earlier.iter().map(|earlier| earlier.id).collect();
        let delivery = delivery.map(|delivery| DeliveryWrite { supersedes, ..delivery });
        let is_told = delivery.is_some();
        let opened = matches!(step.tell, Some(Tell::Opened)).then_some(now);
        let write = IncidentWrite {
            id: entry.id,
            revision: entry.revision,
            told_at: entry.incident.told_at.or(opened),
            last_told_at: if is_told { Some(now) } else { entry.incident.last_told_at },
            look_at: step.look_at,
            closed_at: step.closes.then(|| entry.incident.ended_at().unwrap_or(now)),
            well_since: step.well_since,
            delivery,
        };
        self.deps.alert_store.step_incident(write).await?;
        if is_told {
            self.deps.metrics.engine.alert_messages.increment();
        }
        Ok(())
    }

    /// Lets an incident wait until what was told of it before has arrived or is given up: nothing is told out of order.
    async fn wait_for(&self, entry: &IncidentEntry, look_at: Timestamp) -> Result<(), Error> {
        let write = IncidentWrite {
            id: entry.id,
            revision: entry.revision,
            told_at: entry.incident.told_at,
            last_told_at: entry.incident.last_told_at,
            look_at: Some(look_at),
            closed_at: None,
            well_since: entry.incident.well_since,
            delivery: None,
        };
        self.deps.alert_store.step_incident(write).await
    }

    async fn delivery(
        &self,
        entry: &IncidentEntry,
        alert: &AlertEntry,
        tell: (Tell, bool),
        now: Timestamp,
    ) -> Result<Option<DeliveryWrite>, Error> {
        let facts = self.deps.alert_store.incident_facts(entry.id).await?;
        let excerpt = if tell.0 == Tell::Recovered { String::new() } else { self.excerpt(&facts).await? };
        let message = self.message(entry, alert, tell, facts, excerpt, now);
        let action = compose(&alert.action, alert.alert.form, &message);
        let uid = delivery_uid(alert.uid, &message.incident, now);
        let job = match delivery_job(action, &alert.alert.scope, uid, now) {
            Ok(job) => job,
            Err(refusal) => {
                tracing::error!(alert = %alert.name, "a message of the alert {} cannot be made: {refusal:?}", alert.name);
                return Ok(None);
            }
        };
        let (kind, headline) = (message.kind, message.headline());
        Ok(Some(DeliveryWrite {
            alert: alert.id,
            incident: Some(entry.id),
            kind,
            headline,
            at: now,
            uid,
            job,
            alert_revision: alert.revision,
            form: alert.alert.form,
            supersedes: Vec::new(),
        }))
    }

    /// What the target answered to the attempt that failed last. History keeps no secrets.
    async fn excerpt(&self, facts: &IncidentFacts) -> Result<String, Error> {
        let Some((job, key)) = facts.record else { return Ok(String::new()) };
        let record = self.deps.store.record(job, key).await?;
        let text = record.map(|item| item.entry.record.message).unwrap_or_default();
        let body = text.find(BODY).map_or("", |at| text[at + BODY.len()..].trim());
        Ok(body.chars().take(limits::FAILURE_DETAIL_CHARS_MAX).collect())
    }

    fn message(
        &self,
        entry: &IncidentEntry,
        alert: &AlertEntry,
        (tell, is_over): (Tell, bool),
        mut facts: IncidentFacts,
        excerpt: String,
        now: Timestamp,
    ) -> Message {
        let kind = match tell {
            Tell::Opened => MessageKind::Opened,
            Tell::Reminder | Tell::Lasts => MessageKind::Reminder,
            Tell::Recovered => MessageKind::Recovered,
        };
        let mut members = entry.incident.members;
        if entry.incident.trouble == Trouble::Late && kind == MessageKind::Recovered {
            // No job tells that it is in time again: it is over because none was late for a while.
            (members.well, members.troubled) = (members.well + members.troubled, 0);
            facts.well_jobs.append(&mut facts.jobs);
        }
        Message {
            kind,
            alert: alert.name.clone(),
            scope: alert.alert.scope.clone(),
            incident: incident_key(alert.uid, entry.id.0),
            trouble: entry.incident.trouble,
            target: entry.target.clone(),
            cause: entry.cause.clone(),
            is_over,
            failure: facts.failure,
            detail: facts.detail,
            jobs: facts.jobs,
            troubled: members.troubled,
            well: members.well,
            well_jobs: facts.well_jobs,
            gone: members.gone,
            gone_jobs: facts.gone_jobs,
            since: facts.since.unwrap_or(entry.incident.opened_at),
            until: entry.incident.ended_at().unwrap_or(now),
            at: now,
            excerpt,
            link: self.deps.public_url.as_ref().map(|url| format!("{url}/v1/incidents/{}", entry.id.0)),
            home: format!("{}/{}", self.deps.defaults.subscription, self.deps.defaults.group),
        }
    }
}
