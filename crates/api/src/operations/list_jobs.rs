//! The jobs of all collections that the caller may see.

use std::collections::HashMap;
use std::sync::Arc;

use punctual_model::Name;
use punctual_store::{
    CollectionEntry, CollectionId, CollectionKey, DueKey, FailingSince, FoundJobs, JobEntry, JobFilter, JobKey,
    JobSearch, JobSort, JobStart,
};

use super::collection_walk::CollectionWalk;
use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;

/// Which jobs are listed.
pub(crate) struct JobsWanted {
    /// Jobs of this subscription only.
    pub(crate) subscription: Option<Name>,
    /// Jobs of resource groups of this name only.
    pub(crate) group: Option<Name>,
    /// Jobs of collections of this name only.
    pub(crate) collection: Option<Name>,
    pub(crate) filter: JobFilter,
    /// None: by the names of subscription, group, collection and job. Jobs that have no place in the order that is given come
    /// behind those that have, by their names.
    pub(crate) sort: Option<JobSort>,
    /// Jobs after this place.
    pub(crate) after: Option<JobPlace>,
    /// How many jobs at most.
    pub(crate) limit: usize,
}

impl JobsWanted {
    /// How many jobs are looked at, at most.
    const fn looks(&self) -> usize {
        match (&self.filter, self.sort) {
            // The index of names and targets knows neither when a job runs nor what came of it.
            (_, Some(_)) | (JobFilter { outcome: Some(_), .. }, None) => limits::JOBS_LOOKED_AT_MAX,
            (JobFilter { text: Some(_), .. }, None) => limits::JOBS_SEARCHED_MAX,
            (_, None) => limits::JOBS_LOOKED_UP_MAX,
        }
    }
}

/// A place in the list: right after this job.
#[derive(Clone)]
pub(crate) enum JobPlace {
    Name(JobKey),
    NextRun(DueKey),
    FailingSince(FailingSince),
}

/// A job with its collection and its place in the list.
pub(crate) struct ListedJob {
    pub(crate) collection: Arc<CollectionEntry>,
    pub(crate) job: JobEntry,
    pub(crate) place: JobPlace,
}

/// Jobs in the order that is wanted, and where the search stopped because it found little.
pub(crate) async fn list_jobs(
    operations: &Operations,
    caller: &Caller,
    wanted: JobsWanted,
) -> Result<(Vec<ListedJob>, Option<JobPlace>), Fault> {
    let looks = wanted.looks();
    let mut list = List { operations, caller, wanted, looks, jobs: Vec::new(), stopped_at: None };
    let start = match (list.wanted.sort, list.wanted.after.clone()) {
        (_, Some(JobPlace::Name(_))) | (None, _) => None,
        (_, Some(JobPlace::NextRun(key))) => Some(JobStart::NextRun(Some(key))),
        (_, Some(JobPlace::FailingSince(key))) => Some(JobStart::FailingSince(Some(key))),
        (Some(JobSort::NextRun), None) => Some(JobStart::NextRun(None)),
        (Some(JobSort::FailingSince), None) => Some(JobStart::FailingSince(None)),
    };
    if let Some(start) = start {
        list.add_sorted(start).await?;
    }
    if !list.is_done() {
        list.add_named().await?;
    }
    Ok((list.jobs, list.stopped_at))
}

/// What was found so far.
struct List<'a> {
    operations: &'a Operations,
    caller: &'a Caller,
    wanted: JobsWanted,
    /// How many more jobs are looked at.
    looks: usize,
    jobs: Vec<ListedJob>,
    /// Where the search stopped because it found little.
    stopped_at: Option<JobPlace>,
}

