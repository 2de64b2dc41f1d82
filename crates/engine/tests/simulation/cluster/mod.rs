//! Several nodes on one store: real engines with real leases and plans, around tables, targets and users. Nodes crash, stand still,
//! leave and come back; commits are cut; clocks differ; the database answers late, or as another server.

mod member;
mod node;
mod starts;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_engine::{Effect, FlightId, Input};
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::Tables;
use punctual_store::{Changed, PauseEntry};

use self::member::{Answer as MemberAnswer, Ask};
use self::node::Node;
use crate::clock::FakeClock;
use crate::dice::Dice;
use crate::machine::BEGIN;
use crate::store;
use crate::targets::Targets;
use crate::temper::Temper;
use crate::users::{Answer, Command, Request, Users};
use crate::witness::Witness;
use crate::{CALM_TICKS, ROUNDS};

/// Steps in a wild time.
const STEPS: u32 = 1500;

/// Within this time a node that was told to stop has ended: attempts take no longer.
const LEAVING_TICKS_MAX: i64 = 300 * TICKS_PER_SECOND;

/// Steps within which a calm time is over: who takes more wakes up for nothing.
const CALM_STEPS_MAX: u32 = 100_000;

/// Everything.
pub(crate) struct Cluster {
    dice: Dice,
    /// The clock of the database, and of the simulation.
    clock: Arc<FakeClock>,
    tables: Tables,
    users: Users,
    witness: Witness,
    nodes: Vec<Node>,
    to_come: BTreeMap<(i64, u64), Happening>,
    number: u64,
    temper: Temper,
    is_calm: bool,
}

/// Something that will happen.
enum Happening {
    /// The store does what a node said.
    Act(Of, Effect),
    /// A node hears of it.
    Hear(Of, Input),
    /// A target answers.
    Answer(Of, FlightId, Outcome),
    /// The database does what the keeper of a node's lease asked for.
    Ask(Of, Ask),
    /// The keeper of a node's lease hears of it.
    Tell(Of, MemberAnswer),
    /// The database says what was written since a node last asked, which it did at that reading of the steady clock.
    Follow(Of, i64),
    /// The API reads for a request.
    Read(Box<Request>),
    /// The API decides and writes for it.
    Write(Box<Request>),
}

/// The process that something is of: a node, and which of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Of {
    place: usize,
    life: u64,
}

