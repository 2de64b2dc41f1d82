//! Attempts that are on the wire.

use std::collections::VecDeque;
use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_model::occurrence::{Occurrence, OccurrenceId};
use punctual_model::time::Timestamp;
use punctual_store::{JobId, OpenWork, WorkEntry, WorkId};
use sha2::{Digest, Sha256};

use crate::number_map::NumberMap;
use crate::terms::LoadedJob;
use crate::wire::{Place, SLOW_TICKS_MIN, Wire};

/// A row of work with the job it is of.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) entry: WorkEntry,
    pub(crate) job: Arc<LoadedJob>,
}

impl Row {
    /// What is open, if anything is.
    pub(crate) fn open(&self) -> Option<Occurrence> {
        match &self.entry.open {
            OpenWork::Schedule(progress) => progress.open,
            OpenWork::Beside { occurrence, .. } => Some(*occurrence),
        }
    }

    /// Whether it is that of a schedule.
    pub(crate) fn is_schedule(&self) -> bool {
        matches!(self.entry.open, OpenWork::Schedule(_))
    }
}

/// The number of an attempt since the start of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlightId(pub u64);

/// An attempt on the wire.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) row: Box<Row>,
    pub(crate) place: Place,
    pub(crate) occurrence: Occurrence,
    pub(crate) started: Timestamp,
    /// The reading of the steady clock then.
    pub(crate) started_steady: i64,
    /// Its row was written by someone else meanwhile, and has to be read before it is settled.
    pub(crate) is_outdated: bool,
    pub(crate) is_slow: bool,
}

impl Flight {
    /// What is to be done.
    pub(crate) fn call(&self) -> Call {
        let stored = &self.row.job.stored;
        let occurrence = self.occurrence.id(stored.uid);
        Call {
            definition: Arc::clone(&stored.definition),
            phase: self.occurrence.phase,
            job_path: Arc::clone(&stored.path),
            occurrence,
            attempt_id: attempt_id(occurrence, self.occurrence.attempt),
            nominal: self.occurrence.nominal,
            started: self.started,
            is_resent: self.is_resent(),
        }
    }

    /// Whether the target may have received it before.
    fn is_resent(&self) -> bool {
        self.row.entry.resends > 0 || self.occurrence.is_rerun()
    }

    /// The attempt, come to its end.
    pub(crate) fn finish(self, ended: Timestamp, outcome: Outcome) -> (Box<Row>, Finished) {
        let is_resent = self.is_resent();
        let finished = Finished {
            occurrence: self.occurrence,
            started: self.started,
            // The clock may have gone back.
            ended: ended.max(self.started),
            outcome,
            is_resent,
        };
        (self.row, finished)
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

/// Derived, so that a resend of the same attempt carries the same.
fn attempt_id(occurrence: OccurrenceId, attempt: u32) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(occurrence.bytes());
    hash.update(attempt.to_be_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

/// All attempts on the wire.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    by_id: NumberMap<FlightId, Flight>,
    by_row: NumberMap<WorkId, FlightId>,
    /// Attempts of each job.
    of_job: NumberMap<JobId, u32>,
    /// In the order in which they started, until they are slow.
    young: VecDeque<(i64, FlightId)>,
    last: u64,
}

impl Flights {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether an attempt of a row is on the wire.
    pub(crate) fn has_row(&self, row: WorkId) -> bool {
        self.by_row.contains_key(&row)
    }

    /// Whether an attempt of a row is on the wire, and another than the one that is open.
    pub(crate) fn has_other(&self, row: WorkId, open: Option<Occurrence>) -> bool {
        let flight = self.by_row.get(&row).and_then(|id| self.by_id.get(id));
        flight.is_some_and(|flight| open.is_none_or(|open| !open.is_same_attempt(&flight.occurrence)))
    }

    /// Whether something of a job is on the wire.
    pub(crate) fn has(&self, job: JobId) -> bool {
        self.of_job.contains_key(&job)
    }

    /// Something of a job is about to be on the wire.
    pub(crate) fn hold(&mut self, job: JobId) {
        *self.of_job.entry(job).or_default() += 1;
    }

    /// It is not, after all, or not any more.
    pub(crate) fn release(&mut self, job: JobId) {
        if let Some(number) = self.of_job.get_mut(&job) {
            *number -= 1;
            if *number == 0 {
                self.of_job.remove(&job);
            }
        }
    }

    pub(crate) fn start(&mut self, flight: Flight) -> FlightId {
        self.last += 1;
        let id = FlightId(self.last);
        self.hold(flight.row.entry.job);
        self.by_row.insert(flight.row.entry.id, id);
        self.young.push_back((flight.started_steady, id));
        self.by_id.insert(id, flight);
        id
    }

    pub(crate) fn end(&mut self, id: FlightId) -> Option<Flight> {
        let flight = self.by_id.remove(&id)?;
        self.by_row.remove(&flight.row.entry.id);
        self.release(flight.row.entry.job);
        Some(flight)
    }

    /// The row of an attempt was, or may have been, written by someone else.
    pub(crate) fn outdate(&mut self, row: WorkId) {
        if let Some(flight) = self.by_row.get(&row).and_then(|id| self.by_id.get_mut(id)) {
            flight.is_outdated = true;
        }
    }

    /// The rows of all of them may have been written by someone else.
    pub(crate) fn outdate_all(&mut self) {
        for flight in self.by_id.values_mut() {
            flight.is_outdated = true;
        }
    }

    /// Tells the wire which of them have become slow by now.
    pub(crate) fn become_slow(&mut self, steady: i64, wire: &mut Wire) {
        while let Some((started, id)) = self.young.front().copied() {
            let is_over = !self.by_id.contains_key(&id);
            if !is_over && steady - started < SLOW_TICKS_MIN {
                break;
            }
            self.young.pop_front();
            if let Some(flight) = self.by_id.get_mut(&id) {
                flight.is_slow = true;
                wire.is_slow(&mut flight.place);
            }
        }
    }
}
