//! [`ClusterStore`] for PostgreSQL.

use std::time::Duration;

use async_trait::async_trait;

use super::{Postgres, cluster};
use crate::cluster::{ClusterView, Handover, NewNode, NodeReport, TakenShards};
use crate::cluster_store::ClusterStore;
use crate::error::Error;
use crate::key::{JobId, NodeId};
use crate::shards::Shards;

#[async_trait]
impl ClusterStore for Postgres {
    async fn join(&self, node: NewNode, lease: Duration) -> Result<NodeId, Error> {
        self.shared.write((node, lease), |tx, (node, lease)| Box::pin(cluster::join(tx, node, *lease))).await
    }

    async fn renew(&self, node: NodeId, lease: Duration, report: NodeReport) -> Result<Option<ClusterView>, Error> {
        self.shared
            .write((node, lease, report), |tx, (node, lease, report)| {
                Box::pin(cluster::renew(tx, *node, *lease, *report))
            })
            .await
    }

    async fn take_shards(&self, node: NodeId, shards: Shards) -> Result<TakenShards, Error> {
        self.shared.write((node, shards), |tx, (node, shards)| Box::pin(cluster::take_shards(tx, *node, *shards))).await
    }

    async fn hand_over(&self, handover: Handover) -> Result<(), Error> {
        self.shared.write(handover, |tx, handover| Box::pin(cluster::hand_over(tx, handover))).await
    }

    async fn end_claims(&self, shards: Shards) -> Result<Vec<JobId>, Error> {
        self.shared.write(shards, |tx, shards| Box::pin(cluster::end_claims(tx, *shards))).await
    }

    async fn leave(&self, node: NodeId) -> Result<(), Error> {
        self.shared.write(node, |tx, node| Box::pin(cluster::leave(tx, *node))).await
    }

    async fn set_draining(&self, node: NodeId, is_draining: bool) -> Result<bool, Error> {
        self.shared
            .write((node, is_draining), |tx, (node, is_draining)| {
                Box::pin(cluster::set_draining(tx, *node, *is_draining))
            })
            .await
    }

    async fn cluster(&self) -> Result<ClusterView, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(cluster::view(&db).await?)
    }
}
