//! Jobs that are looked for in many collections.

use std::cmp::Reverse;

use punctual_model::job::JobState;
use punctual_store::{
    CollectionId, FailingSince, FoundJob, FoundJobs, JobFacts, JobId, JobPlace, JobSearch, JobStart, WorkId,
};

use crate::tables::Tables;

impl Tables {
    /// Looks for jobs: at all of them in the order of the search, until enough was found or looked at.
    pub fn find_jobs(&self, search: &JobSearch) -> FoundJobs {
        let mut found = FoundJobs::default();
        for (id, place) in self.places(search) {
            found.looked_at += 1;
            if self.is_found(search, id, &place) {
                let collection = self.jobs[&id].collection;
                found.jobs.push(FoundJob { collection, job: self.job_entry(id), place: place.clone() });
            }
            if found.jobs.len() >= search.limit {
                break;
            }
            if found.looked_at >= search.looks {
                found.stopped_at = Some(place);
                break;
            }
        }
        found
    }

    /// The jobs in the order of a search, behind the place where it begins.
    fn places(&self, search: &JobSearch) -> Vec<(JobId, JobPlace)> {
        match &search.start {
            JobStart::Name(after) => {
                let mut places = Vec::new();
                for (at, collection) in search.collections.iter().enumerate() {
                    let after = after.as_ref().filter(|_| at == 0);
                    let named = self.jobs_of(*collection).into_iter().map(|id| (self.jobs[&id].name.clone(), id));
                    let mut named: Vec<_> = named.filter(|(name, _)| after.is_none_or(|after| name > after)).collect();
                    named.sort();
                    places.extend(named.into_iter().map(|(name, id)| (id, JobPlace::Name(*collection, name))));
                }
                places
            }
            JobStart::NextRun(after) => {
                let of_schedules = self.keys().filter(|key| key.id == WorkId::from(key.job));
                let mut keys: Vec<_> = of_schedules.filter(|key| after.is_none_or(|after| *key > after)).collect();
                keys.sort_unstable();
                keys.into_iter().map(|key| (key.job, JobPlace::NextRun(key))).collect()
            }
            JobStart::FailingSince(after) => {
                let order = |place: &FailingSince| Reverse((place.since, place.job));
                let failing = self.failing.values().map(|it| FailingSince { since: it.since, job: it.job });
                let is_after = |place: &FailingSince| after.is_none_or(|after| order(place) > order(&after));
                let mut places: Vec<_> = failing.filter(is_after).collect();
                places.sort_by_key(order);
                places.into_iter().map(|place| (place.job, JobPlace::FailingSince(place))).collect()
            }
        }
    }

    fn is_found(&self, search: &JobSearch, id: JobId, place: &JobPlace) -> bool {
        let job = &self.jobs[&id];
        let is_stopped = |id: CollectionId| self.collections[&id].stopped_at.is_some();
        let runs = job.state == JobState::Enabled && !is_stopped(job.collection);
        let facts = JobFacts {
            name: job.name.folded(),
            target: &job.definition.action.target.label(),
            state: job.state.kind(),
            recent: job.health.recent,
            is_failing: self.failing.contains_key(&id),
            has_next_run: runs && self.progress(id).open.is_some(),
        };
        let is_in_order = runs || !matches!(place, JobPlace::NextRun(_));
        search.collections.contains(&job.collection) && is_in_order && search.filter.admits(&facts)
    }
}
