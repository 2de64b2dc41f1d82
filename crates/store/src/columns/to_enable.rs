//! What the columns of a job say that is to be enabled.

use super::{collection, job};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::job::JobToEnable;
use crate::key::{CollectionId, JobId};

pub(crate) fn read(row: &dyn Fields) -> Result<JobToEnable, Error> {
    let mut cells = Cells::of(row);
    let (id, until) = (JobId(cells.next()?), cells.next_required_instant()?);
    let name = job::read_name(&mut cells).map_err(|error| error.of_job(id))?;
    let collection = CollectionId(cells.next()?);
    let path = format!("{}/{name}", collection::read_path(collection, cells.next_text()?)?);
    Ok(JobToEnable { id, path: path.into(), until })
}
