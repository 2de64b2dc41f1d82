//! Resource groups. They mean nothing here but a part of a path: any valid name answers as if it had been made.

use std::collections::BTreeMap;

use http::StatusCode;
use punctual_model::Name;
use punctual_model::access::{Role, Scope};
use punctual_store::{GroupEntry, GroupKey, GroupRemoval};

use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::page::{LOOK, Page};
use crate::request::Request;
use crate::wire::view::members::{Members, texts};
use crate::wire::{Json, parse_group_json};

/// What is said of where a group is, if nobody has said anything.
const LOCATION_DEFAULT: &str = "local";

/// It is there.
pub(super) fn head() -> Answer {
    Answer::empty(StatusCode::NO_CONTENT)
}

/// Shows it.
pub(super) async fn get(api: &Api, key: &GroupKey) -> Result<Answer, Fault> {
    let stored = api.store.group(key).await?;
    let entry = stored.unwrap_or_else(|| GroupEntry { key: key.clone(), location: None, tags: BTreeMap::new() });
    Ok(Answer::json(StatusCode::OK, view(&entry)))
}

/// Makes it, or says anew what it is.
pub(super) async fn put(api: &Api, key: &GroupKey, request: &Request) -> Result<Answer, Fault> {
    let parsed = parse_group_json(&request.json_or_empty()?)?;
    let entry =
        GroupEntry { key: key.clone(), location: parsed.value.location, tags: parsed.value.tags.unwrap_or_default() };
    let body = view(&entry);
    let is_new = api.store.put_group(entry).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Answer::json(status, body).warnings(&parsed.warnings))
}

/// Deletes it; what is in it only with `?force=true`.
pub(super) async fn delete(api: &Api, key: &GroupKey, request: &Request) -> Result<Answer, Fault> {
    let is_forced = request.query.get("force").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    match api.store.delete_group(key, is_forced, request.now).await? {
        GroupRemoval::Removed => Ok(Answer::empty(StatusCode::OK)),
        GroupRemoval::Absent => Err(Fault::NoGroup(key.group.to_string())),
        GroupRemoval::Holds(number) => Err(Fault::Conflict {
            target: "resourceGroup",
            message: format!(
                "The resource group '{}' holds {number} job collections; delete them first, or add ?force=true.",
                key.group
            ),
        }),
    }
}

/// All of a subscription that someone made or that hold a collection, and that the caller may see.
pub(super) async fn list(api: &Api, subscription: &Name, request: &Request) -> Result<Answer, Fault> {
    let page = Page::of(request)?;
    let wanted = page.limit + page.skip as usize;
    let may_see = |entry: &GroupEntry| {
        let GroupKey { subscription, group } = entry.key.clone();
        let scope = Scope::Group { subscription, group };
        request.grants.sees(&scope) || request.grants.allows(Role::Reader, &scope)
    };
    let mut after = page.after_name()?;
    let mut seen = Vec::new();
    loop {
        let read = api.store.groups(subscription, after.as_ref(), LOOK).await?;
        let is_last = read.len() < LOOK;
        after = read.last().map(|last| last.key.group.clone());
        seen.extend(read.into_iter().filter(may_see));
        if is_last || seen.len() >= wanted {
            break;
        }
    }
    let items: Vec<_> = seen.into_iter().skip(page.skip as usize).take(page.limit).collect();
    let body = page.answer(request, &api.settings.public_url, items, view, |entry| vec![entry.key.group.to_string()]);
    Ok(Answer::json(StatusCode::OK, body))
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
