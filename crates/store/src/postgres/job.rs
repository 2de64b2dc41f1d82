//! Jobs: their definitions, and with them how far they have come.

use punctual_model::Name;
use punctual_model::event::Edit;
use punctual_model::health::HealthChange;
use punctual_model::job::{JobState, State, Uid};
use punctual_model::time::{Timestamp, tz_database_version};

use super::change::NewChange;
use super::db::{Db, Values};
use super::error::Fault;
use super::values::plain;
use super::write::WriteTx;
use super::{alert, collection, failing, keys, series, tally, work};
use crate::cells::Cells;
use crate::change::{ChangedPath, Stamp};
use crate::columns::definition::Columns;
use crate::columns::job::{DESCRIBED, read, read_name};
use crate::columns::work::PROGRESS;
use crate::damage::Damage;
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::job::{JobEntry, JobPage, JobSource, JobWrite};
use crate::key::{CollectionId, JobId, Revision};
use crate::record::codes;
use crate::seal::Keyring;
use crate::shards::Shards;

/// A job with its schedule's row of work.
fn select() -> String {
    format!(
        "select {PROGRESS}, job.id, {DESCRIBED}, work.revision, executions, failures, faulted, last_started,
             failures_in_row, last_success, recent, note, labels, disabled_until,
             (select count(*) from work as beside where beside.job = job.id and beside.kind = 0),
             (select count(*) from work as beside where beside.job = job.id),
             (select min(wake_at) from work as beside where beside.job = job.id)
         from job join work on work.id = job.id"
    )
}

/// The job of that name.
pub(super) async fn get(
    db: &Db,
    keyring: &Keyring,
    collection: CollectionId,
    name: &Name,
) -> Result<Option<JobEntry>, Fault> {
    let sql = format!("{} where job.collection = $1 and job.name = $2", select());
    let row = db.row(&sql, &[&collection.0, &name.folded()]).await?;
    Ok(row.map(|row| read(&row, keyring)).transpose()?)
}

/// The jobs of these numbers, in no order, without those that are gone or cannot be read.
pub(super) async fn get_numbered(
    db: &Db,
    keyring: &Keyring,
    ids: &[i64],
    damage: &Damage,
) -> Result<Vec<JobEntry>, Fault> {
    let rows = db.rows(&format!("{} where job.id = any($1)", select()), &[&ids]).await?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        entries.extend(damage.sieve(read(row, keyring))?);
    }
    Ok(entries)
}

/// The number and the revision of the job of that name, whether the rest of it can be read or not.
pub(super) async fn find(db: &Db, collection: CollectionId, name: &Name) -> Result<Option<(JobId, Revision)>, Fault> {
    let sql = "select id, revision from job where collection = $1 and name = $2";
    let Some(row) = db.row(sql, &[&collection.0, &name.folded()]).await? else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some((JobId(cells.next()?), Revision(cells.next()?))))
}

/// A page of the jobs of a collection, in the order of their names.
pub(super) async fn list(
    db: &Db,
    keyring: &Keyring,
    collection: CollectionId,
    page: &JobPage,
    damage: &Damage,
) -> Result<Vec<JobEntry>, Fault> {
    // They are gone with it, even if they are not cleared away yet.
    if !collection::is_there(db, collection).await? {
        return Ok(Vec::new());
    }
    // Few jobs are not enabled, and an index holds those; the others are nearly all.
    let of_state = match page.state {
        None => "$3::bigint is null",
        Some(State::Enabled) => "state = $3::bigint",
        Some(_) => "state = $3::bigint and state <> 0",
    };
    let sql = format!("{} where job.collection = $1 and job.name > $2 and {of_state} order by job.name", select());
    let after = page.after.as_ref().map_or("", Name::folded);
    let values: Values<'_> = &[&collection.0, &after, &page.state.map(codes::state)];
    db.read_part(&sql, values, (page.skip.into(), page.limit), damage, |row| read(row, keyring)).await
}

/// What the record of a job and its action, which is sealed, are; none if the job is not there in that revision.
pub(super) async fn records(db: &Db, id: JobId, revision: Revision) -> Result<Option<(String, Vec<u8>)>, Fault> {
    let sql = "select schedule, action from job where id = $1 and revision = $2";
    let Some(row) = db.row(sql, &[&id.0, &revision.0]).await? else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some((cells.next()?, cells.next()?)))
}

