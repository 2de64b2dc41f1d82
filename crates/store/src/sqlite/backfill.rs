//! Past times of a job that run now, beside its schedule.

use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::time::Timestamp;
use rusqlite::Connection;

use super::cells::Cells;
use super::rerun::IS_THERE;
use super::work::{self, INSERT_BESIDE, PROGRESS, read_occurrence};
use crate::error::Error;
use crate::key::JobId;

/// Whether a backfill of the job is open.
const IS_OPEN: &str = "select 1 from work where job = ?1 and kind = 2";

/// Opens the parts of a backfill. Returns false if one is open already.
pub(super) fn open(db: &Connection, id: JobId, parts: &[Occurrence], lane: Lane) -> Result<bool, Error> {
    if !db.prepare_cached(IS_THERE)?.exists([id.0])? {
        return Err(Error::Stale);
    }
    if db.prepare_cached(IS_OPEN)?.exists([id.0])? {
        return Ok(false);
    }
    for part in parts {
        db.prepare_cached(INSERT_BESIDE)?.execute(work::beside_values(id, (*part).into(), lane))?;
    }
    Ok(true)
}

/// What is open of the backfill of a job.
pub(super) fn read(db: &Connection, id: JobId) -> Result<Vec<Occurrence>, Error> {
    let mut statement = db.prepare_cached(&format!("select {PROGRESS} from work where job = ?1 and kind = 2"))?;
    let mut rows = statement.query([id.0])?;
    let mut parts = Vec::new();
    while let Some(row) = rows.next()? {
        let open = read_occurrence(&mut Cells::of(row))?;
        parts.extend(open.map(|open| Occurrence { origin: Origin::Backfill, ..open }));
    }
    Ok(parts)
}

/// Ends the backfill of a job.
pub(super) fn cancel(db: &Connection, id: JobId, begun_until: Timestamp) -> Result<bool, Error> {
    let removed = db
        .prepare_cached(
            "delete from work where job = ?1 and kind = 2 and phase = 0 and attempt = 0 and wake_at > ?2 and resends = 0",
        )?
        .execute([id.0, begun_until.ticks()])?;
    let ended = db
        .prepare_cached(
            "update work set backlog_until = nominal, revision = revision + 1
             where job = ?1 and kind = 2 and backlog_until > nominal",
        )?
        .execute([id.0])?;
    Ok(removed + ended > 0)
}
