//! Messages, and the jobs that deliver them.

use rusqlite::{Connection, OptionalExtension, params};

use crate::alert::{DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite, EndedDelivery, LOST_MESSAGE};
use crate::columns::alert::deliveries::read_ended;
pub(super) use crate::columns::alert::deliveries::{job_write, read};
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::job::JobWrite;
use crate::key::{DeliveryId, JobId};
use crate::sqlite::job;
use crate::sqlite::writer::WriteTx;

/// A message, with when its job makes its next attempt.
pub(super) const SELECT: &str =
    "select delivery.id, delivery.alert, incident, delivery.kind, headline, delivery.at, delivery.job,
        form, failed_attempts, wake_at, note, delivery.ended_at, delivery.failure
    from delivery left join work on work.id = delivery.job and delivery.ended_at is null";

/// Has a message delivered.
pub(super) fn insert(
    tx: &mut WriteTx<'_>,
    write: &DeliveryWrite,
    job_write: &JobWrite,
    columns: &Columns,
) -> Result<DeliveryId, Error> {
    if !tx.db.prepare_cached("select 1 from alert where id = ?1")?.exists([write.alert.0])? {
        return Err(Error::Stale);
    }
    supersede(tx, write)?;
    insert_row(tx, write, job_write, columns)
}

/// Writes a message and its job.
pub(super) fn insert_row(
    tx: &mut WriteTx<'_>,
    write: &DeliveryWrite,
    job_write: &JobWrite,
    columns: &Columns,
) -> Result<DeliveryId, Error> {
    let db = tx.db;
    let job = job::insert_own(tx, write.uid, job_write, columns)?;
    db.prepare_cached(
        "insert into delivery (alert, incident, kind, headline, at, job, alert_revision, form)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        write.alert.0,
        write.incident.map(|incident| incident.0),
        write.kind.name(),
        write.headline,
        write.at.ticks(),
        job.0,
        write.alert_revision.0,
        write.form.name()
    ])?;
    Ok(DeliveryId(db.last_insert_rowid()))
}

/// Ends the messages whose place a new one takes. `Stale` if an attempt of one of them may be under way: it could arrive after the
/// new one.
fn supersede(tx: &mut WriteTx<'_>, write: &DeliveryWrite) -> Result<(), Error> {
    for id in &write.supersedes {
        let open = get(tx.db, *id)?.filter(|open| open.outcome.is_none());
        if open.is_some_and(|open| open.next_attempt_at.is_none_or(|at| at <= write.at)) {
            return Err(Error::Stale);
        }
        let failure = Some("A later message took its place.".to_owned());
        end(tx, *id, &DeliveryOutcome { at: write.at, failure, note: None }, None)?;
    }
    Ok(())
}

pub(super) fn get(db: &Connection, id: DeliveryId) -> Result<Option<DeliveryEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} where delivery.id = ?1"))?;
    statement.query_row([id.0], |row| Ok(read(row))).optional()?.transpose()
}

pub(super) fn list(db: &Connection, page: &DeliveryPage) -> Result<Vec<DeliveryEntry>, Error> {
    let sql = format!(
        "{SELECT} where (?1 is null or delivery.alert = ?1) and delivery.id < ?2
         order by delivery.id desc limit ?3"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let before = page.before.map_or(i64::MAX, |before| before.0);
    let rows =
        statement.query_and_then(params![page.alert.map(|alert| alert.0), before, page.limit], |row| read(row))?;
    rows.collect()
}

/// Messages whose jobs have ended and of which that is not yet known.
pub(super) fn ended(db: &Connection, limit: usize) -> Result<Vec<EndedDelivery>, Error> {
    let mut statement = db.prepare_cached(
        "select delivery.id, delivery.alert, kind, delivery.job, state = 2, job.ended_at,
             coalesce(trouble = 'operator' and substr(cause, 1, length(?2)) = ?2, 0)
         from delivery join job on job.id = delivery.job left join incident on incident.id = delivery.incident
         where delivery.ended_at is null and state >= 2 limit ?1",
    )?;
    let rows = statement.query_and_then(params![limit, LOST_MESSAGE], |row| read_ended(row))?;
    rows.collect()
}

/// Keeps what became of a message and, if that is known now, how many attempts failed; removes its job.
pub(super) fn end(
    tx: &mut WriteTx<'_>,
    id: DeliveryId,
    outcome: &DeliveryOutcome,
    failed_attempts: Option<u32>,
) -> Result<(), Error> {
    let mut statement = tx.db.prepare_cached(
        "update delivery set ended_at = ?2, failure = ?3, note = ?4, failed_attempts = coalesce(?5, failed_attempts)
         where id = ?1 and ended_at is null returning job",
    )?;
    let values = params![id.0, outcome.at.ticks(), outcome.failure, outcome.note, failed_attempts];
    let job: Option<i64> = statement.query_row(values, |row| row.get(0)).optional()?;
    job.map_or(Ok(()), |job| job::remove_own(tx, JobId(job)))
}
