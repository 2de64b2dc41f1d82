//! When which lane has to be looked at.

use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;

use super::{LOAD_TICKS, Lanes};

impl<R> Lanes<R> {
    /// When something has to be looked at again.
    pub(crate) fn next_alarm(&self) -> Option<Timestamp> {
        self.alarms.first().map(|(at, _)| *at)
    }

    /// Has a lane looked at as soon as possible.
    pub(super) fn arm(&mut self, lane: Lane) {
        self.arm_at(lane, Timestamp::MIN);
    }

    /// Has a lane looked at when something in it is to be loaded or started, and not before.
    pub(super) fn arm_later(&mut self, lane: Lane, now: Timestamp) {
        let Some(queue) = self.queues.get(&lane) else { return };
        if queue.is_empty() {
            self.queues.remove(&lane);
            return;
        }
        let may_load = queue.may_load(true);
        let load_at =
            queue.waiting.first().map(|(wake_at, _)| wake_at.saturating_add(-LOAD_TICKS)).filter(|_| may_load);
        // Too many rows are ready: it is tried again in a moment.
        let load_at = load_at.map(|at| if at <= now { now.saturating_add(LOAD_TICKS / 10) } else { at });
        let start_at = queue.ready.first_key_value().map(|((wake_at, _), _)| *wake_at).filter(|wake_at| *wake_at > now);
        if let Some(at) = load_at.into_iter().chain(start_at).min() {
            self.arm_at(lane, at);
        }
    }

    fn arm_at(&mut self, lane: Lane, at: Timestamp) {
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        if queue.alarm.is_some_and(|armed| armed <= at) {
            return;
        }
        if let Some(armed) = queue.alarm.replace(at) {
            self.alarms.remove(&(armed, lane));
        }
        self.alarms.insert((at, lane));
    }
}
