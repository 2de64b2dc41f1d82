//! What happens when an open occurrence is due.

use crate::history::{NotRun, Reason};
use crate::job::State;
use crate::limits;
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::options::Overlap;
use crate::progress::Progress;
use crate::terms::Terms;
use crate::time::Timestamp;

/// What is to be done with the occurrence of the schedule whose wake time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// Make its attempt.
    Run,
    /// Make its attempt in a row of its own; the schedule goes on beside that row.
    RunBeside {
        /// The occurrence, for its own row.
        occurrence: Occurrence,
        /// The schedule without the occurrence.
        progress: Progress,
    },
    /// Make no attempt, or another one. The new state of the schedule is written first, and its next occurrence may be due
    /// at once.
    Instead {
        /// The schedule, with the occurrence that comes instead if there is one.
        progress: Progress,
        /// What is recorded as not run.
        not_run: Vec<NotRun>,
        /// The state in which the job ends, if this was its last occurrence.
        ends: Option<State>,
    },
}

/// Decides about the open occurrence of `progress`, which is due, while `scheduled_beside` others that the schedule
/// opened have rows of their own.
///
/// Attempts that may have been sent before a crash do not come here, but to [`dispatch_resent`].
pub fn dispatch(terms: &Terms<'_>, progress: Progress, scheduled_beside: u32, now: Timestamp) -> Dispatch {
    let instead = |progress: Progress, not_run: Vec<NotRun>| Dispatch::Instead {
        progress,
        not_run,
        ends: progress.ends(terms, scheduled_beside),
    };
    let Some(open) = progress.open else {
        return instead(progress, Vec::new());
    };
    if let Some(stopped_at) = terms.stopped_at {
        let (progress, not_run) = progress.close_stopped(terms, stopped_at);
        return instead(progress, not_run);
    }
    if open.phase == Phase::Error && terms.error_retries.is_none() {
        // An edit removed the error action: the occurrence is over.
        let (progress, not_run) = progress.finish(terms, &open, now, now);
        return instead(progress, Vec::from_iter(not_run));
    }
    // An occurrence that was due at an edit is accounted for, and one that is made good was decided about: neither is
    // missed again.
    let is_undecided = open.is_untried() && open.nominal > progress.accounted && open.backlog_until.is_none();
    if is_undecided && terms.is_missed(open.nominal, now) {
        let (progress, not_run) = progress.proceed(terms, now, Reason::Missed);
        return instead(progress, Vec::from_iter(not_run));
    }
    if !may_run_beside(terms, &open) {
        return Dispatch::Run;
    }
    if scheduled_beside < limits::OVERLAP_OPEN_MAX {
        return run_beside(terms, progress, open);
    }
    let (progress, _) = progress.passed(&open).proceed(terms, open.nominal, Reason::Overlap);
    instead(progress, vec![NotRun::one(open.nominal, Reason::Overlap)])
}

/// Decides about the open occurrence of `progress`, which may have been sent before a crash: it is sent again as it was,
/// whatever the options say.
pub fn dispatch_resent(terms: &Terms<'_>, progress: Progress, scheduled_beside: u32) -> Dispatch {
    let is_room = scheduled_beside < limits::OVERLAP_OPEN_MAX && terms.stopped_at.is_none();
    match progress.open.filter(|open| is_room && may_run_beside(terms, open)) {
        Some(open) => run_beside(terms, progress, open),
        None => Dispatch::Run,
    }
}

/// Closes the open occurrence of a shadow, whose turn has come, as if it had run. Gives the schedule after it, what came due
/// meanwhile and is not run, and the state in which the job ends if this was its last occurrence.
pub fn dispatch_shadow(
    terms: &Terms<'_>,
    progress: Progress,
    open: &Occurrence,
    scheduled_beside: u32,
    now: Timestamp,
) -> (Progress, Vec<NotRun>, Option<State>) {
    let (progress, not_run) = progress.finish(terms, open, now, now);
    (progress, Vec::from_iter(not_run), progress.ends(terms, scheduled_beside))
}

/// Whether an occurrence of the schedule gets a row of its own when it is due. Missed occurrences are made good one by one,
/// even where occurrences may overlap.
fn may_run_beside(terms: &Terms<'_>, open: &Occurrence) -> bool {
    terms.options.overlap() == Overlap::Allow && open.backlog_until.is_none() && open.is_untried()
}

fn run_beside(terms: &Terms<'_>, progress: Progress, open: Occurrence) -> Dispatch {
    let (progress, _) = progress.closed(terms, &open).proceed(terms, open.nominal, Reason::Overlap);
    Dispatch::RunBeside { occurrence: open, progress }
}

/// What is to be done with an occurrence in a row of its own whose wake time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchBeside {
    /// Make its attempt.
    Run,
    /// Wait until no manual run of the job is in flight and, where occurrences must not overlap, nothing of its schedule.
    Wait,
    /// Close the row; record this as not run, if it is something.
    Close(Option<NotRun>),
}

/// The attempts of a job that are in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// Those that the schedule asked for.
    pub scheduled: u32,
    /// Those that someone asked for: manual runs, reruns and the like.
    pub asked_for: u32,
}

/// Decides about an occurrence in a row of its own, which is due, while other attempts of the job are in flight.
///
/// A manual run waits for other manual runs, and for the schedule's attempt in flight where occurrences must not overlap.
/// `has_waited` says that it has done the latter: attempts of the schedule that follow each other without a gap must not
/// keep it waiting for ever. A disabled job can be run by hand, and a manual run never makes a scheduled occurrence wait.
pub fn dispatch_beside(
    terms: &Terms<'_>,
    occurrence: &Occurrence,
    in_flight: InFlight,
    has_waited: bool,
) -> DispatchBeside {
    let is_scheduled = occurrence.origin == Origin::Schedule;
    if is_scheduled && terms.stopped_at.is_some() {
        return DispatchBeside::Close(Some(NotRun::one(occurrence.nominal, Reason::Disabled)));
    }
    if occurrence.phase == Phase::Error && terms.error_retries.is_none() {
        return DispatchBeside::Close(None);
    }
    let waits_for_schedule = terms.options.overlap() == Overlap::Skip && in_flight.scheduled > 0 && !has_waited;
    let has_to_wait = in_flight.asked_for > 0 || waits_for_schedule;
    if has_to_wait && !is_scheduled {
        return DispatchBeside::Wait;
    }
    // Who disables a job wants no past times of it to run either. One that may have been sent before is sent again: so it waits first.
    let is_ended = occurrence.origin == Origin::Backfill && occurrence.is_untried() && terms.stopped_at.is_some();
    if is_ended { DispatchBeside::Close(None) } else { DispatchBeside::Run }
}
