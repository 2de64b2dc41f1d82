//! What is known of a job that would be taken.

use punctual_model::recurrence::{Anchor, Recurrence, Timetable};
use punctual_model::time::{Start, Timestamp};
use punctual_model::{Violation, Warning};

/// Runs that are shown.
const NEXT: usize = 3;

/// What is known of a job that would be taken.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What its writer should know.
    pub warnings: Vec<Warning>,
    /// Its next runs from now on, if it were enabled; none if it has ended, or would run at once and never again.
    pub next: Vec<Timestamp>,
    /// When it runs, in words.
    pub description: String,
}

impl Checked {
    /// A job with this start and recurrence, which is made disabled now and enabled later: what is past by then is not run.
    pub fn new(
        start: Option<Start>,
        recurrence: Option<&Recurrence>,
        warnings: Vec<Warning>,
        now: Timestamp,
    ) -> Result<Self, Violation> {
        let timetable = Timetable::new(recurrence, Anchor::new(start, recurrence.is_some(), now))?;
        let count = recurrence.and_then(Recurrence::count).and_then(|count| usize::try_from(count).ok());
        let after = std::iter::successors(timetable.next(now), |at| timetable.next(*at));
        let next = after.take(NEXT.min(count.unwrap_or(NEXT))).collect();
        Ok(Self { warnings, next, description: timetable.describe(recurrence) })
    }
}
