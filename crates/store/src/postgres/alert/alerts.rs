//! Alerts: what they watch, and what they do to tell.

use punctual_model::Name;
use punctual_model::alert::{Alert, Trouble};
use punctual_model::event::Edit;
use punctual_model::job::Uid;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::{deadlines, signals};
use crate::alert::{AlertEntry, AlertSource, AlertWrite, FoundAlert, Mute};
use crate::cells::Cells;
use crate::change::Stamp;
use crate::columns::alert::alerts::{AlertColumns, kept_action, read, read_found, rooms, scope_names};
use crate::columns::alert::deadlines::BY_CLOCK;
use crate::columns::change::KeptAlert;
use crate::columns::job::read_name;
use crate::damage::Damage;
use crate::error::Error;
use crate::key::{AlertId, JobId, Revision};
use crate::postgres::change::NewChange;
use crate::postgres::db::Db;
use crate::postgres::error::Fault;
use crate::postgres::job;
use crate::postgres::values::{number, plain};
use crate::postgres::write::WriteTx;
use crate::seal::Keyring;

const SELECT: &str = "select name, name_written, id, revision, uid, record, action, muted_until, muted_by, changed_at,
    changed_by, request from alert";

/// Messages on their way that go with their alert: all but the end of an incident for a receiver that keeps it open otherwise.
const DROPPED: &str = "ended_at is null and not (kind = 'recovered' and form in ('pagerDuty', 'alertmanager'))";

pub(super) async fn get(db: &Db, keyring: &Keyring, name: &Name) -> Result<Option<AlertEntry>, Fault> {
    let row = db.row(&format!("{SELECT} where name = $1"), &[&name.folded()]).await?;
    Ok(row.map(|row| read(&row, keyring)).transpose()?)
}

/// What is known of the alert of that name, whether its records can be read or not.
pub(super) async fn find(db: &Db, name: &Name) -> Result<Option<FoundAlert>, Fault> {
    let sql = "select id, revision, subscription, resource_group, collection from alert where name = $1";
    let row = db.row(sql, &[&name.folded()]).await?;
    let found = row.map(|row| read_found(&row)).transpose();
    Ok(found.map_err(|error| error.about(format_args!("the alert {name}")))?)
}

/// A number that is another one after each write of an alert.
pub(super) async fn version(db: &Db) -> Result<i64, Fault> {
    let row = db.row("select value from meta where name = 'alert_writes'", &[]).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?.unwrap_or(0))
}

async fn count_write(db: &Db) -> Result<(), Fault> {
    let sql = "insert into meta (name, value) values ('alert_writes', 1)
        on conflict (name) do update set value = meta.value + 1";
    db.execute(sql, &[]).await?;
    Ok(())
}

/// The records of the alert that is to be written, as they are stored; none if it is new, or gone.
pub(super) async fn records(db: &Db, source: &AlertSource) -> Result<Option<(String, Vec<u8>)>, Fault> {
    let AlertSource::Edited { id, .. } = source else { return Ok(None) };
    let row = db.row("select record, action from alert where id = $1", &[&id.0]).await?;
    let read = |row: Row| {
        let mut cells = Cells::of(&row);
        Ok::<_, Error>((cells.next_text()?.to_owned(), cells.next_blob()?.to_vec()))
    };
    Ok(row.map(read).transpose()?)
}

pub(super) async fn list(db: &Db, keyring: &Keyring, damage: &Damage) -> Result<Vec<AlertEntry>, Fault> {
    db.read_page(&format!("{SELECT} order by name"), &[], usize::MAX, damage, |row| read(row, keyring)).await
}

