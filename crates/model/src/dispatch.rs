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
    /// Its attempt is made.
    Run,
    /// Its attempt is made in a row of its own, and the schedule goes on beside it.
    RunBeside {
        /// The occurrence, in its own row.
        occurrence: Occurrence,
        /// The schedule without it.
        progress: Progress,
    },
    /// It is not made, or not as it stands. What comes instead is written first, and may be due at once.
    Instead {
        /// The schedule with what comes instead, if anything.
        progress: Progress,
        /// What is recorded as not run.
        not_run: Vec<NotRun>,
        /// The state in which the job ends, if nothing is left of it.
        ends: Option<State>,
    },
}

/// Decides about the open occurrence of `progress`, which is due, while `scheduled_beside` others that the schedule
/// opened have rows of their own.
///
/// An attempt that may have been sent before a crash is not asked about: it is sent again as itself.
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
        // An edit took the error action away: the occurrence is over.
        let (progress, not_run) = progress.finish(terms, &open, now, now);
        return instead(progress, Vec::from_iter(not_run));
    }
    // What was due at an edit is accounted for, and what is made good was decided about: neither is missed again.
    let is_undecided = open.is_untried() && open.nominal > progress.accounted && open.backlog_until.is_none();
    if is_undecided && terms.is_missed(open.nominal, now) {
        let (progress, not_run) = progress.proceed(terms, now, Reason::Missed);
        return instead(progress, Vec::from_iter(not_run));
    }
    // What is made good goes one after the other, whatever may overlap otherwise.
    let may_overlap = terms.options.overlap() == Overlap::Allow && open.backlog_until.is_none();
    if !open.is_untried() || !may_overlap {
        return Dispatch::Run;
    }
    let is_room = scheduled_beside < limits::OVERLAP_OPEN_MAX;
    let gone_on = if is_room { progress.closed(terms, &open) } else { progress.passed(&open) };
    let (progress, _) = gone_on.proceed(terms, open.nominal, Reason::Overlap);
    if is_room {
        Dispatch::RunBeside { occurrence: open, progress }
    } else {
        instead(progress, vec![NotRun::one(open.nominal, Reason::Overlap)])
    }
}

/// What is to be done with an occurrence in a row of its own whose wake time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchBeside {
    /// Its attempt is made.
    Run,
    /// It waits until nothing of the job is on the wire.
    Wait,
    /// It is over; what is recorded as not run, if anything.
    Close(Option<NotRun>),
}

/// Decides about an occurrence beside the schedule, which is due, while something of its job is on the wire or not.
///
/// A manual run waits for the wire only: it is made on a disabled job, and never makes another occurrence wait.
pub fn dispatch_beside(terms: &Terms<'_>, occurrence: &Occurrence, is_wire_busy: bool) -> DispatchBeside {
    let is_scheduled = occurrence.origin == Origin::Schedule;
    if is_scheduled && terms.stopped_at.is_some() {
        return DispatchBeside::Close(Some(NotRun::one(occurrence.nominal, Reason::Disabled)));
    }
    if occurrence.phase == Phase::Error && terms.error_retries.is_none() {
        return DispatchBeside::Close(None);
    }
    if is_wire_busy && occurrence.waits_for_wire() { DispatchBeside::Wait } else { DispatchBeside::Run }
}
