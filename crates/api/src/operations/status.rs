//! How one job stands.

use punctual_model::health::RecentOutcome;
use punctual_model::job::Job;
use punctual_model::occurrence::Phase;
use punctual_model::recurrence::Timetable;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, HistoryFilter, HistoryPage, JobEntry};

use super::{Caller, Operations, is_paused, next_run, read_backfill};
use crate::fault::Fault;
use crate::limits;
use crate::status::{JobStatus, LastAttempt, Moment};

/// The present, as the status of jobs depends on it.
pub(crate) async fn moment(operations: &Operations, caller: &Caller) -> Result<Moment, Fault> {
    Ok(Moment { now: caller.now, is_paused: is_paused(operations).await? })
}

/// How a job stands, with a look at the end of its history.
pub(crate) async fn read_status(
    operations: &Operations,
    moment: Moment,
    collection: &CollectionEntry,
    job: &JobEntry,
) -> Result<JobStatus, Fault> {
    let backfill = if job.beside == 0 { None } else { read_backfill(operations, job).await? };
    if !may_have_history(job, moment.now) {
        return Ok(JobStatus { backfill, ..row_status(moment, collection, job) });
    }
    let filter = HistoryFilter { phase: Some(Phase::Main), ..HistoryFilter::default() };
    // The last attempt, and what was not run since; a late answer to an attempt that was sent twice may be among them.
    let is_not_run = |outcome: &RecentOutcome| *outcome == RecentOutcome::NotRun;
    let limit = job.health.recent.latest_first().take_while(is_not_run).count() + limits::STATUS_RECORDS;
    let page = HistoryPage { filter, limit, ..HistoryPage::default() };
    let items = operations.store.history(job.id, &page).await?;
    let last = LastAttempt::of_records(job, items.iter().map(|item| &item.entry.record));
    let status = JobStatus::of(collection, job, next_run(collection, job, moment.now), last, moment);
    Ok(JobStatus { backfill, ..status })
}

/// Whether the job has run, or could have: one that is still to start is not worth a look.
fn may_have_history(job: &JobEntry, now: Timestamp) -> bool {
    let Job { definition, anchor, .. } = &job.job;
    let timetable = || Timetable::new(definition.recurrence.as_ref(), *anchor).ok();
    let was_due = || timetable().and_then(|timetable| timetable.previous(now.saturating_add(1))).is_some();
    job.counters.executions > 0 || was_due()
}

/// How a job stands as far as its row tells: lists do not look at the history of each job.
pub(crate) fn row_status(moment: Moment, collection: &CollectionEntry, job: &JobEntry) -> JobStatus {
    let (next, last) = (next_run(collection, job, moment.now), LastAttempt::of_row(job));
    JobStatus::of(collection, job, next, last, moment)
}
