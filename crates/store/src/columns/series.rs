//! What the columns of a series say.

use punctual_model::job::{State, Uid};

use super::job;
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::record;
use crate::series::{SeriesEntry, SeriesKey};

/// The number of what still is so, after all that was.
pub(crate) const NUMBER_NOW: i64 = i64::MAX;

/// The number of what a job that has ended was before.
pub(crate) const NUMBER_BEFORE: i64 = i64::MAX - 1;

/// What a row of [`PAGE`] says: what a job that ended was before, and what the row is about.
pub(crate) fn read(id: JobId, row: &dyn Fields) -> Result<(Option<SeriesEntry>, SeriesEntry), Error> {
    let mut cells = Cells::of(row);
    cells.skip(1);
    let entry = SeriesEntry {
        key: SeriesKey { job: id, number: cells.next()? },
        uid: Uid::from_bytes(cells.next()?),
        collection: CollectionId(cells.next()?),
        from: cells.next_required_instant()?,
        until: cells.next_instant()?,
        state: job::read_state(cells.next()?)?,
        series: cells.next()?,
        anchor: job::read_anchor(&mut cells)?,
        schedule: record::read_schedule(cells.next_text()?)?,
        zones: cells.next()?,
    };
    let from = cells.next_instant()?.filter(|from| *from != entry.from);
    let state: Option<State> = cells.next::<Option<i64>>()?.map(job::read_state).transpose()?;
    let before = from.zip(state).map(|(from, state)| {
        let key = SeriesKey { job: id, number: NUMBER_BEFORE };
        SeriesEntry { key, from, until: Some(entry.from), state, ..entry.clone() }
    });
    Ok((before, entry))
}
