//! What became of messages.

use punctual_model::alert::MessageKind;
use punctual_model::failure::Failure;
use punctual_store::{AlertEntry, DeliveryOutcome, EndedDelivery, Error, HistoryPage};

use super::{Keeper, PAGE, find};

impl Keeper {
    /// Notes which messages have arrived, and which were given up.
    pub(super) async fn end_deliveries(&mut self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let ended = self.deps.alert_store.ended_deliveries(PAGE).await?;
        for delivery in &ended {
            let failure = if delivery.has_arrived { None } else { Some(self.failure_of(delivery).await?) };
            let name = find(alerts, delivery.alert).map_or("", |alert| alert.name.as_str());
            match &failure {
                None => {}
                // Who sends a test waits for what comes of it: nobody else has to know.
                Some(failure) if delivery.kind == MessageKind::Test => {
                    tracing::warn!(alert = name, "a test of the alert {name} did not arrive: {failure}");
                }
                Some(failure) => {
                    tracing::error!(
                        alert = name,
                        "a message of the alert {name} did not arrive, and was given up: {failure}"
                    );
                    self.deps.metrics.engine.alert_messages_failed.increment();
                    self.server.note_lost_message(delivery.alert, name, failure);
                }
            }
            let outcome = DeliveryOutcome { at: delivery.ended_at, failure };
            self.deps.alert_store.end_delivery(delivery.id, outcome).await?;
        }
        Ok(())
    }

    /// Why a message did not arrive.
    async fn failure_of(&self, delivery: &EndedDelivery) -> Result<String, Error> {
        let page = HistoryPage { limit: 1, ..HistoryPage::default() };
        let last = self.deps.store.history(delivery.job, &page).await?.pop();
        let failure = last.and_then(|item| item.entry.record.failure);
        Ok(failure.as_ref().map_or_else(|| "no attempt was made.".to_owned(), Failure::sentence))
    }
}
