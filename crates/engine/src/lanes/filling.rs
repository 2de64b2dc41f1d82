//! Filling lanes from where they had no room.

use std::mem;

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use punctual_store::{DueKey, DuePage, DueStart, Shards};

use super::Lanes;

/// Lanes that are filled at once.
const FILLS_MAX: usize = 2;

impl Lanes {
    /// The page of keys with which the next hungry lane is filled.
    pub(crate) fn next_fill(&mut self, known: usize, now: Timestamp) -> Option<DuePage> {
        if known >= self.limits.keys || self.filling.len() >= FILLS_MAX || self.reach.is_resting(now) {
            return None;
        }
        let passed = |lane: &Lane| self.queues.get(lane).and_then(|queue| queue.passed);
        self.hungry.retain(|lane| passed(lane).is_some());
        let (lane, start) = self.hungry.pop_first().and_then(|lane| Some((lane, passed(&lane)?)))?;
        self.filling.insert(lane);
        let (until, limit) = (self.reach.until().max(now), self.lane_max(known).min(self.limits.page));
        Some(DuePage { shards: Shards::ALL, start, until, lane: Some(lane), limit })
    }

    /// Ends the filling of a lane with the keys that were read, if they could be. Returns the keys that may have room now,
    /// with those that came meanwhile.
    pub(crate) fn end_fill(
        &mut self,
        page: DuePage,
        lane: Lane,
        keys: Option<Vec<DueKey>>,
        now: Timestamp,
    ) -> Vec<DueKey> {
        self.filling.remove(&lane);
        self.reach.record_answer(keys.is_some(), now);
        let Some(mut keys) = keys else {
            self.hungry.insert(lane);
            return Vec::new();
        };
        if let Some(queue) = self.queues.get_mut(&lane) {
            let (missed, overlooked) = (mem::take(&mut queue.missed), queue.overlooked.take());
            if queue.passed != Some(page.start) {
                // Meanwhile a row gave way that comes before those that were read: the lane is filled from there.
                self.set_alarm(lane, Timestamp::MIN);
                return Vec::new();
            }
            queue.passed = keys.last().filter(|_| keys.len() == page.limit).map(|last| DueStart::After(*last));
            if let Some(overlooked) = overlooked {
                queue.pass_from(overlooked);
            }
            keys.extend(missed.into_values());
            self.set_alarm(lane, Timestamp::MIN);
        }
        keys
    }
}
