//! What the columns of a job say.

use punctual_model::Name;
use punctual_model::job::{Definition, Job, JobState, State, Uid};
use punctual_model::labels::Annotations;
use punctual_model::recurrence::Anchor;
use punctual_model::time::{Start, Timestamp};

use super::work;
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::job::JobEntry;
use crate::key::{JobId, Revision};
use crate::record::{self, ScheduleRecord, codes};
use crate::seal::Keyring;

/// What a job is, as [`Described::read`] takes it.
pub(crate) const DESCRIBED: &str =
    "job.name, name_written, uid, job.revision, state, disabled_at, job.series, anchor_at,
    anchor_moved, schedule, action";

/// Reads a job: the columns of [`PROGRESS`](work::PROGRESS), its number, those of [`DESCRIBED`], and the rest of an entry.
pub(crate) fn read(row: &dyn Fields, keyring: &Keyring) -> Result<JobEntry, Error> {
    let mut cells = Cells::of(row);
    cells.skip(work::PROGRESS_COLUMNS);
    let id = JobId(cells.next()?);
    let mut read = || {
        let Described { name, uid, revision, definition, state, anchor, series, .. } =
            Described::read(&mut cells, keyring)?;
        let progress = work::read_progress(&mut Cells::of(row))?;
        Ok(JobEntry {
            id,
            revision,
            work_revision: Revision(cells.next()?),
            name,
            uid,
            job: Job { definition, state, anchor, series, progress },
            counters: work::read_counters(&mut cells)?,
            health: work::read_health(&mut cells)?,
            annotations: read_annotations(&mut cells)?,
            disabled_until: cells.next_instant()?,
            scheduled_beside: cells.next()?,
            beside: cells.next()?,
            beside_wakes: cells.next_instant()?,
        })
    };
    read().map_err(|error: Error| error.of_job(id))
}

/// What a job is.
pub(crate) struct Described {
    pub(crate) name: Name,
    pub(crate) uid: Uid,
    pub(crate) revision: Revision,
    pub(crate) definition: Definition,
    pub(crate) state: JobState,
    pub(crate) anchor: Anchor,
    pub(crate) series: u32,
    /// The length of its records.
    pub(crate) bytes: usize,
}

impl Described {
    /// Reads the columns of [`DESCRIBED`].
    pub(crate) fn read(cells: &mut Cells<'_>, keyring: &Keyring) -> Result<Self, Error> {
        let name = read_name(cells)?;
        let (uid, revision) = (Uid::from_bytes(cells.next()?), Revision(cells.next()?));
        let (state, disabled_at) = (read_state(cells.next()?)?, cells.next_instant()?);
        let series = cells.next()?;
        let anchor = read_anchor(cells)?;
        let (schedule, sealed) = (cells.next_text()?, cells.next_blob()?);
        let bytes = schedule.len() + sealed.len();
        let ScheduleRecord { start, recurrence, options } = record::read_schedule(schedule)?;
        let action = keyring.open(uid, sealed).map_err(|reason| Error::corrupt(reason.to_string()))?;
        let action = record::read_action(&action)?;
        let definition = Definition { start, action, recurrence, options };
        let state = match state {
            State::Enabled => JobState::Enabled,
            State::Disabled => JobState::Disabled(disabled_at.unwrap_or(Timestamp::EPOCH)),
            State::Completed => JobState::Completed,
            State::Faulted => JobState::Faulted,
        };
        Ok(Self { name, uid, revision, definition, state, anchor, series, bytes })
    }
}

/// Reads the two columns of a name: as it is compared, and as it was written where that differs.
pub(crate) fn read_name(cells: &mut Cells<'_>) -> Result<Name, Error> {
    let (folded, written) = (cells.next_text()?, cells.next_optional_text()?);
    Name::parse(written.unwrap_or(folded)).map_err(|reason| Error::corrupt(reason.to_string()))
}

/// Reads the two columns of what people say about a job for each other.
pub(crate) fn read_annotations(cells: &mut Cells<'_>) -> Result<Annotations, Error> {
    Ok(Annotations { note: cells.next()?, labels: record::read_labels(cells.next_optional_text()?)? })
}

pub(crate) fn read_state(code: i64) -> Result<State, Error> {
    codes::read_state(code).ok_or_else(|| Error::corrupt(format!("there is no state {code}")))
}

/// Reads the two columns of an anchor.
pub(crate) fn read_anchor(cells: &mut Cells<'_>) -> Result<Anchor, Error> {
    let (at, moved): (_, Option<i64>) = (cells.next_required_instant()?, cells.next()?);
    Ok(moved.map_or(Anchor::Creation(at), |moved| Anchor::Start(Start::moved(at, moved))))
}
