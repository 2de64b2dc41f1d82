//! One job.

use async_trait::async_trait;
use http::StatusCode;
use punctual_model::Warning;
use punctual_model::occurrence::OccurrenceId;
use punctual_store::{CollectionEntry, JobEntry, JobKey};

use super::bulk::Written;
use super::{collections, dry_run};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::operations::{self, JobChange, JobOrder, JobPatch, JobWish, SavedJob};
use crate::request::Request;
use crate::status::{JobStatus, Moment};
use crate::target_check::{FlawedTarget, MissingKey};
use crate::wire::view::members::Members;
use crate::wire::view::{JobView, Writer};
use crate::wire::{Extent, JobInput, Json, Parsed, answered_bytes, merge_job, parse_job_json};

/// Shows a job.
pub(super) async fn get(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let (collection, job) = operations::find_job(&api.operations, key).await?;
    // What the job lacks does not change by itself, and the warning about it is not only for the client that wrote it.
    let flawed = api.operations.flawed_targets(&job.job.definition, &collection.key);
    let lacking: Vec<_> = flawed.iter().filter(|target| target.lacks_key()).map(FlawedTarget::warning).collect();
    let standing = status(api, &collection, &job, request).await?;
    Ok(shown(&collection, &job, &standing, StatusCode::OK, request, &lacking))
}

/// Makes a job or replaces its definition.
pub(super) async fn put(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let change = JobChange::Put(Box::new(wish(api, request).await?));
    save(api, key, request, change).await
}

/// Changes some of a job.
pub(super) async fn patch(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let patch = Overlay { api, request, json: request.json()? };
    save(api, key, request, JobChange::Patch(&patch)).await
}

/// Deletes a job.
pub(super) async fn delete(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    match remove(api, key, request).await? {
        Written::Planned(plan) => Ok(plan.answer()),
        Written::Saved { status, .. } => Ok(ApiAnswer::empty(status)),
    }
}

/// Makes a job or replaces its definition, and says little about it; or says what would be done, in a collection that is taken to be
/// there if it is not.
pub(super) async fn write(
    api: &Api,
    key: &JobKey,
    request: &Request,
    assumed: Option<&CollectionEntry>,
) -> Result<Written, Fault> {
    let condition = request.condition();
    let order = order(key, request, &condition, JobChange::Put(Box::new(wish(api, request).await?)))?;
    if request.is_dry()? {
        let plan = operations::plan_job(&api.operations, &request.caller, &order, assumed).await?;
        return Ok(Written::Planned(dry_run::job(plan)));
    }
    let saved = operations::save_job(&api.operations, &request.caller, &order).await?;
    let status = if saved.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Written::Saved { status, etag: Some(ETag::of_job(&saved.job)), warnings: saved.warnings })
}

/// Deletes a job, or says what that would do.
pub(super) async fn remove(api: &Api, key: &JobKey, request: &Request) -> Result<Written, Fault> {
    let (operations, caller, condition) = (&api.operations, &request.caller, request.condition());
    if request.is_dry()? {
        let plan = operations::plan_delete_job(operations, caller, key, &condition).await?;
        return Ok(Written::Planned(dry_run::job(plan)));
    }
    operations::delete_job(operations, caller, key, &condition).await?;
    Ok(Written::Saved { status: StatusCode::OK, etag: None, warnings: Vec::new() })
}

async fn wish(api: &Api, request: &Request) -> Result<JobWish, Fault> {
    let json = request.json()?;
    let (path, bytes) = (path(&json), request.body_bytes().saturating_sub(answered_bytes(&json)));
    Ok(JobWish { input: parse(api, request, json).await?, bytes, path })
}

fn order<'a>(
    key: &'a JobKey,
    request: &Request,
    condition: &'a Condition,
    change: JobChange<'a>,
) -> Result<JobOrder<'a>, Fault> {
    let missing_key = if request.is_short { MissingKey::Refused } else { MissingKey::Warned };
    Ok(JobOrder { key, condition, change, missing_key, replaces_ended: request.replaces_ended()? })
}

/// Runs a job now.
pub(super) async fn run(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let warnings = request.read_empty_body()?;
    let run = operations::run_now(&api.operations, &request.caller, key).await?;
    Ok(opened(run, request).warnings(&warnings))
}

/// Runs one record of the history once more.
pub(super) async fn rerun(api: &Api, key: &JobKey, record: &str, request: &Request) -> Result<ApiAnswer, Fault> {
    let warnings = request.read_empty_body()?;
    let run = operations::rerun(&api.operations, &request.caller, key, record).await?;
    Ok(opened(run, request).warnings(&warnings))
}

/// Says by which tag a run is found in the history. The original said nothing.
fn opened(run: OccurrenceId, request: &Request) -> ApiAnswer {
    let _ = request.opened.set(run);
    if !request.is_short {
        return ApiAnswer::empty(StatusCode::OK);
    }
    ApiAnswer::json(StatusCode::OK, Members::new().add("executionTag", run.to_string()).into_json())
}

