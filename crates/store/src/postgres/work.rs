//! What is open: the schedule of each job, and what runs beside it.

use punctual_model::health::HealthChange;
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Original};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;

use super::db::Db;
use super::error::Fault;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::columns::work::{Open, health_values};
use crate::error::Error;
use crate::key::{JobId, Revision};
use crate::record::codes;
use crate::work_change::BesideRow;

/// How a row of a schedule becomes another, where the new values are columns of `new`. Counters are added to, whatever they are, and
/// how often the open attempt may have been sent stays if it is the same one, and so does who has claimed it.
pub(super) const SET_SCHEDULE: &str = "revision = work.revision + 1, lane = new.lane,
    executions = work.executions + new.executions, failures = work.failures + new.failures,
    faulted = work.faulted + new.faulted,
    last_started = greatest(work.last_started, new.last_started),
    resends = case when (work.nominal, work.phase, work.attempt) is not distinct from (new.nominal, new.phase, new.attempt)
        then work.resends else 0 end,
    claimed_by = case when (work.nominal, work.phase, work.attempt) is not distinct from (new.nominal, new.phase, new.attempt)
        then work.claimed_by end,
    nominal = new.nominal, phase = new.phase, attempt = new.attempt, wake_at = new.wake_at, repeat = new.repeat,
    series = new.series, backlog_until = new.backlog_until, accounted = new.accounted,
    walked_series = new.walked_series, started = new.started, last_failed = new.last_failed,
    failure = case when new.phase = 1 then work.failure end";

/// How the health of a job becomes another, in its schedule's row. PostgreSQL would move by 64 bits as by none.
pub(super) const SET_HEALTH: &str =
    "failures_in_row = case new.failed when 0 then 0 when 1 then work.failures_in_row + 1
        else work.failures_in_row end,
    last_success = case when new.failed = 0 then greatest(work.last_success, new.attempted) else work.last_success end,
    recent = case when new.shift < 64 then work.recent << new.shift::integer else 0 end | new.recent";

/// The next numbers of rows.
pub(super) async fn next_ids(db: &Db, number: usize) -> Result<Vec<i64>, Fault> {
    if number == 0 {
        return Ok(Vec::new());
    }
    let sql = "select nextval('work_id') from generate_series(1, $1::bigint)";
    let rows = db.rows(sql, &[&super::db::count(number)]).await?;
    Ok(rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?)
}

/// The schedule of a new job. Its number is the job's.
pub(super) async fn insert_schedule(db: &Db, progress: &Progress, lane: Lane, shard: u8) -> Result<JobId, Fault> {
    let open = Open::of(progress.open.as_ref());
    let row = db
        .one(
            "insert into work (id, shard, kind, manual, revision, lane, nominal, phase, attempt, wake_at, repeat, series,
                 backlog_until, accounted, walked_series, started, last_failed, executions, failures, faulted)
             values (nextval('work_id'), $13, 0, 0, 1, $12, $1, $2::bigint, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, 0)
             returning id",
            &[
                &open.nominal,
                &open.phase,
                &open.attempt.map(i64::from),
                &open.wake_at,
                &open.repeat.map(i64::from),
                &open.series.map(i64::from),
                &open.backlog_until,
                &progress.accounted.ticks(),
                &i64::from(progress.series),
                &i64::from(progress.started),
                &progress.last_failed,
                &lane.0,
                &i16::from(shard),
            ],
        )
        .await?;
    Ok(JobId(Cells::of(&row).next()?))
}

