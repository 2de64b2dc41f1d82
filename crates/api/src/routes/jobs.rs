//! One job.

use http::StatusCode;
use punctual_model::event::{Edit, Event, EventKind};
use punctual_model::history::Record;
use punctual_model::job::{Definition, Job, JobState, Uid};
use punctual_model::recurrence::Timetable;
use punctual_model::revise::{self, EditContext, Effect, Refusal};
use punctual_model::terms::Terms;
use punctual_model::time::Timestamp;
use punctual_model::{Violation, Warning, limits};
use punctual_store::{CollectionEntry, CollectionKey, Error, JobEntry, JobKey, JobSource, JobWrite};

use super::collections;
use crate::answer::Answer;
use crate::api::Api;
use crate::condition::{self, ETag};
use crate::fault::Fault;
use crate::plan::Bounds;
use crate::request::Request;
use crate::route;
use crate::wire::view::{JobView, StatusView, Writer};
use crate::wire::{Extent, JobInput, Json, Parsed, merge_job, parse_job_json};

/// Shows it.
pub(super) async fn get(api: &Api, key: &JobKey, request: &Request) -> Result<Answer, Fault> {
    let (collection, job) = find(api, key).await?;
    Ok(shown(&collection, &job, StatusCode::OK, request, &[]))
}

/// Makes it, or says anew what it is.
pub(super) async fn put(api: &Api, key: &JobKey, request: &Request) -> Result<Answer, Fault> {
    let json = request.json()?;
    let prefix = prefix(&json);
    let parsed = parse(json).await?;
    write(api, key, request, prefix, &Wanted::Whole(Box::new(parsed))).await
}

/// Changes some of it.
pub(super) async fn patch(api: &Api, key: &JobKey, request: &Request) -> Result<Answer, Fault> {
    write(api, key, request, "properties", &Wanted::Patch(request.json()?)).await
}

/// What a client wants a job to be.
enum Wanted {
    /// This.
    Whole(Box<Parsed<JobInput>>),
    /// What it is, with this laid over it.
    Patch(Json),
}

impl Wanted {
    async fn input(
        &self,
        api: &Api,
        key: &JobKey,
        request: &Request,
        collection: &CollectionEntry,
        stored: Option<&JobEntry>,
    ) -> Result<Parsed<JobInput>, Fault> {
        match self {
            Self::Whole(parsed) => {
                check_size(request.body.len(), collection, api)?;
                Ok(Parsed::clone(parsed))
            }
            Self::Patch(patch) => {
                let stored = stored.ok_or_else(|| Fault::NoJob(key.job.to_string()))?;
                let whole = view(collection, stored, request.now, &Writer::complete());
                let merged = merge_job(whole, patch.clone());
                let text = serde_json::to_vec(&merged).expect("a value of JSON can be written");
                check_size(text.len(), collection, api)?;
                parse(merged).await
            }
        }
    }
}

/// Deletes it.
pub(super) async fn delete(api: &Api, key: &JobKey, request: &Request) -> Result<Answer, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let (collection, job) = find(api, key).await?;
        condition::check(request, Some(&ETag::of_job(&job)))?;
        match api.store.delete_job(job.id, job.revision, request.now).await {
            Err(Error::Stale) => {}
            deleted => {
                deleted?;
                tell(api, &collection, &job, Edit::Deleted, request.now);
                return Ok(Answer::empty(StatusCode::OK));
            }
        }
    }
    Err(Fault::Busy)
}

/// Runs it now, beside its schedule.
pub(super) async fn run(api: &Api, key: &JobKey, request: &Request) -> Result<Answer, Fault> {
    let (_, job) = find(api, key).await?;
    match api.store.run_job(job.id, request.now, limits::MANUAL_RUNS_MAX).await {
        Ok(()) => Ok(Answer::empty(StatusCode::OK)),
        Err(Error::Stale) => Err(Fault::NoJob(key.job.to_string())),
        Err(Error::Full { max }) => Err(Fault::Conflict {
            target: "run",
            message: format!("{max} runs of job '{}' wait already; let them run first.", key.job),
        }),
        Err(error) => Err(error.into()),
    }
}

