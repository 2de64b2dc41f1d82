//! What comes next, over all jobs.

use http::StatusCode;
use punctual_model::Violation;
use punctual_model::lane::Lane;
use punctual_model::occurrence::Origin;
use punctual_model::time::{Span, TICKS_PER_HOUR, Timestamp};
use punctual_store::{DueKey, JobId, WorkId};

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, Upcoming};
use crate::page::{self, Page};
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// What is due within a time, an hour if none is given: the next occurrence of each job, retries and runs that were asked for.
///
/// What is under way is among what is due: its row stays as it is until the attempt has ended, and only the engine knows of it.
pub(super) async fn due(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let now = request.caller.now;
    let until = now.saturating_add(within(request)?);
    let page = Page::of_own(request, limits::DUE_PAGE)?;
    let after = page.after.as_deref().map(parse_place).transpose()?;
    let (upcoming, next) =
        operations::list_upcoming(&api.operations, &request.caller, until, after, page.shown()).await?;
    let next = next.map(|DueKey { wake_at, lane, id, job }| {
        let names = [wake_at.ticks(), lane.0, id.0, job.0].map(|number| number.to_string());
        page::link(request, &api.settings.public_url, &names)
    });
    let body = Members::new()
        .add("now", now.to_string())
        .add("until", until.to_string())
        .add_some("paused", operations::is_paused(&api.operations).await?.then_some(true))
        .add("value", Json::List(upcoming.iter().map(|it| view(api, it, now)).collect()))
        .add("nextLink", next.map_or(Json::Null, Json::Text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

fn within(request: &Request) -> Result<i64, Fault> {
    let Some(text) = request.query.get("within") else { return Ok(TICKS_PER_HOUR) };
    let span = Span::parse(text).ok().map(|span| span.ticks());
    let in_range = span.filter(|ticks| (0..=limits::DUE_TICKS_MAX).contains(ticks));
    let expected = "a duration of at most 366 days, such as 1h or PT1H";
    Ok(in_range.ok_or_else(|| Violation::new("within", format!("{text:?}"), expected))?)
}

fn parse_place(names: &[String]) -> Result<DueKey, Fault> {
    let numbers: Vec<i64> = names.iter().filter_map(|name| name.parse().ok()).collect();
    let [wake_at, lane, id, job] = numbers[..] else { return Err(Page::wrong_token()) };
    let wake_at = Timestamp::from_ticks(wake_at).ok_or_else(Page::wrong_token)?;
    Ok(DueKey { wake_at, lane: Lane(lane), id: WorkId(id), job: JobId(job) })
}

fn view(api: &Api, Upcoming { job, target, occurrence }: &Upcoming, now: Timestamp) -> Json {
    let kind = match occurrence.origin {
        _ if !occurrence.is_untried() => "retry",
        Origin::Schedule => "schedule",
        Origin::Manual(_) => "manual",
        Origin::Backfill => "backfill",
        Origin::Test => "test",
        Origin::Rerun(_) => "rerun",
    };
    Members::new()
        .add("time", occurrence.wake_at.to_string())
        .add("expectedExecutionTime", occurrence.nominal.to_string())
        .add("job", job.job.as_str())
        .add("collection", job.collection.collection.as_str())
        .add("path", collections::job_path(job))
        .add("commandPath", collections::command_path(api, job))
        .add("target", target)
        .add("kind", kind)
        .add("isDue", occurrence.wake_at <= now)
        .into_json()
}
