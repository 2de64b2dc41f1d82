//! The jobs of all collections that the caller may see.

use std::sync::Arc;

use punctual_model::Name;
use punctual_model::job::State;
use punctual_store::{CollectionEntry, CollectionKey, CollectionPage, JobEntry, JobPage};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::page::LOOK;

/// Which jobs are listed.
pub(crate) struct JobsWanted {
    /// Jobs of this subscription only.
    pub(crate) subscription: Option<Name>,
    /// Jobs of resource groups of this name only.
    pub(crate) group: Option<Name>,
    /// Jobs in this state only.
    pub(crate) state: Option<State>,
    /// Jobs after this place.
    pub(crate) after: Option<JobPlace>,
    /// How many jobs at most.
    pub(crate) limit: usize,
}

/// A place in the list: right after this job.
pub(crate) struct JobPlace {
    pub(crate) collection: CollectionKey,
    pub(crate) job: Name,
}

/// A job with its collection.
pub(crate) struct ListedJob {
    pub(crate) collection: Arc<CollectionEntry>,
    pub(crate) job: JobEntry,
}

/// Jobs by the names of their subscription, group and collection, and then by their own.
pub(crate) async fn list_jobs(
    operations: &Operations,
    caller: &Caller,
    wanted: JobsWanted,
) -> Result<Vec<ListedJob>, Fault> {
    let JobsWanted { subscription: only, group, state, after, limit } = wanted;
    let mut list = List { operations, caller, state, limit, jobs: Vec::new() };
    let mut current = match (&only, &after) {
        (Some(only), _) => Some(only.clone()),
        (None, Some(place)) => Some(place.collection.subscription.clone()),
        (None, None) => operations.store.subscriptions(None, 1).await?.pop(),
    };
    let mut after_names = None;
    if let Some(JobPlace { collection: key, job }) = after {
        // The collection in which the page before ended may be gone; what comes after its name is not.
        if let Some(entry) = operations.store.collection(&key).await? {
            list.add(entry, Some(job)).await?;
        }
        after_names = Some((key.group, key.collection));
    }
    while let Some(subscription) = current {
        let (group, after) = (group.clone(), after_names.take());
        let mut rows = CollectionPage { subscription, group, after, limit: LOOK };
        loop {
            let read = operations.store.collections(&rows).await?;
            let is_last = read.len() < rows.limit;
            rows.after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
            for entry in read {
                list.add(entry, None).await?;
                if list.is_full() {
                    return Ok(list.jobs);
                }
            }
            if is_last {
                break;
            }
        }
        let next = operations.store.subscriptions(Some(&rows.subscription), 1).await?.pop();
        current = next.filter(|_| only.is_none());
    }
    Ok(list.jobs)
}

/// What was found so far.
struct List<'a> {
    operations: &'a Operations,
    caller: &'a Caller,
    state: Option<State>,
    limit: usize,
    jobs: Vec<ListedJob>,
}

impl List<'_> {
    const fn is_full(&self) -> bool {
        self.jobs.len() >= self.limit
    }

    /// Adds the jobs of a collection after that one, if the caller may see them.
    async fn add(&mut self, collection: CollectionEntry, after: Option<Name>) -> Result<(), Fault> {
        if collection.jobs == 0 || self.is_full() || !self.caller.may_read(&collection.key) {
            return Ok(());
        }
        let page = JobPage { state: self.state, after, skip: 0, limit: self.limit - self.jobs.len() };
        let jobs = self.operations.store.jobs(collection.id, &page).await?;
        let collection = Arc::new(collection);
        self.jobs.extend(jobs.into_iter().map(|job| ListedJob { collection: Arc::clone(&collection), job }));
        Ok(())
    }
}
