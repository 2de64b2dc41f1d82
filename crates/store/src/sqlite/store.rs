//! [`Store`] for SQLite: which functions read beside the writer, and which are tasks for it.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;
use rusqlite::Connection;

use super::access::Access;
use super::job_put::JobPut;
use super::writer::WriteTx;
use super::{
    Sqlite, access, backfill, change, collection, due, entries, failing, group, job, job_search, keys, open_job, pause,
    removal, rerun, series, tally, to_enable, told, work,
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
impl Store for Sqlite {
    async fn collection(&self, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error> {
        self.readers.point(|db| collection::get_known(db, key, &self.collections))
    }

    async fn collections(&self, page: &CollectionPage) -> Result<Vec<CollectionEntry>, Error> {
        let (page, damage) = (page.clone(), Arc::clone(&self.damage));
        self.readers.walk(move |db| collection::list(db, &page, &damage)).await
    }

    async fn put_collection(&self, write: CollectionWrite) -> Result<CollectionEntry, Error> {
        self.writer.write(move |tx| collection::put(tx, &write)).await
    }

    async fn delete_collection(&self, id: CollectionId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        let delete = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            collection::delete(db, id, revision, &stamp)?;
            changed.all = true;
            // Most are small, and gone with this.
            collection::sweep(db).map(drop)
        };
        self.writer.write_from_reserve(delete).await
    }

    async fn sweep(&self) -> Result<bool, Error> {
        // Nothing is written, and nobody woken, where there is nothing to do.
        if self.readers.point(collection::has_deleted)? {
            self.writer.write_from_reserve(|WriteTx { db, .. }| collection::sweep(db)).await
        } else {
            Ok(false)
        }
    }

    async fn job(&self, key: &JobKey) -> Result<Option<(CollectionEntry, Option<JobEntry>)>, Error> {
        self.readers.point(|db| {
            // Before the snapshot: else a key could be forgotten that only what is seen in it was sealed with.
            let keyring = read(&self.keyring);
            let Some(entry) = collection::get_known(db, &key.collection, &self.collections)? else {
                return Ok(None);
            };
            let job = job::get(db, &keyring, entry.id, &key.job)?;
            Ok(Some((entry, job)))
        })
    }

    async fn find_job(&self, key: &JobKey) -> Result<Option<(JobId, Revision)>, Error> {
        self.readers.point(|db| {
            let found = collection::find(db, &key.collection)?;
            Ok(found.map(|collection| job::find(db, collection, &key.job)).transpose()?.flatten())
        })
    }

    async fn jobs(&self, collection: CollectionId, page: &JobPage) -> Result<Vec<JobEntry>, Error> {
        let (page, keyring, damage) = (page.clone(), self.keyring.clone(), Arc::clone(&self.damage));
        self.readers.walk(move |db| job::list(db, &read(&keyring), collection, &page, &damage)).await
    }

    async fn jobs_to_enable(&self, page: &EnablePage) -> Result<Vec<JobToEnable>, Error> {
        let (page, damage) = (*page, Arc::clone(&self.damage));
        self.readers.walk(move |db| to_enable::page(db, &page, &damage)).await
    }

    async fn find_jobs(&self, search: JobSearch) -> Result<FoundJobs, Error> {
        let (keyring, damage) = (self.keyring.clone(), Arc::clone(&self.damage));
        self.readers.walk(move |db| job_search::find(db, &read(&keyring), &search, &damage)).await
    }

    async fn put_job(&self, write: JobWrite) -> Result<JobEntry, Error> {
        // What takes time is done before the writer is asked: there is only one.
        let columns = self.columns_of(&write)?;
        let put = JobPut { write, columns, keyring: self.keyring.clone() };
        match put.write.source {
            JobSource::New { .. } => self.writer.create(put, JobPut::insert, JobPut::inserted).await,
            JobSource::Edited { .. } => self.writer.write(move |tx| put.update(tx)).await,
        }
    }

    async fn delete_job(&self, id: JobId, revision: Revision, stamp: Stamp) -> Result<(), Error> {
        self.writer.write_from_reserve(move |tx| job::delete(tx, id, revision, &stamp)).await
    }

    async fn run_job(&self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error> {
        let run = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            let opened = work::insert_manual(db, id, now, waiting_max)?;
            changed.jobs.insert(id);
            Ok(opened)
        };
        self.writer.write(run).await
    }

    async fn rerun_job(&self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error> {
        let open = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            let is_opened = rerun::open(db, id, &rerun, lane, waiting_max)?;
            if is_opened {
                changed.jobs.insert(id);
            }
            Ok(is_opened)
        };
        self.writer.write(open).await
    }

    async fn backfill_job(&self, id: JobId, parts: Vec<Occurrence>, lane: Lane) -> Result<bool, Error> {
        let open = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            let is_opened = backfill::open(db, id, &parts, lane)?;
            if is_opened {
                changed.jobs.insert(id);
            }
            Ok(is_opened)
        };
        self.writer.write(open).await
    }

    async fn backfill_of(&self, id: JobId) -> Result<Vec<Occurrence>, Error> {
        self.readers.point(|db| backfill::read(db, id))
    }

    async fn cancel_backfill(&self, id: JobId, begun_until: Timestamp) -> Result<bool, Error> {
        let cancel = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            let is_cancelled = backfill::cancel(db, id, begun_until)?;
            changed.jobs.insert(id);
            Ok(is_cancelled)
        };
        self.writer.write(cancel).await
    }

    async fn record(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error> {
        let reader = self.history.clone();
        tokio::task::spawn_blocking(move || reader.find(job, key)).await.map_err(Error::unavailable)?
    }

    async fn history(&self, job: JobId, page: &HistoryPage) -> Result<Vec<HistoryItem>, Error> {
        let (reader, page) = (self.history.clone(), page.clone());
        let read = move || reader.list(job, &page.filter, page.after, page.skip as usize, page.limit);
        tokio::task::spawn_blocking(read).await.map_err(Error::unavailable)?
    }

    async fn open_job(&self, id: JobId) -> Result<Option<OpenJob>, Error> {
        self.readers.point(|db| open_job::get(db, id))
    }

    async fn latest_records(&self, page: &LatestPage) -> Result<Vec<LatestRecord>, Error> {
        let (page, history) = (*page, self.history.clone());
        self.readers.walk(move |db| told::latest(db, &history, &page)).await
    }

    async fn failing_jobs(&self, page: &FailingPage) -> Result<Vec<FailingJob>, Error> {
        let (page, damage) = (*page, Arc::clone(&self.damage));
        self.readers.walk(move |db| failing::page(db, &page, &damage)).await
    }

    async fn tallies(&self, page: &TallyPage) -> Result<Vec<TallyEntry>, Error> {
        let page = page.clone();
        self.readers.walk(move |db| tally::page(db, &page)).await
    }

    async fn history_begins(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.history.oldest())
    }

    async fn history_dropped_until(&self) -> Result<Option<Timestamp>, Error> {
        self.readers.point(removal::dropped_until)
    }

    async fn series(&self, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error> {
        let (page, damage) = (*page, Arc::clone(&self.damage));
        self.readers.walk(move |db| series::page(db, &page, &damage)).await
    }

    async fn stops(&self, collection: CollectionId) -> Result<Vec<Stop>, Error> {
        self.readers.walk(move |db| series::stops(db, collection)).await
    }

    async fn changes(&self, page: &ChangePage) -> Result<Vec<ChangeEntry>, Error> {
        let (page, keyring, damage) = (page.clone(), self.keyring.clone(), Arc::clone(&self.damage));
        self.readers.walk(move |db| change::list(db, &read(&keyring), &page, &damage)).await
    }

    fn events(&self) -> &Arc<Events> {
        &self.events
    }

    async fn told(&self, after: EventPlace, until: EventPlace, limit: usize) -> Result<EventPage, Error> {
        let history = self.history.clone();
        self.readers.walk(move |db| told::stored(db, &history, after, until, limit)).await
    }

    async fn group(&self, key: &GroupKey) -> Result<Option<GroupEntry>, Error> {
        self.readers.point(|db| group::get(db, key))
    }

    async fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Result<Vec<GroupEntry>, Error> {
        let (subscription, after, damage) = (subscription.clone(), after.cloned(), Arc::clone(&self.damage));
        self.readers.walk(move |db| group::list(db, &subscription, after.as_ref(), limit, &damage)).await
    }

    async fn put_group(&self, group: GroupEntry) -> Result<bool, Error> {
        self.writer.write(move |WriteTx { db, .. }| group::put(db, group)).await
    }

    async fn delete_group(&self, key: &GroupKey, with_collections: bool, stamp: Stamp) -> Result<GroupRemoval, Error> {
        let key = key.clone();
        let delete = move |WriteTx { db, changed, .. }: &mut WriteTx<'_>| {
            let removal = group::delete(db, &key, with_collections, &stamp)?;
            changed.all |= with_collections && removal == GroupRemoval::Removed;
            collection::sweep(db).map(|_| removal)
        };
        self.writer.write_from_reserve(delete).await
    }

    async fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error> {
        let (after, damage) = (after.cloned(), Arc::clone(&self.damage));
        self.readers.walk(move |db| group::subscriptions(db, after.as_ref(), limit, &damage)).await
    }

    async fn token(&self, id: &TokenId) -> Result<Option<TokenEntry>, Error> {
        Ok(self.access.token(id))
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, Error> {
        Ok(self.access.tokens())
    }

    async fn put_token(&self, token: TokenEntry, tokens_max: u32) -> Result<(), Error> {
        self.change_access(move |db| access::put_token(db, &token, tokens_max)).await
    }

    async fn delete_token(&self, id: &TokenId) -> Result<bool, Error> {
        let id = id.clone();
        self.reduce_access(move |db| access::delete_token(db, &id)).await
    }

    async fn assignments(&self) -> Result<Vec<AssignmentEntry>, Error> {
        Ok(self.access.assignments())
    }

    async fn put_assignment(
        &self,
        claimants: Claimants,
        grant: Grant,
        assignments_max: u32,
    ) -> Result<AssignmentEntry, Error> {
        self.change_access(move |db| access::put_assignment(db, claimants, grant, assignments_max)).await
    }

    async fn delete_assignment(&self, id: i64) -> Result<bool, Error> {
        self.reduce_access(move |db| access::delete_assignment(db, id)).await
    }

    async fn add_sealing_key(&self) -> Result<u32, Error> {
        let (keyring, source) = (self.keyring.clone(), self.key_source.clone());
        self.writer.write(move |WriteTx { db, .. }| keys::add(db, &mut write(&keyring), &source)).await
    }

    async fn reseal(&self, after: Option<JobId>) -> Result<ResealProgress, Error> {
        let (keyring, source) = (self.keyring.clone(), self.key_source.clone());
        let reseal =
            |keyring: Arc<RwLock<Keyring>>| move |tx: &mut WriteTx<'_>| keys::reseal(tx.db, &read(&keyring), after);
        let (progress, key) = self.writer.write(reseal(keyring.clone())).await?;
        if progress.next.is_none() {
            // In a commit of its own: only now all that was sealed with the new key is on disk for certain.
            self.writer
                .write(move |WriteTx { db, .. }| keys::forget_old(db, &mut write(&keyring), &source, key))
                .await?;
        }
        Ok(progress)
    }

    async fn pause(&self, new: PauseEntry) -> Result<PauseEntry, Error> {
        self.writer
            .write_from_reserve(and_remember(self.access.clone(), |tx: &mut WriteTx<'_>| pause::begin(tx, new)))
            .await
    }

    async fn resume(&self, resumed_by: String, now: Timestamp) -> Result<Option<PauseEntry>, Error> {
        let resume = move |tx: &mut WriteTx<'_>| pause::end(tx, resumed_by, now);
        self.writer.write_from_reserve(and_remember(self.access.clone(), resume)).await
    }

    async fn pauses(&self) -> Result<Vec<PauseEntry>, Error> {
        // What could not be read is read again, and says why.
        self.access.pauses().map_or_else(|| self.readers.point(pause::list), Ok)
    }

    async fn due_work(
        &self,
        page: DuePage,
        only: Option<Arc<HashSet<CollectionId>>>,
    ) -> Result<(Vec<DueWork>, Option<DueKey>), Error> {
        let (keyring, damage) = (Arc::clone(&self.keyring), Arc::clone(&self.damage));
        let read_page = move |db: &Connection| {
            let keyring = read(&keyring);
            let keys = due::page(db, &page, &damage)?;
            let last = keys.last().filter(|_| keys.len() >= page.limit).copied();
            // Before definitions are opened, which takes most of the time.
            let keys = if let Some(only) = only { due::in_collections(db, keys, &only)? } else { keys };
            let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
            let jobs: Vec<_> = keys.iter().map(|key| key.job).collect();
            Ok((DueWork::join(entries::work(db, &ids)?, entries::definitions(db, &keyring, &jobs)?), last))
        };
        self.readers.walk(read_page).await
    }

    async fn check(&self) -> Result<(), Error> {
        self.writer.write(|_| Ok(())).await
    }
}

impl Sqlite {
    /// What the columns of a job that is written hold.
    fn columns_of(&self, write: &JobWrite) -> Result<Columns, Error> {
        // Before the snapshot: else a key could be forgotten that only what is seen in it was sealed with.
        let keyring = read(&self.keyring);
        let stored = match write.source {
            JobSource::New { .. } => None,
            // A job that is not there any more in that revision is not written either.
            JobSource::Edited { id, revision, .. } => self.readers.point(|db| job::records(db, id, revision))?,
        };
        Columns::of(write, &keyring, stored.as_ref())
    }

    /// Writes something about who may do what, and remembers it.
    async fn change_access<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.writer.write(and_remember(self.access.clone(), |tx: &mut WriteTx<'_>| change(tx.db))).await
    }

    /// The same for what removes something.
    async fn reduce_access<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let change = |tx: &mut WriteTx<'_>| change(tx.db);
        self.writer.write_from_reserve(and_remember(self.access.clone(), change)).await
    }
}

/// A write of something that is kept in memory, too.
fn and_remember<T, F>(access: Access, change: F) -> impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + use<T, F>
where
    F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
{
    move |tx: &mut WriteTx<'_>| {
        let changed = change(tx)?;
        access.refresh(tx.db)?;
        Ok(changed)
    }
}

pub(super) fn read(keyring: &RwLock<Keyring>) -> std::sync::RwLockReadGuard<'_, Keyring> {
    keyring.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(keyring: &RwLock<Keyring>) -> std::sync::RwLockWriteGuard<'_, Keyring> {
    keyring.write().unwrap_or_else(PoisonError::into_inner)
}
