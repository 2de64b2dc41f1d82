//! What the columns of a row of work say.

use punctual_model::health::{Health, HealthChange, RecentOutcomes};
use punctual_model::job::Counters;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;

use crate::cells::Cells;
use crate::error::Error;
use crate::record::codes;

/// The columns of an occurrence, as [`read_occurrence`] takes them, and those of a schedule, as [`read_progress`] does.
pub(crate) const PROGRESS: &str = "work.nominal, work.phase, work.attempt, work.wake_at, work.repeat, work.series,
    work.backlog_until, work.accounted, work.walked_series, work.started, work.last_failed";

/// How many columns that are.
pub(crate) const PROGRESS_COLUMNS: usize = 11;

/// The values by which the health of a job becomes another: whether the attempt failed, when it started, by how many bits
/// the recent outcomes are moved, and what comes behind them.
pub(crate) fn health_values(change: &HealthChange) -> [Option<i64>; 4] {
    let failed = change.last_attempt.map(|(_, has_succeeded)| i64::from(!has_succeeded));
    let attempted = change.last_attempt.map(|(started, _)| started.ticks());
    [failed, attempted, Some(change.shift().into()), Some(change.pushed.0.cast_signed())]
}

/// What the columns of an open occurrence hold.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) nominal: Option<i64>,
    pub(crate) phase: Option<i64>,
    pub(crate) attempt: Option<u32>,
    pub(crate) wake_at: Option<i64>,
    pub(crate) repeat: Option<u32>,
    pub(crate) series: Option<u32>,
    pub(crate) backlog_until: Option<i64>,
}

impl Open {
    pub(crate) fn of(open: Option<&Occurrence>) -> Self {
        open.map_or_else(Self::default, |open| Self {
            nominal: Some(open.nominal.ticks()),
            phase: Some(codes::phase(open.phase)),
            attempt: Some(open.attempt),
            wake_at: Some(open.wake_at.ticks()),
            repeat: Some(open.repeat),
            series: Some(open.series),
            backlog_until: open.backlog_until.map(Timestamp::ticks),
        })
    }
}

pub(crate) fn read_progress(cells: &mut Cells<'_>) -> Result<Progress, Error> {
    let open = read_occurrence(cells)?;
    Ok(Progress {
        accounted: cells.next_required_instant()?,
        series: cells.next()?,
        started: cells.next()?,
        last_failed: cells.next()?,
        open,
    })
}

/// The open occurrence, if there is one. Its origin is the schedule: for a row beside one the caller sets another.
pub(crate) fn read_occurrence(cells: &mut Cells<'_>) -> Result<Option<Occurrence>, Error> {
    let Some(nominal) = cells.next_instant()? else {
        cells.skip(6);
        return Ok(None);
    };
    Ok(Some(Occurrence {
        origin: Origin::Schedule,
        nominal,
        phase: codes::read_phase(cells.next()?).ok_or_else(|| Error::corrupt("there is no such phase"))?,
        attempt: cells.next()?,
        wake_at: cells.next_required_instant()?,
        repeat: cells.next()?,
        series: cells.next()?,
        backlog_until: cells.next_instant()?,
    }))
}

/// Reads the columns `failures_in_row`, `last_success` and `recent`.
pub(crate) fn read_health(cells: &mut Cells<'_>) -> Result<Health, Error> {
    let (failures_in_a_row, last_success) = (cells.next()?, cells.next_instant()?);
    let recent: i64 = cells.next()?;
    Ok(Health { failures_in_a_row, last_success, recent: RecentOutcomes(recent.cast_unsigned()) })
}

pub(crate) fn read_counters(cells: &mut Cells<'_>) -> Result<Counters, Error> {
    Ok(Counters {
        executions: cells.next()?,
        failures: cells.next()?,
        faulted: cells.next()?,
        last_started: cells.next_instant()?,
    })
}
