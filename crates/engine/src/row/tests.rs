//! Lives of a row, told step by step.

use std::sync::Arc;

use punctual_actions::Outcome;
use punctual_model::action::{Action, Address, HttpAction, HttpType, Target};
use punctual_model::job::{Definition, JobState, Uid};
use punctual_model::lane::{Host, Lane};
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::options::{Options, OptionsParts};
use punctual_model::pause::Pauses;
use punctual_model::progress::Progress;
use punctual_model::recurrence::{Anchor, Frequency, Parts, Recurrence};
use punctual_model::time::{TICKS_PER_DAY, Timestamp};
use punctual_store::{CollectionId, DueKey, JobDefinition, JobId, OpenWork, Revision, WorkEntry, WorkId};

use crate::ownership::Ownership;

use super::{Row, RowEffect, RowEvent, RowState, StepContext, step};
use crate::concurrency::{Concurrency, ConcurrencyLimits, Slot};
use crate::definitions::LoadedJob;

/// A row, and what its last step asked for.
struct Life {
    state: RowState,
    effects: Vec<RowEffect>,
}

impl Life {
    /// A row that waits.
    fn new() -> Self {
        let mut life = Self { state: RowState::Unknown, effects: Vec::new() };
        life.step(RowEvent::Found(key()));
        life
    }

    /// A row that is ready.
    fn ready() -> Self {
        let mut life = Self::new();
        life.step(RowEvent::ComesNear);
        life.read(entry(1));
        life
    }

    /// A row with an attempt in flight.
    fn in_flight() -> Self {
        let mut life = Self::ready();
        life.step(RowEvent::Start(slot(), 1));
        life
    }

    fn step(&mut self, event: RowEvent) -> &str {
        self.effects.clear();
        let (state, pauses) = (std::mem::take(&mut self.state), Pauses::default());
        self.state = step(state, event, context(&pauses), &mut self.effects);
        self.name()
    }

    /// The read is sent, and answered with that row.
    fn read(&mut self, entry: WorkEntry) -> &str {
        self.step(RowEvent::ReadSent);
        self.step(RowEvent::Read(Box::new(Row { entry, job: job(), has_waited: false })))
    }

    fn name(&self) -> &'static str {
        match &self.state {
            RowState::Unknown => "unknown",
            RowState::Waiting { .. } => "waiting",
            RowState::Reading(_) => "reading",
            RowState::Ready(_) => "ready",
            RowState::HeldBack(_) => "held back",
            RowState::Writing(_) => "writing",
            RowState::Resending(_) => "resending",
            RowState::InFlight(_) => "in flight",
            RowState::SetAside(_) => "set aside",
        }
    }

    fn has(&self, is_it: impl Fn(&RowEffect) -> bool) -> bool {
        self.effects.iter().any(is_it)
    }
}

fn now() -> Timestamp {
    Timestamp::from_seconds(1_800_000_000).unwrap()
}

fn context(pauses: &Pauses) -> StepContext<'_> {
    StepContext { now: now(), account_until: None, pauses, ownership: &Ownership::ALONE }
}

fn key() -> DueKey {
    DueKey { wake_at: now(), lane: lane(), id: WorkId(7), job: JobId(7) }
}

fn lane() -> Lane {
    job().lane(CollectionId(1), punctual_model::occurrence::Phase::Main)
}

fn slot() -> Slot {
    let mut concurrency = Concurrency::new(ConcurrencyLimits { server: 9, collection: 9, host: 9 });
    let host: Arc<Host> = Arc::clone(job().host(punctual_model::occurrence::Phase::Main));
    concurrency.take(lane(), CollectionId(1), &host).unwrap()
}

