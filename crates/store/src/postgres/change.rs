//! Changes: who wrote what. A change is written in the transaction of the write that it is about, at its end: then it gets its number.

use punctual_model::Name;
use punctual_model::event::{Edit, Event, EventKind};
use punctual_model::time::Timestamp;

use super::db::{Db, count};
use super::error::Fault;
use super::values::{large, plain};
use super::write::WriteTx;
use crate::cells::Cells;
use crate::change::{ChangeEntry, ChangePage, ChangePlace, ChangedPath, Stamp};
use crate::columns::change::{ActionColumns, COLUMNS, KeptAlert, read, read_told};
use crate::columns::definition::Columns;
use crate::damage::Damage;
use crate::error::Error;
use crate::record::codes;
use crate::seal::Keyring;

/// Changes of one job, collection or alert that are kept: the latest.
const KEPT_MAX: i64 = 200;

/// A change that is to be written.
pub(super) struct NewChange {
    path: ChangedPath,
    stamp: Stamp,
    edit: Edit,
    record: Option<String>,
    kept: Option<Kept>,
    /// Events are about jobs, collections and the server: who may see an alert is another question.
    is_told: bool,
}

/// What is kept of a job or an alert after a change.
struct Kept {
    uid: [u8; 16],
    state: Option<i64>,
    note: Option<String>,
    labels: Option<String>,
    /// The action with fingerprints instead of secrets, sealed.
    action: Vec<u8>,
    muted_until: Option<i64>,
}

impl Kept {
    fn of(columns: &ActionColumns<'_>) -> Self {
        Self {
            uid: columns.uid,
            state: columns.state,
            note: columns.note.map(str::to_owned),
            labels: columns.labels.map(str::to_owned),
            action: columns.action.to_vec(),
            muted_until: columns.muted_until,
        }
    }
}

impl NewChange {
    fn new(path: ChangedPath, stamp: &Stamp, edit: Edit, record: Option<String>) -> Self {
        Self { path, stamp: stamp.clone(), edit, record, kept: None, is_told: true }
    }

    /// A job was written.
    pub(super) fn of_job(path: ChangedPath, stamp: &Stamp, edit: Edit, columns: &Columns) -> Self {
        let kept = Some(Kept::of(&ActionColumns::of(columns)));
        Self { kept, ..Self::new(path, stamp, edit, Some(columns.schedule.clone())) }
    }

    /// A collection was written.
    pub(super) fn of_collection(path: ChangedPath, stamp: &Stamp, edit: Edit, record: String) -> Self {
        Self::new(path, stamp, edit, Some(record))
    }

    /// An alert was written, or muted.
    pub(super) fn of_alert(name: &Name, stamp: &Stamp, edit: Edit, alert: &KeptAlert<'_>) -> Self {
        let kept = Some(Kept::of(&ActionColumns::of_alert(alert, stamp.at)));
        let new = Self::new(ChangedPath::of_alert(name), stamp, edit, Some(alert.record.to_owned()));
        Self { kept, is_told: false, ..new }
    }

    /// A job or a collection was deleted.
    pub(super) fn deleted(path: ChangedPath, stamp: &Stamp) -> Self {
        Self::new(path, stamp, Edit::Deleted, None)
    }

    /// An alert was deleted.
    pub(super) fn deleted_alert(name: &Name, stamp: &Stamp) -> Self {
        Self { is_told: false, ..Self::deleted(ChangedPath::of_alert(name), stamp) }
    }

    /// The server was paused or resumed.
    pub(super) fn of_server(who: &str, at: Timestamp, edit: Edit) -> Self {
        let stamp = Stamp { at, who: who.to_owned(), request_id: String::new() };
        Self::new(ChangedPath::of_server(), &stamp, edit, None)
    }

    fn event(&self) -> Event {
        let path = Some(self.path.written.as_str()).filter(|path| !path.is_empty()).map(Into::into);
        Event { at: self.stamp.at, path, kind: EventKind::Edited(self.edit) }
    }
}

