//! Which batches of the engine are on disk, and which never will be.
//!
//! A batch writes its number in its own transaction. Who asks for one that is not there writes that it never will be: a commit that is
//! still on its way then meets that row and is refused. If the two meet, PostgreSQL lets the later one wait for the earlier one.

use super::error::Fault;
use super::values::large;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::error::Error;
use crate::key::{BatchId, NodeId};

/// Batches that are remembered. The engine asks for one of its last few, in the seconds after it was sent.
const REMEMBERED_MAX: i64 = 4096;

/// Notes that a batch is written with this transaction, unless it was said that it never will be.
pub(super) async fn note(tx: &WriteTx, node: NodeId, batch: BatchId) -> Result<(), Fault> {
    let (opening, node, batch) = (tx.shared.opening, i64::from(node.0), large(batch.0));
    let sql = "insert into landed (opening, node, batch, is_written) values ($1, $2, $3, true)
        on conflict (opening, node, batch) do update set is_written = true where landed.is_written
        returning 1::bigint";
    if !tx.exists(sql, &[&opening, &node, &batch]).await? {
        let reason = "it was asked whether this batch is on disk, and the answer was no";
        return Err(Error::unavailable(reason).into());
    }
    let forget = "delete from landed where opening = $1 and node = $2 and batch <= $3";
    tx.execute(forget, &[&opening, &node, &(batch - REMEMBERED_MAX)]).await?;
    Ok(())
}

/// Whether a batch is on disk. If it is not, it never will be.
pub(super) async fn find(tx: &WriteTx, node: NodeId, batch: BatchId) -> Result<bool, Fault> {
    let (opening, node, batch) = (tx.shared.opening, i64::from(node.0), large(batch.0));
    let last = tx.one("select max(batch) from landed where opening = $1 and node = $2", &[&opening, &node]).await?;
    let last: Option<i64> = Cells::of(&last).next()?;
    if last.is_some_and(|last| batch <= last - REMEMBERED_MAX) {
        return Err(Error::unavailable(format!("batch {batch} is too old to be remembered")).into());
    }
    let never =
        "insert into landed (opening, node, batch, is_written) values ($1, $2, $3, false) on conflict do nothing";
    tx.execute(never, &[&opening, &node, &batch]).await?;
    let sql = "select is_written from landed where opening = $1 and node = $2 and batch = $3";
    Ok(Cells::of(&tx.one(sql, &[&opening, &node, &batch]).await?).next()?)
}
