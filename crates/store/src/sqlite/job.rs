//! Jobs: their definitions, and with them how far they have come.

use std::sync::LazyLock;

use punctual_model::Name;
use punctual_model::event::Edit;
use punctual_model::health::HealthChange;
use punctual_model::job::{JobState, State, Uid};
use punctual_model::time::{Timestamp, tz_database_version};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::cells::Cells;
use super::change::{self, ChangedPath};
use super::damage::Damage;
use super::writer::WriteTx;
use super::{alert, collection, failing, series, tally, work};
use crate::change::Stamp;
use crate::columns::definition::Columns;
use crate::columns::job::{DESCRIBED, read};
pub(super) use crate::columns::job::{read_name, read_state};
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::job::{JobEntry, JobPage, JobSource, JobWrite};
use crate::key::{CollectionId, JobId, Revision};
use crate::record::codes;
use crate::seal::Keyring;

/// A job with its schedule's row of work.
fn select() -> String {
    format!(
        "select {}, job.id, {DESCRIBED}, work.revision, executions, failures, faulted, last_started,
             failures_in_row, last_success, recent, note, labels, disabled_until,
             (select count(*) from work as beside where beside.job = job.id and beside.kind = 0),
             (select count(*) from work as beside where beside.job = job.id),
             (select min(wake_at) from work as beside where beside.job = job.id)
         from job join work on work.id = job.id",
        work::PROGRESS
    )
}

/// The job of that name.
pub(super) fn get(
    db: &Connection,
    keyring: &Keyring,
    collection: CollectionId,
    name: &Name,
) -> Result<Option<JobEntry>, Error> {
    let mut statement = db.prepare_cached(&BY_NAME)?;
    let row = statement.query_row(params![collection.0, name.folded()], |row| Ok(read(row, keyring))).optional()?;
    row.transpose()
}

/// Made once: it is longer than what it finds.
pub(super) static BY_NAME: LazyLock<String> =
    LazyLock::new(|| format!("{} where job.collection = ?1 and job.name = ?2", select()));

/// The job of that number.
pub(super) fn get_numbered(db: &Connection, keyring: &Keyring, id: JobId) -> Result<Option<JobEntry>, Error> {
    let mut statement = db.prepare_cached(&BY_NUMBER)?;
    statement.query_row([id.0], |row| Ok(read(row, keyring))).optional()?.transpose()
}

static BY_NUMBER: LazyLock<String> = LazyLock::new(|| format!("{} where job.id = ?1", select()));

/// The number and the revision of the job of that name, whether the rest of it can be read or not.
pub(super) fn find(db: &Connection, collection: CollectionId, name: &Name) -> Result<Option<(JobId, Revision)>, Error> {
    let mut statement = db.prepare_cached("select id, revision from job where collection = ?1 and name = ?2")?;
    let read = |row: &Row<'_>| Ok((JobId(row.get(0)?), Revision(row.get(1)?)));
    Ok(statement.query_row(params![collection.0, name.folded()], read).optional()?)
}

/// A page of the jobs of a collection, in the order of their names.
pub(super) fn list(
    db: &Connection,
    keyring: &Keyring,
    collection: CollectionId,
    page: &JobPage,
    damage: &Damage,
) -> Result<Vec<JobEntry>, Error> {
    // They are gone with it, even if they are not cleared away yet.
    if !collection::is_there(db, collection)? {
        return Ok(Vec::new());
    }
    let mut statement = db.prepare_cached(&page_sql(page.state))?;
    let after = page.after.as_ref().map_or("", Name::folded);
    let rows = statement.query(params![collection.0, after, page.state.map(codes::state), page.skip])?;
    damage.read_page(rows, page.limit, |row| read(row, keyring))
}

