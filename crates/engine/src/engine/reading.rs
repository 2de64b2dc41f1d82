//! Keys, rows and definitions, from when they are asked for to when the rows have them.

use std::sync::Arc;

use punctual_model::time::Timestamp;
use punctual_store::{DefinitionRead, DueKey, DuePage, Error, JobDefinition, JobId, WorkId, WorkPage};

use super::{Effect, Engine, STORE_REST_TICKS};
use crate::definitions::LoadedJob;
use crate::number_map::NumberMap;
use crate::row::{ReadStage, Row, RowEvent, RowState};
use crate::troubles::StoreTask;

/// Rows in one read.
const ROWS_PER_READ: usize = 512;

/// Reads at once: while one is on its way, the next is made.
const READS_MAX: usize = 2;

/// The definition of a job, or the reason why it cannot be used.
type Defined = Result<Arc<LoadedJob>, String>;

impl Engine {
    pub(super) fn hear_due(&mut self, page: DuePage, keys: Result<Vec<DueKey>, Error>) {
        let moment = self.moment();
        self.troubles.record(StoreTask::ReadDue, keys.as_ref().err(), self.clock.steady());
        let found = if let Some(lane) = page.lane {
            self.rows.indexes.lanes.end_fill(page, lane, keys.ok(), moment.now)
        } else {
            // A key counts as within reach while its page is being read.
            for key in keys.iter().flatten() {
                self.rows.put(*key, moment);
            }
            self.rows.indexes.lanes.record_page(page, keys.as_deref().ok(), moment.now);
            Vec::new()
        };
        for key in found {
            self.rows.put(key, moment);
        }
    }

    pub(super) fn hear_keys(&mut self, jobs: Vec<JobId>, keys: Result<Vec<DueKey>, Error>) {
        self.troubles.record(StoreTask::ReadDue, keys.as_ref().err(), self.clock.steady());
        if keys.is_err() {
            self.rest();
            self.rows.indexes.reads.read_keys_later(jobs);
        }
        let moment = self.moment();
        for key in keys.into_iter().flatten() {
            self.rows.put(key, moment);
        }
    }

    /// Has keys read ahead of their time: the next page of all lanes, and pages of lanes that had no room.
    pub(super) fn read_keys(&mut self, now: Timestamp) {
        let (known, shards) = (self.rows.in_window(), self.rows.ownership.shards);
        if shards.is_empty() {
            return;
        }
        let lanes = &mut self.rows.indexes.lanes;
        let of_all = lanes.next_page(known, now);
        self.effects.extend(of_all.map(|page| Effect::ReadDue(DuePage { shards, ..page })));
        while let Some(page) = self.rows.indexes.lanes.next_fill(known, now) {
            self.effects.push(Effect::ReadDue(DuePage { shards, ..page }));
        }
    }

    /// Leaves the store alone for a moment, because it could not do something.
    pub(super) fn rest(&mut self) {
        self.rows.indexes.reads.rest_until(self.clock.steady() + STORE_REST_TICKS);
    }

    /// Asks again for what the store could not read before its rest.
    pub(super) fn end_rest(&mut self) {
        let (rows, jobs) = self.rows.indexes.reads.take_rested(self.clock.steady());
        for id in rows {
            if matches!(self.rows.state(id), RowState::Reading(reading) if matches!(reading.stage, ReadStage::Queued(_)))
            {
                self.apply(id, RowEvent::Rested);
            }
        }
        if !jobs.is_empty() {
            self.effects.push(Effect::ReadDueOf(jobs));
        }
    }

    /// Looks at the lanes whose time has come: has rows read that are near, and puts lanes with something to start into
    /// the ring.
    pub(super) fn look_at_lanes(&mut self, now: Timestamp) {
        let are_jobs_held = self.rows.pauses.is_paused();
        while let Some(lane) = self.rows.indexes.lanes.take_alarm(are_jobs_held, now) {
            for id in self.rows.indexes.lanes.near(lane, now) {
                self.apply(id, RowEvent::ComesNear);
            }
            let known = self.rows.in_window();
            self.rows.indexes.lanes.end_look(lane, known, now);
        }
    }

