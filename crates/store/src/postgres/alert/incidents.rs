//! Incidents: when they are looked at, and what is known of them.

use punctual_model::alert::Trouble;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use crate::alert::{DeliveryWrite, IncidentEntry, IncidentPage, IncidentWrite, Mute};
use crate::cells::Cells;
use crate::columns::alert::incidents::{read_incident, read_members};
use crate::error::Error;
use crate::key::{AlertId, IncidentId, JobId};
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;
use crate::postgres::values::{plain, ticks};

/// An incident. Behind it stands how many of its jobs are in trouble, well again and gone; when one of them last failed, last
/// joined and was last well; when one of those in trouble is due.
const SELECT: &str = "select incident.id, incident.revision, incident.alert, trouble, target, cause, opened_at, told_at,
        last_told_at, incident.muted_until, incident.muted_by, alert.muted_until, closed_at,
        well_since, members.troubled, members.well, members.gone, members.last_failure, members.last_joined, members.last_well,
        members.last_success, members.next_attempt
    from incident join alert on alert.id = incident.alert
    cross join lateral (
        select count(*) filter (where left_at is null) as troubled,
            count(*) filter (where left_at is not null and is_well) as well,
            count(*) filter (where left_at is not null and not is_well) as gone,
            max(coalesce((select started from failing where failing.job = incident_member.job), last_failure)) as last_failure,
            max(joined_at) as last_joined, max(left_at) filter (where is_well) as last_well,
            max(last_success) filter (where left_at is not null and is_well) as last_success,
            min(wake_at) filter (where left_at is null) as next_attempt
        from incident_member left join work on work.id = incident_member.job
        where incident_member.incident = incident.id
    ) as members";

/// How many columns stand before those of the members.
const MEMBERS_AT: usize = 14;

/// Incidents, the latest first.
pub(super) async fn list(db: &Db, page: &IncidentPage) -> Result<Vec<IncidentEntry>, Fault> {
    let sql = format!(
        "{SELECT} where ($1::bigint is null or incident.alert = $1) and ($2::boolean is null or (closed_at is null) = $2)
             and incident.id < $3
         order by incident.id desc limit $4"
    );
    let before = page.before.map_or(i64::MAX, |before| before.0);
    let alert = page.alert.map(|alert| alert.0);
    read_all(&db.rows(&sql, &[&alert, &page.is_open, &before, &count(page.limit)]).await?)
}

/// Incidents that are to be looked at by now. Alerts take turns: one with thousands of incidents holds up itself alone.
pub(super) async fn to_look_at(db: &Db, now: Timestamp, limit: usize) -> Result<Vec<IncidentEntry>, Fault> {
    let sql = format!(
        "{SELECT} join (
             select id as due, row_number() over (partition by alert order by look_at, id) as turn
             from incident where closed_at is null and look_at <= $1
         ) as turns on due = incident.id
         order by turn, look_at, incident.id limit $2"
    );
    read_all(&db.rows(&sql, &[&now.ticks(), &count(limit)]).await?)
}

fn read_all(rows: &[Row]) -> Result<Vec<IncidentEntry>, Fault> {
    let read = |row: &Row| {
        let mut members = Cells::of(row);
        members.skip(MEMBERS_AT);
        read_incident(row, read_members(&mut members)?)
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// Writes what is done about an incident.
pub(super) async fn step(db: &Db, write: &IncidentWrite) -> Result<(), Fault> {
    let updated = db
        .execute(
            "update incident set revision = revision + 1, told_at = $3, last_told_at = $4, look_at = $5, closed_at = $6,
                 well_since = $7
             where id = $1 and revision = $2 and closed_at is null",
            &[
                &write.id.0,
                &write.revision.0,
                &ticks(write.told_at),
                &ticks(write.last_told_at),
                &ticks(write.look_at),
                &ticks(write.closed_at),
                &ticks(write.well_since),
            ],
        )
        .await?;
    if updated == 0 {
        return Err(Error::Stale.into());
    }
    match write.closed_at {
        Some(closed_at) => release_members(db, write.id, closed_at).await,
        None => Ok(()),
    }
}

pub(super) async fn mute(db: &Db, id: IncidentId, mute: Option<&Mute>) -> Result<(), Fault> {
    let sql = "update incident set muted_until = $2, muted_by = $3, look_at = 0, revision = revision + 1
        where id = $1 and closed_at is null";
    let (until, by) = (mute.map(|mute| mute.until.ticks()), mute.map(|mute| plain(&mute.by)));
    let muted = db.execute(sql, &[&id.0, &until, &by]).await?;
    if muted == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// The end of an incident is told to a receiver that the alert has left. If the incident lasts, the new one is told of it.
pub(super) async fn leave_receiver(db: &Db, last: &DeliveryWrite) -> Result<(), Fault> {
    let Some(incident) = last.incident else { return Ok(()) };
    let sql = "update incident set closed_at = $2, look_at = null, revision = revision + 1
        where id = $1 and closed_at is null and (trouble in ('ended', 'operator')
            or not exists (select 1 from incident_member where incident = $1 and left_at is null))";
    if db.execute(sql, &[&incident.0, &last.at.ticks()]).await? == 1 {
        return release_members(db, incident, last.at).await;
    }
    let sql = "update incident set told_at = null, last_told_at = null, look_at = 0, revision = revision + 1
        where id = $1 and closed_at is null";
    db.execute(sql, &[&incident.0]).await?;
    Ok(())
}

/// Who is in no open incident is told of at the next failure.
async fn release_members(db: &Db, id: IncidentId, at: Timestamp) -> Result<(), Fault> {
    let sql = "update incident_member set left_at = $2 where incident = $1 and left_at is null";
    db.execute(sql, &[&id.0, &at.ticks()]).await?;
    Ok(())
}

/// Forgets some incidents that were over before that instant, with their messages. Says how many.
pub(super) async fn forget(db: &Db, before: Timestamp, limit: usize) -> Result<usize, Fault> {
    let sql = "select id from incident where closed_at < $1 order by id limit $2 for update";
    let rows = db.rows(sql, &[&before.ticks(), &count(limit)]).await?;
    let ids: Vec<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    db.execute("delete from incident_member where incident = any($1)", &[&ids]).await?;
    db.execute("delete from incident where id = any($1)", &[&ids]).await?;
    let sql = "delete from delivery where id in (select id from delivery where ended_at < $1 order by id limit $2)";
    let deliveries = db.execute(sql, &[&before.ticks(), &count(limit)]).await?;
    Ok(ids.len() + usize::try_from(deliveries).unwrap_or(usize::MAX))
}

/// The cause of the incident of an alert and a trouble that is about a job; none if none is.
pub(super) async fn cause_of(db: &Db, alert: AlertId, trouble: Trouble, job: JobId) -> Result<Option<String>, Fault> {
    let sql = "select cause from incident_member join incident on incident.id = incident_member.incident
        where job = $1 and left_at is null and incident_member.alert = $2 and incident_member.trouble = $3";
    let row = db.row(sql, &[&job.0, &alert.0, &trouble.name()]).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?)
}

/// Has the incident of a message told as if nothing had been told of it.
pub(super) async fn retell(db: &Db, delivery: i64) -> Result<(), Fault> {
    let sql = "update incident set told_at = null, last_told_at = null, look_at = 0, revision = revision + 1
        where id = (select incident from delivery where id = $1) and closed_at is null";
    db.execute(sql, &[&delivery]).await?;
    Ok(())
}
