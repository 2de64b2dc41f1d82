//! Pauses of the whole server.

use punctual_model::event::Edit;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, params};

use super::change;
use super::due;
use super::writer::WriteTx;
use crate::columns::pause::read;
use crate::error::Error;
use crate::pause::PauseEntry;

/// All pauses that are kept, the earliest first.
pub(super) fn list(db: &Connection) -> Result<Vec<PauseEntry>, Error> {
    let mut statement = db
        .prepare_cached("select since, until, paused_by, why, holds_messages, resumed_by from pause order by number")?;
    statement.query_and_then([], |row| read(row))?.collect()
}

/// Pauses the server, unless it is paused already. Gives the pause that goes on.
pub(super) fn begin(tx: &mut WriteTx<'_>, new: PauseEntry) -> Result<PauseEntry, Error> {
    let mut all = list(tx.db)?;
    if let Some(last) = all.last_mut().filter(|last| last.until.is_none()) {
        let (is_more, last) = (last.hold_what(&new), last.clone());
        if is_more {
            hold_messages(tx.db)?;
            change::insert_server(tx.db, &new.paused_by, new.since, Edit::Paused)?;
            tx.changed.pauses = Some(PauseEntry::times(&all));
        }
        return Ok(last);
    }
    insert(tx.db, &new)?;
    change::insert_server(tx.db, &new.paused_by, new.since, Edit::Paused)?;
    all.push(new.clone());
    tx.changed.pauses = Some(PauseEntry::times(&all));
    Ok(new)
}

/// Pauses the server, unless it is paused already, where no server runs that has to be told.
pub(super) fn insert_if_none(db: &Connection, new: &PauseEntry) -> Result<(), Error> {
    let is_paused = PauseEntry::times(&list(db)?).is_paused();
    match is_paused {
        true if new.holds_messages => hold_messages(db),
        true => Ok(()),
        false => insert(db, new),
    }
}

/// Messages of alerts are held from now on, in the pause that goes on.
fn hold_messages(db: &Connection) -> Result<(), Error> {
    db.prepare_cached("update pause set holds_messages = 1 where until is null")?.execute([])?;
    Ok(())
}

fn insert(db: &Connection, new: &PauseEntry) -> Result<(), Error> {
    let mut statement =
        db.prepare_cached("insert into pause (since, paused_by, why, holds_messages) values (?1, ?2, ?3, ?4)")?;
    statement.execute(params![new.since.ticks(), new.paused_by, new.why, new.holds_messages])?;
    let mut statement = db.prepare_cached("delete from pause where number <= (select max(number) from pause) - ?1")?;
    statement.execute([PauseEntry::KEPT_MAX])?;
    due::note_watermarks_at_pause(db)
}

/// Ends the pause of the server. Gives the pause that ended; none if there was none.
pub(super) fn end(tx: &mut WriteTx<'_>, resumed_by: String, now: Timestamp) -> Result<Option<PauseEntry>, Error> {
    let mut all = list(tx.db)?;
    let Some(last) = all.last_mut().filter(|last| last.until.is_none()) else { return Ok(None) };
    change::insert_server(tx.db, &resumed_by, now, Edit::Resumed)?;
    last.end(resumed_by, now);
    let last = last.clone();
    tx.db
        .prepare_cached("update pause set until = ?1, resumed_by = ?2 where until is null")?
        .execute(params![last.until.map(Timestamp::ticks), last.resumed_by])?;
    due::forget_watermarks_at_pause(tx.db)?;
    tx.changed.pauses = Some(PauseEntry::times(&all));
    Ok(Some(last))
}