/// Holds the row of a schedule, if it is there in that revision: it is locked before its job is.
pub(super) async fn lock(db: &Db, id: JobId, revision: Revision) -> Result<(), Fault> {
    let sql = "select 1::bigint from work where id = $1 and revision = $2 for update";
    if db.exists(sql, &[&id.0, &revision.0]).await? { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Holds all rows of these jobs, in the order of their numbers.
pub(super) async fn lock_all(db: &Db, jobs: &[i64]) -> Result<(), Fault> {
    let sql = "select id from work where id = any($1) or job = any($1) order by id for update";
    db.rows(sql, &[&jobs]).await?;
    Ok(())
}

/// An edit of a job takes its schedule where the edit says. Nothing of it has run by that.
pub(super) async fn update(
    db: &Db,
    id: JobId,
    revision: Revision,
    progress: &Progress,
    lane: Lane,
    health: &HealthChange,
) -> Result<(), Fault> {
    let open = Open::of(progress.open.as_ref());
    let [failed, attempted, shift, recent] = health_values(health);
    let sql = format!(
        "update work set {SET_SCHEDULE}, {SET_HEALTH}
         from (select $3::bigint as lane, 0 as executions, 0 as failures, 0 as faulted, null::bigint as last_started,
             $4::bigint as nominal, $5::bigint::smallint as phase, $6::bigint as attempt, $7::bigint as wake_at, $8::bigint as repeat,
             $9::bigint as series, $10::bigint as backlog_until, $11::bigint as accounted, $12::bigint as walked_series,
             $13::bigint as started, $14::boolean as last_failed, $15::bigint as failed, $16::bigint as attempted,
             $17::bigint as shift, $18::bigint as recent) as new
         where work.id = $1 and work.revision = $2"
    );
    let updated = db
        .execute(
            &sql,
            &[
                &id.0,
                &revision.0,
                &lane.0,
                &open.nominal,
                &open.phase,
                &open.attempt.map(i64::from),
                &open.wake_at,
                &open.repeat.map(i64::from),
                &open.series.map(i64::from),
                &open.backlog_until,
                &progress.accounted.ticks(),
                &i64::from(progress.series),
                &i64::from(progress.started),
                &progress.last_failed,
                &failed,
                &attempted,
                &shift,
                &recent,
            ],
        )
        .await?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// What runs beside the schedule of a job goes where the job goes from now on. Who has read it before decides again.
pub(super) async fn redirect_beside(db: &Db, job: JobId, main: Lane, error: Lane) -> Result<(), Fault> {
    let sql = "update work set revision = revision + 1, lane = case phase when 0 then $2::bigint else $3::bigint end
        where job = $1";
    db.execute(sql, &[&job.0, &main.0, &error.0]).await?;
    Ok(())
}

/// Holds the schedule of a job that is there: who opens something beside it is alone with it, and counts what waits.
pub(super) async fn hold(db: &Db, id: JobId) -> Result<(), Fault> {
    let sql = "select 1::bigint from work where id = $1 and exists (
            select 1 from job join collection on collection.id = job.collection where job.id = $1 and deleted_at is null
        ) for update";
    if db.exists(sql, &[&id.0]).await? { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Fails if so many rows wait already.
async fn check_waiting(db: &Db, sql: &str, id: JobId, max: u32) -> Result<(), Fault> {
    let waiting: i64 = Cells::of(&db.one(sql, &[&id.0]).await?).next()?;
    if waiting < i64::from(max) { Ok(()) } else { Err(Error::Full { max }.into()) }
}

/// Opens a manual run beside the schedule, and returns it.
pub(super) async fn insert_manual(
    tx: &mut WriteTx,
    id: JobId,
    now: Timestamp,
    waiting_max: u32,
) -> Result<Occurrence, Fault> {
    hold(tx, id).await?;
    check_waiting(tx, "select count(*) from work where job = $1 and kind = 1", id, waiting_max).await?;
    let row = tx.one("update work set manual = manual + 1 where id = $1 returning manual", &[&id.0]).await?;
    let number = Cells::of(&row).next()?;
    let row = tx.one("select lane from job where id = $1", &[&id.0]).await?;
    let lane = Lane(Cells::of(&row).next()?);
    let run = Occurrence::asked_for(Origin::Manual(number), now, now);
    insert_beside(tx, id, run.into(), lane).await?;
    tx.changed.jobs.insert(id);
    Ok(run)
}

/// Opens an occurrence that is run again. Returns false if it is open already: as itself, or because it is run again already. Only
/// manual runs are told apart by their number; in the row of a schedule it is that of the last one.
pub(super) async fn insert_rerun(
    tx: &mut WriteTx,
    id: JobId,
    rerun: &Occurrence,
    lane: Lane,
    waiting_max: u32,
) -> Result<bool, Fault> {
    hold(tx, id).await?;
    let (kind, manual) = codes::origin(rerun.origin);
    let (original, _) = codes::origin(rerun.origin.original().map_or(rerun.origin, Original::origin));
    let is_open = "select 1::bigint from work where id = $1 and kind = $2::bigint and nominal = $3
        union all
        select 1 from work where job = $1 and kind in ($2::bigint, $4::bigint) and nominal = $3 and manual = $5";
    let manual = i64::from(manual.unwrap_or(0));
    if tx.exists(is_open, &[&id.0, &original, &rerun.nominal.ticks(), &kind, &manual]).await? {
        return Ok(false);
    }
    check_waiting(tx, "select count(*) from work where job = $1 and kind >= 4", id, waiting_max).await?;
    insert_beside(tx, id, (*rerun).into(), lane).await?;
    tx.changed.jobs.insert(id);
    Ok(true)
}

/// A new row beside the schedule.
pub(super) async fn insert_beside(db: &Db, job: JobId, row: BesideRow, lane: Lane) -> Result<(), Fault> {
    let id = next_ids(db, 1).await?.pop().unwrap_or_default();
    insert_all_beside(db, &[(id, job, row, lane)]).await
}

/// New rows beside schedules: each in the shard of its job, whose schedule has it.
pub(super) async fn insert_all_beside(db: &Db, rows: &[(i64, JobId, BesideRow, Lane)]) -> Result<(), Fault> {
    let open: Vec<Open> = rows.iter().map(|(_, _, row, _)| Open::of(Some(&row.occurrence))).collect();
    let origin: Vec<(i64, i64)> = rows
        .iter()
        .map(|(_, _, row, _)| codes::origin(row.occurrence.origin))
        .map(|(kind, manual)| (kind, manual.unwrap_or(0).into()))
        .collect();
    let optional = |of: fn(&Open) -> Option<i64>| -> Vec<Option<i64>> { open.iter().map(of).collect() };
    db.execute(
        "insert into work (id, job, shard, kind, manual, revision, lane, nominal, phase, attempt, wake_at, repeat, series,
             backlog_until, resends, executions, failures, faulted)
         select new.id, new.job, schedule.shard, new.kind, new.manual, 1, new.lane, new.nominal, new.phase, new.attempt,
             new.wake_at, new.repeat, new.series, new.backlog_until, new.resends, 0, 0, 0
         from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[])
             as new (id, job, kind, manual, lane, nominal, phase, attempt, wake_at, repeat, series, backlog_until, resends)
         join work as schedule on schedule.id = new.job",
        &[
            &rows.iter().map(|(id, ..)| *id).collect::<Vec<_>>(),
            &rows.iter().map(|(_, job, ..)| job.0).collect::<Vec<_>>(),
            &origin.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            &origin.iter().map(|(_, manual)| *manual).collect::<Vec<_>>(),
            &rows.iter().map(|(.., lane)| lane.0).collect::<Vec<_>>(),
            &optional(|open| open.nominal),
            &optional(|open| open.phase),
            &optional(|open| open.attempt.map(i64::from)),
            &optional(|open| open.wake_at),
            &optional(|open| open.repeat.map(i64::from)),
            &optional(|open| open.series.map(i64::from)),
            &optional(|open| open.backlog_until),
            &rows.iter().map(|(_, _, row, _)| i64::from(row.resends)).collect::<Vec<_>>(),
        ],
    )
    .await?;
    Ok(())
}

/// Removes all that is open of a job.
pub(super) async fn remove(db: &Db, id: JobId) -> Result<(), Fault> {
    db.execute("delete from work where id = $1 or job = $1", &[&id.0]).await?;
    Ok(())
}
