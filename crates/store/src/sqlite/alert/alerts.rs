//! Alerts: what they watch, and what they do to tell.

use punctual_model::Name;
use punctual_model::alert::{Alert, Trouble};
use punctual_model::job::Uid;
use punctual_model::time::{Span, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{deadlines, signals};
use crate::alert::{AlertEntry, AlertSource, AlertWrite, Mute};
use crate::change::Stamp;
use crate::error::Error;
use crate::key::{AlertId, JobId, Revision};
use crate::record;
use crate::seal::Keyring;
use crate::sqlite::cells::Cells;
use crate::sqlite::damage::Damage;
use crate::sqlite::job;
use crate::sqlite::writer::WriteTx;

const SELECT: &str = "select name, name_written, id, revision, uid, record, action, muted_until, muted_by, changed_at,
    changed_by, request from alert";

/// What the columns of an alert hold, made before the writer is asked.
pub(super) struct AlertColumns {
    record: String,
    /// Sealed.
    pub(super) action: Vec<u8>,
    failing_after: Option<u32>,
    late_after: Option<i64>,
}

impl AlertColumns {
    pub(super) fn of(write: &AlertWrite, keyring: &Keyring) -> Result<Self, Error> {
        let action = record::write_action(&write.action);
        let conditions = &write.alert.conditions;
        Ok(Self {
            record: record::write_alert(&write.alert),
            action: keyring.seal(write.source.uid(), action.as_bytes()).map_err(Error::unavailable)?,
            // The settlement looks for the first failure on behalf of those who want to hear what was given up.
            failing_after: conditions.failing.or(conditions.given_up.then_some(1)),
            late_after: conditions.late.as_ref().map(Span::ticks),
        })
    }
}

pub(super) fn get(db: &Connection, keyring: &Keyring, name: &Name) -> Result<Option<AlertEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} where name = ?1"))?;
    statement.query_row([name.folded()], |row| Ok(read(row, keyring))).optional()?.transpose()
}

pub(super) fn list(db: &Connection, keyring: &Keyring, damage: &Damage) -> Result<Vec<AlertEntry>, Error> {
    let mut statement = db.prepare_cached(&format!("{SELECT} order by name"))?;
    let rows = statement.query([])?;
    damage.read_page(rows, usize::MAX, |row| read(row, keyring))
}

fn read(row: &Row<'_>, keyring: &Keyring) -> Result<AlertEntry, Error> {
    let mut cells = Cells::of(row);
    let name = job::read_name(&mut cells)?;
    let about = |error: Error| error.about(format_args!("the alert {name}"));
    let (id, revision) = (AlertId(cells.next()?), Revision(cells.next()?));
    let uid = Uid::from_bytes(cells.next()?);
    let alert = record::read_alert(cells.next_text()?).map_err(|reason| about(reason.into()))?;
    let action = keyring.open(uid, cells.next_blob()?).map_err(|reason| about(Error::corrupt(reason.to_string())))?;
    let action = record::read_action(&action).map_err(|reason| about(reason.into()))?;
    let (until, by): (_, Option<String>) = (cells.next_instant()?, cells.next()?);
    let mute = until.zip(by).map(|(until, by)| Mute { until, by });
    let stamp = Stamp { at: cells.next_required_instant()?, who: cells.next()?, request_id: cells.next()? };
    Ok(AlertEntry { id, revision, uid, name, alert, action, mute, stamp })
}

pub(super) fn put(db: &Connection, write: &AlertWrite, columns: &AlertColumns) -> Result<(), Error> {
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
    signals::of_failing(db, &write.alert, write.stamp.at)?;
    deadlines::watch(db, id, &write.alert, write.stamp.at)
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

/// The names of what an alert watches, as they are compared; none from where it watches all.
pub(super) fn scope_names(alert: &Alert) -> [Option<&str>; 4] {
    let [subscription, group, collection] = alert.scope.scope.names();
    [subscription, group, collection, alert.scope.job.as_ref()].map(|name| name.map(Name::folded))
}

/// Jobs leave the incidents of troubles that an edited alert does not tell of any more, and those that it does not watch any
/// more leave all of them.
fn leave_unwatched(db: &Connection, id: AlertId, alert: &Alert, now: Timestamp) -> Result<(), Error> {
    for trouble in Trouble::ALL.into_iter().filter(|trouble| !alert.conditions.has(*trouble)) {
        db.prepare_cached(
            "update incident_member set left_at = ?3, is_well = 0 where alert = ?1 and trouble = ?2 and left_at is null",
        )?
        .execute(params![id.0, trouble.name(), now.ticks()])?;
    }
    let [subscription, group, collection, job] = scope_names(alert);
    db.prepare_cached(&format!(
        "update incident_member set left_at = ?6, is_well = 0
         where alert = ?1 and left_at is null and job > 0 and job not in ({})",
        deadlines::WATCHED
    ))?
    .execute(params![id.0, subscription, group, collection, job, now.ticks()])?;
    db.prepare_cached(
        "update incident set look_at = ?2, revision = revision + 1 where alert = ?1 and closed_at is null",
    )?
    .execute([id.0, now.ticks()])?;
    Ok(())
}

pub(super) fn delete(tx: &mut WriteTx<'_>, id: AlertId, revision: Revision) -> Result<(), Error> {
    let db = tx.db;
    let deleted =
        db.prepare_cached("delete from alert where id = ?1 and revision = ?2")?.execute([id.0, revision.0])?;
    if deleted == 0 {
        return Err(Error::Stale);
    }
    let mut statement = db.prepare_cached("select job from delivery where alert = ?1 and ended_at is null")?;
    let jobs: Vec<i64> = statement.query_map([id.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for job in jobs {
        job::remove_own(tx, JobId(job))?;
    }
    db.prepare_cached("delete from incident_member where incident in (select id from incident where alert = ?1)")?
        .execute([id.0])?;
    for table in ["incident", "deadline", "delivery"] {
        db.prepare_cached(&format!("delete from {table} where alert = ?1"))?.execute([id.0])?;
    }
    Ok(())
}

pub(super) fn mute(db: &Connection, id: AlertId, mute: Option<&Mute>) -> Result<(), Error> {
    let muted = db
        .prepare_cached("update alert set muted_until = ?2, muted_by = ?3 where id = ?1")?
        .execute(params![id.0, mute.map(|mute| mute.until.ticks()), mute.map(|mute| &mute.by)])?;
    // Who speaks again has to look at what was held back.
    db.prepare_cached("update incident set look_at = 0 where alert = ?1 and closed_at is null")?.execute([id.0])?;
    if muted == 1 { Ok(()) } else { Err(Error::Stale) }
}
