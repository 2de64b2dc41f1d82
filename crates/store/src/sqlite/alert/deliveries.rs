//! Messages, and the jobs that deliver them.

use punctual_model::Name;
use punctual_model::alert::MessageKind;
use punctual_model::labels::Annotations;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::alert::{DeliveryEntry, DeliveryOutcome, DeliveryPage, DeliveryWrite, EndedDelivery};
use crate::change::Stamp;
use crate::error::Error;
use crate::job::{JobSource, JobWrite};
use crate::key::{AlertId, CollectionId, DeliveryId, IncidentId, JobId, Revision};
use crate::sqlite::cells::Cells;
use crate::sqlite::columns::Columns;
use crate::sqlite::job;
use crate::sqlite::writer::WriteTx;

const SELECT: &str = "select id, alert, incident, kind, headline, at, job, ended_at, failure from delivery";

/// The job of a message, as it is written. Its name is never shown.
pub(super) fn job_write(write: &DeliveryWrite) -> Result<JobWrite, Error> {
    let name = Name::parse(&format!("{:?}", write.uid)).map_err(|reason| Error::corrupt(reason.to_string()))?;
    Ok(JobWrite {
        collection: (CollectionId::SERVER, Revision(1)),
        name,
        source: JobSource::New { uid: write.uid, jobs_max: None },
        job: write.job.clone(),
        annotations: Annotations::default(),
        disabled_until: None,
        not_run: Vec::new(),
        stamp: Stamp::of_server(write.at),
    })
}

/// Has a message delivered.
pub(super) fn insert(
    tx: &mut WriteTx<'_>,
    write: &DeliveryWrite,
    job_write: &JobWrite,
    columns: &Columns,
) -> Result<DeliveryId, Error> {
    let db = tx.db;
    if !db.prepare_cached("select 1 from alert where id = ?1")?.exists([write.alert.0])? {
        return Err(Error::Stale);
    }
    let job = job::insert_own(tx, write.uid, job_write, columns)?;
    db.prepare_cached(
        "insert into delivery (alert, incident, kind, headline, at, job) values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        write.alert.0,
        write.incident.map(|incident| incident.0),
        write.kind.name(),
        write.headline,
        write.at.ticks(),
        job.0
    ])?;
    Ok(DeliveryId(db.last_insert_rowid()))
}

pub(super) fn get(db: &Connection, id: DeliveryId) -> Result<Option<DeliveryEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} where id = ?1"))?;
    statement.query_row([id.0], |row| Ok(read(row))).optional()?.transpose()
}

pub(super) fn list(db: &Connection, page: &DeliveryPage) -> Result<Vec<DeliveryEntry>, Error> {
    let sql = format!("{SELECT} where (?1 is null or alert = ?1) and id < ?2 order by id desc limit ?3");
    let mut statement = db.prepare_cached(&sql)?;
    let before = page.before.map_or(i64::MAX, |before| before.0);
    let rows = statement.query_and_then(params![page.alert.map(|alert| alert.0), before, page.limit], read)?;
    rows.collect()
}

fn read(row: &Row<'_>) -> Result<DeliveryEntry, Error> {
    let mut cells = Cells::of(row);
    let (id, alert) = (DeliveryId(cells.next()?), AlertId(cells.next()?));
    let incident: Option<i64> = cells.next()?;
    let kind = read_kind(cells.next_text()?)?;
    let (headline, at) = (cells.next()?, cells.next_required_instant()?);
    let job = JobId(cells.next()?);
    let (ended_at, failure) = (cells.next_instant()?, cells.next()?);
    let outcome = ended_at.map(|at| DeliveryOutcome { at, failure });
    Ok(DeliveryEntry { id, alert, incident: incident.map(IncidentId), kind, headline, at, job, outcome })
}

fn read_kind(name: &str) -> Result<MessageKind, Error> {
    let kind = MessageKind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| Error::corrupt(format!("there is no kind {name:?} of messages")))
}

/// Messages whose jobs have ended and of which that is not yet known.
pub(super) fn ended(db: &Connection, limit: usize) -> Result<Vec<EndedDelivery>, Error> {
    let mut statement = db.prepare_cached(
        "select delivery.id, alert, kind, delivery.job, state = 2, job.ended_at
         from delivery join job on job.id = delivery.job
         where delivery.ended_at is null and state >= 2 limit ?1",
    )?;
    let rows = statement.query_and_then(params![limit], |row| {
        let mut cells = Cells::of(row);
        Ok(EndedDelivery {
            id: DeliveryId(cells.next()?),
            alert: AlertId(cells.next()?),
            kind: read_kind(cells.next_text()?)?,
            job: JobId(cells.next()?),
            has_arrived: cells.next()?,
            ended_at: cells.next_required_instant()?,
        })
    })?;
    rows.collect()
}

/// Keeps what became of a message, and removes its job.
pub(super) fn end(tx: &mut WriteTx<'_>, id: DeliveryId, outcome: &DeliveryOutcome) -> Result<(), Error> {
    let mut statement = tx.db.prepare_cached(
        "update delivery set ended_at = ?2, failure = ?3 where id = ?1 and ended_at is null returning job",
    )?;
    let values = params![id.0, outcome.at.ticks(), outcome.failure];
    let job: Option<i64> = statement.query_row(values, |row| row.get(0)).optional()?;
    job.map_or(Ok(()), |job| job::remove_own(tx, JobId(job)))
}
