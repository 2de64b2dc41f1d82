//! From the model's decisions to what is written.

use punctual_actions::{HostTrouble, Outcome};
use punctual_model::dispatch::{
    Dispatch, DispatchBeside, InFlight, dispatch, dispatch_beside, dispatch_resent, dispatch_shadow,
};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Record, Status};
use punctual_model::job::{Counters, State};
use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::pause::Pauses;
use punctual_model::progress::Progress;
use punctual_model::settle::{Attempt, Settlement, Verdict, settle, settle_beside};
use punctual_model::terms::Terms;
use punctual_model::time::Timestamp;
use punctual_store::{BesideRow, HistoryEntry, NodeId, OpenWork, Revision, RowChange, WorkChange};

use crate::ownership::Ownership;
use crate::row::{Finished, Row, StepContext};

/// An attempt counts as failed after this many resends: it may have been sent, was sent again twice, and was never settled.
/// A call that kills the process must not live for ever.
const RESENDS_MAX: u32 = 3;

/// What is to be done with a row whose wake time has come.
pub(crate) enum Decision {
    /// The attempt of the row is made.
    Run,
    /// The row waits for other attempts of its job.
    Wait,
    /// The row is written first.
    Write(Box<WorkChange>),
}

/// Decides about a row whose wake time has come, while other attempts of its job are in flight.
pub(crate) fn decide(row: &Row, in_flight: InFlight, now: Timestamp, pauses: &Pauses) -> Decision {
    let terms = row.job.terms(&row.entry);
    if row.entry.resends >= RESENDS_MAX
        && let Some(occurrence) = row.open()
        && let Settled::Change(change) = settle_row(row, &given_up(occurrence, now), pauses)
    {
        return Decision::Write(change);
    }
    // An error action that an edit took away cannot be sent again.
    let can_be_sent = row.open().is_some_and(|open| open.phase == Phase::Main || terms.error_retries.is_some());
    let is_resent = row.entry.resends > 0 && can_be_sent;
    let is_shadow = terms.options.is_shadow() && terms.stopped_at.is_none();
    match &row.entry.open {
        OpenWork::Schedule(progress) => {
            let beside = row.entry.scheduled_beside;
            let dispatch = if is_resent {
                dispatch_resent(&terms, *progress, beside)
            } else {
                dispatch(&terms, *progress, beside, now)
            };
            match dispatch {
                Dispatch::Run | Dispatch::RunBeside { .. } if is_shadow => shadow(row, &terms, *progress, now),
                Dispatch::Run => Decision::Run,
                Dispatch::RunBeside { occurrence, progress } => {
                    let beside = BesideRow { occurrence, resends: row.entry.resends };
                    Decision::Write(change(row, schedule(progress, Some(beside)), progress.open, &[], None, now))
                }
                Dispatch::Instead { progress, not_run, ends } => {
                    let not_run = explain(pauses, &terms, not_run);
                    Decision::Write(change(row, schedule(progress, None), progress.open, &not_run, ends, now))
                }
            }
        }
        OpenWork::Beside { occurrence, schedule, schedule_revision } => {
            match dispatch_beside(&terms, occurrence, in_flight, row.has_waited) {
                DispatchBeside::Run | DispatchBeside::Wait if is_shadow => {
                    Decision::Write(shadow_beside(row, occurrence, schedule, *schedule_revision, now))
                }
                DispatchBeside::Wait => Decision::Wait,
                DispatchBeside::Close(not_run) if !is_resent => {
                    let is_scheduled = occurrence.origin == Origin::Schedule;
                    let ends = schedule.ends(&terms, row.entry.scheduled_beside);
                    let ends = ends.filter(|_| is_scheduled && has_applied_stops(row, &terms, *schedule));
                    let schedule = is_scheduled.then_some((*schedule_revision, schedule.last_failed));
                    // A backfill whose error action was taken away goes on with its next time.
                    let next = occurrence.next_of_backfill(terms.timetable, now, now);
                    let next = next.filter(|_| terms.stopped_at.is_none());
                    let closed = RowChange::Beside { occurrence: next, schedule };
                    Decision::Write(change(row, closed, next, not_run.as_slice(), ends, now))
                }
                DispatchBeside::Run | DispatchBeside::Close(_) => Decision::Run,
            }
        }
    }
}

