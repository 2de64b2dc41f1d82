//! Messages, and the jobs that deliver them.

use tokio_postgres::Row;

use super::incidents;
use crate::alert::{
    DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite, EndedDelivery, FailedAttempt, LOST_MESSAGE,
};
use crate::cells::Cells;
use crate::columns::alert::deliveries::{read, read_ended, read_failed_attempt};
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::job::JobWrite;
use crate::key::{DeliveryId, IncidentId, JobId};
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;
use crate::postgres::values::{number, plain};
use crate::postgres::write::WriteTx;
use crate::postgres::{job, keys};

/// A message, with when its job makes its next attempt.
const SELECT: &str = "select delivery.id, delivery.alert, incident, delivery.kind, headline, delivery.at, delivery.job,
        form, failed_attempts, wake_at, note, delivery.ended_at, delivery.failure
    from delivery left join work on work.id = delivery.job and delivery.ended_at is null";

/// A message whose job is sealed.
pub(super) struct Prepared {
    pub(super) write: DeliveryWrite,
    pub(super) job: JobWrite,
    pub(super) columns: Columns,
}

/// Has a message delivered.
pub(super) async fn insert(tx: &mut WriteTx, prepared: &Prepared) -> Result<DeliveryId, Fault> {
    // The alert is held, so that it does not go before its message is there.
    if !tx.exists("select 1::bigint from alert where id = $1 for key share", &[&prepared.write.alert.0]).await? {
        return Err(Error::Stale.into());
    }
    supersede(tx, &prepared.write).await?;
    insert_row(tx, prepared).await
}

/// Writes a message and its job.
pub(super) async fn insert_row(
    tx: &mut WriteTx,
    Prepared { write, job, columns }: &Prepared,
) -> Result<DeliveryId, Fault> {
    keys::hold(tx, &columns.action).await?;
    let job = job::insert_own(tx, write.uid, job, columns).await?;
    let row = tx
        .one(
            "insert into delivery (alert, incident, kind, headline, at, job, alert_revision, form)
             values ($1, $2, $3, $4, $5, $6, $7, $8) returning id",
            &[
                &write.alert.0,
                &write.incident.map(|incident| incident.0),
                &write.kind.name(),
                &plain(&write.headline),
                &write.at.ticks(),
                &job.0,
                &write.alert_revision.0,
                &write.form.name(),
            ],
        )
        .await?;
    Ok(DeliveryId(Cells::of(&row).next()?))
}

/// Ends the messages whose place a new one takes. `Stale` if an attempt of one of them may be under way: it could arrive after the
/// new one.
async fn supersede(tx: &mut WriteTx, write: &DeliveryWrite) -> Result<(), Fault> {
    for id in &write.supersedes {
        let open = get(tx, *id).await?.filter(|open| open.outcome.is_none());
        if open.is_some_and(|open| open.next_attempt_at.is_none_or(|at| at <= write.at)) {
            return Err(Error::Stale.into());
        }
        let failure = Some("A later message took its place.".to_owned());
        end(tx, *id, &DeliveryOutcome { at: write.at, failure, note: None }, None).await?;
    }
    Ok(())
}

pub(super) async fn get(db: &Db, id: DeliveryId) -> Result<Option<DeliveryEntry>, Fault> {
    let row = db.row(&format!("{SELECT} where delivery.id = $1"), &[&id.0]).await?;
    Ok(row.map(|row| read(&row)).transpose()?)
}

pub(super) async fn list(db: &Db, page: &DeliveryPage) -> Result<Vec<DeliveryEntry>, Fault> {
    let sql = format!(
        "{SELECT} where ($1::bigint is null or delivery.alert = $1) and delivery.id < $2
         order by delivery.id desc limit $3"
    );
    let before = page.before.map_or(i64::MAX, |before| before.0);
    let values: crate::postgres::db::Values<'_> = &[&page.alert.map(|alert| alert.0), &before, &count(page.limit)];
    read_all(&db.rows(&sql, values).await?)
}

fn read_all(rows: &[Row]) -> Result<Vec<DeliveryEntry>, Fault> {
    Ok(rows.iter().map(|row| read(row)).collect::<Result<_, Error>>()?)
}

/// Messages about an incident that are on their way. The end of one that lasts is told to a receiver that the alert has left.
pub(super) async fn of_incident(db: &Db, incident: IncidentId) -> Result<Vec<DeliveryEntry>, Fault> {
    let sql = format!(
        "{SELECT} where incident = $1 and delivery.ended_at is null and delivery.kind <> 'recovered' order by delivery.id"
    );
    read_all(&db.rows(&sql, &[&incident.0]).await?)
}

