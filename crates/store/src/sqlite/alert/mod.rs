//! [`AlertStore`] for SQLite.

mod alerts;
mod deadlines;
mod deliveries;
mod facts;
mod incidents;
mod members;
pub(super) mod signals;
mod underway;

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::alert::Trouble;
use punctual_model::time::Timestamp;

use self::alerts::AlertColumns;
use super::Sqlite;
use super::store::read;
use super::writer::WriteTx;
use crate::alert::{
    AlertEntry, AlertTurn, AlertWrite, DeadlineEntry, DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite,
    EndedDelivery, FailedAttempt, FoundAlert, IncidentEntry, IncidentFacts, IncidentPage, IncidentWrite, Mute,
    SignalEntry,
};
use crate::alert_store::AlertStore;
use crate::change::Stamp;
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::key::{AlertId, DeliveryId, IncidentId, JobId, Revision};
use crate::seal;

pub(super) use self::deadlines::watch_job;
pub(super) use self::facts::keep_failure;

#[async_trait]
impl AlertStore for Sqlite {
    async fn alert(&self, name: &Name) -> Result<Option<AlertEntry>, Error> {
        self.readers.point(|db| alerts::get(db, &read(&self.keyring), name))
    }

    async fn find_alert(&self, name: &Name) -> Result<Option<FoundAlert>, Error> {
        self.readers.point(|db| alerts::find(db, name))
    }

    async fn alerts(&self) -> Result<Arc<Vec<AlertEntry>>, Error> {
        let (keyring, damage, known) =
            (Arc::clone(&self.keyring), Arc::clone(&self.damage), Arc::clone(&self.known_alerts));
        let list = move |db: &rusqlite::Connection| {
            // Before the alerts are read: if one is written in between, they are read again the next time.
            let version = alerts::version(db)?;
            match known.get(version) {
                Some(alerts) => Ok(alerts),
                None => Ok(known.put(version, alerts::list(db, &read(&keyring), &damage)?)),
            }
        };
        self.readers.walk(list).await
    }

    async fn put_alert(&self, write: AlertWrite) -> Result<AlertEntry, Error> {
        // What is stored is read before the writer is asked: if it is another version by then, the write is stale.
        let stored = self.readers.point(|db| alerts::records(db, &write.source))?;
        let columns = AlertColumns::of(&write, &read(&self.keyring), stored.as_ref())?;
        let last: Vec<Prepared> = write.last.iter().map(|last| self.prepare(last.clone())).collect::<Result<_, _>>()?;
        let keyring = Arc::clone(&self.keyring);
        let put = move |tx: &mut WriteTx<'_>| {
            let keyring = read(&keyring);
            if seal::key_id(&columns.action) != Some(keyring.current_id()) {
                return Err(Error::Stale);
            }
            alerts::put(tx.db, &write, &columns)?;
            let written = alerts::get(tx.db, &keyring, &write.name)?.ok_or(Error::Stale)?;
            alerts::note_written(tx.db, &write, &columns, &written)?;
            for prepared in &last {
                prepared.insert_last(tx)?;
                incidents::leave_receiver(tx.db, &prepared.write)?;
            }
            Ok(written)
        };
        self.writer.write(put).await
    }

    async fn delete_alert(
        &self,
        id: AlertId,
        revision: Revision,
        last: Vec<DeliveryWrite>,
        stamp: Stamp,
    ) -> Result<(), Error> {
        let last: Vec<Prepared> = last.into_iter().map(|write| self.prepare(write)).collect::<Result<_, _>>()?;
        let delete = move |tx: &mut WriteTx<'_>| {
            alerts::delete(tx, id, revision, &stamp)?;
            last.iter().try_for_each(|prepared| prepared.insert_last(tx))
        };
        self.writer.write_from_reserve(delete).await
    }

    async fn mute_alert(&self, id: AlertId, mute: Option<Mute>, stamp: Stamp) -> Result<(), Error> {
        let keyring = Arc::clone(&self.keyring);
        self.writer.write(move |tx| alerts::mute(tx.db, &read(&keyring), id, mute.as_ref(), &stamp)).await
    }

    async fn mute_incident(&self, id: IncidentId, mute: Option<Mute>) -> Result<(), Error> {
        self.writer.write(move |tx| incidents::mute(tx.db, id, mute.as_ref())).await
    }

    async fn incidents(&self, page: IncidentPage) -> Result<Vec<IncidentEntry>, Error> {
        self.readers.walk(move |db| incidents::list(db, &page)).await
    }

    async fn incident_facts(&self, id: IncidentId) -> Result<IncidentFacts, Error> {
        self.readers.walk(move |db| facts::read(db, id)).await
    }

    async fn deliveries(&self, page: DeliveryPage) -> Result<Vec<DeliveryEntry>, Error> {
        self.readers.walk(move |db| deliveries::list(db, &page)).await
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<DeliveryEntry>, Error> {
        self.readers.point(|db| deliveries::get(db, id))
    }

    async fn deliver(&self, write: DeliveryWrite) -> Result<DeliveryId, Error> {
        let prepared = self.prepare(write)?;
        self.writer.write(move |tx| prepared.insert(tx)).await
    }

    async fn members(&self, trouble: Trouble) -> Result<Vec<(AlertId, JobId)>, Error> {
        self.readers.walk(move |db| members::list(db, trouble)).await
    }

    async fn signals(&self, limit: usize) -> Result<Vec<SignalEntry>, Error> {
        let damage = Arc::clone(&self.damage);
        self.readers.walk(move |db| signals::page(db, limit, &damage)).await
    }

    async fn deadlines(&self, now: Timestamp, limit: usize) -> Result<Vec<DeadlineEntry>, Error> {
        let damage = Arc::clone(&self.damage);
        self.readers.walk(move |db| deadlines::due(db, now, limit, &damage)).await
    }

    async fn take_alert_turn(&self, turn: AlertTurn) -> Result<(), Error> {
        let take = move |tx: &mut WriteTx<'_>| {
            signals::take(tx.db, &turn.signals)?;
            members::change(tx.db, &turn.changes)?;
            deadlines::set(tx.db, &turn.deadlines)
        };
        self.writer.write(take).await
    }

    async fn incidents_to_look_at(&self, now: Timestamp, limit: usize) -> Result<Vec<IncidentEntry>, Error> {
        self.readers.walk(move |db| incidents::to_look_at(db, now, limit)).await
    }

    async fn step_incident(&self, write: IncidentWrite) -> Result<(), Error> {
        let IncidentWrite { delivery, .. } = &write;
        let prepared = delivery.clone().map(|delivery| self.prepare(delivery)).transpose()?;
        let step = move |tx: &mut WriteTx<'_>| {
            incidents::step(tx.db, &write)?;
            prepared.map_or(Ok(()), |prepared| prepared.insert(tx).map(drop))
        };
        self.writer.write(step).await
    }

    async fn ended_deliveries(&self, limit: usize) -> Result<Vec<EndedDelivery>, Error> {
        self.readers.walk(move |db| deliveries::ended(db, limit)).await
    }

    async fn open_deliveries(&self, incident: IncidentId) -> Result<Vec<DeliveryEntry>, Error> {
        self.readers.point(|db| underway::of_incident(db, incident))
    }

    async fn failed_attempts(&self, limit: usize) -> Result<Vec<FailedAttempt>, Error> {
        self.readers.walk(move |db| underway::failed_attempts(db, limit)).await
    }

    async fn note_failed_attempt(&self, attempt: FailedAttempt, reason: String) -> Result<(), Error> {
        self.writer.write_from_reserve(move |tx| underway::note_failed_attempt(tx.db, &attempt, &reason)).await
    }

    async fn outdated_deliveries(&self, limit: usize) -> Result<Vec<DeliveryEntry>, Error> {
        self.readers.walk(move |db| underway::outdated(db, limit)).await
    }

    async fn redirect_delivery(&self, id: DeliveryId, write: DeliveryWrite) -> Result<(), Error> {
        let prepared = self.prepare(write)?;
        self.writer.write(move |tx| prepared.redirect(tx, id)).await
    }

    async fn retell_delivery(&self, id: DeliveryId, outcome: DeliveryOutcome) -> Result<(), Error> {
        self.writer.write_from_reserve(move |tx| underway::retell(tx, id, &outcome)).await
    }

    async fn end_delivery(
        &self,
        id: DeliveryId,
        outcome: DeliveryOutcome,
        failed_attempts: Option<u32>,
    ) -> Result<(), Error> {
        self.writer.write_from_reserve(move |tx| deliveries::end(tx, id, &outcome, failed_attempts)).await
    }

    async fn forget_incidents(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.writer.write_from_reserve(move |tx| incidents::forget(tx.db, before, limit)).await
    }
}

