//! Whether everything that should have run did, or why not.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use punctual_model::Violation;
use punctual_model::audit::{self, Audit, Period, Trace, Trail};
use punctual_model::history::{Reason, Status};
use punctual_model::occurrence::{Origin, Phase};
use punctual_model::recurrence::{Recurrence, Timetable};
use punctual_model::time::{Timestamp, tz_database_version};
use punctual_store::{
    CollectionId, Error, HistoryFilter, HistoryItem, HistoryPage, JobId, SeriesEntry, SeriesKey, SeriesPage,
};

use super::Operations;
use crate::fault::Fault;
use crate::{limits, page};

/// How many records an audit reads and holds.
#[derive(Clone, Copy, Debug)]
pub struct AuditLimits {
    /// Records after which one request ends, with the job that it is at.
    pub records_max: usize,
    /// Records of one job that are held in memory at once.
    pub job_records_max: usize,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self { records_max: limits::AUDIT_RECORDS_MAX, job_records_max: limits::AUDIT_JOB_RECORDS_MAX }
    }
}

/// What an audit has found.
#[derive(Default)]
pub(crate) struct AuditReport {
    /// Since when there is history, and times are accounted for; none if there is no history at all.
    pub(crate) history_from: Option<Timestamp>,
    pub(crate) jobs: u64,
    records: usize,
    pub(crate) nominal: u64,
    pub(crate) run: u64,
    /// Of those that ran: none of their attempts succeeded, so far.
    pub(crate) failed: u64,
    pub(crate) attempts: u64,
    /// Nominal times that were not run, by reason.
    pub(crate) not_run: [u64; Reason::ALL.len()],
    pub(crate) deleted: u64,
    pub(crate) open: u64,
    pub(crate) unexplained: u64,
    /// Where the first of the unexplained times lie.
    pub(crate) ranges: Vec<UnexplainedRange>,
    /// Jobs some of whose times were derived from another version of the zone database.
    pub(crate) other_zones: u64,
    /// The job after which the next call goes on; none if all was audited.
    pub(crate) next: Option<JobId>,
}

/// Nominal times of a job about which nothing was written down.
pub(crate) struct UnexplainedRange {
    pub(crate) job: JobId,
    /// The path of the job; none if the job is gone.
    pub(crate) path: Option<String>,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) number: u64,
}

impl AuditReport {
    const fn is_enough(&self, limits: AuditLimits) -> bool {
        self.jobs >= limits::AUDIT_JOBS_MAX || self.records >= limits.records_max
    }

    fn add(&mut self, job: JobId, path: Option<&str>, audit: &Audit) {
        self.nominal += audit.nominal();
        self.run += audit.run;
        self.failed += audit.failed;
        self.attempts += audit.attempts;
        self.deleted += audit.deleted;
        self.open += audit.open;
        for (sum, number) in self.not_run.iter_mut().zip(audit.not_run) {
            *sum += number;
        }
        for range in &audit.unexplained {
            self.unexplained += range.number;
            if self.ranges.len() < limits::AUDIT_UNEXPLAINED_MAX {
                let (first, last, number) = (range.first, range.last, range.number);
                self.ranges.push(UnexplainedRange { job, path: path.map(ToOwned::to_owned), first, last, number });
            }
        }
    }
}

/// Derives every nominal time of every job in a range from its schedule, and holds it against the record, as far back as
/// history was kept. It goes through the jobs bit by bit, those that are gone included: the report says where to go on.
pub(crate) async fn audit(
    operations: &Operations,
    range: &Range<Timestamp>,
    mut place: Option<JobId>,
) -> Result<AuditReport, Fault> {
    let dropped_until = operations.store.history_dropped_until().await?;
    let kept_from = dropped_until.map_or(Timestamp::MIN, |until| until.saturating_add(1));
    let range = &(range.start.max(kept_from).min(range.end)..range.end);
    let mut report = AuditReport::default();
    let mut stops = HashMap::new();
    let mut is_last = false;
    while !is_last && !report.is_enough(operations.audit_limits) {
        let (jobs, are_last) = next_jobs(operations, place).await?;
        is_last = are_last;
        for series in jobs {
            if report.is_enough(operations.audit_limits) {
                is_last = false;
                break;
            }
            if let Some(last) = series.last() {
                place = Some(last.key.job);
                audit_job(operations, &series, range, &mut stops, &mut report).await?;
            }
        }
    }
    report.history_from = operations.store.history_begins().await?;
    report.next = place.filter(|_| !is_last);
    Ok(report)
}

