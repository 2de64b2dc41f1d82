//! Alerts and their messages.

use http::header::LOCATION;
use http::{Method, StatusCode};
use punctual_model::Name;
use punctual_store::{AlertEntry, DeliveryId};

use super::bulk::Written;
use super::dry_run;
use super::incidents;
use super::jobs::holds_certificate;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::condition::ETag;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, SavedAlert};
use crate::page::Page;
use crate::request::Request;
use crate::route::AlertTarget;
use crate::wire::view::{message_link, write_alert, write_message};
use crate::wire::{
    AlertInput, Extent, Json, Parsed, check_alert_name, parse_alert_json, parse_mute_json, parse_resume_json,
};

/// Answers a request about alerts. The method is one that the target has.
pub(super) async fn answer(
    api: &Api,
    method: &Method,
    target: &AlertTarget,
    request: &Request,
) -> Result<ApiAnswer, Fault> {
    match target {
        AlertTarget::Alerts => list(api, request).await,
        AlertTarget::Alert(name) => match *method {
            Method::PUT => put(api, name, request).await,
            Method::DELETE => delete(api, name, request).await,
            _ => get(api, name, request).await,
        },
        AlertTarget::Test(name) => test(api, name, request).await,
        AlertTarget::Mute(name) => mute(api, name, request).await,
        AlertTarget::Unmute(name) => unmute(api, name, request).await,
        AlertTarget::Messages(name) => messages(api, name, request).await,
        AlertTarget::Message(name, id) => message(api, name, *id, request).await,
        AlertTarget::Incidents => incidents::list(api, request).await,
        AlertTarget::Incident(id) => incidents::get(api, *id, request).await,
        AlertTarget::IncidentMute(id) => incidents::mute(api, *id, request).await,
        AlertTarget::IncidentUnmute(id) => incidents::unmute(api, *id, request).await,
    }
}

/// Lists the alerts that the caller may see.
async fn list(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, limits::ALERTS_PAGE)?;
    let after = page.after_name()?;
    let mut alerts = operations::list_alerts(&api.operations, &request.caller).await?;
    alerts.retain(|entry| after.as_ref().is_none_or(|after| entry.name > *after));
    alerts.truncate(page.limit);
    let write = |entry: &AlertEntry| view(entry, Extent::List, request);
    let last_name = |entry: &AlertEntry| vec![entry.name.to_string()];
    Ok(ApiAnswer::json(StatusCode::OK, page.answer(request, &api.settings.public_url, alerts, write, last_name)))
}

/// Shows an alert.
async fn get(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    let entry = operations::find_alert(&api.operations, &request.caller, name).await?;
    Ok(shown(&entry, StatusCode::OK, request))
}

/// Makes an alert or replaces its definition.
async fn put(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    check_alert_name(&request.json()?, name)?;
    let input = parse(api, request).await?;
    let condition = request.condition();
    if request.is_dry()? {
        let plan = operations::plan_alert(&api.operations, &request.caller, name, &condition, &input).await?;
        return Ok(dry_run::alert(plan).answer());
    }
    let saved = operations::save_alert(&api.operations, &request.caller, name, &condition, &input).await?;
    let SavedAlert { entry, is_new, warnings } = saved;
    let code = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(shown(&entry, code, request).warnings(&warnings))
}

/// Makes an alert or replaces its definition, and says little about it; or says what would be done.
pub(super) async fn write(api: &Api, name: &Name, request: &Request) -> Result<Written, Fault> {
    check_alert_name(&request.json()?, name)?;
    let input = parse(api, request).await?;
    let condition = request.condition();
    if request.is_dry()? {
        let plan = operations::plan_alert(&api.operations, &request.caller, name, &condition, &input).await?;
        return Ok(Written::Planned(dry_run::alert(plan)));
    }
    let saved = operations::save_alert(&api.operations, &request.caller, name, &condition, &input).await?;
    let status = if saved.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Written::Saved { status, etag: Some(ETag::of_alert(&saved.entry)), warnings: saved.warnings })
}

/// Reads an alert. Opening a certificate may take seconds: other requests need not wait for that.
async fn parse(api: &Api, request: &Request) -> Result<Parsed<AlertInput>, Fault> {
    let json = request.json()?;
    let defaults = api.settings.defaults.clone();
    if !holds_certificate(&json) {
        return Ok(parse_alert_json(&json, &defaults)?);
    }
    Ok(api.long_work.run(&request.caller.principal, move || parse_alert_json(&json, &defaults)).await??)
}

/// Deletes an alert.
async fn delete(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    match remove(api, name, request).await? {
        Written::Planned(plan) => Ok(plan.answer()),
        Written::Saved { status, .. } => Ok(ApiAnswer::empty(status)),
    }
}

/// Deletes an alert, or says what that would do.
pub(super) async fn remove(api: &Api, name: &Name, request: &Request) -> Result<Written, Fault> {
    let (operations, caller, condition) = (&api.operations, &request.caller, request.condition());
    if request.is_dry()? {
        let plan = operations::plan_delete_alert(operations, caller, name, &condition).await?;
        return Ok(Written::Planned(dry_run::alert(plan)));
    }
    operations::delete_alert(operations, caller, name, &condition).await?;
    Ok(Written::Saved { status: StatusCode::OK, etag: None, warnings: Vec::new() })
}

/// Sends a test, and says where its outcome will be found.
async fn test(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    parse_resume_json(&request.json_or_empty()?)?;
    let (entry, message) = operations::test_alert(&api.operations, &request.caller, name).await?;
    let url = &api.settings.public_url;
    let body = write_message(&message, &entry.name, url);
    Ok(ApiAnswer::json(StatusCode::ACCEPTED, body).header(LOCATION, &message_link(&message, &entry.name, url)))
}

/// Mutes an alert for some time.
async fn mute(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    let until = parse_mute_json(&request.json()?, request.caller.now)?.value;
    let entry = operations::mute_alert(&api.operations, &request.caller, name, Some(until)).await?;
    Ok(shown(&entry, StatusCode::OK, request))
}

/// Lets a muted alert speak again.
async fn unmute(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    parse_resume_json(&request.json_or_empty()?)?;
    let entry = operations::mute_alert(&api.operations, &request.caller, name, None).await?;
    Ok(shown(&entry, StatusCode::OK, request))
}

/// Lists the messages of an alert, the latest first.
async fn messages(api: &Api, name: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, limits::INCIDENTS_PAGE)?;
    let before = page.after_number()?.map(DeliveryId);
    let found = operations::list_messages(&api.operations, &request.caller, name, before, page.limit).await?;
    let (entry, messages) = found;
    let url = &api.settings.public_url;
    let write = |message: &_| write_message(message, &entry.name, url);
    let body = page.answer(request, url, messages, write, |message| vec![message.id.0.to_string()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

/// Shows a message of an alert.
async fn message(api: &Api, name: &Name, id: DeliveryId, request: &Request) -> Result<ApiAnswer, Fault> {
    let (entry, message) = operations::find_message(&api.operations, &request.caller, name, id).await?;
    Ok(ApiAnswer::json(StatusCode::OK, write_message(&message, &entry.name, &api.settings.public_url)))
}

fn shown(entry: &AlertEntry, code: StatusCode, request: &Request) -> ApiAnswer {
    ApiAnswer::json(code, view(entry, Extent::One, request)).etag(&ETag::of_alert(entry))
}

fn view(entry: &AlertEntry, extent: Extent, request: &Request) -> Json {
    let may_write = operations::may_write(&request.caller, entry);
    write_alert(entry, extent, may_write, request.caller.now)
}