/// What the record of a job and its action, which is sealed, are; none if the job is not there in that revision.
pub(super) fn records(db: &Connection, id: JobId, revision: Revision) -> Result<Option<(String, Vec<u8>)>, Error> {
    let mut statement = db.prepare_cached("select schedule, action from job where id = ?1 and revision = ?2")?;
    Ok(statement.query_row([id.0, revision.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

pub(super) fn page_sql(state: Option<State>) -> String {
    // Few jobs are not enabled, and an index holds those; the others are nearly all.
    let of_state = match state {
        None => "?3 is null",
        Some(State::Enabled) => "state = ?3",
        Some(_) => "state = ?3 and state <> 0",
    };
    format!(
        "{} where job.collection = ?1 and job.name > ?2 and {of_state} order by job.name limit -1 offset ?4",
        select()
    )
}

/// Makes or changes one, whose action is sealed.
pub(super) fn put(tx: &mut WriteTx<'_>, write: &JobWrite, columns: &Columns) -> Result<JobId, Error> {
    let (collection, collection_revision) = write.collection;
    let db = tx.db;
    let room = collection::room(db, collection, collection_revision, &write.name)?.ok_or(Error::Stale)?;
    let path = tx.paths.get(db, collection)?;
    let (id, revision) = match write.source {
        JobSource::New { uid, jobs_max } => {
            // First: who was beaten to the name may edit that job, however full the collection is.
            if room.has_name {
                return Err(Error::Stale);
            }
            if let Some(max) = jobs_max.filter(|max| room.jobs >= *max) {
                return Err(Error::Full { max });
            }
            let id = insert(db, collection, uid, write, columns)?;
            change::insert_new_job(db, &path.job(&write.name), &write.stamp, id, columns)?;
            (id, 1)
        }
        JobSource::Edited { id, revision, work_revision, .. } => {
            let (name, was_enabled) = name_and_state(db, id)?.ok_or(Error::Stale)?;
            update(db, id, revision, write, columns)?;
            change::index_first(db, id)?;
            let progress = &write.job.progress;
            let health = HealthChange::of(write.not_run.iter());
            work::update(db, id, work_revision, progress, columns.lane_of(progress), &health)?;
            work::redirect_beside(db, id, columns.lane, columns.error_lane)?;
            alert::signals::of_member(db, id, write.stamp.at)?;
            let is_enabled = write.job.state == JobState::Enabled;
            let edit = Edit::of_state(was_enabled, is_enabled);
            change::insert_job(db, &path.job(&name), &write.stamp, edit, columns)?;
            (id, revision.0 + 1)
        }
    };
    alert::watch_job(db, id, write.stamp.at)?;
    tally::add_records(db, write.collection.0, write.not_run.iter())?;
    let entry = |record| HistoryEntry { job: id, record, node: 0, revision, is_duplicate: false };
    tx.history.extend(write.not_run.iter().cloned().map(entry));
    tx.changed.jobs.insert(id);
    Ok(id)
}

/// The name must be free. No index keeps two of the same name apart: the writer is the only one who adds any.
fn insert(
    db: &Connection,
    collection: CollectionId,
    uid: Uid,
    write: &JobWrite,
    columns: &Columns,
) -> Result<JobId, Error> {
    let id = work::insert_schedule(db, &write.job.progress, columns.lane_of(&write.job.progress))?;
    let name = &write.name;
    let name_written = Some(name.as_str()).filter(|written| *written != name.folded());
    db.prepare_cached(
            "insert into job (id, collection, name, name_written, uid, revision, state, disabled_at, series, anchor_at,
                 anchor_moved, schedule, action, lane, ended_at, since, zones, target, expires_at, note, labels,
                 disabled_until)
             values (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
        )?
        .execute(params![
            id.0,
            collection.0,
            name.folded(),
            name_written,
            uid.bytes(),
            columns.state,
            columns.disabled_at,
            write.job.series,
            columns.anchor_at,
            columns.anchor_moved,
            columns.schedule,
            columns.action,
            columns.lane.0,
            columns.ended_at,
            write.stamp.at.ticks(),
            tz_database_version(),
            columns.target,
            columns.expires_at,
            columns.note,
            columns.labels,
            columns.disabled_until
        ])?;
    collection::count_job(db, collection, 1)?;
    Ok(id)
}

fn update(db: &Connection, id: JobId, revision: Revision, write: &JobWrite, columns: &Columns) -> Result<(), Error> {
    let is_other = runs_otherwise(db, id, write, columns)?;
    if is_other {
        series::keep(db, id, write.stamp.at)?;
    }
    let updated = db
        .prepare_cached(
            "update job set revision = revision + 1, state = ?3, disabled_at = ?4, series = ?5, anchor_at = ?6,
                 anchor_moved = ?7, schedule = ?8, action = ?9, lane = ?11, ended_at = ?12, target = ?16, expires_at = ?17,
                 note = ?18, labels = ?19, disabled_until = ?20,
                 since = case when ?13 then ?14 else since end, zones = case when ?13 then ?15 else zones end,
                 since_before = case when ?13 then null else since_before end,
                 state_before = case when ?13 then null else state_before end
             where id = ?1 and revision = ?2 and collection = ?10",
        )?
        .execute(params![
            id.0,
            revision.0,
            columns.state,
            columns.disabled_at,
            write.job.series,
            columns.anchor_at,
            columns.anchor_moved,
            columns.schedule,
            columns.action,
            write.collection.0.0,
            columns.lane.0,
            columns.ended_at,
            is_other,
            write.stamp.at.ticks(),
            tz_database_version(),
            columns.target,
            columns.expires_at,
            columns.note,
            columns.labels,
            columns.disabled_until
        ])?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// Whether its schedule or its state become others.
fn runs_otherwise(db: &Connection, id: JobId, write: &JobWrite, columns: &Columns) -> Result<bool, Error> {
    let mut statement = db.prepare_cached(
        "select 1 from job
         where id = ?1 and (state, series, anchor_at, anchor_moved, schedule) is not (?2, ?3, ?4, ?5, ?6)",
    )?;
    let Columns { state, anchor_at, anchor_moved, schedule, .. } = columns;
    Ok(statement.exists(params![id.0, state, write.job.series, anchor_at, anchor_moved, schedule])?)
}

/// Removes one that is there in that revision.
pub(super) fn delete(tx: &mut WriteTx<'_>, id: JobId, revision: Revision, stamp: &Stamp) -> Result<(), Error> {
    let db = tx.db;
    let mut statement = db.prepare_cached(
        "select job.collection from job join collection on collection.id = job.collection
         where job.id = ?1 and job.revision = ?2 and deleted_at is null",
    )?;
    let found = statement.query_row([id.0, revision.0], |row| row.get(0)).optional()?;
    let collection = CollectionId(found.ok_or(Error::Stale)?);
    series::keep(db, id, stamp.at)?;
    change::insert_deleted(db, &changed_path(db, id)?, stamp)?;
    remove(db, id, stamp.at)?;
    collection::count_job(db, collection, -1)?;
    tx.changed.jobs.insert(id);
    Ok(())
}

/// Its path, for the log of changes.
pub(super) fn changed_path(db: &Connection, id: JobId) -> Result<ChangedPath, Error> {
    let mut statement = db.prepare_cached("select collection from job where id = ?1")?;
    let collection = CollectionId(statement.query_row([id.0], |row| row.get(0))?);
    let (name, _) = name_and_state(db, id)?.ok_or(Error::Stale)?;
    Ok(collection::changed_path(db, collection)?.job(&name))
}

/// Its name as it was first written, and whether it is enabled.
fn name_and_state(db: &Connection, id: JobId) -> Result<Option<(Name, bool)>, Error> {
    let mut statement = db.prepare_cached("select name, name_written, state = 0 from job where id = ?1")?;
    let read = |row: &Row<'_>| {
        let mut cells = Cells::of(row);
        Ok::<_, Error>((read_name(&mut cells)?, cells.next()?))
    };
    statement.query_row([id.0], |row| Ok(read(row))).optional()?.transpose()
}

/// Removes one and all that is open of it.
pub(super) fn remove(db: &Connection, id: JobId, at: Timestamp) -> Result<(), Error> {
    alert::forget_job(db, id, at)?;
    change::index_first(db, id)?;
    remove_rows(db, id)
}

fn remove_rows(db: &Connection, id: JobId) -> Result<(), Error> {
    db.prepare_cached("delete from job where id = ?1")?.execute([id.0])?;
    failing::remove(db, id)?;
    work::remove(db, id)
}

/// Makes a job of the server's own. Nobody has asked for it, so no change tells of it.
pub(super) fn insert_own(tx: &mut WriteTx<'_>, uid: Uid, write: &JobWrite, columns: &Columns) -> Result<JobId, Error> {
    if find(tx.db, CollectionId::SERVER, &write.name)?.is_some() {
        return Err(Error::Stale);
    }
    let id = insert(tx.db, CollectionId::SERVER, uid, write, columns)?;
    tx.changed.jobs.insert(id);
    Ok(id)
}

/// Removes a job of the server's own.
pub(super) fn remove_own(tx: &mut WriteTx<'_>, id: JobId) -> Result<(), Error> {
    remove_rows(tx.db, id)?;
    collection::count_job(tx.db, CollectionId::SERVER, -1)?;
    tx.changed.jobs.insert(id);
    Ok(())
}
