//! What the columns of a pause say.

use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::pause::PauseEntry;

pub(crate) fn read(row: &dyn Fields) -> Result<PauseEntry, Error> {
    let mut cells = Cells::of(row);
    Ok(PauseEntry {
        since: cells.next_required_instant()?,
        until: cells.next_instant()?,
        paused_by: cells.next()?,
        why: cells.next()?,
        holds_messages: cells.next()?,
        resumed_by: cells.next()?,
    })
}
