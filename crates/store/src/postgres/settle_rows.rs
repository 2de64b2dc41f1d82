//! The statements that settle many rows of work at once.

use std::collections::BTreeSet;

use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;

use super::db::Db;
use super::error::Fault;
use super::values::{large, ticks};
use super::work::{SET_HEALTH, SET_SCHEDULE};
use crate::cells::Cells;
use crate::columns::work::{Open, health_values};
use crate::error::Error;
use crate::work_change::WorkChange;

/// What a change adds to the schedule's row of its job.
pub(super) struct Count<'a> {
    pub(super) change: &'a WorkChange,
    /// Where the occurrence is one of the schedule's: whether the last attempt has failed from now on. Then the row is another one.
    pub(super) last_failed: Option<bool>,
}

/// How healths of jobs become others, an array for each value.
struct Healths {
    failed: Vec<Option<i64>>,
    attempted: Vec<Option<i64>>,
    shift: Vec<Option<i64>>,
    recent: Vec<Option<i64>>,
}

impl Healths {
    fn of<'a>(changes: impl Iterator<Item = &'a WorkChange>) -> Self {
        let values: Vec<[Option<i64>; 4]> = changes.map(|change| health_values(&change.health())).collect();
        let of = |at: usize| values.iter().map(|values| values[at]).collect();
        Self { failed: of(0), attempted: of(1), shift: of(2), recent: of(3) }
    }
}

/// Schedules go on, as far as they are as they were read. Returns the numbers of those rows.
pub(super) async fn update_schedules(db: &Db, rows: &[(&WorkChange, &Progress)]) -> Result<BTreeSet<i64>, Fault> {
    let open: Vec<Open> = rows.iter().map(|(_, progress)| Open::of(progress.open.as_ref())).collect();
    let optional = |of: fn(&Open) -> Option<i64>| -> Vec<Option<i64>> { open.iter().map(of).collect() };
    let numbers = |of: fn(&WorkChange) -> i64| -> Vec<i64> { rows.iter().map(|(change, _)| of(change)).collect() };
    let progress = |of: fn(&Progress) -> i64| -> Vec<i64> { rows.iter().map(|(_, progress)| of(progress)).collect() };
    let health = Healths::of(rows.iter().map(|(change, _)| *change));
    let sql = format!(
        "update work set {SET_SCHEDULE}, {SET_HEALTH}
         from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::bigint[], $9::bigint[]::smallint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
             $15::bigint[], $16::bigint[], $17::bigint[], $18::boolean[], $19::bigint[], $20::bigint[], $21::bigint[],
             $22::bigint[])
             as new (id, revision, lane, executions, failures, faulted, last_started, nominal, phase, attempt, wake_at, repeat,
                 series, backlog_until, accounted, walked_series, started, last_failed, failed, attempted, shift, recent)
         where work.id = new.id and work.revision = new.revision
         returning work.id"
    );
    let taken = db
        .rows(
            &sql,
            &[
                &numbers(|change| change.id.0),
                &numbers(|change| change.revision.0),
                &numbers(|change| change.lane.0),
                &numbers(|change| large(change.counted.executions)),
                &numbers(|change| large(change.counted.failures)),
                &numbers(|change| large(change.counted.faulted)),
                &rows.iter().map(|(change, _)| ticks(change.counted.last_started)).collect::<Vec<_>>(),
                &optional(|open| open.nominal),
                &optional(|open| open.phase),
                &optional(|open| open.attempt.map(i64::from)),
                &optional(|open| open.wake_at),
                &optional(|open| open.repeat.map(i64::from)),
                &optional(|open| open.series.map(i64::from)),
                &optional(|open| open.backlog_until),
                &progress(|progress| progress.accounted.ticks()),
                &progress(|progress| progress.series.into()),
                &progress(|progress| progress.started.into()),
                &rows.iter().map(|(_, progress)| progress.last_failed).collect::<Vec<_>>(),
                &health.failed,
                &health.attempted,
                &health.shift,
                &health.recent,
            ],
        )
        .await?;
    Ok(taken.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?)
}

/// Occurrences beside schedules go on. Their rows are held, and are as they were read.
pub(super) async fn update_besides(db: &Db, rows: &[(&WorkChange, &Occurrence)]) -> Result<(), Fault> {
    if rows.is_empty() {
        return Ok(());
    }
    let open: Vec<Open> = rows.iter().map(|(_, occurrence)| Open::of(Some(occurrence))).collect();
    let optional = |of: fn(&Open) -> Option<i64>| -> Vec<Option<i64>> { open.iter().map(of).collect() };
    let numbers = |of: fn(&WorkChange) -> i64| -> Vec<i64> { rows.iter().map(|(change, _)| of(change)).collect() };
    db.execute(
        "update work set revision = work.revision + 1,
             resends = case when (work.nominal, work.phase, work.attempt)
                 is not distinct from (new.nominal, new.phase, new.attempt) then work.resends else 0 end,
             claimed_by = case when (work.nominal, work.phase, work.attempt)
                 is not distinct from (new.nominal, new.phase, new.attempt) then work.claimed_by end,
             lane = new.lane, nominal = new.nominal, phase = new.phase, attempt = new.attempt, wake_at = new.wake_at,
             repeat = new.repeat, series = new.series, backlog_until = new.backlog_until,
             failure = case when new.phase = 1 then work.failure end
         from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]::smallint[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::bigint[], $9::bigint[])
             as new (id, lane, nominal, phase, attempt, wake_at, repeat, series, backlog_until)
         where work.id = new.id",
        &[
            &numbers(|change| change.id.0),
            &numbers(|change| change.lane.0),
            &optional(|open| open.nominal),
            &optional(|open| open.phase),
            &optional(|open| open.attempt.map(i64::from)),
            &optional(|open| open.wake_at),
            &optional(|open| open.repeat.map(i64::from)),
            &optional(|open| open.series.map(i64::from)),
            &optional(|open| open.backlog_until),
        ],
    )
    .await?;
    Ok(())
}

/// What ran beside schedules adds to the counters of their jobs, whatever they are.
pub(super) async fn count(db: &Db, counts: &[Count<'_>]) -> Result<(), Fault> {
    if counts.is_empty() {
        return Ok(());
    }
    let numbers = |of: fn(&WorkChange) -> i64| -> Vec<i64> { counts.iter().map(|count| of(count.change)).collect() };
    let health = Healths::of(counts.iter().map(|count| count.change));
    let sql = format!(
        "update work set revision = case when new.last_failed is null then work.revision else work.revision + 1 end,
             last_failed = coalesce(new.last_failed, work.last_failed),
             executions = work.executions + new.executions, failures = work.failures + new.failures,
             faulted = work.faulted + new.faulted, last_started = greatest(work.last_started, new.last_started),
             {SET_HEALTH}
         from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::bigint[],
             $8::bigint[], $9::bigint[], $10::bigint[])
             as new (id, executions, failures, faulted, last_started, last_failed, failed, attempted, shift, recent)
         where work.id = new.id"
    );
    db.execute(
        &sql,
        &[
            &numbers(|change| change.job.0),
            &numbers(|change| large(change.counted.executions)),
            &numbers(|change| large(change.counted.failures)),
            &numbers(|change| large(change.counted.faulted)),
            &counts.iter().map(|count| ticks(count.change.counted.last_started)).collect::<Vec<_>>(),
            &counts.iter().map(|count| count.last_failed).collect::<Vec<_>>(),
            &health.failed,
            &health.attempted,
            &health.shift,
            &health.recent,
        ],
    )
    .await?;
    Ok(())
}
