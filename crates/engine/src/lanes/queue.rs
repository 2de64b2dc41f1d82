//! One lane: what stands in it, in the order in which it wakes.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::time::Timestamp;
use punctual_store::{DueKey, WorkId};

/// Rows of a lane that are loaded or ready as long as it does not move.
const LANE_READY_MIN: usize = 8;

/// And when it does: more than a host can take at once, so that it never waits for the disk.
const LANE_READY_MAX: usize = 192;

/// A lane. `R` is what a loaded row is.
pub(super) struct Queue<R> {
    pub(super) waiting: BTreeSet<(Timestamp, WorkId)>,
    pub(super) ready: BTreeMap<(Timestamp, WorkId), R>,
    pub(super) loading: usize,
    /// Rows that are loaded or ready, at most.
    pub(super) ready_max: usize,
    /// The last key before those that were passed over.
    pub(super) passed: Option<DueKey>,
    /// Came while the lane was being filled, which may have overlooked them.
    pub(super) missed: Vec<DueKey>,
    pub(super) alarm: Option<Timestamp>,
    pub(super) is_in_ring: bool,
}

impl<R> Queue<R> {
    pub(super) fn new() -> Self {
        Self {
            waiting: BTreeSet::new(),
            ready: BTreeMap::new(),
            loading: 0,
            ready_max: LANE_READY_MIN,
            passed: None,
            missed: Vec::new(),
            alarm: None,
            is_in_ring: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.ready.len() + self.loading
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.passed.is_none() && !self.is_in_ring
    }

    /// However little room there is, one row of each lane may be ready.
    pub(super) fn may_load(&self, has_room: bool) -> bool {
        let loaded = self.ready.len() + self.loading;
        loaded < self.ready_max && (has_room || loaded == 0)
    }

    /// Something was started. A lane that moves gets more rows ready; one that stands still does not need them.
    pub(super) fn moves(&mut self) {
        if self.ready.is_empty() {
            self.ready_max = (self.ready_max * 2).min(LANE_READY_MAX);
        }
    }

    /// That key, and what comes after it, is passed over.
    pub(super) fn pass_from(&mut self, key: DueKey) {
        let before = DueKey { id: WorkId(key.id.0 - 1), ..key };
        let is_earlier = self.passed.is_none_or(|passed| (before.wake_at, before.id) < (passed.wake_at, passed.id));
        if is_earlier {
            self.passed = Some(before);
        }
    }
}