/// The job with its collection, or which of the two is not there.
pub(super) async fn find(api: &Api, key: &JobKey) -> Result<(CollectionEntry, JobEntry), Fault> {
    let found = api.store.job(key).await?.ok_or_else(|| collections::missing(&key.collection))?;
    let (collection, job) = found;
    Ok((collection, job.ok_or_else(|| Fault::NoJob(key.job.to_string()))?))
}

/// Tells those who watch.
fn tell(api: &Api, collection: &CollectionEntry, job: &JobEntry, edit: Edit, now: Timestamp) {
    let CollectionKey { subscription, group, collection } = &collection.key;
    let path = format!("{subscription}/{group}/{collection}/{}", job.name);
    api.events.push(Event { at: now, path: Some(path.into()), kind: EventKind::Edited(edit) });
}

/// Reads a job. Opening a certificate takes up to a second or two, by the wish of whoever made it: others need not wait
/// for that.
async fn parse(json: Json) -> Result<Parsed<JobInput>, Fault> {
    if !holds_certificate(&json) {
        return Ok(parse_job_json(&json)?);
    }
    let parsed = tokio::task::spawn_blocking(move || parse_job_json(&json)).await;
    Ok(parsed.map_err(|_| Fault::Busy)??)
}

fn holds_certificate(json: &Json) -> bool {
    match json {
        Json::Object(members) => {
            members.iter().any(|(name, value)| name.eq_ignore_ascii_case("pfx") || holds_certificate(value))
        }
        Json::List(items) => items.iter().any(holds_certificate),
        _ => false,
    }
}

/// Where the members of a definition stand in a body.
fn prefix(json: &Json) -> &'static str {
    let has_properties = matches!(json, Json::Object(members) if members.iter().any(|(name, _)| name.eq_ignore_ascii_case("properties")));
    if has_properties { "properties" } else { "" }
}

