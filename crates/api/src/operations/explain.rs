//! Why a job did, or did not, run at some time: gathers what is known of it, by a few reads of indexes, for the model to judge.

use punctual_model::audit::{Period, Stop};
use punctual_model::event::Edit;
use punctual_model::explain::{self, AskedTime, AttemptFact, Due, Explanation, Facts, Hold, NotRunFact};
use punctual_model::failure::Failure;
use punctual_model::history::{NotRun, Reason, Record, Status, StatusKind};
use punctual_model::job::State;
use punctual_model::occurrence::{Occurrence, OccurrenceId, Origin, Phase};
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Zone};
use punctual_store::{
    ChangeEntry, ChangePage, ChangePlace, CollectionEntry, HistoryFilter, HistoryPage, JobEntry, JobKey, OpenJob,
    PauseEntry, SeriesEntry, SeriesKey, SeriesPage,
};

use super::audit::period;
use super::{Caller, Operations};
use crate::fault::Fault;
use crate::{limits, page};

/// An explanation, and what it is about.
pub(crate) struct Explained {
    /// The instant that is explained.
    pub(crate) at: Timestamp,
    pub(crate) zone: Zone,
    pub(crate) explanation: Explanation,
    /// The occurrence, if the job was due then.
    pub(crate) occurrence: Option<OccurrenceId>,
    /// How many attempts were made of it.
    pub(crate) attempts: u64,
}

/// Says why a job did, or did not, run at the time that `text` names: an instant, or a local time in the zone of the job.
pub(crate) async fn explain(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    text: &str,
) -> Result<Explained, Fault> {
    let found = operations.store.job(key).await?.ok_or_else(|| Fault::no_collection(&key.collection))?;
    let changes = changes(operations, ChangePlace::Job(key.clone())).await?;
    let (collection, Some(job)) = found else { return explain_deleted(caller, key, text, &changes) };
    let zone = zone_of(&job);
    let asked = parse(text, caller.now, zone)?;
    let series = series(operations, &job).await?;
    let periods = series.iter().map(period).collect::<Result<Vec<_>, _>>()?;
    let asked = to_the_second(&periods, asked);
    let at = asked.instant();
    // Before the records: what is settled in between is seen twice, and not missed.
    let open = operations.store.open_job(job.id).await?;
    let is_due = matches!(explain::due(&periods, at), Due::Then(_));
    let reader = Reader { operations, job: &job, now: caller.now };
    let (attempts, not_run) = if is_due { reader.records(&periods, at).await? } else { (Vec::new(), None) };
    let number = attempts.len() as u64;
    let facts = Facts {
        asked,
        zone,
        now: caller.now,
        periods: &periods,
        open: open.as_ref().map(open_work),
        attempts,
        not_run,
        disabled: disabled(&periods, &changes, at),
        collection_disabled: collection_disabled(operations, &collection, at).await?,
        paused: paused(&operations.store.pauses().await?, at),
        created: created(&periods, &changes),
        deleted: None,
        dropped_until: operations.store.history_dropped_until().await?,
    };
    let explanation = explain::explain(&facts);
    let occurrence = is_due.then(|| scheduled(at).id(job.uid));
    Ok(Explained { at, zone, explanation, occurrence, attempts: number })
}

/// Of a job that is gone it is known who deleted it.
fn explain_deleted(caller: &Caller, key: &JobKey, text: &str, changes: &[ChangeEntry]) -> Result<Explained, Fault> {
    let last = changes.first().filter(|change| change.edit == Edit::Deleted);
    let Some(deleted) = last else { return Err(Fault::NoJob(key.job.to_string())) };
    let zone = Zone::utc();
    let asked = parse(text, caller.now, zone)?;
    let facts = Facts {
        // Whatever was before is not told any more: all that is known is who deleted the job.
        asked: AskedTime::at(asked.instant().max(deleted.stamp.at)),
        zone,
        now: caller.now,
        periods: &[],
        open: None,
        attempts: Vec::new(),
        not_run: None,
        disabled: None,
        collection_disabled: None,
        paused: None,
        created: None,
        deleted: Some((deleted.stamp.who.clone(), deleted.stamp.at)),
        dropped_until: None,
    };
    Ok(Explained { at: asked.instant(), zone, explanation: explain::explain(&facts), occurrence: None, attempts: 0 })
}

fn parse(text: &str, now: Timestamp, zone: Zone) -> Result<AskedTime, Fault> {
    AskedTime::parse(text, now, zone).map_err(|expected| expected.at("the time", format!("{text:?}")).into())
}

/// The zone in which times of a job are told.
fn zone_of(job: &JobEntry) -> Zone {
    let recurrence = job.job.definition.recurrence.as_ref();
    recurrence.map_or_else(Zone::utc, punctual_model::recurrence::Recurrence::zone)
}

