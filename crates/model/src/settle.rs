//! What the outcome of an attempt leads to.
//!
//! ```text
//!                     failed, retries left                        failed, retries left
//!                        ╭────────╮                                  ╭────────╮
//!                        ▼        │                                  ▼        │
//!   due ─▶ dispatch ─▶ main action ┴─ failed, none left ──▶ error action ─────┤
//!                        │             (faulted + 1)        where there is one│
//!                        ╰── succeeded ─────────────────┬────────────────────╯
//!                                                       ▼
//!                              closed ──▶ what came due meanwhile is not run ──▶ the next one, or the end
//! ```

use crate::history::{NotRun, Reason};
use crate::job::{Counters, State};
use crate::limits;
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::progress::Progress;
use crate::terms::Terms;
use crate::time::Timestamp;

/// An attempt that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The occurrence that was attempted, as it was when the attempt started.
    pub occurrence: Occurrence,
    /// When the attempt started.
    pub started: Timestamp,
    /// When the attempt ended, which is when it is settled.
    pub ended: Timestamp,
    /// How the attempt ended.
    pub verdict: Verdict,
    /// Whether the attempt was sent again, because the server had ended while it may have been on its way.
    pub is_resent: bool,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer was what the user calls a success.
    Succeeded,
    /// There was no answer, or another one.
    Failed {
        /// How long the target asked to be left alone, if it did.
        retry_after_ticks: Option<i64>,
    },
    /// The attempt failed, and so would every further one until somebody changes the job or the server: a forbidden address, a
    /// missing key. Such an attempt is not retried.
    CannotSucceed,
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

/// Settles an attempt of the schedule's own occurrence, while `scheduled_beside` others have rows of their own.
///
/// None if the row has moved on: then the attempt is a duplicate delivery, a fact for the record that changes nothing.
pub fn settle(
    terms: &Terms<'_>,
    progress: Progress,
    attempt: &Attempt,
    scheduled_beside: u32,
) -> Option<Settlement<Progress>> {
    progress.open.filter(|open| open.is_same_attempt(&attempt.occurrence))?;
    let progress = Progress { last_failed: attempt.last_failed(progress.last_failed), ..progress };
    let (progress, missed) =
        if attempt.is_resent { progress.make_good(terms, attempt.started) } else { (progress, Vec::new()) };
    let open = progress.open?;
    let (row, behind) = match (follow(terms, open, attempt), terms.stopped_at) {
        (Some(next), None) => (Progress { open: Some(next), ..progress }, Vec::new()),
        (Some(next), Some(stopped_at)) => Progress { open: Some(next), ..progress }.close_stopped(terms, stopped_at),
        (None, _) => {
            let (row, not_run) = progress.finish(terms, &open, attempt.started, attempt.ended);
            (row, Vec::from_iter(not_run))
        }
    };
    let not_run = missed.into_iter().chain(behind).collect();
    Some(Settlement { ends: row.ends(terms, scheduled_beside), row, counted: attempt.counted(terms), not_run })
}

/// Settles an attempt of an occurrence in a row of its own. The row goes when the occurrence is closed.
///
/// `progress` is that of the schedule; the caller updates its `last_failed` if the schedule opened the occurrence.
/// `scheduled_beside` counts the other rows that the schedule opened. None if the row has moved on.
pub fn settle_beside(
    terms: &Terms<'_>,
    occurrence: Occurrence,
    attempt: &Attempt,
    progress: &Progress,
    scheduled_beside: u32,
) -> Option<Settlement<Option<Occurrence>>> {
    if !occurrence.is_same_attempt(&attempt.occurrence) {
        return None;
    }
    let is_scheduled = occurrence.origin == Origin::Schedule;
    let next = follow(terms, occurrence, attempt);
    let is_stopped = is_scheduled && terms.stopped_at.is_some();
    let not_run = next.filter(|_| is_stopped).map(|next| NotRun::one(next.nominal, Reason::Disabled));
    // A backfill ends with the occurrence in which its job is disabled.
    let goes_on = || occurrence.next_of_backfill(terms.timetable, attempt.started, attempt.ended);
    let row = next.filter(|_| !is_stopped).or_else(|| goes_on().filter(|_| terms.stopped_at.is_none()));
    let progress = Progress { last_failed: attempt.last_failed(progress.last_failed), ..*progress };
    let ends = progress.ends(terms, scheduled_beside).filter(|_| is_scheduled && row.is_none());
    Some(Settlement { ends, row, counted: attempt.counted(terms), not_run: Vec::from_iter(not_run) })
}

/// The occurrence with its next attempt, if there is one.
fn follow(terms: &Terms<'_>, occurrence: Occurrence, attempt: &Attempt) -> Option<Occurrence> {
    let (retry_after_ticks, is_retried) = match attempt.verdict {
        Verdict::Succeeded => return None,
        Verdict::Failed { retry_after_ticks } => (retry_after_ticks, true),
        Verdict::CannotSucceed => (None, false),
    };
    let retries = terms.retries_of(occurrence.phase).filter(|retries| is_retried && occurrence.attempt < retries.count);
    if let Some(retries) = retries {
        let asked = retry_after_ticks.unwrap_or(0).min(limits::RETRY_AFTER_TICKS_MAX);
        let delay = retries.delay_ticks(occurrence.attempt).max(asked);
        let wake_at = attempt.ended.saturating_add(delay);
        return Some(Occurrence { attempt: occurrence.attempt + 1, wake_at, ..occurrence });
    }
    let has_error_action = occurrence.phase == Phase::Main && terms.error_retries.is_some();
    has_error_action.then_some(Occurrence { phase: Phase::Error, attempt: 0, wake_at: attempt.ended, ..occurrence })
}

impl Attempt {
    /// What the attempt adds to the counters. Attempts of the error action are not counted; an occurrence is faulted by the
    /// last failed attempt of the main action.
    fn counted(&self, terms: &Terms<'_>) -> Counters {
        if self.occurrence.phase == Phase::Error {
            return Counters::default();
        }
        let failed = self.verdict != Verdict::Succeeded;
        let is_last = self.verdict == Verdict::CannotSucceed;
        Counters {
            executions: 1,
            failures: u64::from(failed),
            faulted: u64::from(failed && (is_last || self.occurrence.attempt >= terms.retries.count)),
            last_started: Some(self.started),
        }
    }

    /// Whether the last attempt that the schedule made of the main action failed, given the one before.
    pub fn last_failed(&self, before: bool) -> bool {
        let is_schedules_own = self.occurrence.phase == Phase::Main && self.occurrence.origin == Origin::Schedule;
        if is_schedules_own { self.verdict != Verdict::Succeeded } else { before }
    }
}
