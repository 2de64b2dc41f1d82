//! Alerts: what they watch, and what they do to tell.

use punctual_model::Name;
use punctual_model::alert::{Alert, Trouble};
use punctual_model::event::Edit;
use punctual_model::job::Uid;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{deadlines, signals};
use crate::alert::{AlertEntry, AlertSource, AlertWrite, FoundAlert, Mute};
use crate::change::Stamp;
pub(super) use crate::columns::alert::alerts::{AlertColumns, scope_names};
use crate::columns::alert::alerts::{kept_action, read, read_found, rooms};
use crate::error::Error;
use crate::key::{AlertId, JobId, Revision};
use crate::seal::Keyring;
use crate::sqlite::cells::Cells;
use crate::sqlite::change::{self, ChangedPath, KeptAlert};
use crate::sqlite::damage::Damage;
use crate::sqlite::job;
use crate::sqlite::writer::WriteTx;

const SELECT: &str = "select name, name_written, id, revision, uid, record, action, muted_until, muted_by, changed_at,
    changed_by, request from alert";

/// Messages on their way that go with their alert: all but the end of an incident for a receiver that keeps it open otherwise.
const DROPPED: &str = "ended_at is null and not (kind = 'recovered' and form in ('pagerDuty', 'alertmanager'))";

pub(super) fn get(db: &Connection, keyring: &Keyring, name: &Name) -> Result<Option<AlertEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} where name = ?1"))?;
    statement.query_row([name.folded()], |row| Ok(read(row, keyring))).optional()?.transpose()
}

/// What is known of the alert of that name, whether its records can be read or not.
pub(super) fn find(db: &Connection, name: &Name) -> Result<Option<FoundAlert>, Error> {
    let mut statement =
        db.prepare_cached("select id, revision, subscription, resource_group, collection from alert where name = ?1")?;
    let found = statement.query_row([name.folded()], |row| Ok(read_found(row))).optional()?.transpose();
    found.map_err(|error: Error| error.about(format_args!("the alert {name}")))
}

pub(super) fn list(db: &Connection, keyring: &Keyring, damage: &Damage) -> Result<Vec<AlertEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} order by name"))?;
    let rows = statement.query([])?;
    damage.read_page(rows, usize::MAX, |row| read(row, keyring))
}

