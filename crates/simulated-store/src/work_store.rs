//! The handle as the engine sees it.

use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;
use punctual_store::{
    Batch, BatchId, BatchOutcome, Bell, DefinitionRead, DroppedHistory, DueKey, DuePage, Error, HistoryBounds, JobId,
    NodeId, Oldest, PauseEntry, RowPage, Shards, StoppedJobs, WorkId, WorkRead, WorkStore,
};

use crate::store::SimulatedStore;

#[async_trait]
impl WorkStore for SimulatedStore {
    fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    async fn pause_times(&self) -> Result<Pauses, Error> {
        Ok(PauseEntry::times(&self.tables().pauses))
    }

    async fn take_over(&self, from: NodeId, shards: Shards) -> Result<u64, Error> {
        Ok(self.write(|tables| tables.take_over(from, shards)))
    }

    async fn set_watermark(&self, node: NodeId, until: Timestamp) -> Result<(), Error> {
        self.write(|tables| tables.set_watermark(node, until));
        Ok(())
    }

    async fn forget_watermark(&self, node: NodeId) -> Result<(), Error> {
        self.write(|tables| tables.forget_watermark(node));
        Ok(())
    }

    async fn due(&self, page: DuePage) -> Result<Vec<DueKey>, Error> {
        Ok(self.tables().due(&page))
    }

    async fn due_of(&self, jobs: Vec<JobId>) -> Result<Vec<DueKey>, Error> {
        Ok(self.tables().due_of(&jobs))
    }

    async fn work(&self, ids: Vec<WorkId>) -> Result<Vec<WorkRead>, Error> {
        Ok(self.tables().work(&ids))
    }

    async fn definitions(&self, jobs: Vec<JobId>) -> Result<Vec<DefinitionRead>, Error> {
        Ok(self.tables().definitions(&jobs))
    }

    async fn write_work(&self, batch: Batch) -> BatchOutcome {
        BatchOutcome::Written(self.write(|tables| tables.write_work(batch)))
    }

    async fn has_landed(&self, node: NodeId, batch: BatchId) -> Result<bool, Error> {
        Ok(self.tables().has_landed(node, batch))
    }

    async fn stopped_jobs(&self, limit: usize) -> Result<Option<StoppedJobs>, Error> {
        Ok(self.tables().stopped_jobs(limit))
    }

    async fn mark_woken(&self, done: StoppedJobs) -> Result<(), Error> {
        self.write(|tables| tables.mark_woken(&done));
        Ok(())
    }

    async fn rows(&self, page: RowPage) -> Result<Vec<WorkId>, Error> {
        Ok(self.tables().rows(&page))
    }

    async fn record_removal(&self, at: Timestamp) -> Result<(), Error> {
        self.write(|tables| tables.removed_at = Some(at));
        Ok(())
    }

    async fn oldest(&self) -> Result<Oldest, Error> {
        Ok(self.tables().oldest())
    }

    async fn history_bytes(&self) -> Result<u64, Error> {
        Ok(self.tables().history_bytes())
    }

    async fn remove_ended(&self, before: Timestamp, _now: Timestamp, limit: usize) -> Result<usize, Error> {
        Ok(self.write(|tables| tables.remove_ended(before, limit)))
    }

    async fn forget_changes(&self, _before: Timestamp, _limit: usize) -> Result<usize, Error> {
        // None are kept.
        Ok(0)
    }

    async fn forget_tallies(&self, before: Timestamp, limit: usize) -> Result<usize, Error> {
        Ok(self.write(|tables| tables.forget_tallies(before, limit)))
    }

    async fn drop_history(&self, bounds: &HistoryBounds) -> Result<Vec<DroppedHistory>, Error> {
        Ok(self.write(|tables| tables.drop_history(bounds)))
    }
}
