//! What is to be written, and what follows when it is.

use std::collections::HashMap;
use std::sync::Arc;

use punctual_model::event::{Event, EventKind};
use punctual_model::time::Timestamp;
use punctual_store::{
    Batch as StoreBatch, BatchId, BatchOutcome, DueKey, HistoryEntry, JobId, NodeId, RowChange, WorkChange, WorkId,
    Written,
};

use super::{Effect, Engine, STORE_REST_TICKS};
use crate::flight::{Finished, Row};
use crate::settlement;
use crate::wire::Place;

/// Changes in one batch: about ten milliseconds of work for the store.
const BATCH_MAX: usize = 1000;

/// Batches that are being written: while one is on its way to the disk, the next is made ready.
const BATCHES_MAX: usize = 2;

/// Why a row is written.
#[derive(Debug)]
pub(super) enum Cause {
    /// An attempt came to its end.
    Settled(Box<Row>, Finished),
    /// It was decided about, without an attempt.
    Decided(Box<Row>),
    /// Something was made good of it.
    Tended(Box<Row>),
    /// Something was added to the row of an attempt that is on the wire.
    Aside(Box<Row>),
    /// It is about to be sent once more, and has a place on the wire.
    Resending(Box<Row>, Place),
}

impl Cause {
    /// The row as it was read.
    fn row(&self) -> &Row {
        match self {
            Self::Settled(row, _)
            | Self::Decided(row)
            | Self::Tended(row)
            | Self::Aside(row)
            | Self::Resending(row, _) => row,
        }
    }
}

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    open: Vec<(Box<WorkChange>, Cause)>,
    notes: Vec<HistoryEntry>,
    writing: HashMap<BatchId, Batch>,
    number: usize,
    last: u64,
    /// Nothing is written before this reading of the steady clock: the store could not.
    rests_until: i64,
}

/// A batch on its way.
#[derive(Debug)]
struct Batch {
    changes: Vec<(Next, Cause)>,
    notes: Vec<HistoryEntry>,
}

/// What follows when a change is written.
#[derive(Debug)]
struct Next {
    id: WorkId,
    job: JobId,
    key: Option<DueKey>,
    /// What gets a row of its own, but for its number.
    beside: Option<DueKey>,
    has_ended: bool,
    events: Vec<Event>,
}

impl Drafts {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.notes.is_empty() && self.writing.is_empty()
    }

    /// Changes that are not yet written.
    pub(super) fn len(&self) -> usize {
        self.number
    }

    pub(super) fn note(&mut self, note: HistoryEntry) {
        self.notes.push(note);
    }
}

impl Engine {
    /// Has a row written.
    pub(super) fn draft(&mut self, change: Box<WorkChange>, cause: Cause) {
        self.drafts.number += 1;
        self.drafts.open.push((change, cause));
    }

    /// Sends off what is to be written, if whoever writes has room for it.
    pub(super) fn write(&mut self) {
        if self.clock.steady() < self.drafts.rests_until {
            return;
        }
        while self.drafts.writing.len() < BATCHES_MAX && !(self.drafts.open.is_empty() && self.drafts.notes.is_empty())
        {
            let rest = self.drafts.open.split_off(self.drafts.open.len().min(BATCH_MAX));
            let mut drafts = std::mem::replace(&mut self.drafts.open, rest);
            // In the order of the table, so that its pages are written one after the other.
            drafts.sort_unstable_by_key(|(change, _)| change.id);
            let notes = std::mem::take(&mut self.drafts.notes);
            let mut changes = Vec::with_capacity(drafts.len());
            let mut kept = Vec::with_capacity(drafts.len());
            for (change, cause) in drafts {
                kept.push((next(&change, &cause), cause));
                changes.push(*change);
            }
            self.drafts.last += 1;
            let batch = BatchId(self.drafts.last);
            self.drafts.writing.insert(batch, Batch { changes: kept, notes: notes.clone() });
            self.effects.push(Effect::Write(StoreBatch { node: NodeId::ONLY, id: batch, changes, notes }));
        }
    }

