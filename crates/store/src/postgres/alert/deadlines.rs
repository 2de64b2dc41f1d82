//! Deadlines: when a job is to be looked at on behalf of an alert, whatever happens to it meanwhile.

use punctual_model::alert::{Alert, Trouble};
use punctual_model::time::Timestamp;

use super::incidents;
use crate::alert::{Deadline, DeadlineEntry};
use crate::columns::alert::alerts::scope_names;
use crate::columns::alert::deadlines::{BY_CLOCK, read_deadline};
use crate::damage::Damage;
use crate::key::{AlertId, JobId};
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;
use crate::postgres::paths::path;
use crate::postgres::values::ticks;

/// The jobs that an alert watches, by the names of its scope.
pub(super) const WATCHED: &str = "select job.id from job join collection on collection.id = job.collection
    where collection.id <> 0 and deleted_at is null and ($2::text is null or subscription = $2)
        and ($3::text is null or resource_group = $3) and ($4::text is null or collection.name = $4)
        and ($5::text is null or job.name = $5)";

/// A job is to be looked at by all alerts that watch it. What was expected of it is still expected.
const WATCH_JOB: &str = "insert into deadline (alert, trouble, job, due_at)
    select alert.id, trouble, job.id, $2 from job join collection on collection.id = job.collection
    join alert on (alert.subscription is null or alert.subscription = collection.subscription)
        and (alert.resource_group is null or alert.resource_group = collection.resource_group)
        and (alert.collection is null or alert.collection = collection.name)
        and (alert.job is null or alert.job = job.name)
    cross join unnest(alert.by_clock) as trouble
    where job.id = $1
    order by alert.id, trouble
    on conflict (alert, trouble, job) do update set due_at = excluded.due_at";

/// Sets the deadlines of an alert that was written: all jobs that it watches are looked at.
pub(super) async fn watch(db: &Db, id: AlertId, alert: &Alert, now: Timestamp) -> Result<(), Fault> {
    let [subscription, group, collection, job] = scope_names(alert);
    let unwatch = format!("delete from deadline where alert = $1 and deadline.job not in ({WATCHED})");
    db.execute(&unwatch, &[&id.0, &subscription, &group, &collection, &job]).await?;
    let watch = format!(
        "insert into deadline (job, alert, trouble, due_at) select id, $1, $6, $7 from ({WATCHED}) as watched order by id
         on conflict (alert, trouble, job) do update set due_at = excluded.due_at"
    );
    for trouble in BY_CLOCK {
        let name = trouble.name();
        if alert.conditions.has(trouble) {
            db.execute(&watch, &[&id.0, &subscription, &group, &collection, &job, &name, &now.ticks()]).await?;
        } else {
            db.execute("delete from deadline where alert = $1 and trouble = $2", &[&id.0, &name]).await?;
        }
    }
    Ok(())
}

/// Sets the deadlines of a job that was written.
pub(in crate::postgres) async fn watch_job(db: &Db, job: JobId, now: Timestamp) -> Result<(), Fault> {
    db.execute(WATCH_JOB, &[&job.0, &now.ticks()]).await?;
    Ok(())
}

/// Forgets the deadlines of a job that is gone.
pub(super) async fn forget_job(db: &Db, job: JobId) -> Result<(), Fault> {
    db.execute("delete from deadline where job = $1", &[&job.0]).await?;
    Ok(())
}

/// Deadlines that have come.
pub(super) async fn due(db: &Db, now: Timestamp, limit: usize, damage: &Damage) -> Result<Vec<DeadlineEntry>, Fault> {
    let sql =
        "select deadline.alert, trouble, deadline.job, due_at, expected, target, last_started, last_success, since,
            expires_at
        from deadline join job on job.id = deadline.job join work on work.id = job.id
        where due_at <= $1 order by due_at, deadline.job limit $2";
    let rows = db.rows(sql, &[&now.ticks(), &count(limit)]).await?;
    let mut entries = Vec::new();
    for row in &rows {
        let Some(mut entry) = damage.sieve(read_deadline(row))? else { continue };
        let Deadline { alert, trouble, job, .. } = entry.deadline;
        entry.path = match path(db, job).await {
            Err(Fault::Final(error)) if error.is_of_one_record() => {
                damage.note(&error);
                continue;
            }
            path => path?.unwrap_or_else(|| "".into()),
        };
        entry.cause = incidents::cause_of(db, alert, trouble, job).await?;
        entries.push(entry);
    }
    Ok(entries)
}

/// Sets when jobs are looked at next, as far as they are still watched.
pub(super) async fn set(db: &Db, deadlines: &[Deadline]) -> Result<(), Fault> {
    if deadlines.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = deadlines.iter().map(|deadline| Trouble::name(deadline.trouble)).collect();
    db.execute(
        "update deadline set due_at = new.due_at, expected = new.expected
         from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
             as new (alert, trouble, job, due_at, expected)
         where deadline.alert = new.alert and deadline.trouble = new.trouble and deadline.job = new.job",
        &[
            &deadlines.iter().map(|deadline| deadline.alert.0).collect::<Vec<_>>(),
            &names,
            &deadlines.iter().map(|deadline| deadline.job.0).collect::<Vec<_>>(),
            &deadlines.iter().map(|deadline| deadline.due_at.ticks()).collect::<Vec<_>>(),
            &deadlines.iter().map(|deadline| ticks(deadline.expected)).collect::<Vec<_>>(),
        ],
    )
    .await?;
    Ok(())
}
