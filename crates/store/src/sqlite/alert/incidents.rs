//! Incidents: when they are looked at, and what is known of them.

use punctual_model::alert::Trouble;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::alert::{DeliveryWrite, IncidentEntry, IncidentPage, IncidentWrite, Mute};
use crate::columns::alert::incidents::{read_incident, read_members};
use crate::error::Error;
use crate::key::{AlertId, IncidentId, JobId};
use crate::sqlite::cells::Cells;

const SELECT: &str = "select incident.id, incident.revision, alert, trouble, target, cause, opened_at, told_at,
        last_told_at, incident.muted_until, incident.muted_by, alert.muted_until, closed_at,
        well_since
    from incident join alert on alert.id = incident.alert";

/// How many jobs of an incident are in trouble, well again and gone; when one of them last failed and was last well; when
/// one of those in trouble is due.
const MEMBERS: &str =
    "select count(*) filter (where left_at is null), count(*) filter (where left_at is not null and is_well),
        count(*) filter (where left_at is not null and not is_well),
        max(coalesce((select started from failing where failing.job = incident_member.job), last_failure)),
        max(joined_at), max(left_at) filter (where is_well),
        max(last_success) filter (where left_at is not null and is_well),
        min(wake_at) filter (where left_at is null)
    from incident_member left join work on work.id = incident_member.job where incident = ?1";

/// Incidents, the latest first.
pub(super) fn list(db: &Connection, page: &IncidentPage) -> Result<Vec<IncidentEntry>, Error> {
    let sql = format!(
        "{SELECT} where (?1 is null or alert = ?1) and (?2 is null or (closed_at is null) = ?2) and incident.id < ?3
         order by incident.id desc limit ?4"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let before = page.before.map_or(i64::MAX, |before| before.0);
    let values = params![page.alert.map(|alert| alert.0), page.is_open, before, page.limit];
    let rows = statement.query_and_then(values, |row| read(db, row))?;
    rows.collect()
}

/// Incidents that are to be looked at by now. Alerts take turns: one with thousands of incidents holds up itself alone.
pub(super) fn to_look_at(db: &Connection, now: Timestamp, limit: usize) -> Result<Vec<IncidentEntry>, Error> {
    let sql = format!(
        "{SELECT} join (
             select id as due, row_number() over (partition by alert order by look_at, id) as turn
             from incident where closed_at is null and look_at <= ?1
         ) on due = incident.id
         order by turn, look_at limit ?2"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_and_then(params![now.ticks(), limit], |row| read(db, row))?;
    rows.collect()
}

fn read(db: &Connection, row: &Row<'_>) -> Result<IncidentEntry, Error> {
    let id = IncidentId(Cells::of(row).next()?);
    let members = db.prepare_cached(MEMBERS)?.query_row([id.0], |row| Ok(read_members(&mut Cells::of(row))))??;
    read_incident(row, members)
}

/// Writes what is done about an incident.
pub(super) fn step(db: &Connection, write: &IncidentWrite) -> Result<(), Error> {
    let ticks = |at: Option<Timestamp>| at.map(Timestamp::ticks);
    let updated = db
        .prepare_cached(
            "update incident set revision = revision + 1, told_at = ?3, last_told_at = ?4, look_at = ?5, closed_at = ?6,
                 well_since = ?7
             where id = ?1 and revision = ?2 and closed_at is null",
        )?
        .execute(params![
            write.id.0,
            write.revision.0,
            ticks(write.told_at),
            ticks(write.last_told_at),
            ticks(write.look_at),
            ticks(write.closed_at),
            ticks(write.well_since)
        ])?;
    if updated == 0 {
        return Err(Error::Stale);
    }
    write.closed_at.map_or(Ok(()), |closed_at| release_members(db, write.id, closed_at))
}

pub(super) fn mute(db: &Connection, id: IncidentId, mute: Option<&Mute>) -> Result<(), Error> {
    let muted = db
        .prepare_cached(
            "update incident set muted_until = ?2, muted_by = ?3, look_at = 0, revision = revision + 1
             where id = ?1 and closed_at is null",
        )?
        .execute(params![id.0, mute.map(|mute| mute.until.ticks()), mute.map(|mute| &mute.by)])?;
    if muted == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// The end of an incident is told to a receiver that the alert has left. If the incident lasts, the new one is told of it.
pub(super) fn leave_receiver(db: &Connection, last: &DeliveryWrite) -> Result<(), Error> {
    let Some(incident) = last.incident else { return Ok(()) };
    let closed = db
        .prepare_cached(
            "update incident set closed_at = ?2, look_at = null, revision = revision + 1
             where id = ?1 and closed_at is null and (trouble in ('ended', 'operator')
                 or not exists (select 1 from incident_member where incident = ?1 and left_at is null))",
        )?
        .execute([incident.0, last.at.ticks()])?;
    if closed == 1 {
        return release_members(db, incident, last.at);
    }
    db.prepare_cached(
        "update incident set told_at = null, last_told_at = null, look_at = 0, revision = revision + 1
         where id = ?1 and closed_at is null",
    )?
    .execute([incident.0])?;
    Ok(())
}

/// Who is in no open incident is told of at the next failure.
fn release_members(db: &Connection, id: IncidentId, at: Timestamp) -> Result<(), Error> {
    let sql = "update incident_member set left_at = ?2 where incident = ?1 and left_at is null";
    db.prepare_cached(sql)?.execute([id.0, at.ticks()])?;
    Ok(())
}

/// Forgets some incidents that were over before that instant, with their messages. Says how many.
pub(super) fn forget(db: &Connection, before: Timestamp, limit: usize) -> Result<usize, Error> {
    let mut statement = db.prepare_cached("select id from incident where closed_at < ?1 limit ?2")?;
    let rows = statement.query_map(params![before.ticks(), limit], |row| row.get(0))?;
    let ids: Vec<i64> = rows.collect::<Result<_, _>>()?;
    for id in &ids {
        db.prepare_cached("delete from incident_member where incident = ?1")?.execute([id])?;
        db.prepare_cached("delete from incident where id = ?1")?.execute([id])?;
    }
    let deliveries = db
        .prepare_cached(
            "delete from delivery where id in (select id from delivery where ended_at < ?1 order by id limit ?2)",
        )?
        .execute(params![before.ticks(), limit])?;
    Ok(ids.len() + deliveries)
}

/// The cause of the incident of an alert and a trouble that is about a job; none if none is.
pub(super) fn cause_of(db: &Connection, alert: AlertId, trouble: Trouble, job: JobId) -> Result<Option<String>, Error> {
    let mut statement = db.prepare_cached(
        "select cause from incident_member join incident on incident.id = incident_member.incident
         where job = ?1 and left_at is null and incident_member.alert = ?2 and incident_member.trouble = ?3",
    )?;
    Ok(statement.query_row(params![job.0, alert.0, trouble.name()], |row| row.get(0)).optional()?)
}
