//! The world: a clock, a store, targets and users around a real engine, one step after the other.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use punctual_actions::Outcome;
use punctual_engine::{ConcurrencyLimits, Effect, Engine, FlightId, Input, Settings, WindowLimits};
use punctual_model::history::StatusKind;
use punctual_model::occurrence::Origin;
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_store::{BatchOutcome, CollectionId, Error, JobId};

use crate::clock::FakeClock;
use crate::dice::Dice;
use crate::house::House;
use crate::ledger::Ledger;
use crate::store::{Row, Store};
use crate::targets::Targets;
use crate::users::{Request, Wanted};

/// Where all simulations begin: a week before a change of the clocks in Berlin.
const BEGIN: i64 = 1_774_137_600;

/// Everything.
pub(crate) struct World {
    pub(crate) dice: Dice,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) store: Store,
    pub(crate) targets: Targets,
    pub(crate) ledger: Ledger,
    pub(crate) engine: Engine,
    pub(crate) house: House,
    /// How often the server was started.
    pub(crate) process: u32,
    /// What will happen, by the steady clock.
    pub(crate) to_come: BTreeMap<(i64, u64), Happening>,
    number: u64,
    /// What is on the wire.
    pub(crate) wire: BTreeMap<FlightId, (JobId, Origin)>,
    /// What users last wrote.
    pub(crate) clients: BTreeMap<JobId, Wanted>,
    pub(crate) version: u64,
    /// The latest that the clock on the wall has shown.
    pub(crate) latest: Timestamp,
    /// The clock on the wall has leapt: before this reading of the steady one nothing may start.
    pub(crate) trusted_from: i64,
    pub(crate) temper: Temper,
    /// Months are to pass: nothing comes due often.
    pub(crate) is_rare: bool,
    /// Nothing goes wrong for a while.
    pub(crate) is_calm: bool,
    pub(crate) tally: Tally,
    /// What happened, if anyone wants to know.
    pub(crate) trace: Option<String>,
}

/// How wild the wild times of a seed are: how often something happens in a thousand steps, or once in how many times.
pub(crate) struct Temper {
    pub(crate) wishes: i64,
    pub(crate) crashes: i64,
    pub(crate) restarts: i64,
    pub(crate) clocks: i64,
    faults_once_in: i64,
    delays_once_in: i64,
}

impl Temper {
    fn new(dice: &mut Dice) -> Self {
        Self {
            wishes: dice.pick(&[10, 40, 40, 150]),
            crashes: dice.pick(&[0, 3, 12, 12, 50]),
            restarts: dice.pick(&[0, 3, 10]),
            clocks: dice.pick(&[0, 0, 4, 20]),
            faults_once_in: dice.pick(&[5, 25, 25, 1_000_000]),
            delays_once_in: dice.pick(&[4, 20, 20, 1_000_000]),
        }
    }
}

/// What happened how often.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) seeds: u64,
    pub(crate) starts: u64,
    pub(crate) resent: u64,
    pub(crate) crashes: u64,
    pub(crate) not_run: u64,
    pub(crate) duplicates: u64,
    pub(crate) days: i64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.seeds += 1;
        self.starts += other.starts;
        self.resent += other.resent;
        self.crashes += other.crashes;
        self.not_run += other.not_run;
        self.duplicates += other.duplicates;
        self.days += other.days;
    }
}

/// Something that will happen.
pub(crate) enum Happening {
    /// The store or a target does what the engine said.
    Act(Effect),
    /// The engine hears of it.
    Hear(Input),
    /// A target answers.
    Answer(FlightId, Outcome),
    /// The API reads for a request.
    Read(Box<Request>),
    /// The API decides and writes for it.
    Write(Box<Request>),
}

impl World {
    pub(crate) fn new(seed: u64, is_traced: bool) -> Self {
        let mut dice = Dice::new(seed);
        let now = Timestamp::from_seconds(BEGIN).expect("a date");
        let clock = Arc::new(FakeClock::new(now.saturating_add(dice.number(0, TICKS_PER_DAY))));
        let mut store = Store::default();
        for id in 1..=2 {
            store.collections.insert(CollectionId(id), crate::store::Collection::default());
        }
        let (is_rare, temper) = (dice.once_in(3), Temper::new(&mut dice));
        Self {
            engine: Engine::new(Arc::<FakeClock>::clone(&clock), settings()),
            house: House::new(clock.now(), clock.steady()),
            latest: clock.now(),
            trusted_from: 0,
            dice,
            clock,
            store,
            targets: Targets::default(),
            ledger: Ledger::default(),
            process: 1,
            to_come: BTreeMap::new(),
            number: 0,
            wire: BTreeMap::new(),
            clients: BTreeMap::new(),
            version: 0,
            temper,
            is_rare,
            is_calm: false,
            tally: Tally::default(),
            trace: is_traced.then(String::new),
        }
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        let now = self.clock.now();
        if let Some(trace) = &mut self.trace {
            writeln!(trace, "{now} {}", what()).expect("a line");
        }
    }

