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
    /// Attempts that started before the pause and have not ended: resuming does not start them.
    pub(crate) in_flight: u64,
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
    let resuming = match last.as_ref().filter(|_| is_paused) {
        Some(last) => Some(foresee(operations, long_work, caller, last.since).await?),
        None => None,
    };
    Ok(PauseState { last, resuming })
}

/// Whether the server is paused.
pub(crate) async fn is_paused(operations: &Operations) -> Result<bool, Fault> {
    Ok(PauseEntry::times(&operations.store.pauses().await?).is_paused())
}

/// Looks at all that is due, as far as the limit goes. The rows come in the order of their wake times, and nothing has started
/// since the pause began: as many as attempts are in flight, from the first one on, are taken for those.
async fn foresee(
    operations: &Operations,
    long_work: &LongWork,
    caller: &Caller,
    paused_since: Timestamp,
) -> Result<ResumptionReport, Fault> {
    let now = caller.now;
    let in_flight_max = u64::try_from(operations.metrics.engine.in_flight.value()).unwrap_or(0);
    let mut report = ResumptionReport::default();
    let mut start = DueStart::Beginning;
    for _ in 0..limits::RESUMPTION_PAGES_MAX {
        let limit = limits::RESUMPTION_PAGE;
        let page = DuePage { shards: Shards::ALL, start, until: now, lane: None, limit };
        let (due, last) = operations.store.due_work(page, None).await?;
        let add = move || {
            for row in &due {
                let is_in_flight = report.in_flight < in_flight_max && wakes_by(&row.entry.open, paused_since);
                report.add(row, is_in_flight, now);
            }
            report
        };
        report = long_work.run(&caller.principal, add).await?;
        let Some(last) = last else { return Ok(report) };
        start = DueStart::After(last);
    }
    Ok(ResumptionReport { is_at_least: true, ..report })
}

/// Whether a row woke at an instant or before.
fn wakes_by(open: &OpenWork, at: Timestamp) -> bool {
    let occurrence = match open {
        OpenWork::Schedule(progress) => progress.open,
        OpenWork::Beside { occurrence, .. } => Some(*occurrence),
    };
    occurrence.is_some_and(|occurrence| occurrence.wake_at <= at)
}

impl ResumptionReport {
    /// Adds what would become of a row that is due, or whose attempt is in flight.
    fn add(&mut self, DueWork { entry, job }: &DueWork, is_in_flight: bool, now: Timestamp) {
        self.in_flight += u64::from(is_in_flight);
        let resumed = match &entry.open {
            OpenWork::Beside { .. } if is_in_flight => Resumption::default(),
            // Whoever asked for a run gets it, disabled or not.
            OpenWork::Beside { .. } => Resumption { runs: 1, not_run: 0 },
            OpenWork::Schedule(progress) => {
                let Ok(timetable) = Timetable::new(job.definition.recurrence.as_ref(), job.anchor) else { return };
                let stopped_at = job.state.stopped_at(entry.collection_stopped_at);
                let terms = Terms::of(job.uid, &job.definition, &timetable, job.series, entry.sku, stopped_at);
                match entry.resends {
                    _ if is_in_flight => Resumption::of_in_flight(&terms, *progress, now),
                    0 => Resumption::of(&terms, *progress, entry.scheduled_beside, now),
                    _ => Resumption::of_resent(&terms, *progress, entry.scheduled_beside, now),
                }
            }
        };
        if resumed.runs > 0 {
            self.jobs.insert(entry.job);
        }
        self.runs += resumed.runs;
        self.not_run += resumed.not_run;
    }
}