/// Closes the open occurrence of a shadow's schedule, and records what it would have done.
fn shadow(row: &Row, terms: &Terms<'_>, progress: Progress, now: Timestamp) -> Decision {
    let Some(open) = progress.open else { return Decision::Run };
    let (progress, not_run, ends) = dispatch_shadow(terms, progress, &open, row.entry.scheduled_beside, now);
    let mut change = change(row, schedule(progress, None), progress.open, &not_run, ends, now);
    change.records.insert(0, entry(row, shadow_record(row, &open, now), false));
    Decision::Write(change)
}

/// The same for an occurrence of a shadow in a row of its own.
fn shadow_beside(
    row: &Row,
    occurrence: &Occurrence,
    schedule: &Progress,
    schedule_revision: Revision,
    now: Timestamp,
) -> Box<WorkChange> {
    let terms = row.job.terms(&row.entry);
    let is_scheduled = occurrence.origin == Origin::Schedule;
    let ends = schedule.ends(&terms, row.entry.scheduled_beside);
    let ends = ends.filter(|_| is_scheduled && has_applied_stops(row, &terms, *schedule));
    let of_schedule = is_scheduled.then_some((schedule_revision, schedule.last_failed));
    let next = occurrence.next_of_backfill(terms.timetable, now, now);
    let moved = RowChange::Beside { occurrence: next, schedule: of_schedule };
    let mut change = change(row, moved, next, &[], ends, now);
    change.records.push(entry(row, shadow_record(row, occurrence, now), false));
    change
}

fn shadow_record(row: &Row, occurrence: &Occurrence, now: Timestamp) -> Record {
    let definition = &row.job.definition;
    let deed = definition.definition.action.deed(occurrence.phase);
    Record::of_shadow(definition.uid, occurrence, &deed, now)
}

/// What has to be written about a row that is looked at again, whatever is next for it: a stop of its collection, a retry that the
/// clock has moved far away; and if maintenance asks for it, nominal times that came due behind a waiting retry.
pub(crate) fn recheck(row: &Row, is_asked_for: bool, context: StepContext<'_>) -> Option<Box<WorkChange>> {
    let StepContext { now, pauses, ownership, account_until } = context;
    let terms = row.job.terms(&row.entry);
    let OpenWork::Schedule(stored) = row.entry.open else {
        let waiting = row.open()?;
        let wake_at = terms.wake_at_latest(&waiting, now);
        let moved = Occurrence { wake_at, ..waiting };
        let row_change = RowChange::Beside { occurrence: Some(moved), schedule: None };
        return (moved != waiting).then(|| change(row, row_change, Some(moved), &[], None, now));
    };
    let (mut progress, mut not_run) = (stored, Vec::new());
    if row.entry.resends == 0 {
        (progress, not_run) = apply_stops(row, &terms, progress);
        if let Some(open) = progress.open {
            progress.open = Some(Occurrence { wake_at: terms.wake_at_latest(&open, now), ..open });
        }
    }
    // What came due behind an occurrence that was not tried yet is decided about when its turn comes, with it.
    let waits_for_retry = progress.open.is_some_and(|open| !open.is_untried());
    let account_until = account_until.filter(|_| is_asked_for && waits_for_retry && terms.stopped_at.is_none());
    if let Some(until) = account_until {
        let (accounted, behind) = progress.account(&terms, until);
        progress = accounted;
        not_run.extend(behind);
    }
    // A job with nothing left ends, although nothing of its schedule has changed.
    let can_end = !row.job.definition.state.kind().is_final();
    let ends = progress.ends(&terms, row.entry.scheduled_beside).filter(|_| can_end);
    // A row beside the schedule may have been read while the collection was disabled, and would then not see that it is
    // the last one of a job that ends. Writing the schedule has it read again before it is settled.
    // So may a row that another node has in flight.
    let is_last_beside = progress.open.is_none() && row.entry.scheduled_beside > 0;
    let may_be_elsewhere = ownership.is_shared() && is_asked_for;
    let has_to_tell = (is_last_beside || may_be_elsewhere) && !row.entry.ended_stops.is_empty();
    if progress == stored && ends.is_none() && !has_to_tell {
        return None;
    }
    let not_run = explain(pauses, &terms, not_run);
    Some(change(row, schedule(progress, None), progress.open, &not_run, ends, now))
}