fn job() -> Arc<LoadedJob> {
    let http = HttpAction {
        kind: HttpType::Http,
        uri: Address::parse("http://example.com").unwrap(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: None,
    };
    let daily = Parts { frequency: Some(Frequency::Day), interval: Some(1), ..Parts::default() };
    let definition = Definition {
        start: None,
        action: Action { target: Target::Http(http), retry: None, error: None, sign: None },
        recurrence: Some(Recurrence::new(&daily).unwrap()),
        options: Options::new(OptionsParts::default()).unwrap(),
    };
    let definition = JobDefinition {
        id: JobId(7),
        revision: Revision(1),
        uid: Uid::from_bytes([1; 16]),
        path: "s/g/c/7".into(),
        definition: Arc::new(definition),
        state: JobState::Enabled,
        anchor: Anchor::Creation(now()),
        series: 1,
        bytes: 0,
    };
    Arc::new(LoadedJob::new(definition).unwrap())
}

/// The row in that revision, at its first occurrence.
fn entry(revision: i64) -> WorkEntry {
    let open = Occurrence { repeat: 1, series: 1, ..Occurrence::asked_for(Origin::Schedule, now(), now()) };
    WorkEntry {
        id: WorkId(7),
        job: JobId(7),
        revision: Revision(revision),
        lane: lane(),
        resends: 0,
        claimed_by: None,
        claimed_beside: punctual_model::dispatch::InFlight::default(),
        open: OpenWork::Schedule(Progress {
            open: Some(open),
            ..Progress::new(1, now().saturating_add(-TICKS_PER_DAY))
        }),
        scheduled_beside: 0,
        job_revision: Revision(1),
        collection: CollectionId(1),
        sku: None,
        collection_stopped_at: None,
        ended_stops: Vec::new(),
        failure: None,
    }
}

/// The row after its first occurrence.
fn moved_on() -> WorkEntry {
    let tomorrow = now().saturating_add(TICKS_PER_DAY);
    let open = Occurrence { repeat: 2, series: 1, ..Occurrence::asked_for(Origin::Schedule, tomorrow, tomorrow) };
    let progress = Progress { open: Some(open), started: 1, ..Progress::new(1, now()) };
    WorkEntry { open: OpenWork::Schedule(progress), ..entry(2) }
}

fn succeeded() -> RowEvent {
    let message = "200".to_owned();
    RowEvent::Ended(Outcome::succeeded(message))
}

fn written() -> RowEvent {
    RowEvent::Written { revision: Revision(2), beside: None }
}

#[test]
fn an_ordinary_day() {
    let mut life = Life::new();
    assert_eq!(life.name(), "waiting");
    assert_eq!(life.step(RowEvent::ComesNear), "reading");
    assert_eq!(life.read(entry(1)), "ready");
    assert_eq!(life.step(RowEvent::Start(slot(), 1)), "in flight");
    assert!(life.has(|effect| matches!(effect, RowEffect::Start(..))));
    assert_eq!(life.step(succeeded()), "writing");
    assert!(life.has(|effect| matches!(effect, RowEffect::FreeSlot(_, JobId(7), Some(_)))));
    assert!(life.has(|effect| matches!(effect, RowEffect::Write(_))));
    assert_eq!(life.step(written()), "unknown");
    let tomorrow = now().saturating_add(TICKS_PER_DAY);
    assert!(life.has(|effect| matches!(effect, RowEffect::EnterWindow(key) if key.wake_at == tomorrow)));
}

#[test]
fn a_row_that_is_edited_while_it_is_read_is_read_again() {
    let mut life = Life::new();
    life.step(RowEvent::ComesNear);
    life.step(RowEvent::ReadSent);
    assert_eq!(life.step(RowEvent::Changed), "reading");
    assert_eq!(life.step(RowEvent::Read(Box::new(Row { entry: entry(1), job: job(), has_waited: false }))), "reading");
    assert_eq!(life.read(entry(2)), "ready");
}

#[test]
fn a_row_that_is_edited_in_flight_is_read_before_it_is_settled() {
    let mut life = Life::in_flight();
    assert_eq!(life.step(RowEvent::Changed), "in flight");
    assert_eq!(life.step(succeeded()), "reading");
    assert_eq!(life.read(entry(2)), "writing");
}

#[test]
fn a_definition_of_another_revision_has_both_read_again() {
    let mut life = Life::new();
    life.step(RowEvent::ComesNear);
    life.step(RowEvent::ReadSent);
    let edited = WorkEntry { job_revision: Revision(2), ..entry(1) };
    assert_eq!(life.step(RowEvent::ReadUndefined(Box::new(edited))), "reading");
    assert!(life.has(|effect| matches!(effect, RowEffect::ReadDefinition(JobId(7)))));
    assert_eq!(life.step(RowEvent::Defined(job())), "reading");
    assert_eq!(life.read(entry(1)), "ready");
}

#[test]
fn maintenance_has_a_row_in_flight_read_before_it_is_settled_and_looks_again_at_one_that_is_written() {
    let mut life = Life::in_flight();
    assert_eq!(life.step(RowEvent::Recheck), "in flight");
    assert_eq!(life.step(succeeded()), "reading");
    assert_eq!(life.read(entry(1)), "writing");
    assert_eq!(life.step(RowEvent::Recheck), "writing");
    assert_eq!(life.step(written()), "reading");
    assert_eq!(life.read(moved_on()), "unknown");
}

#[test]
fn what_a_landed_batch_has_settled_is_no_duplicate() {
    for (event, is_noted) in [(RowEvent::Landed, false), (RowEvent::NotWritten, true)] {
        let mut life = Life::in_flight();
        life.step(succeeded());
        assert_eq!(life.step(event), "reading");
        life.step(RowEvent::Rested);
        assert_eq!(life.read(moved_on()), "unknown");
        assert_eq!(life.has(|effect| matches!(effect, RowEffect::Note(_))), is_noted);
    }
}

#[test]
fn a_row_that_the_database_refuses_is_set_aside_until_its_job_is_written() {
    let mut life = Life::in_flight();
    life.step(succeeded());
    assert_eq!(life.step(RowEvent::Refused("no".to_owned())), "set aside");
    assert_eq!(life.step(RowEvent::Found(key())), "set aside");
    assert_eq!(life.step(RowEvent::Changed), "reading");
    assert_eq!(life.read(entry(2)), "writing", "the attempt is settled after all");
}

#[test]
fn an_attempt_is_settled_with_the_definition_of_its_row_and_with_no_other() {
    for (job_revision, next) in [(1, "writing"), (2, "set aside")] {
        let mut life = Life::in_flight();
        life.step(RowEvent::Changed);
        life.step(succeeded());
        life.step(RowEvent::ReadSent);
        let edited = WorkEntry { job_revision: Revision(job_revision), ..entry(2) };
        life.step(RowEvent::ReadUndefined(Box::new(edited)));
        assert_eq!(life.step(RowEvent::Unreadable("damaged".to_owned())), next, "revision {job_revision}");
    }
}

#[test]
fn a_resend_is_counted_before_it_is_sent() {
    let mut life = Life::new();
    life.step(RowEvent::ComesNear);
    life.read(WorkEntry { resends: 1, ..entry(1) });
    assert_eq!(life.step(RowEvent::CountResend(slot())), "writing");
    assert_eq!(life.step(written()), "resending");
    assert_eq!(life.step(RowEvent::StartResend(1)), "in flight");
    let is_marked = |effect: &RowEffect| matches!(effect, RowEffect::Start(_, call) if call.is_resent);
    assert!(life.has(is_marked));
}

#[test]
fn a_step_that_nobody_thought_of_has_the_row_read() {
    let mut life = Life::new();
    assert_eq!(life.step(succeeded()), "reading");
    assert!(life.has(|effect| matches!(effect, RowEffect::Impossible(_))));
}
