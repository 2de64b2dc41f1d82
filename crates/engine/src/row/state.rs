//! The states of a row. At most one read, one write or one attempt is under way for a row; whatever else is asked for
//! meanwhile is a bit in its state.

use punctual_actions::HostTrouble;
use punctual_model::lane::Lane;
use punctual_model::options::Overlap;
use punctual_model::time::Timestamp;
use punctual_store::{Claim, DueKey, RowChange, Shards, WorkChange, WorkEntry};

use super::Row;
use super::attempt::{Finished, Flight};
use crate::concurrency::{Lesson, Slot};

/// Where a row is on its way. [`step`](super::step) has the drawing.
#[derive(Debug, Default)]
pub(crate) enum RowState {
    /// The engine holds nothing of the row.
    #[default]
    Unknown,
    /// Only the key is known: the row wakes then, in that lane.
    Waiting { wake_at: Timestamp, lane: Lane },
    /// The row is read, and then its definition.
    Reading(Box<Reading>),
    /// The row stands in its lane and can start when its time and its turn come.
    Ready(Box<Row>),
    /// The row waits for other attempts of its job. It is read again then.
    HeldBack(Box<HeldBack>),
    /// The row is being written.
    Writing(Box<Writing>),
    /// A resend is written, and starts with the next turn of the engine.
    Resending(Box<Resend>),
    /// An attempt is in flight.
    InFlight(Box<Flight>),
    /// The row cannot be read or written. It is left alone until its job is written; an attempt that came to its end is
    /// kept until then.
    SetAside(Option<Box<Ended>>),
}

impl RowState {
    /// The row, where the engine has read one.
    fn row(&self) -> Option<&Row> {
        match self {
            Self::Ready(row) => Some(row),
            Self::Writing(writing) => Some(&writing.row),
            Self::Resending(resend) => Some(&resend.row),
            Self::InFlight(flight) => Some(&flight.row),
            Self::Reading(reading) => reading.ended.as_ref().map(|ended| &*ended.row),
            Self::SetAside(ended) => ended.as_ref().map(|ended| &*ended.row),
            Self::Unknown | Self::Waiting { .. } | Self::HeldBack(_) => None,
        }
    }

    /// Whether the row is in one of these shards, as far as is known.
    pub(crate) fn may_be_in(&self, shards: Shards) -> bool {
        self.row().is_none_or(|row| shards.has(Shards::of(row.job.definition.uid)))
    }

    /// The attempt of a row in these shards that is in flight or not yet written down, if there is one.
    pub(crate) fn claim(&self, shards: Shards) -> Option<Claim> {
        let (row, occurrence) = match self {
            Self::InFlight(flight) => (&flight.row, flight.occurrence),
            Self::Writing(writing) => (&writing.row, writing.finished()?.occurrence),
            Self::Reading(reading) => {
                let ended = reading.ended.as_ref()?;
                (&ended.row, ended.finished.occurrence)
            }
            Self::SetAside(Some(ended)) => (&ended.row, ended.finished.occurrence),
            _ => return None,
        };
        let is_meant = shards.has(Shards::of(row.job.definition.uid));
        is_meant.then_some(Claim { row: row.entry.id, occurrence })
    }
}

/// A row that waits for other attempts of its job: for those that someone asked for, and maybe for the schedule's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldBack {
    pub(crate) key: DueKey,
    pub(crate) waits_for_schedule: bool,
}

/// A row that is being read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) stage: ReadStage,
    /// The lane for which the row is read ahead of its time; none where it is read for another reason.
    pub(crate) lane: Option<Lane>,
    /// The row was held back until the attempt of the schedule had ended, and does not wait for the next one.
    pub(crate) has_waited: bool,
    /// An attempt that came to its end and is settled when the row is there.
    pub(crate) ended: Option<Ended>,
    /// The row may have changed since the read was sent. It is read once more.
    pub(crate) is_outdated: bool,
    /// Maintenance wants the row to be looked at.
    pub(crate) needs_recheck: bool,
}

/// How far reading a row has come.
#[derive(Debug)]
pub(crate) enum ReadStage {
    /// The read is not sent yet.
    Queued(Urgency),
    /// The read was sent.
    Sent,
    /// The row is there, and its definition is being read.
    Undefined(Box<WorkEntry>),
}

impl Default for ReadStage {
    fn default() -> Self {
        Self::Queued(Urgency::Now)
    }
}

/// When the read of a row is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Before others.
    Now,
    /// After those, and not while the engine stops.
    Ahead,
    /// When the store has had a rest.
    Later,
}

/// An attempt that came to its end, with the row as it was then.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) row: Box<Row>,
    pub(crate) finished: Box<Finished>,
    /// Whether a batch that settled the attempt has landed: if the row has moved on, that batch has moved it.
    pub(crate) may_be_settled: bool,
}

