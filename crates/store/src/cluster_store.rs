//! What nodes ask of the store: who is there, and who owns which shard.

use async_trait::async_trait;

use std::time::Duration;

use crate::cluster::{ClusterView, Handover, NewNode, NodeReport, TakenShards};
use crate::error::Error;
use crate::key::{JobId, NodeId};
use crate::shards::Shards;

/// The store as the nodes of a cluster see it. Every function is one transaction, and the database's clock is the one that
/// counts.
///
/// ```text
///   join ──▶ renew, every second ──▶ the lease has run out: join again, under another number
///              │
///              ├── a shard has no owner that is alive ──▶ take_shards: what its owner may have sent is marked
///              ├── another node has fewer shards ───────▶ hand_over: what is in flight stays, claimed
///              ╰── a clean end ─────────────────────────▶ hand_over all, finish what is in flight, leave
/// ```
#[async_trait]
pub trait ClusterStore: Send + Sync {
    /// Adds a node, which owns nothing yet. Its lease holds for so long.
    async fn join(&self, node: NewNode, lease: Duration) -> Result<NodeId, Error>;

    /// Renews the lease of a node, and says who is there. None if the lease had run out: others may have taken its shards, and the
    /// process has to join again.
    async fn renew(&self, node: NodeId, lease: Duration, report: NodeReport) -> Result<Option<ClusterView>, Error>;

    /// Takes those of these shards that have no owner, or one that is gone. Rows that their former owners may have sent are marked.
    /// Refused with [`Error::Stale`] if the lease of the node has run out.
    async fn take_shards(&self, node: NodeId, shards: Shards) -> Result<TakenShards, Error>;

    /// Gives shards to others. Refused with [`Error::Stale`] if one of them is not the giving node's any more, or one of the nodes is
    /// gone.
    async fn hand_over(&self, handover: Handover) -> Result<(), Error>;

    /// Ends the claims in these shards whose node is gone or whose time is over: nobody will settle those attempts. They may have been
    /// sent, and are marked so. Returns the jobs that they are of.
    async fn end_claims(&self, shards: Shards) -> Result<Vec<JobId>, Error>;

    /// Forgets a node that ends cleanly, with nothing in flight. Shards that it still has are nobody's, and need no mark.
    async fn leave(&self, node: NodeId) -> Result<(), Error>;

    /// Has a node give its shards away, or keep them again. Says whether there is such a node.
    async fn set_draining(&self, node: NodeId, is_draining: bool) -> Result<bool, Error>;

    /// Who is there, and who owns what.
    async fn cluster(&self) -> Result<ClusterView, Error>;
}
