//! Changes: who wrote what. A change is written in the transaction of the write that it is about.

use punctual_model::Name;
use punctual_model::event::Edit;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::damage::Damage;
pub(super) use crate::change::ChangedPath;
use crate::change::{ChangeEntry, ChangePage, ChangePlace, Stamp};
use crate::columns::change::{ActionColumns, COLUMNS, read};
pub(super) use crate::columns::change::{KeptAlert, read_told};
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::key::{CollectionKey, JobId, JobKey};
use crate::record::codes;
use crate::seal::Keyring;

/// Changes of one job, collection or alert that are kept: the latest.
const KEPT_MAX: usize = 200;

/// What [`index_first`] does.
pub(super) const INDEX_FIRST: &str = "update change set job = null where job = ?1 returning path";

/// Forgets all changes of a path but the latest.
pub(super) const TRIM: &str = "delete from change where id in
    (select id from change where path = ?1 and job is null order by id desc limit -1 offset ?2)";

/// The changes of a path, latest first.
pub(super) fn page_sql() -> String {
    format!("select {COLUMNS} from change where path = ?1 and job is null and id < ?2 order by id desc")
}

/// The same of a job, which may be as it was made. So may be one of its name in a collection that is deleted and not yet
/// cleared away.
pub(super) fn page_of_job_sql() -> String {
    format!(
        "select {COLUMNS} from change where path = ?1 and job is null and id < ?2
         union all
         select {COLUMNS} from change where job in (
             select id from job where name = ?3 and collection in (
                 select id from collection
                 where subscription = ?4 and resource_group = ?5 and name = ?6 and deleted_at is null
                 union all
                 select id from collection
                 where subscription = ?4 and resource_group = ?5 and name = ?6 and deleted_at is not null
             )
         ) and id < ?2
         order by id desc"
    )
}

/// Notes that a job was made. The change is found by the number of the job until [`index_first`].
pub(super) fn insert_new_job(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    id: JobId,
    columns: &Columns,
) -> Result<(), Error> {
    let columns = (Some(&*columns.schedule), Some(&ActionColumns::of(columns)));
    insert(db, path, stamp, Edit::Created, columns, Some(id))
}

/// Notes that a job was changed.
pub(super) fn insert_job(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    columns: &Columns,
) -> Result<(), Error> {
    let columns = (Some(&*columns.schedule), Some(&ActionColumns::of(columns)));
    insert(db, path, stamp, edit, columns, None)?;
    trim(db, &path.folded, KEPT_MAX)
}

/// Lets the change that made a job be found by its path, before the job is changed or gone. Does nothing if it is already.
pub(super) fn index_first(db: &Connection, job: JobId) -> Result<(), Error> {
    let mut statement = db.prepare_cached(INDEX_FIRST)?;
    let path: Option<String> = statement.query_row([job.0], |row| row.get(0)).optional()?;
    path.map_or(Ok(()), |path| trim(db, &path, KEPT_MAX - 1))
}

/// Notes that a collection was written.
pub(super) fn insert_collection(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    record: &str,
) -> Result<(), Error> {
    insert(db, path, stamp, edit, (Some(record), None), None)?;
    trim(db, &path.folded, KEPT_MAX)
}

/// Notes that an alert was written, or muted.
pub(super) fn insert_alert(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    kept: &KeptAlert<'_>,
) -> Result<(), Error> {
    let columns = (Some(kept.record), Some(&ActionColumns::of_alert(kept, stamp.at)));
    insert(db, path, stamp, edit, columns, None)?;
    trim(db, &path.folded, KEPT_MAX)
}

/// Notes that a job, a collection or an alert was deleted.
pub(super) fn insert_deleted(db: &Connection, path: &ChangedPath, stamp: &Stamp) -> Result<(), Error> {
    insert(db, path, stamp, Edit::Deleted, (None, None), None)?;
    // The next job of that name adds one, and nothing is taken away then.
    trim(db, &path.folded, KEPT_MAX - 1)
}

/// Notes that the server was paused or resumed.
pub(super) fn insert_server(db: &Connection, who: &str, at: Timestamp, edit: Edit) -> Result<(), Error> {
    let stamp = Stamp { at, who: who.to_owned(), request_id: String::new() };
    insert(db, &ChangedPath::of_server(), &stamp, edit, (None, None), None)?;
    trim(db, "", KEPT_MAX)
}

fn insert(
    db: &Connection,
    path: &ChangedPath,
    stamp: &Stamp,
    edit: Edit,
    (record, with_action): (Option<&str>, Option<&ActionColumns<'_>>),
    first_of: Option<JobId>,
) -> Result<(), Error> {
    db.prepare_cached(
        "insert into change (path, path_written, at, who, request, edit, record, uid, state, action, note, labels,
             muted_until, job)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        path.folded,
        Some(&path.written).filter(|written| **written != path.folded),
        stamp.at.ticks(),
        stamp.who,
        stamp.request_id,
        codes::edit(edit),
        record,
        with_action.map(|it| it.uid),
        with_action.and_then(|it| it.state),
        with_action.map(|it| it.action),
        with_action.and_then(|it| it.note),
        with_action.and_then(|it| it.labels),
        with_action.and_then(|it| it.muted_until),
        first_of.map(|job| job.0),
    ])?;
    Ok(())
}

/// Keeps so many changes of those that are found by a path.
fn trim(db: &Connection, path: &str, kept: usize) -> Result<(), Error> {
    db.prepare_cached(TRIM)?.execute(params![path, kept])?;
    Ok(())
}

/// What those who watch are told of changes after one number and up to another, as [`read_told`] takes it. Events are about jobs,
/// collections and the server: who may see an alert is another question.
pub(super) const TOLD: &str = "select id, coalesce(path_written, path), at, edit from change
    where id > ?1 and id <= ?2 and substr(path, 1, 1) <> '/' order by id limit ?3";

/// A page of the changes of a job, a collection or an alert, latest first.
pub(super) fn list(
    db: &Connection,
    keyring: &Keyring,
    page: &ChangePage,
    damage: &Damage,
) -> Result<Vec<ChangeEntry>, Error> {
    let is_alert = matches!(page.place, ChangePlace::Alert(_));
    let (path, before) = (page.place.path(), page.before.unwrap_or(i64::MAX));
    if let ChangePlace::Job(JobKey { collection, job }) = &page.place {
        let CollectionKey { subscription, group, collection } = collection;
        let names = [job, subscription, group, collection].map(Name::folded);
        let mut statement = db.prepare_cached(&page_of_job_sql())?;
        let rows = statement.query(params![path, before, names[0], names[1], names[2], names[3]])?;
        return damage.read_page(rows, page.limit, |row| read(row, keyring, is_alert));
    }
    let mut statement = db.prepare_cached(&page_sql())?;
    damage.read_page(statement.query(params![path, before])?, page.limit, |row| read(row, keyring, is_alert))
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
