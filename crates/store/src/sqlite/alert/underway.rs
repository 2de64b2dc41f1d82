//! Messages that are on their way: attempts that failed, and alerts that were written since.

use rusqlite::{Connection, params};

use super::deliveries::{self, SELECT};
use crate::alert::{DeliveryEntry, DeliveryOutcome, DeliveryWrite, FailedAttempt};
use crate::columns::alert::deliveries::read_failed_attempt;
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::job::JobWrite;
use crate::key::{DeliveryId, IncidentId};
use crate::sqlite::job;
use crate::sqlite::writer::WriteTx;

/// Messages about an incident that are on their way. The end of one that lasts is told to a receiver that the alert has left.
pub(super) fn of_incident(db: &Connection, incident: IncidentId) -> Result<Vec<DeliveryEntry>, Error> {
    let sql = format!(
        "{SELECT} where incident = ?1 and delivery.ended_at is null and delivery.kind <> 'recovered' order by delivery.id"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_and_then([incident.0], |row| deliveries::read(row))?;
    rows.collect()
}

/// Messages whose last attempt has failed, which is not yet noted.
pub(super) fn failed_attempts(db: &Connection, limit: usize) -> Result<Vec<FailedAttempt>, Error> {
    let mut statement = db.prepare_cached(
        "select delivery.id, alert, delivery.job, attempt, failed_attempts = 0, wake_at
         from delivery join work on work.id = delivery.job
         where delivery.ended_at is null and attempt > failed_attempts and wake_at is not null limit ?1",
    )?;
    let rows = statement.query_and_then(params![limit], |row| read_failed_attempt(row))?;
    rows.collect()
}

/// Notes why the last attempt of a message failed.
pub(super) fn note_failed_attempt(db: &Connection, attempt: &FailedAttempt, reason: &str) -> Result<(), Error> {
    db.prepare_cached("update delivery set failed_attempts = ?2, note = ?3 where id = ?1 and ended_at is null")?
        .execute(params![attempt.id.0, attempt.attempts, reason])?;
    Ok(())
}

/// Messages on their way whose alert was written since. Those that were tried come first: the others may be under way. The end of
/// an incident goes to the receiver that keeps it, wherever the alert points now.
pub(super) fn outdated(db: &Connection, limit: usize) -> Result<Vec<DeliveryEntry>, Error> {
    let sql = format!(
        "{SELECT} join alert on alert.id = delivery.alert
         where delivery.ended_at is null and alert.revision <> alert_revision
             and not (delivery.kind = 'recovered' and form in ('pagerDuty', 'alertmanager'))
         order by failed_attempts = 0, delivery.id limit ?1"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_and_then(params![limit], |row| deliveries::read(row))?;
    rows.collect()
}

/// Sends a message anew, by a job that takes the place of the one it had.
pub(super) fn redirect(
    tx: &mut WriteTx<'_>,
    id: DeliveryId,
    write: &DeliveryWrite,
    job_write: &JobWrite,
    columns: &Columns,
) -> Result<(), Error> {
    let open = deliveries::get(tx.db, id)?.filter(|open| open.outcome.is_none()).ok_or(Error::Stale)?;
    job::remove_own(tx, open.job)?;
    let job = job::insert_own(tx, write.uid, job_write, columns)?;
    let mut statement = tx.db.prepare_cached(
        "update delivery set job = ?2, alert_revision = ?3, failed_attempts = 0, note = null where id = ?1",
    )?;
    statement.execute(params![id.0, job.0, write.alert_revision.0])?;
    Ok(())
}

/// Ends a message that was not delivered, and has its incident told as if nothing had been told of it.
pub(super) fn retell(tx: &mut WriteTx<'_>, id: DeliveryId, outcome: &DeliveryOutcome) -> Result<(), Error> {
    deliveries::end(tx, id, outcome, None)?;
    let mut statement = tx.db.prepare_cached(
        "update incident set told_at = null, last_told_at = null, look_at = 0, revision = revision + 1
         where id = (select incident from delivery where id = ?1) and closed_at is null",
    )?;
    statement.execute([id.0])?;
    Ok(())
}
