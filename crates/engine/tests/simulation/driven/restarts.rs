//! What must not begin from zero with each process: the removal of what is old, and waiting after the clock went back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use punctual_actions::{Call, Executor, HostTrouble, Outcome};
use punctual_engine::{ClusterStatus, Deps, Retention, Settings, run};
use punctual_metrics::Metrics;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_model::job::{Counters, State, Uid};
use punctual_model::lane::Lane;
use punctual_model::limits;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::options::{Options, OptionsParts, Overlap};
use punctual_model::recurrence::Timetable;
use punctual_model::tally::{Minute, Tally};
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};
use punctual_simulated_store::SimulatedStore;
use punctual_store::{CollectionId, CollectionKey, Events, JobId, NodeId, Shards};
use punctual_telemetry::Telemetry;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use super::clock::PausedClock;
use super::sleep;
use crate::definitions::{Style, Wanted};
use crate::machine::BEGIN;
use crate::plain::job;
use crate::users::{Answer, Command, Request, Users, collection_key};

/// A server that is started and stopped, on a store that stays.
pub(super) struct Server {
    pub(super) store: SimulatedStore,
    pub(super) clock: Arc<PausedClock>,
    /// What all processes have counted.
    pub(super) metrics: Arc<Metrics>,
    /// Where attempts are traced, if they are.
    pub(super) telemetry: Option<Arc<Telemetry>>,
    /// Calls that fail before the first that succeeds.
    pub(super) failing: u32,
    calls: Arc<AtomicU32>,
}

/// Counts calls, and answers at once: the first ones with a failure.
struct Counting {
    calls: Arc<AtomicU32>,
    failing: u32,
}

#[async_trait]
impl Executor for Counting {
    async fn execute(&self, _call: Call) -> Outcome {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.failing {
            return Outcome::succeeded(String::new());
        }
        let reason = Failure::answered(FailureClass::Status, "host1.example", 503, "");
        Outcome::refused(String::new(), reason, None, HostTrouble::None)
    }
}

impl Server {
    pub(super) fn new() -> Self {
        let begin = Timestamp::from_seconds(BEGIN).expect("a date");
        let store = SimulatedStore::default();
        Users::new(&mut store.tables(), Style { is_rare: false, hosts: 1, version: 0 }, 1);
        let (clock, metrics, calls) = (Arc::new(PausedClock::new(begin)), Arc::default(), Arc::default());
        Self { store, clock, metrics, telemetry: None, failing: 0, calls }
    }

    /// Makes a job that runs once.
    pub(super) fn create(&self, number: u8) -> JobId {
        self.create_recurring(number, None)
    }

    /// Makes a job that runs as `cron` says, or once.
    pub(super) fn create_recurring(&self, number: u8, cron: Option<&str>) -> JobId {
        self.create_as(number, job(1, cron, Overlap::Skip))
    }

    /// Makes a job of this definition.
    pub(super) fn create_as(&self, number: u8, wanted: Wanted) -> JobId {
        self.create_in(collection_key(1), number, wanted)
    }

    /// Makes a job of this definition in a collection.
    pub(super) fn create_in(&self, key: CollectionKey, number: u8, wanted: Wanted) -> JobId {
        let wanted = Box::new(wanted);
        let uid = Uid::from_bytes([number; 16]);
        let mut request = Request::new(Command::Create(key, uid, wanted, None), self.clock.now());
        request.read(&self.store.tables());
        let Answer::Written(id, ..) = self.store.write(|tables| request.write(tables)) else {
            panic!("the job is not written")
        };
        id
    }

