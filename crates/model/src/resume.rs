//! What is not run, and what is run instead.
//!
//! A job can come late for five reasons: an earlier occurrence took too long, the server was down or paused, the clock
//! jumped, or the job was disabled for a while. [`resume`] decides in all five cases how many run after all; why they are
//! late is said by the caller. It looks at the nominal times between the last
//! one accounted for and now, and says which of them are run and which are not. It never visits them one by one.
//!
//! ```text
//!        accounted                                     now
//!            │   ●     ●     ●     ●     ●     ●     ●  │     ●
//!            │   ╰──────── not run ────────╯     ╰ run ╯│   next
//! ```

use crate::history::{NotRun, Reason};
use crate::options::CatchUp;
use crate::terms::Terms;
use crate::time::Timestamp;

/// What becomes of the nominal times up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The nominal times that are not run.
    pub not_run: Option<NotRun>,
    /// The first nominal time that is run now, if any; all after it up to now are run, too.
    pub run: Option<Timestamp>,
    /// The first nominal time after now.
    pub next: Option<Timestamp>,
}

/// Decides about the nominal times after `accounted` up to `now`, which did not start for `reason`.
///
/// If the clock went back and `accounted` lies after `now`, there are none, and the next one lies after `accounted`: no
/// nominal time comes twice.
pub fn resume(terms: &Terms<'_>, accounted: Timestamp, now: Timestamp, reason: Reason) -> Resume {
    let due_until = terms.due_until(now);
    let next = terms.timetable.next(due_until.max(accounted));
    let Some(due) = terms.came_due(accounted, due_until, reason) else {
        return Resume { not_run: None, run: None, next };
    };
    let wanted = match reason {
        // A job that runs only once would otherwise never run.
        Reason::Disabled | Reason::Overlap => u64::from(terms.timetable.is_once()),
        Reason::Missed | Reason::Paused | Reason::Shadow => match terms.options.catch_up() {
            CatchUp::None => u64::from(terms.is_only_late(due.last, now)),
            CatchUp::Latest => 1,
            CatchUp::All => u64::from(terms.options.catch_up_max()),
        },
    };
    let (run, not_run) = split(terms, due, wanted);
    Resume { not_run, run, next }
}

/// The first of the last `wanted` times of a range, and the range before it.
fn split(terms: &Terms<'_>, due: NotRun, wanted: u64) -> (Option<Timestamp>, Option<NotRun>) {
    if wanted == 0 {
        return (None, Some(due));
    }
    if wanted >= due.number {
        return (Some(due.first), None);
    }
    let run = (1..wanted).try_fold(due.last, |at, _| terms.timetable.previous(at));
    let last = run.and_then(|run| terms.timetable.previous(run));
    (run, last.map(|last| NotRun { last, number: due.number - wanted, ..due }))
}
