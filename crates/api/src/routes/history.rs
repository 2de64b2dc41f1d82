//! What came of a job.

use http::StatusCode;
use punctual_model::health::RecentOutcome;
use punctual_model::history::{NotRun, Reason, Status};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::{Name, Violation};
use punctual_store::{HistoryEntry, HistoryItem, HistoryKey, HistoryPage, JobKey, PauseEntry};

use super::{collections, failures};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::parse_history_filter;
use crate::limits;
use crate::operations::{self, LatestWanted};
use crate::page::{self, Page};
use crate::request::Request;
use crate::status::Outcome;
use crate::wire::view::members::Members;
use crate::wire::view::{HistoryView, Writer};
use crate::wire::{Extent, Json};

/// The attempts of a job, newest first.
pub(super) async fn list(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let filter = request.query.get("$filter").map(parse_history_filter).transpose()?.unwrap_or_default();
    let (collection, job) = operations::find_job(&api.operations, key).await?;
    let after = page.after_text()?.map(|id| HistoryKey::parse_id(id).ok_or_else(Page::wrong_token)).transpose()?;
    let rows = HistoryPage { filter, after, skip: page.skip, limit: page.limit };
    let items = api.operations.store.history(job.id, &rows).await?;
    let pauses = read_pauses(api, items.iter()).await?;
    let writer = Writer::new(request.dialect, Extent::List);
    let job_id = format!("{}/jobs/{}", collections::path(&collection.key), job.name);
    let write = |item: &HistoryItem| view(item, &job_id, (&collection.key.collection, &job.name), &pauses, &writer);
    let body = page.answer(request, &api.settings.public_url, items, write, |item| vec![item.key.to_id()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

fn view(
    item: &HistoryItem,
    job_id: &str,
    (collection, job): (&Name, &Name),
    pauses: &[PauseEntry],
    writer: &Writer,
) -> Json {
    let HistoryEntry { record, is_duplicate, .. } = &item.entry;
    let (key, is_duplicate) = (&item.key.to_id(), *is_duplicate);
    let pause = match &record.status {
        Status::Postponed(range) => PauseEntry::of_not_run(pauses, range, record.ended),
        Status::Completed(_) | Status::Failed(_) => None,
    };
    HistoryView { job_id, collection, job, key, record, is_duplicate, pause }.write(writer)
}

/// The pauses that records were not run in. They are read only where there are such records.
async fn read_pauses(api: &Api, mut items: impl Iterator<Item = &HistoryItem>) -> Result<Vec<PauseEntry>, Fault> {
    let is_of_pause = |item: &HistoryItem| {
        matches!(item.entry.record.status, Status::Postponed(NotRun { reason: Reason::Paused, .. }))
    };
    if items.any(is_of_pause) { Ok(api.operations.store.pauses().await?) } else { Ok(Vec::new()) }
}

/// One record of a job.
pub(super) async fn get(api: &Api, key: &JobKey, id: &str, request: &Request) -> Result<ApiAnswer, Fault> {
    let (collection, job) = operations::find_job(&api.operations, key).await?;
    let item = operations::find_record(&api.operations, job.id, id).await?;
    let pauses = read_pauses(api, [&item].into_iter()).await?;
    let writer = Writer::new(request.dialect, Extent::One);
    let job_id = format!("{}/jobs/{}", collections::path(&collection.key), job.name);
    let body = view(&item, &job_id, (&collection.key.collection, &job.name), &pauses, &writer);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

/// The attempts of all jobs that the caller may see, newest first.
pub(super) async fn list_all(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, limits::FAILURES_PAGE)?;
    let (outcome, only_last_attempts) = match request.query.get("outcome") {
        Some(text) if text.eq_ignore_ascii_case(Outcome::GivenUp.name()) => (Some(RecentOutcome::Failed), true),
        outcome => {
            (outcome.map(|text| parse_outcome(text, "succeeded, failed, notRun or givenUp")).transpose()?, false)
        }
    };
    let wanted = LatestWanted {
        filter: failures::filter(request)?,
        outcome,
        only_last_attempts,
        occurrence: request.query.get("executionTag").map(parse_tag).transpose()?,
        since: request.instant_or_span_ago("since")?,
        after: page.after_text()?.map(|id| HistoryKey::parse_id(id).ok_or_else(Page::wrong_token)).transpose()?,
        limit: page.shown(),
    };
    let (records, next) = operations::list_latest(&api.operations, &request.caller, wanted).await?;
    let pauses = read_pauses(api, records.iter().map(|(_, item)| item)).await?;
    let writer = Writer::new(request.dialect, Extent::List);
    let write = |(JobKey { collection, job }, item): &(JobKey, HistoryItem)| {
        let job_id = format!("{}/jobs/{job}", collections::path(collection));
        view(item, &job_id, (&collection.collection, job), &pauses, &writer)
    };
    let next = next.map(|key| page::link(request, &api.settings.public_url, &[key.to_id()]));
    let body = Members::new()
        .add("value", Json::List(records.iter().map(write).collect()))
        .add("nextLink", next.map_or(Json::Null, Json::Text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

fn parse_tag(text: &str) -> Result<OccurrenceId, Violation> {
    let expected = "the executionTag of a record: 32 hexadecimal digits";
    OccurrenceId::parse(text).ok_or_else(|| Violation::new("executionTag", format!("{text:?}"), expected))
}

/// Reads an outcome; `expected` says which ones there are.
pub(crate) fn parse_outcome(text: &str, expected: &'static str) -> Result<RecentOutcome, Violation> {
    let all = [RecentOutcome::Succeeded, RecentOutcome::Failed, RecentOutcome::NotRun];
    let known = all.into_iter().find(|outcome| outcome.name().eq_ignore_ascii_case(text));
    known.ok_or_else(|| Violation::new("outcome", format!("{text:?}"), expected))
}
