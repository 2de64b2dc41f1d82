//! What is not run, and what is run instead.
//!
//! A job can come late for four reasons: an earlier occurrence took too long, the server was down, the clock jumped, or
//! the job was disabled for a while. One function answers for all of them. It looks at the nominal times between the
//! last one accounted for and now, and says which of them is run and which are not; it never visits them one by one.
//!
//! ```text
//!        accounted                                     now
//!            │   ●     ●     ●     ●     ●     ●     ●  │     ●
//!            │   ╰──────── not run ────────╯     ╰ run ╯│   next
//! ```

use crate::history::{NotRun, Reason};
use crate::limits;
use crate::options::{CatchUp, Options};
use crate::recurrence::Timetable;
use crate::time::Timestamp;

/// What becomes of the nominal times up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Those that are not run.
    pub not_run: Option<NotRun>,
    /// The first of those that are run now, if any: it and all after it up to now.
    pub run: Option<Timestamp>,
    /// The first one after now.
    pub next: Option<Timestamp>,
}

/// Decides about the nominal times after `accounted` up to `now`, which did not start for `reason`.
///
/// If the clock went back and `accounted` lies after `now`, there are none, and the next one lies after `accounted`: no
/// nominal time comes twice.
pub fn resume(
    timetable: &Timetable,
    accounted: Timestamp,
    now: Timestamp,
    reason: Reason,
    options: &Options,
) -> Resume {
    let next = timetable.next(now.max(accounted));
    let Some(due) = came_due(timetable, accounted, now, reason) else {
        return Resume { not_run: None, run: None, next };
    };
    let wanted = match reason {
        // A job that runs only once would otherwise never run.
        Reason::Disabled => u64::from(timetable.is_once()),
        Reason::Overlap => 0,
        Reason::Missed => wanted_of_missed(due.last, now, options),
    };
    let run_number = wanted.min(due.number);
    let run = nth_last(timetable, due.last, run_number);
    let not_run = match run {
        Some(run) => timetable.previous(run).map(|last| NotRun { last, number: due.number - run_number, ..due }),
        None => Some(due),
    };
    Resume { not_run: not_run.filter(|not_run| not_run.number > 0), run, next }
}

/// The nominal times after `accounted` up to `until`, as a range for `reason`; none if there is none.
pub(crate) fn came_due(
    timetable: &Timetable,
    accounted: Timestamp,
    until: Timestamp,
    reason: Reason,
) -> Option<NotRun> {
    let first = timetable.next(accounted).filter(|first| *first <= until)?;
    let end = until.saturating_add(1);
    let last = timetable.previous(end)?;
    Some(NotRun { first, last, number: timetable.count(first..end), reason })
}

/// How many of the last due times run: by the user's wish, and the last one in any case if it is only late.
fn wanted_of_missed(last: Timestamp, now: Timestamp, options: &Options) -> u64 {
    let is_only_late = now.since(last) <= limits::LATE_TICKS_MAX;
    match options.catch_up() {
        CatchUp::None => u64::from(is_only_late),
        CatchUp::Latest => 1,
        CatchUp::All => u64::from(options.catch_up_max()),
    }
}

/// The `n`-th nominal time counted backwards from `last`, which is the first.
fn nth_last(timetable: &Timetable, last: Timestamp, n: u64) -> Option<Timestamp> {
    (1..n).try_fold(last, |at, _| timetable.previous(at)).filter(|_| n > 0)
}
