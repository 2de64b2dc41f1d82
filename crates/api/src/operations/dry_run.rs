//! What a write would do, without doing it.

use punctual_model::action::{Action, Secret};
use punctual_model::alert::Alert;
use punctual_model::collection::Collection;
use punctual_model::job::{Job, Uid};
use punctual_model::labels::Labels;
use punctual_model::moved_runs::{MovedRuns, NextRuns, RunContext};
use punctual_model::time::Timestamp;
use punctual_model::{Name, Warning};
use punctual_store::{AlertEntry, CollectionEntry, CollectionKey, JobEntry, JobKey, JobSource};

use super::alerts::{find_writable, prepare_alert};
use super::collection::{Prepared, prepare_collection};
use super::job::{Decided, Decision, decide};
use super::{Caller, CollectionChange, JobOrder, Operations, find_collection, find_job};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::input::{AlertInput, Parsed};

/// What a write would do to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlannedChange {
    Create,
    Update,
    Unchanged,
    /// What is there has ended: it would be deleted and made again.
    Replace,
    Delete,
}

impl PlannedChange {
    /// Its name in the API.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Unchanged => "unchanged",
            Self::Replace => "replace",
            Self::Delete => "delete",
        }
    }

    fn of_write(is_there: bool, is_same: bool) -> Self {
        match (is_there, is_same) {
            (false, _) => Self::Create,
            (true, true) => Self::Unchanged,
            (true, false) => Self::Update,
        }
    }
}

