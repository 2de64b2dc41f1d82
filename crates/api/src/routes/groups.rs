//! Resource groups. They mean nothing here but a part of a path: any valid name answers as if it had been made.

use http::StatusCode;
use punctual_model::Name;
use punctual_store::{GroupEntry, GroupKey};

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations;
use crate::page::Page;
use crate::request::Request;
use crate::wire::view::members::{Members, texts};
use crate::wire::{Json, parse_group_json};

/// The location of a group of which nobody has said where it is.
const LOCATION_DEFAULT: &str = "local";

/// Says that a group is there: every one is.
pub(super) fn head() -> ApiAnswer {
    ApiAnswer::empty(StatusCode::NO_CONTENT)
}

/// Shows a group.
pub(super) async fn get(api: &Api, key: &GroupKey) -> Result<ApiAnswer, Fault> {
    Ok(ApiAnswer::json(StatusCode::OK, view(&operations::find_group(&api.operations, key).await?)))
}

/// Makes a group or replaces what is said about it.
pub(super) async fn put(api: &Api, key: &GroupKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let parsed = parse_group_json(&request.json_or_empty()?)?;
    let (group, is_new) = operations::save_group(&api.operations, key, parsed.value).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(ApiAnswer::json(status, view(&group)).warnings(&parsed.warnings))
}

/// Deletes a group; what is in it only with `?force=true`.
pub(super) async fn delete(api: &Api, key: &GroupKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let is_forced = request.query.get("force").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    operations::delete_group(&api.operations, &request.caller, key, is_forced).await?;
    Ok(ApiAnswer::empty(StatusCode::OK))
}

/// Lists the groups of a subscription.
pub(super) async fn list(api: &Api, subscription: &Name, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let (after, window) = (page.after_name()?, page.window());
    let items = operations::list_groups(&api.operations, &request.caller, subscription, after, window).await?;
    let body = page.answer(request, &api.settings.public_url, items, view, |entry| vec![entry.key.group.to_string()]);
    Ok(ApiAnswer::json(StatusCode::OK, body))
}

fn view(entry: &GroupEntry) -> Json {
    let GroupKey { subscription, group } = &entry.key;
    Members::new()
        .add("id", format!("/subscriptions/{subscription}/resourceGroups/{group}"))
        .add("name", group.as_str())
        .add("type", "Microsoft.Resources/resourceGroups")
        .add("location", entry.location.as_deref().unwrap_or(LOCATION_DEFAULT))
        .add_some("tags", texts(&entry.tags))
        .add("properties", Members::new().add("provisioningState", "Succeeded").into_json())
        .into_json()
}
