//! Collections: their plan, what it allows, and whether their jobs run.

use maud::{Markup, html};
use punctual_model::collection::CollectionState;
use punctual_store::CollectionEntry;

use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, grouped};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations;
use crate::plan::Bounds;

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    let (collections, has_more) = operations::list_visible_collections(&api.operations, &visitor.caller).await?;
    let (failing, _) = operations::read_failing(&api.operations).await?;
    let stopped = collections.iter().filter(|entry| entry.stopped_at.is_some()).count();
    let jobs: u64 = collections.iter().map(|entry| u64::from(entry.jobs)).sum();
    let content = html! {
        div.head {
            div {
                h1 {
                    (counted(jobs, "job", "jobs")) " in " (counted(collections.len() as u64, "collection", "collections")) "."
                    @if stopped > 0 { " " (stopped) @if stopped == 1 { " does" } @else { " do" } " not run." }
                }
            }
        }
        table.cards {
            thead { tr { th { "Collection" } th { "Plan and limits" } th.r { "Jobs" } th.r { "Failing" } th { "Runs" } th.r { span.vh { "Switch" } } } }
            tbody {
                @for entry in &collections {
                    @let bad = failing.iter().filter(|job| punctual_store::JobKey::of_path(&job.path).is_some_and(|key| key.collection == entry.key)).count();
                    (row(api, visitor, entry, bad))
                }
            }
        }
        @if has_more { p.dim { "There are more; they are found by their names in the search." } }
        p.dim.gap { "A collection puts jobs under one switch and one plan. Tools make them: " code { "punctual collection create" } ", or the API." }
    };
    Ok(Reply::page(Page::new("Collections", Tab::Collections, content).show(visitor)))
}

fn row(api: &Api, visitor: &Visitor, entry: &CollectionEntry, failing: usize) -> Markup {
    let bounds = Bounds::of(&entry.collection, &api.operations.plans);
    let times = visitor.times();
    let is_default = visitor.links.defaults.subscription == entry.key.subscription
        && visitor.links.defaults.group == entry.key.group;
    html! {
        tr data-row {
            th scope="row" {
                a.b6 href=(visitor.links.jobs_of(&entry.key)) { (entry.collection.name) }
                @if !is_default { br; span.dim.s { (entry.key.subscription) " / " (entry.key.group) } }
            }
            td.full { (limits(api, entry)) }
            td.r data-l="jobs" { (grouped(entry.jobs.into())) @if let Some(max) = bounds.jobs_max() { span.dim { " of " (grouped(max.into())) } } }
            td.r data-l="failing" .bad[failing > 0] { (failing) }
            td {
                @match entry.stopped_at {
                    None => { (Glyph::Ran.plain()) " yes" }
                    Some(since) => { (Glyph::Off.plain()) " no, since " (times.show(since)) }
                }
            }
            td.r { @if visitor.may_write(&entry.key) { (switch(visitor, entry)) } }
        }
    }
}

fn switch(visitor: &Visitor, entry: &CollectionEntry) -> Markup {
    let (value, label) = match entry.collection.state {
        CollectionState::Enabled => ("disable", "Disable"),
        _ => ("enable", "Enable"),
    };
    html! {
        form method="post" action=(visitor.links.collection(&entry.key)) {
            (token(visitor))
            button.sm name="do" value=(value) aria-label={ (label) " " (entry.collection.name) } { (label) }
        }
    }
}

/// What the plan and the quota of a collection allow, in words.
pub(super) fn limits(api: &Api, entry: &CollectionEntry) -> String {
    let bounds = Bounds::of(&entry.collection, &api.operations.plans);
    let plan = entry.collection.sku.map_or("No plan", punctual_model::collection::Sku::name);
    let mut parts = vec![plan.to_owned()];
    parts.extend(bounds.jobs_max().map(|max| format!("at most {}", counted(max.into(), "job", "jobs"))));
    parts.extend(bounds.most_often().map(|every| format!("at most once {every}")));
    if parts.len() == 1 {
        parts.push("no limits".to_owned());
    }
    parts.join(", ")
}
