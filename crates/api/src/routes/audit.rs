//! Whether everything that should have run did, or why not.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use http::StatusCode;
use punctual_model::audit::{self, Audit, Period, Trace, Trail};
use punctual_model::history::{Reason, Status};
use punctual_model::occurrence::{Origin, Phase};
use punctual_model::recurrence::{Recurrence, Timetable};
use punctual_model::time::{Timestamp, tz_database_version};
use punctual_model::{Violation, limits};
use punctual_store::{
    CollectionId, Error, HistoryFilter, HistoryItem, HistoryPage, JobId, SeriesEntry, SeriesKey, SeriesPage,
};

use super::preview::instant;
use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::page;
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// Derives every nominal time of every job in a range anew, and holds it against the record. It goes through the jobs bit
/// by bit, those that are gone included: the answer says where to `continue`.
pub(super) async fn audit(api: &Api, request: &Request) -> Result<Answer, Fault> {
    let range = range(request)?;
    let mut place = request.query.get("continue").map(parse_place).transpose()?;
    let mut report = Report::default();
    let mut stops = HashMap::new();
    loop {
        let (jobs, is_last) = next_jobs(api, place).await?;
        for series in jobs {
            if let Some(last) = series.last() {
                place = Some(last.key.job);
                audit_job(api, &series, &range, &mut stops, &mut report).await?;
            }
            if report.is_enough() {
                break;
            }
        }
        if report.is_enough() {
            break;
        }
        if is_last {
            place = None;
            break;
        }
    }
    let begins = api.store.history_begins().await?;
    let place = place.map(|JobId(id)| id.to_string());
    let body = Members::new()
        .add("from", range.start.to_string())
        .add("to", range.end.to_string())
        .add_some("historyFrom", begins.map(|begins| begins.to_string()));
    Ok(Answer::json(StatusCode::OK, report.write(body).add_some("continue", place).into_json()))
}

/// From `from` to before `to`, or to the present: what is still to come cannot have run.
fn range(request: &Request) -> Result<Range<Timestamp>, Fault> {
    let expected = "an instant, such as 2026-01-01T00:00:00Z";
    let from = instant(request, "from")?.ok_or_else(|| Violation::new("from", "nothing", expected))?;
    let to = instant(request, "to")?.unwrap_or(request.now);
    if to < from {
        return Err(Violation::new("to", to, format!("an instant not before from, {from}")).into());
    }
    if to.since(from) > limits::AUDIT_TICKS_MAX {
        return Err(Violation::new("to", to, format!("at most 31 days after from, {from}")).into());
    }
    Ok(from..to.min(request.now).max(from))
}

fn parse_place(text: &str) -> Result<JobId, Fault> {
    let expected = "what the last answer said";
    Ok(JobId(text.parse().map_err(|_| Violation::new("continue", format!("{text:?}"), expected))?))
}

/// What the schedules of the next jobs after that one were, and whether they are the last. Those of one job are together.
async fn next_jobs(api: &Api, after: Option<JobId>) -> Result<(Vec<Vec<SeriesEntry>>, bool), Fault> {
    let after = after.map(|job| SeriesKey { job, number: i64::MAX });
    let mut page = SeriesPage { after, limit: page::SIZE as usize };
    let mut jobs: Vec<Vec<SeriesEntry>> = Vec::new();
    loop {
        let read = api.store.series(&page).await?;
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
    api: &Api,
    series: &[SeriesEntry],
    range: &Range<Timestamp>,
    stops: &mut HashMap<CollectionId, Vec<audit::Stop>>,
    report: &mut Report,
) -> Result<(), Fault> {
    report.jobs += 1;
    let is_touched = |entry: &SeriesEntry| entry.from < range.end && entry.until.is_none_or(|it| it >= range.start);
    let Some(last) = series.last().filter(|_| series.iter().any(is_touched)) else { return Ok(()) };
    report.other_zones += u64::from(series.iter().any(|entry| entry.zones != tz_database_version()));
    let periods = series.iter().map(period).collect::<Result<Vec<_>, _>>()?;
    let stops = match stops.entry(last.collection) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let read = api.store.stops(last.collection).await?;
            let read = read.into_iter().map(|stop| audit::Stop { from: stop.from, until: stop.until }).collect();
            unknown.insert(read)
        }
    };
    // Before the records: what is settled in between is seen twice, and not missed.
    let open = api.store.open_job(last.key.job).await?;
    let traces = traces(api, last.key.job, range, report).await?;
    let trail = Trail {
        periods: &periods,
        stops: stops.as_slice(),
        traces: &traces,
        open: open.as_ref().map(|open| (open.progress, open.beside.as_slice())),
    };
    let audit = audit::audit(&trail, range.clone());
    report.add(last.key.job, open.as_ref().map(|open| open.path.as_str()), &audit);
    Ok(())
}

