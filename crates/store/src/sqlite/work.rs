//! What is open: the schedule of each job, and what runs beside it.

use punctual_model::health::HealthChange;
use punctual_model::job::Counters;
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

pub(super) use crate::columns::work::{
    Open, PROGRESS, PROGRESS_COLUMNS, health_values, read_occurrence, read_progress,
};
use crate::error::Error;
use crate::key::{JobId, Revision};
use crate::record::codes;
use crate::work_change::BesideRow;

/// The schedule of a new job. Its number is the job's.
pub(super) fn insert_schedule(db: &Connection, progress: &Progress, lane: Lane) -> Result<JobId, Error> {
    let open = Open::of(progress.open.as_ref());
    db.prepare_cached(
        "insert into work (kind, manual, revision, lane, nominal, phase, attempt, wake_at, repeat, series, backlog_until,
             accounted, walked_series, started, last_failed, executions, failures, faulted)
         values (0, 0, 1, ?12, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0)",
    )?
    .execute(params![
        open.nominal,
        open.phase,
        open.attempt,
        open.wake_at,
        open.repeat,
        open.series,
        open.backlog_until,
        progress.accounted.ticks(),
        progress.series,
        progress.started,
        progress.last_failed,
        lane.0
    ])?;
    Ok(JobId(db.last_insert_rowid()))
}

/// How far the schedule of a job has come, if nothing has changed it in between: with the values of [`schedule_values`].
/// Counters are added to, whatever they are, and how often the open attempt may have been sent stays if it is the same one.
pub(super) const UPDATE_SCHEDULE: &str = "update work set revision = revision + 1, lane = ?7,
    executions = executions + ?3, failures = failures + ?4, faulted = faulted + ?5,
    last_started = case when ?6 is null or last_started > ?6 then last_started else ?6 end,
    resends = case when (nominal, phase, attempt) is (?8, ?9, ?10) then resends else 0 end,
    nominal = ?8, phase = ?9, attempt = ?10, wake_at = ?11, repeat = ?12, series = ?13, backlog_until = ?14,
    accounted = ?15, walked_series = ?16, started = ?17, last_failed = ?18,
    failures_in_row = case ?19 when 0 then 0 when 1 then failures_in_row + 1 else failures_in_row end,
    last_success = case when ?19 = 0 and coalesce(last_success, ?20) <= ?20 then ?20 else last_success end,
    recent = (recent << ?21) | ?22,
    failure = case when ?9 = 1 then failure end
    where id = ?1 and revision = ?2";

pub(super) fn schedule_values(
    id: i64,
    revision: Revision,
    lane: Lane,
    progress: &Progress,
    counted: &Counters,
    health: &HealthChange,
) -> [Option<i64>; 22] {
    let open = Open::of(progress.open.as_ref());
    let count = |count: u64| Some(i64::try_from(count).unwrap_or(i64::MAX));
    let [failed, attempted, shift, recent] = health_values(health);
    [
        Some(id),
        Some(revision.0),
        count(counted.executions),
        count(counted.failures),
        count(counted.faulted),
        counted.last_started.map(Timestamp::ticks),
        Some(lane.0),
        open.nominal,
        open.phase,
        open.attempt.map(i64::from),
        open.wake_at,
        open.repeat.map(i64::from),
        open.series.map(i64::from),
        open.backlog_until,
        Some(progress.accounted.ticks()),
        Some(progress.series.into()),
        Some(progress.started.into()),
        Some(progress.last_failed.into()),
        failed,
        attempted,
        shift,
        recent,
    ]
}

/// An edit of a job takes its schedule where the edit says. Nothing of it has run by that.
pub(super) fn update(
    db: &Connection,
    id: JobId,
    revision: Revision,
    progress: &Progress,
    lane: Lane,
    health: &HealthChange,
) -> Result<(), Error> {
    let values = schedule_values(id.0, revision, lane, progress, &Counters::default(), health);
    let updated = db.prepare_cached(UPDATE_SCHEDULE)?.execute(values)?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// What runs beside the schedule of a job goes where the job goes from now on. Who has read it before decides again.
pub(super) fn redirect_beside(db: &Connection, job: JobId, main: Lane, error: Lane) -> Result<(), Error> {
    db.prepare_cached(
        "update work set revision = revision + 1, lane = case phase when 0 then ?2 else ?3 end where job = ?1",
    )?
    .execute([job.0, main.0, error.0])?;
    Ok(())
}

/// Opens a manual run beside the schedule, and returns it.
pub(super) fn insert_manual(db: &Connection, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error> {
    let number: Option<u32> = db
        .prepare_cached(
            "update work set manual = manual + 1
             where id = ?1 and exists (
                 select 1 from job join collection on collection.id = job.collection
                 where job.id = ?1 and deleted_at is null
             )
             returning manual",
        )?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    let number = number.ok_or(Error::Stale)?;
    let waiting: u32 = db
        .prepare_cached("select count(*) from work where job = ?1 and kind = 1")?
        .query_row([id.0], |row| row.get(0))?;
    if waiting >= waiting_max {
        return Err(Error::Full { max: waiting_max });
    }
    let lane = db.prepare_cached("select lane from job where id = ?1")?.query_row([id.0], |row| row.get(0))?;
    let run = Occurrence::asked_for(Origin::Manual(number), now, now);
    db.prepare_cached(INSERT_BESIDE)?.execute(beside_values(id, run.into(), Lane(lane)))?;
    Ok(run)
}

/// A new row beside the schedule, with the values of [`beside_values`].
pub(super) const INSERT_BESIDE: &str =
    "insert into work (job, kind, manual, revision, lane, nominal, phase, attempt, wake_at, repeat, series, backlog_until,
         resends, executions, failures, faulted)
     values (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, 0, 0)";

pub(super) fn beside_values(job: JobId, row: BesideRow, lane: Lane) -> [Option<i64>; 12] {
    let BesideRow { occurrence, resends } = &row;
    let (kind, manual) = codes::origin(occurrence.origin);
    let open = Open::of(Some(occurrence));
    [
        Some(job.0),
        Some(kind),
        Some(manual.unwrap_or(0).into()),
        Some(lane.0),
        open.nominal,
        open.phase,
        open.attempt.map(i64::from),
        open.wake_at,
        open.repeat.map(i64::from),
        open.series.map(i64::from),
        open.backlog_until,
        Some(i64::from(*resends)),
    ]
}

/// Removes all that is open of a job.
pub(super) fn remove(db: &Connection, id: JobId) -> Result<(), Error> {
    db.prepare_cached("delete from work where id = ?1")?.execute([id.0])?;
    db.prepare_cached("delete from work where job = ?1")?.execute([id.0])?;
    Ok(())
}
