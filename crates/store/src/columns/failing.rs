//! What the columns of a job that fails say.

use std::sync::Arc;

use punctual_model::failure::Failure;
use punctual_model::occurrence::OccurrenceId;

use super::{collection, job};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::failing::FailingJob;
use crate::history::HistoryKey;
use crate::key::{CollectionId, JobId};
use crate::record::codes;

pub(crate) fn read(row: &dyn Fields) -> Result<FailingJob, Error> {
    let mut cells = Cells::of(row);
    let name = job::read_name(&mut cells)?;
    let collection = CollectionId(cells.next()?);
    let path = format!("{}/{name}", collection::read_path(collection, cells.next_text()?)?);
    let (job, target) = (JobId(cells.next()?), cells.next()?);
    let class =
        codes::read_failure_class(cells.next()?).ok_or_else(|| Error::corrupt("an unknown class of failures"))?;
    let failure = Failure { class, code: cells.next()?, host: cells.next()?, detail: cells.next()? };
    let (since, count): (_, i64) = (cells.next_required_instant()?, cells.next()?);
    let (started, number): (_, i64) = (cells.next_required_instant()?, cells.next()?);
    let record = u64::try_from(number).ok().and_then(|number| HistoryKey::new(started, number));
    Ok(FailingJob {
        job,
        path: Arc::from(path),
        collection,
        target,
        failure,
        since,
        count: u64::try_from(count).unwrap_or(0),
        record: record.ok_or_else(|| Error::corrupt("a record has no such number"))?,
        occurrence: OccurrenceId::from_bytes(cells.next()?),
        retry_at: cells.next_instant()?,
    })
}
