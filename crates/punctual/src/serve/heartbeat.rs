//! Calls an address of the operator every minute while the scheduler is well, so that a monitor elsewhere notices when it
//! is not.

use std::sync::Arc;
use std::time::Duration;

use punctual_actions::{OperatorClient, OperatorRequest};
use punctual_engine::ClusterStatus;
use punctual_metrics::{EngineMetrics, Metrics};
use punctual_model::time::{Clock, TICKS_PER_SECOND, Timestamp};
use punctual_store::Store;
use tokio::time::{interval, sleep, timeout};

use crate::clock::SystemClock;
use crate::config::metrics::Heartbeat as HeartbeatConfig;

/// Between two heartbeats.
const INTERVAL: Duration = Duration::from_mins(1);

/// The first heartbeat comes when the engine has had a turn.
const FIRST_AFTER: Duration = Duration::from_secs(2);

/// How long the store may take to say that it can write.
const STORE_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the answer to a heartbeat may take.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// What a monitor answers is not read beyond this.
const ANSWER_BYTES_MAX: usize = 65_536;

/// The engine has a turn at least every second. Without one for this long it hangs.
const TURN_TICKS_MAX: i64 = 30 * TICKS_PER_SECOND;

/// Sends heartbeats.
pub(super) struct Heartbeat {
    pub(super) client: OperatorClient,
    pub(super) url: String,
    pub(super) overdue_ticks_max: i64,
    pub(super) store: Arc<dyn Store>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) status: Arc<ClusterStatus>,
    pub(super) clock: SystemClock,
    /// Whether it was logged that the scheduler is not well.
    is_withheld: bool,
    /// Whether it was logged that a heartbeat could not be sent.
    is_failing: bool,
}

impl Heartbeat {
    /// Heartbeats as the configuration wants them; none if it names no address.
    pub(super) fn new(
        config: &HeartbeatConfig,
        client: OperatorClient,
        store: Arc<dyn Store>,
        metrics: Arc<Metrics>,
        status: Arc<ClusterStatus>,
        clock: SystemClock,
    ) -> Option<Self> {
        let url = config.url.clone()?;
        let overdue_ticks_max = i64::from(config.overdue_seconds_max) * TICKS_PER_SECOND;
        let (is_withheld, is_failing) = (false, false);
        Some(Self { client, url, overdue_ticks_max, store, metrics, status, clock, is_withheld, is_failing })
    }

    /// Sends heartbeats until the future is dropped.
    pub(super) async fn run(mut self) {
        sleep(FIRST_AFTER).await;
        let mut ticks = interval(INTERVAL);
        loop {
            ticks.tick().await;
            self.beat().await;
        }
    }

    async fn beat(&mut self) {
        // One node speaks for all.
        if !self.status.is_leader(&self.clock) {
            return;
        }
        let well = match self.check_store().await {
            Ok(()) if !self.status.is_complete() => Err("not every job has a node that runs it".to_owned()),
            Ok(()) => {
                judge(&self.metrics.engine, self.clock.now(), self.status.overdue_ticks(), self.overdue_ticks_max)
            }
            Err(reason) => Err(reason),
        };
        let was_withheld = std::mem::replace(&mut self.is_withheld, well.is_err());
        if let Err(reason) = well {
            self.metrics.heartbeats.withheld.increment();
            if !was_withheld {
                tracing::warn!("no heartbeat is sent until this is over: {reason}");
            }
            return;
        }
        if was_withheld {
            tracing::info!("the scheduler is well again: heartbeats are sent");
        }
        let sent = self.send().await;
        let was_failing = std::mem::replace(&mut self.is_failing, sent.is_err());
        match sent {
            Ok(()) => self.metrics.heartbeats.sent.increment(),
            Err(_) => self.metrics.heartbeats.failed.increment(),
        }
        match sent {
            Ok(()) if was_failing => tracing::info!("heartbeats are answered again"),
            Err(reason) if !was_failing => {
                tracing::warn!("a heartbeat cannot be sent: {reason}; it is tried again every minute");
            }
            _ => {}
        }
    }

    async fn check_store(&self) -> Result<(), String> {
        let checked = timeout(STORE_TIME_MAX, self.store.check()).await;
        let checked = checked.map_err(|_| format!("the store did not write within {} s", STORE_TIME_MAX.as_secs()))?;
        checked.map_err(|error| format!("the store cannot write: {error}"))
    }

    async fn send(&self) -> Result<(), String> {
        let request = OperatorRequest { method: "GET", url: &self.url, bearer: None, body: "", precondition: None };
        let answer = self.client.send(request, ANSWER_BYTES_MAX, ANSWER_TIME_MAX).await?;
        match answer.status {
            200..=299 => Ok(()),
            status => Err(format!("the answer has the status {status}, and not one from 200 to 299")),
        }
    }
}

/// Says why the engine is not well, if it is not: this node's own, or that of another node, which reports how late it is. A pause is
/// what its owner wants: nothing is overdue in it.
fn judge(engine: &EngineMetrics, now: Timestamp, reported_ticks: i64, overdue_ticks_max: i64) -> Result<(), String> {
    let (turn, due_since) = (engine.turn_ticks.value(), engine.due_since_ticks.value());
    let since = |ticks: i64| now.ticks().saturating_sub(ticks);
    if turn == 0 {
        return Err("the engine has not begun yet".to_owned());
    }
    if since(turn) > TURN_TICKS_MAX {
        return Err(format!("the engine has done nothing for {} s", since(turn) / TICKS_PER_SECOND));
    }
    if engine.clock_trusted.value() == 0 {
        return Err("the clock leapt forward, and nothing starts until it was steady for a while".to_owned());
    }
    let is_paused = engine.paused.value() == 1;
    let own_ticks = if due_since == EngineMetrics::NOTHING_DUE { 0 } else { since(due_since) };
    let overdue_ticks = own_ticks.max(reported_ticks);
    if overdue_ticks > overdue_ticks_max && !is_paused {
        let (seconds, max) = (overdue_ticks / TICKS_PER_SECOND, overdue_ticks_max / TICKS_PER_SECOND);
        return Err(format!("a job is overdue by {seconds} s, more than heartbeat.overdue_seconds_max = {max}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_well() {
        let engine = EngineMetrics::default();
        let at = |seconds: i64| Timestamp::EPOCH.saturating_add(seconds * TICKS_PER_SECOND);
        let judged = |now: i64| judge(&engine, at(now), 0, 60 * TICKS_PER_SECOND).err().unwrap_or_default();
        assert_eq!(judged(1000), "the engine has not begun yet");
        engine.turn_ticks.set(at(1000).ticks());
        assert_eq!(judged(1001), "");
        assert_eq!(judged(1100), "the engine has done nothing for 100 s");
        engine.due_since_ticks.set(at(941).ticks());
        assert_eq!(judged(1001), "", "a minute is just within the limit");
        let elsewhere = judge(&engine, at(1001), 70 * TICKS_PER_SECOND, 60 * TICKS_PER_SECOND);
        assert_eq!(
            elsewhere.unwrap_err(),
            "a job is overdue by 70 s, more than heartbeat.overdue_seconds_max = 60",
            "it is another node's"
        );
        engine.due_since_ticks.set(at(900).ticks());
        assert_eq!(judged(1001), "a job is overdue by 101 s, more than heartbeat.overdue_seconds_max = 60");
        engine.paused.set(1);
        assert_eq!(judged(1001), "", "a paused server is well");
        engine.clock_trusted.set(0);
        assert_eq!(judged(1001), "the clock leapt forward, and nothing starts until it was steady for a while");
    }
}
