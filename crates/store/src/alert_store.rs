//! The store as alerts see it: what is watched, what happened, who was told.
//!
//! ```text
//!   settlement ──▶ signal ──taken──▶ member of an incident ──step──▶ delivery: a job that runs once
//!   clock ─────▶ deadline ──due───▶        (AlertTurn)          (IncidentWrite)
//! ```
//!
//! One owner at a time takes signals and writes steps. A signal is taken by deleting it in the same transaction as what it leads
//! to: none is lost, and none counts twice.

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::alert::Trouble;
use punctual_model::time::Timestamp;

use crate::alert::{
    AlertEntry, AlertTurn, AlertWrite, DeadlineEntry, DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite,
    EndedDelivery, FailedAttempt, FoundAlert, IncidentEntry, IncidentFacts, IncidentPage, IncidentWrite, Mute,
    SignalEntry,
};
use crate::change::Stamp;
use crate::error::Error;
use crate::key::{AlertId, DeliveryId, IncidentId, JobId, Revision};

/// Where alerts live. Every function is one transaction.
#[async_trait]
pub trait AlertStore: Send + Sync {
    /// The alert of that name.
    async fn alert(&self, name: &Name) -> Result<Option<AlertEntry>, Error>;

    /// What is known of the alert of that name, whether the rest of it can be read or not.
    async fn find_alert(&self, name: &Name) -> Result<Option<FoundAlert>, Error>;

    /// All alerts, in the order of their names. One that cannot be read is left out. They are read when one was written, and
    /// kept until then.
    async fn alerts(&self) -> Result<Arc<Vec<AlertEntry>>, Error>;

    /// Makes or changes an alert. `Stale` if it is not as the caller has read it or its name is taken, `Full` if there are
    /// too many, of the server or of what the alert watches. What an edited alert does not watch any more leaves its incidents.
    /// Incidents whose last messages go to the receiver that the alert has left are told anew to the new one, if they last.
    async fn put_alert(&self, write: AlertWrite) -> Result<AlertEntry, Error>;

    /// Removes an alert with its incidents and messages, and has the last messages delivered that are to be told of it. `Stale`
    /// if it is not there in that revision.
    async fn delete_alert(
        &self,
        id: AlertId,
        revision: Revision,
        last: Vec<DeliveryWrite>,
        stamp: Stamp,
    ) -> Result<(), Error>;

    /// Mutes an alert, or lets it speak again. `Stale` if it is gone.
    async fn mute_alert(&self, id: AlertId, mute: Option<Mute>, stamp: Stamp) -> Result<(), Error>;

    /// Mutes an incident, or lets it be told again. `Stale` if it is gone or over.
    async fn mute_incident(&self, id: IncidentId, mute: Option<Mute>) -> Result<(), Error>;

    /// Incidents, the latest first.
    async fn incidents(&self, page: IncidentPage) -> Result<Vec<IncidentEntry>, Error>;

    /// What a message about an incident says.
    async fn incident_facts(&self, id: IncidentId) -> Result<IncidentFacts, Error>;

    /// Messages, the latest first.
    async fn deliveries(&self, page: DeliveryPage) -> Result<Vec<DeliveryEntry>, Error>;

    /// One message.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<DeliveryEntry>, Error>;

    /// Has a message delivered that no incident asks for. `Stale` if its alert is gone.
    async fn deliver(&self, write: DeliveryWrite) -> Result<DeliveryId, Error>;

    /// The jobs that are in a trouble, each with the alert that told of it or will.
    async fn members(&self, trouble: Trouble) -> Result<Vec<(AlertId, JobId)>, Error>;

    /// What happened to jobs, the earliest first.
    async fn signals(&self, limit: usize) -> Result<Vec<SignalEntry>, Error>;

    /// Deadlines that have come, the earliest first.
    async fn deadlines(&self, now: Timestamp, limit: usize) -> Result<Vec<DeadlineEntry>, Error>;

    /// Writes what a look at signals and deadlines leads to.
    async fn take_alert_turn(&self, turn: AlertTurn) -> Result<(), Error>;

    /// Incidents that are to be looked at by now.
    async fn incidents_to_look_at(&self, now: Timestamp, limit: usize) -> Result<Vec<IncidentEntry>, Error>;

    /// Writes what is done about an incident. `Stale` if it is not as it was read, or its alert is gone.
    async fn step_incident(&self, write: IncidentWrite) -> Result<(), Error>;

    /// Messages whose jobs have ended and of which that is not yet known.
    async fn ended_deliveries(&self, limit: usize) -> Result<Vec<EndedDelivery>, Error>;

    /// Messages about an incident that are on their way.
    async fn open_deliveries(&self, incident: IncidentId) -> Result<Vec<DeliveryEntry>, Error>;

    /// Messages whose last attempt has failed, which is not yet noted.
    async fn failed_attempts(&self, limit: usize) -> Result<Vec<FailedAttempt>, Error>;

    /// Notes why the last attempt of a message failed.
    async fn note_failed_attempt(&self, attempt: FailedAttempt, reason: String) -> Result<(), Error>;

    /// Messages on their way whose alert was written since.
    async fn outdated_deliveries(&self, limit: usize) -> Result<Vec<DeliveryEntry>, Error>;

    /// Sends a message that is on its way anew, by another job. `Stale` if it has ended, or its alert is gone.
    async fn redirect_delivery(&self, id: DeliveryId, write: DeliveryWrite) -> Result<(), Error>;

    /// Ends a message that was not delivered. Its incident is told as if nothing had been told of it, if the incident lasts.
    async fn retell_delivery(&self, id: DeliveryId, outcome: DeliveryOutcome) -> Result<(), Error>;

    /// Keeps what became of a message, and removes its job. `failed_attempts` are those that failed in all, if that is known better
    /// than it was noted.
    async fn end_delivery(
        &self,
        id: DeliveryId,
        outcome: DeliveryOutcome,
        failed_attempts: Option<u32>,
    ) -> Result<(), Error>;

    /// Forgets some messages and incidents that were over before that instant. Returns how many.
    async fn forget_incidents(&self, before: Timestamp, limit: usize) -> Result<usize, Error>;
}
