//! Every failure since an instant, run once more.

use std::collections::HashMap;

use punctual_model::Name;
use punctual_model::access::Role;
use punctual_model::history::StatusKind;
use punctual_model::job::State;
use punctual_model::lane::Lane;
use punctual_model::limits::MANUAL_RUNS_MAX;
use punctual_model::occurrence::{Occurrence, OccurrenceId, Phase};
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionEntry, CollectionKey, CollectionPage, Error, HistoryFilter, HistoryItem, HistoryPage, JobEntry, JobId,
    JobKey, JobPage,
};

use super::{Caller, Operations, find_collection, find_job, scope_of};
use crate::fault::Fault;
use crate::input::RerunInput;
use crate::{limits, page};

/// Collections that are read at once, to find the next one that the caller may write.
const COLLECTIONS_READ: usize = 20;

/// What one call has done, or would do.
#[derive(Default)]
pub(crate) struct RerunReport {
    jobs: u32,
    /// Occurrences that were opened.
    pub(crate) rerun: u32,
    /// Failures that were not run again.
    pub(crate) left: Left,
    /// Jobs of which something was run again, or left.
    pub(crate) touched: Vec<TouchedJob>,
    /// Jobs of whose records only the newest were looked at.
    pub(crate) cut: u32,
    /// Where the next call goes on; none if all is done.
    pub(crate) next: Option<RerunPlace>,
}

/// How many failures were not run again, by the reason.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Their job has the most waiting runs that are allowed.
    pub(crate) waiting: u32,
    /// Their occurrence is open: it waits for a retry, or is being run again.
    pub(crate) open: u32,
    /// Their job or its collection is disabled.
    pub(crate) disabled: u32,
}

impl Left {
    pub(crate) const fn total(self) -> u32 {
        self.waiting + self.open + self.disabled
    }
}

/// A job of which something was run again, or left.
pub(crate) struct TouchedJob {
    pub(crate) job: JobKey,
    pub(crate) rerun: u32,
    pub(crate) left: Left,
}

impl RerunReport {
    fn add(&mut self, job: TouchedJob) {
        self.rerun += job.rerun;
        self.left.waiting += job.left.waiting;
        self.left.open += job.left.open;
        self.left.disabled += job.left.disabled;
        if job.rerun + job.left.total() > 0 {
            self.touched.push(job);
        }
    }

    const fn is_enough(&self) -> bool {
        self.jobs >= limits::RERUN_JOBS_MAX || self.rerun >= limits::RERUNS_MAX
    }
}

/// How far the search for failures has come: after this job of the collection, or after all of them.
pub(crate) struct RerunPlace {
    pub(crate) collection: CollectionKey,
    pub(crate) job: Option<Name>,
}

/// Repeats every occurrence that failed and was not completed since, in the collections that the caller may write. It
/// goes through the jobs bit by bit: the report says where to go on.
///
/// An occurrence has failed if an attempt of its main action failed in the wanted time, none has succeeded after that, and
/// none is to come. Jobs and collections that are disabled are left alone: nobody wants those to run. If the run `is_dry`,
/// nothing is opened; what is open or waits already is not looked at then.
pub(crate) async fn rerun_failed(
    operations: &Operations,
    caller: &Caller,
    wanted: &RerunInput,
    mut place: Option<RerunPlace>,
    is_dry: bool,
) -> Result<RerunReport, Fault> {
    let mut report = RerunReport::default();
    while !report.is_enough() {
        let Some(collection) = next_collection(operations, caller, wanted, place.as_ref()).await? else {
            return Ok(report);
        };
        let after = place.take().filter(|place| place.collection == collection.key).and_then(|place| place.job);
        let task = Task { operations, now: caller.now, wanted, collection: &collection, is_dry };
        let last = task.rerun_collection(after, &mut report).await?;
        place = Some(RerunPlace { collection: collection.key, job: last });
    }
    Ok(RerunReport { next: place, ..report })
}

