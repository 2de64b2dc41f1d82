//! Keeps the lease of this node, and its share of the shards.

use std::sync::Arc;
use std::time::Duration;

use punctual_metrics::{EngineMetrics, Metrics};
use punctual_model::limits::TIMEOUT_TICKS_MAX;
use punctual_model::plural;
use punctual_model::time::{Clock, TICKS_PER_MINUTE};
use punctual_store::{Claim, ClusterView, Error, Handover, NodeId, NodeReport, Shards};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::balance::{CLOCK_OFFSET_TICKS_MAX, Plan, PlanFor};
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
    report: NodeReport,
    /// Which server of the database answered last, and the reading of the lease clock when it first did.
    server: Option<(String, i64)>,
    /// Whether the clock was too far off when it was last looked at.
    is_clock_off: bool,
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
        Self {
            membership,
            clock: Arc::clone(&deps.clock),
            status: Arc::clone(&deps.status),
            metrics: Arc::clone(&deps.metrics),
            troubles: Troubles::new(Arc::clone(&deps.metrics)),
            inputs,
            give_ups,
            node: None,
            report: NodeReport::default(),
            server: None,
            is_clock_off: false,
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
            // Who waits for the database longer than this has no time to hear its answer.
            let pass = timeout(self.membership.lease, self.pass(is_leaving)).await;
            let pass = pass.unwrap_or_else(|_| Err(Error::Unavailable("no answer for the time of a lease".to_owned())));
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
        let engine = &self.metrics.engine;
        let unsettled = engine.in_flight.value().saturating_add(engine.settling.value());
        self.report.unsettled = u32::try_from(unsettled).unwrap_or(0);
        self.report.overdue_ticks = self.overdue_ticks();
        // The lease begins before its renewal is sent: by our own clock it ends no later than by that of the database.
        let (sent, before) = (lease_clock(&*self.clock), self.clock.now());
        let Some(view) = store.renew(node, self.membership.lease, self.report).await? else {
            self.lose_lease(node);
            return Ok(Next::Now);
        };
        self.look_at_clock(before.ticks(), &view);
        let can_inherit = self.can_inherit(&view.server, sent);
        let owned = view.owned_by(node);
        self.publish(
            Ownership {
                node,
                shards: owned,
                until: Some(sent.saturating_add(ticks(self.membership.lease))),
                nodes: u32::try_from(view.nodes.iter().filter(|entry| entry.is_alive).count()).unwrap_or(u32::MAX),
            },
            is_complete(&view),
        );
        let Plan { take, give } = Plan::of(&view, PlanFor { node, is_leaving, can_inherit });
        if !give.is_empty() {
            self.give(node, give).await?;
            return Ok(Next::Now);
        }
        if !take.is_empty() && !is_leaving {
            let taken = store.take_shards(node, take).await?;
            let (shards, marked) = (plural(taken.shards.len() as u64, "shard"), taken.marked);
            if marked > 0 {
                let attempts = plural(marked, "attempt");
                tracing::warn!(
                    "took {shards} of nodes that are gone; {attempts} may have been sent there, and will be sent again, marked as resent"
                );
            } else {
                tracing::info!("took {shards}");
            }
            return Ok(if taken.shards.is_empty() { Next::Beat } else { Next::Now });
        }
        if view.claims > 0 {
            let ended = store.end_claims(owned).await?;
            if !ended.is_empty() {
                tracing::warn!(
                    "{} of nodes that are gone will be sent again, marked as resent",
                    plural(ended.len() as u64, "attempt")
                );
            }
        }
        Ok(Next::Beat)
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
        self.publish(Ownership { node, ..Ownership::NOTHING }, false);
    }

    /// Tells the engine what it may run, and everybody else in the process.
    fn publish(&self, ownership: Ownership, is_complete: bool) {
        self.status.record(&ownership, is_complete);
        ownership.show(&self.metrics.engine);
        let _ = self.inputs.send(Input::Ownership(ownership));
    }

    /// Gives shards away: first the engine starts nothing there any more, then they are others'.
    async fn give(&mut self, node: NodeId, shards: Vec<(u8, NodeId)>) -> Result<(), Error> {
        let (done, claims) = oneshot::channel();
        let given: Shards = shards.iter().map(|(shard, _)| *shard).collect();
        if self.give_ups.send(GiveUp { shards: given, done }).await.is_err() {
            return Ok(());
        }
        let Ok(claims) = claims.await else { return Ok(()) };
        let claimed_until = self.clock.now().saturating_add(CLAIM_TICKS);
        let (number, claimed) = (shards.len() as u64, claims.len() as u64);
        // If that fails, the next heartbeat says whose they are.
        self.membership.store.hand_over(Handover { from: node, shards, claims, claimed_until }).await?;
        let in_flight =
            if claimed > 0 { format!("; {} in flight stay here", plural(claimed, "attempt")) } else { String::new() };
        tracing::info!("gave {} away{in_flight}", plural(number, "shard"));
        Ok(())
    }

    /// Whether what nodes that are gone have left may be taken: the same server of the database has answered for the time of a lease.
    fn can_inherit(&mut self, server: &str, reading: i64) -> bool {
        let since = match &self.server {
            Some((known, since)) if known == server => *since,
            _ => reading,
        };
        self.server = Some((server.to_owned(), since));
        reading.saturating_sub(since) >= ticks(self.membership.lease)
    }

    /// Compares the clock with that of the database. What the way to the database and back took is not held against the clock.
    fn look_at_clock(&mut self, before: i64, view: &ClusterView) {
        let after = self.clock.now().ticks();
        let way = (after - before).max(0) / 2;
        let offset = before + way - view.now.ticks();
        self.report.clock_offset_ticks = offset.signum() * (offset.abs() - way).max(0);
        let is_off = self.report.clock_offset_ticks.abs() > CLOCK_OFFSET_TICKS_MAX;
        if is_off != self.is_clock_off {
            let milliseconds = self.report.clock_offset_ticks / 10_000;
            if is_off {
                tracing::error!(
                    "the clock of this machine is {milliseconds} ms off that of the database: its shards go to other nodes until it is right"
                );
            } else {
                tracing::info!("the clock of this machine is right again");
            }
        }
        self.is_clock_off = is_off;
    }

    fn overdue_ticks(&self) -> i64 {
        let since = self.metrics.engine.due_since_ticks.value();
        if since == EngineMetrics::NOTHING_DUE { 0 } else { (self.clock.now().ticks() - since).max(0) }
    }
}

/// Whether every shard has an owner that is alive.
fn is_complete(view: &ClusterView) -> bool {
    view.owners.iter().all(|owner| owner.is_some_and(|owner| view.is_alive(owner)))
}

fn ticks(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos() / 100).unwrap_or(i64::MAX)
}
