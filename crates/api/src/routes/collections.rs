//! One collection.

use http::StatusCode;
use punctual_model::Warning;
use punctual_model::collection::CollectionState;
use punctual_store::{CollectionEntry, CollectionKey, JobKey};

use super::bulk::Written;
use super::dry_run;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::condition::ETag;
use crate::fault::Fault;
use crate::operations::{self, CollectionChange, SavedCollection};
use crate::request::Request;
use crate::wire::view::{CollectionView, Writer};
use crate::wire::{Extent, Json, merge_collection, parse_collection_json};

/// Shows a collection.
pub(super) async fn get(api: &Api, key: &CollectionKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let collection = operations::find_collection(&api.operations, key).await?;
    Ok(shown(&collection, StatusCode::OK, request, &[]))
}

/// Makes a collection or replaces what is said about it. The original answered 201 in both cases.
pub(super) async fn put(api: &Api, key: &CollectionKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let change = CollectionChange::Put(parse_collection_json(&request.json_or_empty()?, request.unknown())?);
    save(api, key, request, &change, StatusCode::CREATED).await
}

/// Changes some of a collection.
pub(super) async fn patch(api: &Api, key: &CollectionKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let json = request.json()?;
    let overlay = |stored: &CollectionEntry| {
        let merged = merge_collection(view(stored, &Writer::of_stored()), json.clone());
        parse_collection_json(&merged, request.unknown()).map_err(Fault::from)
    };
    save(api, key, request, &CollectionChange::Patch(&overlay), StatusCode::OK).await
}

/// Turns the jobs of a collection on or off.
pub(super) async fn switch(
    api: &Api,
    key: &CollectionKey,
    state: CollectionState,
    request: &Request,
) -> Result<ApiAnswer, Fault> {
    let warnings = request.read_empty_body()?;
    operations::switch_collection(&api.operations, &request.caller, key, &request.condition(), state).await?;
    Ok(ApiAnswer::empty(StatusCode::OK).warnings(&warnings))
}

/// Deletes a collection and its jobs.
pub(super) async fn delete(api: &Api, key: &CollectionKey, request: &Request) -> Result<ApiAnswer, Fault> {
    match remove(api, key, request).await? {
        Written::Planned(plan) => Ok(plan.answer()),
        Written::Saved { status, .. } => Ok(ApiAnswer::empty(status)),
    }
}

/// Makes a collection or replaces what is said about it, and says little about it; or says what would be done.
pub(super) async fn write(api: &Api, key: &CollectionKey, request: &Request) -> Result<Written, Fault> {
    let change = CollectionChange::Put(parse_collection_json(&request.json_or_empty()?, request.unknown())?);
    let (operations, condition) = (&api.operations, request.condition());
    if request.is_dry()? {
        let plan = operations::plan_collection(operations, key, &condition, &change).await?;
        return Ok(Written::Planned(dry_run::collection(plan)));
    }
    let saved = operations::save_collection(operations, &request.caller, key, &condition, &change).await?;
    let etag = Some(ETag::of_collection(&saved.collection));
    Ok(Written::Saved { status: StatusCode::CREATED, etag, warnings: saved.warnings })
}

/// Deletes a collection and its jobs, or says what that would do.
pub(super) async fn remove(api: &Api, key: &CollectionKey, request: &Request) -> Result<Written, Fault> {
    let (operations, condition) = (&api.operations, request.condition());
    if request.is_dry()? {
        let plan = operations::plan_delete_collection(operations, key, &condition).await?;
        return Ok(Written::Planned(dry_run::collection(plan)));
    }
    operations::delete_collection(operations, &request.caller, key, &condition).await?;
    Ok(Written::Saved { status: StatusCode::OK, etag: None, warnings: Vec::new() })
}

async fn save(
    api: &Api,
    key: &CollectionKey,
    request: &Request,
    change: &CollectionChange<'_>,
    status: StatusCode,
) -> Result<ApiAnswer, Fault> {
    if request.is_dry()? {
        let plan = operations::plan_collection(&api.operations, key, &request.condition(), change).await?;
        return Ok(dry_run::collection(plan).answer());
    }
    let saved =
        operations::save_collection(&api.operations, &request.caller, key, &request.condition(), change).await?;
    let SavedCollection { collection, warnings } = saved;
    Ok(shown(&collection, status, request, &warnings))
}

/// The path of a collection.
pub(super) fn path(key: &CollectionKey) -> String {
    let CollectionKey { subscription, group, collection } = key;
    format!(
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Scheduler/jobCollections/{collection}"
    )
}

/// The path of a job.
pub(super) fn job_path(key: &JobKey) -> String {
    format!("{}/jobs/{}", path(&key.collection), key.job)
}

/// How commands name a job: `collection/job` in the group that they mean by default, else with subscription and group before it.
pub(super) fn command_path(api: &Api, JobKey { collection: key, job }: &JobKey) -> String {
    let CollectionKey { subscription, group, collection } = key;
    let home = &api.settings.defaults;
    if (subscription, group) == (&home.subscription, &home.group) {
        format!("{collection}/{job}")
    } else {
        format!("{subscription}/{group}/{collection}/{job}")
    }
}

/// Writes a collection as JSON.
pub(super) fn view(entry: &CollectionEntry, writer: &Writer) -> Json {
    CollectionView { id: &path(&entry.key), collection: &entry.collection }.write(writer)
}

fn shown(entry: &CollectionEntry, status: StatusCode, request: &Request, warnings: &[Warning]) -> ApiAnswer {
    let writer = Writer::new(request.dialect, Extent::One);
    let body = view(entry, &writer);
    let warnings: Vec<_> = warnings.iter().cloned().chain(writer.into_warnings()).collect();
    ApiAnswer::json(status, body).etag(&ETag::of_collection(entry)).warnings(&warnings)
}
