//! One minute in the life of a job: whether it ran then, and why.

use maud::html;
use punctual_model::time::{TICKS_PER_MINUTE, Timestamp};
use punctual_store::{HistoryFilter, HistoryPage, JobKey};

use super::{Shown, history, sentence};
use crate::api::Api;
use crate::console::frame::{Page, Tab};
use crate::console::reply::Reply;
use crate::console::runs::{self, Run};
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::limits::CONSOLE_RECORDS;
use crate::operations::{Explained, explain};

/// Draws the page.
pub(in crate::console) async fn show_at(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    text: &str,
) -> Result<Reply, Fault> {
    let shown = Shown::read(api, visitor, key).await?;
    let Explained { at, explanation, .. } = explain(&api.operations, &visitor.caller, key, text).await?;
    // Attempts start at the nominal time or after it; what was not run may have been decided about days later.
    let filter = HistoryFilter { started_from: Some(at.saturating_add(-TICKS_PER_MINUTE)), ..HistoryFilter::default() };
    let found = read(api, &shown, filter).await?.into_iter().find(|run| covers(run, at));
    let content = html! {
        (super::head::draw(visitor, &shown))
        h2.answer {
            @if let Some(run) = &found { (run.outcome().glyph().plain()) " " }
            (explanation.sentence)
        }
        p.dim { "Asked for " (shown.times.full(at)) "." }
        @if let Some(run) = &found { p.define { (sentence(run)) "." } (history::inside(visitor, &shown, run)) }
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
