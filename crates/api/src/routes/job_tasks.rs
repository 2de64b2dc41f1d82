//! What can be asked of a job beside its definition and its history.

use http::{Method, StatusCode};
use punctual_model::explain::{Explanation, Verdict};
use punctual_store::JobKey;

use super::jobs;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations::{self, BackfillPlan, Explained};
use crate::request::Request;
use crate::route::JobTask;
use crate::status::BackfillState;
use crate::wire::view::members::Members;
use crate::wire::view::view_backfill;
use crate::wire::{parse_backfill_json, parse_disable_json};

/// Answers a request about one of them.
pub(super) async fn answer(
    api: &Api,
    method: &Method,
    (key, task): (&JobKey, &JobTask),
    request: &Request,
) -> Result<ApiAnswer, Fault> {
    match task {
        JobTask::Enable => enable(api, key, request).await,
        JobTask::Disable => disable(api, key, request).await,
        JobTask::Backfill => match *method {
            Method::POST => backfill(api, key, request).await,
            Method::DELETE => cancel_backfill(api, key, request).await,
            _ => Ok(view_state(operations::backfill_state(&api.operations, key).await?.as_ref())),
        },
        JobTask::At(time) => explain(api, key, time, request).await,
    }
}

/// Lets a job run again.
async fn enable(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let nothing_said = request.read_empty_body()?;
    let saved = operations::switch_job(&api.operations, &request.caller, key, &request.condition(), None).await?;
    Ok(jobs::shown_saved(api, request, saved).await?.warnings(&nothing_said))
}

/// Lets a job run no more, until it is enabled or until the instant that is said.
async fn disable(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let input = parse_disable_json(&request.json_or_empty()?, request.caller.now)?.value;
    let condition = request.condition();
    let saved = operations::switch_job(&api.operations, &request.caller, key, &condition, Some(&input)).await?;
    jobs::shown_saved(api, request, saved).await
}

/// Says why a job did, or did not, run at a time.
async fn explain(api: &Api, key: &JobKey, time: &str, request: &Request) -> Result<ApiAnswer, Fault> {
    let Explained { at, zone, explanation, occurrence, attempts } =
        operations::explain(&api.operations, &request.caller, key, time).await?;
    let Explanation { verdict, sentence } = explanation;
    let reason = if let Verdict::NotRun(reason) = verdict { Some(reason.name()) } else { None };
    let body = Members::new()
        .add("at", at.to_string())
        .add("timeZone", zone.name())
        .add("verdict", verdict.name())
        .add_some("reason", reason)
        .add("sentence", sentence)
        .add("attempts", attempts)
        .add_some("executionTag", occurrence.map(|occurrence| occurrence.to_string()));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

/// Has past times of a job run now, or says which would.
async fn backfill(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let input = parse_backfill_json(&request.json()?, request.caller.now)?.value;
    let BackfillPlan { count, first, last, .. } =
        operations::backfill(&api.operations, &request.caller, key, &input).await?;
    let body = Members::new()
        .add("dryRun", input.is_dry_run)
        .add("count", count)
        .add_some("first", first.map(|at| at.to_string()))
        .add_some("last", last.map(|at| at.to_string()))
        .add("spacingMs", u64::from(input.spacing_ms));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

/// Ends the backfill of a job, and says what is left of it: at most the run that has begun.
async fn cancel_backfill(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    operations::cancel_backfill(&api.operations, &request.caller, key).await?;
    Ok(view_state(operations::backfill_state(&api.operations, key).await?.as_ref()))
}

fn view_state(state: Option<&BackfillState>) -> ApiAnswer {
    let body = match state {
        Some(state) => view_backfill(state),
        None => Members::new().add("left", 0_u64).into_json(),
    };
    ApiAnswer::json(StatusCode::OK, body)
}
