//! The nodes on the store: who is there, and which of them are to give their shards away.

use std::sync::Arc;

use punctual_metrics::EngineMetrics;
use punctual_model::Name;
use punctual_model::time::Timestamp;
use punctual_store::{ClusterStore, ClusterView, NewNode, NodeEntry, NodeId, NodeReport, SHARDS};

use super::{Caller, Operations};
use crate::fault::Fault;

#[cfg(test)]
mod tests;

/// The nodes on the store, and which of them this process is.
#[derive(Clone)]
pub enum Nodes {
    /// This process alone: no other can open the store.
    One {
        /// What the process says of itself.
        node: NewNode,
        /// When it started.
        since: Timestamp,
    },
    /// Those that meet in the store.
    Several {
        /// Where they meet.
        store: Arc<dyn ClusterStore>,
        /// Tells the number under which this process has joined.
        this_node: Arc<dyn Fn() -> NodeId + Send + Sync>,
    },
}

impl Nodes {
    /// A process of which nothing is known but its address.
    pub(crate) fn unnamed(url: String, since: Timestamp) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self::One { node: NewNode { name: "punctual".to_owned(), version, url }, since }
    }
}

/// The nodes as they are at one instant.
pub(crate) struct Cluster {
    pub(crate) view: ClusterView,
    /// The node that answers; None if it has not joined yet, or has lost its lease.
    pub(crate) this_node: Option<NodeId>,
    /// What the store is kept in.
    pub(crate) database: &'static str,
}

/// Whether a node runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    Running,
    /// It gives its shards away, and finishes what is in flight.
    Draining,
    /// It has nothing left: stopping it disturbs nothing.
    Drained,
    /// Its lease has run out.
    Gone,
}

impl NodeState {
    /// The state of a node. What it has in flight when it gives its last shard away is claimed at once, and is in its report with its
    /// next heartbeat only: so both count.
    pub(crate) fn of(view: &ClusterView, node: &NodeEntry) -> Self {
        let has_work = !view.owned_by(node.id).is_empty() || node.report.unsettled > 0 || node.claims > 0;
        match (node.is_alive, node.is_draining) {
            (false, _) => Self::Gone,
            (true, false) => Self::Running,
            (true, true) if has_work => Self::Draining,
            (true, true) => Self::Drained,
        }
    }

    /// How it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Draining => "draining",
            Self::Drained => "drained",
            Self::Gone => "gone",
        }
    }
}

/// Reads who is there, and who owns what.
pub(crate) async fn read_cluster(operations: &Operations, now: Timestamp) -> Result<Cluster, Fault> {
    match &operations.nodes {
        Nodes::One { node, since } => {
            let view = view_of_one(node, *since, &operations.metrics.engine, now);
            Ok(Cluster { view, this_node: Some(NodeId::ONLY), database: "sqlite" })
        }
        Nodes::Several { store, this_node } => {
            let view = store.cluster().await?;
            let this_node = Some(this_node()).filter(|node| view.is_alive(*node));
            Ok(Cluster { view, this_node, database: "postgres" })
        }
    }
}

/// Has a node give its shards away, or keep them again. Returns the nodes as they are then, and which of them it is.
pub(crate) async fn set_draining(
    operations: &Operations,
    caller: &Caller,
    wanted: &Name,
    is_draining: bool,
) -> Result<(Cluster, NodeId), Fault> {
    let Nodes::Several { store, .. } = &operations.nodes else {
        let message = "This server keeps its jobs in SQLite and is the only node: nobody is there to take its shards. \
                       Stop it when it suits you, or serve from PostgreSQL with several nodes.";
        return Err(Fault::Conflict { target: "node", message: message.to_owned() });
    };
    let view = store.cluster().await?;
    let node = find_node(&view, wanted)?;
    if !store.set_draining(node, is_draining).await? {
        // Its lease has run out since.
        return Err(no_node(&store.cluster().await?, wanted));
    }
    let what = if is_draining { "gives its shards away" } else { "keeps its shards" };
    tracing::info!(request_id = %caller.request_id, "node {} {what}, as {} wants it", node.0, caller.principal);
    Ok((read_cluster(operations, caller.now).await?, node))
}

/// The node of that number, or the one of that name, among those whose lease holds.
fn find_node(view: &ClusterView, wanted: &Name) -> Result<NodeId, Fault> {
    let alive = || view.nodes.iter().filter(|node| node.is_alive);
    if let Some(node) = alive().find(|node| node.id.0.to_string() == wanted.as_str()) {
        return Ok(node.id);
    }
    let named: Vec<NodeId> =
        alive().filter(|entry| entry.node.name.eq_ignore_ascii_case(wanted.as_str())).map(|entry| entry.id).collect();
    match named.as_slice() {
        [] => Err(no_node(view, wanted)),
        [node] => Ok(*node),
        several => {
            let numbers: Vec<String> = several.iter().map(|node| node.0.to_string()).collect();
            let message =
                format!("Several nodes are called '{wanted}': say which by its number, {}.", numbers.join(", "));
            Err(Fault::Conflict { target: "node", message })
        }
    }
}

/// The error for a node that is not there.
fn no_node(view: &ClusterView, wanted: &Name) -> Fault {
    let alive = view.nodes.iter().filter(|node| node.is_alive);
    let known: Vec<String> = alive.map(|entry| format!("{} ({})", entry.id.0, entry.node.name)).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Fault::NoNode { node: wanted.to_string(), known }
}

/// The only node, which has all shards and needs no lease.
fn view_of_one(node: &NewNode, since: Timestamp, engine: &EngineMetrics, now: Timestamp) -> ClusterView {
    let due_since = engine.due_since_ticks.value();
    let overdue_ticks = if due_since == EngineMetrics::NOTHING_DUE { 0 } else { now.ticks().saturating_sub(due_since) };
    let unsettled = engine.in_flight.value().saturating_add(engine.settling.value());
    let entry = NodeEntry {
        id: NodeId::ONLY,
        node: node.clone(),
        report: NodeReport {
            clock_offset_ticks: 0,
            is_clock_off: false,
            unsettled: u32::try_from(unsettled).unwrap_or(0),
            overdue_ticks: overdue_ticks.max(0),
        },
        is_alive: true,
        is_draining: false,
        joined_at: since,
        seen_at: now,
        watermark: None,
        claims: 0,
    };
    ClusterView { now, server: String::new(), nodes: vec![entry], owners: [Some(NodeId::ONLY); SHARDS], claims: 0 }
}
