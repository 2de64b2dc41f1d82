//! Messages on their way to where their alert does not point any more.

use punctual_alerts::redirect;
use punctual_model::action::Action;
use punctual_model::alert::{MessageKind, delivery_job};
use punctual_store::{AlertEntry, DeliveryEntry, DeliveryOutcome, DeliveryWrite, Error, JobDefinition};

use super::{Keeper, PAGE, find, waits_for_retry};

impl Keeper {
    /// Sends messages that are on their way to where their alerts point now: who corrects an address wants to hear what was told
    /// to the wrong one.
    pub(super) async fn redirect_deliveries(&self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let outdated = self.deps.alert_store.outdated_deliveries(PAGE).await?;
        if outdated.is_empty() {
            return Ok(());
        }
        let (now, pauses) = (self.now(), self.deps.work_store.pause_times().await?);
        // An attempt that is under way may yet arrive.
        let can_be_sent_on = |it: &DeliveryEntry| pauses.holds_messages() || waits_for_retry(it, now);
        for delivery in outdated.into_iter().filter(can_be_sent_on) {
            let Some(alert) = find(alerts, delivery.alert) else { continue };
            let Some(Ok(sent)) = self.deps.work_store.definitions(vec![delivery.job]).await?.pop() else { continue };
            let redirected = match redirection(&delivery, alert, &sent) {
                Some(write) => self.deps.alert_store.redirect_delivery(delivery.id, write).await,
                None => self.retell(&delivery).await,
            };
            match redirected {
                // The message has ended meanwhile, or the alert was written again: the next pass looks again.
                Err(Error::Stale) => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// A message in another form than that of the alert cannot be sent on. Its incident is told anew, if it lasts.
    async fn retell(&self, delivery: &DeliveryEntry) -> Result<(), Error> {
        let failure = Some("The alert has another form now.".to_owned());
        let outcome = DeliveryOutcome { at: self.now(), failure, note: None };
        self.deps.alert_store.retell_delivery(delivery.id, outcome).await
    }
}

/// The message as it is sent to where the alert points now; none if the alert has another form.
fn redirection(delivery: &DeliveryEntry, alert: &AlertEntry, sent: &JobDefinition) -> Option<DeliveryWrite> {
    let before = &sent.definition.action;
    let action = redirect(&alert.action, before).filter(|_| delivery.form == alert.alert.form)?;
    // Who sends a test waits for its one attempt.
    let retry = if delivery.kind == MessageKind::Test { before.retry.clone() } else { action.retry.clone() };
    let action = Action { retry, ..action };
    // The same job at the same time: whoever gets the message twice sees that it is the same one.
    let job = delivery_job(action, &alert.alert.scope, sent.uid, delivery.at).ok()?;
    Some(DeliveryWrite {
        alert: alert.id,
        incident: delivery.incident,
        kind: delivery.kind,
        headline: delivery.headline.clone(),
        at: delivery.at,
        uid: sent.uid,
        job,
        alert_revision: alert.revision,
        form: delivery.form,
        supersedes: Vec::new(),
    })
}