/// Makes or changes one, whose action is sealed.
pub(super) async fn put(tx: &mut WriteTx, write: &JobWrite, columns: &Columns) -> Result<JobId, Fault> {
    keys::hold(tx, &columns.action).await?;
    let (id, revision) = write.collection;
    let is_new = matches!(write.source, JobSource::New { .. });
    let (jobs, path) = collection::jobs(tx, id, revision, is_new).await?.ok_or(Error::Stale)?;
    let (id, revision, path, edit) = match write.source {
        JobSource::New { uid, jobs_max } => {
            // First: who was beaten to the name may edit that job, however full the collection is.
            let inserted = insert(tx, id, uid, write, columns).await?;
            if let Some(max) = jobs_max.filter(|max| jobs >= i64::from(*max)) {
                return Err(Error::Full { max }.into());
            }
            (inserted, 1, path.job(&write.name), Edit::Created)
        }
        JobSource::Edited { id, revision, work_revision, .. } => {
            work::lock(tx, id, work_revision).await?;
            let (name, was_enabled) = name_and_state(tx, id).await?.ok_or(Error::Stale)?;
            update(tx, id, revision, write, columns).await?;
            let progress = &write.job.progress;
            let health = HealthChange::of(write.not_run.iter());
            work::update(tx, id, work_revision, progress, columns.lane_of(progress), &health).await?;
            work::redirect_beside(tx, id, columns.lane, columns.error_lane).await?;
            alert::signals::of_member(tx, id, write.stamp.at).await?;
            let is_enabled = write.job.state == JobState::Enabled;
            (id, revision.0 + 1, path.job(&name), Edit::of_state(was_enabled, is_enabled))
        }
    };
    tx.changes.push(NewChange::of_job(path, &write.stamp, edit, columns));
    alert::deadlines::watch_job(tx, id, write.stamp.at).await?;
    tally::add_records(tx, write.collection.0, &write.not_run).await?;
    let entry = |record| HistoryEntry { job: id, record, node: 0, revision, is_duplicate: false };
    tx.history.extend(write.not_run.iter().cloned().map(entry));
    tx.changed.jobs.insert(id);
    Ok(id)
}

async fn insert(
    db: &Db,
    collection: CollectionId,
    uid: Uid,
    write: &JobWrite,
    columns: &Columns,
) -> Result<JobId, Fault> {
    let lane = columns.lane_of(&write.job.progress);
    let id = work::insert_schedule(db, &write.job.progress, lane, Shards::of(uid)).await?;
    let name = &write.name;
    let name_written = Some(name.as_str()).filter(|written| *written != name.folded());
    let inserted = db
        .execute(
            "insert into job (id, collection, name, name_written, uid, revision, state, disabled_at, series, anchor_at,
                 anchor_moved, schedule, action, lane, ended_at, since, zones, target, expires_at, note, labels,
                 disabled_until)
             values ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
             on conflict (collection, name) do nothing",
            &[
                &id.0,
                &collection.0,
                &name.folded(),
                &name_written,
                &uid.bytes().as_slice(),
                &columns.state,
                &columns.disabled_at,
                &i64::from(write.job.series),
                &columns.anchor_at,
                &columns.anchor_moved,
                &columns.schedule,
                &columns.action,
                &columns.lane.0,
                &columns.ended_at,
                &write.stamp.at.ticks(),
                &tz_database_version(),
                &plain(&columns.target),
                &columns.expires_at,
                &columns.note.as_deref().map(plain),
                &columns.labels,
                &columns.disabled_until,
            ],
        )
        .await?;
    if inserted == 0 {
        return Err(Error::Stale.into());
    }
    collection::count_job(db, collection, 1).await?;
    Ok(id)
}

