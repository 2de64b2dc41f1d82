//! What fails now, what failed and has recovered, and what was not run, over all jobs that the caller may see.

use std::collections::{HashMap, HashSet};

use punctual_model::Name;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::health::{self, RecentOutcome};
use punctual_model::history::{NotRun, Status};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionKey, FailingJob, FailingPage, FailingPlace, HistoryKey, JobId, JobKey, LatestPage, LatestRecord,
};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;

/// Which troubles are wanted; all that is given must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct TroubleFilter {
    pub(crate) subscription: Option<Name>,
    pub(crate) group: Option<Name>,
    pub(crate) collection: Option<Name>,
    pub(crate) job: Option<Name>,
    /// What the job calls, or the host that was called.
    pub(crate) target: Option<String>,
    pub(crate) class: Option<FailureClass>,
}

/// The trouble of a job.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) job: JobKey,
    /// What the job calls; where that is not known, the host that was called.
    pub(crate) target: String,
    pub(crate) kind: TroubleKind,
    /// When it began, as far as that was looked at.
    pub(crate) since: Timestamp,
    /// When the last attempt of it started, or when it was decided not to run.
    pub(crate) last: Timestamp,
    /// How many attempts failed, or how many times were not run.
    pub(crate) count: u64,
    /// The record of the last one.
    pub(crate) record: HistoryKey,
    pub(crate) occurrence: OccurrenceId,
    /// When the attempt is made again.
    pub(crate) retry_at: Option<Timestamp>,
    /// What the target answered, or why nothing was sent.
    pub(crate) message: String,
}

/// What kind of trouble it is.
#[derive(Clone, Debug)]
pub(crate) enum TroubleKind {
    /// The last attempt failed.
    Failing(Failure),
    /// Attempts failed, and one succeeded since.
    Recovered(Failure),
    /// Times were not run; the last of them these.
    NotRun(NotRun),
}

impl TroubleKind {
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failing(failure) | Self::Recovered(failure) => Some(failure),
            Self::NotRun(_) => None,
        }
    }

    /// Why, in a sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Failing(failure) | Self::Recovered(failure) => failure.sentence(),
            Self::NotRun(range) => range.reason.sentence().to_owned(),
        }
    }
}

/// Whether it is looked up what the targets of jobs that fail have answered, which takes a read for each job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    WithMessage,
    WithoutMessage,
}

/// All troubles since an instant, as far as the limits go.
#[derive(Default)]
pub(crate) struct TroubleReport {
    pub(crate) troubles: Vec<Trouble>,
    /// Whether there is more than was looked at.
    pub(crate) is_partial: bool,
}

impl TroubleFilter {
    /// The job of a path, if it is wanted and the caller may see it.
    pub(crate) fn admit(&self, caller: &Caller, path: &str) -> Option<JobKey> {
        let job = JobKey::of_path(path)?;
        let is_wanted = |wanted: &Option<Name>, name: &Name| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let CollectionKey { subscription, group, collection } = &job.collection;
        let is_wanted = is_wanted(&self.subscription, subscription)
            && is_wanted(&self.group, group)
            && is_wanted(&self.collection, collection)
            && is_wanted(&self.job, &job.job)
            && caller.may_read(&job.collection);
        is_wanted.then_some(job)
    }

    /// Whether something is about the target that is wanted.
    pub(crate) fn has_target(&self, target: &str, failure: Option<&Failure>) -> bool {
        let is_it = |name: &str| self.target.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name));
        is_it(target) || failure.is_some_and(|failure| is_it(&failure.host))
    }

    /// Whether a failure is of the class that is wanted.
    pub(crate) fn has_class(&self, failure: Option<&Failure>) -> bool {
        self.class.is_none_or(|class| failure.is_some_and(|failure| failure.class == class))
    }
}

/// A page of the jobs that fail now, those whose last attempt is the latest first, and the place behind the last that was
/// looked at, if there is more.
pub(crate) async fn list_failing(
    operations: &Operations,
    caller: &Caller,
    filter: &TroubleFilter,
    mut after: Option<FailingPlace>,
    limit: usize,
) -> Result<(Vec<Trouble>, Option<FailingPlace>), Fault> {
    let mut troubles = Vec::new();
    // A filter that finds little stops, and says where to go on.
    for _ in 0..limits::TROUBLE_PAGES_MAX {
        let page = FailingPage { after, limit: limits::TROUBLE_PAGE };
        let read = operations.store.failing_jobs(&page).await?;
        let is_last = read.len() < page.limit;
        for failing in read {
            after = Some(failing.place());
            troubles.extend(admit_failing(operations, caller, filter, failing, Detail::WithMessage).await?);
            if troubles.len() == limit {
                return Ok((troubles, after));
            }
        }
        if is_last {
            return Ok((troubles, None));
        }
    }
    Ok((troubles, after))
}

