//! Writes of one collection.

use punctual_model::collection::{Collection, CollectionState, Sku};
use punctual_model::recurrence::Timetable;
use punctual_model::time::Timestamp;
use punctual_model::{Name, Warning};
use punctual_store::{
    CollectionEntry, CollectionId, CollectionKey, CollectionWrite, EndedStop, Error, JobPage, Revision,
};

use super::{Caller, Operations, find_collection};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::input::{CollectionInput, Parsed};
use crate::limits;
use crate::plan::Bounds;

/// What is to be done to a collection.
pub(crate) enum CollectionChange<'a> {
    /// The collection shall be this, whether it exists or not.
    Put(Parsed<CollectionInput>),
    /// The stored collection shall be changed.
    Patch(CollectionPatch<'a>),
}

/// Says what a collection shall be, given what it is. Asked again if the collection has changed meanwhile.
pub(crate) type CollectionPatch<'a> = &'a (dyn Fn(&CollectionEntry) -> Result<Parsed<CollectionInput>, Fault> + Sync);

/// A collection after it was saved.
pub(crate) struct SavedCollection {
    pub(crate) collection: CollectionEntry,
    pub(crate) warnings: Vec<Warning>,
}

/// Makes a collection or changes it.
pub(crate) async fn save_collection(
    operations: &Operations,
    caller: &Caller,
    key: &CollectionKey,
    condition: &Condition,
    change: &CollectionChange<'_>,
) -> Result<SavedCollection, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let Prepared { stored, wanted, warnings } = prepare_collection(operations, key, condition, change).await?;
        if let Some(collection) = stored.as_ref().filter(|stored| stored.collection == wanted) {
            return Ok(SavedCollection { collection: collection.clone(), warnings });
        }
        let sku = wanted.sku;
        match operations.store.put_collection(write(operations, caller, key, wanted, stored)).await {
            Ok(collection) => return Ok(SavedCollection { collection, warnings }),
            Err(Error::Stale) => {}
            Err(Error::Full { max }) => return Err(too_many(sku.map_or("", Sku::name), max)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

/// A collection as it is and as it shall be, which is allowed.
pub(super) struct Prepared {
    pub(super) stored: Option<CollectionEntry>,
    pub(super) wanted: Collection,
    pub(super) warnings: Vec<Warning>,
}

/// Finds out what a collection shall be, and whether it may.
pub(super) async fn prepare_collection(
    operations: &Operations,
    key: &CollectionKey,
    condition: &Condition,
    change: &CollectionChange<'_>,
) -> Result<Prepared, Fault> {
    let stored = operations.store.collection(key).await?;
    condition.check(stored.as_ref().map(ETag::of_collection).as_ref())?;
    let Parsed { value, warnings } = match (change, &stored) {
        (CollectionChange::Put(input), _) => input.clone(),
        (CollectionChange::Patch(patch), Some(stored)) => patch(stored)?,
        (CollectionChange::Patch(_), None) => return Err(Fault::no_collection(key)),
    };
    let name = stored.as_ref().map_or_else(|| key.collection.clone(), |stored| stored.collection.name.clone());
    let wanted = match change {
        CollectionChange::Put(_) => complete(name, value, stored.as_ref()),
        CollectionChange::Patch(_) => read(name, value),
    };
    if stored.as_ref().is_none_or(|stored| stored.collection != wanted) {
        check_bounds(operations, &wanted, stored.as_ref()).await?;
    }
    Ok(Prepared { stored, wanted, warnings })
}

/// A collection as it would be if it were made now, for plans of what is to be in it.
pub(crate) fn assume_collection(key: &CollectionKey, input: CollectionInput, now: Timestamp) -> CollectionEntry {
    let collection = read(key.collection.clone(), input);
    let stopped_at = (collection.state != CollectionState::Enabled).then_some(now);
    CollectionEntry { id: CollectionId(0), revision: Revision(0), key: key.clone(), collection, stopped_at, jobs: 0 }
}

/// Turns the jobs of a collection on or off.
pub(crate) async fn switch_collection(
    operations: &Operations,
    caller: &Caller,
    key: &CollectionKey,
    condition: &Condition,
    state: CollectionState,
) -> Result<(), Fault> {
    let switched = |stored: &CollectionEntry| {
        let stored = &stored.collection;
        let value = CollectionInput {
            location: stored.location.clone(),
            tags: Some(stored.tags.clone()),
            sku: stored.sku,
            state: Some(state),
            quota: stored.quota,
        };
        Ok(Parsed { value, warnings: Vec::new() })
    };
    save_collection(operations, caller, key, condition, &CollectionChange::Patch(&switched)).await.map(|_| ())
}

/// Deletes a collection and its jobs.
pub(crate) async fn delete_collection(
    operations: &Operations,
    caller: &Caller,
    key: &CollectionKey,
    condition: &Condition,
) -> Result<(), Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let entry = find_collection(operations, key).await?;
        condition.check(Some(&ETag::of_collection(&entry)))?;
        match operations.store.delete_collection(entry.id, entry.revision, caller.stamp()).await {
            Err(Error::Stale) => {}
            deleted => return Ok(deleted?),
        }
    }
    Err(Fault::Busy)
}

