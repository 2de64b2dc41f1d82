//! Pauses of the whole server.

use punctual_model::event::Edit;
use punctual_model::time::Timestamp;

use super::change::NewChange;
use super::db::Db;
use super::due;
use super::error::Fault;
use super::values::{plain, ticks};
use super::write::WriteTx;
use crate::columns::pause::read;
use crate::error::Error;
use crate::pause::PauseEntry;

/// All pauses that are kept, the earliest first.
pub(super) async fn list(db: &Db) -> Result<Vec<PauseEntry>, Fault> {
    let sql = "select since, until, paused_by, why, holds_messages, resumed_by from pause order by number";
    let rows = db.rows(sql, &[]).await?;
    Ok(rows.iter().map(|row| read(row)).collect::<Result<_, Error>>()?)
}

/// Pauses the server, unless it is paused already. Gives the pause that goes on.
pub(super) async fn begin(tx: &mut WriteTx, new: &PauseEntry) -> Result<PauseEntry, Fault> {
    tx.lock("pause").await?;
    let mut all = list(tx).await?;
    if let Some(last) = all.last_mut().filter(|last| last.until.is_none()) {
        let (is_more, last) = (last.hold_what(new), last.clone());
        if is_more {
            tx.execute("update pause set holds_messages = true where until is null", &[]).await?;
            // Other nodes hear of it by this.
            tx.changes.push(NewChange::of_server(&new.paused_by, new.since, Edit::Paused));
            tx.changed.pauses = Some(PauseEntry::times(&all));
        }
        return Ok(last);
    }
    let sql = "insert into pause (since, paused_by, why, holds_messages) values ($1, $2, $3, $4)";
    tx.execute(sql, &[&new.since.ticks(), &plain(&new.paused_by), &plain(&new.why), &new.holds_messages]).await?;
    let forget = "delete from pause where number not in (select number from pause order by number desc limit $1)";
    tx.execute(forget, &[&i64::from(PauseEntry::KEPT_MAX)]).await?;
    tx.changes.push(NewChange::of_server(&new.paused_by, new.since, Edit::Paused));
    due::note_watermarks_at_pause(tx).await?;
    all.push(new.clone());
    tx.changed.pauses = Some(PauseEntry::times(&all));
    Ok(new.clone())
}

/// Ends the pause of the server. Gives the pause that ended; none if there was none.
pub(super) async fn end(tx: &mut WriteTx, resumed_by: &str, now: Timestamp) -> Result<Option<PauseEntry>, Fault> {
    tx.lock("pause").await?;
    let mut all = list(tx).await?;
    let Some(last) = all.last_mut().filter(|last| last.until.is_none()) else { return Ok(None) };
    tx.changes.push(NewChange::of_server(resumed_by, now, Edit::Resumed));
    last.end(resumed_by.to_owned(), now);
    let last = last.clone();
    let sql = "update pause set until = $1, resumed_by = $2 where until is null";
    tx.execute(sql, &[&ticks(last.until), &plain(resumed_by)]).await?;
    due::forget_watermarks_at_pause(tx).await?;
    tx.changed.pauses = Some(PauseEntry::times(&all));
    Ok(Some(last))
}