/// A row that is being written.
#[derive(Debug)]
pub(crate) struct Writing {
    /// The row as it was read.
    pub(crate) row: Box<Row>,
    pub(crate) reason: WriteReason,
    pub(crate) next: Next,
    pub(crate) is_outdated: bool,
    /// Maintenance wants the row to be looked at once it is written.
    pub(crate) needs_recheck: bool,
}

/// Why a row is written.
#[derive(Debug)]
pub(crate) enum WriteReason {
    /// An attempt came to its end.
    Settled(Box<Finished>),
    /// The row was due, and was decided about without an attempt.
    Decided,
    /// The row was looked at again; on behalf of maintenance or not.
    Rechecked { is_asked_for: bool },
    /// The attempt is about to be sent again. It has its slot.
    Resend(Slot),
}

impl WriteReason {
    /// Whether the write follows from what was read, and not from what happened. Maintenance looks at rows of all nodes.
    pub(crate) const fn is_decision(&self) -> bool {
        matches!(self, Self::Decided | Self::Resend(_))
    }
}

/// A resend that is written.
#[derive(Debug)]
pub(crate) struct Resend {
    pub(crate) row: Box<Row>,
    pub(crate) slot: Slot,
}

/// What follows when a change is written.
#[derive(Debug)]
pub(crate) struct Next {
    /// When the row wakes next, if it does.
    pub(crate) key: Option<DueKey>,
    /// The new row beside the schedule, but for its number.
    pub(crate) beside: Option<DueKey>,
    pub(crate) has_job_ended: bool,
    /// Whether the attempt that is settled is made again.
    pub(crate) is_retried: bool,
}

impl HeldBack {
    /// The state of a row from now on, until its job is free.
    pub(crate) fn state_of(row: &Row) -> RowState {
        let waits_for_schedule = row.job.definition.definition.options.overlap() == Overlap::Skip;
        row.key().map_or(RowState::Unknown, |key| RowState::HeldBack(Box::new(Self { key, waits_for_schedule })))
    }
}

impl Reading {
    /// A row that is read as soon as possible.
    pub(crate) fn urgent() -> Self {
        Self::default()
    }

    /// A row that is read for its lane, in which it starts soon.
    pub(crate) fn ahead(lane: Lane, has_waited: bool) -> RowState {
        let stage = ReadStage::Queued(Urgency::Ahead);
        RowState::Reading(Box::new(Self { stage, lane: Some(lane), has_waited, ..Self::urgent() }))
    }

    /// A row that is read for maintenance.
    pub(crate) fn rechecked() -> RowState {
        RowState::Reading(Box::new(Self { needs_recheck: true, ..Self::urgent() }))
    }

    /// The same row, read from the beginning.
    pub(crate) fn again(mut self: Box<Self>, urgency: Urgency) -> RowState {
        self.stage = ReadStage::Queued(urgency);
        self.is_outdated = false;
        RowState::Reading(self)
    }
}

impl Writing {
    pub(crate) fn new(row: Box<Row>, reason: WriteReason, change: &WorkChange, needs_recheck: bool) -> Self {
        Self { row, reason, next: Next::of(change), is_outdated: false, needs_recheck }
    }

    /// The attempt that is settled, if one is.
    pub(crate) fn finished(&self) -> Option<&Finished> {
        if let WriteReason::Settled(finished) = &self.reason { Some(finished) } else { None }
    }

    /// Whether maintenance waits for this row.
    pub(crate) fn is_rechecked(&self) -> bool {
        self.needs_recheck || matches!(self.reason, WriteReason::Rechecked { is_asked_for: true })
    }
}

impl Next {
    fn of(change: &WorkChange) -> Self {
        let WorkChange { id, job, lane, .. } = *change;
        let key = |wake_at: Timestamp| DueKey { wake_at, lane, id, job };
        let (open, beside) = match &change.row {
            RowChange::Schedule { progress, beside } => (progress.open, *beside),
            RowChange::Beside { occurrence, .. } => (*occurrence, None),
            RowChange::Resent => (None, None),
        };
        Self {
            key: open.map(|open| key(open.wake_at)),
            beside: beside.map(|beside| key(beside.occurrence.wake_at)),
            has_job_ended: change.ends.is_some(),
            // The record of an attempt that is settled comes first.
            is_retried: change.records.first().is_some_and(|entry| entry.record.retry_at.is_some()),
        }
    }
}

impl Flight {
    /// What the attempt has shown of its host.
    pub(crate) fn lesson(&self, trouble: HostTrouble) -> Lesson {
        Lesson { trouble, is_slow: self.is_slow && trouble == HostTrouble::None }
    }
}
