//! What the columns of a deadline say.

use punctual_model::alert::Trouble;

use crate::alert::{Deadline, DeadlineEntry};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::{AlertId, JobId};

/// The troubles that are judged by the clock.
pub(crate) const BY_CLOCK: [Trouble; 3] = [Trouble::Silent, Trouble::Stale, Trouble::Expiring];

/// Reads a deadline with what decides about it, but for the path of the job and the cause of its incident.
pub(crate) fn read_deadline(row: &dyn Fields) -> Result<DeadlineEntry, Error> {
    let mut cells = Cells::of(row);
    let alert = AlertId(cells.next()?);
    let name = cells.next_text()?;
    let trouble = BY_CLOCK.into_iter().find(|trouble| trouble.name() == name);
    let trouble = trouble.ok_or_else(|| Error::corrupt(format!("no clock judges the trouble {name:?}")))?;
    let job = JobId(cells.next()?);
    let (due_at, expected) = (cells.next_required_instant()?, cells.next_instant()?);
    Ok(DeadlineEntry {
        deadline: Deadline { alert, trouble, job, due_at, expected },
        path: "".into(),
        target: cells.next()?,
        last_started: cells.next_instant()?,
        last_success: cells.next_instant()?,
        since: cells.next_required_instant()?,
        expires_at: cells.next_instant()?,
        cause: None,
    })
}
