//! How nodes stay, go, and pass shards on.

use punctual_store::{NodeId, WorkId};

use crate::rules::{Protocol, Rule};
use crate::state::{CLAIM, Claim, Flight, PerRow, ROWS, Stage, State, other};

/// A process that has just joined owns nothing.
const NO_SHARD: PerRow<bool> = PerRow([false; ROWS.len()]);

/// A process that has ended has nothing in flight.
const NO_FLIGHT: PerRow<Option<Flight>> = PerRow([None; ROWS.len()]);

impl Protocol {
    /// Makes lease and watermark durable. That a node does not hear of it is no case of its own: it then does less than
    /// it may.
    pub(crate) fn heartbeat(&self, state: &mut State, at: NodeId) -> Option<()> {
        let is_late = !state.has_lease(at);
        if !state.nodes[at].is_joined || (is_late && self.keeps(Rule::RefusesLateHeartbeat)) {
            return None;
        }
        self.renew(state, at);
        Some(())
    }

    /// A node that died or left, or whose lease ran out, joins again and owns nothing. What it has in flight goes on.
    pub(crate) fn join(&self, state: &mut State, at: NodeId) -> Option<()> {
        if state.nodes[at].is_joined && state.has_lease(at) {
            return None;
        }
        state.nodes[at].is_joined = true;
        state.nodes[at].owns = NO_SHARD;
        self.renew(state, at);
        Some(())
    }

    /// The process dies. A node that merely stands still needs no step: it takes none for a while.
    pub(crate) fn crash(state: &mut State, at: NodeId) -> Option<()> {
        state.process_ends_left = state.process_ends_left.checked_sub(1)?;
        let node = &mut state.nodes[at];
        (node.owns, node.flights) = (NO_SHARD, NO_FLIGHT);
        std::mem::take(&mut node.is_joined).then_some(())
    }

    /// A clean end: nothing can be unsettled that was sent under this name, so the watermark is taken back.
    pub(crate) fn leave(&self, state: &mut State, at: NodeId) -> Option<()> {
        state.process_ends_left = state.process_ends_left.checked_sub(1)?;
        let has_all = self.jobs().all(|job| state.rows[job].owner != at || state.nodes[at].owns[job]);
        let node = &mut state.nodes[at];
        let is_idle = node.flights.0.iter().all(Option::is_none);
        if (!is_idle && self.keeps(Rule::LeavesIdle)) || (!has_all && self.keeps(Rule::LeavesComplete)) {
            return None;
        }
        (node.lease_until, node.watermark, node.owns, node.flights) = (0, 0, NO_SHARD, NO_FLIGHT);
        std::mem::take(&mut node.is_joined).then_some(())
    }

    /// Takes a shard whose node is gone, as far as its lease can tell, or was this one before it joined again.
    ///
    /// One transaction. That the row is written keeps whoever has read it before from closing it.
    pub(crate) fn take_over(&self, state: &mut State, at: NodeId, job: WorkId) -> Option<()> {
        let before = state.rows[job].owner;
        let is_gone = if before == at { !state.nodes[at].owns[job] } else { !state.has_lease(before) };
        let may_take = state.has_lease(at) || !self.keeps(Rule::TakesOverWithinLease);
        if !is_gone || !state.nodes[at].is_joined || !may_take {
            return None;
        }
        let row = &mut state.rows[job];
        row.owner = at;
        let may_have_been_sent = row.is_open && row.wake_at <= state.nodes[before].watermark;
        row.is_marked |= may_have_been_sent && self.keeps(Rule::MarksAtTakeover);
        state.nodes[at].owns[job] = true;
        if !self.keeps(Rule::KeepsWatermark) {
            state.nodes[before].watermark = 0;
        }
        Some(())
    }

    /// Gives a shard to the other node, without a pause. An attempt in flight stays.
    ///
    /// One transaction, on the condition that the shard still is this node's; before it, the node stops starting.
    pub(crate) fn hand_over(&self, state: &mut State, from: NodeId, job: WorkId) -> Option<()> {
        let to = other(from);
        let is_owner = state.rows[job].owner == from && state.nodes[from].owns[job];
        if !is_owner || !state.nodes[to].is_joined || !state.has_lease(to) {
            return None;
        }
        let is_sending = |flight: Flight| !matches!(flight.stage, Stage::Closing { .. }) && state.is_there(job, flight);
        let is_in_flight = state.nodes[from].flights[job].is_some_and(is_sending);
        if is_in_flight && self.keeps(Rule::ClaimsAtHandover) {
            state.rows[job].claim = Some(Claim { by: from, until: state.now + CLAIM });
        }
        state.rows[job].owner = to;
        state.nodes[from].owns[job] = false;
        state.nodes[to].owns[job] = true;
        Some(())
    }

    fn renew(&self, state: &mut State, at: NodeId) {
        let node = &mut state.nodes[at];
        node.lease_until = state.now + self.lease;
        node.watermark = node.watermark.max(state.now + self.ahead);
    }
}
