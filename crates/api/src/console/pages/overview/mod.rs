//! The overview: what needs its reader first, then what ran and what is due.

mod due;
mod inbox;

use maud::{Markup, html};
use punctual_model::tally::{Minute, Tally};
use punctual_model::time::{TICKS_PER_DAY, Timestamp};

use self::inbox::Inbox;
pub(in crate::console) use self::inbox::countdown;
use crate::api::Api;
use crate::console::frame::{Page, Tab};
use crate::console::glyph::Glyph;
use crate::console::numbers::{counted, grouped, percent, took};
use crate::console::pictures::{MinuteRuns, runs_strip, runs_table};
use crate::console::reply::Reply;
use crate::console::times::zone_name;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, Detail, TroubleFilter};
use crate::query::Query;

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor, query: &Query) -> Result<Reply, Fault> {
    let (operations, caller) = (&api.operations, &visitor.caller);
    let (collections, _) = operations::list_visible_collections(operations, caller).await?;
    let jobs: u64 = collections.iter().map(|entry| u64::from(entry.jobs)).sum();
    if jobs == 0 {
        return Ok(Reply::page(Page::new("Overview", Tab::Overview, first_visit(visitor)).show(visitor)));
    }
    let runs = read_runs(api, visitor).await?;
    let times = visitor.times();
    if query.get("table").is_some() {
        let content = html! {
            div.head { div { p.crumb { a href="/" { "Overview" } } h1 { "Runs of the last hour" } } }
            (runs_table(&runs, &times))
        };
        return Ok(Reply::page(Page::new("Runs of the last hour", Tab::Overview, content).show(visitor)));
    }
    let since = times.now.saturating_add(-TICKS_PER_DAY);
    let filter = TroubleFilter::default();
    let report = operations::list_trouble(operations, caller, &filter, since, Detail::WithMessage).await?;
    let inbox = Inbox::of(&report.troubles);
    let due = due::read(api, visitor).await?;
    let content = html! {
        (heading(visitor, &inbox, jobs))
        (runs_strip(&runs, &times))
        (figures(api, &runs, &inbox))
        div.two {
            div { (inbox.draw(visitor, report.is_partial)) }
            aside { (due::draw(visitor, &due)) }
        }
    };
    let page = Page { is_lead: true, ..Page::new("Overview", Tab::Overview, content) };
    Ok(Reply::page(page.show(visitor)))
}

fn heading(visitor: &Visitor, inbox: &Inbox<'_>, jobs: u64) -> Markup {
    let (problems, times) = (inbox.needs.len() as u64, visitor.times());
    let well = jobs.saturating_sub(inbox.failing_jobs());
    let sentence = match problems {
        0 if jobs == 1 => "Your job is on time.".to_owned(),
        0 => format!("All {} jobs are on time.", grouped(jobs)),
        1 => format!("1 problem needs you. {}", others(well)),
        more => format!("{more} problems need you. {}", others(well)),
    };
    html! {
        div.head {
            div { h1 #answer data-live { (sentence) } }
            div.acts {
                span.dim.s.nb data-live-state {
                    (Glyph::Running.plain()) " " span data-live-word { "drawn" } ", " (times.show_full(times.now)) " " (zone_name(times.zone))
                }
            }
        }
    }
}

fn others(well: u64) -> String {
    match well {
        0 => String::new(),
        1 => "The other job is on time.".to_owned(),
        more => format!("The other {} jobs are on time.", grouped(more)),
    }
}

async fn read_runs(api: &Api, visitor: &Visitor) -> Result<MinuteRuns, Fault> {
    let (operations, caller, now) = (&api.operations, &visitor.caller, visitor.caller.now);
    let minute = Minute::of(now);
    let (from, until) = (Minute(minute.0 - 59), Minute(minute.0 + 1));
    let past = operations::count_past(operations, caller, from, until).await?;
    let (ahead, is_partial) = operations::count_due(operations, caller, until, 60).await?;
    let past = past.try_into().unwrap_or([Tally::default(); 60]);
    let ahead = ahead.try_into().unwrap_or([0; 60]);
    Ok(MinuteRuns { past, ahead, now, is_partial })
}

fn figures(api: &Api, runs: &MinuteRuns, inbox: &Inbox<'_>) -> Markup {
    let sum = runs.sum();
    let failed = sum.failed + sum.given_up;
    let lateness = &api.metrics.engine.lateness;
    let [half, most] =
        [50, 99].map(|part| lateness.percentile(part).map(|ticks| took(i64::try_from(ticks).unwrap_or(0))));
    html! {
        dl.figs #figures data-live {
            div { dt { "Ran in the last hour" } dd { (grouped(sum.succeeded)) } }
            div { dt { "Attempts that succeeded" } dd { (percent(sum.succeeded, sum.succeeded + failed)) } }
            div { dt { "Failed attempts" } dd .bad[failed > 0] { (grouped(failed)) } }
            div { dt { "Not run" } dd .warn[sum.not_run > 0] { (grouped(sum.not_run)) } }
            @if let (Some(half), Some(most)) = (half, most) {
                div { dt { "Started late by" } dd { "up to " (half) " " small.dim { "half, " } (most) " " small.dim { "99 of 100" } } }
            }
            div { dt { "Waiting for a retry" } dd { (grouped(inbox.waiting())) } }
        }
    }
}

/// What somebody sees who has no job yet.
fn first_visit(visitor: &Visitor) -> Markup {
    html! {
        div.lone.wider {
            h1 { "No job yet. Two fields make the first one." }
            @if visitor.may_write_something() {
                form method="get" action="/jobs/new" {
                    div.f { label for="uri" { "Call this address" } input #uri name="uri" type="url" placeholder="https://example.com/ping" required; }
                    div.f {
                        label for="every" { "Every" }
                        select #every name="every" {
                            option value="Minute" { "minute" } option value="Hour" selected { "hour" } option value="Day" { "day" } option value="Week" { "week" }
                        }
                    }
                    p { button.p { "Look at it, then save" } }
                }
                h2 { "Other ways in" }
                dl.kv.gap {
                    dt { "Everything a job can do" } dd { a href="/jobs/new" { "The whole form" } ", or its JSON" }
                    dt { "From a shell" } dd { code { "punctual add https://example.com --every 1h" } }
                    dt { "From Azure, Kubernetes, crontab" } dd { code { "punctual import" } }
                    dt { "As a program" } dd { a href="/openapi.json" { "The API" } }
                }
            } @else {
                p { "You may look, and there is nothing to see yet. Jobs appear here as soon as somebody makes one in a collection that you may read." }
            }
        }
    }
}

/// Since when a time of today is told.
pub(super) fn since_words(visitor: &Visitor, since: Timestamp) -> String {
    let times = visitor.times();
    if times.is_recent(since) {
        times.short(since)
    } else {
        format!("{} ({})", times.short(since), times.distance(since))
    }
}

pub(super) fn jobs_word(number: u64) -> String {
    counted(number, "job", "jobs")
}
