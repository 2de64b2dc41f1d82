//! Reads of one thing.

use std::collections::BTreeMap;

use punctual_model::job::{Job, JobState};
use punctual_model::recurrence::Timetable;
use punctual_model::terms::Terms;
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionEntry, CollectionKey, GroupEntry, GroupKey, HistoryItem, HistoryKey, JobEntry, JobId, JobKey,
};

use super::Operations;
use crate::fault::Fault;

/// The collection of that path.
pub(crate) async fn find_collection(operations: &Operations, key: &CollectionKey) -> Result<CollectionEntry, Fault> {
    operations.store.collection(key).await?.ok_or_else(|| Fault::no_collection(key))
}

/// The job with its collection, or which of the two is not there.
pub(crate) async fn find_job(operations: &Operations, key: &JobKey) -> Result<(CollectionEntry, JobEntry), Fault> {
    let found = operations.store.job(key).await?.ok_or_else(|| Fault::no_collection(&key.collection))?;
    let (collection, job) = found;
    Ok((collection, job.ok_or_else(|| Fault::NoJob(key.job.to_string()))?))
}

/// The record of a job with that id.
pub(crate) async fn find_record(operations: &Operations, job: JobId, id: &str) -> Result<HistoryItem, Fault> {
    let missing = || Fault::Missing { what: "History record", name: id.to_owned() };
    let found = operations.store.record(job, HistoryKey::parse_id(id).ok_or_else(missing)?).await?;
    found.ok_or_else(missing)
}

/// A resource group. It means nothing here but a part of a path: any valid name answers as if it had been made.
pub(crate) async fn find_group(operations: &Operations, key: &GroupKey) -> Result<GroupEntry, Fault> {
    let stored = operations.store.group(key).await?;
    Ok(stored.unwrap_or_else(|| GroupEntry { key: key.clone(), location: None, tags: BTreeMap::new() }))
}

/// The nominal time at which a job runs next; if there is none, when what failed is tried again.
pub(crate) fn next_run(collection: &CollectionEntry, job: &JobEntry, now: Timestamp) -> Option<Timestamp> {
    let Job { definition, state, anchor, series, progress } = &job.job;
    if *state != JobState::Enabled || collection.stopped_at.is_some() {
        return None;
    }
    let timetable = Timetable::new(definition.recurrence.as_ref(), *anchor).ok()?;
    let terms = Terms::of(job.uid, definition, &timetable, *series, collection.collection.sku, None);
    let retry_at = || progress.open.filter(|open| !open.is_untried()).map(|open| open.wake_at);
    progress.next_nominal(&terms, now).or_else(retry_at)
}
