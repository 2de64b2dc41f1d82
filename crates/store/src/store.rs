//! The seam between the rules and the databases.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;

use crate::access::{AssignmentEntry, TokenEntry};
use crate::change::{ChangeEntry, ChangePage, Stamp};
use crate::collection::{CollectionEntry, CollectionPage, CollectionWrite, GroupEntry, GroupRemoval};
use crate::error::Error;
use crate::events::{EventPage, EventPlace, Events};
use crate::failing::{FailingJob, FailingPage};
use crate::history::{HistoryItem, HistoryKey, HistoryPage, LatestPage, LatestRecord};
use crate::job::{EnablePage, JobEntry, JobPage, JobToEnable, JobWrite, OpenJob};
use crate::job_search::{FoundJobs, JobSearch};
use crate::key::{CollectionId, CollectionKey, GroupKey, JobId, JobKey, Revision};
use crate::pause::PauseEntry;
use crate::series::{SeriesEntry, SeriesPage, Stop};
use crate::tally::{TallyEntry, TallyPage};
use crate::work_store::{DueKey, DuePage, DueWork};

/// Where jobs live. Every function is one transaction: when it returns, what it wrote is on disk, whole.
#[async_trait]
pub trait Store: Send + Sync {
    /// The collection of that path.
    async fn collection(&self, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error>;

    /// Collections in the order of their group and name. One that cannot be read is left out.
    async fn collections(&self, page: &CollectionPage) -> Result<Vec<CollectionEntry>, Error>;

    /// Makes or changes a collection. `Full` if its subscription holds too many of its plan.
    async fn put_collection(&self, write: CollectionWrite) -> Result<CollectionEntry, Error>;

    /// Removes a collection with its jobs. `Stale` if it is not there in that revision.
    async fn delete_collection(&self, id: CollectionId, revision: Revision, stamp: Stamp) -> Result<(), Error>;

    /// Removes some of the jobs that deleted collections have left behind. Returns whether there may be more.
    async fn sweep(&self) -> Result<bool, Error>;

    /// The collection of that path and the job in it.
    async fn job(&self, key: &JobKey) -> Result<Option<(CollectionEntry, Option<JobEntry>)>, Error>;

    /// The number and the revision of the job of that path. They are known of a job that cannot be read as well: it can
    /// still be deleted.
    async fn find_job(&self, key: &JobKey) -> Result<Option<(JobId, Revision)>, Error> {
        let found = self.job(key).await?.and_then(|(_, job)| job);
        Ok(found.map(|job| (job.id, job.revision)))
    }

    /// Jobs of a collection in the order of their names. One that cannot be read is left out.
    async fn jobs(&self, collection: CollectionId, page: &JobPage) -> Result<Vec<JobEntry>, Error>;

    /// Jobs whose time of being disabled is over, in the order of its end. One that cannot be read is left out.
    async fn jobs_to_enable(&self, page: &EnablePage) -> Result<Vec<JobToEnable>, Error>;

    /// Jobs of several collections that are looked for. One that cannot be read is left out.
    async fn find_jobs(&self, search: JobSearch) -> Result<FoundJobs, Error>;

    /// Makes or changes a job. `Stale` if the collection or the job is not as the caller has read it, `Full` if the
    /// collection holds too many.
    async fn put_job(&self, write: JobWrite) -> Result<JobEntry, Error>;

    /// Removes a job. `Stale` if it is not there in that revision.
    async fn delete_job(&self, id: JobId, revision: Revision, stamp: Stamp) -> Result<(), Error>;

    /// Opens a manual run of a job, due at `now`, and returns it. `Stale` if the job is gone, `Full` if `waiting_max` wait
    /// already.
    async fn run_job(&self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<Occurrence, Error>;

    /// Opens an occurrence that is run again, in that lane. Returns whether it was opened: it is not if the same occurrence is
    /// open, as itself or because it is run again already. `Stale` if the job is gone, `Full` if `waiting_max` such wait already.
    async fn rerun_job(&self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error>;

    /// Opens a backfill of a job: its parts, each a range of nominal times, in that lane. Returns whether it was opened: it is not
    /// while another one of the job is open. `Stale` if the job is gone.
    async fn backfill_job(&self, id: JobId, parts: Vec<Occurrence>, lane: Lane) -> Result<bool, Error>;

    /// What is open of a backfill of a job: where each of its parts has come, in no order.
    async fn backfill_of(&self, id: JobId) -> Result<Vec<Occurrence>, Error>;

    /// Ends the backfill of a job: parts that are still to come go, and one that was to wake by `begun_until`, or was tried,
    /// ends with its occurrence. Returns whether there was something to end.
    async fn cancel_backfill(&self, id: JobId, begun_until: Timestamp) -> Result<bool, Error>;

    /// One record of what came of a job.
    async fn record(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error>;

    /// What came of a job, newest first. A record or a day that cannot be read is left out.
    async fn history(&self, job: JobId, page: &HistoryPage) -> Result<Vec<HistoryItem>, Error>;

    /// What came of all jobs, the latest first. A record or a day that cannot be read is left out.
    async fn latest_records(&self, page: &LatestPage) -> Result<Vec<LatestRecord>, Error>;

    /// The jobs that fail, those whose last attempt is the latest first. One that cannot be read is left out.
    async fn failing_jobs(&self, page: &FailingPage) -> Result<Vec<FailingJob>, Error>;

    /// Counts of outcomes, in the order of their minutes and the numbers of their collections.
    async fn tallies(&self, page: &TallyPage) -> Result<Vec<TallyEntry>, Error>;

    /// How far the schedule of a job has come; none if the job is gone.
    async fn open_job(&self, id: JobId) -> Result<Option<OpenJob>, Error>;

    /// Since when there is history; what was before was dropped, or never was.
    async fn history_begins(&self) -> Result<Option<Timestamp>, Error>;

    /// Until when history was dropped, because of its age or its size; none if nothing ever was.
    async fn history_dropped_until(&self) -> Result<Option<Timestamp>, Error>;

    /// What the schedules of jobs were, those that are gone included, in the order of the jobs' numbers.
    async fn series(&self, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error>;

    /// When the jobs of a collection, which may be gone, did not run, earliest first.
    async fn stops(&self, collection: CollectionId) -> Result<Vec<Stop>, Error>;

    /// The changes of a job or a collection, latest first. One that cannot be read is left out.
    async fn changes(&self, page: &ChangePage) -> Result<Vec<ChangeEntry>, Error>;

    /// What those who watch are told of what is written.
    fn events(&self) -> &Arc<Events>;

    /// What history and the log of changes tell after one place and up to another: `limit` events at most.
    async fn told(&self, after: EventPlace, until: EventPlace, limit: usize) -> Result<EventPage, Error>;

    /// The resource group of that path, if it was made.
    async fn group(&self, key: &GroupKey) -> Result<Option<GroupEntry>, Error>;

    /// Every resource group of a subscription that was made or holds a collection, after that one, in order.
    async fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Result<Vec<GroupEntry>, Error>;

    /// Makes or changes a resource group. Returns whether it is new.
    async fn put_group(&self, group: GroupEntry) -> Result<bool, Error>;

    /// Removes a resource group; with its collections, if that is said.
    async fn delete_group(&self, key: &GroupKey, with_collections: bool, stamp: Stamp) -> Result<GroupRemoval, Error>;

    /// Every subscription that holds something, after that one, in order.
    async fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error>;

    /// The token of that public part.
    async fn token(&self, id: &TokenId) -> Result<Option<TokenEntry>, Error>;

    /// All tokens, oldest first.
    async fn tokens(&self) -> Result<Vec<TokenEntry>, Error>;

    /// Keeps a token. `Full` if there are `tokens_max` already, `Stale` if there is one of that public part.
    async fn put_token(&self, token: TokenEntry, tokens_max: u32) -> Result<(), Error>;

    /// Forgets a token, and ends the sessions of those who signed in with it. Returns whether it was there.
    async fn delete_token(&self, id: &TokenId) -> Result<bool, Error>;

    /// All role assignments to claims, oldest first.
    async fn assignments(&self) -> Result<Vec<AssignmentEntry>, Error>;

    /// Assigns a role. `Full` if there are `assignments_max` already.
    async fn put_assignment(
        &self,
        claimants: Claimants,
        grant: Grant,
        assignments_max: u32,
    ) -> Result<AssignmentEntry, Error>;

    /// Takes an assignment back. Returns whether it was there.
    async fn delete_assignment(&self, id: i64) -> Result<bool, Error>;

    /// Adds a sealing key, with which is sealed from now on. Gives its number.
    async fn add_sealing_key(&self) -> Result<u32, Error>;

    /// Seals some of what an old key has sealed with the newest, going on after `after`; forgets old keys when all is done.
    async fn reseal(&self, after: Option<JobId>) -> Result<ResealProgress, Error>;

    /// Pauses the server, unless it is paused already. Gives the pause that goes on.
    async fn pause(&self, new: PauseEntry) -> Result<PauseEntry, Error>;

    /// Ends the pause of the server. Gives the pause that ended; none if there was none.
    async fn resume(&self, resumed_by: String, now: Timestamp) -> Result<Option<PauseEntry>, Error>;

    /// The last pauses of the server, the earliest first.
    async fn pauses(&self) -> Result<Vec<PauseEntry>, Error>;

    /// What wakes, with what decides about it; what cannot be read is left out, and so is what is not in the collections that
    /// are given. Gives with it the last key that was looked
    /// at, after which the next page begins; none if there are no more.
    async fn due_work(
        &self,
        page: DuePage,
        only: Option<Arc<HashSet<CollectionId>>>,
    ) -> Result<(Vec<DueWork>, Option<DueKey>), Error>;

    /// Fails if the store takes no writes. Nothing is written.
    async fn check(&self) -> Result<(), Error>;
}

/// How far sealing with a new key has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResealProgress {
    /// Jobs that this call has sealed.
    pub resealed: u32,
    /// Where to go on; none if all is done.
    pub next: Option<JobId>,
}
