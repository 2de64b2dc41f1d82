//! What becomes of a schedule that is due when the server starts to run jobs again: a preview, which decides nothing.

use crate::dispatch::{Dispatch, dispatch, dispatch_resent};
use crate::history::{NotRun, Reason};
use crate::occurrence::Occurrence;
use crate::progress::Progress;
use crate::terms::Terms;
use crate::time::Timestamp;

/// How many occurrences of a schedule would run, and how many would be recorded as not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Resumption {
    pub runs: u64,
    pub not_run: u64,
}

impl Resumption {
    /// What would become of the open occurrence of `progress`, which is due at `now`, and of the times behind it.
    pub fn of(terms: &Terms<'_>, progress: Progress, scheduled_beside: u32, now: Timestamp) -> Self {
        match dispatch(terms, progress, scheduled_beside, now) {
            Dispatch::Run => Self { runs: runs(terms, &progress), not_run: behind(terms, &progress, now) },
            Dispatch::RunBeside { .. } => Self { runs: 1, not_run: 0 },
            Dispatch::Instead { progress, not_run, .. } => {
                let is_due = progress.open.is_some_and(|open| open.wake_at <= now);
                let runs = if is_due { runs(terms, &progress) } else { 0 };
                Self { runs, not_run: number(&not_run) }
            }
        }
    }

    /// What would become of the times behind the open occurrence of `progress`, whose attempt is in flight.
    pub fn of_in_flight(terms: &Terms<'_>, progress: Progress, now: Timestamp) -> Self {
        Self { runs: runs(terms, &progress).saturating_sub(1), not_run: behind(terms, &progress, now) }
    }

    /// What would become of the open occurrence of `progress`, which may have been sent before the server ended, and of the
    /// times behind it.
    pub fn of_resent(terms: &Terms<'_>, progress: Progress, scheduled_beside: u32, now: Timestamp) -> Self {
        if let Dispatch::RunBeside { progress, .. } = dispatch_resent(terms, progress, scheduled_beside) {
            let is_due = progress.open.is_some_and(|open| open.wake_at <= now);
            let rest = if is_due { Self::of(terms, progress, scheduled_beside + 1, now) } else { Self::default() };
            return Self { runs: rest.runs + 1, ..rest };
        }
        let (progress, not_run) = progress.make_good(terms, now);
        let after = progress.all_accounted().saturating_add(1);
        let until = progress.open.and_then(|open| open.backlog_until).map(|until| until.saturating_add(1));
        let behind = until.map_or(0, |until| terms.timetable.count(after..until.max(after)));
        Self { runs: (behind + 1).min(allowed(terms, &progress)), not_run: number(&not_run) }
    }
}

/// How many times behind the open occurrence are not run, because it runs.
fn behind(terms: &Terms<'_>, progress: &Progress, now: Timestamp) -> u64 {
    let waits = progress.open.filter(|open| open.backlog_until.is_none() && !progress.is_counted_out(terms));
    let behind = waits.and_then(|_| terms.came_due(progress.all_accounted(), now, Reason::Overlap));
    behind.map_or(0, |behind| behind.number)
}

fn number(not_run: &[NotRun]) -> u64 {
    not_run.iter().map(|range| range.number).sum()
}

/// How many occurrences run one after the other, beginning with the open one.
fn runs(terms: &Terms<'_>, progress: &Progress) -> u64 {
    let backlog = |open: &Occurrence| match open.backlog_until {
        Some(until) => terms.timetable.count(open.nominal..until.saturating_add(1)).max(1),
        None => 1,
    };
    progress.open.as_ref().map_or(0, backlog).min(allowed(terms, progress))
}

/// How many occurrences `count` allows, the open one included.
fn allowed(terms: &Terms<'_>, progress: &Progress) -> u64 {
    terms.occurrences_max.map_or(u64::MAX, |max| u64::from(max.saturating_sub(progress.started).max(1)))
}
