//! What the engine reads, and what is due.

use std::sync::Arc;

use punctual_model::dispatch::InFlight;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::time::Timestamp;
use punctual_store::{
    BatchId, DefinitionRead, DueKey, DuePage, Error, JobDefinition, JobId, NodeId, Oldest, OpenWork, RowKind, RowPage,
    Shards, StoppedJobs, WorkEntry, WorkId, WorkRead,
};

use crate::tables::{OpenRow, Tables};

/// About how much memory a definition takes.
const DEFINITION_BYTES: usize = 1000;

impl Tables {
    /// Marks what a dead process of a node may have sent from these shards. If they are all there are, up to where that was is
    /// forgotten. Returns the number of marked rows.
    pub fn take_over(&mut self, from: NodeId, shards: Shards) -> u64 {
        let marked = self.mark_sent(from, shards);
        if shards == Shards::ALL {
            // Nobody will ask for the batches of a process that is dead, and the next process counts from one again.
            self.landed.retain(|(node, _)| *node != from);
            self.forget_watermark(from);
        }
        marked
    }

    /// Marks what a node that is gone may have sent from these shards. Returns the number of marked rows.
    pub(crate) fn mark_sent(&mut self, from: NodeId, shards: Shards) -> u64 {
        let Some(watermark) = self.watermarks.get(&from).copied() else { return 0 };
        let mut marked = 0;
        let (is_paused, at_pause) = (self.is_paused(), self.watermarks_at_pause.get(&from).copied());
        for row in self.work.values_mut().filter(|row| shards.has(Shards::of(self.jobs[&row.job].uid))) {
            let is_held =
                |wake_at| is_paused && !row.lane.is_of_server() && at_pause.is_none_or(|at_pause| wake_at > at_pause);
            if row.occurrence().is_some_and(|open| open.wake_at <= watermark && !is_held(open.wake_at)) {
                row.resends = row.resends.max(1);
                row.revision.0 += 1;
                marked += 1;
            }
        }
        marked
    }

    /// Makes durable up to which wake time a node may start attempts.
    pub fn set_watermark(&mut self, node: NodeId, until: Timestamp) {
        let watermark = self.watermarks.entry(node).or_insert(until);
        *watermark = until.max(*watermark);
    }

    /// Forgets the watermark of a node.
    pub fn forget_watermark(&mut self, node: NodeId) {
        self.watermarks.remove(&node);
        self.watermarks_at_pause.remove(&node);
    }

    /// Whether a batch was written.
    pub fn has_landed(&self, node: NodeId, batch: BatchId) -> bool {
        self.landed.contains(&(node, batch))
    }

    /// A page of what wakes.
    pub fn due(&self, page: &DuePage) -> Vec<DueKey> {
        let mut keys: Vec<DueKey> = self
            .keys()
            .filter(|key| page.shards.has(self.shard(key.job)))
            .filter(|key| page.lane.is_none_or(|lane| key.lane == lane))
            .filter(|key| key.wake_at <= page.until && page.start.has(key))
            .collect();
        keys.sort_unstable();
        keys.truncate(page.limit);
        keys
    }

    /// What is open of some jobs and has a wake time.
    pub fn due_of(&self, jobs: &[JobId]) -> Vec<DueKey> {
        self.keys().filter(|key| jobs.contains(&key.job)).collect()
    }

