//! Jobs, as users read and write them.

use std::sync::Arc;

use punctual_model::health::{Health, HealthChange};
use punctual_model::history::Record;
use punctual_model::job::{Counters, Definition, Job};
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::time::Timestamp;
use punctual_store::record::ScheduleRecord;
use punctual_store::{
    CollectionEntry, CollectionId, EnablePage, Error, HistoryEntry, JobEntry, JobId, JobKey, JobPage, JobSource,
    JobToEnable, JobWrite, OpenJob, Revision,
};

use crate::tables::{JobRow, OpenRow, Tables, WorkRow, count};

impl Tables {
    /// The collection of that path and the job in it.
    pub fn job(&self, key: &JobKey) -> Option<(CollectionEntry, Option<JobEntry>)> {
        let collection = self.collection(&key.collection)?;
        let found = self.jobs.iter().find(|(_, job)| job.collection == collection.id && job.name == key.job);
        let job = found.map(|(id, _)| self.job_entry(*id));
        Some((collection, job))
    }

    /// A page of the jobs of a collection, in the order of their names.
    pub fn jobs(&self, collection: CollectionId, page: &JobPage) -> Vec<JobEntry> {
        let is_asked_for = |job: &JobEntry| {
            page.state.is_none_or(|state| job.job.state.kind() == state)
                && page.after.as_ref().is_none_or(|after| job.name > *after)
        };
        let mut jobs: Vec<JobEntry> = self.jobs_of(collection).into_iter().map(|id| self.job_entry(id)).collect();
        jobs.retain(is_asked_for);
        jobs.sort_by(|one, other| one.name.cmp(&other.name));
        jobs.into_iter().skip(page.skip as usize).take(page.limit).collect()
    }

    /// A page of the jobs whose time of being disabled is over.
    pub fn jobs_to_enable(&self, page: &EnablePage) -> Vec<JobToEnable> {
        let disabled = self.jobs.iter().filter_map(|(id, row)| Some((row.disabled_until?, *id)));
        let is_asked_for = |place: &(Timestamp, JobId)| place.0 <= page.now && Some(*place) > page.after;
        let mut places: Vec<_> = disabled.filter(is_asked_for).collect();
        places.sort_unstable();
        places.truncate(page.limit);
        let entry = |(until, id)| Some(JobToEnable { id, path: self.path(id)?.into(), until });
        places.into_iter().filter_map(entry).collect()
    }

    /// A job that is there.
    pub fn job_entry(&self, id: JobId) -> JobEntry {
        let row = &self.jobs[&id];
        JobEntry {
            id,
            revision: row.revision,
            work_revision: self.work[&id.into()].revision,
            name: row.name.clone(),
            uid: row.uid,
            job: Job {
                definition: Definition::clone(&row.definition),
                state: row.state,
                anchor: row.anchor,
                series: row.series,
                progress: self.progress(id),
            },
            annotations: row.annotations.clone(),
            disabled_until: row.disabled_until,
            counters: row.counters,
            health: row.health,
            scheduled_beside: self.scheduled_beside(id, None),
            beside: count(self.rows_beside(id)),
            beside_wakes: self.rows_beside(id).map(|(_, open)| open.wake_at).min(),
        }
    }

    /// Makes or changes a job.
    pub fn put_job(&mut self, write: JobWrite) -> Result<JobEntry, Error> {
        let (collection, revision) = write.collection;
        if self.collections.get(&collection).is_none_or(|row| row.revision != revision) {
            return Err(Error::Stale);
        }
        let id = match write.source {
            JobSource::New { .. } => self.insert_job(&write)?,
            JobSource::Edited { id, revision, work_revision, .. } => {
                let is_as_read = self.jobs.get(&id).is_some_and(|job| {
                    (job.collection, &job.name, job.revision, self.work[&id.into()].revision)
                        == (collection, &write.name, revision, work_revision)
                });
                if !is_as_read {
                    return Err(Error::Stale);
                }
                self.update_job(id, &write);
                self.note_health(id, HealthChange::of(write.not_run.iter()));
                id
            }
        };
        self.append_not_run(id, write.not_run);
        self.changed.jobs.insert(id);
        Ok(self.job_entry(id))
    }