/// What the schedules of the next jobs after that one were, and whether they are the last. Those of one job are together.
async fn next_jobs(operations: &Operations, after: Option<JobId>) -> Result<(Vec<Vec<SeriesEntry>>, bool), Fault> {
    let after = after.map(|job| SeriesKey { job, number: i64::MAX });
    let mut page = SeriesPage { after, limit: page::SIZE as usize };
    let mut jobs: Vec<Vec<SeriesEntry>> = Vec::new();
    loop {
        let read = operations.store.series(&page).await?;
        let is_last = read.len() < page.limit;
        page.after = read.last().map(|last| last.key);
        for entry in read {
            match jobs.last_mut() {
                Some(same) if same.last().is_some_and(|last| last.key.job == entry.key.job) => same.push(entry),
                _ => jobs.push(vec![entry]),
            }
        }
        if is_last {
            return Ok((jobs, true));
        }
        // The last one may go on.
        if jobs.len() > 1 {
            jobs.pop();
            return Ok((jobs, false));
        }
    }
}

async fn audit_job(
    operations: &Operations,
    series: &[SeriesEntry],
    range: &Range<Timestamp>,
    stops: &mut HashMap<CollectionId, Vec<audit::Stop>>,
    report: &mut AuditReport,
) -> Result<(), Fault> {
    report.jobs += 1;
    let is_touched = |entry: &SeriesEntry| entry.from < range.end && entry.until.is_none_or(|it| it >= range.start);
    let Some(last) = series.last().filter(|_| series.iter().any(is_touched)) else { return Ok(()) };
    report.other_zones += u64::from(series.iter().any(|entry| entry.zones != tz_database_version()));
    let periods = series.iter().map(period).collect::<Result<Vec<_>, _>>()?;
    let stops = match stops.entry(last.collection) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let read = operations.store.stops(last.collection).await?;
            let read = read.into_iter().map(|stop| audit::Stop { from: stop.from, until: stop.until }).collect();
            unknown.insert(read)
        }
    };
    // Before the records: what is settled in between is seen twice, and not missed.
    let open = operations.store.open_job(last.key.job).await?;
    let traces = traces(operations, last.key.job, range, report).await?;
    let (stops, range) = (stops.clone(), range.clone());
    // Many records take long: the threads that answer others are spared.
    let compare = move || {
        let open_work = open.as_ref().map(|open| (open.progress, open.beside.as_slice()));
        let trail = Trail { periods: &periods, stops: &stops, traces: &traces, open: open_work };
        let audit = audit::audit(&trail, range);
        (audit, open.map(|open| open.path))
    };
    let (audit, path) = tokio::task::spawn_blocking(compare).await.map_err(|_| Fault::Busy)?;
    report.add(last.key.job, path.as_deref(), &audit);
    Ok(())
}

pub(super) fn period(entry: &SeriesEntry) -> Result<Period, Error> {
    let recurrence = entry.schedule.recurrence.as_ref();
    let corrupt = |violation: Violation| Error::Corrupt(format!("job number {}: {violation}", entry.key.job.0));
    Ok(Period {
        from: entry.from,
        until: entry.until,
        state: entry.state,
        series: entry.series,
        timetable: Timetable::new(recurrence, entry.anchor).map_err(corrupt)?,
        occurrences_max: recurrence.and_then(Recurrence::count),
    })
}

/// What was written down of the schedule of a job about the times in the range; that can be any time after.
async fn traces(
    operations: &Operations,
    job: JobId,
    range: &Range<Timestamp>,
    report: &mut AuditReport,
) -> Result<Vec<Trace>, Fault> {
    let filter =
        HistoryFilter { phase: Some(Phase::Main), started_from: Some(range.start), ..HistoryFilter::default() };
    let mut rows = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
    let mut traces = Vec::new();
    loop {
        let items = operations.store.history(job, &rows).await?;
        report.records += items.len();
        traces.extend(items.iter().filter_map(trace).filter(|trace| touches(trace, range)));
        if traces.len() > operations.audit_limits.job_records_max {
            return Err(too_many_records(job, range, operations.audit_limits.job_records_max));
        }
        if items.len() < rows.limit {
            return Ok(traces);
        }
        rows.after = items.last().map(|last| last.key);
    }
}

fn too_many_records(JobId(job): JobId, range: &Range<Timestamp>, max: usize) -> Fault {
    let sentence = format!(
        "job number {job} has more than {max} records since {}: audit a shorter time, such as a day, at once",
        range.start
    );
    Violation::sentence("from", sentence).into()
}

fn trace(item: &HistoryItem) -> Option<Trace> {
    let record = &item.entry.record;
    match record.status {
        _ if record.origin != Origin::Schedule => None,
        Status::Completed(nominal) | Status::Failed(nominal) => {
            let has_failed = matches!(record.status, Status::Failed(_));
            Some(Trace::Attempt { nominal, has_failed, repeat: record.repeat })
        }
        Status::Postponed(not_run) => Some(Trace::NotRun(not_run)),
    }
}

fn touches(trace: &Trace, range: &Range<Timestamp>) -> bool {
    match trace {
        Trace::Attempt { nominal, .. } => range.contains(nominal),
        Trace::NotRun(not_run) => not_run.first < range.end && not_run.last >= range.start,
    }
}
