//! One collection.

use http::StatusCode;
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::recurrence::Timetable;
use punctual_model::time::Timestamp;
use punctual_model::{Warning, limits};
use punctual_store::{CollectionEntry, CollectionKey, CollectionWrite, Error, JobPage, Pause};

use crate::answer::Answer;
use crate::api::Api;
use crate::condition::{self, ETag};
use crate::fault::Fault;
use crate::plan::Bounds;
use crate::request::Request;
use crate::route::Switch;
use crate::wire::view::{CollectionView, Writer};
use crate::wire::{CollectionInput, Extent, Json, Parsed, merge_collection, parse_collection_json};

/// Jobs looked at in one piece when a collection gets narrower bounds.
const JOBS_PER_LOOK: usize = 500;

/// Shows it.
pub(super) async fn get(api: &Api, key: &CollectionKey, request: &Request) -> Result<Answer, Fault> {
    let entry = api.store.collection(key).await?.ok_or_else(|| missing(key))?;
    Ok(shown(&entry, StatusCode::OK, request, &[]))
}

/// Makes it, or says anew what it is. The original answered 201 in both cases.
pub(super) async fn put(api: &Api, key: &CollectionKey, request: &Request) -> Result<Answer, Fault> {
    let parsed = parse_collection_json(&request.json_or_empty()?)?;
    let entry = write(api, key, request, |_| Ok(parsed.value.clone())).await?;
    Ok(shown(&entry, StatusCode::CREATED, request, &parsed.warnings))
}

/// Changes some of it.
pub(super) async fn patch(api: &Api, key: &CollectionKey, request: &Request) -> Result<Answer, Fault> {
    let patch = request.json()?;
    let mut warnings = Vec::new();
    let entry = write(api, key, request, |stored| {
        let stored = stored.ok_or_else(|| missing(key))?;
        let id = path(&stored.key);
        let whole = CollectionView { id: &id, collection: &stored.collection }.write(&Writer::complete());
        let Parsed { value, warnings: found } = parse_collection_json(&merge_collection(whole, patch.clone()))?;
        warnings = found;
        Ok(value)
    })
    .await?;
    Ok(shown(&entry, StatusCode::OK, request, &warnings))
}

/// Turns its jobs on or off.
pub(super) async fn switch(api: &Api, key: &CollectionKey, switch: Switch, request: &Request) -> Result<Answer, Fault> {
    let state = match switch {
        Switch::Enable => CollectionState::Enabled,
        Switch::Disable => CollectionState::Disabled,
    };
    write(api, key, request, |stored| {
        let stored = &stored.ok_or_else(|| missing(key))?.collection;
        Ok(CollectionInput {
            tags: Some(stored.tags.clone()),
            state: Some(state),
            quota: stored.quota,
            ..Default::default()
        })
    })
    .await?;
    Ok(Answer::empty(StatusCode::OK))
}

/// Deletes it and its jobs.
pub(super) async fn delete(api: &Api, key: &CollectionKey, request: &Request) -> Result<Answer, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let entry = api.store.collection(key).await?.ok_or_else(|| missing(key))?;
        condition::check(request, Some(&ETag::of_collection(&entry)))?;
        match api.store.delete_collection(entry.id, entry.revision, request.now).await {
            Err(Error::Stale) => {}
            deleted => return deleted.map(|()| Answer::empty(StatusCode::OK)).map_err(Fault::from),
        }
    }
    Err(Fault::Busy)
}

/// Reads, decides and writes, again and again until nobody was faster.
async fn write(
    api: &Api,
    key: &CollectionKey,
    request: &Request,
    mut wanted: impl FnMut(Option<&CollectionEntry>) -> Result<CollectionInput, Fault>,
) -> Result<CollectionEntry, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let stored = api.store.collection(key).await?;
        condition::check(request, stored.as_ref().map(ETag::of_collection).as_ref())?;
        let collection = collection(key, wanted(stored.as_ref())?, stored.as_ref());
        if let Some(stored) = stored.as_ref().filter(|stored| stored.collection == collection) {
            return Ok(stored.clone());
        }
        check_bounds(api, &collection, stored.as_ref()).await?;
        let stopping = stopping(collection.state, stored.as_ref(), request.now);
        let collections_max = api.settings.plans.of(collection.sku).map(|(sku, limits)| (sku, limits.collections_max));
        let sku = collection.sku;
        let write = CollectionWrite {
            key: key.clone(),
            collection,
            replaces: stored.map(|stored| stored.revision),
            stopped_at: stopping.0,
            pause: stopping.1,
            collections_max,
        };
        match api.store.put_collection(write).await {
            Err(Error::Stale) => {}
            Err(Error::Full { max }) => return Err(too_many(sku.map_or("", |sku| sku.name()), max)),
            written => return written.map_err(Fault::from),
        }
    }
    Err(Fault::Busy)
}

