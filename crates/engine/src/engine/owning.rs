//! Shards come and go.

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, DueStart, Error, NodeId, Shards};

use super::{Effect, Engine};
use crate::ownership::Ownership;
use crate::row::{RowEvent, RowState};
use crate::troubles::StoreTask;
use crate::watermark::Watermark;

/// How often the keys of what wakes soon are read again: another node may have written one of these rows.
const POLL_TICKS: i64 = TICKS_PER_SECOND;

/// How far ahead these keys are read.
const POLL_AHEAD_TICKS: i64 = 2 * TICKS_PER_SECOND;

/// Reads again and again what wakes soon, because other nodes write to the same rows: what was claimed is settled, a run is asked for.
#[derive(Debug, Default)]
pub(super) struct Poll {
    /// Whether a page is being read.
    is_reading: bool,
    /// Where the next page begins, if the last one was full.
    after: Option<DueKey>,
    /// Whether a round has ended since this was last asked.
    has_ended: bool,
    /// The reading of the steady clock from which on the next round may begin.
    next_at: i64,
}

impl Poll {
    /// The next page, if it is time for one.
    fn page(&mut self, shards: Shards, limit: usize, now: Timestamp, steady: i64) -> Option<DuePage> {
        if self.has_ended {
            (self.has_ended, self.next_at) = (false, steady + POLL_TICKS);
        }
        if self.is_reading || (self.after.is_none() && steady < self.next_at) {
            return None;
        }
        self.is_reading = true;
        let start = self.after.map_or(DueStart::Beginning, DueStart::After);
        Some(DuePage { shards, start, until: now.saturating_add(POLL_AHEAD_TICKS), lane: None, limit })
    }

    fn record(&mut self, page: &DuePage, keys: Option<&[DueKey]>) {
        self.is_reading = false;
        self.after = keys.and_then(|keys| keys.last().filter(|_| keys.len() == page.limit).copied());
        self.has_ended = self.after.is_none();
    }
}

impl Engine {
    /// Hears what the node may run from now on.
    pub(super) fn hear_ownership(&mut self, new: Ownership) {
        let old = std::mem::replace(&mut self.rows.ownership, new);
        if old.node != new.node {
            // What the old number was allowed is of no use to the new one.
            self.watermark = Watermark::default();
        }
        if old.nodes != new.nodes {
            for lane in self.concurrency.share(self.settings.concurrency, new.nodes) {
                self.rows.indexes.lanes.enter_ring(lane, self.now);
            }
        }
        let come = new.shards.without(old.shards);
        let moved = come.or(old.shards.without(new.shards));
        if !moved.is_empty() {
            self.look_again(moved);
        }
        if !come.is_empty() {
            self.rows.indexes.lanes.begin_again();
        }
    }

    /// Starts nothing any more in some shards, and says what of them is in flight.
    pub(super) fn hear_give_up(&mut self, shards: Shards) {
        self.rows.ownership.shards = self.rows.ownership.shards.without(shards);
        let claims = self.rows.claims(shards);
        self.look_again(shards);
        self.effects.push(Effect::GaveUp(claims));
    }

    /// Looks again at the rows of shards that have come or gone. What was read of a row before its shard came does not show what was
    /// marked with it. Attempts in flight go on, and their rows are read before they are settled. Other rows are left alone: a resend
    /// that is counted and then not sent would count all the same.
    fn look_again(&mut self, moved: Shards) {
        self.forget_window();
        let is_meant = |state: &RowState| !matches!(state, RowState::Waiting { .. } | RowState::Ready(_));
        for id in self.rows.filter(|state| is_meant(state) && state.may_be_in(moved)) {
            self.apply(id, RowEvent::Changed);
        }
    }

    /// Has the keys read of what wakes soon, if other nodes may have written some of it.
    pub(super) fn poll(&mut self) {
        let Ownership { shards, .. } = self.rows.ownership;
        if !self.rows.ownership.is_shared() || shards.is_empty() {
            return;
        }
        let page = self.poll.page(shards, self.settings.window.page, self.now, self.clock.steady());
        self.effects.extend(page.map(Effect::PollDue));
    }

    pub(super) fn hear_polled(&mut self, page: &DuePage, keys: Result<Vec<DueKey>, Error>) {
        self.troubles.record(StoreTask::ReadDue, keys.as_ref().err(), self.clock.steady());
        self.poll.record(page, keys.as_deref().ok());
        let moment = self.moment();
        for key in keys.into_iter().flatten() {
            self.rows.put(key, moment);
        }
    }

    /// The number under which the process has joined.
    pub(super) fn node(&self) -> NodeId {
        self.rows.ownership.node
    }
}