/// What a write would do to a job.
pub(crate) struct JobPlan {
    pub(crate) change: PlannedChange,
    /// The job as it is.
    pub(crate) before: Option<JobEntry>,
    /// The job as it would be; none if it would be deleted, or stay as it is.
    pub(crate) after: Option<(Job, Labels)>,
    pub(crate) next_run_before: Option<Timestamp>,
    pub(crate) next_run_after: Option<Timestamp>,
    pub(crate) runs: MovedRuns,
    pub(crate) changes_secrets: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// What a write would do to a collection.
pub(crate) struct CollectionPlan {
    pub(crate) change: PlannedChange,
    pub(crate) before: Option<CollectionEntry>,
    /// The collection as it would be; none if it would be deleted.
    pub(crate) after: Option<Collection>,
    pub(crate) warnings: Vec<Warning>,
}

/// What a write would do to an alert.
pub(crate) struct AlertPlan {
    pub(crate) change: PlannedChange,
    pub(crate) before: Option<AlertEntry>,
    /// The alert as it would be; none if it would be deleted.
    pub(crate) after: Option<(Alert, Action)>,
    pub(crate) changes_secrets: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// Says what an order would do. Where the collection is not there, `assumed` is taken for it: a collection that is to be made before.
pub(crate) async fn plan_job(
    operations: &Operations,
    caller: &Caller,
    order: &JobOrder<'_>,
    assumed: Option<&CollectionEntry>,
) -> Result<JobPlan, Fault> {
    let (collection, before) = match (operations.store.job(order.key).await?, assumed) {
        (Some(found), _) => found,
        (None, Some(assumed)) => (assumed.clone(), None),
        (None, None) => return Err(Fault::no_collection(&order.key.collection)),
    };
    order.condition.check(before.as_ref().map(ETag::of_job).as_ref())?;
    let Decided { decision, warnings } = decide(operations, caller, order, &collection, before.as_ref()).await?;
    let (change, write) = match decision {
        Decision::Unchanged => return Ok(unchanged(before, warnings)),
        Decision::Replace(write) => (PlannedChange::Replace, write),
        Decision::Write(write) if before.is_some() => (PlannedChange::Update, write),
        Decision::Write(write) => (PlannedChange::Create, write),
    };
    if let Some(max) = Some(collection.jobs).zip(jobs_max(&write.source)).filter(|(jobs, max)| jobs >= max) {
        return Err(Fault::CollectionFull { jobs_max: max.1 });
    }
    let uid = write.source.uid();
    let runs_before = before.as_ref().map(|it| next_runs(&it.job, &collection, it.uid, caller.now));
    let runs_before = runs_before.unwrap_or_default();
    let runs_after = next_runs(&write.job, &collection, uid, caller.now);
    let actions = [before.as_ref().map(|it| &it.job.definition.action), Some(&write.job.definition.action)];
    Ok(JobPlan {
        change,
        next_run_before: runs_before.first(),
        next_run_after: runs_after.first(),
        runs: MovedRuns::between(&runs_before, &runs_after),
        changes_secrets: before.is_some() && secrets(actions[0]) != secrets(actions[1]),
        before,
        after: Some((write.job, write.annotations.labels)),
        warnings,
    })
}

fn unchanged(before: Option<JobEntry>, warnings: Vec<Warning>) -> JobPlan {
    JobPlan {
        change: PlannedChange::Unchanged,
        before,
        after: None,
        next_run_before: None,
        next_run_after: None,
        runs: MovedRuns::default(),
        changes_secrets: false,
        warnings,
    }
}

fn jobs_max(source: &JobSource) -> Option<u32> {
    match source {
        JobSource::New { jobs_max, .. } => *jobs_max,
        JobSource::Edited { .. } => None,
    }
}

/// Says what deleting a job would do.
pub(crate) async fn plan_delete_job(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    condition: &Condition,
) -> Result<JobPlan, Fault> {
    let (collection, job) = find_job(operations, key).await?;
    condition.check(Some(&ETag::of_job(&job)))?;
    let runs = next_runs(&job.job, &collection, job.uid, caller.now);
    Ok(JobPlan {
        change: PlannedChange::Delete,
        next_run_before: runs.first(),
        runs: MovedRuns::between(&runs, &NextRuns::default()),
        ..unchanged(Some(job), Vec::new())
    })
}

fn next_runs(job: &Job, collection: &CollectionEntry, uid: Uid, now: Timestamp) -> NextRuns {
    let (sku, collection_stopped_at) = (collection.collection.sku, collection.stopped_at);
    NextRuns::of(job, &RunContext { now, uid, sku, collection_stopped_at })
}

/// The secrets of an action, in their order.
fn secrets(action: Option<&Action>) -> Vec<Secret> {
    let mut found = Vec::new();
    if let Some(action) = action {
        action.clone().map_secrets(&mut |secret| found.push(secret));
    }
    found
}

/// Says what writing a collection would do.
pub(crate) async fn plan_collection(
    operations: &Operations,
    key: &CollectionKey,
    condition: &Condition,
    change: &CollectionChange<'_>,
) -> Result<CollectionPlan, Fault> {
    let Prepared { stored, wanted, warnings } = prepare_collection(operations, key, condition, change).await?;
    let is_same = stored.as_ref().is_some_and(|stored| stored.collection == wanted);
    let change = PlannedChange::of_write(stored.is_some(), is_same);
    Ok(CollectionPlan { change, before: stored, after: Some(wanted), warnings })
}

/// Says what deleting a collection would do.
pub(crate) async fn plan_delete_collection(
    operations: &Operations,
    key: &CollectionKey,
    condition: &Condition,
) -> Result<CollectionPlan, Fault> {
    let entry = find_collection(operations, key).await?;
    condition.check(Some(&ETag::of_collection(&entry)))?;
    Ok(CollectionPlan { change: PlannedChange::Delete, before: Some(entry), after: None, warnings: Vec::new() })
}

/// Says what writing an alert would do.
pub(crate) async fn plan_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
    input: &Parsed<AlertInput>,
) -> Result<AlertPlan, Fault> {
    let (before, action, warnings) = prepare_alert(operations, caller, name, condition, input).await?;
    let alert = input.value.alert.clone();
    let is_same = before.as_ref().is_some_and(|before| before.alert == alert && before.action == action);
    let known = before.as_ref().map(|before| &before.action);
    let changes_secrets = before.is_some() && secrets(known) != secrets(Some(&action));
    let change = PlannedChange::of_write(before.is_some(), is_same);
    Ok(AlertPlan { change, before, after: Some((alert, action)), changes_secrets, warnings })
}

/// Says what deleting an alert would do.
pub(crate) async fn plan_delete_alert(
    operations: &Operations,
    caller: &Caller,
    name: &Name,
    condition: &Condition,
) -> Result<AlertPlan, Fault> {
    let entry = find_writable(operations, caller, name).await?;
    condition.check(Some(&ETag::of_alert(&entry)))?;
    let (change, warnings) = (PlannedChange::Delete, Vec::new());
    Ok(AlertPlan { change, before: Some(entry), after: None, changes_secrets: false, warnings })
}