    /// Sends the reads of rows that are to be read.
    pub(super) fn send_reads(&mut self) {
        while self.rows.indexes.reads.in_progress < READS_MAX {
            let mut ids = Vec::new();
            while ids.len() < ROWS_PER_READ
                && let Some((id, urgency)) = self.rows.indexes.reads.take_next(!self.is_stopping)
            {
                let RowState::Reading(reading) = self.rows.state(id) else { continue };
                if matches!(reading.stage, ReadStage::Queued(queued) if queued == urgency) {
                    self.apply(id, RowEvent::ReadSent);
                    ids.push(id);
                }
            }
            if ids.is_empty() {
                return;
            }
            ids.sort_unstable();
            let mut jobs: Vec<JobId> = ids.iter().map(|id| self.rows.job_of(*id)).collect();
            jobs.retain(|job| !self.definitions.has(*job));
            jobs.sort_unstable();
            jobs.dedup();
            self.rows.indexes.reads.in_progress += 1;
            self.effects.push(Effect::ReadWork(ids, jobs));
        }
    }

    pub(super) fn hear_work(&mut self, asked: &[WorkId], read: Result<WorkPage, Error>) {
        self.rows.indexes.reads.in_progress -= 1;
        self.troubles.record(StoreTask::ReadWork, read.as_ref().err(), self.clock.steady());
        let before = self.rows.totals().rechecks;
        let Ok(WorkPage { rows, definitions }) = read else {
            self.rest();
            for id in asked {
                self.apply(*id, RowEvent::NotRead);
            }
            return;
        };
        // One that cannot be used is asked for again by the rows that need it, and they are told why.
        for definition in definitions {
            let _ = self.load(definition);
        }
        let mut is_found = vec![false; asked.len()];
        for row in rows {
            let id = match &row {
                Ok(entry) => entry.id,
                Err((id, _)) => *id,
            };
            let Ok(at) = asked.binary_search(&id) else { continue };
            is_found[at] = true;
            match row {
                Ok(entry) => {
                    self.rows.set_job(id, entry.job);
                    let known = self.definitions.get(entry.job, entry.job_revision);
                    let event = match known.filter(|job| job.goes_with(&entry)) {
                        Some(job) => RowEvent::Read(Box::new(Row { entry, job, has_waited: false })),
                        None => RowEvent::ReadUndefined(Box::new(entry)),
                    };
                    self.apply(id, event);
                }
                Err((_, error)) => self.apply(id, RowEvent::Unreadable(error.to_string())),
            }
        }
        for (id, _) in asked.iter().zip(is_found).filter(|(_, is_found)| !is_found) {
            self.apply(*id, RowEvent::Gone);
        }
        self.report_rechecked(before);
        let jobs = self.rows.indexes.reads.take_definitions();
        if !jobs.is_empty() {
            self.effects.push(Effect::ReadDefinitions(jobs));
        }
    }

    pub(super) fn hear_definitions(&mut self, asked: &[JobId], read: Result<Vec<DefinitionRead>, Error>) {
        self.troubles.record(StoreTask::ReadDefinitions, read.as_ref().err(), self.clock.steady());
        let before = self.rows.totals().rechecks;
        let is_read = read.is_ok();
        if !is_read {
            self.rest();
        }
        let jobs: NumberMap<JobId, Defined> = read.into_iter().flatten().map(|read| self.load(read)).collect();
        for job in asked {
            for id in self.rows.of_job(*job) {
                let RowState::Reading(reading) = self.rows.state(id) else { continue };
                if !matches!(reading.stage, ReadStage::Undefined(_)) {
                    continue;
                }
                let event = match jobs.get(job) {
                    _ if !is_read => RowEvent::NotRead,
                    Some(Ok(job)) => RowEvent::Defined(Arc::clone(job)),
                    Some(Err(reason)) => RowEvent::Unreadable(reason.clone()),
                    None => RowEvent::NotDefined,
                };
                self.apply(id, event);
            }
        }
        self.report_rechecked(before);
    }

    fn load(&mut self, read: DefinitionRead) -> (JobId, Defined) {
        match read.map(|definition: JobDefinition| (definition.id, LoadedJob::new(definition))) {
            Ok((id, Some(job))) => {
                let job = Arc::new(job);
                self.definitions.put(Arc::clone(&job));
                (id, Ok(job))
            }
            Ok((id, None)) => (id, Err(format!("the schedule of job number {} cannot be compiled", id.0))),
            Err((id, error)) => (id, Err(error.to_string())),
        }
    }
}
