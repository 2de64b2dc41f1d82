//! The seam between the rules and the databases.

use async_trait::async_trait;
use punctual_model::Name;
use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;

use crate::access::{AssignmentEntry, TokenEntry};
use crate::collection::{CollectionEntry, CollectionPage, CollectionWrite, GroupEntry, GroupRemoval};
use crate::error::Error;
use crate::history::{HistoryItem, HistoryKey, HistoryPage};
use crate::job::{JobEntry, JobPage, JobWrite, OpenJob};
use crate::key::{CollectionId, CollectionKey, GroupKey, JobId, JobKey, Revision};
use crate::series::{SeriesEntry, SeriesPage, Stop};

/// Where jobs live. Every function is one transaction: when it returns, what it wrote is on disk, whole.
#[async_trait]
pub trait Store: Send + Sync {
    /// The collection of that path.
    async fn collection(&self, key: &CollectionKey) -> Result<Option<CollectionEntry>, Error>;

    /// Collections in the order of their group and name.
    async fn collections(&self, page: &CollectionPage) -> Result<Vec<CollectionEntry>, Error>;

    /// Makes or changes a collection. `Full` if its subscription holds too many of its plan.
    async fn put_collection(&self, write: CollectionWrite) -> Result<CollectionEntry, Error>;

    /// Removes a collection with its jobs. `Stale` if it is not there in that revision.
    async fn delete_collection(&self, id: CollectionId, revision: Revision, now: Timestamp) -> Result<(), Error>;

    /// Clears away some of what deleted collections have left behind. Says whether there may be more.
    async fn sweep(&self) -> Result<bool, Error>;

    /// The collection of that path and the job in it.
    async fn job(&self, key: &JobKey) -> Result<Option<(CollectionEntry, Option<JobEntry>)>, Error>;

    /// Jobs of a collection in the order of their names.
    async fn jobs(&self, collection: CollectionId, page: &JobPage) -> Result<Vec<JobEntry>, Error>;

    /// Makes or changes a job. `Stale` if the collection or the job is not as the caller has read it, `Full` if the
    /// collection holds too many.
    async fn put_job(&self, write: JobWrite) -> Result<JobEntry, Error>;

    /// Removes a job. `Stale` if it is not there in that revision.
    async fn delete_job(&self, id: JobId, revision: Revision, now: Timestamp) -> Result<(), Error>;

    /// Opens a manual run of a job, due at `now`. `Stale` if the job is gone, `Full` if `waiting_max` wait already.
    async fn run_job(&self, id: JobId, now: Timestamp, waiting_max: u32) -> Result<(), Error>;

    /// Opens an occurrence that is run once more, in that lane. Says whether it was: it is not if the same occurrence is
    /// open, as itself or for the same reason. `Stale` if the job is gone, `Full` if `waiting_max` such wait already.
    async fn rerun_job(&self, id: JobId, rerun: Occurrence, lane: Lane, waiting_max: u32) -> Result<bool, Error>;

    /// One record of what came of a job.
    async fn record(&self, job: JobId, key: HistoryKey) -> Result<Option<HistoryItem>, Error>;

    /// What came of a job, newest first.
    async fn history(&self, job: JobId, page: &HistoryPage) -> Result<Vec<HistoryItem>, Error>;

    /// How far the schedule of a job has come; none if the job is gone.
    async fn open_job(&self, id: JobId) -> Result<Option<OpenJob>, Error>;

    /// Since when there is history; what was before was dropped, or never was.
    async fn history_begins(&self) -> Result<Option<Timestamp>, Error>;

    /// What the schedules of jobs were, those that are gone included, in the order of the jobs' numbers.
    async fn series(&self, page: &SeriesPage) -> Result<Vec<SeriesEntry>, Error>;

    /// When the jobs of a collection, which may be gone, did not run, earliest first.
    async fn stops(&self, collection: CollectionId) -> Result<Vec<Stop>, Error>;

    /// The resource group of that path, if someone made it.
    async fn group(&self, key: &GroupKey) -> Result<Option<GroupEntry>, Error>;

    /// Every resource group of a subscription that was made or holds a collection, after that one, in order.
    async fn groups(&self, subscription: &Name, after: Option<&Name>, limit: usize) -> Result<Vec<GroupEntry>, Error>;

    /// Makes or changes a resource group. Says whether it is new.
    async fn put_group(&self, group: GroupEntry) -> Result<bool, Error>;

    /// Removes a resource group; with its collections, if that is said.
    async fn delete_group(&self, key: &GroupKey, with_collections: bool, now: Timestamp)
    -> Result<GroupRemoval, Error>;

    /// Every subscription that holds something, after that one, in order.
    async fn subscriptions(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error>;

    /// The token of that public part.
    async fn token(&self, id: &TokenId) -> Result<Option<TokenEntry>, Error>;

    /// All tokens, oldest first.
    async fn tokens(&self) -> Result<Vec<TokenEntry>, Error>;

    /// Keeps a token. `Full` if there are `tokens_max` already, `Stale` if there is one of that public part.
    async fn put_token(&self, token: TokenEntry, tokens_max: u32) -> Result<(), Error>;

    /// Forgets a token. Says whether it was there.
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

    /// Takes an assignment back. Says whether it was there.
    async fn delete_assignment(&self, id: i64) -> Result<bool, Error>;

    /// Adds a sealing key, with which is sealed from now on. Gives its number.
    async fn add_sealing_key(&self) -> Result<u32, Error>;

    /// Seals some of what is sealed with an old key anew, going on after `after`; forgets the old keys when all is done.
    async fn reseal(&self, after: Option<JobId>) -> Result<ResealProgress, Error>;

    /// Whether whoever writes is there and takes requests. Nothing is written.
    async fn check(&self) -> Result<(), Error>;
}

/// How far sealing anew has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResealProgress {
    /// How many were sealed anew by this call.
    pub resealed: u32,
    /// Where to go on; none if all is done.
    pub next: Option<JobId>,
}