/// The collection that is next: the one that was not finished, or the first after it that the caller may write.
async fn next_collection(
    operations: &Operations,
    caller: &Caller,
    wanted: &RerunInput,
    place: Option<&RerunPlace>,
) -> Result<Option<CollectionEntry>, Fault> {
    let unfinished = place.filter(|place| place.job.is_some()).map(|place| &place.collection);
    if let Some(key) = &wanted.collection {
        let is_next = place.is_none() || unfinished == Some(key);
        return if is_next { named_collection(operations, caller, key).await.map(Some) } else { Ok(None) };
    }
    if let Some(key) = unfinished
        && let Some(entry) = operations.store.collection(key).await?
        && caller.may_write(&entry.key)
    {
        return Ok(Some(entry));
    }
    let mut after = place.map(|place| (place.collection.group.clone(), place.collection.collection.clone()));
    let mut subscription = match place {
        Some(place) => Some(place.collection.subscription.clone()),
        None => operations.store.subscriptions(None, 1).await?.pop(),
    };
    while let Some(current) = subscription {
        let mut rows =
            CollectionPage { subscription: current.clone(), group: None, after: after.take(), limit: COLLECTIONS_READ };
        loop {
            let read = operations.store.collections(&rows).await?;
            let is_last = read.len() < rows.limit;
            rows.after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
            if let Some(found) = read.into_iter().find(|entry| caller.may_write(&entry.key)) {
                return Ok(Some(found));
            }
            if is_last {
                break;
            }
        }
        subscription = operations.store.subscriptions(Some(&current), 1).await?.pop();
    }
    Ok(None)
}

async fn named_collection(
    operations: &Operations,
    caller: &Caller,
    key: &CollectionKey,
) -> Result<CollectionEntry, Fault> {
    if !caller.may_write(key) {
        let (role, scope) = (Role::Contributor.name(), scope_of(key));
        return Err(Fault::Forbidden(format!("POST needs the role {role} on '{scope}'.")));
    }
    find_collection(operations, key).await
}

/// What is to be done in one collection.
struct Task<'a> {
    operations: &'a Operations,
    now: Timestamp,
    wanted: &'a RerunInput,
    collection: &'a CollectionEntry,
    is_dry: bool,
}