fn period(entry: &SeriesEntry) -> Result<Period, Error> {
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
async fn traces(api: &Api, job: JobId, range: &Range<Timestamp>, report: &mut Report) -> Result<Vec<Trace>, Fault> {
    let filter =
        HistoryFilter { phase: Some(Phase::Main), started_from: Some(range.start), ..HistoryFilter::default() };
    let mut rows = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
    let mut traces = Vec::new();
    loop {
        let items = api.store.history(job, &rows).await?;
        report.records += items.len();
        traces.extend(items.iter().filter_map(trace).filter(|trace| touches(trace, range)));
        if items.len() < rows.limit {
            return Ok(traces);
        }
        rows.after = items.last().map(|last| last.key);
    }
}

fn trace(item: &HistoryItem) -> Option<Trace> {
    let record = &item.entry.record;
    match record.status {
        _ if record.origin != Origin::Schedule => None,
        Status::Completed(nominal) | Status::Failed(nominal) => Some(Trace::Attempt { nominal, repeat: record.repeat }),
        Status::Postponed(not_run) => Some(Trace::NotRun(not_run)),
    }
}

fn touches(trace: &Trace, range: &Range<Timestamp>) -> bool {
    match trace {
        Trace::Attempt { nominal, .. } => range.contains(nominal),
        Trace::NotRun(not_run) => not_run.first < range.end && not_run.last >= range.start,
    }
}

/// What was found so far.
#[derive(Default)]
struct Report {
    jobs: u64,
    records: usize,
    nominal: u64,
    run: u64,
    attempts: u64,
    not_run: [u64; Reason::ALL.len()],
    deleted: u64,
    open: u64,
    unexplained: u64,
    ranges: Vec<Json>,
    /// Jobs some of whose times were derived from another version of the zone database.
    other_zones: u64,
}

impl Report {
    const fn is_enough(&self) -> bool {
        self.jobs >= limits::AUDIT_JOBS_MAX || self.records >= limits::AUDIT_RECORDS_MAX
    }

    fn add(&mut self, job: JobId, path: Option<&str>, audit: &Audit) {
        self.nominal += audit.nominal();
        self.run += audit.run;
        self.attempts += audit.attempts;
        self.deleted += audit.deleted;
        self.open += audit.open;
        for (sum, number) in self.not_run.iter_mut().zip(audit.not_run) {
            *sum += number;
        }
        for range in &audit.unexplained {
            self.unexplained += range.number;
            if self.ranges.len() < limits::AUDIT_UNEXPLAINED_MAX {
                let members = Members::new().add("job", job.0).add_some("path", path);
                let members = members.add("first", range.first.to_string()).add("last", range.last.to_string());
                self.ranges.push(members.add("number", range.number).into_json());
            }
        }
    }

    fn write(self, members: Members) -> Members {
        let not_run = Reason::ALL.iter().zip(self.not_run);
        let not_run = not_run.fold(Members::new(), |members, (reason, number)| members.add(reason.name(), number));
        members
            .add("jobs", self.jobs)
            .add("nominal", self.nominal)
            .add("run", self.run)
            .add("attempts", self.attempts)
            .add("notRun", not_run.add("deleted", self.deleted).into_json())
            .add("open", self.open)
            .add("unexplained", self.unexplained)
            .add("ranges", Json::List(self.ranges))
            .add("otherZones", self.other_zones)
    }
}