/// The nominal time in the second that was asked for: nobody writes the fractions that a job may have got from its creation.
fn to_the_second(periods: &[Period], asked: AskedTime) -> AskedTime {
    let at = asked.instant();
    if at.ticks() % TICKS_PER_SECOND != 0 || matches!(explain::due(periods, at), Due::Then(_)) {
        return asked;
    }
    let in_second = |next: &Timestamp| next.since(at) < TICKS_PER_SECOND;
    let mut nominals = periods.iter().filter_map(|period| period.timetable.next(at)).filter(in_second);
    let due = nominals.find(|next| matches!(explain::due(periods, *next), Due::Then(_)));
    due.map_or(asked, |due| asked.moved_to(due))
}

async fn changes(operations: &Operations, place: ChangePlace) -> Result<Vec<ChangeEntry>, Fault> {
    Ok(operations.store.changes(&ChangePage { place, before: None, limit: limits::EXPLAIN_CHANGES_MAX }).await?)
}

/// What the schedule of a job was.
pub(super) async fn series(operations: &Operations, job: &JobEntry) -> Result<Vec<SeriesEntry>, Fault> {
    let after = Some(SeriesKey { job: job.id, number: i64::MIN });
    let mut page = SeriesPage { after, limit: page::SIZE as usize };
    let mut series = Vec::new();
    loop {
        let read = operations.store.series(&page).await?;
        let is_last = read.len() < page.limit || read.last().is_none_or(|last| last.key.job != job.id);
        page.after = read.last().map(|last| last.key);
        series.extend(read.into_iter().filter(|entry| entry.key.job == job.id));
        if is_last {
            return Ok(series);
        }
    }
}

fn open_work(open: &OpenJob) -> (punctual_model::progress::Progress, &[Occurrence]) {
    (open.progress, open.beside.as_slice())
}

/// The occurrence of the schedule at a nominal time.
fn scheduled(nominal: Timestamp) -> Occurrence {
    Occurrence::asked_for(Origin::Schedule, nominal, nominal)
}

/// Reads what history has of a job.
struct Reader<'a> {
    operations: &'a Operations,
    job: &'a JobEntry,
    now: Timestamp,
}

impl Reader<'_> {
    /// The attempts of a nominal time, the earliest first, and the record that says it was not run.
    async fn records(
        &self,
        periods: &[Period],
        at: Timestamp,
    ) -> Result<(Vec<AttemptFact>, Option<NotRunFact>), Fault> {
        let mut attempts = Vec::new();
        for origin in [Origin::Schedule, Origin::Backfill] {
            let id = Occurrence::asked_for(origin, at, at).id(self.job.uid);
            attempts.extend(self.attempts_of(id).await?);
        }
        attempts.sort_by_key(|attempt| attempt.started);
        let not_run = match self.find_not_run(at).await? {
            None => None,
            Some(record) => self.not_run(periods, record).await?,
        };
        Ok((attempts, not_run))
    }

    async fn attempts_of(&self, occurrence: OccurrenceId) -> Result<Vec<AttemptFact>, Fault> {
        let filter =
            HistoryFilter { occurrence: Some(occurrence), phase: Some(Phase::Main), ..HistoryFilter::default() };
        let page = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
        let items = self.operations.store.history(self.job.id, &page).await?;
        let records = items.into_iter().rev().map(|item| item.entry.record);
        Ok(records.filter_map(|record| attempt(&record)).collect())
    }

    /// The record of times not run that holds a nominal time. It was written when that was decided: mostly soon after, and within
    /// days where an earlier occurrence waited, so that times near the nominal one are looked at first.
    async fn find_not_run(&self, at: Timestamp) -> Result<Option<Record>, Fault> {
        let mut left = limits::EXPLAIN_RECORDS_MAX;
        let mut from = at.saturating_add(-1);
        for days in [1, 7, i64::from(u16::MAX)] {
            let until = at.saturating_add(days * TICKS_PER_DAY).min(self.now.saturating_add(TICKS_PER_DAY));
            let filter = HistoryFilter {
                status: Some(StatusKind::Postponed),
                started_from: Some(from),
                started_until: Some(until),
                ..HistoryFilter::default()
            };
            let mut page = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
            loop {
                let items = self.operations.store.history(self.job.id, &page).await?;
                let is_last = items.len() < page.limit;
                left = left.saturating_sub(items.len());
                page.after = items.last().map(|item| item.key);
                let mut records = items.into_iter().map(|item| item.entry.record);
                if let Some(found) = records.find(|record| holds(record, at)) {
                    return Ok(Some(found));
                }
                if is_last || left == 0 {
                    break;
                }
            }
            from = until;
        }
        Ok(None)
    }

    async fn not_run(&self, periods: &[Period], record: Record) -> Result<Option<NotRunFact>, Fault> {
        let Status::Postponed(range) = record.status else { return Ok(None) };
        let (mut open, mut latest_ran) = (None, None);
        match range.reason {
            Reason::Overlap => open = self.open_at(range.first).await?,
            Reason::Missed | Reason::Paused => {
                let mut after = periods.iter().filter_map(|period| period.timetable.next(range.last));
                if let Some(next) = after.find(|next| matches!(explain::due(periods, *next), Due::Then(_))) {
                    let attempts = self.attempts_of(scheduled(next).id(self.job.uid)).await?;
                    // One that ran in its own time was not missed.
                    let late = attempts.into_iter().find(|attempt| attempt.started >= record.started);
                    latest_ran = late.map(|attempt| attempt.started);
                }
            }
            Reason::Disabled | Reason::Shadow => {}
        }
        Ok(Some(NotRunFact { range, message: record.message, open, latest_ran }))
    }

    /// The nominal time of the occurrence of the schedule that was open at an instant: the last that had started by then.
    async fn open_at(&self, at: Timestamp) -> Result<Option<Timestamp>, Fault> {
        let filter = HistoryFilter { phase: Some(Phase::Main), started_until: Some(at), ..HistoryFilter::default() };
        let page = HistoryPage { filter, limit: limits::STATUS_RECORDS, ..HistoryPage::default() };
        let items = self.operations.store.history(self.job.id, &page).await?;
        let mut records = items.into_iter().map(|item| item.entry.record);
        Ok(records.find_map(|record| match record.status {
            Status::Completed(nominal) | Status::Failed(nominal) if record.origin == Origin::Schedule => Some(nominal),
            _ => None,
        }))
    }
}

