//! The list of jobs: found by collection, state, text and outcome, with the last outcomes of each in its row.

mod filter;
mod row;

use std::collections::HashMap;

use maud::{Markup, html};
use punctual_store::{CollectionEntry, CollectionKey, FailingJob, JobId};

use self::filter::{Filter, STATES};
use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::numbers::{counted, grouped};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::CONSOLE_PAGE;
use crate::operations::{self, ListedJob};
use crate::query::Query;

/// What the page is drawn of.
struct Read {
    jobs: Vec<ListedJob>,
    /// The address of the next page.
    next: Option<String>,
    collections: Vec<CollectionEntry>,
    failing: HashMap<JobId, FailingJob>,
}

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor, query: &Query) -> Result<Reply, Fault> {
    let (operations, caller) = (&api.operations, &visitor.caller);
    let filter = Filter::read(query, &visitor.links.defaults)?;
    let (collections, _) = operations::list_visible_collections(operations, caller).await?;
    let (failing, _) = operations::read_failing(operations).await?;
    let (mut jobs, stopped_at) = operations::list_jobs(operations, caller, filter.wanted(CONSOLE_PAGE + 1)?).await?;
    let has_more = jobs.len() > CONSOLE_PAGE;
    jobs.truncate(CONSOLE_PAGE);
    let place = if has_more { jobs.last().map(|last| last.place.clone()) } else { stopped_at };
    let next = place.map(|place| filter.after(&place));
    let failing = failing.into_iter().map(|job| (job.job, job)).collect();
    let read = Read { jobs, next, collections, failing };
    let moment = operations::moment(operations, caller).await?;
    let collection = filter.collection.as_ref().and_then(|key| read.collections.iter().find(|it| it.key == *key));
    let title = collection.map_or("Jobs", |entry| entry.collection.name.as_str());
    let content = html! {
        (head(api, visitor, collection, title))
        div.two.side {
            (facets(visitor, &filter, &read))
            div {
                (filters(visitor, &filter, &read))
                @if read.jobs.is_empty() { (nothing(visitor, &filter, &read)) } @else {
                    form method="post" action="/jobs/bulk" {
                        (token(visitor))
                        input type="hidden" name="back" value=(visitor.here);
                        (bars(visitor, &filter, &read))
                        (row::table(visitor, moment, &read.jobs, &read.failing))
                    }
                }
                @if let Some(next) = &read.next { p.more { a.b href=(next) { "Next " (CONSOLE_PAGE) } } }
            }
        }
    };
    Ok(Reply::page(Page::new(title, Tab::Jobs, content).show(visitor)))
}

fn head(api: &Api, visitor: &Visitor, collection: Option<&CollectionEntry>, title: &str) -> Markup {
    html! {
        div.head {
            div {
                @if collection.is_some() { p.crumb { a.q href="/jobs" { "Jobs" } } }
                h1 { (title) }
                @if let Some(entry) = collection { p.dim { (super::collections::limits(api, entry)) } }
            }
            div.acts {
                @if visitor.may_write_something() {
                    @match collection {
                        Some(entry) if visitor.may_write(&entry.key) => a.b.p href={ "/jobs/new?collection=" (crate::console::address::encode(entry.collection.name.as_str())) } { "New job" },
                        Some(_) => {}
                        None => a.b.p href="/jobs/new" { "New job" },
                    }
                }
            }
        }
    }
}

/// The collections, with how many jobs of each fail.
fn facets(visitor: &Visitor, filter: &Filter, read: &Read) -> Markup {
    let all: u64 = read.collections.iter().map(|entry| u64::from(entry.jobs)).sum();
    let failing = |key: &CollectionKey| {
        let path = format!("{}/{}/{}/", key.subscription, key.group, key.collection);
        read.failing
            .values()
            .filter(|job| job.path.len() > path.len() && job.path[..path.len()].eq_ignore_ascii_case(&path))
            .count()
    };
    html! {
        nav.facet aria-label="Collections" {
            a href=(filter.with("collection", "")) aria-current=[filter.collection.is_none().then_some("true")] {
                span { "All collections" } span { (grouped(all)) }
            }
            p.dim.s.over { "Collections" }
            @for entry in &read.collections {
                @let bad = failing(&entry.key);
                a href=(visitor.links.jobs_of(&entry.key)) aria-current=[(filter.collection.as_ref() == Some(&entry.key)).then_some("true")] {
                    span.cut { (entry.collection.name) }
                    span.nb.dim { @if bad > 0 { span.bad { (bad) " failing" } " · " } (grouped(entry.jobs.into())) }
                }
            }
        }
    }
}

fn filters(visitor: &Visitor, filter: &Filter, read: &Read) -> Markup {
    let failing = read.failing.values().filter(|job| visitor.caller.sees_path(&job.path)).count();
    html! {
        form.row.filters method="get" action="/jobs" role="search" aria-label="Jobs" {
            @for (name, value) in filter.kept(&["q"]) { input type="hidden" name=(name) value=(value); }
            label.vh for="filter" { "Filter by name or target" }
            span.find { input #filter name="q" type="search" placeholder="Name or target" value=(filter.text) data-filter; }
            button.sm { "Filter" }
            div.seg role="group" aria-label="State" {
                @for (label, parameter, value) in STATES {
                    a href=(filter.state_link(parameter, value)) aria-current=[filter.has_state(parameter, value).then_some("true")] {
                        (label) @if label == "Failing" && failing > 0 { " " (grouped(failing as u64)) }
                    }
                }
            }
        }
    }
}

/// How the list is sorted; or, as soon as a job is ticked, what can be done to those that are.
fn bars(visitor: &Visitor, filter: &Filter, read: &Read) -> Markup {
    let may_write = read.jobs.iter().any(|listed| visitor.may_write(&listed.collection.key));
    let number = counted(read.jobs.len() as u64, "job", "jobs");
    html! {
        div.bar.sortbar {
            span.dim { @if read.next.is_some() { "The first " } (number) }
            span.end.row {
                span.dim.s { "Sorted by" }
                span.seg {
                    @for (label, value) in [("name", ""), ("next run", "nextRun"), ("failing since", "failingSince")] {
                        a href=(filter.with("sort", value)) aria-current=[(filter.sort == value).then_some("true")] { (label) }
                    }
                }
            }
        }
        @if may_write {
            div.bar.bulk {
                span { "With the ticked jobs:" }
                @for (label, value) in [("Run now", "run"), ("Enable", "enable"), ("Disable", "disable")] {
                    button.sm name="do" value=(value) { (label) }
                }
                button.sm.d name="do" value="delete" { "Delete" }
            }
        }
    }
}

fn nothing(visitor: &Visitor, filter: &Filter, read: &Read) -> Markup {
    html! {
        @if filter.is_empty() {
            div.empty {
                p { "There is no job here yet." }
                @if visitor.may_write_something() { p { a.b href="/jobs/new" { "Make the first one" } } }
            }
        } @else if read.next.is_some() {
            div.empty { p { "Nothing so far. The search stopped after a while, and goes on with the next page." } }
        } @else {
            div.empty { p { "No job matches. " a href="/jobs" { "Clear the filter" } } }
        }
    }
}