    fn insert_job(&mut self, write: &JobWrite) -> Result<JobId, Error> {
        let JobSource::New { uid, jobs_max } = write.source else { return Err(Error::Stale) };
        let collection = write.collection.0;
        let others = self.jobs.values().filter(|job| job.collection == collection);
        // First: who was beaten to the name may edit that job, however full the collection is.
        if others.clone().any(|job| job.name == write.name) {
            return Err(Error::Stale);
        }
        if let Some(max) = jobs_max.filter(|max| count(others) >= *max) {
            return Err(Error::Full { max });
        }
        let open = write.job.progress.open;
        let phase = open.map_or(Phase::Main, |open| open.phase);
        let lane = Lane::of(collection.0, &write.job.definition.action, phase);
        // A schedule's row has the number of its job.
        let id = JobId(self.last_work + 1);
        self.insert_work(WorkRow::new(id, lane, OpenRow::Schedule(write.job.progress)));
        let row = JobRow {
            collection,
            name: write.name.clone(),
            uid,
            revision: Revision(1),
            definition: Arc::new(write.job.definition.clone()),
            state: write.job.state,
            disabled_until: write.kept_disabled_until(),
            annotations: write.annotations.clone(),
            anchor: write.job.anchor,
            series: write.job.series,
            counters: Counters::default(),
            health: Health::default(),
            manual_runs: 0,
            ended_at: write.job.state.kind().is_final().then_some(write.stamp.at),
            since: write.stamp.at,
        };
        self.jobs.insert(id, row);
        Ok(id)
    }

    fn update_job(&mut self, id: JobId, write: &JobWrite) {
        let new = &write.job;
        let old = &self.jobs[&id];
        let is_other = (old.state.kind(), old.series, old.anchor) != (new.state.kind(), new.series, new.anchor)
            || schedule_record(&old.definition) != schedule_record(&new.definition);
        if is_other {
            self.keep_series(id, write.stamp.at);
        }
        for row in self.work.values_mut().filter(|row| row.job == id) {
            let (open, lane) = match row.open {
                OpenRow::Schedule(_) => {
                    let phase = new.progress.open.map_or(Phase::Main, |open| open.phase);
                    (OpenRow::Schedule(new.progress), Lane::of(write.collection.0.0, &new.definition.action, phase))
                }
                OpenRow::Beside(occurrence) => {
                    (row.open, Lane::of(write.collection.0.0, &new.definition.action, occurrence.phase))
                }
            };
            row.replace(open, lane);
        }
        if let Some(row) = self.jobs.get_mut(&id) {
            row.revision.0 += 1;
            row.definition = Arc::new(new.definition.clone());
            (row.state, row.anchor, row.series) = (new.state, new.anchor, new.series);
            (row.annotations, row.disabled_until) = (write.annotations.clone(), write.kept_disabled_until());
            row.ended_at = new.state.kind().is_final().then_some(write.stamp.at);
            row.since = if is_other { write.stamp.at } else { row.since };
        }
        self.damage.unreadable_rows.remove(&id.into());
        self.damage.unreadable_definitions.remove(&id);
        self.damage.refused_rows.remove(&id.into());
    }

    /// Removes a job.
    pub fn delete_job(&mut self, id: JobId, revision: Revision, now: Timestamp) -> Result<(), Error> {
        if self.jobs.get(&id).is_none_or(|job| job.revision != revision) {
            return Err(Error::Stale);
        }
        self.keep_series(id, now);
        self.remove_job(id);
        self.changed.jobs.insert(id);
        Ok(())
    }

    /// Removes a job and all that is open of it.
    pub(crate) fn remove_job(&mut self, id: JobId) {
        self.jobs.remove(&id);
        self.failing.remove(&id);
        self.work.retain(|_, row| row.job != id);
    }

    /// How far the schedule of a job has come.
    pub fn open_job(&self, id: JobId) -> Option<OpenJob> {
        let path = self.path(id)?;
        let is_scheduled = |occurrence: &Occurrence| occurrence.origin == Origin::Schedule;
        let beside = self.rows_beside(id).map(|(_, occurrence)| occurrence).filter(is_scheduled).collect();
        Some(OpenJob { path, progress: self.progress(id), beside })
    }

    /// The path of a job as users write it.
    pub fn path(&self, id: JobId) -> Option<String> {
        let job = self.jobs.get(&id)?;
        let key = &self.collections[&job.collection].key;
        Some(format!("{}/{}/{}/{}", key.subscription, key.group, key.collection, job.name))
    }

    fn append_not_run(&mut self, job: JobId, records: Vec<Record>) {
        let revision = self.jobs[&job].revision.0;
        let entry = |record| HistoryEntry { job, record, node: 0, revision, is_duplicate: false };
        let entries: Vec<HistoryEntry> = records.into_iter().map(entry).collect();
        self.count_records(self.jobs[&job].collection, &entries);
        self.append_history(entries);
    }
}

/// The part of a definition that says when a job runs.
pub(crate) fn schedule_record(definition: &Definition) -> ScheduleRecord {
    let Definition { start, recurrence, options, .. } = definition;
    ScheduleRecord { start: *start, recurrence: recurrence.clone(), options: options.clone() }
}
