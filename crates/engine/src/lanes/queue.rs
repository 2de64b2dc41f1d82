//! One lane: the rows that stand in it, in the order in which they wake.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::time::Timestamp;
use punctual_store::{DueKey, DueStart, WorkId};

use super::LOAD_TICKS;

/// Rows of a lane that are being read or ready as long as nothing of the lane starts.
const LANE_READY_MIN: usize = 8;

/// The same while rows start: more than a host can take at once, so that the host never waits for the disk.
const LANE_READY_MAX: usize = 256;

/// A lane.
pub(super) struct Queue {
    pub(super) waiting: BTreeSet<(Timestamp, WorkId)>,
    pub(super) ready: BTreeSet<(Timestamp, WorkId)>,
    /// Rows that are being read for the lane.
    pub(super) reading: usize,
    /// Rows that are being read or ready, at most.
    ready_max: usize,
    /// Where the keys begin that the lane had no room for. They are in the store only.
    pub(super) passed: Option<DueStart>,
    /// Keys that came while the lane was being filled from the store, which may have overlooked them.
    pub(super) missed: BTreeMap<(Timestamp, WorkId), DueKey>,
    /// The first of those for which there was no room: the lane is filled again from there.
    pub(super) overlooked: Option<DueKey>,
    pub(super) alarm: Option<Timestamp>,
    pub(super) is_in_ring: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            waiting: BTreeSet::new(),
            ready: BTreeSet::new(),
            reading: 0,
            ready_max: LANE_READY_MIN,
            passed: None,
            missed: BTreeMap::new(),
            overlooked: None,
            alarm: None,
            is_in_ring: false,
        }
    }
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.ready.len() + self.reading
    }

    /// Whether a row stands in the lane, or is being read for it.
    pub(super) fn has_rows(&self) -> bool {
        self.reading > 0 || !self.waiting.is_empty() || !self.ready.is_empty()
    }

    /// Whether nothing would be lost with the lane.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_rows() && self.passed.is_none() && !self.is_in_ring
    }

    /// How many rows may be read for the lane, if the window has room for so many. A busy lane reads nothing before half of
    /// its rows are gone, and then many at once: a read of one row costs nearly as much as a read of twenty. A lane of few
    /// rows reads one after the other, so that enough of them are ready while the store is slow. However little room there
    /// is, one row of each lane may be ready.
    pub(super) fn room(&self, window_room: usize) -> usize {
        let loaded = self.ready.len() + self.reading;
        if loaded > (self.ready_max / 2).max(LANE_READY_MIN - 1) {
            return 0;
        }
        (self.ready_max - loaded).min(window_room.max(usize::from(loaded == 0)))
    }

    /// Makes room for more ready rows in a lane whose rows start; one that stands still does not need them.
    pub(super) fn record_start(&mut self) {
        if self.ready.is_empty() {
            self.ready_max = (self.ready_max * 2).min(LANE_READY_MAX);
        }
    }

    /// Whether a key comes after what the lane has room for.
    pub(super) fn is_passed(&self, key: &DueKey) -> bool {
        self.passed.is_some_and(|passed| passed.has(key))
    }

    /// Leaves a key, and all that comes after it, to the store.
    pub(super) fn pass_from(&mut self, key: DueKey) {
        if !self.is_passed(&key) {
            self.passed = Some(DueStart::At(key));
        }
    }

    /// Keeps a key that the store may overlook while the lane is filled: the first `max` of them. Where the others begin is
    /// remembered.
    pub(super) fn record_missed(&mut self, key: DueKey, max: usize) {
        self.missed.insert((key.wake_at, key.id), key);
        if self.missed.len() > max
            && let Some((_, last)) = self.missed.pop_last()
            && self.overlooked.is_none_or(|first| (last.wake_at, last.id) < (first.wake_at, first.id))
        {
            self.overlooked = Some(last);
        }
    }

    /// The first row that can start by now.
    pub(super) fn first_due(&self, now: Timestamp) -> Option<WorkId> {
        self.ready.first().filter(|(wake_at, _)| *wake_at <= now).map(|(_, id)| *id)
    }

    /// When the lane has to be looked at, because a row is to be read or started then. A row that is near already and was
    /// not read had no room: the lane is looked at again in a moment.
    pub(super) fn next_look(&self, now: Timestamp) -> Option<Timestamp> {
        let near = self.waiting.first().filter(|_| self.room(usize::MAX) > 0).map(|(wake_at, _)| {
            let read_at = wake_at.saturating_add(-LOAD_TICKS);
            if read_at <= now { now.saturating_add(LOAD_TICKS / 10) } else { read_at }
        });
        let start = self.ready.first().map(|(wake_at, _)| *wake_at).filter(|wake_at| *wake_at > now);
        near.into_iter().chain(start).min()
    }
}

#[cfg(test)]
mod tests {
    use super::{LANE_READY_MIN, Queue, Timestamp, WorkId};

    /// How many rows may be read for lanes with so many rows that are ready, at most `ready_max`.
    fn rooms<const N: usize>(ready_max: usize, ready: [i64; N], window_room: usize) -> [usize; N] {
        ready.map(|ready| {
            let ready = (0..ready).map(|id| (Timestamp::EPOCH, WorkId(id))).collect();
            Queue { ready, ready_max, ..Queue::default() }.room(window_room)
        })
    }

    #[test]
    fn rows_of_a_busy_lane_are_read_many_at_a_time() {
        assert_eq!(rooms(64, [0, 1, 32, 33, 64], usize::MAX), [64, 63, 32, 0, 0]);
        assert_eq!(rooms(64, [0, 1, 32, 33, 64], 3), [3, 3, 3, 0, 0]);
    }

    #[test]
    fn rows_of_a_quiet_lane_are_read_one_by_one() {
        assert_eq!(rooms(LANE_READY_MIN, [0, 1, 4, 7, 8], usize::MAX), [8, 7, 4, 1, 0]);
        assert_eq!(rooms(LANE_READY_MIN, [0, 1, 8], 0), [1, 0, 0], "one row of each lane may be ready");
    }
}
