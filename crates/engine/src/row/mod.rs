//! A row of work on its way through the engine.

mod attempt;
mod event;
mod state;
mod step;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use punctual_model::occurrence::Occurrence;
use punctual_store::{DueKey, OpenWork, WorkEntry};

pub use self::attempt::FlightId;
pub(crate) use self::attempt::{Finished, Flight};
pub(crate) use self::event::{Moment, RowEffect, RowEvent, StepContext};
pub(crate) use self::state::{ReadStage, RowState, Urgency, WriteReason};
pub(crate) use self::step::step;
use crate::definitions::LoadedJob;

/// A row of work with the job it is of.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) entry: WorkEntry,
    pub(crate) job: Arc<LoadedJob>,
    /// The row was held back until the attempt of its job's schedule had ended, and does not wait for the next one.
    pub(crate) has_waited: bool,
}

impl Row {
    /// What is open, if anything is.
    pub(crate) fn open(&self) -> Option<Occurrence> {
        match &self.entry.open {
            OpenWork::Schedule(progress) => progress.open,
            OpenWork::Beside { occurrence, .. } => Some(*occurrence),
        }
    }

    /// Whether the row stands beside the schedule of its job.
    pub(crate) fn is_beside(&self) -> bool {
        matches!(self.entry.open, OpenWork::Beside { .. })
    }

    /// The place of the row in the order in which rows wake, if it wakes.
    pub(crate) fn key(&self) -> Option<DueKey> {
        let WorkEntry { id, job, lane, .. } = self.entry;
        self.open().map(|open| DueKey { wake_at: open.wake_at, lane, id, job })
    }
}
