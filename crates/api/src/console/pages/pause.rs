//! Pausing everything, and what resuming would do.

use maud::{Markup, html};
use punctual_model::time::TICKS_PER_HOUR;

use crate::api::Api;
use crate::console::frame::{Page, Tab, token};
use crate::console::numbers::{counted, grouped};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, ResumptionReport};

/// Draws the page.
pub(in crate::console) async fn show(api: &Api, visitor: &Visitor) -> Result<Reply, Fault> {
    if !visitor.is_owner() {
        return Err(Fault::Forbidden("To pause the server you need the role owner on all of it.".to_owned()));
    }
    let state = operations::pause_state(&api.operations, &api.long_work, &visitor.caller).await?;
    let content = if let Some(report) = state.resuming {
        resume(visitor, &report)
    } else {
        let until = visitor.caller.now.saturating_add(TICKS_PER_HOUR);
        let (due, more) = operations::list_upcoming(&api.operations, &visitor.caller, until, None, 1000).await?;
        pause(visitor, due.len() as u64, more.is_some())
    };
    Ok(Reply::page(Page::new("Pause", Tab::None, content).show(visitor)))
}

fn pause(visitor: &Visitor, due: u64, is_more: bool) -> Markup {
    html! {
        div.lone.wider {
            h1 { "Pause everything?" }
            p { "Nothing starts until somebody resumes. Within the next hour " @if is_more { "more than " } b { (counted(due, "job is", "jobs are")) } " due. Attempts that are under way end by themselves, and no job is changed." }
            form method="post" action="/pause" {
                (token(visitor))
                label.stacked for="why" { "Why, for those who see it" }
                input #why name="why" maxlength="1000" placeholder="Database is being moved";
                button.p name="do" value="pause" { "Pause everything" } " "
                a.b href="/" { "Do not" }
            }
        }
    }
}

fn resume(visitor: &Visitor, report: &ResumptionReport) -> Markup {
    let at_least = if report.is_at_least { "at least " } else { "" };
    html! {
        div.lone.wider {
            h1 { "Resuming would start " (at_least) (counted(report.runs, "run", "runs")) " of " (counted(report.jobs.len() as u64, "job", "jobs")) "." }
            dl.kv {
                dt { "Start at once" } dd { (at_least) (grouped(report.runs)) }
                dt { "Recorded as not run" } dd { (at_least) (grouped(report.not_run)) ", because everything was paused" }
                dt { "Still under way from before" } dd { (grouped(report.in_flight)) }
            }
            form method="post" action="/pause" {
                (token(visitor))
                button.p name="do" value="resume" { "Resume" }
            }
        }
    }
}
