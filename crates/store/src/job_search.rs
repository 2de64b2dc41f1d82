//! Jobs that are looked for in many collections, in one of several orders.

use punctual_model::health::{RecentOutcome, RecentOutcomes};
use punctual_model::job::State;
use punctual_model::time::Timestamp;
use punctual_model::{Name, TargetPattern};

use crate::job::JobEntry;
use crate::key::{CollectionId, JobId};
use crate::work_store::DueKey;

/// Which jobs are looked for, and how far the search goes.
#[derive(Clone, Debug)]
pub struct JobSearch {
    /// The collections that are searched. By name, the jobs are listed in the order of these.
    pub collections: Vec<CollectionId>,
    /// What the jobs must be like.
    pub filter: JobFilter,
    /// The order of the jobs, and the place behind which the search begins.
    pub start: JobStart,
    /// How many jobs are found at most.
    pub limit: usize,
    /// How many jobs are looked at, at most: a search that finds little ends there, and says where to go on.
    pub looks: usize,
}

/// The order of jobs that are looked for, and the place behind which the search begins; the beginning if none is given.
#[derive(Clone, Debug)]
pub enum JobStart {
    /// By collection and name: behind this name in the first collection.
    Name(Option<Name>),
    /// Enabled jobs that wake next come first. Jobs that do not wake are not in this order.
    NextRun(Option<DueKey>),
    /// Jobs that began to fail last come first. Jobs that do not fail are not in this order.
    FailingSince(Option<FailingSince>),
}

/// A place in an order of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobPlace {
    /// By collection and name.
    Name(CollectionId, Name),
    /// By the time at which jobs wake.
    NextRun(DueKey),
    /// By the time at which jobs began to fail.
    FailingSince(FailingSince),
}

/// The place of a job among those that fail, by the time at which they began to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailingSince {
    /// When the first attempt started that failed since one succeeded.
    pub since: Timestamp,
    /// The job.
    pub job: JobId,
}

/// An order that not every job has a place in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobSort {
    /// By the time at which jobs wake.
    NextRun,
    /// By the time at which jobs began to fail.
    FailingSince,
}

/// What jobs must be like; all that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// In this state.
    pub state: Option<State>,
    /// With this in the name or in the target, both compared in lower case. The text is in lower case.
    pub text: Option<String>,
    /// With such a target.
    pub target: Option<TargetPattern>,
    /// With this outcome of the last attempt, or with last times that were not run.
    pub outcome: Option<RecentOutcome>,
    /// Without a place in this order: those that are listed behind the others.
    pub without: Option<JobSort>,
}

/// What a filter looks at.
#[derive(Clone, Copy, Debug)]
pub struct JobFacts<'a> {
    /// The name, in the form in which names are compared.
    pub name: &'a str,
    /// What the job calls.
    pub target: &'a str,
    /// The state of the job.
    pub state: State,
    /// How the last attempts ended.
    pub recent: RecentOutcomes,
    /// Whether the last attempt failed.
    pub is_failing: bool,
    /// Whether the job is enabled, as its collection is, and wakes at some time.
    pub has_next_run: bool,
}

/// Jobs that were found, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundJobs {
    /// The jobs.
    pub jobs: Vec<FoundJob>,
    /// How many jobs were looked at.
    pub looked_at: usize,
    /// Where the search ended because it had looked at as many jobs as it may.
    pub stopped_at: Option<JobPlace>,
}

/// A job that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundJob {
    /// The collection of the job.
    pub collection: CollectionId,
    /// The job.
    pub job: JobEntry,
    /// The place of the job in the order.
    pub place: JobPlace,
}

impl JobFilter {
    /// Whether a job is one that is looked for.
    pub fn admits(&self, job: &JobFacts<'_>) -> bool {
        self.state.is_none_or(|state| state == job.state)
            && self.target.as_ref().is_none_or(|wanted| wanted.matches(job.target))
            && self.text.as_ref().is_none_or(|text| job.has_text(text))
            && self.outcome.is_none_or(|outcome| job.has_outcome(outcome))
            && !self.without.is_some_and(|sort| job.has_place(sort))
    }
}

impl JobFacts<'_> {
    fn has_text(&self, text: &str) -> bool {
        // Nearly all targets are in lower case already, and hundreds of thousands are looked at.
        let is_lower = self.target.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let is_in_target = || {
            if is_lower { self.target.contains(text) } else { self.target.to_lowercase().contains(text) }
        };
        self.name.contains(text) || is_in_target()
    }

    fn has_outcome(&self, outcome: RecentOutcome) -> bool {
        let mut recent = self.recent.latest_first();
        match outcome {
            RecentOutcome::Failed => self.is_failing,
            RecentOutcome::NotRun => recent.next() == Some(RecentOutcome::NotRun),
            RecentOutcome::Succeeded => {
                recent.find(|outcome| *outcome != RecentOutcome::NotRun) == Some(RecentOutcome::Succeeded)
            }
        }
    }

    const fn has_place(&self, sort: JobSort) -> bool {
        match sort {
            JobSort::NextRun => self.has_next_run,
            JobSort::FailingSince => self.is_failing,
        }
    }
}
