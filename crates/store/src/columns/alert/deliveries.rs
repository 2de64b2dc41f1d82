//! What the columns of a message say, and the job that delivers it.

use punctual_model::Name;
use punctual_model::alert::{Form, MessageKind};
use punctual_model::labels::Annotations;

use crate::alert::{DeliveryEntry, DeliveryOutcome, DeliveryWrite, EndedDelivery, FailedAttempt};
use crate::cells::{Cells, Fields};
use crate::change::Stamp;
use crate::error::Error;
use crate::job::{JobSource, JobWrite};
use crate::key::{AlertId, CollectionId, DeliveryId, IncidentId, JobId, Revision};

/// The job of a message, as it is written. Its name is never shown.
pub(crate) fn job_write(write: &DeliveryWrite) -> Result<JobWrite, Error> {
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

pub(crate) fn read(row: &dyn Fields) -> Result<DeliveryEntry, Error> {
    let mut cells = Cells::of(row);
    let (id, alert) = (DeliveryId(cells.next()?), AlertId(cells.next()?));
    let incident: Option<i64> = cells.next()?;
    let kind = read_kind(cells.next_text()?)?;
    let (headline, at) = (cells.next()?, cells.next_required_instant()?);
    let job = JobId(cells.next()?);
    let form = read_form(cells.next_text()?)?;
    let (failed_attempts, next_attempt_at) = (cells.next()?, cells.next_instant()?);
    let note: Option<String> = cells.next()?;
    let (ended_at, failure) = (cells.next_instant()?, cells.next()?);
    let outcome = ended_at.map(|at| DeliveryOutcome { at, failure, note: note.clone() });
    let incident = incident.map(IncidentId);
    Ok(DeliveryEntry {
        id,
        alert,
        incident,
        kind,
        headline,
        at,
        job,
        form,
        failed_attempts,
        next_attempt_at,
        note,
        outcome,
    })
}

pub(crate) fn read_form(name: &str) -> Result<Form, Error> {
    let form = Form::ALL.into_iter().find(|form| form.name() == name);
    form.ok_or_else(|| Error::corrupt(format!("there is no form {name:?} of messages")))
}

pub(crate) fn read_kind(name: &str) -> Result<MessageKind, Error> {
    let kind = MessageKind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| Error::corrupt(format!("there is no kind {name:?} of messages")))
}

/// Reads a message whose job has ended.
pub(crate) fn read_ended(row: &dyn Fields) -> Result<EndedDelivery, Error> {
    let mut cells = Cells::of(row);
    Ok(EndedDelivery {
        id: DeliveryId(cells.next()?),
        alert: AlertId(cells.next()?),
        kind: read_kind(cells.next_text()?)?,
        job: JobId(cells.next()?),
        has_arrived: cells.next()?,
        ended_at: cells.next_required_instant()?,
        is_about_lost_message: cells.next()?,
    })
}

/// Reads a message whose last attempt has failed.
pub(crate) fn read_failed_attempt(row: &dyn Fields) -> Result<FailedAttempt, Error> {
    let mut cells = Cells::of(row);
    Ok(FailedAttempt {
        id: DeliveryId(cells.next()?),
        alert: AlertId(cells.next()?),
        job: JobId(cells.next()?),
        attempts: cells.next()?,
        is_first: cells.next()?,
        next_attempt_at: cells.next_required_instant()?,
    })
}