    pub(super) fn hear_written(&mut self, batch: BatchId, result: BatchOutcome) {
        let Some(Batch { changes, notes }) = self.drafts.writing.remove(&batch) else { return };
        self.drafts.number -= changes.len();
        let BatchOutcome::Written(results) = result else {
            // A store that could not write has written nothing. All is read and decided anew when it can.
            self.drafts.notes.extend(notes);
            self.drafts.rests_until = self.clock.steady() + STORE_REST_TICKS;
            self.want_later(changes.iter().map(|(next, _)| next.id));
            for (next, cause) in changes {
                self.is_stale(&next, cause);
            }
            return;
        };
        for ((next, cause), written) in changes.into_iter().zip(results) {
            match written {
                Written::Applied { .. } if matches!(cause, Cause::Resending(..)) => self.is_counted(cause),
                Written::Applied { beside, .. } => self.is_written(next, &cause, beside),
                Written::Stale | Written::Refused(_) => {
                    self.wanted.push(next.id);
                    self.is_stale(&next, cause);
                }
            }
        }
    }

    fn is_written(&mut self, next: Next, cause: &Cause, beside: Option<WorkId>) {
        self.effects.extend(next.events.into_iter().map(Effect::Say));
        self.was_read_early(next.id);
        if next.has_ended {
            self.memory.forget(next.job);
        }
        if !matches!(cause, Cause::Aside(_)) {
            self.lanes.forget(next.id);
            if let Some(key) = next.key {
                self.lanes.put(key);
            }
        }
        if let (Some(key), Some(id)) = (next.beside, beside) {
            self.lanes.put(DueKey { id, ..key });
        }
        if matches!(cause, Cause::Tended(_) | Cause::Aside(_)) {
            self.is_attended(next.id);
        } else if self.attended.contains(&next.id) {
            self.wanted.push(next.id);
        }
    }

    /// Whoever reads a row now may have read it before it was written.
    fn was_read_early(&mut self, id: WorkId) {
        if let Some(is_early) = self.reading.get_mut(&id) {
            *is_early = true;
        }
    }

    fn is_stale(&mut self, next: &Next, cause: Cause) {
        match cause {
            Cause::Settled(row, finished) => _ = self.unsettled.insert(next.id, (row, finished)),
            // It is looked at as if it had just been found.
            Cause::Decided(_) | Cause::Tended(_) => self.lanes.forget(next.id),
            Cause::Aside(_) => {}
            Cause::Resending(row, place) => {
                self.leave_wire(&row, &place);
                self.lanes.forget(next.id);
            }
        }
    }

    /// It is on disk that a row is sent once more.
    fn is_counted(&mut self, cause: Cause) {
        let Cause::Resending(mut row, place) = cause else { return };
        row.entry.revision.0 += 1;
        row.entry.resends += 1;
        self.was_read_early(row.entry.id);
        if self.attended.contains(&row.entry.id) {
            // It was asked for while this was being written.
            self.wanted.push(row.entry.id);
        }
        self.counted.push((*row, place));
    }
}

fn next(change: &WorkChange, cause: &Cause) -> Next {
    let (id, job, lane) = (change.id, change.job, change.lane);
    let key = |wake_at: Timestamp| DueKey { wake_at, lane, id, job };
    let (open, beside) = match &change.row {
        RowChange::Schedule { progress, beside } => (progress.open, *beside),
        RowChange::Beside { occurrence, .. } => (*occurrence, None),
        RowChange::Resent => (None, None),
    };
    Next {
        id,
        job,
        key: open.map(|open| key(open.wake_at)),
        beside: beside.map(|beside| key(beside.wake_at)),
        has_ended: change.ends.is_some(),
        events: events(change, cause),
    }
}

/// What is told when a change is written.
fn events(change: &WorkChange, cause: &Cause) -> Vec<Event> {
    let path = &cause.row().job.stored.path;
    let retry_at = if let Cause::Settled(_, finished) = cause { settlement::retry_at(change, finished) } else { None };
    let event = |entry: &HistoryEntry| {
        let kind = EventKind::of_record(&entry.record, retry_at);
        Event { at: entry.record.ended, path: Some(Arc::clone(path)), kind }
    };
    change.records.iter().map(event).collect()
}
