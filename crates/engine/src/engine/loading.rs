//! Rows and definitions, from when they are asked for to when they stand in their lanes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use punctual_model::time::Timestamp;
use punctual_store::{DefinitionRead, DueKey, Error, JobId, WorkEntry, WorkId, WorkRead};

use super::drafts::Cause;
use super::{Effect, Engine};
use crate::flight::{Finished, Row};
use crate::lanes::LOAD_TICKS;
use crate::settlement::{self, Settled};
use crate::terms::LoadedJob;

/// Rows in one read.
const ROWS_PER_READ: usize = 512;

/// Reads at once: while one is on its way, the next is made.
const READS_MAX: usize = 2;

impl Engine {
    /// Has rows read.
    pub(super) fn load(&mut self) {
        while self.loads < READS_MAX {
            let extra = self.wanted.len().min(ROWS_PER_READ);
            let mut ids: Vec<WorkId> = self.wanted.drain(..extra).collect();
            if !self.is_stopping {
                ids.extend(self.lanes.take_wanted(ROWS_PER_READ - extra));
            }
            if ids.is_empty() {
                return;
            }
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|id| self.begin_reading(*id));
            if ids.is_empty() {
                continue;
            }
            self.loads += 1;
            self.effects.push(Effect::ReadWork(ids));
        }
    }

    /// Says whether a row is to be read now. If it is being read, that was asked too early: it is read once more then.
    fn begin_reading(&mut self, id: WorkId) -> bool {
        let is_being_read = self.reading.contains_key(&id);
        self.reading.insert(id, is_being_read);
        !is_being_read
    }

    pub(super) fn hear_work(&mut self, asked: &[WorkId], read: Result<Vec<WorkRead>, Error>, now: Timestamp) {
        self.loads -= 1;
        let Ok(read) = read else {
            self.could_not_load(asked, now);
            return;
        };
        let entries: Vec<WorkEntry> = read.into_iter().filter_map(Result::ok).collect();
        let found: BTreeSet<WorkId> = entries.iter().map(|entry| entry.id).collect();
        let mut unknown = Vec::new();
        for entry in entries {
            if let Some(job) = self.memory.get(entry.job, entry.job_revision) {
                self.admit(Box::new(Row { entry, job }), now);
                continue;
            }
            let waiting = self.unread.entry(entry.job).or_default();
            if waiting.is_empty() {
                unknown.push(entry.job);
            }
            waiting.push(entry);
        }
        for id in asked.iter().filter(|id| !found.contains(id)) {
            self.is_gone(*id);
        }
        if !unknown.is_empty() {
            self.effects.push(Effect::ReadDefinitions(unknown));
        }
    }

    pub(super) fn hear_definitions(
        &mut self,
        asked: &[JobId],
        read: Result<Vec<DefinitionRead>, Error>,
        now: Timestamp,
    ) {
        let Ok(definitions) = read else {
            let entries = asked.iter().flat_map(|id| self.unread.remove(id).unwrap_or_default());
            let ids: Vec<WorkId> = entries.map(|entry| entry.id).collect();
            self.could_not_load(&ids, now);
            return;
        };
        let mut jobs = HashMap::new();
        for definition in definitions {
            match definition.map(|definition| (definition.id, LoadedJob::new(definition))) {
                Ok((id, Some(job))) => {
                    let job = Arc::new(job);
                    self.memory.put(Arc::clone(&job));
                    jobs.insert(id, job);
                }
                Ok((id, None)) => tracing::error!("job number {} cannot run: its schedule cannot be read", id.0),
                Err((id, error)) => tracing::error!("job number {} cannot run: {error}", id.0),
            }
        }
        for id in asked {
            for entry in self.unread.remove(id).unwrap_or_default() {
                match jobs.get(id) {
                    Some(job) if job.stored.revision == entry.job_revision => {
                        let job = Arc::clone(job);
                        self.admit(Box::new(Row { entry, job }), now);
                    }
                    // It was edited in between: both are read once more.
                    Some(_) => {
                        self.has_to_read_again(entry.id);
                        self.wanted.push(entry.id);
                    }
                    None => self.has_no_definition(entry),
                }
            }
        }
    }

    /// The read of a row is over. If it was asked for too early, or the row was edited meanwhile, it is read once more.
    fn has_to_read_again(&mut self, id: WorkId) -> bool {
        let was_early = self.reading.remove(&id).unwrap_or(false);
        let is_outdated = self.lanes.take_outdated(id);
        if was_early || is_outdated {
            self.wanted.push(id);
        }
        was_early || is_outdated
    }

    /// The store could not read these rows, or the jobs they are of.
    fn could_not_load(&mut self, ids: &[WorkId], now: Timestamp) {
        self.lanes.not_loaded(ids, now);
        for id in ids {
            self.reading.remove(id);
        }
        let is_needed = |id: &&WorkId| self.unsettled.contains_key(id) || self.attended.contains(id);
        let needed: Vec<WorkId> = ids.iter().filter(is_needed).copied().collect();
        self.want_later(needed);
    }

    /// A row was read together with its definition.
    fn admit(&mut self, mut row: Box<Row>, now: Timestamp) {
        let id = row.entry.id;
        if self.has_to_read_again(id) {
            return;
        }
        if let Some((_, finished)) = self.unsettled.remove(&id) {
            let Some(moved_on) = self.settle(row, finished) else { return };
            row = moved_on;
        }
        // What is on the wire may be an attempt that the row is not at any more.
        let is_stray = self.flights.has_other(id, row.open());
        let is_busy = self.lanes.is_busy(id) && !is_stray;
        let is_attended = self.attended.contains(&id);
        // What was on the wire meanwhile is settled as things are now.
        self.flights.outdate(id);
        if is_attended && is_busy && row.is_schedule() && !self.flights.has_row(id) {
            // What is being written was decided before. It is looked at when that is done.
            return;
        }
        if is_attended || !row.entry.pauses.is_empty() || row.open().is_none() {
            let account_until = self.account_until.filter(|_| is_attended);
            if let Some(change) = settlement::tend(&row, account_until, is_busy, now) {
                if is_busy || is_stray {
                    self.draft(change, Cause::Aside(row));
                } else {
                    self.lanes.set_busy(id, row.entry.job);
                    self.draft(change, Cause::Tended(row));
                }
                return;
            }
            self.is_attended(id);
        }
        if !is_busy && !is_stray {
            self.stand_in_line(row, now);
        }
    }

    /// Puts a row where it belongs by its wake time.
    fn stand_in_line(&mut self, row: Box<Row>, now: Timestamp) {
        let (id, job, lane) = (row.entry.id, row.entry.job, row.entry.lane);
        let key = row.open().map(|open| DueKey { wake_at: open.wake_at, lane, id, job });
        if self.lanes.is_loading(id) {
            if let Some(key) = key.filter(|key| key.wake_at <= now.saturating_add(LOAD_TICKS)) {
                self.lanes.is_loaded(key, row);
                self.effects.extend(self.watermark.ask(key.wake_at, now).map(Effect::SetWatermark));
                return;
            }
            self.lanes.forget(id);
        } else if self.lanes.knows(id) {
            // Whatever is known of it will have it read.
            return;
        }
        if let Some(key) = key {
            self.lanes.put(key);
        }
    }

    /// Settles an attempt of a row that was read since. The row is given back if it has moved on: then it is like any
    /// other.
    pub(super) fn settle(&mut self, row: Box<Row>, finished: Finished) -> Option<Box<Row>> {
        match settlement::settle_row(&row, &finished) {
            Settled::Change(change) => {
                self.draft(change, Cause::Settled(row, finished));
                None
            }
            Settled::Duplicate(note) => {
                self.drafts.note(note);
                self.lanes.forget(row.entry.id);
                Some(row)
            }
        }
    }

    /// A row is not there any more.
    fn is_gone(&mut self, id: WorkId) {
        if self.has_to_read_again(id) {
            return;
        }
        if let Some((row, finished)) = self.unsettled.remove(&id) {
            self.drafts.note(settlement::last_words(&row, &finished));
            self.lanes.forget(id);
        } else if !self.lanes.is_busy(id) {
            self.lanes.forget(id);
        }
        self.is_attended(id);
    }

    /// The definition of a row was not found in the version that it names.
    fn has_no_definition(&mut self, entry: WorkEntry) {
        let id = entry.id;
        if self.has_to_read_again(id) {
            return;
        }
        if let Some((row, finished)) = self.unsettled.remove(&id) {
            // What it was started with will do.
            self.settle(Box::new(Row { entry, job: row.job }), finished);
            self.is_attended(id);
        } else {
            // It cannot be read. It is tried again when everything is read anew.
            self.is_attended(id);
            if !self.lanes.is_busy(id) {
                self.lanes.forget(id);
            }
        }
    }

    pub(super) fn is_attended(&mut self, id: WorkId) {
        if self.attended.remove(&id) && self.attended.is_empty() {
            self.effects.push(Effect::Attended);
        }
    }
}
