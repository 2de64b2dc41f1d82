//! What the columns of a signal say, and how a job stands.

use punctual_model::alert::{FailingStanding, Standing};
use punctual_model::history::{Record, Status};
use punctual_model::job::State;
use punctual_model::occurrence::{Origin, Phase};

use crate::alert::SignalKind;
use crate::cells::{Cells, Fields};
use crate::columns::job;
use crate::error::Error;
use crate::record::codes;

pub(crate) const HEALTH: i64 = 0;

pub(crate) const ENDED: i64 = 1;

pub(crate) const LATE: i64 = 2;

/// By how much an occurrence of the schedule started late.
pub(crate) fn late_ticks(record: &Record) -> Option<i64> {
    let is_first = record.origin == Origin::Schedule && record.phase == Phase::Main && record.retry == 0;
    match record.status {
        Status::Completed(nominal) | Status::Failed(nominal) if is_first => Some(record.started.since(nominal)),
        _ => None,
    }
}

/// What happened to a job, by its number; `value` says by how much it was late.
pub(crate) fn read_kind(kind: i64, value: i64) -> Result<SignalKind, Error> {
    match kind {
        HEALTH => Ok(SignalKind::Health),
        ENDED => Ok(SignalKind::Ended),
        LATE => Ok(SignalKind::Late(value)),
        unknown => Err(Error::corrupt(format!("there is no kind {unknown} of signals"))),
    }
}

/// Reads what a job calls, its state, whether its collection is disabled, and how it fails.
pub(crate) fn read_standing(row: &dyn Fields) -> Result<(String, Standing), Error> {
    let mut cells = Cells::of(row);
    let (target, state) = (cells.next()?, job::read_state(cells.next()?)?);
    let is_stopped: bool = cells.next()?;
    let state = if is_stopped && state == State::Enabled { State::Disabled } else { state };
    let class: Option<i64> = cells.next()?;
    let class = class.map(|class| codes::read_failure_class(class).ok_or_else(|| Error::corrupt("no such class")));
    let (count, given_up): (Option<i64>, Option<i64>) = (cells.next()?, cells.next()?);
    let number = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
    let last_started = cells.next_instant()?;
    let failing = class.transpose()?.zip(last_started).map(|(class, last_started)| FailingStanding {
        class,
        count: number(count),
        given_up: number(given_up),
        last_started,
    });
    Ok((target, Standing { state: Some(state), failing }))
}
