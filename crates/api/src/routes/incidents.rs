//! Incidents: what alerts have found.

use http::StatusCode;
use punctual_model::{Name, Violation};
use punctual_store::IncidentId;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, IncidentFilter, ListedIncident};
use crate::page::{self, Page};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::view::write_incident;
use crate::wire::{Json, parse_mute_json, parse_resume_json};

/// Lists the incidents of alerts that the caller may see, the latest first.
pub(super) async fn list(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let filter = filter(request)?;
    let page = Page::of_own(request, limits::INCIDENTS_PAGE)?;
    let before = page.after_number()?.map(IncidentId);
    let limit = page.shown();
    let (listed, next) = operations::list_incidents(&api.operations, &request.caller, &filter, before, limit).await?;
    let next = next.map(|id| page::link(request, &api.settings.public_url, &[id.0.to_string()]));
    let body = Members::new()
        .add("value", Json::List(listed.iter().map(|it| view(api, it, request)).collect()))
        .add("nextLink", next.map_or(Json::Null, Json::Text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

/// Shows an incident.
pub(super) async fn get(api: &Api, id: IncidentId, request: &Request) -> Result<ApiAnswer, Fault> {
    let shown = operations::show_incident(&api.operations, &request.caller, id).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(api, &shown, request)))
}

/// Mutes an incident for some time.
pub(super) async fn mute(api: &Api, id: IncidentId, request: &Request) -> Result<ApiAnswer, Fault> {
    let until = parse_mute_json(&request.json()?, request.caller.now)?.value;
    let muted = operations::mute_incident(&api.operations, &request.caller, id, Some(until)).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(api, &muted, request)))
}

/// Lets a muted incident be told again.
pub(super) async fn unmute(api: &Api, id: IncidentId, request: &Request) -> Result<ApiAnswer, Fault> {
    parse_resume_json(&request.json_or_empty()?)?;
    let told = operations::mute_incident(&api.operations, &request.caller, id, None).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(api, &told, request)))
}

fn filter(request: &Request) -> Result<IncidentFilter, Fault> {
    let is_open = match request.query.get("state").map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(other) => return Err(Violation::new("state", format!("{other:?}"), "open or closed").into()),
    };
    let parse = |text: &str| Name::parse(text).map_err(|expected| expected.at("alert", format!("{text:?}")));
    Ok(IncidentFilter { alert: request.query.get("alert").map(parse).transpose()?, is_open })
}

fn view(api: &Api, incident: &ListedIncident, request: &Request) -> Json {
    let ListedIncident { entry, alert, facts, .. } = incident;
    let headline = incident.headline(&api.settings.defaults);
    write_incident(entry, (alert, &headline), facts, request.caller.now)
}
