//! What fails now, what failed and has recovered, and what was not run, over all jobs that the caller may see.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use punctual_model::failure::{Failure, FailureClass};
use punctual_model::health::{self, RecentOutcome};
use punctual_model::history::{NotRun, Reason, Status};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use punctual_model::{Name, TargetPattern};
use punctual_store::{
    CollectionKey, FailingJob, FailingPage, FailingPlace, HistoryKey, JobId, JobKey, LatestPage, LatestRecord,
};

use super::target_labels::{TargetLabel, TargetLabels};
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
    /// What the job calls. Of a job that cannot be read, the host that was called.
    pub(crate) target: Option<TargetPattern>,
    pub(crate) class: Option<FailureClass>,
}

/// The trouble of a job.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) job: JobKey,
    /// What the job calls; where that is not known, the host that was called.
    pub(crate) target: String,
    pub(crate) kind: TroubleKind,
    /// When it began, as far as that was looked at; of times that were not run, the first of them.
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

impl Trouble {
    /// Where it stands in a list: the latest comes first.
    const fn place(&self) -> Reverse<(Timestamp, u64)> {
        Reverse((self.last, self.record.number()))
    }
}

/// What kind of trouble it is.
#[derive(Clone, Debug)]
pub(crate) enum TroubleKind {
    /// The last attempt failed.
    Failing(Failure),
    /// Attempts failed, and one succeeded since.
    Recovered(Failure),
    /// Times were not run for one reason; the last of them these.
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

    /// Whether a job that calls what that label says is wanted.
    pub(crate) fn has_target(&self, label: &str) -> bool {
        self.target.as_ref().is_none_or(|wanted| wanted.matches(label))
    }

    /// Whether a failure is wanted of which nothing but the host is known.
    pub(crate) fn has_host(&self, failure: Option<&Failure>) -> bool {
        self.target.as_ref().is_none_or(|wanted| failure.is_some_and(|failure| wanted.matches_host(&failure.host)))
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
    if !filter.has_target(&failing.target) || !filter.has_class(failure) {
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
    let mut past = Past {
        filter,
        caller,
        failing: all_failing.iter().map(|it| (it.job, it.since)).collect(),
        troubles: HashMap::new(),
    };
    let mut is_partial = more;
    let mut failing = Vec::new();
    for job in all_failing {
        if failing.len() == limits::TROUBLES_MAX {
            is_partial = true;
            break;
        }
        failing.extend(admit_failing(operations, caller, filter, job, detail).await?);
    }
    let known: HashSet<JobKey> = failing.iter().map(|trouble| trouble.job.clone()).collect();
    let mut page =
        LatestPage { only_trouble: true, started_from: Some(since), after: None, limit: limits::TROUBLE_PAGE };
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
    let is_new = |trouble: &Trouble| matches!(trouble.kind, TroubleKind::NotRun(_)) || !known.contains(&trouble.job);
    let of_past = past.troubles.into_iter().map(|((job, _), trouble)| (job, trouble));
    let mut of_past: Vec<(JobId, Trouble)> = of_past.filter(|(_, trouble)| is_new(trouble)).collect();
    of_past.sort_by_key(|(_, trouble)| trouble.place());
    let (mut troubles, is_cut) = name_targets(operations, filter, of_past).await?;
    troubles.extend(failing);
    troubles.sort_by_key(Trouble::place);
    is_partial |= is_cut || troubles.len() > limits::TROUBLES_MAX;
    troubles.truncate(limits::TROUBLES_MAX);
    Ok(TroubleReport { troubles, is_partial })
}

/// Looks up what the jobs of troubles call, and leaves out those that call another target than is wanted. Says whether there are
/// more than may be looked up.
async fn name_targets(
    operations: &Operations,
    filter: &TroubleFilter,
    troubles: Vec<(JobId, Trouble)>,
) -> Result<(Vec<Trouble>, bool), Fault> {
    let mut labels = TargetLabels::new(operations, limits::TROUBLE_TARGETS_MAX);
    let mut named = Vec::new();
    for (job, mut trouble) in troubles {
        if named.len() == limits::TROUBLES_MAX {
            return Ok((named, true));
        }
        let failure = trouble.kind.failure();
        let (target, is_wanted) = match labels.find(job, &trouble.job).await? {
            TargetLabel::Known(label) => (Some(label), None),
            TargetLabel::Gone => (failure.map(|failure| failure.host.clone()), Some(filter.has_host(failure))),
            TargetLabel::NotLookedUp => return Ok((named, true)),
        };
        trouble.target = target.unwrap_or_default();
        if is_wanted.unwrap_or_else(|| filter.has_target(&trouble.target)) {
            named.push(trouble);
        }
    }
    Ok((named, false))
}

/// The jobs that fail, as far as the limits go, and whether there are more.
pub(crate) async fn read_failing(operations: &Operations) -> Result<(Vec<FailingJob>, bool), Fault> {
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
    /// Jobs that fail now, whichever of them are wanted, and since when: records of that may be gone, or older than what is asked for.
    failing: HashMap<JobId, Timestamp>,
    /// By job, and why it was not run; none if it was.
    troubles: HashMap<(JobId, Option<Reason>), Trouble>,
}

impl Past<'_> {
    /// Adds a record. The latest comes first.
    fn add(&mut self, LatestRecord { item, path }: LatestRecord) {
        let (job, record) = (item.entry.job, item.entry.record);
        let kind = match (health::outcome(&record), record.status, record.failure) {
            (Some(RecentOutcome::Failed), _, Some(failure)) if self.failing.contains_key(&job) => {
                TroubleKind::Failing(failure)
            }
            (Some(RecentOutcome::Failed), _, Some(failure)) => TroubleKind::Recovered(failure),
            (Some(RecentOutcome::NotRun), Status::Postponed(range), _) => TroubleKind::NotRun(range),
            _ => return,
        };
        let (not_run, number, since) = match &kind {
            // When it was decided not to run them says less than when they would have run.
            TroubleKind::NotRun(range) => (Some(range.reason), range.number, range.first),
            TroubleKind::Failing(_) => (None, 1, self.failing.get(&job).map_or(record.started, |since| *since)),
            TroubleKind::Recovered(_) => (None, 1, record.started),
        };
        if let Some(known) = self.troubles.get_mut(&(job, not_run)) {
            known.count += number;
            known.since = known.since.min(since);
            return;
        }
        let is_wanted = self.filter.has_class(kind.failure());
        let key = path.filter(|_| is_wanted).and_then(|path| self.filter.admit(self.caller, &path));
        let Some(key) = key else { return };
        let trouble = Trouble {
            job: key,
            // It is looked up once it is known which jobs are told of.
            target: String::new(),
            kind,
            since,
            last: record.started,
            count: number,
            record: item.key,
            occurrence: record.occurrence,
            retry_at: record.retry_at,
            message: record.message,
        };
        self.troubles.insert((job, not_run), trouble);
    }
}