    /// One process, which is stopped after so many ticks; `meanwhile` happens in the middle of it.
    pub(super) fn serve(&self, ticks: i64, meanwhile: impl FnOnce(&Self)) {
        self.store.tables().take_over(NodeId::ONLY, Shards::ALL);
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            self.clock.start();
            let deps = Deps {
                work_store: Arc::new(self.store.clone()),
                store: Arc::new(self.store.clone()),
                executor: Arc::new(Counting { calls: Arc::clone(&self.calls), failing: self.failing }),
                clock: Arc::<PausedClock>::clone(&self.clock),
                events: Arc::<Events>::default(),
                metrics: Arc::clone(&self.metrics),
                flights: Arc::default(),
                telemetry: self.telemetry.clone(),
                membership: None,
                status: Arc::new(ClusterStatus::alone()),
            };
            let retention = Retention { history_ticks: 90 * TICKS_PER_DAY, failure_ticks: 0, history_bytes: u64::MAX };
            let stop = CancellationToken::new();
            let engine = tokio::spawn(run(deps, Settings::default(), retention, stop.clone(), Duration::from_mins(1)));
            sleep(ticks / 2).await;
            meanwhile(self);
            sleep(ticks - ticks / 2).await;
            stop.cancel();
            engine.await.expect("a process that ends");
            self.clock.stop();
        });
    }

    pub(super) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

#[test]
fn old_jobs_are_removed_by_a_server_that_is_restarted_every_half_hour() {
    let server = Server::new();
    let jobs: Vec<JobId> = (0..6).map(|number| server.create(number)).collect();
    server.serve(TICKS_PER_MINUTE, |_| ());
    let mut ended_at = server.clock.now().saturating_add(-100 * TICKS_PER_DAY);
    for id in &jobs {
        ended_at = ended_at.saturating_add(2 * TICKS_PER_DAY);
        server.store.tables().jobs.get_mut(id).expect("the job").ended_at = Some(ended_at);
    }
    let mut left = Vec::new();
    for _ in 0..8 {
        server.serve(TICKS_PER_HOUR / 2, |_| ());
        left.push(server.store.tables().jobs.len());
    }
    assert_eq!(left, [6, 5, 5, 4, 4, 3, 3, 2], "one day in an hour, whoever removed the last");
}

#[test]
fn counts_are_forgotten_a_day_in_an_hour_when_they_are_as_old_as_history_may_be() {
    let server = Server::new();
    server.create(1);
    server.serve(TICKS_PER_MINUTE, |_| ());
    let counted: Vec<Tally> = server.store.tables().tallies.values().copied().collect();
    assert_eq!(counted, [Tally { succeeded: 1, ..Tally::default() }]);
    for days in [96, 94, 92, 89] {
        let minute = Minute::of(server.clock.now().saturating_add(-days * TICKS_PER_DAY));
        server.store.tables().tallies.insert((minute, CollectionId(1)), counted[0]);
    }
    let mut left = Vec::new();
    for _ in 0..8 {
        server.serve(TICKS_PER_HOUR / 2, |_| ());
        left.push(server.store.tables().tallies.len());
    }
    assert_eq!(left, [5, 4, 4, 3, 3, 2, 2, 2]);
}

#[test]
fn a_manual_run_does_not_wait_for_a_clock_that_was_set_back() {
    let server = Server::new();
    let id = server.create(1);
    let ask = |server: &Server| {
        let now = server.clock.now();
        server.store.write(|tables| tables.run_job(id, now, limits::MANUAL_RUNS_MAX)).expect("room for a manual run");
    };
    server.serve(TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 1);
    // While no process runs.
    ask(&server);
    server.clock.set_by(-TICKS_PER_DAY);
    server.serve(TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 2);
    // While one runs, at the very moment.
    server.serve(TICKS_PER_MINUTE, |server| {
        ask(server);
        server.clock.set_by(-TICKS_PER_DAY);
    });
    assert_eq!(server.calls(), 3);
}