/// Changes that were written, with their numbers, as they are told.
pub(super) type Numbered = Vec<(u64, Event)>;

/// Writes the changes of a transaction.
pub(super) async fn write(tx: &WriteTx, changes: Vec<NewChange>) -> Result<Numbered, Fault> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let number = count(changes.len());
    let first = tx.number("change", number).await? - number + 1;
    let mut numbered = Vec::with_capacity(changes.len());
    for (id, change) in (first..).zip(&changes) {
        insert(tx, id, change).await?;
        if change.is_told {
            numbered.push((id.unsigned_abs(), change.event()));
        }
    }
    Ok(numbered)
}

async fn insert(db: &Db, id: i64, change: &NewChange) -> Result<(), Fault> {
    let NewChange { path, stamp, edit, record, kept, .. } = change;
    let written = Some(&path.written).filter(|written| **written != path.folded);
    let uid = kept.as_ref().map(|kept| kept.uid.as_slice());
    db.execute(
        "insert into change (id, path, path_written, at, who, request, edit, record, uid, state, action, note, labels,
             muted_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            &id,
            &path.folded,
            &written,
            &stamp.at.ticks(),
            &plain(&stamp.who),
            &plain(&stamp.request_id),
            &codes::edit(*edit),
            record,
            &uid,
            &kept.as_ref().and_then(|kept| kept.state),
            &kept.as_ref().map(|kept| kept.action.as_slice()),
            &kept.as_ref().and_then(|kept| kept.note.as_deref()).map(plain),
            &kept.as_ref().and_then(|kept| kept.labels.as_deref()),
            &kept.as_ref().and_then(|kept| kept.muted_until),
        ],
    )
    .await?;
    // One came, so one goes at most.
    db.execute(
        "delete from change where id = (
             select id from change where hashtextextended(path, 0) = hashtextextended($1, 0) and path = $1
             order by id desc limit 1 offset $2
         )",
        &[&path.folded, &KEPT_MAX],
    )
    .await?;
    Ok(())
}

/// What those who watch are told of changes after one number and up to another.
pub(super) async fn told(db: &Db, after: u64, until: u64, limit: usize) -> Result<Vec<(u64, Event)>, Fault> {
    let sql = "select id, coalesce(path_written, path), at, edit from change
        where id > $1 and id <= $2 and left(path, 1) <> '/' order by id limit $3";
    let rows = db.rows(sql, &[&large(after), &large(until), &count(limit)]).await?;
    Ok(rows.iter().map(|row| read_told(row)).collect::<Result<_, Error>>()?)
}

/// A page of the changes of a job, a collection or an alert, latest first.
pub(super) async fn list(
    db: &Db,
    keyring: &Keyring,
    page: &ChangePage,
    damage: &Damage,
) -> Result<Vec<ChangeEntry>, Fault> {
    let sql = format!(
        "select {COLUMNS} from change
         where hashtextextended(path, 0) = hashtextextended($1, 0) and path = $1 and id < $2 order by id desc"
    );
    let is_alert = matches!(page.place, ChangePlace::Alert(_));
    let (path, before) = (page.place.path(), page.before.unwrap_or(i64::MAX));
    db.read_page(&sql, &[&path, &before], page.limit, damage, |row| read(row, keyring, is_alert)).await
}

/// When the oldest change was made.
pub(super) async fn oldest(db: &Db) -> Result<Option<Timestamp>, Fault> {
    let row = db.row("select at from change order by id limit 1", &[]).await?;
    Ok(row.map(|row| Cells::of(&row).next_instant()).transpose()?.flatten())
}

/// Forgets some of the oldest changes, as far as they were made before that instant. Returns how many.
pub(super) async fn forget(db: &Db, before: Timestamp, limit: usize) -> Result<usize, Fault> {
    let sql = "delete from change where at < $1 and id in (select id from change order by id limit $2)";
    let forgotten = db.execute(sql, &[&before.ticks(), &count(limit)]).await?;
    Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
}
