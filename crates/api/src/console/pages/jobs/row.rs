//! A row of the list.

use std::collections::HashMap;

use maud::{Markup, html};
use punctual_model::job::JobState;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, FailingJob, JobEntry, JobId, JobKey};

use crate::console::actions::job_value;
use crate::console::glyph::Glyph;
use crate::console::pictures::outcomes;
use crate::console::visitor::Visitor;
use crate::console::words;
use crate::operations::{self, ListedJob};
use crate::status::{Hold, JobStatus, Moment, Outcome};

/// Draws the table.
pub(super) fn table(
    visitor: &Visitor,
    moment: Moment,
    jobs: &[ListedJob],
    failing: &HashMap<JobId, FailingJob>,
) -> Markup {
    html! {
        table.jobs #jobs data-live {
            thead {
                tr {
                    th { span.vh { "Select" } }
                    th { "Job, and when it runs" }
                    th.c-what { "What it does" }
                    th { "Last 24" }
                    th { "Last run" }
                    th.r { "Next run" }
                }
            }
            tbody {
                @for ListedJob { collection, job, .. } in jobs {
                    @let status = operations::row_status(moment, collection, job);
                    (row(visitor, collection, job, &status, failing.get(&job.id)))
                }
            }
        }
    }
}

fn row(
    visitor: &Visitor,
    collection: &CollectionEntry,
    job: &JobEntry,
    status: &JobStatus,
    failing: Option<&FailingJob>,
) -> Markup {
    let key = JobKey { collection: collection.key.clone(), job: job.name.clone() };
    let may_write = visitor.may_write(&collection.key);
    let definition = &job.job.definition;
    html! {
        tr data-row {
            td {
                @if may_write { input type="checkbox" name="job" value=(job_value(&key)) aria-label={ "Select " (job.name) }; }
            }
            th scope="row" {
                a.b6 href=(visitor.links.job(&key)) { (job.name) } " " span.dim.s { (collection.collection.name) }
                br; span.dim.s.cut { (words::schedule(definition, job.job.anchor)) }
            }
            td.c-what { code.cut { (words::target(&definition.action.target, may_write)) } }
            td.c-strip { (outcomes(job.health.recent)) }
            td.c-last { (last(visitor, job, status, failing)) }
            td.r.c-next { (next(visitor, &key, job, status)) }
        }
    }
}

fn last(visitor: &Visitor, job: &JobEntry, status: &JobStatus, failing: Option<&FailingJob>) -> Markup {
    let times = visitor.times_of(job.job.definition.recurrence.as_ref());
    let at = job.counters.last_started;
    let (glyph, class, words) = match (status.outcome, failing) {
        (Some(Outcome::Running), _) => (Glyph::Running.named("running"), "go", "running or next in turn".to_owned()),
        (Some(Outcome::Waiting), failing) => {
            let reason = failing.map(|failing| words::short_reason(&failing.failure)).unwrap_or_default();
            (Glyph::Waiting.named("waits for a retry"), "warn", format!("{reason}, retry waits"))
        }
        (Some(Outcome::Failed | Outcome::GivenUp), failing) => {
            let reason = failing.map_or_else(|| "failed".to_owned(), |it| words::short_reason(&it.failure));
            (Glyph::Failed.named("failed"), "bad", reason)
        }
        (Some(Outcome::Succeeded), _) => (Glyph::Ran.named("ran"), "dim", "ran".to_owned()),
        _ => return html! { span.dim { "never" } },
    };
    html! { (glyph) " " @if let Some(at) = at { (times.show(at)) } br; span.s .(class) { (words) } }
}

fn next(visitor: &Visitor, key: &JobKey, job: &JobEntry, status: &JobStatus) -> Markup {
    if visitor.deleting.contains(key) {
        return html! { span.bad { "deleting" } };
    }
    let times = visitor.times_of(job.job.definition.recurrence.as_ref());
    let two = |first: Markup, second: String| html! { (first) br; span.dim.s { (second) } };
    match (job.job.state, status.held_by, status.next) {
        (JobState::Disabled(since), ..) => {
            two(html! { (Glyph::Off.plain()) " disabled" }, format!("since {}", times.short(since)))
        }
        (JobState::Completed, ..) => two(html! { (Glyph::Ended.plain()) " ended" }, ran(job)),
        (JobState::Faulted, ..) => {
            two(html! { (Glyph::Ended.plain()) " ended" }, format!("{}, the last failed", ran(job)))
        }
        (_, Some(Hold::Collection), _) => {
            two(html! { (Glyph::Off.plain()) " held" }, "its collection is disabled".to_owned())
        }
        (_, Some(Hold::Pause), _) => two(html! { (Glyph::Off.plain()) " held" }, "everything is paused".to_owned()),
        (_, None, Some(at)) => two(times.show(at), due(visitor, at)),
        (_, None, None) => html! { span.dim { "none" } },
    }
}

/// The next run is never in the past: what is due is starting.
fn due(visitor: &Visitor, at: Timestamp) -> String {
    let times = visitor.times();
    if at <= times.now { format!("due {}, starting", times.distance(at)) } else { times.distance(at) }
}

fn ran(job: &JobEntry) -> String {
    crate::console::numbers::counted(job.counters.executions, "attempt", "attempts")
}