impl Sqlite {
    /// Makes what a message needs before the writer is asked.
    fn prepare(&self, write: DeliveryWrite) -> Result<Prepared, Error> {
        let job = deliveries::job_write(&write)?;
        let columns = Columns::of(&job, &read(&self.keyring), None)?;
        Ok(Prepared { write, job, columns, keyring: Arc::clone(&self.keyring) })
    }
}

/// A message whose job is sealed.
struct Prepared {
    write: DeliveryWrite,
    job: crate::job::JobWrite,
    columns: Columns,
    keyring: Arc<std::sync::RwLock<seal::Keyring>>,
}

impl Prepared {
    fn insert(&self, tx: &mut WriteTx<'_>) -> Result<DeliveryId, Error> {
        self.check_key()?;
        deliveries::insert(tx, &self.write, &self.job, &self.columns)
    }

    /// Has a message delivered to where its alert does not point any more, or whose alert is gone.
    fn insert_last(&self, tx: &mut WriteTx<'_>) -> Result<(), Error> {
        self.check_key()?;
        deliveries::insert_row(tx, &self.write, &self.job, &self.columns).map(drop)
    }

    fn redirect(&self, tx: &mut WriteTx<'_>, id: DeliveryId) -> Result<(), Error> {
        self.check_key()?;
        underway::redirect(tx, id, &self.write, &self.job, &self.columns)
    }

    /// The job was sealed before it waited for the writer. A key that was replaced since must not come back.
    fn check_key(&self) -> Result<(), Error> {
        let is_current = seal::key_id(&self.columns.action) == Some(read(&self.keyring).current_id());
        if is_current { Ok(()) } else { Err(Error::Stale) }
    }
}

/// What alerts forget of a job that is gone: its deadlines. Its incidents hear of it by a signal.
pub(super) fn forget_job(db: &rusqlite::Connection, job: JobId, at: Timestamp) -> Result<(), Error> {
    db.prepare_cached("delete from deadline where job = ?1")?.execute([job.0])?;
    signals::of_member(db, job, at)
}
