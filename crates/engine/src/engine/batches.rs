//! What is to be written, batch by batch, and what follows when it is.

use std::collections::{HashMap, VecDeque};

use punctual_model::history::{NotRun, Status};
use punctual_store::{Batch, BatchId, BatchOutcome, Error, HistoryEntry, NodeId, WorkChange, WorkId, Written};

use super::{Effect, Engine, STORE_REST_TICKS};
use crate::row::RowEvent;
use crate::troubles::StoreTask;

/// Changes in one batch: about ten milliseconds of work for the store.
const BATCH_MAX: usize = 1000;

/// Batches that are being written: while one is on its way to the disk, the next is made ready.
const BATCHES_MAX: usize = 2;

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Batches {
    changes: VecDeque<WorkChange>,
    notes: Vec<HistoryEntry>,
    in_progress: HashMap<BatchId, InProgress>,
    /// Batches of unknown outcome, about which the store is to be asked.
    unknown: Vec<BatchId>,
    last: u64,
    /// Nothing is sent before this reading of the steady clock: the store could not write.
    rests_until: i64,
}

/// A batch on its way.
#[derive(Debug)]
struct InProgress {
    /// The node in whose name it was sent.
    node: NodeId,
    rows: Vec<WorkId>,
    notes: Vec<HistoryEntry>,
    /// Times that are recorded as not run, in the order of their rows.
    not_run: Vec<(WorkId, NotRun)>,
}

impl Batches {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.notes.is_empty() && self.in_progress.is_empty()
    }

    pub(super) fn add(&mut self, change: Box<WorkChange>) {
        self.changes.push_back(*change);
    }

    pub(super) fn note(&mut self, note: HistoryEntry) {
        self.notes.push(note);
    }

    /// The next batch, if there is something to write and the store has room for it.
    fn next(&mut self, node: NodeId) -> Option<Batch> {
        let is_nothing_left = self.changes.is_empty() && self.notes.is_empty();
        if is_nothing_left || self.in_progress.len() >= BATCHES_MAX {
            return None;
        }
        let mut changes: Vec<WorkChange> = self.changes.drain(..self.changes.len().min(BATCH_MAX)).collect();
        // In the order of the table, so that its pages are written one after the other.
        changes.sort_unstable_by_key(|change| change.id);
        let mut notes = std::mem::take(&mut self.notes);
        let records = changes.iter_mut().flat_map(|change| &mut change.records);
        records.chain(&mut notes).for_each(|entry| entry.node = node.0);
        self.last += 1;
        let id = BatchId(self.last);
        let rows = changes.iter().map(|change| change.id).collect();
        let not_run = changes.iter().flat_map(not_run).collect();
        self.in_progress.insert(id, InProgress { node, rows, notes: notes.clone(), not_run });
        Some(Batch { node, id, changes, notes })
    }
}

impl Engine {
    /// Sends off what is to be written, and asks about batches of unknown outcome.
    pub(super) fn send_batches(&mut self) {
        if self.clock.steady() < self.batches.rests_until {
            return;
        }
        for id in std::mem::take(&mut self.batches.unknown) {
            let batch = self.batches.in_progress.get(&id);
            self.effects.extend(batch.map(|batch| Effect::AskLanded(batch.node, id)));
        }
        let node = self.node();
        while let Some(batch) = self.batches.next(node) {
            self.effects.push(Effect::Write(batch));
        }
    }

    pub(super) fn hear_written(&mut self, id: BatchId, outcome: BatchOutcome) {
        let error = match &outcome {
            BatchOutcome::Written(_) => None,
            BatchOutcome::NotWritten(error) | BatchOutcome::Unknown(error) => Some(error),
        };
        self.troubles.record(StoreTask::Write, error, self.clock.steady());
        match outcome {
            BatchOutcome::Written(results) => {
                let Some(batch) = self.batches.in_progress.remove(&id) else { return };
                self.end_batch(batch, results.into_iter().map(event));
            }
            BatchOutcome::NotWritten(_) => self.write_again(id),
            BatchOutcome::Unknown(_) => {
                self.batches.rests_until = self.clock.steady() + STORE_REST_TICKS;
                self.batches.unknown.push(id);
            }
        }
    }

    pub(super) fn hear_landed(&mut self, id: BatchId, landed: &Result<bool, Error>) {
        self.troubles.record(StoreTask::Write, landed.as_ref().err(), self.clock.steady());
        match landed {
            Ok(true) => {
                let Some(batch) = self.batches.in_progress.remove(&id) else { return };
                self.end_batch(batch, std::iter::repeat_with(|| RowEvent::Landed));
            }
            Ok(false) => self.write_again(id),
            Err(_) => {
                self.batches.rests_until = self.clock.steady() + STORE_REST_TICKS;
                self.batches.unknown.push(id);
            }
        }
    }

    /// Nothing of a batch was written: its rows are read and decided about as they are when the store has had its rest.
    fn write_again(&mut self, id: BatchId) {
        let Some(mut batch) = self.batches.in_progress.remove(&id) else { return };
        self.batches.notes.append(&mut batch.notes);
        self.batches.rests_until = self.clock.steady() + STORE_REST_TICKS;
        self.rest();
        self.end_batch(batch, std::iter::repeat_with(|| RowEvent::NotWritten));
    }

    fn end_batch(&mut self, batch: InProgress, events: impl Iterator<Item = RowEvent>) {
        let before = self.rows.totals().rechecks;
        let mut not_run = batch.not_run.into_iter().peekable();
        for (id, event) in batch.rows.into_iter().zip(events) {
            let is_on_disk = matches!(event, RowEvent::Written { .. } | RowEvent::Landed);
            while let Some((_, range)) = not_run.next_if(|(row, _)| *row == id) {
                if is_on_disk {
                    self.count_not_run(id, range);
                }
            }
            self.metrics.engine.settlements.add(is_on_disk.into());
            if is_on_disk {
                self.trace_settled(id);
            }
            self.apply(id, event);
        }
        self.release_stalled();
        self.report_rechecked(before);
    }
}

/// What a change records as not run.
fn not_run(change: &WorkChange) -> impl Iterator<Item = (WorkId, NotRun)> {
    let ranges = change.records.iter().filter_map(|entry| match entry.record.status {
        Status::Postponed(range) => Some(range),
        Status::Completed(_) | Status::Failed(_) => None,
    });
    ranges.map(|range| (change.id, range))
}

fn event(written: Written) -> RowEvent {
    match written {
        Written::Applied { revision, beside } => RowEvent::Written { revision, beside },
        Written::Stale => RowEvent::Stale,
        Written::Refused(reason) => RowEvent::Refused(reason),
    }
}