/// Whether a record says of a nominal time that it was not run.
fn holds(record: &Record, at: Timestamp) -> bool {
    let is_of_schedule = record.origin == Origin::Schedule && record.phase == Phase::Main;
    matches!(record.status, Status::Postponed(NotRun { first, last, .. }) if is_of_schedule && first <= at && at <= last)
}

fn attempt(record: &Record) -> Option<AttemptFact> {
    let has_failed = match record.status {
        Status::Completed(_) => false,
        Status::Failed(_) => true,
        Status::Postponed(_) => return None,
    };
    let reason = record.failure.as_ref().map_or_else(|| record.message.clone(), Failure::sentence);
    Some(AttemptFact {
        started: record.started,
        failure: has_failed.then_some(reason),
        retry_at: record.retry_at,
        is_resent: record.is_resent && !matches!(record.origin, Origin::Rerun(_)),
        is_backfill: matches!(record.origin.original(), Some(punctual_model::occurrence::Original::Backfill)),
    })
}

/// When the job was disabled, if it was at an instant, and by whom.
fn disabled(periods: &[Period], changes: &[ChangeEntry], at: Timestamp) -> Option<Hold> {
    let is_then = |period: &&Period| period.from < at && period.until.is_none_or(|until| at <= until);
    let within = periods.iter().find(|period| period.state == State::Disabled && is_then(period))?;
    // Edits of a disabled job divide the time in which it was disabled.
    let first = periods.iter().rev().filter(|period| period.from <= within.from);
    let from =
        first.take_while(|period| period.state == State::Disabled).last().map_or(within.from, |first| first.from);
    let after = periods.iter().filter(|period| period.from >= within.from);
    let until = after.take_while(|period| period.state == State::Disabled).last().and_then(|last| last.until);
    Some(Hold { by: who(changes, from), from, until })
}

/// The same for its collection.
async fn collection_disabled(
    operations: &Operations,
    collection: &CollectionEntry,
    at: Timestamp,
) -> Result<Option<Hold>, Fault> {
    let stops = operations.store.stops(collection.id).await?;
    let stops: Vec<_> = stops.into_iter().map(|stop| Stop { from: stop.from, until: stop.until }).collect();
    let Some(stop) = explain::stop_at(&stops, at) else { return Ok(None) };
    let changes = changes(operations, ChangePlace::Collection(collection.key.clone())).await?;
    Ok(Some(Hold { by: who(&changes, stop.from), from: stop.from, until: stop.until }))
}

/// The same for the whole server.
fn paused(pauses: &[PauseEntry], at: Timestamp) -> Option<Hold> {
    let holds = |pause: &&PauseEntry| pause.since <= at && pause.until.is_none_or(|until| at <= until);
    let pause = pauses.iter().rev().find(holds).or_else(|| pauses.last().filter(|last| last.until.is_none()))?;
    Some(Hold { by: Some(pause.paused_by.clone()), from: pause.since, until: pause.until })
}

/// Who made a change at an instant.
fn who(changes: &[ChangeEntry], at: Timestamp) -> Option<String> {
    changes.iter().find(|change| change.stamp.at == at).map(|change| change.stamp.who.clone())
}

/// Who created the job, and when.
fn created(periods: &[Period], changes: &[ChangeEntry]) -> Option<(String, Timestamp)> {
    let first = periods.first()?.from;
    let created = changes.iter().find(|change| change.edit == Edit::Created)?;
    (created.stamp.at <= first).then(|| (created.stamp.who.clone(), created.stamp.at))
}
