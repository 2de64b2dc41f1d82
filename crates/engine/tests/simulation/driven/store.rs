//! The store with the faults of a real one: it takes time, fails, and loses answers.

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;
use punctual_store::{
    Batch, BatchId, BatchOutcome, Bell, DefinitionRead, DroppedHistory, DueKey, DuePage, Error, HistoryBounds, JobId,
    NodeId, Oldest, RowPage, Shards, StoppedJobs, WorkId, WorkRead, WorkStore,
};

use super::{Driven, Rest};

/// A simulated store around which faults are made.
pub(super) struct FaultyStore(pub(super) Driven);

impl FaultyStore {
    /// The time until the store does something, or fails to.
    async fn reach(&self) -> Result<(), Error> {
        self.0.wait(Rest::delay).await;
        if self.0.rest().fails() { Err(Error::Unavailable("the simulation says so".to_owned())) } else { Ok(()) }
    }

    /// Reads, between two waits.
    async fn read<T>(&self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.reach().await?;
        let answer = read.await;
        self.0.wait(Rest::delay).await;
        answer
    }

    /// Writes. The answer may be lost although the write landed.
    async fn write<T>(&self, write: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.reach().await?;
        let answer = write.await?;
        self.reach().await?;
        Ok(answer)
    }
}

#[async_trait]
impl WorkStore for FaultyStore {
    fn bell(&self) -> &Arc<Bell> {
        self.0.store.bell()
    }

    async fn pause_times(&self) -> Result<Pauses, Error> {
        let pauses = self.read(self.0.store.pause_times()).await?;
        // The engine has its first turn after that: until then it does not look at the clock.
        self.0.rest().witness.see_first_turn();
        Ok(pauses)
    }

    async fn take_over(&self, from: NodeId, shards: Shards) -> Result<u64, Error> {
        self.write(self.0.store.take_over(from, shards)).await
    }

    async fn set_watermark(&self, node: NodeId, until: Timestamp) -> Result<(), Error> {
        self.write(self.0.store.set_watermark(node, until)).await
    }

    async fn forget_watermark(&self, node: NodeId) -> Result<(), Error> {
        self.write(self.0.store.forget_watermark(node)).await
    }

    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error> {
        self.read(self.0.store.due(page)).await
    }

    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error> {
        self.read(self.0.store.due_of(jobs)).await
    }

    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error> {
        self.read(self.0.store.work(ids)).await
    }

    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error> {
        self.read(self.0.store.definitions(jobs)).await
    }

    async fn write_work(&self, batch: Batch) -> BatchOutcome {
        if let Err(error) = self.reach().await {
            let is_known = self.0.rest().dice.once_in(2);
            return if is_known { BatchOutcome::NotWritten(error) } else { BatchOutcome::Unknown(error) };
        }
        let written = self.0.store.write_work(batch).await;
        self.reach().await.map_or_else(BatchOutcome::Unknown, |()| written)
    }

    async fn has_landed(&self, node: NodeId, batch: BatchId) -> Result<bool, Error> {
        self.read(self.0.store.has_landed(node, batch)).await
    }

    async fn stopped_jobs(&self, limit: usize) -> Result<Option<StoppedJobs>, Error> {
        self.read(self.0.store.stopped_jobs(limit)).await
    }

    async fn mark_woken(&self, done: StoppedJobs) -> Result<(), Error> {
        self.write(self.0.store.mark_woken(done)).await
    }

    async fn rows(&self, page: RowPage) -> Result<Vec<WorkId>, Error> {
        self.read(self.0.store.rows(page)).await
    }

    async fn history_bytes(&self) -> Result<u64, Error> {
        self.read(self.0.store.history_bytes()).await
    }

    async fn record_removal(&self, at: Timestamp) -> Result<(), Error> {
        self.write(self.0.store.record_removal(at)).await
    }

    async fn oldest(&self) -> Result<Oldest, Error> {
        self.read(self.0.store.oldest()).await
    }

    async fn remove_ended(&self, before: Timestamp, now: Timestamp, limit: usize) -> Result<usize, Error> {
        self.write(self.0.store.remove_ended(before, now, limit)).await
    }

    async fn forget_changes(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.write(self.0.store.forget_changes(before, limit)).await
    }

    async fn forget_tallies(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        self.write(self.0.store.forget_tallies(before, limit)).await
    }

    async fn drop_history(&self, bounds: &HistoryBounds) -> Result<Vec<DroppedHistory>, Error> {
        self.write(self.0.store.drop_history(bounds)).await
    }
}
