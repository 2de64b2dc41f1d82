//! What happens to a row: `step(state, event)` is its next state, and adds to the effects what has to be done.
//!
//! ```text
//!             its time comes near        the row and its definition are there
//!   Unknown ──▶ Waiting ──────▶ Reading ───────────────▶ Ready ──────────────────────╮ its time and turn come
//!      ▲           ▲             ▲ ▲ │                     │                         │
//!      │           │             │ │ ╰── looked at again ──┼──▶ Writing ◀── decided ─┤
//!      │           │   its job   │ │                       │    │  ▲ ▲  │            ├── a resend ──▶ Writing
//!      │           │   is free ──┤ ╰────────── HeldBack ◀──┼────┼──┼─┼──┼── waits ───┤                 │ written
//!      │                         │ │                       │    │  │ │  │            ▼                 ▼
//!      │                         │ ╰──── stale, failed ────┼────╯  │ │  │         InFlight ◀────── Resending
//!      │                         ├──── the job changed ◀───╯       │ │  │            │
//!      │                         ├──── outdated while in flight ◀──┼─┼──┼────────────┤ ended
//!      │                         ╰──── the attempt is settled ─────╯ ╰──┼── settled ─╯
//!      ╰────────────────────── written: the row wakes later ◀───────────╯
//! ```
//!
//! A row that cannot be read or written is `SetAside`, until its job is written. What is asked for while a read, a write or
//! an attempt is under way is remembered in the state: `is_outdated` (the row changed, and is read again before it is
//! decided about), `needs_recheck` (maintenance wants it looked at). A row in flight is looked at by its settlement, which
//! accounts for all that came due behind it.

use std::sync::Arc;

use punctual_model::event::{Event, EventKind};
use punctual_store::{CollectionId, DueKey, Revision, WorkChange, WorkId};

use super::Row;
use super::attempt::{Finished, Flight};
use super::event::{RowEffect, RowEvent, StepContext as Context};
use super::state::{Ended, HeldBack, ReadStage, Reading, Resend, RowState, Urgency, WriteReason, Writing};
use crate::concurrency::Slot;
use crate::definitions;
use crate::lanes::LOAD_TICKS;
use crate::settlement::{self, Settled};

type Effects = Vec<RowEffect>;

/// The next state of a row. What has to be done is added to `effects`, one list for all steps: it is allocated once.
pub(crate) fn step(state: RowState, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    match state {
        RowState::Unknown => from_unknown(event, effects),
        RowState::Waiting { wake_at, lane } => match event {
            RowEvent::Found(key) if key.wake_at < wake_at => waiting(&key),
            RowEvent::Found(_) | RowEvent::Changed => RowState::Waiting { wake_at, lane },
            RowEvent::Forgotten => RowState::Unknown,
            RowEvent::ComesNear => Reading::ahead(lane, false),
            RowEvent::Recheck => Reading::rechecked(),
            event => impossible("waiting", &event, effects),
        },
        RowState::Reading(reading) => from_reading(reading, event, at, effects),
        RowState::Ready(row) => from_ready(row, event, at, effects),
        RowState::HeldBack(held_back) => match event {
            RowEvent::JobFree => Reading::ahead(held_back.key.lane, true),
            // The edit may have changed what the row has to wait for.
            RowEvent::Changed => Reading::ahead(held_back.key.lane, false),
            RowEvent::Recheck => Reading::rechecked(),
            RowEvent::Found(_) => RowState::HeldBack(held_back),
            event => impossible("held back", &event, effects),
        },
        RowState::Writing(writing) => from_writing(writing, event, at, effects),
        RowState::Resending(resend) => from_resending(*resend, event, at, effects),
        RowState::InFlight(flight) => from_in_flight(flight, event, at, effects),
        RowState::SetAside(ended) => match event {
            RowEvent::Changed => {
                RowState::Reading(Box::new(Reading { ended: ended.map(|ended| *ended), ..Reading::urgent() }))
            }
            RowEvent::Found(_) | RowEvent::Recheck => RowState::SetAside(ended),
            event => impossible("set aside", &event, effects),
        },
    }
}

fn from_unknown(event: RowEvent, effects: &mut Effects) -> RowState {
    match event {
        RowEvent::Found(key) => waiting(&key),
        RowEvent::Recheck => Reading::rechecked(),
        RowEvent::Changed | RowEvent::Forgotten => RowState::Unknown,
        event => impossible("unknown", &event, effects),
    }
}

const fn waiting(key: &DueKey) -> RowState {
    RowState::Waiting { wake_at: key.wake_at, lane: key.lane }
}

