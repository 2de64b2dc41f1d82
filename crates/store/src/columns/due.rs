//! What the columns of a key of what wakes say.

use punctual_model::lane::Lane;

use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::{JobId, WorkId};
use crate::work_store::DueKey;

pub(crate) fn read(row: &dyn Fields) -> Result<DueKey, Error> {
    let mut cells = Cells::of(row);
    Ok(DueKey {
        wake_at: cells.next_required_instant()?,
        lane: Lane(cells.next()?),
        id: WorkId(cells.next()?),
        job: JobId(cells.next()?),
    })
}
