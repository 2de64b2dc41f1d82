//! One minute in the life of a job: whether it ran then, and why.

use maud::{Markup, html};
use punctual_model::Violation;
use punctual_model::recurrence::Timetable;
use punctual_model::time::{DateTime, TICKS_PER_MINUTE, Timestamp, Zone};
use punctual_store::{HistoryFilter, HistoryPage, JobKey};

use super::{Shown, history, sentence};
use crate::api::Api;
use crate::console::frame::{Page, Tab};
use crate::console::glyph::Glyph;
use crate::console::reply::Reply;
use crate::console::runs::{self, Run, RunOutcome};
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::CONSOLE_RECORDS;

/// Draws the page.
pub(in crate::console) async fn show_at(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    text: &str,
) -> Result<Reply, Fault> {
    let shown = Shown::read(api, visitor, key).await?;
    let written = DateTime::parse(text)
        .map_err(|_| Violation::new("at", format!("{text:?}"), "an instant, such as 2026-01-01T00:00:00Z"))?;
    let at = written.resolve(Zone::utc()).instant();
    // Attempts start at the nominal time or after it; what was not run may have been decided about days later.
    let filter = HistoryFilter { started_from: Some(at.saturating_add(-TICKS_PER_MINUTE)), ..HistoryFilter::default() };
    let found = read(api, &shown, filter).await?.into_iter().find(|run| covers(run, at));
    let job = &shown.job.job;
    let timetable = Timetable::new(job.definition.recurrence.as_ref(), job.anchor).ok();
    let heading = heading(&shown, at, found.as_ref(), timetable.as_ref());
    let content = html! {
        (super::head::draw(visitor, &shown))
        h2.answer { (heading) }
        @match &found {
            Some(run) => { p.define { (sentence(run)) "." } (history::inside(visitor, &shown, run)) }
            None => (neighbours(visitor, &shown, at, timetable.as_ref())),
        }
    };
    Ok(Reply::page(Page::new("One run", Tab::Jobs, content).show(visitor)))
}

async fn read(api: &Api, shown: &Shown, filter: HistoryFilter) -> Result<Vec<Run>, Fault> {
    let mut items = Vec::new();
    let mut page = HistoryPage { filter, limit: CONSOLE_RECORDS, ..HistoryPage::default() };
    // Newest first: the wanted one is the oldest, so that all pages are read, as far as the limit goes.
    for _ in 0..crate::limits::TROUBLE_PAGES_MAX {
        let read = api.operations.store.history(shown.job.id, &page).await?;
        page.after = read.last().map(|item| item.key);
        let is_last = read.len() < page.limit;
        items.extend(read);
        if is_last {
            break;
        }
    }
    Ok(runs::group(items))
}

fn covers(run: &Run, at: Timestamp) -> bool {
    match &run.not_run {
        Some(range) => range.first <= at && at <= range.last,
        None => run.nominal == at,
    }
}

fn heading(shown: &Shown, at: Timestamp, run: Option<&Run>, timetable: Option<&Timetable>) -> Markup {
    let when = shown.times.full(at);
    let is_due = timetable.is_some_and(|timetable| timetable.contains(at));
    match run {
        Some(run) => {
            let outcome = run.outcome();
            let word = match outcome {
                RunOutcome::Ran => "It ran",
                RunOutcome::RanLater => "It ran after a retry",
                RunOutcome::Failed => "It failed",
                RunOutcome::Waiting(_) => "It waits for a retry",
                RunOutcome::NotRun => "It was not run",
            };
            html! { (outcome.glyph().plain()) " " (word) ", due " (when) }
        }
        None if is_due && at > shown.times.now => {
            html! { (Glyph::Due.plain()) " It is due " (when) ", " (shown.times.distance(at)) }
        }
        None if is_due => html! { "It was due " (when) ", and nothing is recorded of it" },
        None => html! { "It was not due " (when) },
    }
}

/// What lies around a time of which nothing is recorded.
fn neighbours(visitor: &Visitor, shown: &Shown, at: Timestamp, timetable: Option<&Timetable>) -> Markup {
    let link = |at: Timestamp| html! { a href=(visitor.links.at(&shown.key, at)) { (shown.times.full(at)) } };
    let (before, after) = (timetable.and_then(|it| it.previous(at)), timetable.and_then(|it| it.next(at)));
    html! {
        p.define {
            @if let Some(before) = before { "Before it " (link(before)) ". " }
            @if let Some(after) = after { "After it " (link(after)) "." }
        }
        p.dim { "The schedule as it is today says so. What the job was at that time is in " a href=(visitor.links.in_job(&shown.key, "/changes")) { "its changes" } "." }
    }
}
