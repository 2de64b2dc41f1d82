//! Pausing the whole server, and what would follow if it ran jobs again.

use std::collections::BTreeSet;

use punctual_model::recurrence::Timetable;
use punctual_model::resumption::Resumption;
use punctual_model::terms::Terms;
use punctual_model::time::Timestamp;
use punctual_store::{DuePage, DueStart, DueWork, JobId, OpenWork, PauseEntry, Shards};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;
use crate::long_work::LongWork;

/// The last pause, and what resuming would lead to if that pause goes on.
pub(crate) struct PauseState {
    /// None if the server was never paused.
    pub(crate) last: Option<PauseEntry>,
    pub(crate) resuming: Option<ResumptionReport>,
}

/// What would follow if the server ran jobs again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResumptionReport {
    /// Jobs of which something would start.
    pub(crate) jobs: BTreeSet<JobId>,
    /// Occurrences that would start: those that are due, and those that were missed and run nevertheless.
    pub(crate) runs: u64,
    /// Occurrences that would be recorded as not run.
    pub(crate) not_run: u64,
    /// Whether more is due than was looked at.
    pub(crate) is_at_least: bool,
}

/// Pauses the server. One that is paused stays as it is, with the reason that was given first.
pub(crate) async fn pause(operations: &Operations, caller: &Caller, why: String) -> Result<PauseEntry, Fault> {
    let new = PauseEntry::begin(caller.principal.clone(), why, caller.now);
    let entry = operations.store.pause(new).await?;
    tracing::warn!(request_id = %caller.request_id, "paused by {}: nothing starts until `punctual resume`", entry.paused_by);
    Ok(entry)
}

/// Lets the server run jobs again. Gives the last pause, which has ended; none if there never was one.
pub(crate) async fn resume(operations: &Operations, caller: &Caller) -> Result<Option<PauseEntry>, Fault> {
    let ended = operations.store.resume(caller.principal.clone(), caller.now).await?;
    match ended {
        Some(ended) => {
            tracing::info!(request_id = %caller.request_id, "resumed by {}: jobs run again", caller.principal);
            Ok(Some(ended))
        }
        None => Ok(operations.store.pauses().await?.pop()),
    }
}

/// Says whether the server is paused, and what resuming would lead to.
pub(crate) async fn pause_state(
    operations: &Operations,
    long_work: &LongWork,
    caller: &Caller,
) -> Result<PauseState, Fault> {
    let last = operations.store.pauses().await?.pop();
    let is_paused = last.as_ref().is_some_and(|last| last.until.is_none());
    let resuming = if is_paused { Some(foresee(operations, long_work, caller).await?) } else { None };
    Ok(PauseState { last, resuming })
}

/// Whether the server is paused.
pub(crate) async fn is_paused(operations: &Operations) -> Result<bool, Fault> {
    Ok(PauseEntry::times(&operations.store.pauses().await?).is_paused())
}

/// Looks at all that is due, as far as the limit goes.
async fn foresee(operations: &Operations, long_work: &LongWork, caller: &Caller) -> Result<ResumptionReport, Fault> {
    let now = caller.now;
    let mut report = ResumptionReport::default();
    let mut start = DueStart::Beginning;
    for _ in 0..limits::RESUMPTION_PAGES_MAX {
        let limit = limits::RESUMPTION_PAGE;
        let page = DuePage { shards: Shards::ALL, start, until: now, lane: None, limit };
        let (due, last) = operations.store.due_work(page).await?;
        let add = move || {
            for row in &due {
                report.add(row, now);
            }
            report
        };
        report = long_work.run(&caller.principal, add).await?;
        let Some(last) = last else { return Ok(report) };
        start = DueStart::After(last);
    }
    Ok(ResumptionReport { is_at_least: true, ..report })
}

impl ResumptionReport {
    /// Adds what would become of a row that is due.
    fn add(&mut self, DueWork { entry, job }: &DueWork, now: Timestamp) {
        let resumed = match &entry.open {
            // Whoever asked for a run gets it, disabled or not.
            OpenWork::Beside { .. } => Resumption { runs: 1, not_run: 0 },
            OpenWork::Schedule(progress) => {
                let Ok(timetable) = Timetable::new(job.definition.recurrence.as_ref(), job.anchor) else { return };
                let stopped_at = job.state.stopped_at(entry.collection_stopped_at);
                let terms = Terms::of(job.uid, &job.definition, &timetable, job.series, entry.sku, stopped_at);
                let foresee = if entry.resends > 0 { Resumption::of_resent } else { Resumption::of };
                foresee(&terms, *progress, entry.scheduled_beside, now)
            }
        };
        if resumed.runs > 0 {
            self.jobs.insert(entry.job);
        }
        self.runs += resumed.runs;
        self.not_run += resumed.not_run;
    }
}