#[test]
fn a_job_that_is_disabled_until_an_instant_is_enabled_then() {
    let server = Server::new();
    let wanted = job(1, Some("* * * * *"), Overlap::Skip);
    let id = server.create_as(1, wanted.clone());
    let now = server.clock.now();
    let mut request = Request::new(Command::Edit(id, Box::new(wanted), Some(State::Disabled)), now);
    request.read(&server.store.tables());
    server.store.write(|tables| {
        assert!(matches!(request.write(tables), Answer::Written(..)));
        let job = tables.jobs.get_mut(&id).expect("the job");
        job.disabled_until = Some(now.saturating_add(10 * TICKS_PER_MINUTE));
        job.annotations.note = Some("the target moves".to_owned());
    });
    let job = || server.store.tables().jobs[&id].clone();
    server.serve(9 * TICKS_PER_MINUTE, |_| ());
    assert_eq!((job().state.kind(), server.calls()), (State::Disabled, 0), "its time is not over");
    server.serve(5 * TICKS_PER_MINUTE, |_| ());
    assert_eq!((job().state.kind(), job().disabled_until, job().annotations.note), (State::Enabled, None, None));
    assert!((3..=4).contains(&server.calls()), "{} calls", server.calls());
}

#[test]
fn a_shadow_sends_nothing_and_every_time_of_it_is_recorded() {
    let server = Server::new();
    let mut wanted = job(1, Some("* * * * *"), Overlap::Skip);
    let parts = OptionsParts { shadow: Some(true), ..wanted.options.parts() };
    wanted.options = Options::new(parts).expect("options");
    let id = server.create_as(1, wanted);
    server.serve(5 * TICKS_PER_MINUTE, |server| {
        let now = server.clock.now();
        server.store.write(|tables| tables.run_job(id, now, limits::MANUAL_RUNS_MAX)).expect("room for a manual run");
    });
    assert_eq!(server.calls(), 0);
    let tables = server.store.tables();
    let records: Vec<_> = tables.history.values().map(|entry| entry.record.clone()).collect();
    let is_shadow =
        |record: &Record| matches!(record.status, Status::Postponed(NotRun { reason: Reason::Shadow, number: 1, .. }));
    assert!(records.len() >= 5 && records.iter().all(is_shadow), "{records:?}");
    assert!(records.iter().any(|record| matches!(record.origin, Origin::Manual(1))), "the manual run, too");
    assert_eq!(tables.jobs[&id].counters, Counters::default());
    let said = &records[0].message;
    assert!(said.starts_with("Not run: the job is a shadow. It would have sent "), "{said}");
}

#[test]
fn a_backfill_runs_past_times_in_their_order_and_apart() {
    let server = Server::new();
    let id = server.create_recurring(1, Some("0 0 1 1 *"));
    let job = server.store.tables().jobs[&id].clone();
    let timetable = Timetable::new(job.definition.recurrence.as_ref(), job.anchor).expect("a timetable");
    let first = timetable.next(server.clock.now()).expect("a year");
    let mut last = first;
    for _ in 0..3 {
        last = timetable.next(last).expect("a year");
    }
    // Times are times: here they are still to come, so that the schedule itself runs nothing.
    let part = Occurrence::backfill(first, last, 30_000, server.clock.now());
    let lane = Lane::of(job.collection.0, &job.definition.action, Phase::Main);
    assert!(server.store.write(|tables| tables.backfill_job(id, &[part], lane)).expect("the job"));
    server.serve(TICKS_PER_MINUTE, |_| ());
    assert!((2..=3).contains(&server.calls()), "{} calls in a minute", server.calls());
    server.serve(2 * TICKS_PER_MINUTE, |_| ());
    assert_eq!(server.calls(), 4);
    let tables = server.store.tables();
    let ran: Vec<_> = tables.history.values().map(|entry| (entry.record.origin, entry.record.status)).collect();
    let expected: Vec<_> = timetable
        .occurrences(first..last.saturating_add(1))
        .map(|at| (Origin::Backfill, Status::Completed(at)))
        .collect();
    assert_eq!(ran, expected);
    assert_eq!(tables.backfill_of(id), []);
    assert_eq!(tables.progress(id).started, 0, "it does not count in count");
}
