//! [`WorkStore`] for SQLite: which functions read beside the writer, and which are tasks for it.

use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;

use super::store::read;
use super::writer::WriteTx;
use super::{Sqlite, change, due, entries, pause, removal, series, settle, stop, tally};
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
impl WorkStore for Sqlite {
    fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    async fn pause_times(&self) -> Result<Pauses, Error> {
        Ok(PauseEntry::times(&self.readers.point(pause::list)?))
    }

    async fn take_over(&self, from: NodeId, shards: Shards) -> Result<u64, Error> {
        check_shards(shards);
        // Nothing is written where there is nothing to do.
        if self.readers.point(|db| due::has_watermark(db, from))? {
            self.writer.write_from_reserve(move |WriteTx { db, .. }| due::take_over(db, from)).await
        } else {
            Ok(0)
        }
    }

    async fn set_watermark(&self, node: NodeId, until: Timestamp) -> Result<(), Error> {
        self.writer.write(move |WriteTx { db, .. }| due::set_watermark(db, node, until)).await
    }

    async fn forget_watermark(&self, node: NodeId) -> Result<(), Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| due::forget_watermark(db, node)).await
    }

    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error> {
        check_shards(page.shards);
        let damage = Arc::clone(&self.damage);
        self.readers.walk_for_engine(move |db| due::page(db, &page, &damage)).await
    }

    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error> {
        let damage = Arc::clone(&self.damage);
        self.readers.walk_for_engine(move |db| due::of_jobs(db, &jobs, &damage)).await
    }

    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error> {
        self.readers.walk_for_engine(move |db| entries::work(db, &ids)).await
    }

    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error> {
        let keyring = Arc::clone(&self.keyring);
        // The keyring is taken before the first row: else a key could be forgotten that only what is seen was sealed with.
        self.readers.walk_for_engine(move |db| entries::definitions(db, &read(&keyring), &jobs)).await
    }

    async fn work_with_definitions(&self, ids: Vec<WorkId>, jobs: Vec<JobId>) -> Result<WorkPage, Error> {
        let keyring = Arc::clone(&self.keyring);
        self.readers.walk_for_engine(move |db| entries::work_with_definitions(db, &read(&keyring), &ids, &jobs)).await
    }

    async fn write_work(&self, batch: Batch) -> BatchOutcome {
        let Batch { id, changes, notes, .. } = batch;
        let landed = Arc::clone(&self.landed);
        let write =
            self.writer.settle(changes.len(), |tx| settle::write(tx, changes, notes), move || landed.insert(id));
        write.await
    }

    async fn has_landed(&self, _node: NodeId, batch: BatchId) -> Result<bool, Error> {
        // Behind the batch, which may still wait to be written.
        let landed = Arc::clone(&self.landed);
        self.writer.after_settled(move || landed.find(batch)).await?
    }

    async fn stopped_jobs(&self, limit: usize) -> Result<Option<StoppedJobs>, Error> {
        let damage = Arc::clone(&self.damage);
        self.readers.walk_for_engine(move |db| stop::jobs(db, limit, &damage)).await
    }

    async fn mark_woken(&self, done: StoppedJobs) -> Result<(), Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| stop::mark_woken(db, &done)).await
    }

    async fn rows(&self, page: RowPage) -> Result<Vec<WorkId>, Error> {
        check_shards(page.shards);
        self.readers.walk_for_engine(move |db| due::rows(db, &page)).await
    }

    async fn oldest(&self) -> Result<Oldest, Error> {
        Ok(Oldest {
            history: self.history.oldest(),
            failures: self.history.oldest_failures(),
            ended: self.readers.point(removal::oldest_ended)?,
            change: self.readers.point(change::oldest)?,
            tally: self.readers.point(tally::oldest)?,
            removed_at: self.readers.point(removal::removed_at)?,
        })
    }

    async fn history_bytes(&self) -> Result<u64, Error> {
        Ok(self.history.bytes())
    }

    async fn record_removal(&self, at: Timestamp) -> Result<(), Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| removal::record(db, at)).await
    }

    async fn remove_ended(&self, before: Timestamp, now: Timestamp, limit: usize) -> Result<usize, Error> {
        self.writer.write_from_reserve(move |tx| removal::remove_ended(tx, before, now, limit)).await
    }

    async fn forget_changes(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| change::forget(db, before, limit)).await
    }

    async fn forget_tallies(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| tally::forget(db, before, limit)).await
    }

    async fn drop_history(&self, bounds: &HistoryBounds) -> Result<Vec<DroppedHistory>, Error> {
        let (mut dropped, mut gone_before, bounds) = (Vec::new(), bounds.before, *bounds);
        // A step at a time, so that others can write in between.
        let step = || self.writer.write_from_reserve(move |tx| removal::drop_segment(tx, &bounds));
        while let ControlFlow::Continue(file) = step().await? {
            let Some((file, last)) = file else { continue };
            dropped.push(file);
            gone_before = last.map_or(gone_before, |last| gone_before.max(last));
        }
        while self.writer.write_from_reserve(move |WriteTx { db, .. }| series::forget(db, gone_before)).await? {}
        Ok(dropped)
    }
}

/// This store has one node, which owns all shards: rows are not told apart by them.
fn check_shards(shards: Shards) {
    debug_assert_eq!(shards, Shards::ALL, "a store inside the binary keeps all shards together");
}
