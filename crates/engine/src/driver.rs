//! The machine's hands: reads, writes and calls, as it says.

use std::sync::Arc;
use std::time::Duration;

use punctual_actions::{Call, CallTrace, Executor, HostTrouble, Outcome};
use punctual_metrics::Metrics;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::occurrence::Phase;
use punctual_model::pause::Pauses;
use punctual_model::time::Clock;
use punctual_store::{Changed, Claim, Events, NodeId, Store, WorkStore};
use punctual_telemetry::Telemetry;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::cluster::{ClusterStatus, GiveUp, Member, Membership};
use crate::engine::{Effect, Engine, Input, Settings};
use crate::flights::Flights;
use crate::maintenance::{Maintenance, Recheck, Retention};
use crate::ownership::Ownership;
use crate::row::FlightId;

/// Inputs that are heard in one go before something is done about them.
const INPUTS_MAX: usize = 1024;

/// How long the store is left alone when it could not read whether the server is paused.
const STORE_REST: Duration = Duration::from_secs(1);

/// What the engine works with.
#[derive(Clone)]
pub struct Deps {
    /// What is due, and where it is written down what came of it.
    pub work_store: Arc<dyn WorkStore>,
    /// The same store, as those who edit jobs see it.
    pub store: Arc<dyn Store>,
    /// Makes the attempts.
    pub executor: Arc<dyn Executor>,
    /// Knows the present.
    pub clock: Arc<dyn Clock>,
    /// Tells those who watch.
    pub events: Arc<Events>,
    /// Where it is counted what the engine does.
    pub metrics: Arc<Metrics>,
    /// Where attempts in flight are noted, for who wants to know which take long.
    pub flights: Arc<Flights>,
    /// Where attempts are traced, if they are.
    pub telemetry: Option<Arc<Telemetry>>,
    /// How the process is one of several nodes, if it is.
    pub membership: Option<Membership>,
    /// Its place among them.
    pub status: Arc<ClusterStatus>,
}

/// Runs jobs until `stop`; then until nothing is in flight any more and everything is written, or until
/// `time_to_finish` is over. Returns the number of attempts that were left in flight.
pub async fn run(
    deps: Deps,
    settings: Settings,
    retention: Retention,
    stop: CancellationToken,
    time_to_finish: Duration,
) -> u32 {
    let (inputs, heard) = mpsc::unbounded_channel();
    let (rechecks, wanted) = mpsc::channel(1);
    let went_back = Arc::new(Notify::new());
    let maintenance = Maintenance::new(deps.clone(), rechecks, retention).run(Arc::clone(&went_back));
    let maintenance = tokio::spawn(stop.clone().run_until_cancelled_owned(maintenance));
    let engine = Engine::new(Arc::clone(&deps.clock), settings).with_metrics(Arc::clone(&deps.metrics));
    let mut engine = engine.with_telemetry(deps.telemetry.clone());
    if deps.membership.is_some() {
        engine = engine.with_ownership(Ownership::NOTHING);
    } else {
        Ownership::ALONE.show(&deps.metrics.engine);
    }
    // Nothing may start before it is known that the server is not paused.
    if let Some(pauses) = stop.run_until_cancelled(read_pauses(&*deps.work_store)).await {
        engine.hear(Input::Changed(Changed { pauses: Some(pauses), ..Changed::default() }));
    }
    let (give_ups, to_give_up) = mpsc::channel(1);
    let (given_away, end) = (CancellationToken::new(), CancellationToken::new());
    let member = deps.membership.clone().map(|membership| {
        let member = Member::new(&deps, membership, inputs.clone(), give_ups);
        tokio::spawn(member.run(stop.clone(), given_away.clone(), end.clone()))
    });
    if member.is_none() {
        given_away.cancel();
    }
    let (rechecked, gave_up) = (None, None);
    let mut driver =
        Driver { engine, deps, inputs, heard, wanted, rechecked, to_give_up, gave_up, given_away, went_back };
    driver.run(&stop).await;
    let is_finished = tokio::time::timeout(time_to_finish, driver.finish()).await.is_ok();
    end.cancel();
    let node = if let Some(member) = member { member.await.ok().flatten() } else { None };
    if is_finished {
        driver.say_goodbye(node).await;
    }
    let _ = maintenance.await;
    driver.engine.in_flight()
}

