//! Past times of a job that run now.

use std::collections::BTreeSet;

use punctual_model::Violation;
use punctual_model::history::Status;
use punctual_model::job::JobState;
use punctual_model::lane::Lane;
use punctual_model::limits::{BACKFILL_GAPS_MAX, BACKFILL_MAX, BEGUN_TICKS};
use punctual_model::occurrence::{Occurrence, Origin, Original, Phase};
use punctual_model::recurrence::Timetable;
use punctual_model::time::{TICKS_PER_MILLISECOND, Timestamp};
use punctual_store::{Error, HistoryFilter, HistoryPage, JobEntry, JobKey};

use super::{Caller, Operations, find_job};
use crate::fault::Fault;
use crate::input::{BackfillInput, BackfillWhich};
use crate::status::BackfillState;
use crate::{limits, page};

/// What a backfill runs, or would run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BackfillPlan {
    pub(crate) count: u64,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    parts: Vec<Occurrence>,
}

/// Has past times of a job run now, one after the other; or says which, if it is only asked for.
pub(crate) async fn backfill(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    input: &BackfillInput,
) -> Result<BackfillPlan, Fault> {
    let (collection, job) = find_job(operations, key).await?;
    let conflict = |message: String| Fault::Conflict { target: "backfill", message };
    if matches!(job.job.state, JobState::Disabled(_)) || collection.stopped_at.is_some() {
        let what = if collection.stopped_at.is_some() { "collection" } else { "job" };
        return Err(conflict(format!("The {what} is disabled; enable it first.")));
    }
    let plan = plan(operations, caller, &job, input).await?;
    if input.is_dry_run || plan.parts.is_empty() {
        return Ok(plan);
    }
    let lane = Lane::of(collection.id.0, &job.job.definition.action, Phase::Main);
    match operations.store.backfill_job(job.id, plan.parts.clone(), lane).await {
        Ok(true) => Ok(plan),
        Ok(false) => Err(conflict(format!("A backfill of job '{}' is open; let it end, or cancel it.", key.job))),
        Err(Error::Stale) => Err(Fault::NoJob(key.job.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// What is left of the backfill of a job; none if there is none.
pub(crate) async fn backfill_state(operations: &Operations, key: &JobKey) -> Result<Option<BackfillState>, Fault> {
    let (_, job) = find_job(operations, key).await?;
    read_backfill(operations, &job).await
}

/// The same of a job that was read.
pub(crate) async fn read_backfill(operations: &Operations, job: &JobEntry) -> Result<Option<BackfillState>, Fault> {
    Ok(BackfillState::of(job, &operations.store.backfill_of(job.id).await?))
}

/// Ends the backfill of a job: the run that has begun finishes. Returns whether there was one to end.
pub(crate) async fn cancel_backfill(operations: &Operations, caller: &Caller, key: &JobKey) -> Result<bool, Fault> {
    let (_, job) = find_job(operations, key).await?;
    Ok(operations.store.cancel_backfill(job.id, caller.now.saturating_add(BEGUN_TICKS)).await?)
}

fn timetable(job: &JobEntry) -> Option<Timetable> {
    Timetable::new(job.job.definition.recurrence.as_ref(), job.job.anchor).ok()
}

/// The times that are meant, on the timetable as it is now, in parts without a gap.
async fn plan(
    operations: &Operations,
    caller: &Caller,
    job: &JobEntry,
    input: &BackfillInput,
) -> Result<BackfillPlan, Fault> {
    let BackfillInput { from, to, spacing_ms, which, .. } = *input;
    let Some(timetable) = timetable(job) else { return Ok(BackfillPlan::default()) };
    let times: Vec<Timestamp> = timetable.occurrences(from..to).take(BACKFILL_MAX + 1).collect();
    if times.len() > BACKFILL_MAX {
        let sentence = format!("more than {BACKFILL_MAX} times lie from {from} to {to}: choose a shorter range");
        return Err(Violation::sentence("to", sentence).into());
    }
    let ran = match which {
        BackfillWhich::All => BTreeSet::new(),
        BackfillWhich::NotRun => attempted(operations, job, from..to).await?,
    };
    let open = open_times(operations, job).await?;
    let is_left_out = |at: &Timestamp| ran.contains(at) || open.iter().any(|(first, last)| first <= at && at <= last);
    let spacing = i64::from(spacing_ms) * TICKS_PER_MILLISECOND;
    let (mut plan, mut gap) = (BackfillPlan::default(), true);
    for at in times {
        if is_left_out(&at) {
            gap = true;
            continue;
        }
        if let Some(part) = plan.parts.last_mut().filter(|_| !gap) {
            part.backlog_until = Some(at);
        } else {
            let turn = i64::try_from(plan.count).unwrap_or(i64::MAX).saturating_mul(spacing);
            plan.parts.push(Occurrence::backfill(at, at, spacing_ms, caller.now.saturating_add(turn)));
        }
        gap = false;
        (plan.count, plan.first, plan.last) = (plan.count + 1, plan.first.or(Some(at)), Some(at));
    }
    if plan.parts.len() > BACKFILL_GAPS_MAX {
        let sentence = format!(
            "the times that did not run lie in {} gaps between others, and {BACKFILL_GAPS_MAX} are filled at once: choose a shorter range",
            plan.parts.len()
        );
        return Err(Violation::sentence("to", sentence).into());
    }
    Ok(plan)
}

/// The nominal times in a range of which an attempt was made, by the schedule, a rerun or a backfill.
async fn attempted(
    operations: &Operations,
    job: &JobEntry,
    range: std::ops::Range<Timestamp>,
) -> Result<BTreeSet<Timestamp>, Fault> {
    let filter =
        HistoryFilter { phase: Some(Phase::Main), started_from: Some(range.start), ..HistoryFilter::default() };
    let mut rows = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
    let (mut ran, mut read) = (BTreeSet::new(), 0);
    loop {
        let items = operations.store.history(job.id, &rows).await?;
        read += items.len();
        for record in items.iter().map(|item| &item.entry.record) {
            let is_of_times = matches!(record.origin.original(), Some(Original::Schedule | Original::Backfill));
            if let Status::Completed(nominal) | Status::Failed(nominal) = record.status
                && is_of_times
                && range.contains(&nominal)
            {
                ran.insert(nominal);
            }
        }
        if items.len() < rows.limit {
            return Ok(ran);
        }
        if read > limits::BACKFILL_RECORDS_MAX {
            let sentence = format!(
                "the job has more than {} records since {}: begin later, or run all times with \"only\": \"all\"",
                limits::BACKFILL_RECORDS_MAX,
                range.start
            );
            return Err(Violation::sentence("from", sentence).into());
        }
        rows.after = items.last().map(|last| last.key);
    }
}

/// Ranges of nominal times that the schedule still runs by itself.
async fn open_times(operations: &Operations, job: &JobEntry) -> Result<Vec<(Timestamp, Timestamp)>, Fault> {
    let open = operations.store.open_job(job.id).await?;
    let open = open.into_iter().flat_map(|open| open.progress.open.into_iter().chain(open.beside));
    let range = |open: Occurrence| (open.nominal, open.backlog_until.unwrap_or(open.nominal).max(open.nominal));
    Ok(open.filter(|open| open.origin == Origin::Schedule).map(range).collect())
}
