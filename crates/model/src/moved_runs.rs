//! Which runs an edit takes away and which it adds.

use crate::collection::Sku;
use crate::job::{Job, JobState, Uid};
use crate::limits::RUNS_COMPARED;
use crate::recurrence::Timetable;
use crate::terms::Terms;
use crate::time::Timestamp;

/// What a job depends on besides itself for its runs to be foretold.
#[derive(Clone, Copy, Debug)]
pub struct RunContext {
    /// The instant from which on runs are looked at.
    pub now: Timestamp,
    /// The job.
    pub uid: Uid,
    /// The plan of the collection.
    pub sku: Option<Sku>,
    /// Since when the collection is disabled, if it is.
    pub collection_stopped_at: Option<Timestamp>,
}

/// The next runs of a job, as they would come if nobody changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextRuns {
    times: Vec<Timestamp>,
    /// Whether others follow.
    has_more: bool,
}

/// The runs that an edit takes away and those that it adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedRuns {
    /// Nominal times that would have run, and will not.
    pub vanish: Vec<Timestamp>,
    /// Nominal times that would not have run, and will.
    pub appear: Vec<Timestamp>,
    /// Up to where the runs were compared; none if to their end.
    pub until: Option<Timestamp>,
}

impl NextRuns {
    /// The next runs of a job: none while it is stopped, or when it has ended.
    pub fn of(job: &Job, context: &RunContext) -> Self {
        let Ok(timetable) = Timetable::new(job.definition.recurrence.as_ref(), job.anchor) else {
            return Self::default();
        };
        let is_ended = matches!(job.state, JobState::Completed | JobState::Faulted);
        let stopped_at = job.state.stopped_at(context.collection_stopped_at);
        let terms = Terms::of(context.uid, &job.definition, &timetable, job.series, context.sku, stopped_at);
        let next = job.progress.next_nominal(&terms, context.now).filter(|_| !is_ended);
        let open = job.progress.open.filter(|open| open.series == job.series);
        let is_open_first = open.is_some_and(|open| Some(open.nominal) == next && open.is_untried());
        let started = if job.progress.series == job.series { job.progress.started } else { 0 };
        let before = started + u32::from(open.is_some() && !is_open_first);
        let left = terms.occurrences_max.map_or(usize::MAX, |max| max.saturating_sub(before) as usize);
        let mut rest = std::iter::successors(next, |at| timetable.next(*at)).take(left);
        let times: Vec<_> = rest.by_ref().take(RUNS_COMPARED).collect();
        Self { has_more: times.len() == RUNS_COMPARED && rest.next().is_some(), times }
    }

    /// The first of the runs.
    pub fn first(&self) -> Option<Timestamp> {
        self.times.first().copied()
    }
}

impl MovedRuns {
    /// What differs between the runs before and after an edit, as far as both are known.
    pub fn between(before: &NextRuns, after: &NextRuns) -> Self {
        let end = |runs: &NextRuns| runs.times.last().copied().filter(|_| runs.has_more);
        let until = end(before).into_iter().chain(end(after)).min();
        let is_compared = |at: &Timestamp| until.is_none_or(|until| *at <= until);
        let without = |runs: &NextRuns, others: &NextRuns| -> Vec<_> {
            let is_gone = |at: &Timestamp| others.times.binary_search(at).is_err();
            runs.times.iter().copied().filter(|at| is_compared(at) && is_gone(at)).collect()
        };
        Self { vanish: without(before, after), appear: without(after, before), until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(hours: &[i64], has_more: bool) -> NextRuns {
        let times = hours.iter().map(|hour| Timestamp::from_seconds(hour * 3600).unwrap()).collect();
        NextRuns { times, has_more }
    }

    fn hours(times: &[Timestamp]) -> Vec<i64> {
        times.iter().map(|at| at.since(Timestamp::from_seconds(0).unwrap()) / 36_000_000_000).collect()
    }

    #[test]
    fn runs_are_compared_as_far_as_both_are_known() {
        let moved = MovedRuns::between(&runs(&[1, 2, 3], false), &runs(&[2, 4], false));
        assert_eq!((hours(&moved.vanish), hours(&moved.appear), moved.until), (vec![1, 3], vec![4], None));
        // What the longer list has beyond the shorter one may follow there, too.
        let moved = MovedRuns::between(&runs(&[1, 2, 3], true), &runs(&[2, 4, 8], true));
        assert_eq!((hours(&moved.vanish), hours(&moved.appear)), (vec![1, 3], vec![]));
        assert_eq!(moved.until, Timestamp::from_seconds(3 * 3600));
        let moved = MovedRuns::between(&runs(&[1, 2], true), &NextRuns::default());
        assert_eq!((hours(&moved.vanish), hours(&moved.appear)), (vec![1, 2], vec![]));
    }
}