/// Reads, decides and writes, again and again until nobody was faster.
async fn write(api: &Api, key: &JobKey, request: &Request, prefix: &str, wanted: &Wanted) -> Result<Answer, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let found = api.store.job(key).await?.ok_or_else(|| collections::missing(&key.collection))?;
        let (collection, stored) = found;
        condition::check(request, stored.as_ref().map(ETag::of_job).as_ref())?;
        let Parsed { value, mut warnings } = wanted.input(api, key, request, &collection, stored.as_ref()).await?;
        let bounds = Bounds::of(&collection.collection, &api.settings.plans);
        let uid = stored.as_ref().map_or_else(|| Uid::from_bytes(api.random()), |stored| stored.uid);
        let context = context(&collection, stored.as_ref(), uid, request.now);
        let revision = revise::revise(stored.as_ref().map(|it| &it.job), value.definition, value.state, &context)
            .map_err(|refusal| refused(refusal, key, prefix))?;
        warnings.extend(revision.warnings.iter().map(|warning| under(prefix, warning)));
        if revision.effect != Effect::Unchanged {
            check_queue_sizes(&revision.job.definition, key, prefix)?;
            bounds.check_job(&revision.job.definition, &revision.timetable, prefix)?;
        } else if let Some(stored) = &stored {
            return Ok(shown(&collection, stored, StatusCode::OK, request, &warnings));
        }
        let status = if stored.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        let write = JobWrite {
            collection: (collection.id, collection.revision),
            name: key.job.clone(),
            source: source(stored.as_ref(), uid, bounds.jobs_max()),
            job: revision.job,
            not_run: revision.not_run.into_iter().map(|range| Record::of_not_run(uid, range, request.now)).collect(),
            now: request.now,
        };
        match api.store.put_job(write).await {
            Ok(job) => {
                let edit = if stored.is_some() { Edit::Changed } else { Edit::Created };
                tell(api, &collection, &job, edit, request.now);
                return Ok(shown(&collection, &job, status, request, &warnings));
            }
            Err(Error::Stale) => {}
            Err(Error::Full { max }) => return Err(full(max)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

fn source(stored: Option<&JobEntry>, uid: Uid, jobs_max: Option<u32>) -> JobSource {
    stored.map_or(JobSource::New { uid, jobs_max }, |stored| JobSource::Edited {
        id: stored.id,
        uid,
        revision: stored.revision,
        work_revision: stored.work_revision,
    })
}

fn context(collection: &CollectionEntry, stored: Option<&JobEntry>, uid: Uid, now: Timestamp) -> EditContext {
    EditContext {
        now,
        uid,
        sku: collection.collection.sku,
        collection_stopped_at: collection.stopped_at,
        scheduled_beside: stored.map_or(0, |stored| stored.scheduled_beside),
    }
}

fn check_size(bytes: usize, collection: &CollectionEntry, api: &Api) -> Result<(), Fault> {
    let max = limits::PLAN_JOB_BYTES_MAX;
    match api.settings.plans.of(collection.collection.sku) {
        Some((sku, _)) if bytes > max => {
            let expected = format!("a job of at most {max} bytes in the plan {}", sku.name());
            Err(Violation::new("", format!("{bytes} bytes"), expected).into())
        }
        _ => Ok(()),
    }
}

/// What goes on a storage queue holds the names of the job and its collection, which a body alone does not say.
fn check_queue_sizes(definition: &Definition, key: &JobKey, prefix: &str) -> Result<(), Fault> {
    let violations = definition.action.check_queue_sizes(key.collection.collection.as_str(), key.job.as_str());
    if violations.is_empty() {
        return Ok(());
    }
    Err(Fault::Invalid(violations.into_iter().map(|violation| violation.under(prefix)).collect()))
}

fn refused(refusal: Refusal, key: &JobKey, prefix: &str) -> Fault {
    match refusal {
        Refusal::Invalid(violations) => {
            Fault::Invalid(violations.into_iter().map(|violation| violation.under(prefix)).collect())
        }
        Refusal::Ended(state) => Fault::Ended { job: key.job.to_string(), state },
    }
}

/// The warning with every path in it as the client would write it. There may be several, with commas between them.
fn under(prefix: &str, warning: &Warning) -> Warning {
    let dot = if prefix.is_empty() { "" } else { "." };
    let paths: Vec<_> = warning.path.split(", ").map(|path| format!("{prefix}{dot}{path}")).collect();
    Warning::new(paths.join(", "), warning.text.clone())
}

fn full(max: u32) -> Fault {
    let message = format!("The job collection has reached its quota of '{max}' jobs; delete one or raise the quota.");
    Fault::Conflict { target: "properties.quota.maxJobCount", message }
}

/// It, written.
pub(super) fn view(collection: &CollectionEntry, job: &JobEntry, now: Timestamp, writer: &Writer) -> Json {
    let id = format!("{}/jobs/{}", collections::path(&collection.key), job.name);
    let state = job.job.state.kind();
    let status = StatusView { counters: job.counters, next: next(collection, job, now) };
    let definition = &job.job.definition;
    JobView { id: &id, collection: &collection.key.collection, name: &job.name, definition, state, status }
        .write(writer)
}

/// The nominal time that runs next.
fn next(collection: &CollectionEntry, job: &JobEntry, now: Timestamp) -> Option<Timestamp> {
    let Job { definition, state, anchor, series, progress } = &job.job;
    if *state != JobState::Enabled || collection.stopped_at.is_some() {
        return None;
    }
    let timetable = Timetable::new(definition.recurrence.as_ref(), *anchor).ok()?;
    let terms = Terms::of(job.uid, definition, &timetable, *series, collection.collection.sku, None);
    progress.next_nominal(&terms, now)
}

fn shown(
    collection: &CollectionEntry,
    job: &JobEntry,
    status: StatusCode,
    request: &Request,
    warnings: &[Warning],
) -> Answer {
    let may_write = request.may_write(&route::scope_of(&collection.key));
    let writer = Writer::for_reader(request.dialect, Extent::One, may_write);
    let body = view(collection, job, request.now, &writer);
    let warnings: Vec<_> = warnings.iter().cloned().chain(writer.into_warnings()).collect();
    Answer::json(status, body).etag(&ETag::of_job(job)).warnings(&warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_each_path_as_the_client_would_write_it() {
        let warning = Warning::new("recurrence.timeZone, options.timeout", "dropped");
        assert_eq!(under("properties", &warning).path, "properties.recurrence.timeZone, properties.options.timeout");
        assert_eq!(under("", &warning).path, warning.path);
    }
}