impl Cluster {
    /// Leads a seed. What was seen is given back also if that panics.
    pub(crate) fn lead(seed: u64, witness: &mut Option<Witness>, is_traced: bool) -> Result<(), String> {
        let mut cluster = Self::new(seed, is_traced);
        let led = catch_unwind(AssertUnwindSafe(|| cluster.live()));
        *witness = Some(cluster.witness);
        led.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn new(seed: u64, is_traced: bool) -> Self {
        let mut dice = Dice::new(seed);
        let begin = Timestamp::from_seconds(BEGIN).expect("a date");
        let clock = Arc::new(FakeClock::new(begin.saturating_add(dice.number(0, TICKS_PER_DAY))));
        let mut temper = Temper::new(&mut dice);
        temper.style.is_rare = false;
        let mut tables = Tables::default();
        let witness = Witness::new(clock.now(), is_traced);
        let users = Users::new(&mut tables, temper.style, temper.jobs_max);
        let number = dice.number(1, 5);
        let nodes = (0..number).map(|place| Node::new(place, &clock, &mut dice, temper.settings)).collect();
        let (to_come, is_calm) = (BTreeMap::new(), false);
        Self { dice, clock, tables, users, witness, nodes, to_come, number: 0, temper, is_calm }
    }

    fn live(&mut self) -> Result<(), String> {
        self.ask();
        self.ask();
        for _ in 0..ROUNDS {
            self.is_calm = false;
            for _ in 0..STEPS {
                self.shake();
                self.step()?;
            }
            self.is_calm = true;
            self.note(|| "CALM".to_owned());
            self.start_all()?;
            let (from, mut steps) = (self.clock.steady(), 0);
            while self.clock.steady() - from < CALM_TICKS {
                steps += 1;
                if steps > CALM_STEPS_MAX {
                    return Err("the nodes are busy without an end".to_owned());
                }
                if self.tables.is_paused() {
                    self.write(Box::new(Request::new(Command::Resume, self.clock.now())));
                }
                self.step()?;
            }
            self.witness.check_quiet(&self.tables, self.clock.now())?;
            self.check_shards()?;
        }
        self.witness.tally.days = self.clock.steady() / TICKS_PER_DAY;
        Ok(())
    }

    /// Has all nodes running: those that stand still go on, and those that are about to end are started again when they have.
    fn start_all(&mut self) -> Result<(), String> {
        let (from, mut steps) = (self.clock.steady(), 0);
        while self.nodes.iter().any(|node| !node.is_staying() || node.still_until(self.clock.steady()).is_some()) {
            steps += 1;
            if steps > CALM_STEPS_MAX || self.clock.steady() - from > LEAVING_TICKS_MAX {
                return Err("a node was told to stop and does not come to its end".to_owned());
            }
            for place in 0..self.nodes.len() {
                if !self.nodes[place].is_running() {
                    self.start(place);
                }
            }
            self.step()?;
        }
        Ok(())
    }

    fn note(&mut self, what: impl FnOnce() -> String) {
        self.witness.note(self.clock.now(), what);
    }

    fn after(&mut self, ticks: i64, happening: Happening) {
        self.number += 1;
        self.to_come.insert((self.clock.steady() + ticks, self.number), happening);
    }

    fn delay(&mut self) -> i64 {
        self.temper.delay(&mut self.dice, self.is_calm)
    }

    /// A user asks for something.
    fn ask(&mut self) {
        let request = self.users.ask(&mut self.dice, &self.tables, self.clock.now());
        let delay = self.delay();
        self.after(delay, Happening::Read(Box::new(request)));
    }

    /// Something may go wrong now.
    fn shake(&mut self) {
        if self.dice.number(0, 1000) < self.temper.requests {
            self.ask();
        }
        let place = usize::try_from(self.dice.number(0, i64::try_from(self.nodes.len()).unwrap())).unwrap();
        if self.dice.number(0, 1000) < self.temper.crashes {
            self.crash(place);
        }
        if self.dice.number(0, 1000) < self.temper.restarts {
            self.note(|| format!("node {place} is told to stop, or started"));
            if self.nodes[place].is_running() {
                self.nodes[place].leave();
            } else {
                self.start(place);
            }
        }
        if self.dice.number(0, 1000) < self.temper.clocks {
            let ticks = self.dice.pick(&[TICKS_PER_SECOND, 8 * TICKS_PER_SECOND, 40 * TICKS_PER_SECOND]);
            self.note(|| format!("node {place} stands still for {} s", ticks / TICKS_PER_SECOND));
            self.nodes[place].stand_still(ticks);
        }
        if 4 * self.dice.number(0, 1000) < self.temper.crashes {
            self.note(|| "the database is another server".to_owned());
            self.tables.cluster.server += 1;
        }
        if self.dice.number(0, 1000) < 2
            && let Some(node) = self.nodes[place].id
        {
            let is_draining = self.dice.once_in(2);
            self.tables.set_draining(node, is_draining);
        }
    }

    /// One step: what is to happen by now happens, the nodes have their turns, and the clock goes on.
    fn step(&mut self) -> Result<(), String> {
        self.witness.see_time(self.clock.now());
        self.happen();
        let changed = self.tables.take_changed();
        if !changed.is_empty() {
            self.spread(&changed);
        }
        for place in 0..self.nodes.len() {
            self.turn(place)?;
        }
        self.witness.check_history(&self.tables, self.clock.now())?;
        self.go_on();
        Ok(())
    }

    /// What was written is there for every node to look for.
    fn spread(&mut self, changed: &Changed) {
        // Who looks for changes does not learn the numbers of jobs that are gone.
        let is_gone = |job| !self.tables.jobs.contains_key(job);
        let has_deleted = changed.jobs.iter().any(is_gone);
        for node in &mut self.nodes {
            node.unheard.jobs.extend(changed.jobs.iter().copied());
            node.unheard.all |= changed.all || has_deleted;
            node.unheard.pauses = changed.pauses.clone().or(node.unheard.pauses.take());
        }
    }

    /// The database says what was written since a node last asked. If that fails, the node asks again.
    fn follow(&mut self, of: Of, begun: i64) {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let delay = self.delay();
        let node = &mut self.nodes[of.place];
        if node.life != of.life {
            return;
        }
        node.follow_after(delay);
        if fails {
            return;
        }
        let changed = Changed { heard_until: Some(begun), ..std::mem::take(&mut node.unheard) };
        let pauses = changed.pauses.as_ref().map(|_| PauseEntry::times(&self.tables.pauses));
        self.after(delay, Happening::Hear(of, Input::Changed(Changed { pauses, ..changed })));
    }

    fn happen(&mut self) {
        let steady = self.clock.steady();
        while let Some(first) = self.to_come.first_entry().filter(|first| first.key().0 <= steady) {
            match first.remove() {
                Happening::Act(of, effect) => self.act(of, effect),
                Happening::Hear(of, input) => self.hear(of, input),
                Happening::Ask(of, ask) => self.answer(of, ask),
                Happening::Tell(of, answer) => self.tell(of, answer),
                Happening::Follow(of, begun) => self.follow(of, begun),
                Happening::Answer(of, flight, outcome) => {
                    self.witness.see_end_of_flight(of.flight(flight));
                    self.hear(of, Input::Ended(flight, outcome));
                }
                Happening::Read(mut request) => {
                    request.read(&self.tables);
                    let delay = self.delay();
                    self.after(delay, Happening::Write(request));
                }
                Happening::Write(request) => self.write(request),
            }
        }
    }

    fn write(&mut self, mut request: Box<Request>) {
        request.arrive(self.clock.now());
        let answer = request.write(&mut self.tables);
        self.witness.see_answer(&answer, &request, &self.tables, self.clock.now());
        self.users.hear(&answer, &request.command);
        if matches!(answer, Answer::Stale) {
            let delay = self.delay();
            self.after(delay, Happening::Read(request));
        }
    }

    /// A process hears of something, unless it is gone. One that stands still hears of it later.
    fn hear(&mut self, of: Of, input: Input) {
        if self.nodes[of.place].life != of.life || !self.nodes[of.place].is_running() {
            return;
        }
        if let Some(until) = self.nodes[of.place].still_until(self.clock.steady()) {
            self.after(until - self.clock.steady(), Happening::Hear(of, input));
            return;
        }
        self.note(|| {
            format!("  node {} hears {}", of.place, format!("{input:?}").chars().take(300).collect::<String>())
        });
        self.nodes[of.place].engine.hear(input);
    }

    /// The store does what a process said; the process hears of it later, if ever.
    fn act(&mut self, of: Of, effect: Effect) {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let answer = store::answer(&mut self.tables, effect, fails, self.clock.now(), &mut self.dice);
        if let Some(input) = answer {
            let delay = self.delay();
            self.after(delay, Happening::Hear(of, input));
        }
    }

    /// A target receives a call, and will answer.
    fn call(&mut self, of: Of, flight: FlightId, call: &Call) -> Result<(), String> {
        self.witness.receive_from(call, &self.tables, of.process())?;
        let (ticks, outcome) = Targets::answer(&mut self.dice, call, self.is_calm);
        self.after(ticks, Happening::Answer(of, flight, outcome));
        Ok(())
    }

    /// Starts a process at a place where none runs.
    fn start(&mut self, place: usize) {
        let pauses = Some(PauseEntry::times(&self.tables.pauses));
        self.nodes[place].start(self.temper.settings);
        self.nodes[place].engine.hear(Input::Changed(Changed { pauses, ..Changed::default() }));
    }

    /// A process ends, without a word: what it was told is lost, and what it has said may be done or not.
    fn crash(&mut self, place: usize) {
        if !self.nodes[place].is_running() {
            return;
        }
        self.note(|| format!("CRASH of node {place}"));
        self.witness.tally.crashes += 1;
        let of = self.nodes[place].of(place);
        self.witness.see_end_of_process(|flight| of.has(flight));
        self.nodes[place].end();
        let kept = std::mem::take(&mut self.to_come);
        for (key, happening) in kept {
            let is_gone = match &happening {
                Happening::Act(from, Effect::Write(_) | Effect::SetWatermark(..)) | Happening::Ask(from, _) => {
                    *from == of && self.dice.once_in(2)
                }
                Happening::Act(from, _)
                | Happening::Hear(from, _)
                | Happening::Tell(from, _)
                | Happening::Follow(from, _)
                | Happening::Answer(from, ..) => *from == of,
                Happening::Read(_) | Happening::Write(_) => false,
            };
            if !is_gone {
                self.to_come.insert(key, happening);
            }
        }
    }

    /// The clock goes on to where something is to be done.
    fn go_on(&mut self) {
        let now = self.clock.now();
        let turns = self.nodes.iter().filter(|node| node.is_running()).map(|node| node.next_turn(now));
        let next_turn = turns.min().unwrap_or(TICKS_PER_SECOND).max(1);
        let next_happening = self.to_come.first_key_value().map(|((at, _), _)| (at - self.clock.steady()).max(0));
        self.clock.go_on(next_happening.unwrap_or(next_turn).min(next_turn));
    }

    /// What must hold when nothing has gone wrong for a while: every shard is owned, by nodes that are there.
    fn check_shards(&self) -> Result<(), String> {
        let now = self.clock.now();
        let owners = &self.tables.cluster.owners;
        let is_owned = |owner: &Option<_>| owner.is_some_and(|owner| self.tables.cluster.is_alive(owner, now));
        match owners.iter().position(|owner| !is_owned(owner)) {
            Some(shard) => Err(format!("shard {shard} has no owner: {:?}", owners[shard])),
            None => Ok(()),
        }
    }
}

impl Of {
    /// The number of a flight among those of all processes.
    fn flight(self, flight: FlightId) -> u64 {
        (self.process_number() << 32) | flight.number
    }

    fn has(self, flight: u64) -> bool {
        flight >> 32 == self.process_number()
    }

    fn process_number(self) -> u64 {
        (self.life << 3) | self.place as u64
    }

    fn process(self) -> u32 {
        u32::try_from(self.process_number()).unwrap()
    }
}