/// A number that is another one after each write of an alert.
pub(super) fn version(db: &Connection) -> Result<i64, Error> {
    let mut statement = db.prepare_cached("select value from meta where name = 'alert_writes'")?;
    Ok(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn count_write(db: &Connection) -> Result<(), Error> {
    db.prepare_cached(
        "insert into meta (name, value) values ('alert_writes', 1) on conflict (name) do update set value = value + 1",
    )?
    .execute([])?;
    Ok(())
}

/// The records of the alert that is to be written, as they are stored; none if it is new, or gone.
pub(super) fn records(db: &Connection, source: &AlertSource) -> Result<Option<(String, Vec<u8>)>, Error> {
    let AlertSource::Edited { id, .. } = source else { return Ok(None) };
    let mut statement = db.prepare_cached("select record, action from alert where id = ?1")?;
    Ok(statement.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

pub(super) fn put(db: &Connection, write: &AlertWrite, columns: &AlertColumns) -> Result<(), Error> {
    count_write(db)?;
    let id = match write.source {
        AlertSource::New { uid, alerts_max } => {
            let id = insert(db, uid, write, columns)?;
            let number: u32 = db.prepare_cached("select count(*) from alert")?.query_row([], |row| row.get(0))?;
            if number > alerts_max {
                return Err(Error::Full { max: alerts_max });
            }
            id
        }
        AlertSource::Edited { id, revision, .. } => {
            update(db, id, revision, write, columns)?;
            leave_unwatched(db, id, &write.alert, write.stamp.at)?;
            id
        }
    };
    require_room(db, write)?;
    signals::of_failing(db, &write.alert, write.stamp.at)?;
    deadlines::watch(db, id, &write.alert, write.stamp.at)
}

/// Refuses one alert more than there may be. The alert itself is there already.
fn require_room(db: &Connection, write: &AlertWrite) -> Result<(), Error> {
    let [subscription, ..] = scope_names(&write.alert);
    for (group, collection, max) in rooms(write) {
        let mut statement = db.prepare_cached(
            "select count(*) from alert where subscription = ?1 and (?2 is null or resource_group = ?2)
                 and (?3 is null or collection = ?3)",
        )?;
        let number: u32 = statement.query_row([subscription, group, collection], |row| row.get(0))?;
        if number > max {
            return Err(Error::Full { max });
        }
    }
    Ok(())
}

/// Writes into the log of changes that an alert was made or changed.
pub(super) fn note_written(
    db: &Connection,
    write: &AlertWrite,
    columns: &AlertColumns,
    written: &AlertEntry,
) -> Result<(), Error> {
    let kept = KeptAlert::of(columns, written);
    change::insert_alert(db, &ChangedPath::of_alert(&written.name), &write.stamp, write.source.edit(), &kept)
}

fn insert(db: &Connection, uid: Uid, write: &AlertWrite, columns: &AlertColumns) -> Result<AlertId, Error> {
    let name = &write.name;
    let name_written = Some(name.as_str()).filter(|written| *written != name.folded());
    let [subscription, group, collection, job] = scope_names(&write.alert);
    let inserted = db
        .prepare_cached(
            "insert into alert (name, name_written, uid, revision, subscription, resource_group, collection, job, record,
                 action, failing_after, late_after, tells_ended, changed_at, changed_by, request)
             values (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             on conflict (name) do nothing",
        )?
        .execute(params![
            name.folded(),
            name_written,
            uid.bytes(),
            subscription,
            group,
            collection,
            job,
            columns.record,
            columns.action,
            columns.failing_after,
            columns.late_after,
            write.alert.conditions.ended,
            write.stamp.at.ticks(),
            write.stamp.who,
            write.stamp.request_id,
        ])?;
    if inserted == 0 { Err(Error::Stale) } else { Ok(AlertId(db.last_insert_rowid())) }
}

fn update(
    db: &Connection,
    id: AlertId,
    revision: Revision,
    write: &AlertWrite,
    columns: &AlertColumns,
) -> Result<(), Error> {
    let [subscription, group, collection, job] = scope_names(&write.alert);
    let updated = db
        .prepare_cached(
            "update alert set revision = revision + 1, subscription = ?3, resource_group = ?4, collection = ?5, job = ?6,
                 record = ?7, action = ?8, failing_after = ?9, late_after = ?10, tells_ended = ?11, changed_at = ?12,
                 changed_by = ?13, request = ?14
             where id = ?1 and revision = ?2",
        )?
        .execute(params![
            id.0,
            revision.0,
            subscription,
            group,
            collection,
            job,
            columns.record,
            columns.action,
            columns.failing_after,
            columns.late_after,
            write.alert.conditions.ended,
            write.stamp.at.ticks(),
            write.stamp.who,
            write.stamp.request_id,
        ])?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// Jobs leave the incidents of troubles that an edited alert does not tell of any more, and those that it does not watch any
/// more leave all of them.
fn leave_unwatched(db: &Connection, id: AlertId, alert: &Alert, now: Timestamp) -> Result<(), Error> {
    for trouble in Trouble::ALL.into_iter().filter(|trouble| !alert.conditions.has(*trouble)) {
        db.prepare_cached(
            "update incident_member set left_at = ?3, is_well = 0 where left_at is null
                 and incident in (select id from incident where alert = ?1 and trouble = ?2 and closed_at is null)",
        )?
        .execute(params![id.0, trouble.name(), now.ticks()])?;
    }
    let [subscription, group, collection, job] = scope_names(alert);
    db.prepare_cached(&format!(
        "update incident_member set left_at = ?6, is_well = 0
         where incident in (select id from incident where alert = ?1 and closed_at is null)
             and left_at is null and job > 0 and job not in ({})",
        deadlines::WATCHED
    ))?
    .execute(params![id.0, subscription, group, collection, job, now.ticks()])?;
    db.prepare_cached(
        "update incident set look_at = ?2, revision = revision + 1 where alert = ?1 and closed_at is null",
    )?
    .execute([id.0, now.ticks()])?;
    Ok(())
}

pub(super) fn delete(tx: &mut WriteTx<'_>, id: AlertId, revision: Revision, stamp: &Stamp) -> Result<(), Error> {
    let db = tx.db;
    let mut statement =
        db.prepare_cached("delete from alert where id = ?1 and revision = ?2 returning name, name_written")?;
    let deleted = statement.query_row([id.0, revision.0], |row| Ok(job::read_name(&mut Cells::of(row)))).optional()?;
    let name = deleted.ok_or(Error::Stale)??;
    count_write(db)?;
    change::insert_deleted(db, &ChangedPath::of_alert(&name), stamp)?;
    let mut statement = db.prepare_cached(&format!("select job from delivery where alert = ?1 and {DROPPED}"))?;
    let jobs: Vec<i64> = statement.query_map([id.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for job in jobs {
        job::remove_own(tx, JobId(job))?;
    }
    db.prepare_cached("delete from incident_member where incident in (select id from incident where alert = ?1)")?
        .execute([id.0])?;
    db.prepare_cached(&format!("delete from delivery where alert = ?1 and (ended_at is not null or {DROPPED})"))?
        .execute([id.0])?;
    for table in ["incident", "deadline"] {
        db.prepare_cached(&format!("delete from {table} where alert = ?1"))?.execute([id.0])?;
    }
    Ok(())
}

pub(super) fn mute(
    db: &Connection,
    keyring: &Keyring,
    id: AlertId,
    mute: Option<&Mute>,
    stamp: &Stamp,
) -> Result<(), Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} where id = ?1"))?;
    let read = |row: &Row<'_>| Ok((read(row, keyring), row.get::<_, String>("record")?));
    let (entry, record) = statement.query_row([id.0], read).optional()?.ok_or(Error::Stale)?;
    let entry = entry?;
    db.prepare_cached("update alert set muted_until = ?2, muted_by = ?3 where id = ?1")?.execute(params![
        id.0,
        mute.map(|mute| mute.until.ticks()),
        mute.map(|mute| &mute.by)
    ])?;
    count_write(db)?;
    // Who speaks again has to look at what was held back.
    db.prepare_cached("update incident set look_at = 0 where alert = ?1 and closed_at is null")?.execute([id.0])?;
    if mute.is_none() && entry.mute.is_none() {
        return Ok(());
    }
    let edit = if mute.is_some() { Edit::Muted } else { Edit::Unmuted };
    let action = kept_action(&entry.action, entry.uid, keyring)?;
    let muted_until = mute.map(|mute| mute.until);
    let kept = KeptAlert { uid: entry.uid, record: &record, action: &action, muted_until };
    change::insert_alert(db, &ChangedPath::of_alert(&entry.name), stamp, edit, &kept)
}
