//! The nodes, their leases, and the shards they own. Instants are those of the database, which whoever simulates tells.

use std::collections::BTreeMap;

use punctual_model::time::Timestamp;
use punctual_store::{
    Claim, ClusterView, Error, Handover, JobId, NewNode, NodeEntry, NodeId, NodeReport, SHARDS, Shards, TakenShards,
    WorkId,
};

use crate::tables::Tables;

/// The nodes, and who owns which shard.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The nodes.
    pub nodes: BTreeMap<NodeId, NodeRow>,
    /// The owner of each shard, if it has one.
    pub owners: [Option<NodeId>; SHARDS],
    /// Which server of the database answers.
    pub server: u32,
    last_node: u32,
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodeRow {
    node: NewNode,
    report: NodeReport,
    is_draining: bool,
    joined_at: Timestamp,
    seen_at: Timestamp,
    /// Until when its shards are its own.
    pub lease_until: Timestamp,
}

/// Who has the attempt of a row in flight, and until when that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowClaim {
    /// The node.
    pub by: NodeId,
    /// The end.
    pub until: Timestamp,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { nodes: BTreeMap::new(), owners: [None; SHARDS], server: 1, last_node: 0 }
    }
}

impl Cluster {
    /// Whether the lease of a node holds.
    pub fn is_alive(&self, node: NodeId, now: Timestamp) -> bool {
        self.nodes.get(&node).is_some_and(|row| row.lease_until > now)
    }
}

impl Tables {
    /// Adds a node.
    pub fn join(&mut self, node: NewNode, lease_ticks: i64, now: Timestamp) -> NodeId {
        self.cluster.last_node += 1;
        let id = NodeId(self.cluster.last_node);
        let row = NodeRow {
            node,
            report: NodeReport::default(),
            is_draining: false,
            joined_at: now,
            seen_at: now,
            lease_until: now.saturating_add(lease_ticks),
        };
        self.cluster.nodes.insert(id, row);
        id
    }

    /// Renews a lease that holds, and says who is there.
    pub fn renew(&mut self, node: NodeId, lease_ticks: i64, report: NodeReport, now: Timestamp) -> Option<ClusterView> {
        let row = self.cluster.nodes.get_mut(&node).filter(|row| row.lease_until > now)?;
        (row.report, row.seen_at, row.lease_until) = (report, now, now.saturating_add(lease_ticks));
        Some(self.cluster_view(now))
    }

    /// Who is there, and who owns what.
    pub fn cluster_view(&self, now: Timestamp) -> ClusterView {
        let claimed = || self.work.values().filter_map(|row| row.claim);
        let entry = |(id, row): (&NodeId, &NodeRow)| NodeEntry {
            id: *id,
            node: row.node.clone(),
            report: row.report,
            is_alive: row.lease_until > now,
            is_draining: row.is_draining,
            joined_at: row.joined_at,
            seen_at: row.seen_at,
            watermark: self.watermarks.get(id).copied(),
            claims: claimed().filter(|claim| claim.by == *id).count() as u64,
        };
        let nodes = self.cluster.nodes.iter().map(entry).collect();
        let claims = claimed().count() as u64;
        ClusterView { now, server: self.cluster.server.to_string(), nodes, owners: self.cluster.owners, claims }
    }

    /// Whether a node owns the shard of a job. The only node of a store does, without joining.
    pub(crate) fn has_shard_of(&self, node: NodeId, job: JobId) -> bool {
        let owner = |uid| self.cluster.owners[usize::from(Shards::of(uid))];
        self.cluster.nodes.is_empty() || self.jobs.get(&job).is_some_and(|job| owner(job.uid) == Some(node))
    }

    /// Takes shards that have no owner, or one that is gone.
    pub fn take_shards(&mut self, node: NodeId, shards: Shards, now: Timestamp) -> Result<TakenShards, Error> {
        if !self.cluster.is_alive(node, now) {
            return Err(Error::Stale);
        }
        let mut taken = TakenShards::default();
        for shard in shards.iter() {
            let owner = self.cluster.owners[usize::from(shard)];
            if owner.is_some_and(|owner| self.cluster.is_alive(owner, now)) {
                continue;
            }
            if let Some(owner) = owner {
                taken.marked += self.mark_sent(owner, [shard].into_iter().collect());
            }
            self.cluster.owners[usize::from(shard)] = Some(node);
            taken.shards.add(shard);
        }
        Ok(taken)
    }

    /// Gives shards away, and claims what the giving node has in flight.
    pub fn hand_over(&mut self, handover: &Handover, now: Timestamp) -> Result<(), Error> {
        let Handover { from, shards, claims, claimed_until } = handover;
        let are_alive = shards.iter().map(|(_, to)| to).chain([from]).all(|node| self.cluster.is_alive(*node, now));
        let are_owned = shards.iter().all(|(shard, _)| self.cluster.owners[usize::from(*shard)] == Some(*from));
        if !are_alive || !are_owned {
            return Err(Error::Stale);
        }
        for Claim { row, occurrence } in claims {
            let Some(row) = self.work.get_mut(row) else { continue };
            if row.occurrence().is_some_and(|open| open.is_same_attempt(occurrence)) {
                row.claim = Some(RowClaim { by: *from, until: *claimed_until });
                row.revision.0 += 1;
            }
        }
        for (shard, to) in shards {
            self.cluster.owners[usize::from(*shard)] = Some(*to);
        }
        Ok(())
    }

    /// Marks what nobody will settle any more of what is claimed.
    pub fn end_claims(&mut self, shards: Shards, now: Timestamp) -> Vec<JobId> {
        let is_over = |claim: RowClaim| claim.until < now || !self.cluster.is_alive(claim.by, now);
        let is_meant = |id: &WorkId| {
            let row = &self.work[id];
            shards.has(self.shard(row.job)) && row.claim.is_some_and(is_over)
        };
        let ended: Vec<WorkId> = self.work.keys().copied().filter(is_meant).collect();
        let mut jobs = Vec::new();
        for id in ended {
            let row = self.work.get_mut(&id).expect("a row that was just found");
            (row.claim, row.resends) = (None, row.resends.max(1));
            row.revision.0 += 1;
            jobs.push(row.job);
        }
        jobs
    }

    /// Forgets a node. What it owned is nobody's.
    pub fn leave(&mut self, node: NodeId) {
        self.cluster.owners.iter_mut().filter(|owner| **owner == Some(node)).for_each(|owner| *owner = None);
        self.cluster.nodes.remove(&node);
        self.forget_watermark(node);
    }

    /// Has a node give its shards away, or keep them again.
    pub fn set_draining(&mut self, node: NodeId, is_draining: bool) {
        if let Some(row) = self.cluster.nodes.get_mut(&node) {
            row.is_draining = is_draining;
        }
    }
}
