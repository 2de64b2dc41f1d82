//! What the outcome of an attempt leads to.
//!
//! ```text
//!                     failed, retries left                        failed, retries left
//!                        ╭────────╮                                  ╭────────╮
//!                        ▼        │                                  ▼        │
//!   due ──▶ start ──▶ main action ┴── failed, none left ──▶ error action ─────┤
//!                        │             (faulted + 1)        where there is one│
//!                        ╰── succeeded ─────────────────┬────────────────────╯
//!                                                       ▼
//!                              closed ──▶ what came due meanwhile is not run ──▶ the next one, or the end
//! ```

use crate::history::{NotRun, Reason};
use crate::job::{Counters, State};
use crate::limits;
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::progress::{Progress, Rules};
use crate::resume::came_due;
use crate::time::Timestamp;

/// An attempt that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it started.
    pub started: Timestamp,
    /// When it ended: the instant at which it is settled.
    pub ended: Timestamp,
    /// How.
    pub verdict: Verdict,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As the user wished.
    Succeeded,
    /// Otherwise.
    Failed {
        /// The target asked to be left alone for so long.
        retry_after_ticks: Option<i64>,
    },
}

/// What an attempt leads to, to be written in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement<Row> {
    /// What the row that held the occurrence holds now.
    pub row: Row,
    /// What is added to the counters of the job.
    pub counted: Counters,
    /// What is recorded as not run, beside the attempt itself.
    pub not_run: Vec<NotRun>,
    /// The state in which the job ends, if it does.
    pub ends: Option<State>,
}

/// Settles an attempt of the schedule's own occurrence, while `open_beside` others of the job are open.
pub fn settle(rules: &Rules<'_>, progress: Progress, attempt: Attempt, open_beside: u32) -> Settlement<Progress> {
    let occurrence = progress.open.expect("an attempt is of an open occurrence");
    let counted = count(rules, &occurrence, attempt);
    let is_main = occurrence.phase == Phase::Main;
    let last_failed = if is_main { attempt.verdict != Verdict::Succeeded } else { progress.last_failed };
    let progress = Progress { last_failed, ..progress };
    let (row, not_run) = match follow(rules, occurrence, attempt) {
        Follow::Open(next) => (Progress { open: Some(next), ..progress }, Vec::new()),
        Follow::Closed => {
            let (row, came_due) = close(rules, progress, occurrence, attempt);
            (row, Vec::from_iter(came_due))
        }
        Follow::Stopped => {
            let (row, came_due) = close(rules, progress, occurrence, attempt);
            (row, stopped(&progress, occurrence.nominal, came_due))
        }
    };
    Settlement { ends: row.ends(rules, open_beside), row, counted, not_run }
}

/// Settles an attempt of an occurrence in a row of its own. The row goes when the occurrence is closed.
///
/// `is_last` says that the schedule has ended and nothing else of the job is open.
pub fn settle_beside(
    rules: &Rules<'_>,
    occurrence: Occurrence,
    attempt: Attempt,
    is_last: bool,
) -> Settlement<Option<Occurrence>> {
    let counted = count(rules, &occurrence, attempt);
    let (row, not_run) = match follow(rules, occurrence, attempt) {
        Follow::Open(next) => (Some(next), Vec::new()),
        Follow::Closed => (None, Vec::new()),
        Follow::Stopped => (None, vec![NotRun::one(occurrence.nominal, Reason::Disabled)]),
    };
    let ends = row.is_none() && is_last && occurrence.origin == Origin::Schedule && rules.stopped_at.is_none();
    let succeeded = occurrence.phase == Phase::Main && attempt.verdict == Verdict::Succeeded;
    let state = if succeeded { State::Completed } else { State::Faulted };
    Settlement { ends: ends.then_some(state), row, counted, not_run }
}

/// What follows an attempt of an occurrence.
enum Follow {
    /// It goes on.
    Open(Occurrence),
    /// It is over.
    Closed,
    /// It would go on, but the job was disabled.
    Stopped,
}