impl List<'_> {
    const fn is_done(&self) -> bool {
        self.jobs.len() >= self.wanted.limit || self.stopped_at.is_some()
    }

    /// Adds the jobs that have a place in the order that is wanted.
    async fn add_sorted(&mut self, start: JobStart) -> Result<(), Fault> {
        let mut collections = Vec::new();
        let mut walk = self.walk(None);
        while let Some(page) = walk.next(self.operations).await? {
            collections.extend(page.into_iter().filter(|entry| self.is_searched(entry)));
        }
        self.add(collections, start, self.wanted.filter.clone()).await
    }

    /// Adds jobs by their names; if another order is wanted, those that have no place in it.
    async fn add_named(&mut self) -> Result<(), Fault> {
        let after = match self.wanted.after.clone() {
            Some(JobPlace::Name(key)) => Some(key),
            _ => None,
        };
        let filter = JobFilter { without: self.wanted.sort, ..self.wanted.filter.clone() };
        let mut walk = self.walk(after.as_ref().map(|after| &after.collection));
        if let Some(JobKey { collection, job }) = after {
            // The collection in which the page before ended may be gone; what comes after its name is not.
            let entry = self.operations.store.collection(&collection).await?.filter(|entry| self.is_searched(entry));
            self.add(entry.into_iter().collect(), JobStart::Name(Some(job)), filter.clone()).await?;
        }
        while !self.is_done()
            && let Some(page) = walk.next(self.operations).await?
        {
            let collections = page.into_iter().filter(|entry| self.is_searched(entry)).collect();
            self.add(collections, JobStart::Name(None), filter.clone()).await?;
        }
        Ok(())
    }

    /// The collections that may be searched, behind one of them or from the beginning.
    fn walk(&self, after: Option<&CollectionKey>) -> CollectionWalk {
        CollectionWalk::new(self.wanted.subscription.clone(), self.wanted.group.clone(), after)
    }

    /// Whether a collection may have jobs that are wanted and that the caller may see.
    fn is_searched(&self, entry: &CollectionEntry) -> bool {
        let CollectionKey { subscription, group, collection } = &entry.key;
        let is_wanted = |wanted: &Option<Name>, name: &Name| wanted.as_ref().is_none_or(|wanted| wanted == name);
        entry.jobs > 0
            && is_wanted(&self.wanted.subscription, subscription)
            && is_wanted(&self.wanted.group, group)
            && is_wanted(&self.wanted.collection, collection)
            && self.caller.may_read(&entry.key)
    }

    /// Adds jobs of these collections.
    async fn add(
        &mut self,
        collections: Vec<CollectionEntry>,
        start: JobStart,
        filter: JobFilter,
    ) -> Result<(), Fault> {
        let ids: Vec<CollectionId> = collections.iter().map(|entry| entry.id).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let by_id: HashMap<_, _> = collections.into_iter().map(|entry| (entry.id, Arc::new(entry))).collect();
        let limit = self.wanted.limit - self.jobs.len();
        let search = JobSearch { collections: ids, filter, start, limit, looks: self.looks };
        let FoundJobs { jobs, looked_at, stopped_at } = self.operations.store.find_jobs(search).await?;
        self.looks = self.looks.saturating_sub(looked_at);
        let list = jobs.into_iter().filter_map(|found| {
            let place = place_of(&by_id, found.place)?;
            Some(ListedJob { collection: Arc::clone(by_id.get(&found.collection)?), job: found.job, place })
        });
        self.jobs.extend(list);
        self.stopped_at = stopped_at.and_then(|place| place_of(&by_id, place));
        Ok(())
    }
}

/// A place as the list names it: numbers of collections are nobody's business.
fn place_of(
    collections: &HashMap<CollectionId, Arc<CollectionEntry>>,
    place: punctual_store::JobPlace,
) -> Option<JobPlace> {
    Some(match place {
        punctual_store::JobPlace::Name(collection, job) => {
            JobPlace::Name(JobKey { collection: collections.get(&collection)?.key.clone(), job })
        }
        punctual_store::JobPlace::NextRun(key) => JobPlace::NextRun(key),
        punctual_store::JobPlace::FailingSince(key) => JobPlace::FailingSince(key),
    })
}
