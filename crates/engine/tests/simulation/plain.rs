//! A world in which nothing goes wrong: a store that answers soon, and targets that take as long as a test says. For
//! promises about waiting, which must hold under any load.

use std::collections::BTreeMap;
use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_engine::{Effect, Engine, FlightId, Input, Settings};
use punctual_metrics::Metrics;
use punctual_model::action::{Action, Address, HttpAction, HttpType, Target};
use punctual_model::job::{Definition, Uid};
use punctual_model::limits;
use punctual_model::occurrence::Origin;
use punctual_model::options::{Options, OptionsParts, Overlap};
use punctual_model::recurrence::{Parts, Recurrence};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::time::{Clock, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::{Tables, WorkRow};
use punctual_store::{BatchOutcome, JobId, WorkId, WorkPage};

use crate::clock::FakeClock;
use crate::definitions::{Style, Wanted};
use crate::dice::Dice;
use crate::machine::BEGIN;
use crate::users::{Answer, Command, Request, Users, collection_key};

/// How long the store takes for a slow read.
const SLOW_READ_TICKS: i64 = TICKS_PER_SECOND / 20;

/// The world.
struct Plain {
    clock: Arc<FakeClock>,
    tables: Tables,
    metrics: Arc<Metrics>,
    engine: Engine,
    /// How long an attempt takes.
    attempt_ticks: i64,
    /// Answers of the store, by the reading of the steady clock at which each is heard.
    answers: BTreeMap<(i64, u64), Input>,
    number: u64,
    /// Attempts in flight, by the reading of the steady clock at which each ends.
    in_flight: BTreeMap<(i64, u64), (FlightId, JobId, Origin)>,
    /// What was started.
    starts: Vec<Start>,
}

/// The start of an attempt.
#[derive(Clone, Copy, Debug)]
struct Start {
    job: JobId,
    origin: Origin,
    at: Timestamp,
    /// Attempts of the same job that were in flight then: of its schedule, and those that someone asked for.
    beside: (usize, usize),
}

impl Plain {
    fn new(settings: Settings, attempt_ticks: i64) -> Self {
        let clock = Arc::new(FakeClock::new(Timestamp::from_seconds(BEGIN).expect("a date")));
        let mut tables = Tables::default();
        Users::new(&mut tables, Style { is_rare: false, hosts: 1, version: 0 }, 1);
        let metrics = Arc::<Metrics>::default();
        let engine = Engine::new(Arc::<FakeClock>::clone(&clock), settings).with_metrics(Arc::clone(&metrics));
        Self {
            clock,
            tables,
            metrics,
            engine,
            attempt_ticks,
            answers: BTreeMap::new(),
            number: 0,
            in_flight: BTreeMap::new(),
            starts: Vec::new(),
        }
    }

    /// Makes a job in one of the collections.
    fn create(&mut self, collection: i64, number: u8, wanted: Wanted) -> JobId {
        let uid = Uid::from_bytes([number; 16]);
        let command = Command::Create(collection_key(collection), uid, Box::new(wanted), None);
        let mut request = Request::new(command, self.clock.now());
        request.read(&self.tables);
        let Answer::Written(id, ..) = request.write(&mut self.tables) else { panic!("the job is not written") };
        id
    }

    fn run_by_hand(&mut self, job: JobId) {
        self.tables.run_job(job, self.clock.now(), limits::MANUAL_RUNS_MAX).expect("room for a manual run");
    }

    /// Lets time pass.
    fn pass(&mut self, ticks: i64) {
        let until = self.clock.steady() + ticks;
        while self.clock.steady() < until {
            self.end_attempts();
            self.turn();
            let next_turn = self.engine.next_turn().since(self.clock.now()).max(1);
            let ends = self.in_flight.first_key_value().map(|((at, _), _)| *at);
            let answers = self.answers.first_key_value().map(|((at, _), _)| *at);
            let happens_at = ends.into_iter().chain(answers).chain([until]).min().unwrap_or(until);
            self.clock.go_on((happens_at - self.clock.steady()).clamp(1, next_turn));
        }
    }

    fn end_attempts(&mut self) {
        let steady = self.clock.steady();
        while let Some(first) = self.in_flight.first_entry().filter(|first| first.key().0 <= steady) {
            let (flight, ..) = first.remove();
            self.engine.hear(Input::Ended(flight, Outcome::succeeded(String::new())));
        }
    }

    /// Gives the engine its turns, until it waits for time to pass or for the store.
    fn turn(&mut self) {
        loop {
            let changed = self.tables.take_changed();
            if !changed.is_empty() {
                self.engine.hear(Input::Changed(changed));
            }
            for effect in self.engine.turn() {
                let heard_at = self.clock.steady() + self.latency(&effect);
                if let Some(answer) = self.carry_out(effect) {
                    self.number += 1;
                    self.answers.insert((heard_at, self.number), answer);
                }
            }
            let Some(first) = self.answers.first_entry().filter(|first| first.key().0 <= self.clock.steady()) else {
                return;
            };
            self.engine.hear(first.remove());
        }
    }

    /// How long the store takes: a millisecond, and longer for rows beside the schedules, which are far away from them.
    fn latency(&self, effect: &Effect) -> i64 {
        let is_beside = |id: &WorkId| self.tables.work.get(id).is_some_and(|row| WorkId::from(row.job) != *id);
        match effect {
            Effect::ReadWork(ids, _) if ids.iter().any(is_beside) => SLOW_READ_TICKS,
            _ => TICKS_PER_SECOND / 1000,
        }
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Input> {
        let tables = &mut self.tables;
        Some(match effect {
            Effect::ReadDue(page) => Input::Due(page, Ok(tables.due(&page))),
            Effect::ReadDueOf(jobs) => {
                let keys = tables.due_of(&jobs);
                Input::DueOf(jobs, Ok(keys))
            }
            Effect::ReadWork(ids, jobs) => {
                let page = WorkPage { rows: tables.work(&ids), definitions: tables.definitions(&jobs) };
                Input::Work(ids, Ok(page))
            }
            Effect::ReadDefinitions(jobs) => {
                let definitions = tables.definitions(&jobs);
                Input::Definitions(jobs, Ok(definitions))
            }
            Effect::SetWatermark(node, until) => {
                tables.set_watermark(node, until);
                Input::Watermark(node, Ok(()))
            }
            Effect::Write(batch) => Input::Written(batch.id, BatchOutcome::Written(tables.write_work(batch))),
            Effect::AskLanded(node, batch) => Input::Landed(batch, Ok(tables.has_landed(node, batch))),
            Effect::Start(flight, call) => {
                self.start(flight, &call);
                return None;
            }
            Effect::PollDue(page) => Input::Polled(page, Ok(tables.due(&page))),
            Effect::GaveUp(_) | Effect::Rechecked | Effect::WentBack | Effect::Forget(_) | Effect::Publish(_) => {
                return None;
            }
        })
    }

    fn start(&mut self, flight: FlightId, call: &Call) {
        let job = self.tables.find_job(&call.job_path).expect("the job of the call");
        let origin = self.tables.work.get(&flight.row).and_then(WorkRow::occurrence).expect("what is started").origin;
        let is_scheduled = |origin: &Origin| *origin == Origin::Schedule;
        let of_job = || self.in_flight.values().filter(|(_, other, _)| *other == job);
        let scheduled = of_job().filter(|(_, _, origin)| is_scheduled(origin)).count();
        let beside = (scheduled, of_job().count() - scheduled);
        self.starts.push(Start { job, origin, at: self.clock.now(), beside });
        self.in_flight.insert((self.clock.steady() + self.attempt_ticks, flight.number), (flight, job, origin));
    }

    fn manual_starts(&self) -> Vec<Start> {
        self.starts.iter().copied().filter(|start| matches!(start.origin, Origin::Manual(_))).collect()
    }
}

/// A job that calls the host of that number, by its cron expression or once.
pub(crate) fn job(host: i64, cron: Option<&str>, overlap: Overlap) -> Wanted {
    let http = HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(&format!("https://host{host}.example/0")).expect("an address"),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: None,
    };
    let parts = cron.map(|cron| Parts { cron: Some(cron.to_owned()), ..Parts::default() });
    let retry = RetryPolicy::new(Some(RetryKind::None), None, None, None).expect("a policy");
    Definition {
        start: None,
        action: Action { target: Target::Http(http), retry: Some(retry), error: None, sign: None },
        recurrence: parts.map(|parts| Recurrence::new(&parts).expect("a rule")),
        options: Options::new(OptionsParts { overlap: Some(overlap), ..OptionsParts::default() }).expect("options"),
    }
}

const EVERY_SECOND: &str = "* * * * * *";

#[test]
fn a_manual_run_does_not_wait_for_a_schedule_that_may_overlap() {
    let mut world = Plain::new(Settings::default(), 5 * TICKS_PER_SECOND);
    let id = world.create(1, 1, job(1, Some(EVERY_SECOND), Overlap::Allow));
    world.pass(10 * TICKS_PER_SECOND);
    let asked_at = world.clock.now();
    (0..3).for_each(|_| world.run_by_hand(id));
    world.pass(20 * TICKS_PER_SECOND);
    let manual = world.manual_starts();
    let waited: Vec<i64> = manual.iter().map(|start| start.at.since(asked_at) / TICKS_PER_SECOND).collect();
    assert_eq!(waited, [0, 5, 10], "the first starts at once, the others one after the other");
    assert!(manual.iter().all(|start| start.beside.0 > 0 && start.beside.1 == 0), "{manual:?}");
}

/// The attempts of the schedule follow each other so closely that the manual run is not read before the next one starts.
#[test]
fn a_manual_run_waits_for_one_attempt_of_a_schedule_that_must_not_overlap() {
    let second = TICKS_PER_SECOND;
    for attempt_ticks in [second / 4, second - SLOW_READ_TICKS / 2, second, second + 1, 3 * second] {
        let mut world = Plain::new(Settings::default(), attempt_ticks);
        let id = world.create(1, 1, job(1, Some(EVERY_SECOND), Overlap::Skip));
        world.pass(10 * second + second / 8);
        let asked_at = world.clock.now();
        (0..3).for_each(|_| world.run_by_hand(id));
        world.pass(30 * second);
        let manual = world.manual_starts();
        assert_eq!(manual.len(), 3, "attempts of {attempt_ticks} ticks: {manual:?}");
        assert!(manual[0].at.since(asked_at) <= attempt_ticks + second / 5, "{manual:?}");
        assert!(manual.iter().all(|start| start.beside.1 == 0), "{manual:?}");
        let scheduled = world.starts.len() - 3;
        let mut twin = Plain::new(Settings::default(), attempt_ticks);
        twin.create(1, 1, job(1, Some(EVERY_SECOND), Overlap::Skip));
        twin.pass(40 * second + second / 8);
        // An occurrence may be read together with a manual run, and then comes late by the slow read.
        let is_near = (0..=3).contains(&(twin.starts.len() - scheduled));
        assert!(is_near, "manual runs make no occurrence skip: {scheduled} of {}", twin.starts.len());
    }
}

#[test]
fn any_limits_let_every_job_run() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut settings = Settings::default();
        let high = dice.pick(&[2, 5, 50]);
        let mut limit = |low: i64| u32::try_from(dice.number(low, low + high)).unwrap();
        settings.concurrency.server = limit(1);
        settings.concurrency.collection = limit(1);
        settings.concurrency.host = limit(1);
        let (jobs, hosts) = (dice.number(1, 100), dice.pick(&[1, 3, 40, 100]));
        let mut world = Plain::new(settings, dice.pick(&[1, TICKS_PER_SECOND / 4, 3 * TICKS_PER_SECOND]));
        for number in 0..jobs {
            let wanted = job(dice.number(0, hosts), None, dice.pick(&[Overlap::Skip, Overlap::Allow]));
            let id = world.create(dice.number(1, 3), u8::try_from(number).unwrap(), wanted);
            if dice.once_in(4) {
                world.run_by_hand(id);
            }
        }
        let open = world.tables.work.values().filter(|row| row.occurrence().is_some()).count();
        // One at a time is the least that any limits allow.
        world.pass(i64::try_from(open).unwrap() * (world.attempt_ticks + TICKS_PER_SECOND));
        let started: std::collections::BTreeSet<JobId> = world.starts.iter().map(|start| start.job).collect();
        assert_eq!(world.starts.len(), open, "seed {seed}, {settings:?}: {} of {jobs} jobs ran", started.len());
    }
}

#[test]
fn what_waits_for_a_host_is_shown_as_overdue() {
    let mut settings = Settings::default();
    settings.concurrency.host = 1;
    let mut world = Plain::new(settings, 20 * TICKS_PER_SECOND);
    for number in 0..5 {
        world.create(1, number, job(1, None, Overlap::Skip));
    }
    let created = world.clock.now();
    world.pass(10 * TICKS_PER_SECOND);
    let shown = &world.metrics.engine;
    assert_eq!((shown.in_flight.value(), shown.due.value(), shown.overdue.value()), (1, 4, 4));
    assert_eq!(shown.due_since_ticks.value(), created.ticks());
    world.pass(200 * TICKS_PER_SECOND);
    let shown = &world.metrics.engine;
    assert_eq!((shown.in_flight.value(), shown.due.value(), shown.overdue.value()), (0, 0, 0));
    assert_eq!(shown.lateness.count(), 5);
}