fn follow(rules: &Rules<'_>, occurrence: Occurrence, attempt: Attempt) -> Follow {
    let Verdict::Failed { retry_after_ticks } = attempt.verdict else {
        return Follow::Closed;
    };
    let retries = match occurrence.phase {
        Phase::Main => Some(rules.retries),
        Phase::Error => rules.error_retries,
    };
    let next = if let Some(retries) = retries.filter(|retries| occurrence.attempt < retries.count) {
        let asked = retry_after_ticks.unwrap_or(0).min(limits::RETRY_AFTER_TICKS_MAX);
        let delay = retries.delay_ticks(occurrence.attempt).max(asked);
        Occurrence { attempt: occurrence.attempt + 1, wake_at: attempt.ended.saturating_add(delay), ..occurrence }
    } else if occurrence.phase == Phase::Main && rules.error_retries.is_some() {
        Occurrence { phase: Phase::Error, attempt: 0, wake_at: attempt.ended, ..occurrence }
    } else {
        return Follow::Closed;
    };
    // A manual run is made even on a disabled job, so it is also retried there.
    let is_stopped = rules.stopped_at.is_some() && occurrence.origin == Origin::Schedule;
    if is_stopped { Follow::Stopped } else { Follow::Open(next) }
}

/// Attempts of the error action are not counted; an occurrence is faulted by the last failed attempt of the main one.
fn count(rules: &Rules<'_>, occurrence: &Occurrence, attempt: Attempt) -> Counters {
    if occurrence.phase == Phase::Error {
        return Counters::default();
    }
    let failed = attempt.verdict != Verdict::Succeeded;
    Counters {
        executions: 1,
        failures: u64::from(failed),
        faulted: u64::from(failed && occurrence.attempt >= rules.retries.count),
        last_started: Some(attempt.started),
    }
}

/// The schedule goes on after an occurrence is closed.
fn close(
    rules: &Rules<'_>,
    progress: Progress,
    occurrence: Occurrence,
    attempt: Attempt,
) -> (Progress, Option<NotRun>) {
    let mut closed = Progress {
        accounted: progress.accounted.max(occurrence.nominal),
        // What was started before an edit is not counted in the series that the edit began.
        started: if occurrence.series == rules.series { progress.started + 1 } else { 0 },
        series: rules.series,
        open: None,
        ..progress
    };
    if let Some(stopped_at) = rules.stopped_at {
        let not_run = came_due(rules.timetable, closed.accounted, stopped_at, Reason::Overlap);
        closed.accounted = not_run.map_or(closed.accounted, |not_run| not_run.last);
        return (closed, not_run);
    }
    let backlog_until = occurrence.backlog_until.filter(|_| occurrence.series == rules.series);
    let is_over = rules.occurrences_max.is_some_and(|max| closed.started >= max);
    let next_missed = backlog_until
        .filter(|_| !is_over)
        .and_then(|until| rules.timetable.next(closed.accounted).filter(|nominal| *nominal <= until));
    if let Some(nominal) = next_missed {
        let spaced = attempt.started.saturating_add(rules.options.catch_up_spacing_ticks());
        closed.open = Some(Occurrence { backlog_until, ..closed.opened(nominal, spaced.max(attempt.ended)) });
        return (closed, None);
    }
    closed.proceed(rules, attempt.ended, Reason::Overlap)
}

/// What is recorded when a stop closes the open occurrence of `progress`: the rest of it and what came due behind it.
///
/// One record is enough, unless an edit has accounted for some of those behind it already.
pub(crate) fn stopped(progress: &Progress, nominal: Timestamp, came_due: Option<NotRun>) -> Vec<NotRun> {
    let rest = NotRun::one(nominal, Reason::Disabled);
    match came_due {
        Some(behind) if progress.accounted < nominal => {
            vec![NotRun { last: behind.last, number: behind.number + 1, ..rest }]
        }
        came_due => [rest].into_iter().chain(came_due).collect(),
    }
}
