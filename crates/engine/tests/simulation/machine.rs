//! The machine alone: a clock, tables, targets and users around a real engine, one step after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use punctual_actions::Outcome;
use punctual_engine::{Effect, Engine, FlightId, Input};
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::{Tables, WorkRow};
use punctual_store::{Changed, NodeId, PauseEntry, Shards};

use crate::clock::FakeClock;
use crate::dice::Dice;
use crate::maintenance::Maintenance;
use crate::store;
use crate::targets::Targets;
use crate::temper::Temper;
use crate::users::{Answer, Command, Request, Users};
use crate::witness::Witness;

/// Where all simulations begin: a week before a change of the clocks in Berlin.
pub(crate) const BEGIN: i64 = 1_774_137_600;

/// Everything.
pub(crate) struct World {
    pub(crate) dice: Dice,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) tables: Tables,
    pub(crate) users: Users,
    pub(crate) witness: Witness,
    pub(crate) engine: Engine,
    pub(crate) maintenance: Maintenance,
    /// What will happen, by the steady clock.
    pub(crate) to_come: BTreeMap<(i64, u64), Happening>,
    number: u64,
    pub(crate) temper: Temper,
    /// Nothing goes wrong for a while.
    pub(crate) is_calm: bool,
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
        let begin = Timestamp::from_seconds(BEGIN).expect("a date");
        let clock = Arc::new(FakeClock::new(begin.saturating_add(dice.number(0, TICKS_PER_DAY))));
        let temper = Temper::new(&mut dice);
        let mut tables = Tables::default();
        let mut witness = Witness::new(clock.now(), is_traced);
        witness.note(clock.now(), || format!("{:?}", temper.settings));
        Self {
            users: Users::new(&mut tables, temper.style, temper.jobs_max),
            witness,
            engine: Engine::new(Arc::<FakeClock>::clone(&clock), temper.settings),
            maintenance: Maintenance::new(clock.now(), clock.steady()),
            dice,
            clock,
            tables,
            to_come: BTreeMap::new(),
            number: 0,
            temper,
            is_calm: false,
        }
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        self.witness.note(self.clock.now(), what);
    }

    pub(crate) fn after(&mut self, ticks: i64, happening: Happening) {
        self.number += 1;
        self.to_come.insert((self.clock.steady() + ticks, self.number), happening);
    }

    /// One step: what is to happen by now happens, the engine has its turn, and the clock goes on.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.witness.see_time(self.clock.now());
        self.happen()?;
        self.turn()?;
        self.check_history()?;
        self.go_on();
        Ok(())
    }

    pub(crate) fn check_history(&mut self) -> Result<(), String> {
        self.witness.check_history(&self.tables, self.clock.now())
    }

    fn happen(&mut self) -> Result<(), String> {
        let steady = self.clock.steady();
        while let Some(first) = self.to_come.first_entry().filter(|first| first.key().0 <= steady) {
            match first.remove() {
                Happening::Act(effect) => self.act(effect)?,
                Happening::Hear(input) => self.hear(input),
                Happening::Answer(flight, outcome) => {
                    self.note(|| format!("answer {} {:?}", flight.number, outcome.verdict));
                    self.witness.see_end_of_flight(flight.number);
                    self.engine.hear(Input::Ended(flight, outcome));
                }
                Happening::Read(mut request) => {
                    request.read(&self.tables);
                    let delay = self.delay();
                    self.after(delay, Happening::Write(request));
                }
                Happening::Write(request) => self.write(request),
            }
        }
        Ok(())
    }

    /// A request is decided and written.
    pub(crate) fn write(&mut self, mut request: Box<Request>) {
        request.arrive(self.clock.now());
        let answer = request.write(&mut self.tables);
        self.witness.see_answer(&answer, &request, &self.tables, self.clock.now());
        self.users.hear(&answer, &request.command);
        if matches!(answer, Answer::Stale) {
            let delay = self.delay();
            self.after(delay, Happening::Read(request));
        }
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
        let changed = self.tables.take_changed();
        if !changed.is_empty() {
            self.hear(Input::Changed(changed));
        }
        let effects = self.engine.turn();
        self.engine.check_indexes()?;
        for effect in effects {
            self.note_effect(&effect);
            match effect {
                Effect::Publish(_) | Effect::Forget(_) => {}
                Effect::Rechecked => self.maintenance.hear_rechecked(&mut self.tables),
                Effect::WentBack => self.maintenance.went_back = true,
                Effect::Start(flight, call) => {
                    self.witness.check_start(flight.number, &call, &self.tables, &*self.clock)?;
                    self.after(0, Happening::Act(Effect::Start(flight, call)));
                }
                effect => {
                    let delay = self.delay();
                    self.after(delay, Happening::Act(effect));
                }
            }
        }
        let (now, steady) = (self.clock.now(), self.clock.steady());
        if let Some(input) = self.maintenance.step(&mut self.tables, now, steady) {
            self.hear(input);
        }
        Ok(())
    }

    fn note_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Publish(_) | Effect::Forget(_) => {}
            Effect::Start(flight, call) => self.note(|| {
                let (path, phase, nominal) = (&call.job_path, call.phase, call.nominal);
                format!("  Start {} {path} {phase:?} for {nominal}, resent {}", flight.number, call.is_resent)
            }),
            effect => self.note(|| format!("  {}", brief(&format!("{effect:?}")))),
        }
    }

    /// The store or a target does what the engine said; the engine hears of it later, if ever.
    pub(crate) fn act(&mut self, effect: Effect) -> Result<(), String> {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        match effect {
            Effect::Start(flight, call) => {
                self.witness.receive(&call, &self.tables)?;
                let (ticks, outcome) = Targets::answer(&mut self.dice, &call, self.is_calm);
                self.after(ticks, Happening::Answer(flight, outcome));
            }
            Effect::PollDue(_) | Effect::GaveUp(_) => return Err("a node that is alone shares nothing".to_owned()),
            effect => {
                let answer = store::answer(&mut self.tables, effect, fails, self.clock.now(), &mut self.dice);
                if let Some(input) = answer {
                    let delay = self.delay();
                    self.after(delay, Happening::Hear(input));
                }
            }
        }
        Ok(())
    }

    /// A server is started.
    pub(crate) fn start(&mut self) {
        let marked = self.tables.take_over(NodeId::ONLY, Shards::ALL);
        self.tables.take_changed();
        self.witness.see_start_of_process(self.clock.now(), marked);
        self.engine = Engine::new(Arc::<FakeClock>::clone(&self.clock), self.temper.settings);
        let pauses = Some(PauseEntry::times(&self.tables.pauses));
        self.engine.hear(Input::Changed(Changed { pauses, ..Changed::default() }));
        self.maintenance = Maintenance::new(self.clock.now(), self.clock.steady());
    }

    /// Ends the pause of the server, if there is one.
    pub(crate) fn resume(&mut self) {
        if self.tables.is_paused() {
            self.write(Box::new(Request::new(Command::Resume, self.clock.now())));
        }
    }

    /// So long something takes: nearly nothing, mostly.
    pub(crate) fn delay(&mut self) -> i64 {
        self.temper.delay(&mut self.dice, self.is_calm)
    }

    /// So long nothing happens.
    pub(crate) fn long(&mut self) -> i64 {
        let longest = if self.temper.style.is_rare { 30 * TICKS_PER_DAY } else { 3 * TICKS_PER_HOUR };
        self.dice.number(0, longest)
    }

    /// The clock goes on to where something is to be done.
    fn go_on(&mut self) {
        let next_turn = self.engine.next_turn().since(self.clock.now()).max(1);
        let next_happening = self.to_come.first_key_value().map(|((at, _), _)| (at - self.clock.steady()).max(0));
        let is_quiet = self.to_come.is_empty() && self.engine.is_idle() && self.maintenance.is_quiet() && !self.is_calm;
        let ticks =
            if is_quiet { self.leap().max(next_turn) } else { next_happening.unwrap_or(next_turn).min(next_turn) };
        self.clock.go_on(ticks);
    }

    /// As far as nothing happens, and a little less.
    fn leap(&mut self) -> i64 {
        let longest = if self.temper.style.is_rare { 3 * TICKS_PER_DAY } else { 20 * TICKS_PER_MINUTE };
        let now = self.clock.now();
        let wakes = self.tables.work.values().filter_map(WorkRow::occurrence).map(|open| open.wake_at.since(now));
        // In a pause nothing happens that is due.
        let is_paused = self.tables.is_paused();
        let wakes = wakes.filter(|ticks| *ticks > 0 || !is_paused);
        let nearest = wakes.min().unwrap_or(longest).min(longest);
        nearest - self.dice.pick(&[0, TICKS_PER_SECOND / 2, 2 * TICKS_PER_SECOND, 70 * TICKS_PER_SECOND])
    }
}

/// The beginning of a long text.
fn brief(text: &str) -> String {
    text.chars().take(900).collect()
}