/// What a PUT asks for, completed: the plan and the location stay what they are if they are not named.
fn complete(name: Name, input: CollectionInput, stored: Option<&CollectionEntry>) -> Collection {
    let stored = stored.map(|stored| &stored.collection);
    let wanted = read(name, input);
    Collection {
        location: wanted.location.or_else(|| stored.and_then(|stored| stored.location.clone())),
        sku: wanted.sku.or_else(|| stored.and_then(|stored| stored.sku)),
        ..wanted
    }
}

/// What a client asks for. In what a PATCH leads to, the members that are missing were removed.
fn read(name: Name, input: CollectionInput) -> Collection {
    Collection {
        name,
        location: input.location,
        tags: input.tags.unwrap_or_default(),
        sku: input.sku,
        state: input.state.unwrap_or(CollectionState::Enabled),
        quota: input.quota,
    }
}

fn write(
    operations: &Operations,
    caller: &Caller,
    key: &CollectionKey,
    collection: Collection,
    stored: Option<CollectionEntry>,
) -> CollectionWrite {
    let (stopped_at, ended_stop) = stopping(collection.state, stored.as_ref(), caller.now);
    CollectionWrite {
        key: key.clone(),
        collections_max: operations.plans.of(collection.sku).map(|(sku, limits)| (sku, limits.collections_max)),
        stamp: caller.stamp(),
        collection,
        replaces: stored.map(|stored| stored.revision),
        stopped_at,
        ended_stop,
    }
}

/// Since when the jobs of a collection do not run, and which stop ends now.
fn stopping(
    state: CollectionState,
    stored: Option<&CollectionEntry>,
    now: Timestamp,
) -> (Option<Timestamp>, Option<EndedStop>) {
    let stopped_at = stored.and_then(|stored| stored.stopped_at);
    match (state, stopped_at) {
        (CollectionState::Enabled, Some(from)) => (None, Some(EndedStop { from, until: now.max(from) })),
        (CollectionState::Enabled, None) => (None, None),
        (_, stopped_at) => (stopped_at.or(Some(now)), None),
    }
}

/// The quota must be one of the plan, and the jobs that are there must fit.
async fn check_bounds(
    operations: &Operations,
    wanted: &Collection,
    stored: Option<&CollectionEntry>,
) -> Result<(), Fault> {
    let bounds = Bounds::of(wanted, &operations.plans);
    let violations = bounds.check_quota();
    if !violations.is_empty() {
        return Err(violations.into());
    }
    let Some(stored) = stored else { return Ok(()) };
    if let Some(max) = bounds.jobs_max().filter(|max| stored.jobs > *max) {
        let message = format!("The collection holds {} jobs, more than the {max} that it would allow.", stored.jobs);
        return Err(Fault::Conflict { target: "properties.quota.maxJobCount", message });
    }
    if bounds.are_narrower_than(&Bounds::of(&stored.collection, &operations.plans)) {
        // In the same plan only the quota can have become narrower.
        let is_same_plan = wanted.sku == stored.collection.sku;
        let target = if is_same_plan { "properties.quota.maxRecurrence" } else { "properties.sku" };
        check_jobs(operations, &bounds, stored, target).await?;
    }
    Ok(())
}

async fn check_jobs(
    operations: &Operations,
    bounds: &Bounds,
    stored: &CollectionEntry,
    target: &'static str,
) -> Result<(), Fault> {
    let mut page = JobPage { limit: limits::JOBS_CHECKED, ..JobPage::default() };
    loop {
        let jobs = operations.store.jobs(stored.id, &page).await?;
        for entry in &jobs {
            let definition = &entry.job.definition;
            // What has no occurrence is not stored.
            let Ok(timetable) = Timetable::new(definition.recurrence.as_ref(), entry.job.anchor) else { continue };
            bounds
                .check_job(definition, &timetable, "properties")
                .map_err(|fault| in_the_way(&entry.name, target, fault))?;
        }
        match jobs.last() {
            Some(last) if jobs.len() == page.limit => page.after = Some(last.name.clone()),
            _ => return Ok(()),
        }
    }
}

/// The fault of a collection whose job would not fit into it.
fn in_the_way(job: &Name, target: &'static str, fault: Fault) -> Fault {
    let reason = match fault {
        Fault::Conflict { message, .. } => message,
        Fault::Invalid(violations) => {
            violations.first().map(|wrong| format!("{}: {}.", wrong.path, wrong.advice())).unwrap_or_default()
        }
        other => return other,
    };
    Fault::Conflict { target, message: format!("Job '{job}' is in the way. {reason}") }
}

fn too_many(sku: &str, max: u32) -> Fault {
    let message = if max == 1 {
        let kind = sku.to_lowercase();
        format!(
            "The subscription already has a {kind} job collection. Only one {kind} job collection can be created per \
             subscription."
        )
    } else {
        format!("The subscription already has {max} {sku} job collections, which is as many as it may have.")
    };
    Fault::Conflict { target: "properties.sku.name", message }
}
