//! What the columns of a time say in which a collection was disabled.

use crate::cells::{Cells, Fields};
use crate::collection::EndedStop;
use crate::error::Error;
use crate::key::CollectionId;

pub(crate) fn read(row: &dyn Fields) -> Result<(CollectionId, EndedStop, String), Error> {
    let mut cells = Cells::of(row);
    let collection = CollectionId(cells.next()?);
    let stop = EndedStop { from: cells.next_required_instant()?, until: cells.next_required_instant()? };
    Ok((collection, stop, cells.next()?))
}
