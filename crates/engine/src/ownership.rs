//! What a node may run: the shards it owns, and until when.

use punctual_metrics::EngineMetrics;
use punctual_model::time::Clock;
use punctual_store::{NodeId, Shards, WorkEntry};

use crate::row::Row;

/// What a node may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// The number under which the process has joined.
    pub node: NodeId,
    /// The shards it owns.
    pub shards: Shards,
    /// The reading of [`lease_clock`] from which on nothing is started, because another node may own the shards by then. None
    /// for a node that is alone.
    pub until: Option<i64>,
    /// How many nodes share what hosts and collections may have in flight.
    pub nodes: u32,
}

impl Ownership {
    /// That of the only node of a store.
    pub const ALONE: Self = Self { node: NodeId::ONLY, shards: Shards::ALL, until: None, nodes: 1 };

    /// That of a process that has not joined yet.
    pub const NOTHING: Self = Self { node: NodeId::ONLY, shards: Shards::NONE, until: Some(i64::MIN), nodes: 1 };

    /// Shows it to those who read metrics.
    pub(crate) fn show(&self, metrics: &EngineMetrics) {
        metrics.cluster_shards.set(i64::try_from(self.shards.len()).unwrap_or(i64::MAX));
        metrics.cluster_nodes.set(self.nodes.into());
    }

    /// Whether something may be started now.
    pub(crate) fn is_valid(&self, clock: &dyn Clock) -> bool {
        self.until.is_none_or(|until| lease_clock(clock) < until)
    }

    /// Whether other nodes write to the same store.
    pub(crate) const fn is_shared(&self) -> bool {
        self.until.is_some()
    }

    /// Whether a row may be started by this node: its shard is the node's, and nobody has its attempt in flight.
    pub(crate) fn has(&self, row: &Row) -> bool {
        let WorkEntry { claimed_by, .. } = row.entry;
        claimed_by.is_none() && self.has_shard_of(row)
    }

    /// Whether the shard of a row is the node's.
    pub(crate) fn has_shard_of(&self, row: &Row) -> bool {
        self.shards == Shards::ALL || self.shards.has(Shards::of(row.job.definition.uid))
    }
}

/// The clock by which a node judges its own lease. It goes on while the machine sleeps, where such a clock is known: a node that
/// wakes up must not believe that no time has passed.
pub fn lease_clock(clock: &dyn Clock) -> i64 {
    clock.uptime().unwrap_or_else(|| clock.steady())
}
