//! What a node knows of its place among the others, for those parts of the process that depend on it.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use punctual_model::time::Clock;
use punctual_store::{NodeId, Shards};

use crate::ownership::{Ownership, lease_clock};

/// The place of a node among the others, as of its last heartbeat.
///
/// The owner of the first shard is the leader: it does what is to be done once for all nodes, such as dropping old history and
/// telling people of failures. Two nodes may believe for a moment that they lead; all that a leader does is transactions that stand
/// that.
#[derive(Debug)]
pub struct ClusterStatus {
    node: AtomicU32,
    shards: Mutex<Shards>,
    /// The reading of the lease clock until which the node is the leader.
    leads_until: AtomicI64,
    is_complete: AtomicBool,
    overdue_ticks: AtomicI64,
}

impl ClusterStatus {
    /// That of a node that is alone: it leads for ever.
    pub fn alone() -> Self {
        let status = Self::outside();
        status.record(&Ownership::ALONE, true, 0);
        status
    }

    /// That of a process that has not joined yet.
    pub fn outside() -> Self {
        Self {
            node: AtomicU32::new(NodeId::ONLY.0),
            shards: Mutex::new(Shards::NONE),
            leads_until: AtomicI64::new(i64::MIN),
            is_complete: AtomicBool::new(false),
            overdue_ticks: AtomicI64::new(0),
        }
    }

    /// Takes note of what the node owns, whether every shard has an owner, and how late the most overdue row of all nodes is.
    pub(crate) fn record(&self, ownership: &Ownership, is_complete: bool, overdue_ticks: i64) {
        let leads_until = if ownership.shards.has(0) { ownership.until.unwrap_or(i64::MAX) } else { i64::MIN };
        self.node.store(ownership.node.0, Ordering::Relaxed);
        *self.shards.lock().unwrap_or_else(PoisonError::into_inner) = ownership.shards;
        self.leads_until.store(leads_until, Ordering::Relaxed);
        self.is_complete.store(is_complete, Ordering::Relaxed);
        self.overdue_ticks.store(overdue_ticks, Ordering::Relaxed);
    }

    /// The number under which the process has joined.
    pub fn node(&self) -> NodeId {
        NodeId(self.node.load(Ordering::Relaxed))
    }

    /// The shards of the node.
    pub fn shards(&self) -> Shards {
        *self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the node does what is to be done once for all.
    pub fn is_leader(&self, clock: &dyn Clock) -> bool {
        lease_clock(clock) < self.leads_until.load(Ordering::Relaxed)
    }

    /// How late the most overdue row was that any node has reported. 0 for a node that is alone, which has nobody to report to.
    pub fn overdue_ticks(&self) -> i64 {
        self.overdue_ticks.load(Ordering::Relaxed)
    }

    /// Whether every shard had an owner that is alive.
    pub fn is_complete(&self) -> bool {
        self.is_complete.load(Ordering::Relaxed)
    }
}
