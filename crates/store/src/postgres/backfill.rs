//! Past times of a job that run now, beside its schedule.

use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::time::Timestamp;

use super::db::Db;
use super::error::Fault;
use super::work::{hold, insert_beside};
use super::write::WriteTx;
use crate::cells::Cells;
use crate::columns::work::{PROGRESS, read_occurrence};
use crate::key::JobId;

/// Opens the parts of a backfill. Returns false if one is open already.
pub(super) async fn open(tx: &mut WriteTx, id: JobId, parts: &[Occurrence], lane: Lane) -> Result<bool, Fault> {
    hold(tx, id).await?;
    if tx.exists("select 1::bigint from work where job = $1 and kind = 2", &[&id.0]).await? {
        return Ok(false);
    }
    for part in parts {
        insert_beside(tx, id, (*part).into(), lane).await?;
    }
    tx.changed.jobs.insert(id);
    Ok(true)
}

/// What is open of the backfill of a job.
pub(super) async fn read(db: &Db, id: JobId) -> Result<Vec<Occurrence>, Fault> {
    let rows = db.rows(&format!("select {PROGRESS} from work where job = $1 and kind = 2"), &[&id.0]).await?;
    let mut parts = Vec::new();
    for row in &rows {
        let open = read_occurrence(&mut Cells::of(row))?;
        parts.extend(open.map(|open| Occurrence { origin: Origin::Backfill, ..open }));
    }
    Ok(parts)
}

/// Ends the backfill of a job. Its rows are locked in the order of their numbers, as everywhere.
pub(super) async fn cancel(tx: &mut WriteTx, id: JobId, begun_until: Timestamp) -> Result<bool, Fault> {
    tx.rows("select id from work where id = $1 or (job = $1 and kind = 2) order by id for update", &[&id.0]).await?;
    let removed = tx
        .execute(
            "delete from work where job = $1 and kind = 2 and phase = 0 and attempt = 0 and wake_at > $2 and resends = 0
                 and claimed_by is null",
            &[&id.0, &begun_until.ticks()],
        )
        .await?;
    let ended = tx
        .execute(
            "update work set backlog_until = nominal, revision = revision + 1
             where job = $1 and kind = 2 and backlog_until > nominal",
            &[&id.0],
        )
        .await?;
    tx.changed.jobs.insert(id);
    Ok(removed + ended > 0)
}
