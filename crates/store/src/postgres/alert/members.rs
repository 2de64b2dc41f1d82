//! Which jobs are in which incidents.

use punctual_model::alert::Trouble;
use punctual_model::limits;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::facts;
use crate::alert::MemberChange;
use crate::cells::Cells;
use crate::error::Error;
use crate::key::{AlertId, JobId};
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;
use crate::postgres::paths::{Paths, paths};
use crate::postgres::values::plain;

/// The incident that is open for a trouble of that target and cause. Nothing joins what has happened and was told: nobody would hear
/// of it.
const FIND: &str = "select id from incident
    where alert = $1 and trouble = $2 and target = $3 and cause = $4 and closed_at is null
        and (told_at is null or trouble not in ('ended', 'operator')) for update";

const OPEN: &str = "insert into incident (alert, trouble, target, cause, revision, opened_at, look_at)
    select $1, $2, $3, $4, 1, $5, $5 where exists (select 1 from alert where id = $1)
    on conflict do nothing returning id";

/// The incident that a job is in and stays in while it fails at the same target, be it for another reason: a message for each
/// change of reason says nothing to who is told already. One without a target and a cause is that of all others.
const KEPT: &str = "select incident.id from incident_member join incident on incident.id = incident_member.incident
    where job = $1 and left_at is null and incident_member.alert = $2 and incident_member.trouble = $3
        and (target = $4 and incident_member.trouble in ('failing', 'givenUp') or target = '' and cause = '')";

/// Whether an alert has as many open incidents as it may have, each of a target and cause of its own.
const IS_FULL: &str = "select 1::bigint where $2 <= (select count(*) from (select 1 from incident
    where alert = $1 and closed_at is null and (told_at is null or trouble not in ('ended', 'operator'))
        and (target <> '' or cause <> '') limit $2) as open)";

/// Who was well again and is in trouble again comes back.
const JOIN: &str = "insert into incident_member (incident, job, alert, trouble, joined_at, detail, path)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (incident, job) do update set left_at = null, is_well = false,
        joined_at = case when incident_member.left_at is null and incident_member.trouble <> 'late'
            then incident_member.joined_at else excluded.joined_at end,
        detail = excluded.detail";

/// A job is in one incident of an alert and a trouble at most. `$3` and `$4` are null where all are meant.
const LEAVE: &str = "update incident_member set left_at = $5, is_well = $6,
        last_failure = coalesce((select started from failing where failing.job = incident_member.job), last_failure)
    where job = $1 and left_at is null and incident is distinct from $2 and ($3::bigint is null or alert = $3)
        and ($4::text is null and trouble in ('failing', 'givenUp') or trouble = $4)
    returning incident";

/// Jobs get into trouble or out of it.
pub(super) async fn change(db: &Db, changes: &[MemberChange]) -> Result<(), Fault> {
    let joining = changes.iter().filter_map(|change| match change {
        MemberChange::Join { job, .. } => Some(*job),
        MemberChange::Leave { .. } => None,
    });
    let paths = match paths(db, joining.collect()).await {
        // A job that cannot be read is in trouble of another kind.
        Err(Fault::Final(error)) if error.is_of_one_record() => Paths::new(),
        paths => paths?,
    };
    for change in changes {
        match change {
            MemberChange::Join { alert, trouble, job, target, cause, detail, at } => {
                let (target, cause) = (plain(target), plain(cause));
                let kept = find_kept(db, *alert, *trouble, *job, &target).await?;
                let incident = match kept {
                    Some(kept) => Some(kept),
                    None => find_or_open(db, *alert, *trouble, &target, &cause, *at).await?,
                };
                let Some(incident) = incident else { continue };
                leave(db, *job, Some(incident), Some(*alert), Some(*trouble), (false, *at)).await?;
                let name = trouble.name();
                let path = paths.get(job).map(|path| plain(path));
                db.execute(JOIN, &[&incident, &job.0, &alert.0, &name, &at.ticks(), &plain(detail), &path]).await?;
                facts::keep_failure_of(db, job.0, incident).await?;
            }
            MemberChange::Leave { alert, trouble, job, is_well, at } => {
                leave(db, *job, None, *alert, *trouble, (*is_well, *at)).await?;
            }
        }
    }
    Ok(())
}

/// The jobs that are in a trouble, each with its alert.
pub(super) async fn list(db: &Db, trouble: Trouble) -> Result<Vec<(AlertId, JobId)>, Fault> {
    let sql = "select alert, job from incident_member where left_at is null and trouble = $1";
    let rows = db.rows(sql, &[&trouble.name()]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((AlertId(cells.next()?), JobId(cells.next()?)))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

fn read_id(row: Option<Row>) -> Result<Option<i64>, Fault> {
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?)
}

/// The incident that a job stays in.
async fn find_kept(db: &Db, alert: AlertId, trouble: Trouble, job: JobId, target: &str) -> Result<Option<i64>, Fault> {
    read_id(db.row(KEPT, &[&job.0, &alert.0, &trouble.name(), &target]).await?)
}

/// The incident of that target and cause, or that of all others if there are too many; none if the alert is gone.
async fn find_or_open(
    db: &Db,
    alert: AlertId,
    trouble: Trouble,
    target: &str,
    cause: &str,
    at: Timestamp,
) -> Result<Option<i64>, Fault> {
    let name = trouble.name();
    if let Some(found) = read_id(db.row(FIND, &[&alert.0, &name, &target, &cause]).await?)? {
        return Ok(Some(found));
    }
    let is_other = !target.is_empty() || !cause.is_empty();
    let max = count(limits::OPEN_INCIDENTS_MAX);
    let is_full = is_other && trouble != Trouble::Operator && db.exists(IS_FULL, &[&alert.0, &max]).await?;
    let (target, cause) = if is_full { ("", "") } else { (target, cause) };
    if is_full && let Some(found) = read_id(db.row(FIND, &[&alert.0, &name, &target, &cause]).await?)? {
        return Ok(Some(found));
    }
    if let Some(opened) = read_id(db.row(OPEN, &[&alert.0, &name, &target, &cause, &at.ticks()]).await?)? {
        return Ok(Some(opened));
    }
    // Another transaction has opened it meanwhile, or there is no such alert.
    read_id(db.row(FIND, &[&alert.0, &name, &target, &cause]).await?)
}

/// A job leaves the incidents that it is in, but for one. Each of them is looked at.
async fn leave(
    db: &Db,
    job: JobId,
    but: Option<i64>,
    alert: Option<AlertId>,
    trouble: Option<Trouble>,
    (is_well, at): (bool, Timestamp),
) -> Result<(), Fault> {
    if but.is_none() {
        // Who joins another incident fails in another way by now.
        facts::keep_failures(db, &[job.0]).await?;
    }
    let (alert, trouble) = (alert.map(|alert| alert.0), trouble.map(Trouble::name));
    let rows = db.rows(LEAVE, &[&job.0, &but, &alert, &trouble, &at.ticks(), &is_well]).await?;
    let left: Vec<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    if !left.is_empty() {
        let look = "update incident set look_at = 0, revision = revision + 1 where id = any($1)";
        db.execute(look, &[&left]).await?;
    }
    Ok(())
}
