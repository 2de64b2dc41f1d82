//! What happens when an open occurrence is due.

use crate::history::{NotRun, Reason};
use crate::job::State;
use crate::limits;
use crate::occurrence::Occurrence;
use crate::options::Overlap;
use crate::progress::{Progress, Rules};
use crate::time::Timestamp;

/// What is to be done with an occurrence of the schedule whose wake time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Its attempt is made.
    Run,
    /// Its attempt is made in a row of its own, and the schedule goes on beside it.
    RunBeside {
        /// The occurrence, in its own row.
        occurrence: Occurrence,
        /// The schedule without it.
        progress: Progress,
    },
    /// It is not made; something else is next, or the same one as the first of several missed ones.
    Instead {
        /// The schedule with what comes instead, if anything.
        progress: Progress,
        /// What is recorded, if anything was dropped.
        not_run: Option<NotRun>,
        /// The state in which the job ends, if nothing is left of it.
        ends: Option<State>,
    },
}

/// Decides about the open occurrence of `progress`, which is due, while `open_beside` others of its job are open.
///
/// An attempt that may have been sent before a crash is not asked about: it is sent again as itself.
pub fn start(rules: &Rules<'_>, progress: Progress, open_beside: u32, now: Timestamp) -> Start {
    let instead =
        |progress: Progress, not_run| Start::Instead { progress, not_run, ends: progress.ends(rules, open_beside) };
    let Some(occurrence) = progress.open else {
        return instead(progress, None);
    };
    let without = Progress { accounted: occurrence.nominal.max(progress.accounted), open: None, ..progress };
    if rules.stopped_at.is_some() {
        return instead(without, Some(NotRun::one(occurrence.nominal, Reason::Disabled)));
    }
    // What was due when the job was edited is accounted for already: the schedule that came after does not measure it.
    if !occurrence.is_untried() || occurrence.nominal <= progress.accounted {
        return Start::Run;
    }
    if is_missed(rules, &occurrence, now) {
        let (progress, not_run) = progress.proceed(rules, now, Reason::Missed);
        return instead(progress, not_run);
    }
    // What is made good goes one after the other, whatever may overlap otherwise.
    if rules.options.overlap() == Overlap::Skip || occurrence.backlog_until.is_some() {
        return Start::Run;
    }
    let is_room = open_beside < limits::OVERLAP_OPEN_MAX;
    let gone_on = Progress { started: without.started + u32::from(is_room), ..without };
    let (progress, _) = gone_on.proceed(rules, occurrence.nominal, Reason::Overlap);
    if is_room {
        Start::RunBeside { occurrence, progress }
    } else {
        instead(progress, Some(NotRun::one(occurrence.nominal, Reason::Overlap)))
    }
}

/// Missed means more than a minute after its time, or the next one is due too. Less is only late.
///
/// An occurrence that is made good was decided about when the next ones were due already.
fn is_missed(rules: &Rules<'_>, occurrence: &Occurrence, now: Timestamp) -> bool {
    let next = rules.timetable.next(occurrence.nominal).map(|next| rules.wake_at(next));
    let next_is_due = occurrence.backlog_until.is_none() && next.is_some_and(|next| next <= now);
    now.since(occurrence.wake_at) > limits::LATE_TICKS_MAX || next_is_due
}
