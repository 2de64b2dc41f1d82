//! The machine's hands: reads, writes and calls, as it says.

use std::sync::Arc;
use std::time::Duration;

use punctual_actions::{Executor, HostTrouble, Outcome};
use punctual_model::settle::Verdict;
use punctual_model::time::{Clock, Timestamp};
use punctual_store::{Events, NodeId, WorkId, WorkStore};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::engine::{Effect, Engine, Input, Settings};
use crate::flight::FlightId;
use crate::housekeeping::{self, Attendant, Retention};

/// What is heard in one go before something is done about it.
const INPUTS_MAX: usize = 1024;

/// What the engine works with.
#[derive(Clone)]
pub struct Deps {
    /// What is due, and where it is written down what came of it.
    pub work_store: Arc<dyn WorkStore>,
    /// Whoever makes the attempts.
    pub actions: Arc<dyn Executor>,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// Where whoever watches is told.
    pub events: Arc<Events>,
}

/// Rows that someone wants to have looked at, and whoever waits for it.
pub(crate) struct Attention {
    pub(crate) rows: Vec<WorkId>,
    pub(crate) account_until: Option<Timestamp>,
    pub(crate) done: oneshot::Sender<()>,
}

/// Runs jobs, until it is told to stop; then until nothing is on the wire any more and everything is written, or until
/// the time for that is over. Says how many attempts were left on the wire.
pub async fn run(
    tools: Deps,
    settings: Settings,
    retention: Retention,
    stop: CancellationToken,
    time_to_finish: Duration,
) -> u32 {
    let (inputs, heard) = mpsc::unbounded_channel();
    let (attention, wanted) = mpsc::channel(1);
    let went_back = Arc::new(tokio::sync::Notify::new());
    let attendant = Attendant::new(attention);
    let housekeeping = housekeeping::run(tools.clone(), attendant, retention, Arc::clone(&went_back));
    let housekeeping = tokio::spawn(stop.clone().run_until_cancelled_owned(housekeeping));
    let engine = Engine::new(Arc::clone(&tools.clock), settings);
    let mut driver = Driver { engine, tools, inputs, heard, wanted, attended: None, went_back };
    driver.run(&stop).await;
    let is_finished = tokio::time::timeout(time_to_finish, driver.finish()).await.is_ok();
    // Else the next process would mark what was never sent.
    if is_finished && let Err(error) = driver.tools.work_store.forget_watermark(NodeId::ONLY).await {
        tracing::warn!("the next start will mark attempts as resent that were never sent: {error}");
    }
    let _ = housekeeping.await;
    driver.engine.in_flight()
}

struct Driver {
    engine: Engine,
    tools: Deps,
    inputs: mpsc::UnboundedSender<Input>,
    heard: mpsc::UnboundedReceiver<Input>,
    wanted: mpsc::Receiver<Attention>,
    /// Who waits for what is being attended to.
    attended: Option<oneshot::Sender<()>>,
    went_back: Arc<tokio::sync::Notify>,
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
        while !self.engine.is_idle() {
            self.listen().await;
            self.take_turn();
        }
    }

    /// Waits until something happens or it is time.
    async fn listen(&mut self) {
        let ticks = self.engine.next_turn().since(self.tools.clock.now()).max(0);
        let pause = Duration::from_nanos(u64::try_from(ticks).unwrap_or(0).saturating_mul(100));
        let mut inputs = Vec::new();
        tokio::select! {
            biased;
            _ = self.heard.recv_many(&mut inputs, INPUTS_MAX) => {}
            () = self.tools.work_store.bell().heard() => {}
            Some(attention) = self.wanted.recv(), if self.attended.is_none() => {
                self.attended = Some(attention.done);
                inputs.push(Input::Attend(attention.rows, attention.account_until));
            }
            () = sleep(pause) => {}
        }
        for input in inputs {
            self.engine.hear(input);
        }
    }

    fn take_turn(&mut self) {
        // First: what was acknowledged before this turn is honoured in it.
        let changed = self.tools.work_store.bell().take();
        if changed.all || !changed.jobs.is_empty() {
            self.engine.hear(Input::Changed(changed));
        }
        for effect in self.engine.turn() {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        let (work_store, inputs) = (Arc::clone(&self.tools.work_store), self.inputs.clone());
        let send = move |input| drop(inputs.send(input));
        match effect {
            Effect::ReadDue(page) => {
                _ = tokio::spawn(async move { send(Input::Due(page, work_store.due(page).await)) })
            }
            Effect::ReadDueOf(jobs) => {
                tokio::spawn(async move { send(Input::DueOf(jobs.clone(), work_store.due_of(jobs).await)) });
            }
            Effect::ReadWork(ids) => {
                tokio::spawn(async move { send(Input::Work(ids.clone(), work_store.work(ids).await)) });
            }
            Effect::ReadDefinitions(jobs) => {
                tokio::spawn(async move { send(Input::Definitions(jobs.clone(), work_store.definitions(jobs).await)) });
            }
            Effect::SetWatermark(until) => {
                tokio::spawn(
                    async move { send(Input::Watermark(work_store.set_watermark(NodeId::ONLY, until).await)) },
                );
            }
            Effect::Write(batch) => {
                tokio::spawn(async move { send(Input::Written(batch.id, work_store.write_work(batch).await)) });
            }
            Effect::Start(id, call) => {
                let actions = Arc::clone(&self.tools.actions);
                let landing = Landing { id, inputs: self.inputs.clone(), outcome: None };
                tokio::spawn(async move {
                    let mut landing = landing;
                    landing.outcome = Some(actions.execute(call).await);
                });
            }
            Effect::Forget(definition) => self.tools.actions.forget(&definition),
            Effect::Attended => {
                if let Some(done) = self.attended.take() {
                    let _ = done.send(());
                }
            }
            Effect::WentBack => self.went_back.notify_one(),
            Effect::Say(event) => self.tools.events.push(event),
        }
    }
}

/// Tells of the end of an attempt, also if whoever made it panicked: what is never settled would wait for ever.
struct Landing {
    id: FlightId,
    inputs: mpsc::UnboundedSender<Input>,
    outcome: Option<Outcome>,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let failed = || Outcome {
            verdict: Verdict::Failed { retry_after_ticks: None },
            message: "The attempt ended in an error of the server itself; see its log.".to_owned(),
            trouble: HostTrouble::None,
        };
        let _ = self.inputs.send(Input::Ended(self.id, self.outcome.take().unwrap_or_else(failed)));
    }
}
