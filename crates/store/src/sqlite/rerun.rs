//! What is run again, beside the schedule.

use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Original};
use rusqlite::{Connection, params};

use super::work::{self, INSERT_BESIDE};
use crate::error::Error;
use crate::key::JobId;
use crate::record::codes;

/// Whether the job is there.
pub(super) const IS_THERE: &str = "select 1 from job join collection on collection.id = job.collection
    where job.id = ?1 and deleted_at is null";

/// Whether the same occurrence is open: as itself, or because it is run again already. Only manual runs are told
/// apart by their number; in the row of a schedule it is that of the last one.
pub(super) const IS_OPEN: &str = "select 1 from work where id = ?1 and kind = ?2 and nominal = ?3
    union all
    select 1 from work where job = ?1 and kind in (?2, ?4) and nominal = ?3 and manual = ?5";

/// How many occurrences of a job are run again.
pub(super) const WAITING: &str = "select count(*) from work where job = ?1 and kind >= 4";

/// Opens an occurrence that is run again. Returns false if it is open already.
pub(super) fn open(
    db: &Connection,
    id: JobId,
    rerun: &Occurrence,
    lane: Lane,
    waiting_max: u32,
) -> Result<bool, Error> {
    if !db.prepare_cached(IS_THERE)?.exists([id.0])? {
        return Err(Error::Stale);
    }
    let (kind, manual) = codes::origin(rerun.origin);
    let (original, _) = codes::origin(rerun.origin.original().map_or(rerun.origin, Original::origin));
    let same = params![id.0, original, rerun.nominal.ticks(), kind, manual.unwrap_or(0)];
    if db.prepare_cached(IS_OPEN)?.exists(same)? {
        return Ok(false);
    }
    let waiting: u32 = db.prepare_cached(WAITING)?.query_row([id.0], |row| row.get(0))?;
    if waiting >= waiting_max {
        return Err(Error::Full { max: waiting_max });
    }
    db.prepare_cached(INSERT_BESIDE)?.execute(work::beside_values(id, (*rerun).into(), lane))?;
    Ok(true)
}
