//! Keeps the lease of this node, and its share of the shards.

use std::sync::Arc;
use std::time::Duration;

use punctual_metrics::{EngineMetrics, Metrics};
use punctual_model::limits::TIMEOUT_TICKS_MAX;
use punctual_model::plural;
use punctual_model::time::{Clock, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use punctual_store::{Claim, ClusterView, Error, Handover, NodeId, Shards, TakenShards};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::lease::{Lease, LeaseStep, Sent};
use super::{ClusterStatus, Membership};
use crate::driver::Deps;
use crate::engine::Input;
use crate::ownership::{Ownership, lease_clock};
use crate::troubles::{StoreTask, Troubles};

/// The longest time between two heartbeats.
const BEAT_MAX: Duration = Duration::from_secs(1);

/// Heartbeats in the time of a lease, at least: some of them may be lost.
const BEATS_PER_LEASE: u32 = 5;

/// Claims that were not settled by then never will be: an attempt takes no longer, and then it is written.
const CLAIM_TICKS: i64 = TIMEOUT_TICKS_MAX + 5 * TICKS_PER_MINUTE;

const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;

/// Shards that the engine is to give up.
pub(crate) struct GiveUp {
    pub(crate) shards: Shards,
    /// Told what of them is in flight, once nothing is started there any more.
    pub(crate) done: oneshot::Sender<Vec<Claim>>,
}

/// Keeps the lease of this node, and its share of the shards.
pub(crate) struct Member {
    membership: Membership,
    clock: Arc<dyn Clock>,
    status: Arc<ClusterStatus>,
    metrics: Arc<Metrics>,
    troubles: Troubles,
    inputs: mpsc::UnboundedSender<Input>,
    give_ups: mpsc::Sender<GiveUp>,
    /// The number under which the process has joined, if it has.
    node: Option<NodeId>,
    lease: Lease,
}

/// When the next pass is made.
enum Next {
    /// At once, to see what has changed.
    Now,
    /// With the next heartbeat.
    Beat,
}

impl Member {
    pub(crate) fn new(
        deps: &Deps,
        membership: Membership,
        inputs: mpsc::UnboundedSender<Input>,
        give_ups: mpsc::Sender<GiveUp>,
    ) -> Self {
        let lease = Lease::new(membership.lease);
        Self {
            membership,
            clock: Arc::clone(&deps.clock),
            status: Arc::clone(&deps.status),
            metrics: Arc::clone(&deps.metrics),
            troubles: Troubles::new(Arc::clone(&deps.metrics)),
            inputs,
            give_ups,
            node: None,
            lease,
        }
    }

    /// Keeps the lease until `end`. After `stop` gives everything away, and says so when it is done or nobody is there to take it.
    /// Returns the number of the node, for who says goodbye.
    pub(crate) async fn run(
        mut self,
        stop: CancellationToken,
        given_away: CancellationToken,
        end: CancellationToken,
    ) -> Option<NodeId> {
        let beat = BEAT_MAX.min(self.membership.lease / BEATS_PER_LEASE);
        while !end.is_cancelled() {
            let is_leaving = stop.is_cancelled();
            let pass = self.pass(is_leaving).await;
            self.troubles.record(StoreTask::KeepLease, pass.as_ref().err(), self.clock.steady());
            match pass {
                Ok(Next::Now) => continue,
                // Nothing is left to be given away, or nobody is there to take it.
                Ok(Next::Beat) if is_leaving => given_away.cancel(),
                Ok(Next::Beat) | Err(_) => {}
            }
            tokio::select! {
                () = sleep(beat) => {}
                () = stop.cancelled(), if !is_leaving => {}
                () = end.cancelled() => {}
            }
        }
        self.node
    }

    /// Renews the lease and does one thing about shards, if there is one to do.
    async fn pass(&mut self, is_leaving: bool) -> Result<Next, Error> {
        let store = Arc::clone(&self.membership.store);
        let node = match self.node {
            Some(node) => node,
            None if is_leaving => return Ok(Next::Beat),
            None => self.join().await?,
        };
        self.check_engine()?;
        let unsettled = self.metrics.engine.in_flight.value() + self.metrics.engine.settling.value();
        let report = self.lease.report(u32::try_from(unsettled).unwrap_or(0), self.overdue_ticks());
        let (reading, before) = (lease_clock(&*self.clock), self.clock.now().ticks());
        // Who waits for the database longer than this has no time to hear its answer. Nothing else is given up in the middle: a
        // handover that lands after the next heartbeat would give shards away in which attempts have been started since.
        let renewed = timeout(self.membership.lease, store.renew(node, self.membership.lease, report)).await;
        let late = |_| Err(Error::Unavailable("no answer for the time of a lease".to_owned()));
        let Some(view) = renewed.unwrap_or_else(late)? else {
            self.lose_lease(node);
            return Ok(Next::Now);
        };
        let (was_off, wall) = (self.lease.is_clock_off(), (before, self.clock.now().ticks()));
        let (ownership, step) = self.lease.hear_renewed(node, &view, Sent { reading, wall }, is_leaving);
        self.tell_clock(was_off);
        self.publish(ownership, Some(&view));
        match step {
            LeaseStep::Drain => {
                store.set_draining(node, true).await?;
                Ok(Next::Now)
            }
            LeaseStep::Give(shards) => {
                self.give(node, shards).await?;
                Ok(Next::Now)
            }
            LeaseStep::Take(shards) if !is_leaving => {
                let taken = store.take_shards(node, shards).await?;
                tell_taken(taken);
                Ok(if taken.shards.is_empty() { Next::Beat } else { Next::Now })
            }
            LeaseStep::EndClaims(shards) => {
                let ended = store.end_claims(shards).await?.len() as u64;
                if ended > 0 {
                    let attempts = plural(ended, "attempt");
                    tracing::warn!("{attempts} of nodes that are gone will be sent again, marked as resent");
                }
                Ok(Next::Beat)
            }
            LeaseStep::Take(_) | LeaseStep::Rest => Ok(Next::Beat),
        }
    }

    /// A node whose engine does nothing must not keep its shards from others.
    fn check_engine(&self) -> Result<(), Error> {
        let turn = self.metrics.engine.turn_ticks.value();
        let idle = Duration::from_nanos(self.clock.now().ticks().saturating_sub(turn).max(0).unsigned_abs() * 100);
        if turn == 0 || idle <= self.membership.lease {
            return Ok(());
        }
        Err(Error::Unavailable(format!("the engine has done nothing for {} s", idle.as_secs())))
    }

    async fn join(&mut self) -> Result<NodeId, Error> {
        let node = self.membership.store.join(self.membership.node.clone(), self.membership.lease).await?;
        tracing::info!("joined as node {} ({})", node.0, self.membership.node.name);
        self.node = Some(node);
        Ok(node)
    }

    /// The lease has run out. Attempts in flight go on; nothing new is started before the process has joined again.
    fn lose_lease(&mut self, node: NodeId) {
        tracing::warn!("the lease of node {} has run out: it joins again, and others may have its shards", node.0);
        self.node = None;
        self.publish(Ownership { node, ..Ownership::NOTHING }, None);
    }

    /// Tells the engine what it may run, and everybody else in the process what the nodes are like.
    fn publish(&self, ownership: Ownership, view: Option<&ClusterView>) {
        self.status.record(&ownership, view.is_some_and(is_complete), view.map_or(0, overdue_ticks));
        ownership.show(&self.metrics.engine);
        let _ = self.inputs.send(Input::Ownership(ownership));
    }

    /// Gives shards away: first the engine starts nothing there any more, then they are others'.
    async fn give(&mut self, node: NodeId, shards: Vec<(u8, NodeId)>) -> Result<(), Error> {
        let (done, claims) = oneshot::channel();
        let given: Shards = shards.iter().map(|(shard, _)| *shard).collect();
        let ended = || Error::Unavailable("the engine has ended".to_owned());
        self.give_ups.send(GiveUp { shards: given, done }).await.map_err(|_| ended())?;
        let claims = claims.await.map_err(|_| ended())?;
        let claimed_until = self.clock.now().saturating_add(CLAIM_TICKS);
        let (number, claimed) = (shards.len() as u64, claims.len() as u64);
        // If that fails, the next heartbeat says whose they are.
        self.membership.store.hand_over(Handover { from: node, shards, claims, claimed_until }).await?;
        let in_flight =
            if claimed > 0 { format!("; {} in flight stay here", plural(claimed, "attempt")) } else { String::new() };
        tracing::info!("gave {} away{in_flight}", plural(number, "shard"));
        Ok(())
    }

    /// Says it when the clock becomes wrong, and when it is right again.
    fn tell_clock(&self, was_off: bool) {
        let milliseconds = self.lease.clock_offset_ticks() / TICKS_PER_MILLISECOND;
        match (was_off, self.lease.is_clock_off()) {
            (false, true) => tracing::error!(
                "the clock of this machine is {milliseconds} ms off that of the database: its shards go to other nodes until it is right"
            ),
            (true, false) => tracing::info!("the clock of this machine is right again"),
            _ => {}
        }
    }

    fn overdue_ticks(&self) -> i64 {
        let since = self.metrics.engine.due_since_ticks.value();
        if since == EngineMetrics::NOTHING_DUE { 0 } else { (self.clock.now().ticks() - since).max(0) }
    }
}

/// How late the most overdue row is of all that the nodes have reported.
fn overdue_ticks(view: &ClusterView) -> i64 {
    let alive = view.nodes.iter().filter(|entry| entry.is_alive);
    alive.map(|entry| entry.report.overdue_ticks).max().unwrap_or(0)
}

/// Whether every shard has an owner that is alive.
fn is_complete(view: &ClusterView) -> bool {
    view.owners.iter().all(|owner| owner.is_some_and(|owner| view.is_alive(owner)))
}

fn tell_taken(taken: TakenShards) {
    let shards = plural(taken.shards.len() as u64, "shard");
    if taken.marked == 0 {
        tracing::info!("took {shards}");
        return;
    }
    let attempts = plural(taken.marked, "attempt");
    tracing::warn!(
        "took {shards} of nodes that are gone; {attempts} may have been sent there, and will be sent again, marked as resent"
    );
}
