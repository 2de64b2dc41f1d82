//! Rows and definitions, from when they are asked for to when they stand in their lanes.

use std::collections::BTreeSet;
use std::sync::Arc;

use punctual_model::time::Timestamp;
use punctual_store::{DefinitionRead, DueKey, Error, JobId, WorkEntry, WorkId};

use super::drafts::Cause;
use super::{Effect, Engine};
use crate::flight::{Finished, Row};
use crate::lanes::LOAD_TICKS;
use crate::settlement::{self, Settled};
use crate::terms::Job;

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
            self.loads += 1;
            self.effects.push(Effect::ReadWork(ids));
        }
    }

    pub(super) fn hear_work(&mut self, asked: &[WorkId], read: Result<Vec<WorkEntry>, Error>, now: Timestamp) {
        self.loads -= 1;
        let Ok(entries) = read else {
            self.lanes.not_loaded(asked, now);
            let must = asked.iter().filter(|id| self.unsettled.contains_key(id) || self.attended.contains(id));
            self.wanted.extend(must);
            return;
        };
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
        for definition in read.unwrap_or_default() {
            match definition.map(|definition| (definition.id, Job::new(definition))) {
                Ok((_, Some(job))) => self.memory.put(Arc::new(job)),
                Ok((id, None)) => tracing::error!("job number {} cannot run: its schedule cannot be read", id.0),
                Err((id, error)) => tracing::error!("job number {} cannot run: {error}", id.0),
            }
        }
        for id in asked {
            for entry in self.unread.remove(id).unwrap_or_default() {
                match self.memory.get(entry.job, entry.job_revision) {
                    Some(job) => self.admit(Box::new(Row { entry, job }), now),
                    None => self.has_no_definition(entry),
                }
            }
        }
    }

    /// A row was read together with its definition.
    fn admit(&mut self, row: Box<Row>, now: Timestamp) {
        let id = row.entry.id;
        if self.lanes.take_outdated(id) {
            self.wanted.push(id);
            return;
        }
        if let Some((_, finished)) = self.unsettled.remove(&id) {
            self.settle(row, finished);
            return;
        }
        let is_busy = self.lanes.is_busy(id);
        if self.attended.contains(&id) || !row.entry.pauses.is_empty() {
            let account_until = self.account_until.filter(|_| self.attended.contains(&id));
            if let Some(change) = settlement::tend(&row, account_until, is_busy, now) {
                let path = Arc::clone(&row.job.stored.path);
                if is_busy {
                    self.flights.outdate(id);
                    self.draft(change, Cause::Aside(path));
                } else {
                    self.lanes.set_busy(id, row.entry.job);
                    self.draft(change, Cause::Decided(path));
                }
                return;
            }
            self.is_attended(id);
        }
        if !is_busy {
            self.stand_in_line(row, now);
        }
    }

    /// Puts a row where it belongs by its wake time.
    fn stand_in_line(&mut self, row: Box<Row>, now: Timestamp) {
        let (id, job, lane) = (row.entry.id, row.entry.job, row.entry.lane);
        let Some(open) = row.open() else {
            self.lanes.forget(id);
            return;
        };
        let key = DueKey { wake_at: open.wake_at, lane, id, job };
        let is_put_off = open.wake_at > now.saturating_add(LOAD_TICKS);
        if is_put_off || self.lanes.is_loaded(key, row).is_some() {
            self.lanes.forget(id);
            self.lanes.put(key);
        } else {
            self.effects.extend(self.watermark.ask(open.wake_at, now).map(Effect::SetWatermark));
        }
    }

    /// Settles an attempt of a row that was read since.
    fn settle(&mut self, row: Box<Row>, finished: Finished) {
        match settlement::settle_row(&row, &finished) {
            Settled::Change(change) => self.draft(change, Cause::Settled(row, finished)),
            Settled::Duplicate(note) => {
                self.drafts.note(note);
                let (id, job, lane) = (row.entry.id, row.entry.job, row.entry.lane);
                self.lanes.forget(id);
                if let Some(open) = row.open() {
                    self.lanes.put(DueKey { wake_at: open.wake_at, lane, id, job });
                }
            }
        }
    }

    /// A row is not there any more.
    fn is_gone(&mut self, id: WorkId) {
        if self.lanes.take_outdated(id) {
            self.wanted.push(id);
        } else if let Some((row, finished)) = self.unsettled.remove(&id) {
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
        if let Some((row, finished)) = self.unsettled.remove(&id) {
            // What it was started with will do.
            self.settle(Box::new(Row { entry, job: row.job }), finished);
        } else if self.memory.has(entry.job) {
            // It was edited in between: both are read once more.
            self.wanted.push(id);
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
