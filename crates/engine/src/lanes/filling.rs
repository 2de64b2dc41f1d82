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
        if self.filling.len() >= FILLS_MAX || self.reach.is_resting(now) {
            return None;
        }
        let passed = |lane: &Lane| self.queues.get(lane).and_then(|queue| queue.passed);
        self.hungry.retain(|lane| passed(lane).is_some());
        // However full the window is, an empty lane gets a row: what it passed over may be due, and what fills the window
        // may not be for a long time.
        let has_room = known < self.limits.keys;
        let may_be_filled = |lane: &&Lane| has_room || self.queues.get(lane).is_none_or(|queue| !queue.has_rows());
        let lane = *self.hungry.iter().find(may_be_filled)?;
        let start = passed(&lane)?;
        self.hungry.remove(&lane);
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
        let is_outdated = self.outdated_fills.remove(&lane);
        self.reach.record_answer(keys.is_some(), now);
        let Some(mut keys) = keys else {
            self.hungry.insert(lane);
            return Vec::new();
        };
        if let Some(queue) = self.queues.get_mut(&lane) {
            let (missed, overlooked) = (mem::take(&mut queue.missed), queue.overlooked.take());
            if is_outdated || queue.passed != Some(page.start) {
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

#[cfg(test)]
mod tests {
    use punctual_model::time::TICKS_PER_SECOND;
    use punctual_store::{JobId, WorkId};

    use super::super::{Admission, Standing, WindowLimits};
    use super::*;

    #[test]
    fn an_empty_lane_is_filled_however_full_the_window_is() {
        let now = Timestamp::EPOCH.saturating_add(100 * TICKS_PER_SECOND);
        let key = |id: i64| DueKey { wake_at: now, lane: Lane(1), id: WorkId(id), job: JobId(id) };
        let mut lanes = Lanes::new(WindowLimits { keys: 1, lane: 1, ..WindowLimits::default() });
        let page = lanes.next_page(0, now).unwrap();
        lanes.record_page(page, Some(&[]), now);
        lanes.add(WorkId(1), Standing::Ready(Lane(1), now));
        assert_eq!(lanes.admit(key(2), 1), Admission::NoRoom);
        lanes.hungry.insert(Lane(1));
        assert_eq!(lanes.next_fill(1, now), None, "the lane has a row, and the window is full");
        lanes.remove(WorkId(1), Standing::Ready(Lane(1), now));
        let fill = lanes.next_fill(1, now).unwrap();
        assert_eq!((fill.lane, fill.start, fill.limit), (Some(Lane(1)), DueStart::At(key(2)), 1));
    }
}
