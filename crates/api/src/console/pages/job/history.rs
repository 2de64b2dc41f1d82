//! The history of a job, by run: the attempts of each are inside.

use maud::{Markup, html};
use punctual_model::history::Status;
use punctual_model::occurrence::{Origin, Phase};
use punctual_store::{HistoryFilter, HistoryItem, HistoryKey, HistoryPage, JobKey};

use super::{Shown, sentence, summary};
use crate::api::Api;
use crate::console::address::encode;
use crate::console::frame::{Page, Tab, token};
use crate::console::glyph::Glyph;
use crate::console::numbers::took;
use crate::console::reply::Reply;
use crate::console::runs::{self, Run, RunOutcome};
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::fault::Fault;
use crate::limits::CONSOLE_RECORDS;
use crate::page::Page as ListPage;
use crate::query::Query;
use punctual_model::history::StatusKind;

/// Runs that the page of the job shows.
const SHOWN: usize = 25;
/// Characters of an answer that are shown.
const ANSWER_CHARS: usize = 1024;

/// The section of the page of a job.
pub(super) fn section(visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Markup {
    let all = visitor.links.in_job(&shown.key, "/history");
    let sign = if all.contains('?') { '&' } else { '?' };
    html! {
        section #history aria-labelledby="came" {
            div.sec {
                h2 #came { "History" } span.dim { "by run" }
                span.end.s { a href={ (all) (sign) "outcome=failed" } { "Only failures" } " · " a href=(all) { "All" } }
            }
            (list(visitor, shown, &runs[..runs.len().min(SHOWN)]))
        }
    }
}

fn list(visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Markup {
    // The last failure is what its reader came for.
    let open = runs.iter().position(|run| run.outcome() == RunOutcome::Failed).filter(|at| *at < 5);
    html! {
        div #list data-live {
            div.occh aria-hidden="true" { span {} span { "Due" } span { "What came of it" } span.r { "Late by" } span.r { "Took" } span.r { "Attempts" } }
            @for (at, run) in runs.iter().enumerate() { (draw(visitor, shown, run, open == Some(at))) }
            @if runs.is_empty() { p.dim.empty { "Nothing yet." } }
        }
    }
}

fn draw(visitor: &Visitor, shown: &Shown, run: &Run, is_open: bool) -> Markup {
    let times = &shown.times;
    let outcome = run.outcome();
    html! {
        details.occ open[is_open] data-row {
            summary {
                (outcome.glyph().named(outcome.word()))
                span { (times.show(run.nominal)) @if let Some(word) = origin(run.origin) { " " span.dim.s { (word) } } }
                span.cut { (sentence(run)) }
                span.r { @if run.not_run.is_none() { (took(run.late_ticks())) } }
                span.r { @if run.not_run.is_none() { (took(run.took_ticks())) } }
                span.r { @if run.not_run.is_none() { (run.main().count()) } }
            }
            (inside(visitor, shown, run))
        }
    }
}

/// The attempts of a run and what can be done about it.
pub(super) fn inside(visitor: &Visitor, shown: &Shown, run: &Run) -> Markup {
    let last = run.last();
    let can_rerun = shown.may_write && last.is_some() && !matches!(run.outcome(), RunOutcome::Waiting(_));
    html! {
        div.att {
            @if let Some(range) = &run.not_run {
                p { (range.reason.sentence()) }
                p.dim.s { (shown.times.full(range.first)) @if range.number > 1 { " to " (shown.times.full(range.last)) ", " (range.number) " times" } }
            }
            ul { @for item in &run.attempts { (attempt(shown, item)) } }
            div.row {
                @if let (Some(last), true) = (last, can_rerun) {
                    form method="post" action=(visitor.links.job(&shown.key)) {
                        (token(visitor))
                        input type="hidden" name="record" value=(last.key.to_id());
                        button.sm .p[run.outcome() == RunOutcome::Failed] name="do" value="rerun" { "Rerun" }
                    }
                }
                a.b.sm href=(visitor.links.at(&shown.key, run.nominal)) { "Open this run" }
                @if let Some(last) = last { span.m.dim { "x-ms-execution-tag " (last.entry.record.occurrence) } }
            }
        }
    }
}

fn attempt(shown: &Shown, item: &HistoryItem) -> Markup {
    let record = &item.entry.record;
    let has_failed = matches!(record.status, Status::Failed(_));
    let glyph = if has_failed { Glyph::Failed.named("failed") } else { Glyph::Ran.named("ran") };
    let what = record.failure.as_ref().map_or_else(|| html! { (summary(&record.message)) }, words::reason);
    let answer: String = record.message.chars().take(ANSWER_CHARS).collect();
    html! {
        li {
            (glyph)
            span { (shown.times.precise(record.started)) }
            span {
                @if record.phase == Phase::Error { "Error action: " } (what)
                @if record.is_resent { " " span.dim.s { "sent again; the target may have got it twice" } }
                @if item.entry.is_duplicate { " " span.dim.s { "beside the one that counted" } }
            }
            span.r { (took(record.ended.since(record.started))) }
            @if has_failed && !answer.trim().is_empty() { pre { (answer) } }
        }
    }
}

/// Who asked for a run, unless it was the schedule.
pub(super) const fn origin(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Schedule => None,
        Origin::Manual(_) => Some("by hand"),
        Origin::Backfill => Some("made good"),
        Origin::Test => Some("test"),
        Origin::Rerun(_) => Some("rerun"),
    }
}

/// Draws the whole history, page by page.
pub(in crate::console) async fn show_history(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    query: &Query,
) -> Result<Reply, Fault> {
    let shown = Shown::read(api, visitor, key).await?;
    let only_failed = query.get("outcome").is_some_and(|outcome| outcome.eq_ignore_ascii_case("failed"));
    let filter = HistoryFilter { status: only_failed.then_some(StatusKind::Failed), ..HistoryFilter::default() };
    let after = query.get("cursor").map(|id| HistoryKey::parse_id(id).ok_or_else(ListPage::wrong_token)).transpose()?;
    let page = HistoryPage { filter, after, skip: 0, limit: CONSOLE_RECORDS };
    let items = api.operations.store.history(shown.job.id, &page).await?;
    let last = items.last().map(|item| item.key.to_id()).filter(|_| items.len() == page.limit);
    let runs = runs::group(items);
    let here = visitor.links.in_job(&shown.key, "/history");
    let sign = if here.contains('?') { '&' } else { '?' };
    let choices =
        [("All", here.clone(), !only_failed), ("Failures", format!("{here}{sign}outcome=failed"), only_failed)];
    let content = html! {
        (super::head::draw(visitor, &shown))
        div.bar {
            h2 { "History" }
            span.seg { @for (label, link, is_chosen) in &choices { a href=(link) aria-current=[is_chosen.then_some("true")] { (label) } } }
        }
        (list(visitor, &shown, &runs))
        @if let Some(last) = last {
            p.more { a.b href={ (here) (sign) "cursor=" (encode(&last)) @if only_failed { "&outcome=failed" } } { "Older" } }
        }
    };
    Ok(Reply::page(Page::new("History", Tab::Jobs, content).show(visitor)))
}
