//! [`WorkStore`] for PostgreSQL: which functions read, and which are transactions that write.

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;

use super::{Postgres, change, due, entries, history, landed, pause, removal, series, settle, stop, tally};
use crate::bell::Bell;
use crate::error::Error;
use crate::key::{BatchId, JobId, NodeId, WorkId};
use crate::pause::PauseEntry;
use crate::shards::Shards;
use crate::work_change::{Batch, BatchOutcome};
use crate::work_store::{
    DefinitionRead, DroppedHistory, DueKey, DuePage, HistoryBounds, Oldest, RowPage, StoppedJobs, WorkPage, WorkRead,
    WorkStore,
};

#[async_trait]
impl WorkStore for Postgres {
    fn bell(&self) -> &Arc<Bell> {
        &self.shared.bell
    }

    async fn pause_times(&self) -> Result<Pauses, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(PauseEntry::times(&pause::list(&db).await?))
    }

    async fn take_over(&self, from: NodeId, shards: Shards) -> Result<u64, Error> {
        self.shared.write((from, shards), |tx, (from, shards)| Box::pin(due::take_over(tx, *from, *shards))).await
    }

    async fn set_watermark(&self, node: NodeId, until: Timestamp) -> Result<(), Error> {
        self.shared.write((node, until), |tx, (node, until)| Box::pin(due::set_watermark(tx, *node, *until))).await
    }

    async fn forget_watermark(&self, node: NodeId) -> Result<(), Error> {
        self.shared.write(node, |tx, node| Box::pin(due::forget_watermark(tx, *node))).await
    }

    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = due::page(&db, &page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(due::of_jobs(&db, &jobs, &self.shared.damage).await?)
    }

    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = entries::work(&db, &ids).await;
        db.end(read).await
    }

    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.connection().await?;
        Ok(entries::definitions(&db, &keyring, &jobs).await?)
    }

    async fn work_with_definitions(&self, ids: Vec<WorkId>, jobs: Vec<JobId>) -> Result<WorkPage, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = entries::work_with_definitions(&db, &keyring, &ids, &jobs).await;
        db.end(read).await
    }

    async fn write_work(&self, batch: Batch) -> BatchOutcome {
        self.shared.try_write(batch, |tx, batch| Box::pin(settle::write(tx, batch))).await
    }

    async fn has_landed(&self, node: NodeId, batch: BatchId) -> Result<bool, Error> {
        self.shared
            .write((node, batch), |tx, (node, batch)| Box::pin(async move { landed::find(tx, *node, *batch).await }))
            .await
    }

    async fn stopped_jobs(&self, limit: usize) -> Result<Option<StoppedJobs>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = stop::jobs(&db, limit, &self.shared.damage).await;
        db.end(read).await
    }

    async fn mark_woken(&self, done: StoppedJobs) -> Result<(), Error> {
        self.shared.write(done, |tx, done| Box::pin(stop::mark_woken(tx, done))).await
    }

    async fn rows(&self, page: RowPage) -> Result<Vec<WorkId>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(due::rows(&db, &page).await?)
    }

    async fn oldest(&self) -> Result<Oldest, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(Oldest {
            history: history::oldest(&db).await?,
            failures: history::oldest_failures(&db).await?,
            ended: removal::oldest_ended(&db).await?,
            change: change::oldest(&db).await?,
            tally: tally::oldest(&db).await?,
            removed_at: removal::removed_at(&db).await?,
        })
    }

    async fn history_bytes(&self) -> Result<u64, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(history::bytes(&db, None).await?)
    }

    async fn record_removal(&self, at: Timestamp) -> Result<(), Error> {
        self.shared.write(at, |tx, at| Box::pin(removal::record(tx, *at))).await
    }

    async fn remove_ended(&self, before: Timestamp, now: Timestamp, limit: usize) -> Result<usize, Error> {
        self.shared
            .write((before, now, limit), |tx, (before, now, limit)| {
                Box::pin(removal::remove_ended(tx, *before, *now, *limit))
            })
            .await
    }

    async fn forget_changes(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.shared.write((before, limit), |tx, (before, limit)| Box::pin(change::forget(tx, *before, *limit))).await
    }

    async fn forget_tallies(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.shared.write((before, limit), |tx, (before, limit)| Box::pin(tally::forget(tx, *before, *limit))).await
    }

    async fn drop_history(&self, bounds: &HistoryBounds) -> Result<Vec<DroppedHistory>, Error> {
        let (mut dropped, mut gone_before) = (Vec::new(), bounds.before);
        // A table at a time, so that a lost connection loses little.
        let step = || self.shared.write(*bounds, |tx, bounds| Box::pin(removal::drop_segment(tx, bounds)));
        while let Some((table, last)) = step().await? {
            dropped.push(table);
            gone_before = last.map_or(gone_before, |last| gone_before.max(last));
            self.shared.segments.forget();
        }
        while self.shared.write(gone_before, |tx, before| Box::pin(series::forget(tx, *before))).await? {}
        Ok(dropped)
    }
}
