//! Changes: who wrote what. A change is written in the transaction of the write that it is about.

use punctual_model::Name;
use punctual_model::event::{Edit, Event, EventKind};
use punctual_model::job::{Definition, Uid};
use punctual_model::time::Timestamp;
use rusqlite::{Connection, Row, params};

use super::cells::Cells;
use super::columns::Columns;
use super::damage::Damage;
use super::job::{read_annotations, read_state};
use crate::change::{ChangeEntry, ChangePage, Stamp, Version, path_of};
use crate::error::Error;
use crate::key::CollectionKey;
use crate::record::{self, ScheduleRecord, codes};
use crate::seal::Keyring;

/// Changes of one job or collection that are kept: the latest.
const KEPT_MAX: usize = 200;

/// What is kept of a job after a change.
struct JobColumns<'a> {
    uid: [u8; 16],
    state: i64,
    note: Option<&'a str>,
    labels: Option<&'a str>,
    /// The action with fingerprints instead of secrets, sealed.
    action: &'a [u8],
}

/// The path of what was changed.
pub(super) struct ChangedPath {
    /// In the form in which paths are compared.
    folded: String,
    /// As users write it.
    written: String,
}

impl ChangedPath {
    /// The path of a collection.
    pub(super) fn of(key: &CollectionKey) -> Self {
        let CollectionKey { subscription, group, collection } = key;
        Self { folded: path_of(key), written: format!("{subscription}/{group}/{collection}") }
    }

    /// The path of the server as a whole.
    const fn of_server() -> Self {
        Self { folded: String::new(), written: String::new() }
    }

    /// A path of which only the form in which paths are compared can be read.
    pub(super) fn of_folded(folded: String) -> Self {
        Self { written: folded.clone(), folded }
    }

    /// The path of a job in this collection.
    pub(super) fn job(&self, name: &Name) -> Self {
        let Self { folded, written } = self;
        Self { folded: format!("{folded}/{}", name.folded()), written: format!("{written}/{name}") }
    }
}

/// Notes that a job was written.
pub(super) fn insert_job(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    columns: &Columns,
) -> Result<(), Error> {
    let job = JobColumns {
        uid: columns.uid.bytes(),
        state: columns.state,
        note: columns.note.as_deref(),
        labels: columns.labels.as_deref(),
        action: &columns.kept_action,
    };
    insert(db, path, stamp, edit, Some(&columns.schedule), Some(&job))
}

/// Notes that a collection was written.
pub(super) fn insert_collection(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    record: &str,
) -> Result<(), Error> {
    insert(db, path, stamp, edit, Some(record), None)
}

/// Notes that a job or a collection was deleted.
pub(super) fn insert_deleted(db: &Connection, path: &ChangedPath, stamp: &Stamp) -> Result<(), Error> {
    insert(db, path, stamp, Edit::Deleted, None, None)
}

/// Notes that the server was paused or resumed.
pub(super) fn insert_server(db: &Connection, who: &str, at: Timestamp, edit: Edit) -> Result<(), Error> {
    let stamp = Stamp { at, who: who.to_owned(), request_id: String::new() };
    insert(db, &ChangedPath::of_server(), &stamp, edit, None, None)
}

fn insert(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    record: Option<&str>,
    job: Option<&JobColumns<'_>>,
) -> Result<(), Error> {
    db.prepare_cached(
        "insert into change (path, path_written, at, who, request, edit, record, uid, state, action, note, labels)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        path.folded,
        Some(&path.written).filter(|written| **written != path.folded),
        stamp.at.ticks(),
        stamp.who,
        stamp.request_id,
        codes::edit(edit),
        record,
        job.map(|job| job.uid),
        job.map(|job| job.state),
        job.map(|job| job.action),
        job.and_then(|job| job.note),
        job.and_then(|job| job.labels),
    ])?;
    // One came, so one goes at most.
    db.prepare_cached(
        "delete from change
         where id = (select id from change where path = ?1 order by id desc limit 1 offset ?2)",
    )?
    .execute(params![path.folded, KEPT_MAX])?;
    Ok(())
}

/// What those who watch are told of changes after one number and up to another, as [`read_told`] takes it.
pub(super) const TOLD: &str = "select id, coalesce(path_written, path), at, edit from change
    where id > ?1 and id <= ?2 order by id limit ?3";

/// Reads a row of [`TOLD`].
pub(super) fn read_told(row: &Row<'_>) -> Result<(u64, Event), Error> {
    let mut cells = Cells::of(row);
    let id: i64 = cells.next()?;
    let path = Some(cells.next_text()?).filter(|path| !path.is_empty()).map(Into::into);
    let (at, kind) = (cells.next_required_instant()?, EventKind::Edited(read_edit(cells.next()?)?));
    Ok((id.unsigned_abs(), Event { at, path, kind }))
}

fn read_edit(code: i64) -> Result<Edit, Error> {
    codes::read_edit(code).ok_or_else(|| Error::corrupt(format!("there is no edit {code}")))
}

/// A page of the changes of a job or a collection, latest first.
pub(super) fn list(
    db: &Connection,
    keyring: &Keyring,
    page: &ChangePage,
    damage: &Damage,
) -> Result<Vec<ChangeEntry>, Error> {
    let mut statement = db.prepare_cached(
        "select id, at, who, request, edit, record, uid, state, action, note, labels from change
         where path = ?1 and id < ?2 order by id desc",
    )?;
    let rows = statement.query(params![page.place.path(), page.before.unwrap_or(i64::MAX)])?;
    damage.read_page(rows, page.limit, |row| read(row, keyring))
}

/// When the oldest change was made.
pub(super) fn oldest(db: &Connection) -> Result<Option<Timestamp>, Error> {
    let mut statement = db.prepare_cached("select (select at from change order by id limit 1)")?;
    let ticks: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(ticks.and_then(Timestamp::from_ticks))
}

/// Forgets some of the oldest changes, as far as they were made before that instant. Returns how many.
pub(super) fn forget(db: &Connection, before: Timestamp, limit: usize) -> Result<usize, Error> {
    let mut statement =
        db.prepare_cached("delete from change where at < ?1 and id in (select id from change order by id limit ?2)")?;
    Ok(statement.execute(params![before.ticks(), limit])?)
}

fn read(row: &Row<'_>, keyring: &Keyring) -> Result<ChangeEntry, Error> {
    let mut cells = Cells::of(row);
    let id: i64 = cells.next()?;
    let mut read = || {
        let stamp = Stamp { at: cells.next_required_instant()?, who: cells.next()?, request_id: cells.next()? };
        let edit = read_edit(cells.next()?)?;
        let after = match (cells.next_optional_text()?, cells.next::<Option<[u8; 16]>>()?) {
            (None, _) => None,
            (Some(record), None) => Some(Version::Collection(record::read_collection(record)?.1)),
            (Some(record), Some(uid)) => {
                let state = read_state(cells.next()?)?;
                let sealed = cells.next_blob()?;
                let action = keyring.open(Uid::from_bytes(uid), sealed);
                let action = record::read_action(&action.map_err(|reason| Error::corrupt(reason.to_string()))?)?;
                let ScheduleRecord { start, recurrence, options } = record::read_schedule(record)?;
                let definition = Box::new(Definition { start, action, recurrence, options });
                Some(Version::Job { definition, state, annotations: read_annotations(&mut cells)? })
            }
        };
        Ok(ChangeEntry { id, stamp, edit, after })
    };
    read().map_err(|error: Error| error.about(format_args!("change number {id}")))
}
