//! What the columns of a collection say.

use punctual_model::collection::Collection;

use crate::cells::{Cells, Fields};
use crate::change::ChangedPath;
use crate::collection::CollectionEntry;
use crate::error::Error;
use crate::key::{CollectionId, CollectionKey, Revision};
use crate::record;

pub(crate) const COLUMNS: &str = "id, revision, record, stopped_at, jobs";

pub(crate) fn read(row: &dyn Fields) -> Result<CollectionEntry, Error> {
    read_as(row, read_record)
}

/// The same, where records may be known already.
pub(crate) fn read_as(
    row: &dyn Fields,
    read_record: impl FnOnce(CollectionId, &str) -> Result<(CollectionKey, Collection), Error>,
) -> Result<CollectionEntry, Error> {
    let mut cells = Cells::of(row);
    let id = CollectionId(cells.next()?);
    let (revision, record) = (Revision(cells.next()?), cells.next_text()?);
    let (key, collection) = read_record(id, record)?;
    Ok(CollectionEntry { id, revision, key, collection, stopped_at: cells.next_instant()?, jobs: cells.next()? })
}

/// The path of a collection as users write it, from its record.
pub(crate) fn read_path(id: CollectionId, record: &str) -> Result<String, Error> {
    let (CollectionKey { subscription, group, collection }, _) = read_record(id, record)?;
    Ok(format!("{subscription}/{group}/{collection}"))
}

pub(crate) fn read_record(id: CollectionId, record: &str) -> Result<(CollectionKey, Collection), Error> {
    let read = record::read_collection(record);
    read.map_err(|reason| Error::from(reason).about(format_args!("collection number {}", id.0)))
}

/// Reads the three names of a path as they are compared, and the record that has them as they were written. A record that
/// cannot be read does not keep its collection from being deleted.
pub(crate) fn read_changed_path(cells: &mut Cells<'_>) -> Result<ChangedPath, Error> {
    let folded = [cells.next_text()?, cells.next_text()?, cells.next_text()?];
    let key = record::read_collection(cells.next_text()?).ok().map(|(key, _)| key);
    Ok(key.map_or_else(|| ChangedPath::of_folded(folded.join("/")), |key| ChangedPath::of(&key)))
}
