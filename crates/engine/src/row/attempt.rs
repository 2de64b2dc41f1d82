//! An attempt: in flight, and come to its end.

use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_model::event::AttemptEvent;
use punctual_model::occurrence::{Occurrence, OccurrenceId};
use punctual_model::time::Timestamp;
use punctual_store::WorkId;
use sha2::{Digest, Sha256};

use super::Row;
use crate::concurrency::Slot;

/// The name of an attempt since the start of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlightId {
    /// The row it is of.
    pub row: WorkId,
    /// Its number: a row has many attempts, one after the other.
    pub number: u64,
}

/// An attempt in flight.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) row: Box<Row>,
    pub(crate) slot: Slot,
    pub(crate) number: u64,
    pub(crate) occurrence: Occurrence,
    pub(crate) started: Timestamp,
    /// The row was changed by someone else since it was read. It is read again before the attempt is settled.
    pub(crate) is_outdated: bool,
    pub(crate) is_slow: bool,
}

impl Flight {
    pub(crate) fn id(&self) -> FlightId {
        FlightId { row: self.row.entry.id, number: self.number }
    }

    /// What the executor is given.
    pub(crate) fn call(&self) -> Call {
        let definition = &self.row.job.definition;
        let occurrence = self.occurrence.id(definition.uid);
        Call {
            definition: Arc::clone(&definition.definition),
            phase: self.occurrence.phase,
            job_path: Arc::clone(&definition.path),
            occurrence,
            attempt_id: attempt_id(occurrence, self.occurrence.attempt),
            attempt: self.occurrence.attempt.saturating_add(1),
            failure: self.row.entry.failure.clone(),
            nominal: self.occurrence.nominal,
            started: self.started,
            is_resent: self.is_resent(),
            trace: None,
        }
    }

    /// What those who watch are told of its start.
    pub(crate) fn event(&self, call: &Call) -> AttemptEvent {
        AttemptEvent {
            occurrence: call.occurrence,
            phase: call.phase,
            retry: self.occurrence.attempt,
            nominal: self.occurrence.nominal,
            started: self.started,
            is_resent: call.is_resent,
        }
    }

    /// Whether the target may have received the attempt before.
    fn is_resent(&self) -> bool {
        self.row.entry.resends > 0 || self.occurrence.is_rerun()
    }

    /// The attempt, come to its end, with its row and slot.
    pub(crate) fn finish(self, ended: Timestamp, outcome: Outcome) -> (Box<Row>, Slot, Box<Finished>) {
        let is_resent = self.is_resent();
        let finished = Finished {
            occurrence: self.occurrence,
            started: self.started,
            // The clock may have gone back.
            ended: ended.max(self.started),
            outcome,
            is_resent,
        };
        (self.row, self.slot, Box::new(finished))
    }
}

/// An attempt that came to its end.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) occurrence: Occurrence,
    pub(crate) started: Timestamp,
    pub(crate) ended: Timestamp,
    pub(crate) outcome: Outcome,
    pub(crate) is_resent: bool,
}

/// The id of an attempt is derived, so that a resend of the same attempt carries the same.
fn attempt_id(occurrence: OccurrenceId, attempt: u32) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(occurrence.bytes());
    hash.update(attempt.to_be_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}