/// What is recorded of times that are not run, with the reason of each.
fn explain(pauses: &Pauses, terms: &Terms<'_>, not_run: Vec<NotRun>) -> Vec<NotRun> {
    not_run.into_iter().flat_map(|range| pauses.explain(terms, range)).collect()
}

/// The schedule after the stops of its collection that it was not told of, and what was not run in them.
fn apply_stops(row: &Row, terms: &Terms<'_>, mut progress: Progress) -> (Progress, Vec<NotRun>) {
    let mut not_run = Vec::new();
    if terms.stopped_at.is_some() || row.job.definition.state.kind().is_final() {
        return (progress, not_run);
    }
    for stop in &row.entry.ended_stops {
        // An occurrence that wakes later was opened after the stop.
        if progress.open.is_none_or(|open| open.wake_at <= stop.until) {
            let (resumed, passed) = progress.enable(terms, stop.from, stop.until);
            progress = resumed;
            not_run.extend(passed);
        }
    }
    (progress, not_run)
}

/// Whether a schedule was told of all stops of its collection. One that was not may have nothing open and goes on all the same.
fn has_applied_stops(row: &Row, terms: &Terms<'_>, schedule: Progress) -> bool {
    apply_stops(row, terms, schedule) == (schedule, Vec::new())
}

/// What an attempt that came to its end leads to.
pub(crate) enum Settled {
    /// The row moves on.
    Change(Box<WorkChange>),
    /// The row had moved on before: a fact for the record, which changes nothing.
    Duplicate(HistoryEntry),
}

/// Settles an attempt of a row, as it is now.
pub(crate) fn settle_row(row: &Row, finished: &Finished, pauses: &Pauses) -> Settled {
    let terms = row.job.terms(&row.entry);
    let attempt = Attempt {
        occurrence: finished.occurrence,
        started: finished.started,
        ended: finished.ended,
        verdict: finished.outcome.verdict,
        is_resent: finished.is_resent,
    };
    let beside = row.entry.scheduled_beside;
    let record = entry(row, record(row, finished), false);
    let settled = match &row.entry.open {
        OpenWork::Schedule(progress) => settle(&terms, *progress, &attempt, beside).map(|mut settlement| {
            settlement.not_run = explain(pauses, &terms, settlement.not_run);
            let (row_change, open) = (schedule(settlement.row, None), settlement.row.open);
            settled(row, row_change, open, &settlement, finished.ended)
        }),
        OpenWork::Beside { occurrence, schedule, schedule_revision } => {
            settle_beside(&terms, *occurrence, &attempt, schedule, beside).map(|mut settlement| {
                settlement.ends = settlement.ends.filter(|_| has_applied_stops(row, &terms, *schedule));
                let is_scheduled = occurrence.origin == Origin::Schedule;
                let last_failed = attempt.last_failed(schedule.last_failed);
                let schedule = is_scheduled.then_some((*schedule_revision, last_failed));
                let row_change = RowChange::Beside { occurrence: settlement.row, schedule };
                settled(row, row_change, settlement.row, &settlement, finished.ended)
            })
        }
    };
    match settled {
        Some(mut change) => {
            let retry_at = retry_at(&change, finished);
            change.records.insert(0, HistoryEntry { record: Record { retry_at, ..record.record }, ..record });
            Settled::Change(change)
        }
        None => Settled::Duplicate(HistoryEntry { is_duplicate: true, ..record }),
    }
}

/// Counts a resend, which is written before the attempt is sent again.
pub(crate) fn count_resend(row: &Row, now: Timestamp) -> Box<WorkChange> {
    change(row, RowChange::Resent, row.open(), &[], None, now)
}