pub(super) async fn put(tx: &mut WriteTx, write: &AlertWrite, columns: &AlertColumns) -> Result<(), Fault> {
    tx.take_time().await?;
    // Who counts the alerts is alone.
    if write.scope_limits.is_some() || matches!(write.source, AlertSource::New { .. }) {
        tx.lock("alerts").await?;
    }
    let id = match write.source {
        AlertSource::New { uid, alerts_max } => {
            let id = insert(tx, uid, write, columns).await?;
            let count: i64 = Cells::of(&tx.one("select count(*) from alert", &[]).await?).next()?;
            if count > i64::from(alerts_max) {
                return Err(Error::Full { max: alerts_max }.into());
            }
            id
        }
        AlertSource::Edited { id, revision, .. } => {
            update(tx, id, revision, write, columns).await?;
            leave_unwatched(tx, id, &write.alert, write.stamp.at).await?;
            id
        }
    };
    require_room(tx, write).await?;
    count_write(tx).await?;
    signals::of_failing(tx, &write.alert, write.stamp.at).await?;
    deadlines::watch(tx, id, &write.alert, write.stamp.at).await
}

/// Refuses one alert more than there may be. The alert itself is there already.
async fn require_room(db: &Db, write: &AlertWrite) -> Result<(), Fault> {
    let [subscription, ..] = scope_names(&write.alert);
    for (group, collection, max) in rooms(write) {
        let sql = "select count(*) from alert where subscription = $1 and ($2::text is null or resource_group = $2)
            and ($3::text is null or collection = $3)";
        let number: i64 = Cells::of(&db.one(sql, &[&subscription, &group, &collection]).await?).next()?;
        if number > i64::from(max) {
            return Err(Error::Full { max }.into());
        }
    }
    Ok(())
}

/// Notes in the log of changes that an alert was made or changed.
pub(super) fn note_written(tx: &mut WriteTx, write: &AlertWrite, columns: &AlertColumns, written: &AlertEntry) {
    let kept = KeptAlert::of(columns, written);
    tx.changes.push(NewChange::of_alert(&written.name, &write.stamp, write.source.edit(), &kept));
}

/// The troubles that an alert tells of and the clock judges.
pub(in super::super) fn by_clock(alert: &Alert) -> Vec<&'static str> {
    BY_CLOCK.into_iter().filter(|trouble| alert.conditions.has(*trouble)).map(Trouble::name).collect()
}

async fn insert(db: &Db, uid: Uid, write: &AlertWrite, columns: &AlertColumns) -> Result<AlertId, Fault> {
    let name = &write.name;
    let name_written = Some(name.as_str()).filter(|written| *written != name.folded());
    let [subscription, group, collection, job] = scope_names(&write.alert);
    let row = db
        .row(
            "insert into alert (name, name_written, uid, revision, subscription, resource_group, collection, job, record,
                 action, failing_after, late_after, tells_ended, changed_at, changed_by, request, by_clock)
             values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
             on conflict (name) do nothing returning id",
            &[
                &name.folded(),
                &name_written,
                &uid.bytes().as_slice(),
                &subscription,
                &group,
                &collection,
                &job,
                &columns.record,
                &columns.action,
                &columns.failing_after.map(number),
                &columns.late_after,
                &write.alert.conditions.ended,
                &write.stamp.at.ticks(),
                &plain(&write.stamp.who),
                &plain(&write.stamp.request_id),
                &by_clock(&write.alert),
            ],
        )
        .await?;
    let row = row.ok_or(Error::Stale)?;
    Ok(AlertId(Cells::of(&row).next()?))
}

