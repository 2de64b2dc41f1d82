//! [`AlertStore`] for PostgreSQL.

pub(super) mod alerts;
pub(super) mod deadlines;
mod deliveries;
pub(super) mod facts;
mod incidents;
mod members;
pub(super) mod signals;

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::alert::Trouble;
use punctual_model::time::Timestamp;

use self::deliveries::Prepared;
use super::db::Db;
use super::error::Fault;
use super::{Postgres, keys};
use crate::alert::{
    AlertEntry, AlertTurn, AlertWrite, DeadlineEntry, DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite,
    EndedDelivery, FailedAttempt, FoundAlert, IncidentEntry, IncidentFacts, IncidentPage, IncidentWrite, Mute,
    SignalEntry,
};
use crate::alert_store::AlertStore;
use crate::change::Stamp;
use crate::columns::alert::alerts::AlertColumns;
use crate::columns::alert::deliveries::job_write;
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::key::{AlertId, DeliveryId, IncidentId, JobId, Revision};

#[async_trait]
impl AlertStore for Postgres {
    async fn alert(&self, name: &Name) -> Result<Option<AlertEntry>, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.connection().await?;
        Ok(alerts::get(&db, &keyring, name).await?)
    }

    async fn find_alert(&self, name: &Name) -> Result<Option<FoundAlert>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(alerts::find(&db, name).await?)
    }

    async fn alerts(&self) -> Result<Arc<Vec<AlertEntry>>, Error> {
        let version = alerts::version(&self.shared.pool.connection().await?).await?;
        if let Some(alerts) = self.shared.known_alerts.get(version) {
            return Ok(alerts);
        }
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = alerts::list(&db, &keyring, &self.shared.damage).await;
        // If one was written in between, they are read again the next time.
        Ok(self.shared.known_alerts.put(version, db.end(read).await?))
    }

    async fn put_alert(&self, write: AlertWrite) -> Result<AlertEntry, Error> {
        let keyring = Arc::clone(&*self.shared.keyring().await);
        // What is stored is read before: if it is another version by then, the write is stale.
        let stored = alerts::records(&self.shared.pool.connection().await?, &write.source).await?;
        let columns = AlertColumns::of(&write, &keyring, stored.as_ref())?;
        let last = self.prepare_all(write.last.clone()).await?;
        self.shared
            .write((write, columns, last, keyring), |tx, (write, columns, last, keyring)| {
                Box::pin(async move {
                    keys::hold(tx, &columns.action).await?;
                    alerts::put(tx, write, columns).await?;
                    let written = alerts::get(tx, keyring, &write.name).await?.ok_or(Fault::Final(Error::Stale))?;
                    alerts::note_written(tx, write, columns, &written);
                    for prepared in last {
                        deliveries::insert_row(tx, prepared).await?;
                        incidents::leave_receiver(tx, &prepared.write).await?;
                    }
                    Ok(written)
                })
            })
            .await
    }

    async fn delete_alert(
        &self,
        id: AlertId,
        revision: Revision,
        last: Vec<DeliveryWrite>,
        stamp: Stamp,
    ) -> Result<(), Error> {
        let prepared = self.prepare_all(last).await?;
        self.shared
            .write((id, revision, prepared, stamp), |tx, (id, revision, last, stamp)| {
                Box::pin(async move {
                    alerts::delete(tx, *id, *revision, stamp).await?;
                    for prepared in last {
                        // The alert is gone that it is of.
                        deliveries::insert_row(tx, prepared).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn mute_alert(&self, id: AlertId, mute: Option<Mute>, stamp: Stamp) -> Result<(), Error> {
        let keyring = Arc::clone(&*self.shared.keyring().await);
        self.shared
            .write((id, mute, stamp, keyring), |tx, (id, mute, stamp, keyring)| {
                Box::pin(alerts::mute(tx, keyring, *id, mute.as_ref(), stamp))
            })
            .await
    }

    async fn mute_incident(&self, id: IncidentId, mute: Option<Mute>) -> Result<(), Error> {
        self.shared.write((id, mute), |tx, (id, mute)| Box::pin(incidents::mute(tx, *id, mute.as_ref()))).await
    }

    async fn incidents(&self, page: IncidentPage) -> Result<Vec<IncidentEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(incidents::list(&db, &page).await?)
    }

    async fn incident_facts(&self, id: IncidentId) -> Result<IncidentFacts, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = facts::read(&db, id).await;
        db.end(read).await
    }

    async fn deliveries(&self, page: DeliveryPage) -> Result<Vec<DeliveryEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::list(&db, &page).await?)
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<DeliveryEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::get(&db, id).await?)
    }

    async fn deliver(&self, write: DeliveryWrite) -> Result<DeliveryId, Error> {
        let prepared = self.prepare(write).await?;
        self.shared.write(prepared, |tx, prepared| Box::pin(deliveries::insert(tx, prepared))).await
    }

    async fn members(&self, trouble: Trouble) -> Result<Vec<(AlertId, JobId)>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(members::list(&db, trouble).await?)
    }

    async fn signals(&self, limit: usize) -> Result<Vec<SignalEntry>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = signals::page(&db, limit, &self.shared.damage).await;
        db.end(read).await
    }

    async fn deadlines(&self, now: Timestamp, limit: usize) -> Result<Vec<DeadlineEntry>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = deadlines::due(&db, now, limit, &self.shared.damage).await;
        db.end(read).await
    }

    async fn take_alert_turn(&self, turn: AlertTurn) -> Result<(), Error> {
        self.shared
            .write(turn, |tx, turn| {
                Box::pin(async move {
                    signals::take(tx, &turn.signals).await?;
                    members::change(tx, &turn.changes).await?;
                    deadlines::set(tx, &turn.deadlines).await
                })
            })
            .await
    }

    async fn incidents_to_look_at(&self, now: Timestamp, limit: usize) -> Result<Vec<IncidentEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(incidents::to_look_at(&db, now, limit).await?)
    }

    async fn step_incident(&self, write: IncidentWrite) -> Result<(), Error> {
        let prepared = match write.delivery.clone() {
            Some(delivery) => Some(self.prepare(delivery).await?),
            None => None,
        };
        self.shared
            .write((write, prepared), |tx, (write, prepared)| {
                Box::pin(async move {
                    incidents::step(tx, write).await?;
                    if let Some(prepared) = prepared {
                        deliveries::insert(tx, prepared).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn ended_deliveries(&self, limit: usize) -> Result<Vec<EndedDelivery>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::ended(&db, limit).await?)
    }

    async fn open_deliveries(&self, incident: IncidentId) -> Result<Vec<DeliveryEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::of_incident(&db, incident).await?)
    }

    async fn failed_attempts(&self, limit: usize) -> Result<Vec<FailedAttempt>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::failed_attempts(&db, limit).await?)
    }

    async fn note_failed_attempt(&self, attempt: FailedAttempt, reason: String) -> Result<(), Error> {
        self.shared
            .write((attempt, reason), |tx, (attempt, reason)| {
                Box::pin(deliveries::note_failed_attempt(tx, attempt, reason))
            })
            .await
    }

    async fn outdated_deliveries(&self, limit: usize) -> Result<Vec<DeliveryEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(deliveries::outdated(&db, limit).await?)
    }

    async fn redirect_delivery(&self, id: DeliveryId, write: DeliveryWrite) -> Result<(), Error> {
        let prepared = self.prepare(write).await?;
        self.shared.write((id, prepared), |tx, (id, prepared)| Box::pin(deliveries::redirect(tx, *id, prepared))).await
    }

    async fn retell_delivery(&self, id: DeliveryId, outcome: DeliveryOutcome) -> Result<(), Error> {
        self.shared.write((id, outcome), |tx, (id, outcome)| Box::pin(deliveries::retell(tx, *id, outcome))).await
    }

    async fn end_delivery(
        &self,
        id: DeliveryId,
        outcome: DeliveryOutcome,
        failed_attempts: Option<u32>,
    ) -> Result<(), Error> {
        self.shared
            .write((id, outcome, failed_attempts), |tx, (id, outcome, failed_attempts)| {
                Box::pin(deliveries::end(tx, *id, outcome, *failed_attempts))
            })
            .await
    }

    async fn forget_incidents(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.shared.write((before, limit), |tx, (before, limit)| Box::pin(incidents::forget(tx, *before, *limit))).await
    }
}

impl Postgres {
    async fn prepare_all(&self, writes: Vec<DeliveryWrite>) -> Result<Vec<Prepared>, Error> {
        let mut prepared = Vec::with_capacity(writes.len());
        for write in writes {
            prepared.push(self.prepare(write).await?);
        }
        Ok(prepared)
    }

    /// Makes what a message needs before its transaction begins.
    async fn prepare(&self, write: DeliveryWrite) -> Result<Prepared, Error> {
        let job = job_write(&write)?;
        let keyring = self.shared.keyring().await;
        let columns = Columns::of(&job, &keyring, None)?;
        Ok(Prepared { write, job, columns })
    }
}

/// What alerts forget of a job that is gone: its deadlines. Its incidents hear of it by a signal.
pub(super) async fn forget_job(db: &Db, job: JobId, at: Timestamp) -> Result<(), Fault> {
    deadlines::forget_job(db, job).await?;
    signals::of_member(db, job, at).await
}
