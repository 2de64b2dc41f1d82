//! Alerts: notices what jobs are in trouble, and has people told.
//!
//! ```text
//!   signals   ──▶ judge ──┐
//!   deadlines ──▶ judge ──┼──▶ members of incidents ──▶ step ──▶ message ──▶ delivery: a job that runs once
//!   server    ──▶ judge ──┘                                                         │
//!                                                            log, metric, operator ◀┴─ did not arrive
//! ```
//!
//! A pass a second reads what happened, lets the model decide and writes what follows, each in one transaction. Nothing is kept
//! in memory but runs that are slow: a process that dies in between leaves what it has not taken to the next one.

mod deadlines;
mod deliveries;
mod incidents;
mod operator;
mod redirections;
mod signals;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use punctual_metrics::Metrics;
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};
use punctual_store::{AlertEntry, AlertId, AlertStore, DeliveryEntry, Error, GroupKey, Store, WorkStore};
use tokio::time::{MissedTickBehavior, interval};

use self::operator::ServerWatch;
use self::slow::SlowWatch;
use crate::cluster::ClusterStatus;
use crate::flights::Flights;
use crate::troubles::{StoreTask, Troubles};

/// Interval between two passes: who is told of a trouble within ten seconds has five of them to gather, and the rest to travel.
const INTERVAL: Duration = Duration::from_secs(1);

/// Signals, deadlines, incidents or messages that are looked at together.
const PAGE: usize = 500;

/// A message whose next attempt is nearer than this may be under way.
const NEAR_TICKS: i64 = 2 * TICKS_PER_SECOND;

/// How long an incident is known after it is over.
const KEPT_TICKS: i64 = 90 * TICKS_PER_DAY;

/// What alerts work with.
#[derive(Clone)]
pub struct AlertDeps {
    /// Where alerts and incidents are.
    pub alert_store: Arc<dyn AlertStore>,
    /// Where history is.
    pub store: Arc<dyn Store>,
    /// Where the definitions of jobs are.
    pub work_store: Arc<dyn WorkStore>,
    /// Knows the present.
    pub clock: Arc<dyn Clock>,
    /// What the server counts of itself.
    pub metrics: Arc<Metrics>,
    /// The attempts in flight.
    pub flights: Arc<Flights>,
    /// The place of the process among other nodes.
    pub status: Arc<ClusterStatus>,
    /// How people reach this server, for links to it.
    pub public_url: Option<String>,
    /// The group whose collections are named without it.
    pub defaults: GroupKey,
}

/// Watches until it is dropped.
pub async fn watch(deps: AlertDeps) {
    let mut keeper = Keeper::new(deps);
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let result = keeper.pass().await;
        keeper.troubles.record(StoreTask::Alert, result.as_ref().err(), keeper.deps.clock.steady());
    }
}

struct Keeper {
    deps: AlertDeps,
    troubles: Troubles,
    started_at: Timestamp,
    server: ServerWatch,
    slow: SlowWatch,
    /// The reading of the steady clock when old incidents were last forgotten; none if this process has not.
    forgotten_at: Option<i64>,
}

impl Keeper {
    fn new(deps: AlertDeps) -> Self {
        let troubles = Troubles::new(Arc::clone(&deps.metrics));
        let started_at = deps.clock.now();
        let server = ServerWatch::new(&deps.metrics);
        Self { deps, troubles, started_at, server, slow: SlowWatch::default(), forgotten_at: None }
    }

    async fn pass(&mut self) -> Result<(), Error> {
        let alerts = self.deps.alert_store.alerts().await?;
        // Attempts in flight and troubles of a node are known to that node only. All else is told by one node for all.
        self.watch_flights(&alerts).await?;
        self.watch_server(&alerts).await?;
        if !self.deps.status.is_leader(&*self.deps.clock) {
            return Ok(());
        }
        while self.take_signals(&alerts).await? == PAGE {}
        while self.meet_deadlines(&alerts).await? == PAGE {}
        self.step_incidents(&alerts).await?;
        self.note_failed_attempts(&alerts).await?;
        self.end_deliveries(&alerts).await?;
        self.redirect_deliveries(&alerts).await?;
        self.forget_old().await
    }

    fn now(&self) -> Timestamp {
        self.deps.clock.now()
    }

    /// Once a day, forgets incidents that are over for long.
    async fn forget_old(&mut self) -> Result<(), Error> {
        let steady = self.deps.clock.steady();
        if self.forgotten_at.is_some_and(|forgotten_at| steady - forgotten_at < TICKS_PER_DAY) {
            return Ok(());
        }
        let before = self.now().saturating_add(-KEPT_TICKS);
        while self.deps.alert_store.forget_incidents(before, PAGE).await? > 0 {}
        self.forgotten_at = Some(steady);
        Ok(())
    }
}

/// The alert of that number, if it is still there.
fn find(alerts: &[AlertEntry], id: AlertId) -> Option<&AlertEntry> {
    alerts.iter().find(|alert| alert.id == id)
}

/// Whether a message waits for its next attempt, so that none can be under way.
fn waits_for_retry(delivery: &DeliveryEntry, now: Timestamp) -> bool {
    let near = now.saturating_add(NEAR_TICKS);
    delivery.failed_attempts > 0 && delivery.next_attempt_at.is_some_and(|at| at > near)
}
