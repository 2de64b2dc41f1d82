//! The lease of a node: what it may run until when, and what it does next about shards. Decides, and waits for nothing.

use std::time::Duration;

use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::{ClusterView, NodeId, NodeReport, Shards};

use super::balance::{Plan, PlanFor};
use crate::ownership::Ownership;

/// Shards that are taken at once. What their owner may have sent is marked with them, and the lease has to be renewed in between.
const TAKEN_MAX: usize = 32;

/// A node whose clock is off by more gives its shards away: it would start everything too early or too late.
const CLOCK_OFFSET_TICKS_MAX: i64 = TICKS_PER_SECOND / 2;

/// A clock that was off is right again when it is no further off than this. A clock that wavers at the limit must not move shards
/// with each heartbeat.
const CLOCK_OFFSET_TICKS_RIGHT: i64 = CLOCK_OFFSET_TICKS_MAX / 2;

/// The lease of a node.
#[derive(Debug)]
pub struct Lease {
    ticks: i64,
    /// Which server of the database answered last, and the reading of the lease clock when it first did.
    server: Option<(String, i64)>,
    clock_offset_ticks: i64,
    is_clock_off: bool,
}

/// What a node does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseStep {
    /// Says that it is about to end. Else two nodes that end together would give their shards to each other.
    Drain,
    /// Gives shards to others.
    Give(Vec<(u8, NodeId)>),
    /// Takes shards that have no owner, or one that is gone.
    Take(Shards),
    /// Has claims ended that nobody will settle any more.
    EndClaims(Shards),
    /// Nothing, until the next heartbeat.
    Rest,
}

/// When a heartbeat was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The reading of the lease clock before it was sent. From there the lease is counted: by the node's own clock it ends no later
    /// than by that of the database.
    pub reading: i64,
    /// The node's clock before it was sent, and when the answer was there, in ticks.
    pub wall: (i64, i64),
}

impl Lease {
    /// A lease of that length, which is not held yet.
    pub fn new(length: Duration) -> Self {
        let ticks = i64::try_from(length.as_nanos() / 100).unwrap_or(i64::MAX);
        Self { ticks, server: None, clock_offset_ticks: 0, is_clock_off: false }
    }

    /// How far the node's clock is ahead of the database's.
    pub const fn clock_offset_ticks(&self) -> i64 {
        self.clock_offset_ticks
    }

    /// Whether the node's clock is too far off for it to run jobs.
    pub const fn is_clock_off(&self) -> bool {
        self.is_clock_off
    }

    /// What a node reports of itself with its next heartbeat.
    pub const fn report(&self, unsettled: u32, overdue_ticks: i64) -> NodeReport {
        let Self { clock_offset_ticks, is_clock_off, .. } = *self;
        NodeReport { clock_offset_ticks, is_clock_off, unsettled, overdue_ticks }
    }

    /// Hears that the lease was renewed. Says what the node may run, and what it does next.
    pub fn hear_renewed(
        &mut self,
        node: NodeId,
        view: &ClusterView,
        sent: Sent,
        is_leaving: bool,
    ) -> (Ownership, LeaseStep) {
        self.look_at_clock(view, sent);
        let can_inherit = self.note_server(&view.server, sent.reading);
        let nodes = view.nodes.iter().filter(|entry| entry.is_alive).count();
        let ownership = Ownership {
            node,
            shards: view.owned_by(node),
            until: Some(sent.reading.saturating_add(self.ticks)),
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
        };
        let Plan { take, give } = Plan::of(view, PlanFor { node, is_leaving, can_inherit });
        let is_draining_known = view.nodes.iter().any(|entry| entry.id == node && entry.is_draining);
        let step = if is_leaving && !is_draining_known {
            LeaseStep::Drain
        } else if !give.is_empty() {
            LeaseStep::Give(give)
        } else if !take.is_empty() {
            LeaseStep::Take(take.iter().take(TAKEN_MAX).collect())
        } else if view.claims > 0 && !ownership.shards.is_empty() {
            LeaseStep::EndClaims(ownership.shards)
        } else {
            LeaseStep::Rest
        };
        (ownership, step)
    }

    /// Whether what nodes that are gone have left may be taken: the same server of the database has answered for the time of a lease.
    /// After a failover all leases may seem to be over, and to take everything from everybody would send everything again.
    fn note_server(&mut self, server: &str, reading: i64) -> bool {
        let since = match &self.server {
            Some((known, since)) if known == server => *since,
            _ => reading,
        };
        self.server = Some((server.to_owned(), since));
        reading.saturating_sub(since) >= self.ticks
    }

    /// Compares the node's clock with that of the database. What the way there and back took is not held against the clock.
    fn look_at_clock(&mut self, view: &ClusterView, sent: Sent) {
        let (before, after) = sent.wall;
        let way = (after - before).max(0) / 2;
        let offset = before + way - view.now.ticks();
        self.clock_offset_ticks = offset.signum() * (offset.abs() - way).max(0);
        let max = if self.is_clock_off { CLOCK_OFFSET_TICKS_RIGHT } else { CLOCK_OFFSET_TICKS_MAX };
        self.is_clock_off = self.clock_offset_ticks.abs() > max;
    }
}
