//! The name of a job, what can be done to it, and what it is in the middle of.

use maud::{Markup, html};
use punctual_model::job::JobState;

use super::{Shown, standing};
use crate::console::frame::token;
use crate::console::glyph::Glyph;
use crate::console::pages::overview_countdown;
use crate::console::runs::{Run, RunOutcome};
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::status::Hold;

/// Draws the head.
pub(super) fn draw(visitor: &Visitor, shown: &Shown) -> Markup {
    let Shown { key, collection, job, may_write, .. } = shown;
    let here = visitor.links.job(key);
    let (switch, word) = match job.job.state {
        JobState::Enabled => ("disable", "Disable"),
        _ => ("enable", "Enable"),
    };
    let is_over = job.job.state.kind().is_final();
    html! {
        div.head {
            div {
                p.crumb { a.q href="/jobs" { "Jobs" } " / " a.q href=(visitor.links.jobs_of(&collection.key)) { (collection.collection.name) } }
                h1.name { a.q href=(here) { (job.name) } }
            }
            div.acts {
                @if *may_write {
                    form.acts method="post" action=(here) {
                        (token(visitor))
                        button.p name="do" value="run" data-key="r" { "Run now" }
                        a.b href=(visitor.links.in_job(key, "/edit")) data-key="e" { "Edit" }
                        @if !is_over { button name="do" value=(switch) data-key="d" { (word) } }
                    }
                }
                details.menu {
                    summary.b { "More" }
                    div.pop {
                        a href={ (here) @if here.contains('?') { "&" } @else { "?" } "as=json" } { "As JSON" }
                        a href=(visitor.links.in_job(key, "/changes")) { "Who changed it" }
                        a href=(visitor.links.in_job(key, "/history")) { "Whole history" }
                        @if *may_write {
                            a href={ "/jobs/new?from=" (crate::console::address::encode(&crate::console::actions::job_value(key))) } { "Duplicate" }
                            form method="post" action=(here) { (token(visitor)) button.bad name="do" value="delete" { "Delete" } }
                        }
                    }
                }
            }
        }
    }
}

/// What the job is in the middle of.
pub(super) fn banner(visitor: &Visitor, shown: &Shown, runs: &[Run]) -> Markup {
    let waiting = runs.iter().find_map(|run| match run.outcome() {
        RunOutcome::Waiting(at) => Some((run, at)),
        _ => None,
    });
    let still_waits = shown.status.waiting_until.is_some();
    html! {
        div #banner data-live {
            @if let (Some((run, at)), true) = (waiting, still_waits) {
                div.note.warn role="status" {
                    (Glyph::Waiting.plain())
                    span {
                        b { "Run of " (shown.times.short(run.nominal)) ": " }
                        "attempt " (run.main().count()) " failed"
                        @if let Some(failure) = run.last().and_then(|item| item.entry.record.failure.as_ref()) { ", " (words::reason(failure)) }
                        ". Next attempt " (overview_countdown(visitor, at)) "."
                    }
                }
            } @else if let Some((glyph, sentence)) = standing(&shown.status) {
                div.note role="status" { (glyph.plain()) span { (sentence) } }
            }
        }
    }
}

/// Whether it runs, in words.
pub(super) fn state(_visitor: &Visitor, Shown { job, status, times, .. }: &Shown) -> Markup {
    let held = |why: &str| html! { (Glyph::Off.plain()) " held: " (why) };
    match (job.job.state, status.held_by) {
        (JobState::Disabled(since), _) => {
            html! { (Glyph::Off.plain()) " disabled " small.dim { "since " (times.short(since)) } }
        }
        (JobState::Completed, _) => html! { (Glyph::Ended.plain()) " ended" },
        (JobState::Faulted, _) => html! { (Glyph::Ended.plain()) " ended, the last attempt failed" },
        (JobState::Enabled, Some(Hold::Collection)) => held("its collection is disabled"),
        (JobState::Enabled, Some(Hold::Pause)) => held("everything is paused"),
        (JobState::Enabled, None) => html! { "enabled" },
    }
}
