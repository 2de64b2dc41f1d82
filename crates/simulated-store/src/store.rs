//! The handle to the tables, and how clients see it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;
use punctual_store::{
    AssignmentEntry, Bell, ChangeEntry, ChangePage, CollectionEntry, CollectionId, CollectionKey, CollectionPage,
    CollectionWrite, DueKey, DuePage, DueWork, EnablePage, Error, EventPage, EventPlace, Events, FailingJob,
    FailingPage, FoundJobs, GroupEntry, GroupKey, GroupRemoval, HistoryItem, HistoryKey, HistoryPage, JobEntry, JobId,
    JobKey, JobPage, JobSearch, JobToEnable, JobWrite, LatestPage, LatestRecord, OpenJob, PauseEntry, ResealProgress,
    Revision, SeriesEntry, SeriesPage, Stamp, Stop, Store, TallyEntry, TallyPage, TokenEntry,
};

use crate::tables::Tables;

/// A handle to [`Tables`] that several tasks can have. All clones are the same store.
#[derive(Clone, Debug, Default)]
pub struct SimulatedStore {
    tables: Arc<Mutex<Tables>>,
    pub(crate) bell: Arc<Bell>,
    /// Nothing is told of what is written.
    events: Arc<Events>,
}

impl SimulatedStore {
    /// The tables, for whoever reads or damages them.
    pub fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out one transaction, and rings the bell for the jobs and collections that it wrote.
    pub fn write<T>(&self, transaction: impl FnOnce(&mut Tables) -> T) -> T {
        let mut tables = self.tables();
        let answer = transaction(&mut tables);
        let changed = tables.take_changed();
        for job in changed.jobs {
            self.bell.ring(job);
        }
        if changed.all {
            self.bell.ring_all();
        }
        if let Some(pauses) = changed.pauses {
            self.bell.ring_for_pauses(pauses);
        }
        answer
    }
}

fn not_simulated<T>() -> Result<T, Error> {
    Err(Error::Unavailable("not simulated".to_owned()))
}

