//! The path of a job, from the columns of its name and its collection.

use super::{collection, job};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::CollectionId;

pub(crate) fn read_path(row: &dyn Fields) -> Result<String, Error> {
    let mut cells = Cells::of(row);
    let name = job::read_name(&mut cells)?;
    let collection = collection::read_path(CollectionId(cells.next()?), cells.next_text()?)?;
    Ok(format!("{collection}/{name}"))
}