/// Reads when the server was paused, again and again until the store can read it.
async fn read_pauses(work_store: &dyn WorkStore) -> Pauses {
    loop {
        match work_store.pause_times().await {
            Ok(pauses) => return pauses,
            Err(error) => tracing::warn!("nothing is started before it is known whether the server is paused: {error}"),
        }
        sleep(STORE_REST).await;
    }
}

struct Driver {
    engine: Engine,
    deps: Deps,
    inputs: mpsc::UnboundedSender<Input>,
    heard: mpsc::UnboundedReceiver<Input>,
    wanted: mpsc::Receiver<Recheck>,
    /// Told when the rows that maintenance wanted to be looked at have been.
    rechecked: Option<oneshot::Sender<()>>,
    to_give_up: mpsc::Receiver<GiveUp>,
    /// Told what is in flight of shards that are given up.
    gave_up: Option<oneshot::Sender<Vec<Claim>>>,
    /// Cancelled when the shards of a process that stops are others', or nobody is there to take them.
    given_away: CancellationToken,
    went_back: Arc<Notify>,
}

impl Driver {
    async fn run(&mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            self.take_turn();
            tokio::select! {
                () = self.listen() => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Starts nothing any more, and lets what was started come to its end.
    async fn finish(&mut self) {
        self.engine.hear(Input::Stop);
        self.take_turn();
        while !self.engine.is_idle() || !self.given_away.is_cancelled() {
            self.listen().await;
            self.take_turn();
        }
    }

    /// Leaves nothing behind that others would have to doubt: else they would mark what was never sent.
    async fn say_goodbye(&self, node: Option<NodeId>) {
        if !self.engine.can_say_goodbye() {
            tracing::warn!("attempts whose outcomes could not be written will be sent again, marked as resent");
            return;
        }
        let said = match (&self.deps.membership, node) {
            (Some(membership), Some(node)) => membership.store.leave(node).await,
            (Some(_), None) => Ok(()),
            (None, _) => self.deps.work_store.forget_watermark(NodeId::ONLY).await,
        };
        if let Err(error) = said {
            tracing::warn!("attempts will be marked as resent that were never sent: {error}");
        }
    }

    /// Waits until something happens or the next turn is due.
    async fn listen(&mut self) {
        let ticks = self.engine.next_turn().since(self.deps.clock.now()).max(0);
        let pause = Duration::from_nanos(u64::try_from(ticks).unwrap_or(0).saturating_mul(100));
        let mut inputs = Vec::new();
        let is_waiting = !self.given_away.is_cancelled();
        tokio::select! {
            biased;
            // First, since under load there is always something to hear. It must not overtake what was said of shards before it.
            Some(give_up) = self.to_give_up.recv(), if self.gave_up.is_none() => {
                inputs.extend(std::iter::from_fn(|| self.heard.try_recv().ok()));
                self.gave_up = Some(give_up.done);
                inputs.push(Input::GiveUp(give_up.shards));
            }
            _ = self.heard.recv_many(&mut inputs, INPUTS_MAX) => {}
            () = self.deps.work_store.bell().heard() => {}
            Some(recheck) = self.wanted.recv(), if self.rechecked.is_none() => {
                self.rechecked = Some(recheck.done);
                inputs.push(Input::Recheck(recheck.rows, recheck.account_until));
            }
            () = self.given_away.cancelled(), if is_waiting => {}
            () = sleep(pause) => {}
        }
        for input in inputs {
            self.engine.hear(input);
        }
    }

    fn take_turn(&mut self) {
        // The bell comes first: an edit that was acknowledged before this turn is honoured in it.
        let changed = self.deps.work_store.bell().take();
        if !changed.is_empty() {
            self.engine.hear(Input::Changed(changed));
        }
        for effect in self.engine.turn() {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        let store = Arc::clone(&self.deps.work_store);
        match effect {
            Effect::ReadDue(page) => self.ask(async move { Input::Due(page, store.due(page).await) }),
            Effect::PollDue(page) => self.ask(async move { Input::Polled(page, store.due(page).await) }),
            Effect::ReadDueOf(jobs) => self.ask(async move { Input::DueOf(jobs.clone(), store.due_of(jobs).await) }),
            Effect::ReadWork(ids, jobs) => {
                self.ask(async move { Input::Work(ids.clone(), store.work_with_definitions(ids, jobs).await) });
            }
            Effect::ReadDefinitions(jobs) => {
                self.ask(async move { Input::Definitions(jobs.clone(), store.definitions(jobs).await) });
            }
            Effect::SetWatermark(node, until) => {
                self.ask(async move { Input::Watermark(node, store.set_watermark(node, until).await) });
            }
            Effect::Write(batch) => {
                let (clock, metrics) = (Arc::clone(&self.deps.clock), Arc::clone(&self.deps.metrics));
                self.ask(async move {
                    let (id, began) = (batch.id, clock.steady());
                    let outcome = store.write_work(batch).await;
                    metrics.engine.batch_duration.observe(clock.steady() - began);
                    Input::Written(id, outcome)
                });
            }
            Effect::AskLanded(node, id) => {
                self.ask(async move { Input::Landed(id, store.has_landed(node, id).await) });
            }
            Effect::Start(id, call) => self.start(id, call),
            Effect::Forget(definition) => self.deps.executor.forget(&definition),
            Effect::Rechecked => {
                if let Some(done) = self.rechecked.take() {
                    let _ = done.send(());
                }
            }
            Effect::GaveUp(claims) => {
                if let Some(gave_up) = self.gave_up.take() {
                    let _ = gave_up.send(claims);
                }
            }
            Effect::WentBack => self.went_back.notify_one(),
            Effect::Publish(event) => self.deps.events.push(event),
        }
    }

    fn start(&self, id: FlightId, mut call: Call) {
        let Deps { executor, flights, telemetry, clock, .. } = &self.deps;
        let flights = flights.start(id, &call).then(|| Arc::clone(flights));
        let mut is_told = false;
        if let Some(telemetry) = telemetry {
            let is_sampled = telemetry.is_sampled(call.occurrence);
            // A trace that is not sampled is told of from the first failure on.
            is_told = is_sampled || call.attempt > 1 || call.phase == Phase::Error;
            let trace = CallTrace::new(call.occurrence, call.attempt_id, is_sampled, Arc::clone(clock));
            call.trace = Some(Arc::new(trace));
        }
        let (executor, trace) = (Arc::clone(executor), call.trace.clone());
        let landing = Landing { id, inputs: self.inputs.clone(), flights, trace, is_told, outcome: None };
        tokio::spawn(async move {
            let mut landing = landing;
            landing.outcome = Some(executor.execute(call).await);
        });
    }

    /// Asks the store for something, beside everything else; the machine hears the answer.
    fn ask(&self, question: impl Future<Output = Input> + Send + 'static) {
        let inputs = self.inputs.clone();
        tokio::spawn(async move { drop(inputs.send(question.await)) });
    }
}

/// Tells the machine of the end of an attempt, also if the executor panicked: an attempt without an end would never be
/// settled.
struct Landing {
    id: FlightId,
    inputs: mpsc::UnboundedSender<Input>,
    /// Where the attempt is noted, if it is.
    flights: Option<Arc<Flights>>,
    trace: Option<Arc<CallTrace>>,
    /// Whether the attempt is told of to those who trace, also if it succeeds.
    is_told: bool,
    outcome: Option<Outcome>,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let failed = || {
            let message = "The attempt ended in an error of the server itself; see its log.";
            let reason = Failure::new(FailureClass::Protocol, "", message);
            Outcome::refused(message.to_owned(), reason, None, HostTrouble::None)
        };
        if let Some(flights) = &self.flights {
            flights.end(self.id);
        }
        let mut outcome = self.outcome.take().unwrap_or_else(failed);
        let trace = self.trace.as_ref().filter(|_| self.is_told || outcome.failure.is_some());
        outcome.trace = trace.map(|trace| Box::new(trace.finish()));
        let _ = self.inputs.send(Input::Ended(self.id, outcome));
    }
}