async fn update(db: &Db, id: JobId, revision: Revision, write: &JobWrite, columns: &Columns) -> Result<(), Fault> {
    let is_other = runs_otherwise(db, id, write, columns).await?;
    if is_other {
        series::keep(db, id, write.stamp.at).await?;
    }
    let updated = db
        .execute(
            "update job set revision = revision + 1, state = $3, disabled_at = $4, series = $5, anchor_at = $6,
                 anchor_moved = $7, schedule = $8, action = $9, lane = $11, ended_at = $12, target = $16, expires_at = $17,
                 note = $18, labels = $19, disabled_until = $20,
                 since = case when $13 then $14 else since end, zones = case when $13 then $15 else zones end,
                 since_before = case when $13 then null else since_before end,
                 state_before = case when $13 then null else state_before end
             where id = $1 and revision = $2 and collection = $10",
            &[
                &id.0,
                &revision.0,
                &columns.state,
                &columns.disabled_at,
                &i64::from(write.job.series),
                &columns.anchor_at,
                &columns.anchor_moved,
                &columns.schedule,
                &columns.action,
                &write.collection.0.0,
                &columns.lane.0,
                &columns.ended_at,
                &is_other,
                &write.stamp.at.ticks(),
                &tz_database_version(),
                &plain(&columns.target),
                &columns.expires_at,
                &columns.note.as_deref().map(plain),
                &columns.labels,
                &columns.disabled_until,
            ],
        )
        .await?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Whether its schedule or its state become others. Its row is held from now on.
async fn runs_otherwise(db: &Db, id: JobId, write: &JobWrite, columns: &Columns) -> Result<bool, Fault> {
    let Columns { state, anchor_at, anchor_moved, schedule, .. } = columns;
    let sql = "select (state, series, anchor_at, anchor_moved, schedule) is distinct from
            ($2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::text)
        from job where id = $1 for update";
    let values: Values<'_> = &[&id.0, state, &i64::from(write.job.series), anchor_at, anchor_moved, schedule];
    let row = db.row(sql, values).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?.unwrap_or(false))
}

/// Removes one that is there in that revision.
pub(super) async fn delete(tx: &mut WriteTx, id: JobId, revision: Revision, stamp: &Stamp) -> Result<(), Fault> {
    // The collection is held first, and only then it is asked whether the job is as it was read.
    let row = tx.row("select collection from job where id = $1", &[&id.0]).await?.ok_or(Error::Stale)?;
    let collection = CollectionId(Cells::of(&row).next()?);
    collection::hold(tx, collection).await?;
    work::lock_all(tx, &[id.0]).await?;
    let is_there = "select 1::bigint from job join collection on collection.id = job.collection
        where job.id = $1 and job.revision = $2 and deleted_at is null for update of job";
    if !tx.exists(is_there, &[&id.0, &revision.0]).await? {
        return Err(Error::Stale.into());
    }
    series::keep(tx, id, stamp.at).await?;
    let path = changed_path(tx, id).await?;
    tx.changes.push(NewChange::deleted(path, stamp));
    remove(tx, id, stamp.at).await?;
    collection::count_job(tx, collection, -1).await?;
    tx.changed.jobs.insert(id);
    Ok(())
}

/// Its path, for the log of changes.
pub(super) async fn changed_path(db: &Db, id: JobId) -> Result<ChangedPath, Fault> {
    let row = db.one("select collection from job where id = $1", &[&id.0]).await?;
    let collection = CollectionId(Cells::of(&row).next()?);
    let (name, _) = name_and_state(db, id).await?.ok_or(Error::Stale)?;
    Ok(collection::changed_path(db, collection).await?.job(&name))
}

/// Its name as it was first written, and whether it is enabled.
async fn name_and_state(db: &Db, id: JobId) -> Result<Option<(Name, bool)>, Fault> {
    let sql = "select name, name_written, state = 0 from job where id = $1";
    let Some(row) = db.row(sql, &[&id.0]).await? else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some((read_name(&mut cells)?, cells.next()?)))
}

/// Removes one and all that is open of it.
pub(super) async fn remove(db: &Db, id: JobId, at: Timestamp) -> Result<(), Fault> {
    alert::forget_job(db, id, at).await?;
    remove_rows(db, id).await
}

async fn remove_rows(db: &Db, id: JobId) -> Result<(), Fault> {
    work::remove(db, id).await?;
    db.execute("delete from job where id = $1", &[&id.0]).await?;
    failing::remove(db, id).await
}

/// Makes a job of the server's own. Nobody has asked for it, so no change tells of it.
pub(super) async fn insert_own(
    tx: &mut WriteTx,
    uid: Uid,
    write: &JobWrite,
    columns: &Columns,
) -> Result<JobId, Fault> {
    let id = insert(tx, CollectionId::SERVER, uid, write, columns).await?;
    tx.changed.jobs.insert(id);
    Ok(id)
}

/// Removes a job of the server's own.
pub(super) async fn remove_own(tx: &mut WriteTx, id: JobId) -> Result<(), Fault> {
    remove_rows(tx, id).await?;
    collection::count_job(tx, CollectionId::SERVER, -1).await?;
    tx.changed.jobs.insert(id);
    Ok(())
}
