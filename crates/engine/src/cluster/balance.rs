//! Which shards a node takes, and which it gives away: a function of who is there, so that all nodes think the same.
//!
//! Each node that is fit to run jobs has its share of the shards: all of them have as many, or one more. Who has more than its share
//! gives the rest away, and who has less takes what nobody has. Nothing else moves.

use std::collections::BTreeMap;

use punctual_store::{ClusterView, NodeEntry, NodeId, SHARDS, Shards};

/// What a node does about shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Shards to take: those of nodes that are gone, or of nobody.
    pub take: Shards,
    /// Shards to give away, with who gets each.
    pub give: Vec<(u8, NodeId)>,
}

/// What a plan depends on besides who is there.
#[derive(Clone, Copy, Debug)]
pub struct PlanFor {
    /// The node.
    pub node: NodeId,
    /// Whether the node is about to end.
    pub is_leaving: bool,
    /// Whether what nodes that are gone have left may be taken: not right after another server of the database has answered, because
    /// then all leases may seem to be over.
    pub can_inherit: bool,
}

impl Plan {
    /// The plan of a node.
    pub fn of(view: &ClusterView, plan_for: PlanFor) -> Self {
        let PlanFor { node, is_leaving, can_inherit } = plan_for;
        let fit = fit_nodes(view, node, is_leaving);
        let shares = shares(&fit);
        let owned = |of: NodeId| view.owned_by(of).len();
        let missing = |of: &NodeId| shares.get(of).copied().unwrap_or(0).saturating_sub(owned(*of));
        let own = view.owned_by(node);
        let too_many = own.len().saturating_sub(shares.get(&node).copied().unwrap_or(0));
        let mut plan = Self::default();
        if fit.is_empty() {
            // Nobody else could run these jobs: who has them keeps them.
            if !is_leaving {
                plan.take = orphans(view, can_inherit);
            }
            return plan;
        }
        if too_many > 0 {
            let mut takers = fit.iter().flat_map(|of| std::iter::repeat_n(*of, missing(of)));
            let given = own.iter().skip(own.len() - too_many);
            plan.give = given.map_while(|shard| Some((shard, takers.next()?))).collect();
        }
        // Each takes its own part of what nobody has, in the order of the nodes.
        let before: usize = fit.iter().take_while(|of| **of < node).map(missing).sum();
        let part = if fit.contains(&node) { missing(&node) } else { 0 };
        plan.take = orphans(view, can_inherit).iter().skip(before).take(part).collect();
        plan
    }
}

/// Nodes that are to run jobs, in the order of their numbers. Where no clock is right, all clocks are good enough.
fn fit_nodes(view: &ClusterView, node: NodeId, is_leaving: bool) -> Vec<NodeId> {
    let is_staying = |entry: &&NodeEntry| entry.is_alive && !entry.is_draining && !(is_leaving && entry.id == node);
    let has_time = |entry: &&NodeEntry| !entry.report.is_clock_off;
    let staying: Vec<&NodeEntry> = view.nodes.iter().filter(is_staying).collect();
    let right: Vec<NodeId> = staying.iter().copied().filter(has_time).map(|entry| entry.id).collect();
    if right.is_empty() { staying.into_iter().map(|entry| entry.id).collect() } else { right }
}

/// How many shards each node is to have.
fn shares(fit: &[NodeId]) -> BTreeMap<NodeId, usize> {
    let number = fit.len().max(1);
    let share = |(at, node): (usize, &NodeId)| (*node, SHARDS / number + usize::from(at < SHARDS % number));
    fit.iter().enumerate().map(share).collect()
}

/// Shards that have no owner, or one that is gone.
fn orphans(view: &ClusterView, can_inherit: bool) -> Shards {
    let is_orphan = |shard: &u8| match view.owners[usize::from(*shard)] {
        None => true,
        Some(owner) => can_inherit && !view.is_alive(owner),
    };
    (0..=u8::MAX).filter(is_orphan).collect()
}

#[cfg(test)]
mod tests;