impl Task<'_> {
    /// Goes through the jobs of the collection after that one. Says after which to go on, if it was enough for one request.
    async fn rerun_collection(&self, after: Option<Name>, report: &mut RerunReport) -> Result<Option<Name>, Fault> {
        if let Some(job) = &self.wanted.job {
            let key = JobKey { collection: self.collection.key.clone(), job: job.clone() };
            let (_, job) = find_job(self.operations, &key).await?;
            self.rerun_one(&job, report).await?;
            return Ok(None);
        }
        let mut rows = JobPage { after, limit: page::SIZE as usize, ..JobPage::default() };
        loop {
            let read = self.operations.store.jobs(self.collection.id, &rows).await?;
            let is_last = read.len() < rows.limit;
            for job in read {
                self.rerun_one(&job, report).await?;
                rows.after = Some(job.name);
                if report.is_enough() {
                    return Ok(rows.after);
                }
            }
            if is_last {
                return Ok(None);
            }
        }
    }

    /// Finds what failed of a job, runs it again, and adds that to the report.
    async fn rerun_one(&self, job: &JobEntry, report: &mut RerunReport) -> Result<(), Fault> {
        report.jobs += 1;
        let label = || job.job.definition.action.target.label();
        if self.wanted.target.as_ref().is_some_and(|target| !target.matches(&label())) {
            return Ok(());
        }
        let failed = Failed::find(self.operations, job.id, self.wanted, self.now).await?;
        report.cut += u32::from(failed.is_cut);
        report.add(self.rerun_job(job, failed.occurrences).await?);
        Ok(())
    }

    /// Runs again what failed of a job, the oldest first, as much as may wait.
    async fn rerun_job(&self, job: &JobEntry, failed: Vec<Occurrence>) -> Result<TouchedJob, Fault> {
        let key = JobKey { collection: self.collection.key.clone(), job: job.name.clone() };
        let mut touched = TouchedJob { job: key, rerun: 0, left: Left::default() };
        let is_disabled = self.collection.stopped_at.is_some() || job.job.state.kind() == State::Disabled;
        for occurrence in failed {
            if is_disabled {
                touched.left.disabled += 1;
            } else if touched.left.waiting > 0 || touched.rerun >= MANUAL_RUNS_MAX {
                touched.left.waiting += 1;
            } else {
                match self.open(job, occurrence).await {
                    Ok(true) => touched.rerun += 1,
                    Ok(false) => touched.left.open += 1,
                    Err(Error::Full { .. }) => touched.left.waiting += 1,
                    // The job was deleted meanwhile.
                    Err(Error::Stale) => return Ok(touched),
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(touched)
    }

    /// Opens the rerun of an occurrence, unless the run is dry. Says whether it was opened.
    async fn open(&self, job: &JobEntry, occurrence: Occurrence) -> Result<bool, Error> {
        if self.is_dry {
            return Ok(true);
        }
        let lane = Lane::of(self.collection.id.0, &job.job.definition.action, Phase::Main);
        self.operations.store.rerun_job(job.id, occurrence, lane, MANUAL_RUNS_MAX).await
    }
}

/// What failed of a job and was not completed since.
struct Failed {
    /// In the order in which they last failed.
    occurrences: Vec<Occurrence>,
    /// Not all records were looked at.
    is_cut: bool,
}

impl Failed {
    async fn find(operations: &Operations, job: JobId, wanted: &RerunInput, now: Timestamp) -> Result<Self, Fault> {
        let filter = HistoryFilter {
            status: Some(StatusKind::Failed),
            phase: Some(Phase::Main),
            started_from: Some(wanted.since),
            started_until: wanted.until,
            ..HistoryFilter::default()
        };
        let mut failed: HashMap<OccurrenceId, (Timestamp, Occurrence)> = HashMap::new();
        let mut looked_back_to = wanted.since;
        let mut is_cut = each_record(operations, job, filter, |item| {
            let record = &item.entry.record;
            looked_back_to = record.started;
            if let Some(rerun) = record.rerun(now) {
                // The newest comes first.
                failed.entry(record.occurrence).or_insert((record.started, rerun));
            }
        })
        .await?;
        if failed.is_empty() {
            return Ok(Self { occurrences: Vec::new(), is_cut });
        }
        let completed = HistoryFilter {
            status: Some(StatusKind::Completed),
            started_from: Some(looked_back_to),
            started_until: None,
            ..filter
        };
        let is_completed_cut = each_record(operations, job, completed, |item| {
            let record = &item.entry.record;
            looked_back_to = record.started;
            if failed.get(&record.occurrence).is_some_and(|(started, _)| *started <= record.started) {
                failed.remove(&record.occurrence);
            }
        })
        .await?;
        if is_completed_cut {
            // Whether what failed before was completed is not known.
            failed.retain(|_, (started, _)| *started >= looked_back_to);
            is_cut = true;
        }
        let mut failed: Vec<_> = failed.into_values().collect();
        failed.sort_by_key(|(started, rerun)| (*started, rerun.nominal));
        Ok(Self { occurrences: failed.into_iter().map(|(_, rerun)| rerun).collect(), is_cut })
    }
}

/// Looks at the records of a job that the filter lets through, newest first. Says whether there are more.
async fn each_record(
    operations: &Operations,
    job: JobId,
    filter: HistoryFilter,
    mut look: impl FnMut(&HistoryItem),
) -> Result<bool, Fault> {
    let mut rows = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
    let mut looked_at = 0;
    loop {
        let items = operations.store.history(job, &rows).await?;
        items.iter().for_each(&mut look);
        looked_at += items.len();
        if items.len() < rows.limit {
            return Ok(false);
        }
        if looked_at >= limits::RERUN_RECORDS_MAX {
            return Ok(true);
        }
        rows.after = items.last().map(|last| last.key);
    }
}
