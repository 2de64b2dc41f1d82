//! [`Store`] for PostgreSQL: which functions read, and which are transactions that write.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;

use super::{
    Postgres, access, backfill, change, collection, due, entries, failing, group, history, job, job_search, keys,
    open_job, pause, removal, series, tally, work,
};
use crate::access::{AssignmentEntry, TokenEntry};
use crate::change::{ChangeEntry, ChangePage, Stamp};
use crate::collection::{CollectionEntry, CollectionPage, CollectionWrite, GroupEntry, GroupRemoval};
use crate::columns::definition::Columns;
use crate::error::Error;
use crate::events::{EventPage, EventPlace, Events};
use crate::failing::{FailingJob, FailingPage};
use crate::history::{HistoryItem, HistoryKey, HistoryPage, LatestPage, LatestRecord};
use crate::job::{EnablePage, JobEntry, JobPage, JobSource, JobToEnable, JobWrite, OpenJob};
use crate::job_search::{FoundJobs, JobSearch};
use crate::key::{CollectionId, CollectionKey, GroupKey, JobId, JobKey, Revision};
use crate::pause::PauseEntry;
use crate::seal::Keyring;
use crate::series::{SeriesEntry, SeriesPage, Stop};
use crate::store::{ResealProgress, Store};
use crate::tally::{TallyEntry, TallyPage};
use crate::work_store::{DueKey, DuePage, DueWork};

#[async_trait]
impl Store for Postgres {
    async fn collection(&self, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(collection::get(&db, key).await?)
    }

    async fn collections(&self, page: &CollectionPage) -> Result<Vec<CollectionEntry>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = collection::list(&db, page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn put_collection(&self, write: CollectionWrite) -> Result<CollectionEntry, Error> {
        self.shared.write(write, |tx, write| Box::pin(collection::put(tx, write))).await
    }

    async fn delete_collection(&self, id: CollectionId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        self.shared
            .write((id, revision, stamp), |tx, (id, revision, stamp)| {
                Box::pin(async move {
                    collection::delete(tx, *id, *revision, stamp).await?;
                    tx.changed.all = true;
                    // Most are small, and gone with this.
                    collection::sweep(tx).await.map(drop)
                })
            })
            .await
    }

    async fn sweep(&self) -> Result<bool, Error> {
        // Nothing is written where there is nothing to do.
        let db = self.shared.pool.connection().await?;
        if !collection::has_deleted(&db).await? {
            return Ok(false);
        }
        drop(db);
        self.shared.write((), |tx, ()| Box::pin(collection::sweep(tx))).await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<(CollectionEntry, Option<JobEntry>)>, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = async {
            let Some(entry) = collection::get(&db, &key.collection).await? else { return Ok(None) };
            let job = job::get(&db, &keyring, entry.id, &key.job).await?;
            Ok(Some((entry, job)))
        };
        let read = read.await;
        db.end(read).await
    }

    async fn find_job(&self, key: &JobKey) -> Result<Option<(JobId, Revision)>, Error> {
        let db = self.shared.pool.connection().await?;
        let Some(collection) = collection::find(&db, &key.collection).await? else { return Ok(None) };
        Ok(job::find(&db, collection, &key.job).await?)
    }

    async fn jobs(&self, collection: CollectionId, page: &JobPage) -> Result<Vec<JobEntry>, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = job::list(&db, &keyring, collection, page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn jobs_to_enable(&self, page: &EnablePage) -> Result<Vec<JobToEnable>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = open_job::to_enable(&db, page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn find_jobs(&self, search: JobSearch) -> Result<FoundJobs, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = job_search::find(&db, &keyring, &search, &self.shared.damage).await;
        db.end(read).await
    }

    async fn put_job(&self, write: JobWrite) -> Result<JobEntry, Error> {
        // What takes time is done before the transaction begins.
        let (columns, keyring) = self.columns_of(&write).await?;
        self.shared
            .write((write, columns, keyring), |tx, (write, columns, keyring)| {
                Box::pin(async move {
                    let id = job::put(tx, write, columns).await?;
                    match write.source {
                        JobSource::New { uid, .. } => Ok(JobEntry::new(id, uid, write.clone())),
                        JobSource::Edited { .. } => {
                            let job = job::get(tx, keyring, write.collection.0, &write.name).await?;
                            Ok(job.ok_or(Error::Stale)?)
                        }
                    }
                })
            })
            .await
    }

    async fn delete_job(&self, id: JobId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        self.shared
            .write((id, revision, stamp), |tx, (id, revision, stamp)| Box::pin(job::delete(tx, *id, *revision, stamp)))
            .await
    }

    async fn run_job(&self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error> {
        self.shared
            .write((id, now, waiting_max), |tx, (id, now, max)| Box::pin(work::insert_manual(tx, *id, *now, *max)))
            .await
    }

    async fn rerun_job(&self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error> {
        self.shared
            .write((id, rerun, lane, waiting_max), |tx, (id, rerun, lane, max)| {
                Box::pin(work::insert_rerun(tx, *id, rerun, *lane, *max))
            })
            .await
    }

    async fn backfill_job(&self, id: JobId, parts: Vec<Occurrence>, lane: Lane) -> Result<bool, Error> {
        self.shared
            .write((id, parts, lane), |tx, (id, parts, lane)| Box::pin(backfill::open(tx, *id, parts, *lane)))
            .await
    }

    async fn backfill_of(&self, id: JobId) -> Result<Vec<Occurrence>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(backfill::read(&db, id).await?)
    }

    async fn cancel_backfill(&self, id: JobId, begun_until: Timestamp) -> Result<bool, Error> {
        self.shared.write((id, begun_until), |tx, (id, until)| Box::pin(backfill::cancel(tx, *id, *until))).await
    }

    async fn record(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(history::find(&db, job, key).await?)
    }

    async fn history(&self, job: JobId, page: &HistoryPage) -> Result<Vec<HistoryItem>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(history::list(&db, &self.shared.damage, job, page).await?)
    }

    async fn open_job(&self, id: JobId) -> Result<Option<OpenJob>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = open_job::get(&db, id).await;
        db.end(read).await
    }

    async fn latest_records(&self, page: &LatestPage) -> Result<Vec<LatestRecord>, Error> {
        Ok(self.shared.latest(page).await?)
    }

    async fn failing_jobs(&self, page: &FailingPage) -> Result<Vec<FailingJob>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = failing::page(&db, page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn tallies(&self, page: &TallyPage) -> Result<Vec<TallyEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(tally::page(&db, page).await?)
    }

    async fn history_begins(&self) -> Result<Option<Timestamp>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(history::oldest(&db).await?)
    }

