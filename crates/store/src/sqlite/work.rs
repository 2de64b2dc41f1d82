//! What is open: the schedule of each job, and what runs beside it.

use punctual_model::job::Counters;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{instant, required_instant};
use crate::error::Error;
use crate::key::{JobId, Revision};

/// The schedule of a new job. Its number is the job's.
pub(super) fn insert_schedule(db: &Connection, progress: &Progress) -> Result<JobId, Error> {
    let open = Open::of(progress.open.as_ref());
    db.prepare_cached(
        "insert into work (kind, manual, revision, nominal, phase, attempt, wake_at, repeat, series, backlog_until,
             accounted, walked_series, started, last_failed, executions, failures, faulted)
         values (0, 0, 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0)",
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
        progress.last_failed
    ])?;
    Ok(JobId(db.last_insert_rowid()))
}

/// How far the schedule of a job has come, if nothing has changed it in between. Counters are left as they are.
pub(super) fn update(db: &Connection, id: JobId, revision: Revision, progress: &Progress) -> Result<(), Error> {
    let open = Open::of(progress.open.as_ref());
    let updated = db
        .prepare_cached(
            "update work set revision = revision + 1, nominal = ?3, phase = ?4, attempt = ?5, wake_at = ?6, repeat = ?7,
                 series = ?8, backlog_until = ?9, accounted = ?10, walked_series = ?11, started = ?12, last_failed = ?13
             where id = ?1 and revision = ?2",
        )?
        .execute(params![
            id.0,
            revision.0,
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
            progress.last_failed
        ])?;
    if updated == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// Opens a manual run beside the schedule.
pub(super) fn insert_manual(db: &Connection, id: JobId, now: Timestamp, waiting_max: u32) -> Result<(), Error> {
    let number: Option<i64> = db
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
    db.prepare_cached(
        "insert into work (job, kind, manual, revision, nominal, phase, attempt, wake_at, repeat, series, executions,
             failures, faulted)
         values (?1, 1, ?2, 1, ?3, 0, 0, ?3, 0, 0, 0, 0, 0)",
    )?
    .execute(params![id.0, number, now.ticks()])?;
    Ok(())
}

/// Removes all that is open of a job.
pub(super) fn remove(db: &Connection, id: JobId) -> Result<(), Error> {
    db.prepare_cached("delete from work where id = ?1")?.execute([id.0])?;
    db.prepare_cached("delete from work where job = ?1")?.execute([id.0])?;
    Ok(())
}

/// What the columns of an open occurrence hold.
#[derive(Default)]
struct Open {
    nominal: Option<i64>,
    phase: Option<i64>,
    attempt: Option<u32>,
    wake_at: Option<i64>,
    repeat: Option<u32>,
    series: Option<u32>,
    backlog_until: Option<i64>,
}

impl Open {
    fn of(open: Option<&Occurrence>) -> Self {
        open.map_or_else(Self::default, |open| Self {
            nominal: Some(open.nominal.ticks()),
            phase: Some(match open.phase {
                Phase::Main => 0,
                Phase::Error => 1,
            }),
            attempt: Some(open.attempt),
            wake_at: Some(open.wake_at.ticks()),
            repeat: Some(open.repeat),
            series: Some(open.series),
            backlog_until: open.backlog_until.map(Timestamp::ticks),
        })
    }
}

pub(super) fn read_progress(row: &Row<'_>) -> Result<Progress, Error> {
    Ok(Progress {
        accounted: required_instant(row, "accounted")?,
        series: row.get("walked_series")?,
        started: row.get("started")?,
        last_failed: row.get("last_failed")?,
        open: read_open(row)?,
    })
}

fn read_open(row: &Row<'_>) -> Result<Option<Occurrence>, Error> {
    let Some(nominal) = instant(row, "nominal")? else {
        return Ok(None);
    };
    Ok(Some(Occurrence {
        origin: Origin::Schedule,
        nominal,
        phase: if row.get("phase")? { Phase::Error } else { Phase::Main },
        attempt: row.get("attempt")?,
        wake_at: required_instant(row, "wake_at")?,
        repeat: row.get("repeat")?,
        series: row.get("open_series")?,
        backlog_until: instant(row, "backlog_until")?,
    }))
}

pub(super) fn read_counters(row: &Row<'_>) -> Result<Counters, Error> {
    Ok(Counters {
        executions: row.get("executions")?,
        failures: row.get("failures")?,
        faulted: row.get("faulted")?,
        last_started: instant(row, "last_started")?,
    })
}
