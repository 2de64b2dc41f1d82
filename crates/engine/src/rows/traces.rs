//! What the indexes hold of a row: a function of its state.

use punctual_model::lane::Lane;
use punctual_model::occurrence::Origin;
use punctual_store::JobId;

use crate::lanes::Standing;
use crate::row::{ReadStage, Row, RowState, Urgency, WriteReason};

/// How many rows there are of some kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Attempts that are in flight or not yet written down, and other writes that are under way.
    pub(crate) unsettled: usize,
    /// Rows that maintenance waits for.
    pub(crate) rechecks: usize,
    /// Reads of rows and definitions that were sent, row by row.
    pub(crate) reading: usize,
    /// Rows that are to be read, for another reason than that they wake.
    pub(crate) wanted: usize,
    /// Rows that wait for other attempts of their job.
    pub(crate) held_back: usize,
    /// Rows that cannot be read or written.
    pub(crate) set_aside: usize,
}

/// What the indexes hold of a row.
#[expect(clippy::struct_excessive_bools, reason = "each is one of the totals")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traces {
    pub(super) standing: Option<Standing>,
    pub(super) queued: Option<Urgency>,
    /// The job of which the row has an attempt in flight, or about to be, and whether the schedule asked for it.
    pub(super) in_flight: Option<(JobId, bool)>,
    pub(super) held_back: Option<JobId>,
    /// The lane of a row that is being written.
    pub(super) writing: Option<Lane>,
    pub(super) is_resend: bool,
    pub(super) is_unsettled: bool,
    pub(super) is_rechecked: bool,
    pub(super) is_being_read: bool,
    pub(super) is_set_aside: bool,
}

impl Traces {
    pub(super) fn of(state: &RowState) -> Self {
        let none = Self::default();
        match state {
            RowState::Unknown => none,
            RowState::SetAside(_) => Self { is_set_aside: true, ..none },
            RowState::Waiting { wake_at, lane } => Self { standing: Some(Standing::Waiting(*lane, *wake_at)), ..none },
            RowState::Reading(reading) => Self {
                standing: reading.lane.map(Standing::Reading),
                queued: if let ReadStage::Queued(urgency) = reading.stage { Some(urgency) } else { None },
                is_unsettled: reading.ended.is_some(),
                is_rechecked: reading.needs_recheck,
                is_being_read: !matches!(reading.stage, ReadStage::Queued(_)),
                ..none
            },
            RowState::Ready(row) => Self { standing: ready(row), ..none },
            RowState::HeldBack(held_back) => Self { held_back: Some(held_back.key.job), ..none },
            RowState::Writing(writing) => {
                let is_resend = matches!(writing.reason, WriteReason::Resend(_));
                Self {
                    in_flight: is_resend.then_some(attempted(&writing.row)),
                    writing: Some(writing.row.entry.lane),
                    is_unsettled: true,
                    is_rechecked: writing.is_rechecked(),
                    ..none
                }
            }
            RowState::Resending(resend) => {
                Self { in_flight: Some(attempted(&resend.row)), is_resend: true, is_unsettled: true, ..none }
            }
            RowState::InFlight(flight) => Self { in_flight: Some(attempted(&flight.row)), is_unsettled: true, ..none },
        }
    }

    pub(super) fn count(&self, totals: &mut Totals, by: impl Fn(usize, bool) -> usize) {
        let is_wanted = matches!(self.queued, Some(Urgency::Now | Urgency::Later));
        totals.unsettled = by(totals.unsettled, self.is_unsettled);
        totals.rechecks = by(totals.rechecks, self.is_rechecked);
        totals.reading = by(totals.reading, self.is_being_read);
        totals.wanted = by(totals.wanted, is_wanted);
        totals.held_back = by(totals.held_back, self.held_back.is_some());
        totals.set_aside = by(totals.set_aside, self.is_set_aside);
    }
}

/// A row without anything open is ready to be forgotten, and stands nowhere.
fn ready(row: &Row) -> Option<Standing> {
    row.open().map(|open| Standing::Ready(row.entry.lane, open.wake_at))
}

/// The job of a row with an attempt, and whether the schedule asked for the attempt.
fn attempted(row: &Row) -> (JobId, bool) {
    (row.entry.job, row.open().is_none_or(|open| open.origin == Origin::Schedule))
}
