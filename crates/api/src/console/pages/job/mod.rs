//! One job: what it does, how it stands, what came of it, what comes next.

mod aside;
mod at;
mod changes;
mod head;
mod history;

use maud::{Markup, PreEscaped, html};
use punctual_store::{CollectionEntry, HistoryPage, JobEntry, JobKey};

pub(in crate::console) use self::at::show_at;
pub(in crate::console) use self::changes::show_changes;
pub(in crate::console) use self::history::show_history;
use super::require_reader;
use crate::api::Api;
use crate::console::answer_text::AnswerText;
use crate::console::frame::{Page, Tab};
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, took};
use crate::console::pictures;
use crate::console::reply::Reply;
use crate::console::runs::{self, Run, RunOutcome};
use crate::console::times::Times;
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::fault::Fault;
use crate::limits::CONSOLE_RECORDS;
use crate::operations;
use crate::query::Query;
use crate::status::{JobStatus, Outcome};

/// A job as its pages need it.
struct Shown {
    key: JobKey,
    collection: CollectionEntry,
    job: JobEntry,
    status: JobStatus,
    may_write: bool,
    times: Times,
}

impl Shown {
    async fn read(api: &Api, visitor: &Visitor, key: &JobKey) -> Result<Self, Fault> {
        require_reader(visitor, &key.collection)?;
        let (collection, job) = operations::find_job(&api.operations, key).await?;
        let moment = operations::moment(&api.operations, &visitor.caller).await?;
        let status = operations::read_status(&api.operations, moment, &collection, &job).await?;
        // The names as they were first written, whatever the address says.
        let key = JobKey { collection: collection.key.clone(), job: job.name.clone() };
        let may_write = visitor.may_write(&collection.key);
        let times = visitor.times_of(job.job.definition.recurrence.as_ref());
        Ok(Self { key, collection, job, status, may_write, times })
    }
}

/// Draws the page of a job.
pub(in crate::console) async fn show(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    query: &Query,
) -> Result<Reply, Fault> {
    let shown = Shown::read(api, visitor, key).await?;
    if query.get("as") == Some("json") {
        let content = html! { (head::draw(visitor, &shown)) (json(&shown)) };
        return Ok(Reply::page(Page::new(shown.job.name.as_str(), Tab::Jobs, content).show(visitor)));
    }
    let page = HistoryPage { limit: CONSOLE_RECORDS, ..HistoryPage::default() };
    let runs = runs::group(api.operations.store.history(shown.job.id, &page).await?);
    let aside = aside::draw(api, visitor, &shown, &runs).await?;
    let content = html! {
        (head::draw(visitor, &shown))
        (head::banner(visitor, &shown, &runs))
        (words::definition(&shown.job.job.definition, shown.job.job.anchor, shown.collection.collection.sku, shown.may_write))
        (figures(visitor, &shown, &runs))
        div.two {
            div {
                (strip(visitor, &shown, &runs))
                (history::section(visitor, &shown, &runs))
            }
            aside { (aside) }
        }
    };
    let page = Page { is_lead: true, ..Page::new(shown.job.name.as_str(), Tab::Jobs, content) };
    Ok(Reply::page(page.show(visitor)))
}