    async fn history_dropped_until(&self) -> Result<Option<Timestamp>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(removal::dropped_until(&db).await?)
    }

    async fn series(&self, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = series::page(&db, page, &self.shared.damage).await;
        db.end(read).await
    }

    async fn stops(&self, collection: CollectionId) -> Result<Vec<Stop>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(series::stops(&db, collection).await?)
    }

    async fn changes(&self, page: &ChangePage) -> Result<Vec<ChangeEntry>, Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = change::list(&db, &keyring, page, &self.shared.damage).await;
        db.end(read).await
    }

    fn events(&self) -> &Arc<Events> {
        &self.shared.events
    }

    async fn told(&self, after: EventPlace, until: EventPlace, limit: usize) -> Result<EventPage, Error> {
        Ok(self.shared.stored(after, until, limit).await?)
    }

    async fn group(&self, key: &GroupKey) -> Result<Option<GroupEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(group::get(&db, key).await?)
    }

    async fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Result<Vec<GroupEntry>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = group::list(&db, subscription, after, limit, &self.shared.damage).await;
        db.end(read).await
    }

    async fn put_group(&self, group: GroupEntry) -> Result<bool, Error> {
        self.shared.write(group, |tx, group| Box::pin(group::put(tx, group))).await
    }

    async fn delete_group(&self, key: &GroupKey, with_collections: bool, stamp: Stamp) -> Result<GroupRemoval, Error> {
        self.shared
            .write((key.clone(), with_collections, stamp), |tx, (key, with_collections, stamp)| {
                Box::pin(async move {
                    let removal = group::delete(tx, key, *with_collections, stamp).await?;
                    tx.changed.all |= *with_collections && removal == GroupRemoval::Removed;
                    collection::sweep(tx).await?;
                    Ok(removal)
                })
            })
            .await
    }

    async fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error> {
        let db = self.shared.pool.snapshot().await?;
        let read = group::subscriptions(&db, after, limit, &self.shared.damage).await;
        db.end(read).await
    }

    async fn token(&self, id: &TokenId) -> Result<Option<TokenEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(access::token(&db, id, &self.shared.damage).await?)
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(access::tokens(&db, &self.shared.damage).await?)
    }

    async fn put_token(&self, token: TokenEntry, tokens_max: u32) -> Result<(), Error> {
        self.shared.write((token, tokens_max), |tx, (token, max)| Box::pin(access::put_token(tx, token, *max))).await
    }

    async fn delete_token(&self, id: &TokenId) -> Result<bool, Error> {
        self.shared.write(id.clone(), |tx, id| Box::pin(access::delete_token(tx, id))).await
    }

    async fn assignments(&self) -> Result<Vec<AssignmentEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(access::assignments(&db, &self.shared.damage).await?)
    }

    async fn put_assignment(
        &self,
        claimants: Claimants,
        grant: Grant,
        assignments_max: u32,
    ) -> Result<AssignmentEntry, Error> {
        self.shared
            .write((claimants, grant, assignments_max), |tx, (claimants, grant, max)| {
                Box::pin(access::put_assignment(tx, claimants, grant, *max))
            })
            .await
    }

    async fn delete_assignment(&self, id: i64) -> Result<bool, Error> {
        self.shared.write(id, |tx, id| Box::pin(access::delete_assignment(tx, *id))).await
    }

    async fn add_sealing_key(&self) -> Result<u32, Error> {
        keys::add(&self.shared).await
    }

    async fn reseal(&self, after: Option<JobId>) -> Result<ResealProgress, Error> {
        keys::reseal(&self.shared, after).await
    }

    async fn pause(&self, new: PauseEntry) -> Result<PauseEntry, Error> {
        self.shared.write(new, |tx, new| Box::pin(pause::begin(tx, new))).await
    }

    async fn resume(&self, resumed_by: String, now: Timestamp) -> Result<Option<PauseEntry>, Error> {
        self.shared.write((resumed_by, now), |tx, (by, now)| Box::pin(pause::end(tx, by, *now))).await
    }

    async fn pauses(&self) -> Result<Vec<PauseEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        Ok(pause::list(&db).await?)
    }

    async fn due_work(
        &self,
        page: DuePage,
        only: Option<Arc<HashSet<CollectionId>>>,
    ) -> Result<(Vec<DueWork>, Option<DueKey>), Error> {
        let keyring = self.shared.keyring().await;
        let db = self.shared.pool.snapshot().await?;
        let read = async {
            let mut keys = due::page(&db, &page, &self.shared.damage).await?;
            let last = keys.last().filter(|_| keys.len() >= page.limit).copied();
            // Before definitions are opened, which takes most of the time.
            if let Some(only) = only {
                keys = due::in_collections(&db, keys, &only).await?;
            }
            let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
            let jobs: Vec<_> = keys.iter().map(|key| key.job).collect();
            let rows = entries::work(&db, &ids).await?;
            let mut due = DueWork::join(rows, entries::definitions(&db, &keyring, &jobs).await?);
            // Rows are read in no order.
            let places: std::collections::HashMap<_, _> = ids.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
            due.sort_by_key(|due| places.get(&due.entry.id).copied().unwrap_or(usize::MAX));
            Ok((due, last))
        };
        let read = read.await;
        db.end(read).await
    }

    async fn check(&self) -> Result<(), Error> {
        self.shared.write((), |_, ()| Box::pin(async { Ok(()) })).await
    }
}

impl Postgres {
    /// What the columns of a job that is written hold, and the keys that open them.
    async fn columns_of(&self, write: &JobWrite) -> Result<(Columns, Arc<Keyring>), Error> {
        let keyring = self.shared.keyring().await;
        let stored = match write.source {
            JobSource::New { .. } => None,
            // A job that is not there any more in that revision is not written either.
            JobSource::Edited { id, revision, .. } => {
                let db = self.shared.pool.connection().await?;
                job::records(&db, id, revision).await?
            }
        };
        Ok((Columns::of(write, &keyring, stored.as_ref())?, Arc::clone(&keyring)))
    }
}
