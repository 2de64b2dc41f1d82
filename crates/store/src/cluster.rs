//! The nodes on one store, and which shards each of them owns.

use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;

use crate::key::{NodeId, WorkId};
use crate::shards::{SHARDS, Shards};

/// What a process says of itself when it joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// What people call it: the name of its machine, unless a setting says otherwise.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// Where its API is reached.
    pub url: String,
}

/// What a node tells with each heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeReport {
    /// By how much its clock was ahead of the database's when it last looked.
    pub clock_offset_ticks: i64,
    /// Whether that is too far off for it to run jobs.
    pub is_clock_off: bool,
    /// Attempts that are in flight or not yet written down.
    pub unsettled: u32,
    /// How late the most overdue row is that it knows of.
    pub overdue_ticks: i64,
}

/// A node, as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEntry {
    /// Its number, which no other process ever has.
    pub id: NodeId,
    /// What it said of itself.
    pub node: NewNode,
    /// What it told last.
    pub report: NodeReport,
    /// Whether its lease holds, by the clock of the database.
    pub is_alive: bool,
    /// Whether it is to give its shards away.
    pub is_draining: bool,
    /// When it joined, by the clock of the database.
    pub joined_at: Timestamp,
    /// When its last heartbeat came, by the clock of the database.
    pub seen_at: Timestamp,
    /// Up to which wake time it may have started attempts.
    pub watermark: Option<Timestamp>,
    /// How many attempts it has claimed: in flight there, although it does not own their shards any more.
    pub claims: u64,
}

/// Who is there, and who owns what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterView {
    /// What the clock of the database shows.
    pub now: Timestamp,
    /// Which server of the database answered: another one after a failover, or after it was started again.
    pub server: String,
    /// The nodes in the order of their numbers, also those that are gone and have left something.
    pub nodes: Vec<NodeEntry>,
    /// The owner of each shard, if it has one.
    pub owners: [Option<NodeId>; SHARDS],
    /// How many attempts are claimed, by nodes that are there and by nodes that are gone.
    pub claims: u64,
}

impl ClusterView {
    /// The shards of a node.
    pub fn owned_by(&self, node: NodeId) -> Shards {
        (0..=u8::MAX).filter(|shard| self.owners[usize::from(*shard)] == Some(node)).collect()
    }

    /// Whether a node is there and its lease holds.
    pub fn is_alive(&self, node: NodeId) -> bool {
        self.nodes.iter().any(|entry| entry.id == node && entry.is_alive)
    }
}

/// Shards that a node gives away, all in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The node that gives.
    pub from: NodeId,
    /// Each shard with the node that gets it.
    pub shards: Vec<(u8, NodeId)>,
    /// Attempts of these shards that the giving node has in flight, or has not yet written down.
    pub claims: Vec<Claim>,
    /// Until when the claims count.
    pub claimed_until: Timestamp,
}

/// A claim: an attempt stays with the node that has begun it, although another node owns its shard from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The row of the attempt.
    pub row: WorkId,
    /// The occurrence with the number of the attempt. A row that is at another attempt by now is not claimed.
    pub occurrence: Occurrence,
}

/// What came of taking shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenShards {
    /// The shards that are the node's now.
    pub shards: Shards,
    /// Rows of them that may have been sent by their former owners, and are marked so.
    pub marked: u64,
}
