//! Who changed a job, when, and what.

use maud::{Markup, html};
use punctual_store::{ChangeEntry, ChangePage, ChangePlace, JobKey};

use super::require_reader;
use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::numbers::counted;
use crate::console::people::People;
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::CHANGES_PAGE;
use crate::wire::view::{ChangeView, Writer};
use crate::wire::{Dialect, Extent, Json};

/// Draws the page. A job that is gone has changes, too: the latest says who deleted it.
pub(in crate::console) async fn show_changes(api: &Api, visitor: &Visitor, key: &JobKey) -> Result<Reply, Fault> {
    require_reader(visitor, &key.collection)?;
    let wanted = ChangePage { place: ChangePlace::Job(key.clone()), before: None, limit: CHANGES_PAGE as usize + 1 };
    let changes = api.operations.store.changes(&wanted).await?;
    if changes.is_empty() {
        return Err(Fault::NoJob(key.job.to_string()));
    }
    let people = People::read(api, visitor).await?;
    let times = visitor.times();
    let shown = &changes[..changes.len().min(CHANGES_PAGE as usize)];
    let heading = match shown {
        [only] => format!(
            "It has not changed since {} made it on {}.",
            people.name(visitor, &only.stamp.who),
            times.day(only.stamp.at)
        ),
        _ => format!(
            "{}, the last one {}.",
            counted(shown.len() as u64, "change", "changes"),
            times.distance(shown[0].stamp.at)
        ),
    };
    let content = html! {
        div.head {
            div {
                p.crumb { a.q href="/jobs" { "Jobs" } " / " a.q href=(visitor.links.jobs_of(&key.collection)) { (key.collection.collection) } " / " a.q href=(visitor.links.job(key)) { (key.job) } }
                h1 { (heading) }
            }
        }
        ul.inbox.changes {
            @for (at, change) in shown.iter().enumerate() { (draw(visitor, key, change, changes.get(at + 1), &people, at == 0)) }
        }
    };
    Ok(Reply::page(Page::new("Changes", Tab::Jobs, content).show(visitor)))
}

fn draw(
    visitor: &Visitor,
    key: &JobKey,
    change: &ChangeEntry,
    before: Option<&ChangeEntry>,
    people: &People,
    is_latest: bool,
) -> Markup {
    let may_write = visitor.may_write(&key.collection);
    let full = Writer::new(Dialect::PLAIN, Extent::List);
    let writer = Writer::for_reader(Dialect::PLAIN, Extent::List, may_write);
    let json = ChangeView { resource: "", change, before }.write(&full, &writer);
    let members = member(&json, "members");
    let definition = member(&json, "definition");
    let times = visitor.times();
    html! {
        li data-row {
            span {}
            div {
                p.why { b { (people.name(visitor, &change.stamp.who)) } " " (change.edit.name()) " it" @if member(&json, "secretsChanged").is_some() { ", with another secret" } }
                p.s.dim { (times.show_full(change.stamp.at)) " · " (times.distance(change.stamp.at)) @if !change.stamp.request_id.is_empty() { " · request " span.m { (change.stamp.request_id) } } }
                @if let Some(Json::List(members)) = members { @if !members.is_empty() { (table(members)) } }
                @if let Some(definition) = definition {
                    details.gap { summary.dim.s { "Whole definition" } pre { (crate::console::draft::pretty(definition)) } }
                }
            }
            div.do {
                @if may_write && !is_latest && change.after.is_some() {
                    form method="post" action=(visitor.links.in_job(key, "/changes")) {
                        (token(visitor))
                        input type="hidden" name="change" value=(change.id);
                        button.sm name="do" value="restore" { "Restore this version" }
                    }
                }
            }
        }
    }
}

fn table(members: &[Json]) -> Markup {
    let text = |value: Option<&Json>| {
        value.map_or_else(String::new, |value| match value {
            Json::Text(text) => text.clone(),
            other => crate::console::draft::compact(other),
        })
    };
    html! {
        table.diff {
            thead { tr { th { "Member" } th { "Before" } th { "After" } } }
            tbody {
                @for it in members {
                    tr { th { (text(member(it, "path"))) } td { span.gone { (text(member(it, "before"))) } } td { (text(member(it, "after"))) } }
                }
            }
        }
    }
}

/// A member of an object.
fn member<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    match json {
        Json::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        _ => None,
    }
}