fn from_reading(mut reading: Box<Reading>, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    let is_queued = matches!(reading.stage, ReadStage::Queued(_));
    match event {
        RowEvent::Found(_) => RowState::Reading(reading),
        // What was asked before the change may not know of it.
        RowEvent::Changed => {
            reading.is_outdated = !is_queued;
            RowState::Reading(reading)
        }
        RowEvent::Recheck => {
            reading.needs_recheck = true;
            match reading.stage {
                ReadStage::Queued(Urgency::Ahead) => reading.stage = ReadStage::Queued(Urgency::Now),
                ReadStage::Queued(_) => {}
                ReadStage::Sent | ReadStage::Undefined(_) => reading.is_outdated = true,
            }
            RowState::Reading(reading)
        }
        RowEvent::ReadSent if is_queued => {
            reading.stage = ReadStage::Sent;
            RowState::Reading(reading)
        }
        RowEvent::Rested if is_queued => reading.again(Urgency::Now),
        RowEvent::NotRead if !is_queued => reading.again(Urgency::Later),
        event if is_queued => impossible("reading, not sent", &event, effects),
        RowEvent::Read(_)
        | RowEvent::ReadUndefined(_)
        | RowEvent::Defined(_)
        | RowEvent::NotDefined
        | RowEvent::Gone
        | RowEvent::Unreadable(_)
            if reading.is_outdated =>
        {
            reading.again(Urgency::Now)
        }
        event => finish_reading(reading, event, at, effects),
    }
}

/// The store has answered, and the answer is not outdated.
fn finish_reading(mut reading: Box<Reading>, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    match (event, std::mem::take(&mut reading.stage)) {
        (RowEvent::Read(row), ReadStage::Sent) => admit(*reading, row, at, effects),
        (RowEvent::ReadUndefined(entry), ReadStage::Sent) => {
            effects.push(RowEffect::ReadDefinition(entry.job));
            reading.stage = ReadStage::Undefined(entry);
            RowState::Reading(reading)
        }
        (RowEvent::Defined(job), ReadStage::Undefined(entry)) if job.definition.revision == entry.job_revision => {
            admit(*reading, Box::new(Row { entry: *entry, job, has_waited: false }), at, effects)
        }
        // The job was edited between the two reads.
        (RowEvent::Defined(_), ReadStage::Undefined(_)) => reading.again(Urgency::Now),
        // The job was deleted between the two reads.
        (RowEvent::NotDefined, ReadStage::Undefined(_)) if reading.ended.is_some() => reading.again(Urgency::Later),
        (RowEvent::NotDefined, ReadStage::Undefined(_)) => RowState::Unknown,
        (RowEvent::Unreadable(reason), ReadStage::Undefined(entry)) => match &reading.ended {
            // The definition with which the attempt was started will do.
            Some(ended) if ended.row.job.definition.revision == entry.job_revision => {
                let job = Arc::clone(&ended.row.job);
                admit(*reading, Box::new(Row { entry: *entry, job, has_waited: false }), at, effects)
            }
            _ => set_aside(reading.ended, reason, effects),
        },
        (RowEvent::Gone, ReadStage::Sent) => {
            if let Some(ended) = reading.ended.filter(|ended| !ended.may_be_settled) {
                effects.push(RowEffect::Note(settlement::record_of_gone(&ended.row, &ended.finished, at.ownership)));
            }
            RowState::Unknown
        }
        (RowEvent::Unreadable(reason), _) => set_aside(reading.ended, reason, effects),
        (event, _) => impossible("reading", &event, effects),
    }
}

/// The row cannot be read or written. An attempt that came to its end is settled when it can.
fn set_aside(ended: Option<Ended>, reason: String, effects: &mut Effects) -> RowState {
    effects.push(RowEffect::SetAside(reason));
    RowState::SetAside(ended.map(Box::new))
}

/// The row is there, with its definition: what is to be settled or made good is written, else the row gets ready.
fn admit(reading: Reading, mut row: Box<Row>, at: Context<'_>, effects: &mut Effects) -> RowState {
    let Reading { lane, ended, needs_recheck, has_waited, .. } = reading;
    row.has_waited = has_waited;
    if let Some(Ended { finished, may_be_settled, .. }) = ended {
        match settlement::settle_row(&row, &finished, at.pauses) {
            Settled::Change(change) => {
                return write(row, WriteReason::Settled(finished), change, needs_recheck, effects);
            }
            Settled::Duplicate(note) if !may_be_settled => effects.push(RowEffect::Note(note)),
            Settled::Duplicate(_) => {}
        }
    }
    let is_rechecked = needs_recheck || !row.entry.ended_stops.is_empty() || row.open().is_none();
    if is_rechecked && let Some(change) = settlement::recheck(&row, needs_recheck, at) {
        let reason = WriteReason::Rechecked { is_asked_for: needs_recheck };
        return write(row, reason, change, false, effects);
    }
    // A row that is another node's by now, or in flight there, was read too late.
    let Some(key) = row.key().filter(|_| at.ownership.has(&row)) else { return RowState::Unknown };
    // A row that was not read for its lane may have been read before its job was known, and changed since.
    if lane.is_some() && key.wake_at <= at.now.saturating_add(LOAD_TICKS) {
        effects.push(RowEffect::CoverWakeTime(key.wake_at));
        return RowState::Ready(row);
    }
    effects.push(RowEffect::EnterWindow(key));
    RowState::Unknown
}

