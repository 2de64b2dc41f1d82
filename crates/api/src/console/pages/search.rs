//! One search box for everything: jobs by name or target, collections, runs by their tag.

use maud::html;
use punctual_model::occurrence::OccurrenceId;
use punctual_store::{JobFilter, JobKey};

use crate::api::Api;
use crate::console::frame::{Page, Tab};
use crate::console::glyph::Glyph;
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::fault::Fault;
use crate::operations::{self, JobsWanted, LatestWanted, TroubleFilter};
use crate::query::Query;

/// Jobs that are found.
const FOUND_MAX: usize = 20;

/// Draws the page; the only thing that is found is opened at once.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor, query: &Query) -> Result<Reply, Fault> {
    let text = query.get("q").unwrap_or_default().trim().to_owned();
    if let Some(occurrence) = OccurrenceId::parse(&text)
        && let Some(key) = find_run(api, visitor, occurrence).await?
    {
        return Ok(Reply::see_other(&visitor.links.in_job(&key, "/history")));
    }
    let wanted = JobsWanted {
        subscription: None,
        group: None,
        collection: None,
        filter: JobFilter { text: Some(text.to_lowercase()), state: None, target: None, outcome: None, without: None },
        sort: None,
        after: None,
        limit: FOUND_MAX,
    };
    let (jobs, more) = if text.is_empty() {
        (Vec::new(), None)
    } else {
        operations::list_jobs(&api.operations, &visitor.caller, wanted).await?
    };
    let (collections, _) = operations::list_visible_collections(&api.operations, &visitor.caller).await?;
    let folded = text.to_lowercase();
    let collections: Vec<_> = collections
        .iter()
        .filter(|it| !text.is_empty() && it.collection.name.folded().contains(&folded))
        .take(FOUND_MAX)
        .collect();
    let content = html! {
        div.head { div { h1 { @if text.is_empty() { "Search everything" } @else { "Found for “" (text) "”" } } } }
        form.row role="search" aria-label="Again" action="/search" { span.find { input name="q" type="search" value=(text) aria-label="Search" data-filter; } button { "Search" } }
        @if !collections.is_empty() {
            section { div.sec { h2 { "Collections" } }
                ul.due { @for it in &collections { li { span {} span { a.q href=(visitor.links.jobs_of(&it.key)) { (it.collection.name) } } span.dim.s { (it.jobs) " jobs" } } } }
            }
        }
        @if !jobs.is_empty() {
            section { div.sec { h2 { "Jobs" } span.dim { (jobs.len()) @if more.is_some() || jobs.len() == FOUND_MAX { " and perhaps more" } } }
                ul.due {
                    @for it in &jobs {
                        @let key = JobKey { collection: it.collection.key.clone(), job: it.job.name.clone() };
                        @let is_bad = it.job.health.failures_in_a_row > 0;
                        li data-row {
                            span { @if is_bad { (Glyph::Failed.named("fails")) } @else { (Glyph::Due.plain()) } }
                            span { a.q href=(visitor.links.job(&key)) { (it.job.name) } " " span.dim { (words::target(&it.job.job.definition.action.target, visitor.may_write(&key.collection))) } }
                            span.dim.s { (it.collection.collection.name) }
                        }
                    }
                }
            }
        }
        @if jobs.is_empty() && collections.is_empty() && !text.is_empty() {
            p.empty { "Nothing has “" (text) "” in its name or target. A run is found by the whole of its x-ms-execution-tag." }
        }
    };
    Ok(Reply::page(Page::new("Search", Tab::None, content).show(visitor)))
}

/// The job of a run, by the tag that its calls carry.
async fn find_run(api: &Api, visitor: &Visitor, occurrence: OccurrenceId) -> Result<Option<JobKey>, Fault> {
    let wanted = LatestWanted {
        filter: TroubleFilter::default(),
        outcome: None,
        only_last_attempts: false,
        occurrence: Some(occurrence),
        since: None,
        after: None,
        limit: 1,
    };
    let (found, _) = operations::list_latest(&api.operations, &visitor.caller, wanted).await?;
    Ok(found.into_iter().next().map(|(key, _)| key))
}