async fn admit_failing(
    operations: &Operations,
    caller: &Caller,
    filter: &TroubleFilter,
    failing: FailingJob,
    detail: Detail,
) -> Result<Option<Trouble>, Fault> {
    let Some(key) = filter.admit(caller, &failing.path) else { return Ok(None) };
    let failure = Some(&failing.failure);
    if !filter.has_target(&failing.target, failure) || !filter.has_class(failure) {
        return Ok(None);
    }
    let record = match detail {
        Detail::WithMessage => operations.store.record(failing.job, failing.record).await?,
        Detail::WithoutMessage => None,
    };
    Ok(Some(Trouble {
        job: key,
        target: failing.target,
        kind: TroubleKind::Failing(failing.failure),
        since: failing.since,
        last: failing.record.started(),
        count: failing.count,
        record: failing.record,
        occurrence: failing.occurrence,
        retry_at: failing.retry_at,
        message: record.map(|item| item.entry.record.message).unwrap_or_default(),
    }))
}

/// What fails now, what failed since that instant and has recovered, and what was not run since, the latest first.
pub(crate) async fn list_trouble(
    operations: &Operations,
    caller: &Caller,
    filter: &TroubleFilter,
    since: Timestamp,
    detail: Detail,
) -> Result<TroubleReport, Fault> {
    let (all_failing, more) = read_failing(operations).await?;
    let mut past =
        Past { filter, caller, failing: all_failing.iter().map(|it| it.job).collect(), troubles: HashMap::new() };
    let mut failing = Vec::new();
    for job in all_failing {
        failing.extend(admit_failing(operations, caller, filter, job, detail).await?);
        if failing.len() == limits::TROUBLES_MAX {
            break;
        }
    }
    let known: HashSet<JobKey> = failing.iter().map(|trouble| trouble.job.clone()).collect();
    let mut page =
        LatestPage { only_trouble: true, started_from: Some(since), after: None, limit: limits::TROUBLE_PAGE };
    let mut is_partial = more;
    for number in 1.. {
        let read = operations.store.latest_records(&page).await?;
        page.after = read.last().map(|last| last.item.key);
        let is_last = read.len() < page.limit;
        for record in read {
            past.add(record);
        }
        if is_last {
            break;
        }
        if number == limits::TROUBLE_PAGES_MAX {
            is_partial = true;
            break;
        }
    }
    let of_past = past.troubles.into_values();
    let is_new = |trouble: &Trouble| matches!(trouble.kind, TroubleKind::NotRun(_)) || !known.contains(&trouble.job);
    let mut troubles: Vec<Trouble> = failing.into_iter().chain(of_past.filter(is_new)).collect();
    troubles.sort_by_key(|trouble| std::cmp::Reverse((trouble.last, trouble.record.number())));
    is_partial |= troubles.len() > limits::TROUBLES_MAX;
    troubles.truncate(limits::TROUBLES_MAX);
    Ok(TroubleReport { troubles, is_partial })
}

/// The jobs that fail, as far as the limits go, and whether there are more.
async fn read_failing(operations: &Operations) -> Result<(Vec<FailingJob>, bool), Fault> {
    let mut page = FailingPage { after: None, limit: limits::TROUBLE_PAGE };
    let mut failing = Vec::new();
    for _ in 0..limits::TROUBLE_PAGES_MAX {
        let read = operations.store.failing_jobs(&page).await?;
        let is_last = read.len() < page.limit;
        page.after = read.last().map(FailingJob::place);
        failing.extend(read);
        if is_last {
            return Ok((failing, false));
        }
    }
    Ok((failing, true))
}

/// What records say, job by job.
struct Past<'a> {
    filter: &'a TroubleFilter,
    caller: &'a Caller,
    /// Jobs that fail now, whichever of them are wanted.
    failing: HashSet<JobId>,
    /// By job, and whether it was run.
    troubles: HashMap<(JobId, bool), Trouble>,
}

impl Past<'_> {
    /// Adds a record. The latest comes first.
    fn add(&mut self, LatestRecord { item, path }: LatestRecord) {
        let (job, record) = (item.entry.job, item.entry.record);
        let kind = match (health::outcome(&record), record.status, record.failure) {
            (Some(RecentOutcome::Failed), _, Some(failure)) if self.failing.contains(&job) => {
                TroubleKind::Failing(failure)
            }
            (Some(RecentOutcome::Failed), _, Some(failure)) => TroubleKind::Recovered(failure),
            (Some(RecentOutcome::NotRun), Status::Postponed(range), _) => TroubleKind::NotRun(range),
            _ => return,
        };
        let (was_run, number) = match &kind {
            TroubleKind::NotRun(range) => (false, range.number),
            TroubleKind::Failing(_) | TroubleKind::Recovered(_) => (true, 1),
        };
        if let Some(known) = self.troubles.get_mut(&(job, was_run)) {
            known.count += number;
            known.since = known.since.min(record.started);
            return;
        }
        let target = kind.failure().map(|failure| failure.host.clone()).unwrap_or_default();
        let is_wanted = self.filter.has_target(&target, kind.failure()) && self.filter.has_class(kind.failure());
        let key = path.filter(|_| is_wanted).and_then(|path| self.filter.admit(self.caller, &path));
        let Some(key) = key else { return };
        let trouble = Trouble {
            job: key,
            target,
            kind,
            since: record.started,
            last: record.started,
            count: number,
            record: item.key,
            occurrence: record.occurrence,
            retry_at: record.retry_at,
            message: record.message,
        };
        self.troubles.insert((job, was_run), trouble);
    }
}
