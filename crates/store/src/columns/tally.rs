//! What the columns of counts say.

use punctual_model::tally::{Minute, Tally};

use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::CollectionId;
use crate::tally::TallyEntry;

/// What [`read`] takes.
pub(crate) const COUNTS: &str = "minute, tally.collection, succeeded, failed, not_run, given_up";

pub(crate) fn read(row: &dyn Fields) -> Result<TallyEntry, Error> {
    let mut cells = Cells::of(row);
    let (minute, collection) = (Minute(cells.next()?), CollectionId(cells.next()?));
    let mut count = || cells.next::<i64>().map(|count| u64::try_from(count).unwrap_or(0));
    let tally = Tally { succeeded: count()?, failed: count()?, not_run: count()?, given_up: count()? };
    Ok(TallyEntry { minute, collection, tally })
}
