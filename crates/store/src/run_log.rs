//! What the log says about runs.
//!
//! A job that fails gets a line when its first attempt fails, another one when an occurrence is given up for the first time,
//! and one when an attempt succeeds again. What it does in between is counted, not told: a job that runs every second and
//! fails all night must not fill the log. Every attempt gets a line where the operator wants that.

use std::sync::Arc;

use punctual_model::history::{Record, Status};
use punctual_model::plural;
use punctual_model::time::Timestamp;

/// Lines about jobs that fail after one commit: a target that goes down takes thousands of jobs with it.
const LINES_MAX: usize = 20;

/// Something that is worth a line, about one record of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunNote {
    /// The place of the record in the commit.
    pub(crate) at: usize,
    pub(crate) kind: RunNoteKind,
}

/// What is worth a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunNoteKind {
    /// The first attempt failed since one succeeded.
    BeganToFail,
    /// An occurrence was given up, for the first time since an attempt succeeded.
    GaveUp,
    /// An attempt succeeded after so many have failed.
    Recovered { since: Timestamp, count: u64 },
}

/// Writes lines about jobs that fail. `read` gives the record of a place, and the path of its job.
pub(crate) fn tell<'a, E>(
    notes: &[RunNote],
    mut read: impl FnMut(usize) -> Result<(&'a Record, Arc<str>), E>,
) -> Result<(), E> {
    for RunNote { at, kind } in notes.iter().take(LINES_MAX) {
        let (record, job) = read(*at)?;
        let (attempt, tag) = (record.retry + 1, record.occurrence);
        let reason = record.failure.as_ref().map(|failure| (failure.class.name(), failure.sentence()));
        let (class, reason) = reason.unwrap_or_default();
        match kind {
            RunNoteKind::BeganToFail => {
                tracing::warn!(target: "punctual::failures", %job, class, attempt, %tag, "job {job} fails: {reason}");
            }
            RunNoteKind::GaveUp => {
                let nominal = nominal(record);
                tracing::warn!(
                    target: "punctual::failures", %job, class, attempt, %tag,
                    "job {job} gave up the run of {nominal} after {}: {reason}", plural(attempt.into(), "attempt")
                );
            }
            RunNoteKind::Recovered { since, count } => {
                let failed = plural(*count, "failed attempt");
                tracing::info!(target: "punctual::failures", %job, %tag, "job {job} runs again, after {failed} since {since}");
            }
        }
    }
    let left = notes.len().saturating_sub(LINES_MAX);
    if left > 0 {
        let jobs = plural(left as u64, "job");
        tracing::warn!(target: "punctual::failures", "{jobs} more began to fail, gave up or recovered: see `punctual failures`");
    }
    Ok(())
}

/// Whether every attempt is told.
pub(crate) fn tells_all() -> bool {
    tracing::enabled!(target: "punctual::runs", tracing::Level::INFO)
}

/// Writes a line about what came of a job.
pub(crate) fn tell_run(record: &Record, job: &str) {
    let (attempt, tag, nominal) = (record.retry + 1, record.occurrence, nominal(record));
    let milliseconds = record.ended.since(record.started) / punctual_model::time::TICKS_PER_MILLISECOND;
    match (record.status, &record.failure) {
        (Status::Completed(_), _) => {
            tracing::info!(target: "punctual::runs", job, attempt, %tag, milliseconds, "job {job} ran for {nominal}");
        }
        (Status::Failed(_), failure) => {
            let reason = failure.as_ref().map(punctual_model::failure::Failure::sentence).unwrap_or_default();
            tracing::info!(
                target: "punctual::runs", job, attempt, %tag, milliseconds, "job {job} failed for {nominal}: {reason}"
            );
        }
        (Status::Postponed(range), _) => {
            let (times, reason) = (plural(range.number, "time"), range.reason.sentence());
            tracing::info!(target: "punctual::runs", job, %tag, "job {job} was not run, {times} until {nominal}: {reason}");
        }
    }
}

fn nominal(record: &Record) -> Timestamp {
    match record.status {
        Status::Completed(nominal) | Status::Failed(nominal) => nominal,
        Status::Postponed(range) => range.last,
    }
}