async fn save(api: &Api, key: &JobKey, request: &Request, change: JobChange<'_>) -> Result<ApiAnswer, Fault> {
    let condition = request.condition();
    let order = order(key, request, &condition, change)?;
    if request.is_dry()? {
        let plan = Box::pin(operations::plan_job(&api.operations, &request.caller, &order, None)).await?;
        return Ok(dry_run::job(plan).answer());
    }
    // Large: kept out of the futures of all routes, which are moved as they are made.
    let saved = Box::pin(operations::save_job(&api.operations, &request.caller, &order)).await?;
    shown_saved(api, request, saved).await
}

/// Shows a job after it was saved.
pub(super) async fn shown_saved(api: &Api, request: &Request, saved: SavedJob) -> Result<ApiAnswer, Fault> {
    let SavedJob { collection, job, is_new, warnings } = saved;
    if is_new {
        // There is no history yet.
        let standing = operations::row_status(moment(api, request).await?, &collection, &job);
        return Ok(shown(&collection, &job, &standing, StatusCode::CREATED, request, &warnings));
    }
    let standing = status(api, &collection, &job, request).await?;
    Ok(shown(&collection, &job, &standing, StatusCode::OK, request, &warnings))
}

/// How a job stands. Only the flat form says what its history tells.
async fn status(
    api: &Api,
    collection: &CollectionEntry,
    job: &JobEntry,
    request: &Request,
) -> Result<JobStatus, Fault> {
    let moment = moment(api, request).await?;
    if request.dialect.is_flat() {
        operations::read_status(&api.operations, moment, collection, job).await
    } else {
        Ok(operations::row_status(moment, collection, job))
    }
}

/// The present. Only the flat form of a job says something that depends on a pause.
pub(super) async fn moment(api: &Api, request: &Request) -> Result<Moment, Fault> {
    if request.dialect.is_flat() {
        operations::moment(&api.operations, &request.caller).await
    } else {
        Ok(Moment { now: request.caller.now, is_paused: false })
    }
}

/// JSON that is laid over the JSON of what is stored.
struct Overlay<'a> {
    api: &'a Api,
    request: &'a Request,
    json: Json,
}

#[async_trait]
impl JobPatch for Overlay<'_> {
    async fn apply(&self, collection: &CollectionEntry, stored: &JobEntry) -> Result<JobWish, Fault> {
        // Without its secrets: they are filled in by the rule that holds for PUT, so that no edit is a way around it.
        // Read over, like all that only the server says.
        let moment = Moment { now: self.request.caller.now, is_paused: false };
        let status = operations::row_status(moment, collection, stored);
        let shown = view(collection, stored, &status, &Writer::of_stored());
        let merged = merge_job(shown, self.json.clone());
        let bytes = merged.written_bytes() - answered_bytes(&merged);
        let path = path(&merged);
        Ok(JobWish { input: parse(self.api, self.request, merged).await?, bytes, path })
    }
}

/// Reads a job. Opening a certificate takes up to a second or two, as its maker chose: other requests need not
/// wait for that.
async fn parse(api: &Api, request: &Request, json: Json) -> Result<Parsed<JobInput>, Fault> {
    let unknown = request.unknown();
    if !holds_certificate(&json) {
        return Ok(parse_job_json(&json, unknown)?);
    }
    Ok(api.long_work.run(&request.caller.principal, move || parse_job_json(&json, unknown)).await??)
}

/// Whether there is a certificate in it, which takes long to open.
pub(crate) fn holds_certificate(json: &Json) -> bool {
    match json {
        Json::Object(members) => {
            members.iter().any(|(name, value)| name.eq_ignore_ascii_case("pfx") || holds_certificate(value))
        }
        Json::List(items) => items.iter().any(holds_certificate),
        _ => false,
    }
}

/// Where the members of a definition stand in a body.
fn path(json: &Json) -> &'static str {
    let has_properties = matches!(json, Json::Object(members) if members.iter().any(|(name, _)| name.eq_ignore_ascii_case("properties")));
    if has_properties { "properties" } else { "" }
}

/// Writes a job as JSON.
pub(crate) fn view(collection: &CollectionEntry, job: &JobEntry, status: &JobStatus, writer: &Writer) -> Json {
    let id = format!("{}/jobs/{}", collections::path(&collection.key), job.name);
    let state = job.job.state.kind();
    let (definition, labels) = (&job.job.definition, &job.annotations.labels);
    JobView { id: &id, collection: &collection.key.collection, name: &job.name, definition, state, labels, status }
        .write(writer)
}

fn shown(
    collection: &CollectionEntry,
    job: &JobEntry,
    status: &JobStatus,
    code: StatusCode,
    request: &Request,
    warnings: &[Warning],
) -> ApiAnswer {
    let may_write = request.caller.may_write(&collection.key);
    let writer = Writer::for_reader(request.dialect, Extent::One, may_write);
    let body = view(collection, job, status, &writer);
    let warnings: Vec<_> = warnings.iter().cloned().chain(writer.into_warnings()).collect();
    ApiAnswer::json(code, body).etag(&ETag::of_job(job)).warnings(&warnings)
}
