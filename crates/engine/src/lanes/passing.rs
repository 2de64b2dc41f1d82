//! Filling lanes from where they were passed over.

use std::mem;

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use punctual_store::{DueKey, DuePage, DueStart, Shards};

use super::Lanes;

/// Lanes that are filled at once.
const FILLS_MAX: usize = 2;

impl<R> Lanes<R> {
    /// The next lane that is to be filled from where it was left.
    pub(crate) fn page_of_lane(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.places.len() >= self.limits.keys || self.filling.len() >= FILLS_MAX || self.reach.rests(now) {
            return None;
        }
        let passed = |lane: &Lane| self.queues.get(lane).and_then(|queue| queue.passed);
        self.hungry.retain(|lane| passed(lane).is_some());
        let (lane, after) = self.hungry.pop_first().and_then(|lane| Some((lane, passed(&lane)?)))?;
        self.filling.insert(lane);
        let until = self.reach.until().max(now);
        Some(DuePage {
            shards: Shards::ALL,
            start: DueStart::After(after),
            until,
            lane: Some(lane),
            limit: self.lane_max().min(self.limits.page),
        })
    }

    /// A lane was filled, or could not be.
    pub(super) fn filled(&mut self, page: DuePage, lane: Lane, keys: Option<&[DueKey]>) {
        self.filling.remove(&lane);
        let Some(keys) = keys else {
            self.hungry.insert(lane);
            return;
        };
        let mut missed = Vec::new();
        if let Some(queue) = self.queues.get_mut(&lane) {
            missed = mem::take(&mut queue.missed);
            if queue.passed.map(DueStart::After) != Some(page.start) {
                // Meanwhile something gave way that comes before what was read: it is filled from there.
                self.arm(lane);
                return;
            }
            queue.passed = None;
        }
        for key in keys {
            self.put(*key);
        }
        let is_full = keys.len() == page.limit;
        if let Some(queue) = self.queues.get_mut(&lane)
            && is_full
            && queue.passed.is_none()
        {
            queue.passed = keys.last().copied();
        }
        for key in missed {
            self.put(key);
        }
        self.arm(lane);
    }
}
