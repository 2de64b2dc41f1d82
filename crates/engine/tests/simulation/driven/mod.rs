//! The machine with its real driver and maintenance, on one thread and in paused time.
//!
//! Each process of the simulated server is a runtime of its own: a crash drops it with all of its tasks, wherever they
//! wait. What the store and the targets do is simulated ([`store`], [`executor`]), and checked by the same witness as the
//! machine alone. Time passes while every task waits, so that a process of many minutes takes a moment; months would not,
//! because the driver looks at the clock every second.
//!
//! A seed leads to nearly the same life each time: of branches of the driver that are ready at the same instant, tokio takes
//! one by chance.

mod clock;
mod executor;
mod metrics;
mod pauses;
mod restarts;
mod store;
mod traces;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use punctual_engine::{ClusterStatus, Deps, Retention, run};
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::SimulatedStore;
use punctual_store::{Events, NodeId, Shards, WorkStore};
use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::clock::PausedClock;
use self::executor::ScriptedTargets;
use self::store::FaultyStore;
use crate::dice::Dice;
use crate::machine::BEGIN;
use crate::temper::Temper;
use crate::users::{Answer, Command, Request, Users};
use crate::witness::Witness;

/// Processes in the life of a seed. Every second one has a calm time.
const PROCESSES: u32 = 4;

/// How long the wild time of a process is, at most.
const WILD_TICKS_MAX: i64 = 4 * TICKS_PER_MINUTE;

/// How long a calm time is: longer than any attempt takes, and than keys wait to be read again.
const CALM_TICKS: i64 = 3 * TICKS_PER_MINUTE;

/// The longest that an attempt may take, and what may go wrong after it.
const TIME_TO_FINISH: Duration = Duration::from_mins(5);

/// Everything: what tasks of a process share, and what outlives it.
#[derive(Clone)]
pub(crate) struct Driven {
    store: SimulatedStore,
    clock: Arc<PausedClock>,
    rest: Arc<Mutex<Rest>>,
}

/// What is behind one lock. It is taken before the lock of the tables.
struct Rest {
    dice: Dice,
    temper: Temper,
    users: Users,
    witness: Witness,
    /// Nothing goes wrong for a while.
    is_calm: bool,
    /// The number of the last attempt.
    flights: u64,
    /// The reading of the steady clock when someone last wrote, or set the clock. Whether an attempt that starts at the same
    /// instant knows of it nobody can tell.
    disturbed_at: i64,
    /// The reading of the steady clock when the clock on the wall was last set.
    clock_set_at: i64,
    /// What went wrong first.
    wrong: Option<String>,
}

