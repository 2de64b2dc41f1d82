//! What became of messages.

use punctual_model::action::Target;
use punctual_model::alert::{MessageKind, NOT_ALL_TOLD};
use punctual_model::failure::Failure;
use punctual_model::history::Record;
use punctual_store::{AlertEntry, DeliveryOutcome, EndedDelivery, Error, HistoryPage, JobId};

use super::{Keeper, PAGE, find};

/// What stands in the place of the name of an alert that is gone.
const DELETED: &str = "(deleted)";

impl Keeper {
    /// Notes which messages have arrived, and which were given up.
    pub(super) async fn end_deliveries(&mut self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let ended = self.deps.alert_store.ended_deliveries(PAGE).await?;
        for delivery in &ended {
            let alert = find(alerts, delivery.alert);
            let (outcome, failed_attempts) = if delivery.has_arrived {
                (self.arrived(delivery, alert).await?, None)
            } else {
                self.given_up(delivery, alert).await?
            };
            self.deps.alert_store.end_delivery(delivery.id, outcome, failed_attempts).await?;
        }
        Ok(())
    }

    /// Notes the attempts that failed of messages which are tried again. The first of a message is a line of the log: a receiver
    /// that is down would show nowhere for hours otherwise.
    pub(super) async fn note_failed_attempts(&self, alerts: &[AlertEntry]) -> Result<(), Error> {
        for attempt in self.deps.alert_store.failed_attempts(PAGE).await? {
            let reason = self.failure_of(attempt.job).await?;
            let name = find(alerts, attempt.alert).map_or(DELETED, |alert| alert.name.as_str());
            if attempt.is_first {
                let next = attempt.next_attempt_at;
                tracing::warn!(alert = name, "a message of the alert {name} is tried again at {next}: {reason}");
            }
            self.deps.metrics.engine.alert_attempts_failed.increment();
            self.deps.alert_store.note_failed_attempt(attempt, reason).await?;
        }
        Ok(())
    }

    /// A message has arrived, if not at everybody.
    async fn arrived(&self, delivery: &EndedDelivery, alert: Option<&AlertEntry>) -> Result<DeliveryOutcome, Error> {
        let mut note = None;
        // Only e-mail has several readers.
        if let Some(alert) = alert.filter(|alert| matches!(alert.action.target, Target::Email(_))) {
            let message = self.last_record(delivery.job).await?.map(|record| record.message).unwrap_or_default();
            note = message.find(NOT_ALL_TOLD).map(|at| message[at..].to_owned());
            if let Some(note) = &note {
                let name = alert.name.as_str();
                tracing::warn!(alert = name, "a message of the alert {name} did not reach everybody: {note}");
            }
        }
        Ok(DeliveryOutcome { at: delivery.ended_at, failure: None, note })
    }

    /// A message did not arrive, and is not tried again. Says also how many attempts have failed.
    async fn given_up(
        &mut self,
        delivery: &EndedDelivery,
        alert: Option<&AlertEntry>,
    ) -> Result<(DeliveryOutcome, Option<u32>), Error> {
        let last = self.last_record(delivery.job).await?;
        let failed_attempts = last.as_ref().filter(|last| last.failure.is_some()).map(|last| last.retry + 1);
        let failure = sentence_of(last);
        let name = alert.map_or(DELETED, |alert| alert.name.as_str());
        // Who sends a test waits for what comes of it: nobody else has to know.
        if delivery.kind == MessageKind::Test {
            tracing::warn!(alert = name, "a test of the alert {name} did not arrive: {failure}");
        } else {
            tracing::error!(alert = name, "a message of the alert {name} did not arrive, and was given up: {failure}");
            self.deps.metrics.engine.alert_messages_failed.increment();
            // Alerts whose receivers are all down would tell each other of it for ever.
            if !delivery.is_about_lost_message {
                self.server.note_lost_message(delivery.alert, name, &failure);
            }
        }
        let outcome = DeliveryOutcome { at: delivery.ended_at, failure: Some(failure), note: None };
        Ok((outcome, failed_attempts))
    }

    /// Why the last attempt of a message failed.
    async fn failure_of(&self, job: JobId) -> Result<String, Error> {
        Ok(sentence_of(self.last_record(job).await?))
    }

    async fn last_record(&self, job: JobId) -> Result<Option<Record>, Error> {
        let page = HistoryPage { limit: 1, ..HistoryPage::default() };
        Ok(self.deps.store.history(job, &page).await?.pop().map(|item| item.entry.record))
    }
}

/// Why an attempt failed.
fn sentence_of(record: Option<Record>) -> String {
    let failure = record.and_then(|record| record.failure);
    failure.as_ref().map_or_else(|| "no attempt was made.".to_owned(), Failure::sentence)
}
