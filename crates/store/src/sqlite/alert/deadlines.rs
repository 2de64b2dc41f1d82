//! Deadlines: when a job is to be looked at on behalf of an alert, whatever happens to it meanwhile.

use punctual_model::alert::Alert;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, Row, params};

use super::{alerts, incidents};
use crate::alert::{Deadline, DeadlineEntry};
use crate::columns::alert::deadlines::{BY_CLOCK, read_deadline};
use crate::error::Error;
use crate::key::{AlertId, JobId};
use crate::sqlite::damage::Damage;
use crate::sqlite::open_job;

/// The jobs that an alert watches, by the names of its scope.
pub(super) const WATCHED: &str = "select job.id from job join collection on collection.id = job.collection
    where collection.id <> 0 and deleted_at is null and (?2 is null or subscription = ?2)
        and (?3 is null or resource_group = ?3) and (?4 is null or collection.name = ?4) and (?5 is null or job.name = ?5)";

/// A job is to be looked at by all alerts that watch it. What was expected of it is still expected.
const WATCH_JOB: &str = "insert into deadline (alert, trouble, job, due_at)
    select alert.id, ?2, job.id, ?3 from job join collection on collection.id = job.collection
    join alert on (alert.subscription is null or alert.subscription = collection.subscription)
        and (alert.resource_group is null or alert.resource_group = collection.resource_group)
        and (alert.collection is null or alert.collection = collection.name)
        and (alert.job is null or alert.job = job.name) and json_extract(alert.record, '$.' || ?2) is not null
    where job.id = ?1
    on conflict (alert, trouble, job) do update set due_at = excluded.due_at";

/// Sets the deadlines of an alert that was written: all jobs that it watches are looked at.
pub(super) fn watch(db: &Connection, id: AlertId, alert: &Alert, now: Timestamp) -> Result<(), Error> {
    let [subscription, group, collection, job] = alerts::scope_names(alert);
    let unwatch = format!("delete from deadline where alert = ?1 and job not in ({WATCHED})");
    db.prepare_cached(&unwatch)?.execute(params![id.0, subscription, group, collection, job])?;
    let watch = format!(
        "insert into deadline (job, alert, trouble, due_at) select id, ?1, ?6, ?7 from ({WATCHED}) where true
         on conflict (alert, trouble, job) do update set due_at = excluded.due_at"
    );
    for trouble in BY_CLOCK {
        if alert.conditions.has(trouble) {
            let values = params![id.0, subscription, group, collection, job, trouble.name(), now.ticks()];
            db.prepare_cached(&watch)?.execute(values)?;
        } else {
            let unwatch = "delete from deadline where alert = ?1 and trouble = ?2";
            db.prepare_cached(unwatch)?.execute(params![id.0, trouble.name()])?;
        }
    }
    Ok(())
}

/// Sets the deadlines of a job that was written.
pub(in crate::sqlite) fn watch_job(db: &Connection, job: JobId, now: Timestamp) -> Result<(), Error> {
    if !db.prepare_cached("select 1 from alert limit 1")?.exists([])? {
        return Ok(());
    }
    for trouble in BY_CLOCK {
        db.prepare_cached(WATCH_JOB)?.execute(params![job.0, trouble.name(), now.ticks()])?;
    }
    Ok(())
}

/// Deadlines that have come.
pub(super) fn due(db: &Connection, now: Timestamp, limit: usize, damage: &Damage) -> Result<Vec<DeadlineEntry>, Error> {
    let mut statement = db.prepare_cached(
        "select deadline.alert, trouble, deadline.job, due_at, expected, target, last_started, last_success, since,
             expires_at
         from deadline join job on job.id = deadline.job join work on work.id = job.id
         where due_at <= ?1 order by due_at limit ?2",
    )?;
    let rows = statement.query(params![now.ticks(), limit])?;
    damage.read_page(rows, limit, |row| read(db, row))
}

fn read(db: &Connection, row: &Row<'_>) -> Result<DeadlineEntry, Error> {
    let mut entry = read_deadline(row)?;
    let Deadline { alert, trouble, job, .. } = entry.deadline;
    entry.path = open_job::path(db, job)?.unwrap_or_default().into();
    entry.cause = incidents::cause_of(db, alert, trouble, job)?;
    Ok(entry)
}

/// Sets when jobs are looked at next, as far as they are still watched.
pub(super) fn set(db: &Connection, deadlines: &[Deadline]) -> Result<(), Error> {
    let mut statement = db.prepare_cached(
        "update deadline set due_at = ?4, expected = ?5 where alert = ?1 and trouble = ?2 and job = ?3",
    )?;
    for Deadline { alert, trouble, job, due_at, expected } in deadlines {
        let expected = expected.map(Timestamp::ticks);
        statement.execute(params![alert.0, trouble.name(), job.0, due_at.ticks(), expected])?;
    }
    Ok(())
}