fn write(
    row: Box<Row>,
    reason: WriteReason,
    mut change: Box<WorkChange>,
    needs_recheck: bool,
    effects: &mut Effects,
) -> RowState {
    change.needs_shard = reason.is_decision();
    let writing = Box::new(Writing::new(row, reason, &change, needs_recheck));
    effects.push(RowEffect::Write(change));
    RowState::Writing(writing)
}

fn from_ready(row: Box<Row>, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    match event {
        RowEvent::Found(_) => RowState::Ready(row),
        RowEvent::Forgotten => RowState::Unknown,
        RowEvent::Changed => Reading::ahead(row.entry.lane, row.has_waited),
        RowEvent::Recheck => Reading::rechecked(),
        RowEvent::Start(slot, number) => start(row, slot, number, at, effects),
        RowEvent::CountResend(slot) => {
            let change = settlement::count_resend(&row, at.now);
            write(row, WriteReason::Resend(slot), change, false, effects)
        }
        RowEvent::Write(change) => write(row, WriteReason::Decided, change, false, effects),
        RowEvent::HoldBack => HeldBack::state_of(&row),
        event => impossible("ready", &event, effects),
    }
}

fn start(row: Box<Row>, slot: Slot, number: u64, at: Context<'_>, effects: &mut Effects) -> RowState {
    let Some(occurrence) = row.open() else {
        effects.push(RowEffect::FreeSlot(slot, row.entry.job, None));
        return RowState::Unknown;
    };
    let flight = Flight { row, slot, number, occurrence, started: at.now, is_outdated: false, is_slow: false };
    let call = flight.call();
    // The server's own jobs are nobody's business.
    if flight.row.entry.collection != CollectionId::SERVER {
        let (path, kind) = (Arc::clone(&flight.row.job.definition.path), EventKind::Started(flight.event(&call)));
        effects.push(RowEffect::Publish(Event { at: at.now, path: Some(path), kind }));
    }
    effects.push(RowEffect::Start(flight.id(), call));
    RowState::InFlight(Box::new(flight))
}

fn from_resending(resend: Resend, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    let Resend { row, slot } = resend;
    let job = row.entry.job;
    let next = match event {
        RowEvent::Found(_) => return RowState::Resending(Box::new(Resend { row, slot })),
        RowEvent::StartResend(number) => return start(row, slot, number, at, effects),
        RowEvent::Changed => RowState::Reading(Box::new(Reading::urgent())),
        RowEvent::Recheck => Reading::rechecked(),
        RowEvent::PutOff => {
            effects.extend(row.key().map(RowEffect::EnterWindow));
            RowState::Unknown
        }
        event => impossible("resending", &event, effects),
    };
    effects.push(RowEffect::FreeSlot(slot, job, None));
    next
}

fn from_in_flight(mut flight: Box<Flight>, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    match event {
        RowEvent::Found(_) => RowState::InFlight(flight),
        RowEvent::Changed | RowEvent::Recheck => {
            flight.is_outdated = true;
            RowState::InFlight(flight)
        }
        RowEvent::BecameSlow => {
            flight.is_slow = true;
            let (collection, host, is_new) = flight.slot.doubt();
            effects.push(RowEffect::HostIsSlow { collection, host, is_new });
            RowState::InFlight(flight)
        }
        RowEvent::Ended(outcome) => {
            let (lesson, is_outdated) = (flight.lesson(outcome.trouble), flight.is_outdated);
            let (row, slot, finished) = flight.finish(at.now, outcome);
            effects.push(RowEffect::FreeSlot(slot, row.entry.job, Some(lesson)));
            if is_outdated {
                return settle_later(row, finished, false, Urgency::Now, false);
            }
            match settlement::settle_row(&row, &finished, at.pauses) {
                Settled::Change(change) => write(row, WriteReason::Settled(finished), change, false, effects),
                Settled::Duplicate(_) => settle_later(row, finished, false, Urgency::Now, false),
            }
        }
        event => {
            let Flight { row, slot, .. } = *flight;
            effects.push(RowEffect::FreeSlot(slot, row.entry.job, None));
            impossible("in flight", &event, effects)
        }
    }
}