impl Driven {
    /// Leads a seed. What was seen is given back also if that panics.
    pub(crate) fn lead(seed: u64, witness: &mut Option<Witness>, is_traced: bool) -> Result<(), String> {
        let driven = Self::new(seed, is_traced);
        let led = catch_unwind(AssertUnwindSafe(|| (1..=PROCESSES).try_for_each(|process| driven.live(process))));
        let mut rest = driven.rest();
        rest.witness.tally.days = driven.clock.steady() / TICKS_PER_DAY;
        let now = driven.clock.now();
        *witness = Some(std::mem::replace(&mut rest.witness, Witness::new(now, false)));
        led.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn new(seed: u64, is_traced: bool) -> Self {
        let mut dice = Dice::new(seed);
        let day = Timestamp::from_seconds(BEGIN).expect("a date");
        // Often shortly before midnight, when the day is accounted for.
        let before = if dice.once_in(2) { dice.number(0, 5 * TICKS_PER_MINUTE) } else { dice.number(0, TICKS_PER_DAY) };
        let clock = Arc::new(PausedClock::new(day.saturating_add(-before)));
        let mut temper = Temper::new(&mut dice);
        temper.style.is_rare = false;
        let store = SimulatedStore::default();
        let users = Users::new(&mut store.tables(), temper.style, temper.jobs_max);
        let mut witness = Witness::new(clock.now(), is_traced);
        witness.note(clock.now(), || format!("{:?}", temper.settings));
        let rest = Rest {
            dice,
            temper,
            users,
            witness,
            is_calm: false,
            flights: 0,
            disturbed_at: -1,
            clock_set_at: i64::MIN,
            wrong: None,
        };
        Self { store, clock, rest: Arc::new(Mutex::new(rest)) }
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One process, from its start to its end, and the time in which there is none.
    fn live(&self, process: u32) -> Result<(), String> {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let lived = runtime.block_on(async {
            self.clock.start();
            let lived = self.run_process(process).await;
            self.clock.stop();
            lived
        });
        // Whatever was in flight ends with the process.
        drop(runtime);
        let down = self.rest().dice.number(0, 90 * TICKS_PER_SECOND);
        self.clock.go_on(down);
        lived
    }

    async fn run_process(&self, process: u32) -> Result<(), String> {
        let marked = self.store.tables().take_over(NodeId::ONLY, Shards::ALL);
        self.store.bell().take();
        let settings = {
            let mut rest = self.rest();
            rest.witness.see_start_of_process(self.clock.now(), marked);
            rest.is_calm = false;
            rest.temper.settings
        };
        let deps = Deps {
            work_store: Arc::new(FaultyStore(self.clone())),
            store: Arc::new(self.store.clone()),
            executor: Arc::new(ScriptedTargets(self.clone())),
            clock: Arc::<PausedClock>::clone(&self.clock),
            events: Arc::<Events>::default(),
            metrics: Arc::default(),
            flights: Arc::default(),
            telemetry: None,
            membership: None,
            status: Arc::new(ClusterStatus::alone()),
        };
        let retention = Retention { history_ticks: 90 * TICKS_PER_DAY, failure_ticks: 0, history_bytes: u64::MAX };
        let stop = CancellationToken::new();
        let engine = tokio::spawn(run(deps, settings, retention, stop.clone(), TIME_TO_FINISH));
        self.be_wild(&engine).await?;
        if process.is_multiple_of(2) {
            self.be_calm(&engine).await?;
        }
        let (crashes, is_last) = (self.rest().dice.once_in(2), process == PROCESSES);
        if crashes && !is_last {
            self.rest().witness.note(self.clock.now(), || "CRASH".to_owned());
            self.rest().witness.tally.crashes += 1;
            return Ok(());
        }
        self.rest().witness.note(self.clock.now(), || "STOP".to_owned());
        stop.cancel();
        match engine.await {
            Ok(0) => self.check(),
            Ok(left) => Err(format!("it was told to stop, and {left} attempts are still in flight")),
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn be_wild(&self, engine: &JoinHandle<u32>) -> Result<(), String> {
        let until = self.clock.steady() + self.rest().dice.number(0, WILD_TICKS_MAX);
        while self.clock.steady() < until {
            self.wait(|rest| rest.dice.number(0, 2 * TICKS_PER_SECOND)).await;
            self.shake();
            self.check()?;
            check_alive(engine)?;
        }
        Ok(())
    }

    async fn be_calm(&self, engine: &JoinHandle<u32>) -> Result<(), String> {
        self.rest().is_calm = true;
        self.rest().witness.note(self.clock.now(), || "CALM".to_owned());
        let until = self.clock.steady() + CALM_TICKS;
        while self.clock.steady() < until {
            self.wait(|_| 10 * TICKS_PER_SECOND).await;
            let resume = Request::new(Command::Resume, self.clock.now());
            self.clone().carry_out(resume).await;
            self.check()?;
            check_alive(engine)?;
        }
        self.rest().witness.check_quiet(&self.store.tables(), self.clock.now())
    }

    /// A user may ask for something, and someone may set the clock.
    fn shake(&self) {
        let mut guard = self.rest();
        let rest = &mut *guard;
        rest.witness.see_time(self.clock.now());
        // A process has fewer steps than the machine alone, so that more happens in each.
        if rest.dice.number(0, 1000) < 10 * rest.temper.requests {
            let request = rest.users.ask(&mut rest.dice, &self.store.tables(), self.clock.now());
            tokio::spawn(self.clone().carry_out(request));
        }
        let steady = self.clock.steady();
        // The engine looks at the clock every second, and sees two settings in one second as one.
        let has_been_seen = steady.saturating_sub(rest.clock_set_at) > 2 * TICKS_PER_SECOND;
        if rest.dice.number(0, 1000) < 2 * rest.temper.clocks && has_been_seen {
            let ticks = rest.dice.pick(&[2 * TICKS_PER_SECOND, 100 * TICKS_PER_SECOND, 2 * TICKS_PER_HOUR]);
            let ticks = rest.dice.number(-ticks, ticks);
            self.clock.set_by(ticks);
            (rest.disturbed_at, rest.clock_set_at) = (steady, steady);
            rest.witness.see_clock_set(ticks, &*self.clock);
        }
    }

    /// The API carries out a request: it reads, decides, and writes if nothing has changed.
    async fn carry_out(self, mut request: Request) {
        loop {
            self.wait(Rest::delay).await;
            request.read(&self.store.tables());
            self.wait(Rest::delay).await;
            let mut rest = self.rest();
            request.arrive(self.clock.now());
            let answer = self.store.write(|tables| request.write(tables));
            rest.disturbed_at = self.clock.steady();
            rest.witness.see_time(self.clock.now());
            rest.witness.see_answer(&answer, &request, &self.store.tables(), self.clock.now());
            rest.users.hear(&answer, &request.command);
            if !matches!(answer, Answer::Stale) {
                return;
            }
        }
    }

    /// What must hold at any moment.
    fn check(&self) -> Result<(), String> {
        let mut rest = self.rest();
        rest.witness.check_history(&self.store.tables(), self.clock.now())?;
        rest.wrong.take().map_or(Ok(()), Err)
    }

    /// Waits for as many ticks as that says.
    async fn wait(&self, ticks: impl FnOnce(&mut Rest) -> i64) {
        let ticks = ticks(&mut self.rest());
        sleep(ticks).await;
    }
}

impl Rest {
    /// So long something takes.
    fn delay(&mut self) -> i64 {
        self.temper.delay(&mut self.dice, self.is_calm)
    }

    /// Whether the store fails now.
    fn fails(&mut self) -> bool {
        !self.is_calm && self.dice.once_in(self.temper.faults_once_in)
    }
}

async fn sleep(ticks: i64) {
    tokio::time::sleep(Duration::from_nanos(100 * ticks.unsigned_abs())).await;
}

fn check_alive(engine: &JoinHandle<u32>) -> Result<(), String> {
    if engine.is_finished() { Err("the engine ended although nobody told it to".to_owned()) } else { Ok(()) }
}
