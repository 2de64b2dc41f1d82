//! What the columns of an incident say.

use punctual_model::alert::{Incident, Members, Trouble};

use crate::alert::{IncidentEntry, Mute};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::key::{AlertId, IncidentId, Revision};

/// Reads an incident, whose members were counted.
pub(crate) fn read_incident(row: &dyn Fields, members: Members) -> Result<IncidentEntry, Error> {
    let mut cells = Cells::of(row);
    let (id, revision) = (IncidentId(cells.next()?), Revision(cells.next()?));
    let alert = AlertId(cells.next()?);
    let name = cells.next_text()?;
    let trouble = Trouble::ALL.into_iter().find(|trouble| trouble.name() == name);
    let trouble = trouble.ok_or_else(|| Error::corrupt(format!("there is no trouble {name:?}")))?;
    let (target, cause) = (cells.next()?, cells.next()?);
    let (opened_at, told_at) = (cells.next_required_instant()?, cells.next_instant()?);
    let last_told_at = cells.next_instant()?;
    let (muted_until, muted_by): (_, Option<String>) = (cells.next_instant()?, cells.next()?);
    let alert_muted_until = cells.next_instant()?;
    let (closed_at, well_since) = (cells.next_instant()?, cells.next_instant()?);
    let incident = Incident {
        trouble,
        opened_at,
        told_at,
        last_told_at,
        muted_until: muted_until.max(alert_muted_until),
        well_since,
        members,
    };
    let mute = muted_until.zip(muted_by).map(|(until, by)| Mute { until, by });
    Ok(IncidentEntry { id, revision, alert, target, cause, incident, mute, closed_at })
}

/// Reads how many members of an incident are in trouble, well again and gone, and when that last changed.
pub(crate) fn read_members(cells: &mut Cells<'_>) -> Result<Members, Error> {
    Ok(Members {
        troubled: cells.next()?,
        well: cells.next()?,
        gone: cells.next()?,
        last_failure: cells.next_instant()?,
        last_joined: cells.next_instant()?,
        last_well: cells.next_instant()?,
        last_success: cells.next_instant()?,
        next_attempt: cells.next_instant()?,
    })
}