#[async_trait]
impl Store for SimulatedStore {
    async fn collection(&self, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error> {
        Ok(self.tables().collection(key))
    }

    async fn collections(&self, page: &CollectionPage) -> Result<Vec<CollectionEntry>, Error> {
        Ok(self.tables().collections(page))
    }

    async fn put_collection(&self, write: CollectionWrite) -> Result<CollectionEntry, Error> {
        self.write(|tables| tables.put_collection(write))
    }

    async fn delete_collection(&self, id: CollectionId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        self.write(|tables| tables.delete_collection(id, revision, stamp.at))
    }

    async fn sweep(&self) -> Result<bool, Error> {
        // The jobs of a collection go with it.
        Ok(false)
    }

    async fn job(&self, key: &JobKey) -> Result<Option<(CollectionEntry, Option<JobEntry>)>, Error> {
        Ok(self.tables().job(key))
    }

    async fn jobs(&self, collection: CollectionId, page: &JobPage) -> Result<Vec<JobEntry>, Error> {
        Ok(self.tables().jobs(collection, page))
    }

    async fn jobs_to_enable(&self, page: &EnablePage) -> Result<Vec<JobToEnable>, Error> {
        Ok(self.tables().jobs_to_enable(page))
    }

    async fn find_jobs(&self, search: JobSearch) -> Result<FoundJobs, Error> {
        Ok(self.tables().find_jobs(&search))
    }

    async fn put_job(&self, write: JobWrite) -> Result<JobEntry, Error> {
        self.write(|tables| tables.put_job(write))
    }

    async fn delete_job(&self, id: JobId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        self.write(|tables| tables.delete_job(id, revision, stamp.at))
    }

    async fn run_job(&self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error> {
        self.write(|tables| tables.run_job(id, now, waiting_max))
    }

    async fn rerun_job(&self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error> {
        self.write(|tables| tables.rerun_job(id, rerun, lane, waiting_max))
    }

    async fn backfill_job(&self, id: JobId, parts: Vec<Occurrence>, lane: Lane) -> Result<bool, Error> {
        self.write(|tables| tables.backfill_job(id, &parts, lane))
    }

    async fn backfill_of(&self, id: JobId) -> Result<Vec<Occurrence>, Error> {
        Ok(self.tables().backfill_of(id))
    }

    async fn cancel_backfill(&self, id: JobId, begun_until: Timestamp) -> Result<bool, Error> {
        Ok(self.write(|tables| tables.cancel_backfill(id, begun_until)))
    }

    async fn record(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error> {
        Ok(self.tables().record(job, key))
    }

    async fn history(&self, job: JobId, page: &HistoryPage) -> Result<Vec<HistoryItem>, Error> {
        Ok(self.tables().history(job, page))
    }

    async fn open_job(&self, id: JobId) -> Result<Option<OpenJob>, Error> {
        Ok(self.tables().open_job(id))
    }

    async fn latest_records(&self, page: &LatestPage) -> Result<Vec<LatestRecord>, Error> {
        Ok(self.tables().latest_records(page))
    }

    async fn failing_jobs(&self, page: &FailingPage) -> Result<Vec<FailingJob>, Error> {
        Ok(self.tables().failing_jobs(page))
    }

    async fn tallies(&self, page: &TallyPage) -> Result<Vec<TallyEntry>, Error> {
        Ok(self.tables().tallies(page))
    }

    async fn history_begins(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.tables().history_begins())
    }

    async fn history_dropped_until(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.tables().dropped_until)
    }

    async fn series(&self, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error> {
        Ok(self.tables().series(page))
    }

    async fn stops(&self, collection: CollectionId) -> Result<Vec<Stop>, Error> {
        Ok(self.tables().stops(collection))
    }

    async fn changes(&self, _page: &ChangePage) -> Result<Vec<ChangeEntry>, Error> {
        not_simulated()
    }

    fn events(&self) -> &Arc<Events> {
        &self.events
    }

    async fn told(&self, _after: EventPlace, _until: EventPlace, _limit: usize) -> Result<EventPage, Error> {
        not_simulated()
    }

    async fn group(&self, key: &GroupKey) -> Result<Option<GroupEntry>, Error> {
        Ok(self.tables().group(key))
    }

    async fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Result<Vec<GroupEntry>, Error> {
        Ok(self.tables().groups(subscription, after, limit))
    }

    async fn put_group(&self, group: GroupEntry) -> Result<bool, Error> {
        Ok(self.write(|tables| tables.put_group(group)))
    }

    async fn delete_group(&self, key: &GroupKey, with_collections: bool, stamp: Stamp) -> Result<GroupRemoval, Error> {
        self.write(|tables| tables.delete_group(key, with_collections, stamp.at))
    }

    async fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error> {
        Ok(self.tables().subscriptions(after, limit))
    }

    async fn token(&self, _id: &TokenId) -> Result<Option<TokenEntry>, Error> {
        not_simulated()
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, Error> {
        not_simulated()
    }

    async fn put_token(&self, _token: TokenEntry, _tokens_max: u32) -> Result<(), Error> {
        not_simulated()
    }

    async fn delete_token(&self, _id: &TokenId) -> Result<bool, Error> {
        not_simulated()
    }

    async fn assignments(&self) -> Result<Vec<AssignmentEntry>, Error> {
        not_simulated()
    }

    async fn put_assignment(
        &self,
        _claimants: Claimants,
        _grant: Grant,
        _assignments_max: u32,
    ) -> Result<AssignmentEntry, Error> {
        not_simulated()
    }

    async fn delete_assignment(&self, _id: i64) -> Result<bool, Error> {
        not_simulated()
    }

    async fn add_sealing_key(&self) -> Result<u32, Error> {
        not_simulated()
    }

    async fn reseal(&self, _after: Option<JobId>) -> Result<ResealProgress, Error> {
        not_simulated()
    }

    async fn pause(&self, new: PauseEntry) -> Result<PauseEntry, Error> {
        Ok(self.write(|tables| tables.pause(new)))
    }

    async fn resume(&self, resumed_by: String, now: Timestamp) -> Result<Option<PauseEntry>, Error> {
        Ok(self.write(|tables| tables.resume(resumed_by, now)))
    }

    async fn pauses(&self) -> Result<Vec<PauseEntry>, Error> {
        Ok(self.tables().pauses.clone())
    }

    async fn due_work(
        &self,
        page: DuePage,
        only: Option<Arc<HashSet<CollectionId>>>,
    ) -> Result<(Vec<DueWork>, Option<DueKey>), Error> {
        let tables = self.tables();
        let mut keys = tables.due(&page);
        let last = keys.last().filter(|_| keys.len() >= page.limit).copied();
        keys.retain(|key| only.as_ref().is_none_or(|only| only.contains(&tables.jobs[&key.job].collection)));
        let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
        let jobs: Vec<_> = keys.iter().map(|key| key.job).collect();
        Ok((DueWork::join(tables.work(&ids), tables.definitions(&jobs)), last))
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}