/// An attempt came to its end, and its row is read again before it is settled.
fn settle_later(
    row: Box<Row>,
    finished: Box<Finished>,
    may_be_settled: bool,
    urgency: Urgency,
    needs_recheck: bool,
) -> RowState {
    RowState::Reading(Box::new(Reading {
        stage: ReadStage::Queued(urgency),
        ended: Some(Ended { row, finished, may_be_settled }),
        needs_recheck,
        ..Reading::urgent()
    }))
}

fn from_writing(mut writing: Box<Writing>, event: RowEvent, at: Context<'_>, effects: &mut Effects) -> RowState {
    match event {
        RowEvent::Found(_) => RowState::Writing(writing),
        RowEvent::Changed => {
            writing.is_outdated = true;
            RowState::Writing(writing)
        }
        RowEvent::Recheck => {
            writing.needs_recheck = true;
            RowState::Writing(writing)
        }
        RowEvent::Written { revision, beside } => written(*writing, revision, beside, at, effects),
        RowEvent::Stale => not_written(*writing, false, Urgency::Now, effects),
        RowEvent::NotWritten => not_written(*writing, false, Urgency::Later, effects),
        RowEvent::Landed => not_written(*writing, true, Urgency::Now, effects),
        RowEvent::Refused(reason) => {
            let Writing { row, reason: why, .. } = *writing;
            let mut ended = None;
            match why {
                WriteReason::Settled(finished) => ended = Some(Ended { row, finished, may_be_settled: false }),
                WriteReason::Resend(slot) => effects.push(RowEffect::FreeSlot(slot, row.entry.job, None)),
                WriteReason::Decided | WriteReason::Rechecked { .. } => {}
            }
            set_aside(ended, reason, effects)
        }
        event => {
            let state = not_written(*writing, true, Urgency::Now, effects);
            impossible("writing", &event, effects);
            state
        }
    }
}

/// The change is on disk.
fn written(
    writing: Writing,
    revision: Revision,
    beside: Option<WorkId>,
    at: Context<'_>,
    effects: &mut Effects,
) -> RowState {
    let Writing { mut row, reason, next, is_outdated, needs_recheck } = writing;
    let is_needed_soon = |key: &DueKey| key.wake_at <= at.now.saturating_add(definitions::KEPT_TICKS);
    if next.has_job_ended || !next.key.as_ref().is_some_and(is_needed_soon) {
        effects.push(RowEffect::ForgetDefinition(row.entry.job));
    }
    if let (Some(key), Some(id)) = (next.beside, beside) {
        effects.push(RowEffect::EnterWindow(DueKey { id, ..key }));
    }
    let must_read = is_outdated || needs_recheck;
    let again = RowState::Reading(Box::new(Reading { needs_recheck, ..Reading::urgent() }));
    match reason {
        WriteReason::Resend(slot) if must_read => {
            effects.push(RowEffect::FreeSlot(slot, row.entry.job, None));
            again
        }
        WriteReason::Resend(slot) => {
            row.entry.revision = revision;
            row.entry.resends += 1;
            RowState::Resending(Box::new(Resend { row, slot }))
        }
        _ if must_read => again,
        _ => {
            effects.extend(next.key.map(RowEffect::EnterWindow));
            RowState::Unknown
        }
    }
}

/// Nothing is known to be on disk: the row is read, and decided about as it is then.
fn not_written(writing: Writing, may_be_settled: bool, urgency: Urgency, effects: &mut Effects) -> RowState {
    let needs_recheck = writing.is_rechecked();
    let Writing { row, reason, .. } = writing;
    match reason {
        WriteReason::Settled(finished) => settle_later(row, finished, may_be_settled, urgency, needs_recheck),
        reason => {
            if let WriteReason::Resend(slot) = reason {
                effects.push(RowEffect::FreeSlot(slot, row.entry.job, None));
            }
            let stage = ReadStage::Queued(urgency);
            RowState::Reading(Box::new(Reading { stage, needs_recheck, ..Reading::urgent() }))
        }
    }
}

/// A step that nobody thought of: the row is read, and goes on as it is then.
fn impossible(state: &str, event: &RowEvent, effects: &mut Effects) -> RowState {
    effects.push(RowEffect::Impossible(format!("{event:?} while {state}")));
    RowState::Reading(Box::new(Reading::urgent()))
}