/// What a client wrote, completed: the plan and the location stay what they are if they are not named.
fn collection(key: &CollectionKey, input: CollectionInput, stored: Option<&CollectionEntry>) -> Collection {
    let stored = stored.map(|stored| &stored.collection);
    Collection {
        name: stored.map_or_else(|| key.collection.clone(), |stored| stored.name.clone()),
        location: input.location.or_else(|| stored.and_then(|stored| stored.location.clone())),
        tags: input.tags.unwrap_or_default(),
        sku: input.sku.or_else(|| stored.and_then(|stored| stored.sku)),
        state: input.state.unwrap_or(CollectionState::Enabled),
        quota: input.quota,
    }
}

/// Since when its jobs do not run, and which pause ends now.
fn stopping(
    state: CollectionState,
    stored: Option<&CollectionEntry>,
    now: Timestamp,
) -> (Option<Timestamp>, Option<Pause>) {
    let stopped_at = stored.and_then(|stored| stored.stopped_at);
    match (state, stopped_at) {
        (CollectionState::Enabled, Some(from)) => (None, Some(Pause { from, until: now.max(from) })),
        (CollectionState::Enabled, None) => (None, None),
        (_, stopped_at) => (stopped_at.or(Some(now)), None),
    }
}

/// The quota must be one of the plan, and the jobs that are there must fit.
async fn check_bounds(api: &Api, collection: &Collection, stored: Option<&CollectionEntry>) -> Result<(), Fault> {
    let bounds = Bounds::of(collection, &api.settings.plans);
    let violations = bounds.check_quota();
    if !violations.is_empty() {
        return Err(violations.into());
    }
    let Some(stored) = stored else { return Ok(()) };
    if let Some(max) = bounds.jobs_max().filter(|max| stored.jobs > *max) {
        let message = format!("The collection holds {} jobs, more than the {max} that it would allow.", stored.jobs);
        return Err(Fault::Conflict { target: "properties.quota.maxJobCount", message });
    }
    if bounds.are_narrower_than(&Bounds::of(&stored.collection, &api.settings.plans)) {
        // In the same plan only the quota can have become narrower.
        let is_same_plan = collection.sku == stored.collection.sku;
        let target = if is_same_plan { "properties.quota.maxRecurrence" } else { "properties.sku" };
        check_jobs(api, &bounds, stored, target).await?;
    }
    Ok(())
}

async fn check_jobs(api: &Api, bounds: &Bounds, stored: &CollectionEntry, target: &'static str) -> Result<(), Fault> {
    let mut page = JobPage { limit: JOBS_PER_LOOK, ..JobPage::default() };
    loop {
        let jobs = api.store.jobs(stored.id, &page).await?;
        for entry in &jobs {
            let definition = &entry.job.definition;
            // What has no occurrence is not stored.
            let Ok(timetable) = Timetable::new(definition.recurrence.as_ref(), entry.job.anchor) else { continue };
            bounds
                .check_job(definition, &timetable, "properties")
                .map_err(|fault| in_the_way(&entry.name, target, fault))?;
        }
        match jobs.last() {
            Some(last) if jobs.len() == JOBS_PER_LOOK => page.after = Some(last.name.clone()),
            _ => return Ok(()),
        }
    }
}

/// A job that is there does not fit.
fn in_the_way(job: &punctual_model::Name, target: &'static str, fault: Fault) -> Fault {
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

/// That it is not there.
pub(super) fn missing(key: &CollectionKey) -> Fault {
    Fault::NoCollection { collection: key.collection.to_string(), group: key.group.to_string() }
}

/// Its path.
pub(super) fn path(key: &CollectionKey) -> String {
    let CollectionKey { subscription, group, collection } = key;
    format!(
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Scheduler/jobCollections/{collection}"
    )
}

/// It, written.
pub(super) fn view(entry: &CollectionEntry, writer: &Writer) -> Json {
    CollectionView { id: &path(&entry.key), collection: &entry.collection }.write(writer)
}

fn shown(entry: &CollectionEntry, status: StatusCode, request: &Request, warnings: &[Warning]) -> Answer {
    let writer = Writer::new(request.dialect, Extent::One);
    let body = view(entry, &writer);
    let warnings: Vec<_> = warnings.iter().cloned().chain(writer.into_warnings()).collect();
    Answer::json(status, body).etag(&ETag::of_collection(entry)).warnings(&warnings)
}