    /// The shard of a job.
    pub(crate) fn shard(&self, job: JobId) -> u8 {
        Shards::of(self.jobs[&job].uid)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = DueKey> {
        self.work.iter().filter_map(|(id, row)| {
            let wake_at = row.occurrence()?.wake_at;
            Some(DueKey { wake_at, lane: row.lane, id: *id, job: row.job })
        })
    }

    /// Rows as they are now, without those that are gone.
    pub fn work(&self, ids: &[WorkId]) -> Vec<WorkRead> {
        let there = ids.iter().filter(|id| self.work.contains_key(id));
        there
            .map(|id| {
                if self.damage.unreadable_rows.contains(id) {
                    Err((*id, unreadable()))
                } else {
                    Ok(self.work_entry(*id))
                }
            })
            .collect()
    }

    fn work_entry(&self, id: WorkId) -> WorkEntry {
        let row = &self.work[&id];
        let job = &self.jobs[&row.job];
        let collection = &self.collections[&job.collection];
        let open = match row.open {
            OpenRow::Schedule(progress) => OpenWork::Schedule(progress),
            OpenRow::Beside(occurrence) => OpenWork::Beside {
                occurrence,
                schedule: self.progress(row.job),
                schedule_revision: self.work[&row.job.into()].revision,
            },
        };
        let ended_stops = self.ended_stops.iter().filter(|((of, _), _)| *of == job.collection).map(|(_, stop)| stop);
        let untold = ended_stops.filter(|stop| !stop.all_told && job.name.folded() > stop.told_until.as_str());
        WorkEntry {
            id,
            job: row.job,
            revision: row.revision,
            lane: row.lane,
            resends: row.resends,
            claimed_by: row.claim.map(|claim| claim.by),
            claimed_beside: self.claimed_beside(row.job, id),
            open,
            scheduled_beside: self.scheduled_beside(row.job, Some(id)),
            job_revision: job.revision,
            collection: job.collection,
            sku: collection.collection.sku,
            collection_stopped_at: collection.stopped_at,
            ended_stops: untold.map(|stop| stop.stop).collect(),
            failure: row.failure.clone().map(Box::new),
        }
    }

    /// Attempts of other rows of a job that are claimed.
    fn claimed_beside(&self, job: JobId, without: WorkId) -> InFlight {
        let mut in_flight = InFlight::default();
        for (_, row) in self.work.iter().filter(|(id, row)| **id != without && row.job == job && row.claim.is_some()) {
            let is_scheduled = row.occurrence().is_some_and(|open| open.origin == Origin::Schedule);
            *(if is_scheduled { &mut in_flight.scheduled } else { &mut in_flight.asked_for }) += 1;
        }
        in_flight
    }

    /// Jobs as they are now, without those that are gone.
    pub fn definitions(&self, jobs: &[JobId]) -> Vec<DefinitionRead> {
        let there = jobs.iter().filter_map(|id| Some((*id, self.path(*id)?)));
        there
            .map(|(id, path)| {
                if self.damage.unreadable_definitions.contains(&id) {
                    return Err((id, unreadable()));
                }
                let job = &self.jobs[&id];
                Ok(JobDefinition {
                    id,
                    revision: job.revision,
                    uid: job.uid,
                    path: Arc::from(path),
                    definition: Arc::clone(&job.definition),
                    state: job.state,
                    anchor: job.anchor,
                    series: job.series,
                    bytes: DEFINITION_BYTES,
                })
            })
            .collect()
    }

    /// The next jobs of a collection that was enabled again and is not disabled once more.
    pub fn stopped_jobs(&self, limit: usize) -> Option<StoppedJobs> {
        let is_stopped = |id| self.collections.get(id).is_some_and(|row| row.stopped_at.is_some());
        let untold = self.ended_stops.iter().find(|((id, _), stop)| !stop.all_told && !is_stopped(id));
        let ((collection, _), row) = untold?;
        let mut jobs: Vec<(&str, JobId)> = self
            .jobs
            .iter()
            .filter(|(_, job)| job.collection == *collection && job.name.folded() > row.told_until.as_str())
            .map(|(id, job)| (job.name.folded(), *id))
            .collect();
        jobs.sort_unstable();
        jobs.truncate(limit);
        let next = jobs.last().filter(|_| jobs.len() == limit).map(|(name, _)| (*name).to_owned());
        let rows = jobs.into_iter().map(|(_, id)| id.into()).collect();
        Some(StoppedJobs { collection: *collection, stop: row.stop, rows, next })
    }

    /// Notes that jobs were told of a stop.
    pub fn mark_woken(&mut self, done: &StoppedJobs) {
        let row = self.ended_stops.get_mut(&(done.collection, done.stop.from));
        if let Some(row) = row.filter(|row| !row.all_told && row.stop == done.stop) {
            row.all_told = done.next.is_none();
            row.told_until = done.next.clone().unwrap_or_default();
        }
    }

    /// Rows of one kind.
    pub fn rows(&self, page: &RowPage) -> Vec<WorkId> {
        let RowPage { shards, kind, now, after, limit } = *page;
        let is_next =
            |open: &Occurrence| open.origin == Origin::Schedule && open.is_untried() && open.backlog_until.is_none();
        let is_such = |open: Occurrence| match kind {
            RowKind::Begun => !open.is_untried() || open.wake_at <= now,
            RowKind::Delayed => open.wake_at > now && !is_next(&open),
        };
        let rows = self.work.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
        let rows = rows.filter(|(_, row)| shards.has(self.shard(row.job)));
        rows.filter(|(_, row)| row.occurrence().is_some_and(is_such)).map(|(id, _)| *id).take(limit).collect()
    }

    /// How old the oldest things are.
    pub fn oldest(&self) -> Oldest {
        let ended = self.jobs.values().filter_map(|job| job.ended_at).min();
        let tally = self.tallies.keys().next().map(|(minute, _)| minute.begins());
        Oldest {
            history: self.history_begins(),
            failures: self.failures_begin(),
            ended,
            change: None,
            tally,
            removed_at: self.removed_at,
        }
    }

    /// Removes some jobs that ended before an instant, the earliest first, without those of which a run is open.
    /// Returns the number of removed jobs.
    pub fn remove_ended(&mut self, before: Timestamp, limit: usize) -> usize {
        let mut ended: Vec<(Timestamp, JobId)> = self
            .jobs
            .iter()
            .filter_map(|(id, job)| Some((job.ended_at.filter(|ended| *ended < before)?, *id)))
            .filter(|(_, id)| self.rows_beside(*id).next().is_none())
            .collect();
        ended.sort_unstable();
        ended.truncate(limit);
        for (_, id) in &ended {
            self.remove_job(*id);
            self.changed.jobs.insert(*id);
        }
        ended.len()
    }
}

fn unreadable() -> Error {
    Error::Corrupt("the simulation damaged it".to_owned())
}