async fn update(
    db: &Db,
    id: AlertId,
    revision: Revision,
    write: &AlertWrite,
    columns: &AlertColumns,
) -> Result<(), Fault> {
    let [subscription, group, collection, job] = scope_names(&write.alert);
    let updated = db
        .execute(
            "update alert set revision = revision + 1, subscription = $3, resource_group = $4, collection = $5, job = $6,
                 record = $7, action = $8, failing_after = $9, late_after = $10, tells_ended = $11, changed_at = $12,
                 changed_by = $13, request = $14, by_clock = $15
             where id = $1 and revision = $2",
            &[
                &id.0,
                &revision.0,
                &subscription,
                &group,
                &collection,
                &job,
                &columns.record,
                &columns.action,
                &columns.failing_after.map(number),
                &columns.late_after,
                &write.alert.conditions.ended,
                &write.stamp.at.ticks(),
                &plain(&write.stamp.who),
                &plain(&write.stamp.request_id),
                &by_clock(&write.alert),
            ],
        )
        .await?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Jobs leave the incidents of troubles that an edited alert does not tell of any more, and those that it does not watch any
/// more leave all of them.
async fn leave_unwatched(db: &Db, id: AlertId, alert: &Alert, now: Timestamp) -> Result<(), Fault> {
    let told: Vec<&str> =
        Trouble::ALL.into_iter().filter(|trouble| alert.conditions.has(*trouble)).map(Trouble::name).collect();
    db.execute(
        "update incident_member set left_at = $3, is_well = false
         where incident in (select id from incident where alert = $1 and closed_at is null)
             and left_at is null and trouble <> all($2::text[])",
        &[&id.0, &told, &now.ticks()],
    )
    .await?;
    let [subscription, group, collection, job] = scope_names(alert);
    db.execute(
        &format!(
            "update incident_member set left_at = $6, is_well = false
             where incident in (select id from incident where alert = $1 and closed_at is null)
                 and left_at is null and incident_member.job > 0 and incident_member.job not in ({})",
            deadlines::WATCHED
        ),
        &[&id.0, &subscription, &group, &collection, &job, &now.ticks()],
    )
    .await?;
    let look = "update incident set look_at = $2, revision = revision + 1 where alert = $1 and closed_at is null";
    db.execute(look, &[&id.0, &now.ticks()]).await?;
    Ok(())
}

pub(super) async fn delete(tx: &mut WriteTx, id: AlertId, revision: Revision, stamp: &Stamp) -> Result<(), Fault> {
    tx.take_time().await?;
    let sql = "delete from alert where id = $1 and revision = $2 returning name, name_written";
    let deleted = tx.row(sql, &[&id.0, &revision.0]).await?.ok_or(Error::Stale)?;
    let name = read_name(&mut Cells::of(&deleted))?;
    count_write(tx).await?;
    tx.changes.push(NewChange::deleted_alert(&name, stamp));
    let rows =
        tx.rows(&format!("select job from delivery where alert = $1 and {DROPPED} order by job"), &[&id.0]).await?;
    for row in &rows {
        let job = Cells::of(row).next()?;
        job::remove_own(tx, JobId(job)).await?;
    }
    let members = "delete from incident_member where incident in (select id from incident where alert = $1)";
    tx.execute(members, &[&id.0]).await?;
    let deliveries = format!("delete from delivery where alert = $1 and (ended_at is not null or {DROPPED})");
    tx.execute(&deliveries, &[&id.0]).await?;
    for table in ["incident", "deadline"] {
        tx.execute(&format!("delete from {table} where alert = $1"), &[&id.0]).await?;
    }
    Ok(())
}

pub(super) async fn mute(
    tx: &mut WriteTx,
    keyring: &Keyring,
    id: AlertId,
    mute: Option<&Mute>,
    stamp: &Stamp,
) -> Result<(), Fault> {
    let row = tx.row(&format!("{SELECT} where id = $1 for update"), &[&id.0]).await?.ok_or(Error::Stale)?;
    let entry = read(&row, keyring)?;
    let (until, by) = (mute.map(|mute| mute.until.ticks()), mute.map(|mute| plain(&mute.by)));
    let sql = "update alert set muted_until = $2, muted_by = $3 where id = $1 returning record";
    let muted = tx.one(sql, &[&id.0, &until, &by]).await?;
    count_write(tx).await?;
    // Who speaks again has to look at what was held back.
    tx.execute("update incident set look_at = 0 where alert = $1 and closed_at is null", &[&id.0]).await?;
    if mute.is_none() && entry.mute.is_none() {
        return Ok(());
    }
    let edit = if mute.is_some() { Edit::Muted } else { Edit::Unmuted };
    let (action, muted_until) = (kept_action(&entry.action, entry.uid, keyring)?, mute.map(|mute| mute.until));
    let kept = KeptAlert { uid: entry.uid, record: Cells::of(&muted).next_text()?, action: &action, muted_until };
    tx.changes.push(NewChange::of_alert(&entry.name, stamp, edit, &kept));
    Ok(())
}
