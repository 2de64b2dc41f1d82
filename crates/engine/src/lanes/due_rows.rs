//! What should have been started by now.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueStart, WorkId};

use super::Lanes;

/// A row that is late by more than this is overdue.
const LATE_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// Rows in the lanes whose wake time has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DueRows {
    /// How many there are, without those that full lanes have left to the store.
    pub(crate) due: usize,
    /// How many of them are late by more than a second.
    pub(crate) overdue: usize,
    /// The earliest wake time among them.
    pub(crate) since: Option<Timestamp>,
}

impl Lanes {
    /// Looks through all lanes for what should have been started by now.
    pub(crate) fn due_rows(&self, now: Timestamp) -> DueRows {
        let mut rows = DueRows::default();
        let late = now.saturating_add(-LATE_TICKS_MIN);
        for queue in self.queues.values() {
            let left_to_store = queue.passed.and_then(|passed| match passed {
                DueStart::Beginning => None,
                DueStart::At(key) | DueStart::After(key) => Some(key.wake_at),
            });
            let firsts = [&queue.waiting, &queue.ready].map(|set| set.first().map(|(wake_at, _)| *wake_at));
            let first = firsts.into_iter().chain([left_to_store]).flatten().min();
            let Some(first) = first.filter(|first| *first <= now) else { continue };
            rows.since = Some(rows.since.map_or(first, |since| since.min(first)));
            for set in [&queue.waiting, &queue.ready] {
                let until = |instant: Timestamp| set.range(..=(instant, WorkId(i64::MAX))).count();
                rows.due += until(now);
                rows.overdue += until(late);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::lane::Lane;

    use super::super::{Standing, WindowLimits};
    use super::*;

    #[test]
    fn what_is_due_is_told_from_what_is_overdue() {
        let at = |tenths: i64| Timestamp::EPOCH.saturating_add(tenths * TICKS_PER_SECOND / 10);
        let mut lanes = Lanes::new(WindowLimits::default());
        assert_eq!(lanes.due_rows(at(0)), DueRows::default());
        lanes.add(WorkId(1), Standing::Ready(Lane(1), at(10)));
        lanes.add(WorkId(2), Standing::Waiting(Lane(1), at(25)));
        lanes.add(WorkId(3), Standing::Ready(Lane(2), at(20)));
        assert_eq!(lanes.due_rows(at(9)), DueRows::default());
        assert_eq!(lanes.due_rows(at(20)), DueRows { due: 2, overdue: 1, since: Some(at(10)) });
        lanes.remove(WorkId(1), Standing::Ready(Lane(1), at(10)));
        assert_eq!(lanes.due_rows(at(40)), DueRows { due: 2, overdue: 2, since: Some(at(20)) });
    }
}
