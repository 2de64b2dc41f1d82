//! Which jobs are in which incidents.

use punctual_model::alert::Trouble;
use punctual_model::limits;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::facts;
use crate::alert::MemberChange;
use crate::error::Error;
use crate::key::{AlertId, JobId};
use crate::sqlite::open_job;

/// The incident that is open for a trouble of that target and cause. Nothing joins what has happened and was told: nobody would hear
/// of it.
const FIND: &str = "select id from incident
    where alert = ?1 and trouble = ?2 and target = ?3 and cause = ?4 and closed_at is null
        and (told_at is null or trouble not in ('ended', 'operator'))";

const OPEN: &str = "insert into incident (alert, trouble, target, cause, revision, opened_at, look_at)
    select ?1, ?2, ?3, ?4, 1, ?5, ?5 where exists (select 1 from alert where id = ?1)";

/// The incident that a job is in and stays in while it fails at the same target, be it for another reason: a message for each
/// change of reason says nothing to who is told already. One without a target and a cause is that of all others.
const KEPT: &str = "select incident.id from incident_member join incident on incident.id = incident_member.incident
    where job = ?1 and left_at is null and incident_member.alert = ?2 and incident_member.trouble = ?3
        and (target = ?4 and incident_member.trouble in ('failing', 'givenUp') or target = '' and cause = '')";

/// Whether an alert has as many open incidents as it may have, each of a target and cause of its own.
const IS_FULL: &str = "select count(*) >= ?2 from (select 1 from incident
    where alert = ?1 and closed_at is null and (told_at is null or trouble not in ('ended', 'operator'))
        and (target <> '' or cause <> '') limit ?2)";

/// Who was well again and is in trouble again comes back.
const JOIN: &str = "insert into incident_member (incident, job, alert, trouble, joined_at, detail, path)
    values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    on conflict (incident, job) do update set left_at = null, is_well = 0, joined_at = case when left_at is null and trouble <> 'late'
        then joined_at else excluded.joined_at end, detail = excluded.detail";

/// A job is in one incident of an alert and a trouble at most: who joins one leaves the other.
const LEAVE_OTHER: &str = "update incident_member set left_at = ?5, is_well = 0,
        last_failure = coalesce((select started from failing where failing.job = incident_member.job), last_failure)
    where job = ?1 and alert = ?3 and trouble = ?4 and left_at is null and incident <> ?2
    returning incident";

/// `?2` and `?3` are null where all are meant.
const LEAVE: &str = "update incident_member set left_at = ?4, is_well = ?5,
        last_failure = coalesce((select started from failing where failing.job = incident_member.job), last_failure)
    where job = ?1 and left_at is null and (?2 is null or alert = ?2)
        and (?3 is null and trouble in ('failing', 'givenUp') or trouble = ?3)
    returning incident";

/// Jobs get into trouble or out of it.
pub(super) fn change(db: &Connection, changes: &[MemberChange]) -> Result<(), Error> {
    // Who judges a job does so for all alerts that watch it, one after the other.
    let mut known: (JobId, Option<String>) = (JobId(0), None);
    for change in changes {
        match change {
            MemberChange::Join { alert, trouble, job, target, cause, detail, at } => {
                let kept = find_kept(db, *alert, *trouble, *job, target)?;
                let open = || find_or_open(db, *alert, *trouble, target, cause, *at);
                let Some(incident) = kept.map_or_else(open, |id| Ok(Some(id)))? else { continue };
                leave_other(db, *job, incident, *alert, *trouble, *at)?;
                if known.0 != *job {
                    // A job that cannot be read is in trouble of another kind.
                    known = (*job, open_job::path(db, *job).ok().flatten());
                }
                db.prepare_cached(JOIN)?.execute(params![
                    incident,
                    job.0,
                    alert.0,
                    trouble.name(),
                    at.ticks(),
                    detail,
                    known.1
                ])?;
                facts::keep_failure_of(db, *job, incident)?;
            }
            MemberChange::Leave { alert, trouble, job, is_well, at } => {
                leave(db, *job, *alert, *trouble, (*is_well, *at))?;
            }
        }
    }
    Ok(())
}

/// The jobs that are in a trouble, each with its alert.
pub(super) fn list(db: &Connection, trouble: Trouble) -> Result<Vec<(AlertId, JobId)>, Error> {
    let sql = "select alert, job from incident_member where left_at is null and trouble = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([trouble.name()], |row| Ok((AlertId(row.get(0)?), JobId(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The incident that a job stays in.
fn find_kept(
    db: &Connection,
    alert: AlertId,
    trouble: Trouble,
    job: JobId,
    target: &str,
) -> Result<Option<i64>, Error> {
    let key = params![job.0, alert.0, trouble.name(), target];
    Ok(db.prepare_cached(KEPT)?.query_row(key, |row| row.get(0)).optional()?)
}

/// The incident of that target and cause, or that of all others if there are too many; none if the alert is gone.
fn find_or_open(
    db: &Connection,
    alert: AlertId,
    trouble: Trouble,
    target: &str,
    cause: &str,
    at: Timestamp,
) -> Result<Option<i64>, Error> {
    let key = params![alert.0, trouble.name(), target, cause];
    if let Some(found) = db.prepare_cached(FIND)?.query_row(key, |row| row.get(0)).optional()? {
        return Ok(Some(found));
    }
    let is_other = !target.is_empty() || !cause.is_empty();
    if is_other && trouble != Trouble::Operator && is_full(db, alert)? {
        return find_or_open(db, alert, trouble, "", "", at);
    }
    let opened = db.prepare_cached(OPEN)?.execute(params![alert.0, trouble.name(), target, cause, at.ticks()])?;
    Ok((opened == 1).then(|| db.last_insert_rowid()))
}

fn is_full(db: &Connection, alert: AlertId) -> Result<bool, Error> {
    Ok(db.prepare_cached(IS_FULL)?.query_row(params![alert.0, limits::OPEN_INCIDENTS_MAX], |row| row.get(0))?)
}

/// A job that joins an incident leaves the one that it was in. How it failed there is known: it fails in another way by now.
fn leave_other(
    db: &Connection,
    job: JobId,
    joined: i64,
    alert: AlertId,
    trouble: Trouble,
    at: Timestamp,
) -> Result<(), Error> {
    let mut statement = db.prepare_cached(LEAVE_OTHER)?;
    let values = params![job.0, joined, alert.0, trouble.name(), at.ticks()];
    let left: Vec<i64> = statement.query_map(values, |row| row.get(0))?.collect::<Result<_, _>>()?;
    look_at(db, left)
}

/// A job leaves the incidents that it is in.
fn leave(
    db: &Connection,
    job: JobId,
    alert: Option<AlertId>,
    trouble: Option<Trouble>,
    (is_well, at): (bool, Timestamp),
) -> Result<(), Error> {
    facts::keep_failure(db, job)?;
    let mut statement = db.prepare_cached(LEAVE)?;
    let (alert, trouble) = (alert.map(|alert| alert.0), trouble.map(Trouble::name));
    let values = params![job.0, alert, trouble, at.ticks(), is_well];
    let left: Vec<i64> = statement.query_map(values, |row| row.get(0))?.collect::<Result<_, _>>()?;
    look_at(db, left)
}

/// Has incidents looked at that jobs have left.
fn look_at(db: &Connection, incidents: Vec<i64>) -> Result<(), Error> {
    let mut look = db.prepare_cached("update incident set look_at = 0, revision = revision + 1 where id = ?1")?;
    incidents.into_iter().try_for_each(|incident| look.execute([incident]).map(drop))?;
    Ok(())
}
