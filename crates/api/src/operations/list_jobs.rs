//! The jobs of all collections that the caller may see.

use std::sync::Arc;

use punctual_model::Name;
use punctual_model::health::RecentOutcome;
use punctual_model::job::State;
use punctual_store::{CollectionEntry, CollectionKey, CollectionPage, JobEntry, JobPage};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;
use crate::page::LOOK;

/// Which jobs are listed.
pub(crate) struct JobsWanted {
    /// Jobs of this subscription only.
    pub(crate) subscription: Option<Name>,
    /// Jobs of resource groups of this name only.
    pub(crate) group: Option<Name>,
    /// Jobs in this state only.
    pub(crate) state: Option<State>,
    pub(crate) filter: JobsFilter,
    /// Jobs after this place.
    pub(crate) after: Option<JobPlace>,
    /// How many jobs at most.
    pub(crate) limit: usize,
}

/// Which jobs are listed; all that is given must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobsFilter {
    /// A part of the name or of the target, in any case.
    pub(crate) text: Option<String>,
    /// What the job calls.
    pub(crate) target: Option<String>,
    /// How the last attempt ended.
    pub(crate) outcome: Option<RecentOutcome>,
}

impl JobsFilter {
    fn has(&self, job: &JobEntry) -> bool {
        if self.text.is_none() && self.target.is_none() && self.outcome.is_none() {
            return true;
        }
        let target = job.job.definition.action.target.label();
        let is_part = |text: &String| {
            let text = text.to_lowercase();
            job.name.as_str().to_lowercase().contains(&text) || target.to_lowercase().contains(&text)
        };
        let last = job.health.recent.latest_first().find(|outcome| *outcome != RecentOutcome::NotRun);
        let is_last = |wanted: RecentOutcome| match wanted {
            RecentOutcome::NotRun => job.health.recent.latest_first().next() == Some(wanted),
            RecentOutcome::Succeeded | RecentOutcome::Failed => last == Some(wanted),
        };
        self.text.as_ref().is_none_or(is_part)
            && self.target.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(&target))
            && self.outcome.is_none_or(is_last)
    }
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

/// Jobs by the names of their subscription, group and collection, and then by their own; and where the search stopped
/// because it found little.
pub(crate) async fn list_jobs(
    operations: &Operations,
    caller: &Caller,
    wanted: JobsWanted,
) -> Result<(Vec<ListedJob>, Option<JobPlace>), Fault> {
    let JobsWanted { subscription: only, group, state, filter, after, limit } = wanted;
    let mut list = List { operations, caller, state, filter, limit, looked_at: 0, jobs: Vec::new(), stopped_at: None };
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
                if list.is_done() {
                    return Ok((list.jobs, list.stopped_at));
                }
            }
            if is_last {
                break;
            }
        }
        let next = operations.store.subscriptions(Some(&rows.subscription), 1).await?.pop();
        current = next.filter(|_| only.is_none());
    }
    Ok((list.jobs, list.stopped_at))
}

/// What was found so far.
struct List<'a> {
    operations: &'a Operations,
    caller: &'a Caller,
    state: Option<State>,
    filter: JobsFilter,
    limit: usize,
    looked_at: usize,
    jobs: Vec<ListedJob>,
    /// Where the search stopped because it found little.
    stopped_at: Option<JobPlace>,
}

impl List<'_> {
    const fn is_done(&self) -> bool {
        self.jobs.len() >= self.limit || self.stopped_at.is_some()
    }

    /// Adds the jobs of a collection after that one, if the caller may see them.
    async fn add(&mut self, collection: CollectionEntry, after: Option<Name>) -> Result<(), Fault> {
        if collection.jobs == 0 || self.is_done() || !self.caller.may_read(&collection.key) {
            return Ok(());
        }
        let collection = Arc::new(collection);
        let mut page = JobPage { state: self.state, after, skip: 0, limit: LOOK };
        loop {
            let jobs = self.operations.store.jobs(collection.id, &page).await?;
            let is_last = jobs.len() < page.limit;
            self.looked_at += jobs.len();
            let last = jobs.last().map(|last| last.name.clone());
            page.after.clone_from(&last);
            let wanted = jobs.into_iter().filter(|job| self.filter.has(job)).take(self.limit - self.jobs.len());
            self.jobs.extend(wanted.map(|job| ListedJob { collection: Arc::clone(&collection), job }));
            if is_last || self.is_done() {
                return Ok(());
            }
            if let Some(job) = last.filter(|_| self.looked_at >= limits::JOBS_LOOKED_AT_MAX) {
                self.stopped_at = Some(JobPlace { collection: collection.key.clone(), job });
                return Ok(());
            }
        }
    }
}