/// Messages on their way whose alert was written since. The end of an incident goes to the receiver that keeps it, wherever the
/// alert points now.
pub(super) async fn outdated(db: &Db, limit: usize) -> Result<Vec<DeliveryEntry>, Fault> {
    let sql = format!(
        "{SELECT} join alert on alert.id = delivery.alert
         where delivery.ended_at is null and alert.revision <> alert_revision
             and not (delivery.kind = 'recovered' and form in ('pagerDuty', 'alertmanager'))
         order by failed_attempts = 0, delivery.id limit $1"
    );
    read_all(&db.rows(&sql, &[&count(limit)]).await?)
}

/// Messages whose jobs have ended and of which that is not yet known.
pub(super) async fn ended(db: &Db, limit: usize) -> Result<Vec<EndedDelivery>, Fault> {
    let sql = "select delivery.id, delivery.alert, kind, delivery.job, state = 2, job.ended_at,
            coalesce(trouble = 'operator' and starts_with(cause, $2), false)
        from delivery join job on job.id = delivery.job left join incident on incident.id = delivery.incident
        where delivery.ended_at is null and state >= 2 order by delivery.id limit $1";
    let rows = db.rows(sql, &[&count(limit), &LOST_MESSAGE]).await?;
    Ok(rows.iter().map(|row| read_ended(row)).collect::<Result<_, Error>>()?)
}

/// Messages whose last attempt has failed, which is not yet noted.
pub(super) async fn failed_attempts(db: &Db, limit: usize) -> Result<Vec<FailedAttempt>, Fault> {
    let sql = "select delivery.id, alert, delivery.job, attempt, failed_attempts = 0, wake_at
        from delivery join work on work.id = delivery.job
        where delivery.ended_at is null and attempt > failed_attempts and wake_at is not null order by delivery.id limit $1";
    let rows = db.rows(sql, &[&count(limit)]).await?;
    Ok(rows.iter().map(|row| read_failed_attempt(row)).collect::<Result<_, Error>>()?)
}

/// Notes why the last attempt of a message failed.
pub(super) async fn note_failed_attempt(db: &Db, attempt: &FailedAttempt, reason: &str) -> Result<(), Fault> {
    let sql = "update delivery set failed_attempts = $2, note = $3 where id = $1 and ended_at is null";
    db.execute(sql, &[&attempt.id.0, &number(attempt.attempts), &plain(reason)]).await?;
    Ok(())
}

/// Keeps what became of a message and, if that is known now, how many attempts failed; removes its job.
pub(super) async fn end(
    tx: &mut WriteTx,
    id: DeliveryId,
    outcome: &DeliveryOutcome,
    failed_attempts: Option<u32>,
) -> Result<(), Fault> {
    let sql =
        "update delivery set ended_at = $2, failure = $3, note = $4, failed_attempts = coalesce($5, failed_attempts)
        where id = $1 and ended_at is null returning job";
    let (failure, note) = (outcome.failure.as_deref().map(plain), outcome.note.as_deref().map(plain));
    let (ended_at, failed_attempts) = (outcome.at.ticks(), failed_attempts.map(number));
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] = [&id.0, &ended_at, &failure, &note, &failed_attempts];
    let Some(row) = tx.row(sql, &values).await? else { return Ok(()) };
    let job = Cells::of(&row).next()?;
    job::remove_own(tx, JobId(job)).await
}

/// Sends a message anew, by a job that takes the place of the one it had.
pub(super) async fn redirect(tx: &mut WriteTx, id: DeliveryId, prepared: &Prepared) -> Result<(), Fault> {
    let sql = "select job from delivery where id = $1 and ended_at is null for update";
    let row = tx.row(sql, &[&id.0]).await?.ok_or(Error::Stale)?;
    let before = Cells::of(&row).next()?;
    keys::hold(tx, &prepared.columns.action).await?;
    job::remove_own(tx, JobId(before)).await?;
    let job = job::insert_own(tx, prepared.write.uid, &prepared.job, &prepared.columns).await?;
    let sql = "update delivery set job = $2, alert_revision = $3, failed_attempts = 0, note = null where id = $1";
    tx.execute(sql, &[&id.0, &job.0, &prepared.write.alert_revision.0]).await?;
    Ok(())
}

/// Ends a message that was not delivered, and has its incident told as if nothing had been told of it.
pub(super) async fn retell(tx: &mut WriteTx, id: DeliveryId, outcome: &DeliveryOutcome) -> Result<(), Fault> {
    end(tx, id, outcome, None).await?;
    incidents::retell(tx, id.0).await
}