/// The record of an attempt whose row is gone: its job was deleted, its backfill was cancelled by a request that had waited, or another
/// node has settled the attempt and so ended the row beside the schedule.
pub(crate) fn record_of_gone(row: &Row, finished: &Finished, ownership: &Ownership) -> HistoryEntry {
    let is_backfill = finished.occurrence.origin == Origin::Backfill;
    entry(row, record(row, finished), is_backfill || (ownership.is_shared() && row.is_beside()))
}

fn settled<Kept>(
    row: &Row,
    row_change: RowChange,
    open: Option<Occurrence>,
    settlement: &Settlement<Kept>,
    now: Timestamp,
) -> Box<WorkChange> {
    let mut change = change(row, row_change, open, &settlement.not_run, settlement.ends, now);
    change.counted = settlement.counted;
    change
}

const fn schedule(progress: Progress, beside: Option<BesideRow>) -> RowChange {
    RowChange::Schedule { progress, beside }
}

fn change(
    row: &Row,
    row_change: RowChange,
    open: Option<Occurrence>,
    not_run: &[NotRun],
    ends: Option<State>,
    now: Timestamp,
) -> Box<WorkChange> {
    let uid = row.job.definition.uid;
    let records = not_run.iter().map(|range| entry(row, Record::of_not_run(uid, *range, now), false)).collect();
    Box::new(WorkChange {
        id: row.entry.id,
        job: row.entry.job,
        collection: row.entry.collection,
        revision: row.entry.revision,
        needs_shard: false,
        row: row_change,
        lane: lane(row, open),
        counted: Counters::default(),
        ends: ends.map(|state| (state, now)),
        records,
    })
}

/// The lane in which what is open from now on waits.
fn lane(row: &Row, open: Option<Occurrence>) -> Lane {
    let phase = open.map(|open| open.phase);
    match phase {
        Some(phase) if row.open().is_none_or(|open| open.phase != phase) => row.job.lane(row.entry.collection, phase),
        _ => row.entry.lane,
    }
}

fn entry(row: &Row, record: Record, is_duplicate: bool) -> HistoryEntry {
    HistoryEntry {
        job: row.entry.job,
        record,
        node: NodeId::ONLY.0,
        revision: row.job.definition.revision.0,
        is_duplicate,
    }
}

fn record(row: &Row, finished: &Finished) -> Record {
    let Finished { occurrence, started, ended, outcome, is_resent } = finished;
    let status = match outcome.verdict {
        Verdict::Succeeded => Status::Completed(occurrence.nominal),
        Verdict::Failed { .. } | Verdict::CannotSucceed => Status::Failed(occurrence.nominal),
    };
    Record {
        started: *started,
        ended: *ended,
        occurrence: occurrence.id(row.job.definition.uid),
        origin: occurrence.origin,
        phase: occurrence.phase,
        retry: occurrence.attempt,
        repeat: occurrence.repeat,
        status,
        is_resent: *is_resent,
        retry_at: None,
        message: outcome.message.clone(),
        failure: outcome.failure.clone(),
    }
}

/// The end of an attempt that is not made again.
fn given_up(occurrence: Occurrence, now: Timestamp) -> Finished {
    let message =
        format!("Not sent again: {RESENDS_MAX} times the server ended while this attempt may have been on its way.");
    let reason = Failure::new(FailureClass::Protocol, "", &message);
    let outcome = Outcome::refused(message, reason, None, HostTrouble::None);
    Finished { occurrence, started: now, ended: now, outcome, is_resent: true }
}

/// When a failed attempt is made again, if it is.
fn retry_at(change: &WorkChange, finished: &Finished) -> Option<Timestamp> {
    let open = match &change.row {
        RowChange::Schedule { progress, .. } => progress.open,
        RowChange::Beside { occurrence, .. } => *occurrence,
        RowChange::Resent => None,
    };
    let which = |occurrence: &Occurrence| (occurrence.origin, occurrence.nominal, occurrence.phase);
    open.filter(|open| which(open) == which(&finished.occurrence)).map(|open| open.wake_at)
}
