//! Whether the server runs jobs.

use http::StatusCode;
use punctual_store::PauseEntry;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations::{self, PauseState, ResumptionReport};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Json, parse_pause_json, parse_resume_json};

/// Says whether the server is paused, and what resuming would lead to.
pub(super) async fn get(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let state = operations::pause_state(&api.operations, &api.long_work, &request.caller).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(&state)))
}

/// Pauses the server.
pub(super) async fn pause(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let why = parse_pause_json(&request.json_or_empty()?)?.value;
    let entry = operations::pause(&api.operations, &request.caller, why).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(&PauseState { last: Some(entry), resuming: None })))
}

/// Lets the server run jobs again, or says what that would lead to.
pub(super) async fn resume(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    parse_resume_json(&request.json_or_empty()?)?;
    let is_dry_run = request.query.flag("dryRun")?;
    if is_dry_run {
        return get(api, request).await;
    }
    let last = operations::resume(&api.operations, &request.caller).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(&PauseState { last, resuming: None })))
}

fn view(PauseState { last, resuming }: &PauseState) -> Json {
    let is_paused = last.as_ref().is_some_and(|last| last.until.is_none());
    let members = Members::new().add("paused", is_paused);
    let members = members.add_some("lastPause", last.as_ref().map(view_entry));
    members.add_some("resuming", resuming.as_ref().map(view_resuming)).into_json()
}

fn view_entry(entry: &PauseEntry) -> Json {
    let members = Members::new().add("since", entry.since.to_string()).add("by", &entry.paused_by);
    let members = members.add("why", &entry.why).add_some("until", entry.until.map(|until| until.to_string()));
    members.add_some("resumedBy", entry.resumed_by.as_ref()).into_json()
}

fn view_resuming(report: &ResumptionReport) -> Json {
    Members::new()
        .add("inFlight", report.in_flight)
        .add("jobs", report.jobs.len() as u64)
        .add("runs", report.runs)
        .add("notRun", report.not_run)
        .add("isAtLeast", report.is_at_least)
        .into_json()
}