    pub(crate) fn after(&mut self, ticks: i64, happening: Happening) {
        self.number += 1;
        self.to_come.insert((self.clock.steady() + ticks, self.number), happening);
    }

    /// One step: what is to happen by now happens, the engine has its turn, and the clock goes on.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.latest = self.latest.max(self.clock.now());
        self.happen()?;
        self.turn()?;
        self.check_history()?;
        self.go_on();
        Ok(())
    }

    fn happen(&mut self) -> Result<(), String> {
        let steady = self.clock.steady();
        while let Some(first) = self.to_come.first_entry().filter(|first| first.key().0 <= steady) {
            match first.remove() {
                Happening::Act(effect) => self.act(effect)?,
                Happening::Hear(input) => self.hear(input),
                Happening::Answer(flight, outcome) => {
                    self.note(|| format!("answer {} {:?}", flight.number, outcome.verdict));
                    self.wire.remove(&flight);
                    self.engine.hear(Input::Ended(flight, outcome));
                }
                Happening::Read(mut request) => {
                    request.read(&self.store);
                    let delay = self.delay();
                    self.after(delay, Happening::Write(request));
                }
                Happening::Write(request) => self.write(request),
            }
        }
        Ok(())
    }

    fn hear(&mut self, input: Input) {
        self.note(|| match &input {
            Input::Definitions(jobs, definitions) => format!("  hear Definitions({jobs:?}, {})", definitions.is_ok()),
            input => format!("  hear {}", brief(&format!("{input:?}"))),
        });
        self.engine.hear(input);
    }

    /// The engine's turn, as the driver gives it: first the bell, then what follows.
    fn turn(&mut self) -> Result<(), String> {
        let changed = self.store.take_changed();
        if changed.all || !changed.jobs.is_empty() {
            self.hear(Input::Changed(changed));
        }
        let effects = self.engine.turn();
        self.engine.check_indexes()?;
        for effect in effects {
            match &effect {
                Effect::Publish(_) | Effect::Forget(_) => {}
                Effect::Start(flight, call) => {
                    self.note(|| {
                        format!(
                            "  Start {} {} {:?} for {}, resent {}",
                            flight.number, call.job_path, call.phase, call.nominal, call.is_resent
                        )
                    });
                }
                effect => self.note(|| format!("  {}", brief(&format!("{effect:?}")))),
            }
            match effect {
                Effect::Publish(_) | Effect::Forget(_) => {}
                Effect::Rechecked => self.house.attended(&mut self.store),
                Effect::WentBack => self.house.went_back = true,
                Effect::Start(flight, call) => {
                    self.check_start(flight, &call)?;
                    self.after(0, Happening::Act(Effect::Start(flight, call)));
                }
                effect => {
                    let delay = self.delay();
                    self.after(delay, Happening::Act(effect));
                }
            }
        }
        let (now, steady) = (self.clock.now(), self.clock.steady());
        let (wanted, removed) = self.house.step(&mut self.store, now, steady);
        for job in removed {
            self.ledger.forget(job);
            self.clients.remove(&job);
        }
        if let Some(wanted) = wanted {
            self.hear(wanted);
        }
        Ok(())
    }

    /// The store or a target does what the engine said; the engine hears of it later, if ever.
    pub(crate) fn act(&mut self, effect: Effect) -> Result<(), String> {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let fail = || Error::Unavailable("the simulation says so".to_owned());
        let store = &mut self.store;
        let input = match effect {
            Effect::ReadDue(page) => Input::Due(page, if fails { Err(fail()) } else { Ok(store.due(page)) }),
            Effect::ReadDueOf(jobs) => {
                let keys = if fails { Err(fail()) } else { Ok(store.due_of(&jobs)) };
                Input::DueOf(jobs, keys)
            }
            Effect::ReadWork(ids) => {
                let rows = if fails { Err(fail()) } else { Ok(store.work(&ids)) };
                Input::Work(ids, rows)
            }
            Effect::ReadDefinitions(jobs) => {
                let definitions = if fails { Err(fail()) } else { Ok(store.definitions(&jobs)) };
                Input::Definitions(jobs, definitions)
            }
            Effect::SetWatermark(_) if fails => Input::Watermark(Err(fail())),
            Effect::SetWatermark(until) => {
                store.watermark = store.watermark.max(Some(until));
                Input::Watermark(Ok(()))
            }
            Effect::Write(batch) if fails => Input::Written(batch.id, BatchOutcome::NotWritten(fail())),
            Effect::Write(batch) => {
                Input::Written(batch.id, BatchOutcome::Written(store.write_work(batch.changes, batch.notes)))
            }
            Effect::Start(flight, call) => {
                self.receive(&call)?;
                let (ticks, outcome) = Targets::answer(&mut self.dice, &call, self.is_calm);
                self.after(ticks, Happening::Answer(flight, outcome));
                return Ok(());
            }
            Effect::AskLanded(batch) => Input::Landed(batch, Ok(false)),
            Effect::Rechecked | Effect::WentBack | Effect::Forget(_) | Effect::Publish(_) => return Ok(()),
        };
        let delay = self.delay();
        self.after(delay, Happening::Hear(input));
        Ok(())
    }

    /// The server ends, without a word: what it was told is lost, and what it has said may be done or not.
    pub(crate) fn crash(&mut self) -> Result<(), String> {
        self.note(|| "CRASH".to_owned());
        self.tally.crashes += 1;
        for (_, happening) in std::mem::take(&mut self.to_come) {
            match happening {
                Happening::Act(effect @ (Effect::Write(..) | Effect::SetWatermark(_) | Effect::Start(..)))
                    if self.dice.once_in(2) =>
                {
                    self.act(effect)?;
                }
                Happening::Write(request) if self.dice.once_in(2) => self.write(request),
                _ => {}
            }
        }
        self.to_come.clear();
        self.check_history()?;
        let down = if self.dice.once_in(3) { self.long() } else { self.dice.number(0, 90 * TICKS_PER_SECOND) };
        self.clock.go_on(down);
        self.start();
        Ok(())
    }

    /// A server is started.
    pub(crate) fn start(&mut self) {
        self.process += 1;
        self.trusted_from = 0;
        self.wire.clear();
        let marked = self.store.take_over();
        self.store.take_changed();
        self.note(|| format!("START, {marked} may have been sent before"));
        self.engine = Engine::new(Arc::<FakeClock>::clone(&self.clock), settings());
        self.house = House::new(self.clock.now(), self.clock.steady());
    }

    /// So long something takes: nearly nothing, mostly.
    pub(crate) fn delay(&mut self) -> i64 {
        let is_long = !self.is_calm && self.dice.once_in(self.temper.delays_once_in);
        let longest = match self.dice.number(0, 10) {
            0 if is_long => 40 * TICKS_PER_SECOND,
            _ if is_long => 3 * TICKS_PER_SECOND,
            _ => TICKS_PER_SECOND / 100,
        };
        self.dice.number(0, longest)
    }

    /// So long nothing happens.
    pub(crate) fn long(&mut self) -> i64 {
        let longest = if self.is_rare { 30 * TICKS_PER_DAY } else { 3 * TICKS_PER_HOUR };
        self.dice.number(0, longest)
    }

    /// The clock goes on to where something is to be done.
    fn go_on(&mut self) {
        let next_turn = self.engine.next_turn().since(self.clock.now()).max(1);
        let next_happening = self.to_come.first_key_value().map(|((at, _), _)| (at - self.clock.steady()).max(0));
        let is_quiet = self.to_come.is_empty() && self.engine.is_idle() && self.house.is_quiet() && !self.is_calm;
        let ticks =
            if is_quiet { self.leap().max(next_turn) } else { next_happening.unwrap_or(next_turn).min(next_turn) };
        self.clock.go_on(ticks);
    }

    /// As far as nothing happens, and a little less.
    fn leap(&mut self) -> i64 {
        let longest = if self.is_rare { 3 * TICKS_PER_DAY } else { 20 * TICKS_PER_MINUTE };
        let now = self.clock.now();
        let wakes = self.store.rows.values().filter_map(Row::occurrence).map(|open| open.wake_at.since(now));
        let nearest = wakes.min().unwrap_or(longest).min(longest);
        nearest - self.dice.pick(&[0, TICKS_PER_SECOND / 2, 2 * TICKS_PER_SECOND, 70 * TICKS_PER_SECOND])
    }

    pub(crate) fn check_history(&mut self) -> Result<(), String> {
        for entry in std::mem::take(&mut self.store.unchecked) {
            self.note(|| {
                let twice = if entry.is_duplicate { ", a duplicate" } else { "" };
                format!("  history: job {} {:?} retry {}{twice}", entry.job.0, entry.record.status, entry.record.retry)
            });
            self.tally.duplicates += u64::from(entry.is_duplicate);
            self.tally.not_run += u64::from(entry.record.status.kind() == StatusKind::Postponed);
            self.ledger.record(&entry)?;
        }
        self.ledger.check_counters(&self.store)
    }
}

/// Little may be on the wire, so that much has to wait.
fn settings() -> Settings {
    Settings {
        concurrency: ConcurrencyLimits { server: 8, collection: 5, host: 3 },
        window: WindowLimits { keys: 24, lane: 3, page: 3, ready: 4 },
        unsettled_max: 6,
    }
}

/// The beginning of a long text.
fn brief(text: &str) -> String {
    text.chars().take(900).collect()
}