fn figures(visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Markup {
    let Shown { job, status, times, .. } = shown;
    let mut durations: Vec<i64> = runs
        .iter()
        .filter_map(Run::last)
        .map(|item| item.entry.record.ended.since(item.entry.record.started))
        .collect();
    durations.sort_unstable();
    let at = |part: usize| durations.get((durations.len() * part / 10).min(durations.len().saturating_sub(1)));
    let last = runs.iter().find(|run| run.last().is_some());
    html! {
        dl.figs #figures data-live {
            div {
                dt { "Next run" }
                dd {
                    @match status.next {
                        Some(next) if next <= times.now => { "starting" }
                        Some(next) => { (times.show(next)) " " small.dim { (times.distance(next)) } }
                        None => { "none" }
                    }
                }
            }
            @if let Some(run) = last {
                div {
                    dt { "Last run" }
                    dd { (run.outcome().glyph().plain()) " " (times.show(run.nominal)) " " small.dim { (run.outcome().word()) } }
                }
            }
            div { dt { "Attempts ever" } dd { (counted(job.counters.executions, "made", "made")) ", " span .bad[job.counters.failures > 0] { (job.counters.failures) " failed" } } }
            @if let (Some(half), Some(most)) = (at(5), at(9)) {
                div { dt { "Takes" } dd { (took(*half)) " " small.dim { "half, " } (took(*most)) " " small.dim { "9 of 10" } } }
            }
            div { dt { "State" } dd { (head::state(visitor, shown)) } }
        }
    }
}

fn strip(visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Markup {
    let number = runs.len().min(60);
    html! {
        section aria-labelledby="last" {
            div.sec { h2 #last { @if number < 2 { "Runs" } @else { "Last " (number) " runs" } } }
            @if runs.is_empty() { (never(shown)) } @else {
                (pictures::attempts(runs, &shown.key, &visitor.links, &shown.times))
                div.key {
                    span { "Above the line: ran, height is duration" }
                    span { "Below: each failed attempt" }
                    span { (Glyph::NotRun.plain()) "not run" }
                    span { "Grey at the foot: how late it started" }
                    a href="#history" { "As a table" }
                }
            }
        }
    }
}

fn never(shown: &Shown) -> Markup {
    html! {
        p.dim.empty {
            @match shown.status.next {
                Some(next) => { "It has not run yet. Its first run is due at " (shown.times.show(next)) ", " (shown.times.distance(next)) "." }
                None => { "It has not run yet, and nothing is due." }
            }
        }
    }
}

fn json(shown: &Shown) -> Markup {
    let Shown { key, collection, job, status, may_write, .. } = shown;
    let text = crate::console::draft::json_of(collection, job, status, *may_write);
    html! {
        section {
            div.sec { h2 { "Definition as JSON" } span.end.s { a href="?" { "In words" } } }
            pre { (text) }
            @if !may_write { p.dim.s { "Values that may hold secrets are hidden from readers." } }
            p.dim.s.gap { "From a shell: " code { "punctual job show " (key.collection.collection) "/" (key.job) } }
        }
    }
}

/// What came of a run, in a sentence.
fn sentence(run: &Run) -> Markup {
    if let Some(range) = &run.not_run {
        return html! { (words::not_run(range)) };
    }
    let Some(last) = run.last() else { return html! {} };
    let record = &last.entry.record;
    let attempts = run.main().count();
    let reason = record.failure.as_ref().map(words::reason);
    html! {
        @match run.outcome() {
            RunOutcome::Ran => (summary(&record.message)),
            RunOutcome::RanLater => { (summary(&record.message)) " at attempt " (attempts) },
            RunOutcome::Waiting(_) => { (reason.unwrap_or_else(|| PreEscaped("Failed".to_owned()))) ", tried again" },
            _ => { "Failed: " (reason.unwrap_or_else(|| PreEscaped("no reason is known".to_owned()))) @if attempts > 1 { ", " (attempts) " attempts" } },
        }
    }
}

/// What a target answered, in a few words: its status, or the first line of what it said.
fn summary(message: &str) -> String {
    let answer = AnswerText::of(message);
    let text = answer.status().unwrap_or_else(|| answer.line(120));
    if text.is_empty() { "Ran".to_owned() } else { text }
}

/// What a job is in the middle of, in a sentence.
fn standing(status: &JobStatus) -> Option<(Glyph, &'static str)> {
    match status.outcome? {
        Outcome::Running => Some((Glyph::Running, "It is running, or next in turn.")),
        Outcome::Waiting => Some((Glyph::Waiting, "It waits for a retry.")),
        _ => None,
    }
}
