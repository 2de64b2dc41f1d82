//! The engine's functions, each with where it is done: beside the writer, or by it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use punctual_model::time::Timestamp;

use super::store::read;
use super::writer::Pen;
use super::{Sqlite, due, entries, pause, removal, series, settle};
use crate::bell::Bell;
use crate::error::Error;
use crate::key::{BatchId, JobId, NodeId, Shards, WorkId};
use crate::work_store::{
    Batch, BatchOutcome, DefinitionRead, DroppedHistory, DueKey, DuePage, Oldest, PausedJobs, WorkRead, WorkStore,
};

#[async_trait]
impl WorkStore for Sqlite {
    fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    async fn take_over(&self, _from: NodeId, _shards: Shards) -> Result<u64, Error> {
        // Nothing is written where there is nothing to do.
        if self.readers.point(due::has_watermark)? {
            self.writer.write(|Pen { db, .. }| due::take_over(db)).await
        } else {
            Ok(0)
        }
    }

    async fn set_watermark(&self, _node: NodeId, until: Timestamp) -> Result<(), Error> {
        self.writer.write(move |Pen { db, .. }| due::set_watermark(db, until)).await
    }

    async fn forget_watermark(&self, _node: NodeId) -> Result<(), Error> {
        self.writer.write(|Pen { db, .. }| due::forget_watermark(db)).await
    }

    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error> {
        self.readers.walk_for_engine(move |db| due::page(db, &page)).await
    }

    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error> {
        self.readers.walk_for_engine(move |db| due::of_jobs(db, &jobs)).await
    }

    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error> {
        self.readers.walk_for_engine(move |db| entries::work(db, &ids)).await
    }

    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error> {
        let keyring = Arc::clone(&self.keyring);
        // The keyring is taken before the first row: else a key could be forgotten that only what is seen was sealed with.
        self.readers.walk_for_engine(move |db| entries::definitions(db, &read(&keyring), &jobs)).await
    }

    async fn write_work(&self, batch: Batch) -> BatchOutcome {
        let Batch { id, changes, notes, .. } = batch;
        match self.writer.settle(changes.len(), move |pen| settle::write(pen, changes, notes)).await {
            Ok(written) => {
                self.last_landed.fetch_max(id.0, Ordering::Relaxed);
                BatchOutcome::Written(written)
            }
            Err(error) => BatchOutcome::NotWritten(error),
        }
    }

    async fn has_landed(&self, _node: NodeId, batch: BatchId) -> Result<bool, Error> {
        Ok(batch.0 <= self.last_landed.load(Ordering::Relaxed))
    }

    async fn paused_jobs(&self, limit: usize) -> Result<Option<PausedJobs>, Error> {
        self.readers.walk_for_engine(move |db| pause::jobs(db, limit)).await
    }

    async fn resumed_jobs(&self, done: PausedJobs) -> Result<(), Error> {
        self.writer.write(move |Pen { db, .. }| pause::told(db, &done)).await
    }

    async fn begun(
        &self,
        _shards: Shards,
        after: Option<WorkId>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<WorkId>, Error> {
        self.readers.walk_for_engine(move |db| due::begun(db, after, now, limit)).await
    }

    async fn oldest(&self) -> Result<Oldest, Error> {
        Ok(Oldest { history: self.history.oldest(), ended: self.readers.point(removal::oldest_ended)? })
    }

    async fn remove_ended(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.writer.write(move |pen| removal::remove_ended(pen, before, limit)).await
    }

    async fn drop_history(&self, before: Timestamp, bytes_max: u64) -> Result<Vec<DroppedHistory>, Error> {
        let (mut dropped, mut gone_before) = (Vec::new(), before);
        // One file at a time, so that others can write in between.
        while let Some((segment, last)) =
            self.writer.write(move |pen| removal::drop_segment(pen, before, bytes_max)).await?
        {
            dropped.push(segment);
            gone_before = gone_before.max(last);
        }
        while self.writer.write(move |Pen { db, .. }| series::forget(db, gone_before)).await? {}
        Ok(dropped)
    }
}
