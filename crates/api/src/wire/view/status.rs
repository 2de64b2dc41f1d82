//! What has come of a job.

use punctual_model::job::State;
use punctual_model::time::Timestamp;

use super::Writer;
use super::history::{failure, not_run};
use super::members::Members;
use crate::status::{BackfillState, Hold, JobStatus, Outcome};
use crate::wire::json::Json;

/// The status of a job. The original had none for a job that is disabled and never ran, and fewer members.
pub(super) fn write(status: &JobStatus, state: State, writer: &Writer) -> Option<Json> {
    let is_flat = writer.dialect.is_flat();
    if !is_flat && state == State::Disabled && status.counters.executions == 0 {
        return None;
    }
    let ours = if is_flat { ours(status) } else { Members::new() };
    let written = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let members = ours
        .add_some("lastExecutionTime", written(status.counters.last_started))
        .add_some("nextExecutionTime", written(status.next))
        .add("executionCount", status.counters.executions)
        .add("failureCount", status.counters.failures)
        .add("faultedCount", status.counters.faulted);
    Some(members.into_json())
}

/// The members that the original did not have.
fn ours(status: &JobStatus) -> Members {
    let JobStatus { outcome, last, health, waiting_until, owed_runs, held_by, disabled, backfill, .. } = status;
    let disabled = disabled.as_ref();
    let recent: Vec<_> = health.recent.latest_first().map(|outcome| Json::Text(outcome.name().to_owned())).collect();
    let is_new = recent.is_empty();
    Members::new()
        .add_some("outcome", outcome.map(Outcome::name))
        .add_some("waitingUntil", waiting_until.map(|at| at.to_string()))
        .add_some("lastOutcome", last.outcome.map(Outcome::name))
        .add_some("message", last.message.as_ref())
        .add_some("failure", last.failure.as_ref().map(failure))
        .add("failuresInARow", u64::from(health.failures_in_a_row))
        .add_some("lastSuccessTime", health.last_success.map(|at| at.to_string()))
        .add_some("recent", Some(Json::List(recent)).filter(|_| !is_new))
        .add_some("notRun", last.not_run.as_ref().map(not_run))
        .add("owedRuns", *owed_runs)
        .add_some("heldBy", held_by.map(Hold::name))
        .add_some("backfill", backfill.as_ref().map(view_backfill))
        .add_some("disabledSince", disabled.map(|it| it.since.to_string()))
        .add_some("disabledUntil", disabled.and_then(|it| it.until).map(|until| until.to_string()))
        .add_some("note", disabled.and_then(|it| it.note.as_ref()))
}

/// What is left of a backfill.
pub fn view_backfill(state: &BackfillState) -> Json {
    Members::new()
        .add("left", state.left)
        .add("next", state.next.to_string())
        .add("last", state.last.to_string())
        .into_json()
}
