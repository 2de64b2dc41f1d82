//! Sends traces, metrics and logs to a collector. Nothing waits for it: what the collector does not take is dropped, counted
//! and logged once.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use punctual_actions::{OperatorClient, OperatorPost};
use punctual_metrics::Metrics;
use punctual_model::action::Secret;
use punctual_model::time::Clock;
use punctual_telemetry::{Export, Telemetry};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::outbound::Outbound;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::config::telemetry::Telemetry as TelemetryConfig;

/// Between two sendings of spans and lines, unless a queue becomes half full.
const INTERVAL: Duration = Duration::from_secs(5);

/// Metrics are sent once in so many intervals: every minute.
const INTERVALS_PER_METRICS: u32 = 12;

/// How long a collector may take for one request.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// What a collector answers is not read beyond this.
const ANSWER_BYTES_MAX: usize = 65_536;

/// How long a server that stops tries to send the rest.
const FAREWELL_TIME_MAX: Duration = Duration::from_secs(5);

/// What is recorded, if the configuration names a collector.
pub(super) fn recorder(config: &TelemetryConfig, metrics: &Arc<Metrics>, clock: SystemClock) -> Option<Arc<Telemetry>> {
    config.endpoint.as_ref()?;
    Some(Arc::new(Telemetry::new(config.settings.clone(), Arc::clone(metrics), clock.now())))
}

/// The task that sends what is recorded, if anything is.
pub(super) struct Exporting(Option<(CancellationToken, JoinHandle<()>)>);

impl Exporting {
    /// Begins to send.
    pub(super) fn start(
        config: &Config,
        outbound: &Outbound,
        telemetry: Option<Arc<Telemetry>>,
        clock: SystemClock,
    ) -> anyhow::Result<Self> {
        let Some(telemetry) = telemetry else { return Ok(Self(None)) };
        let client = outbound.operator_client().context("[outbound]")?;
        let exporter = Exporter::new(&config.telemetry, telemetry, client, clock);
        let stop = CancellationToken::new();
        Ok(Self(Some((stop.clone(), tokio::spawn(exporter.run(stop))))))
    }

    /// Sends what is left. Called when nothing else is recorded any more.
    pub(super) async fn finish(self) {
        if let Some((stop, exporter)) = self.0 {
            stop.cancel();
            let _ = exporter.await;
        }
    }
}

/// Sends what is recorded.
struct Exporter {
    telemetry: Arc<Telemetry>,
    client: OperatorClient,
    endpoint: String,
    headers: Vec<(String, Secret)>,
    clock: SystemClock,
    /// What the collector could not take for the moment: it is tried again before anything else is taken from the queues,
    /// so that these fill up and no more than they hold is kept.
    put_off: Option<Export>,
    /// Whether it was logged that nothing can be sent.
    is_failing: bool,
}

/// Why the collector did not take something.
struct Refusal {
    reason: String,
    /// Whether the collector may take the same later.
    is_passing: bool,
}

impl Exporter {
    fn new(config: &TelemetryConfig, telemetry: Arc<Telemetry>, client: OperatorClient, clock: SystemClock) -> Self {
        let (endpoint, headers) = (config.endpoint.clone().unwrap_or_default(), config.headers.clone());
        Self { telemetry, client, endpoint, headers, clock, put_off: None, is_failing: false }
    }

    /// Sends until `stop`, and then what is left.
    async fn run(mut self, stop: CancellationToken) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once, and there is nothing to tell yet.
        ticks.tick().await;
        let mut intervals = 0;
        loop {
            let telemetry = Arc::clone(&self.telemetry);
            tokio::select! {
                () = stop.cancelled() => break,
                () = telemetry.wait_until_half_full() => self.send_waiting().await,
                _ = ticks.tick() => {
                    self.send_waiting().await;
                    if intervals % INTERVALS_PER_METRICS == 0 {
                        self.send_metrics().await;
                    }
                    intervals += 1;
                }
            }
        }
        let farewell = async {
            self.send_waiting().await;
            self.send_metrics().await;
        };
        let _ = timeout(FAREWELL_TIME_MAX, farewell).await;
    }

    /// Sends spans and lines until none wait, or the collector takes no more.
    async fn send_waiting(&mut self) {
        while let Some(export) = self.next() {
            match self.send(&export).await {
                Ok(()) => {}
                Err(refusal) if refusal.is_passing => {
                    self.put_off = Some(export);
                    return;
                }
                Err(_) => self.telemetry.count_dropped(&export),
            }
        }
    }

    /// What is sent next: what was put off comes first.
    fn next(&mut self) -> Option<Export> {
        let telemetry = &self.telemetry;
        self.put_off.take().or_else(|| telemetry.next_traces()).or_else(|| telemetry.next_logs())
    }

    /// Metrics that do not arrive are not sent again: the next ones say the same and more.
    async fn send_metrics(&mut self) {
        if let Some(export) = self.telemetry.metrics(self.clock.now())
            && self.send(&export).await.is_err()
        {
            self.telemetry.count_dropped(&export);
        }
    }

    async fn send(&mut self, export: &Export) -> Result<(), Refusal> {
        let sent = self.post(export).await;
        let was_failing = std::mem::replace(&mut self.is_failing, sent.is_err());
        match &sent {
            Ok(()) if was_failing => tracing::info!("telemetry is taken again"),
            Err(Refusal { reason, .. }) if !was_failing => {
                let name = export.signal.name();
                tracing::warn!("telemetry ({name}) cannot be sent: {reason}; what finds no room meanwhile is dropped");
            }
            _ => {}
        }
        sent
    }

    async fn post(&self, export: &Export) -> Result<(), Refusal> {
        let url = format!("{}{}", self.endpoint, export.signal.path());
        let post = OperatorPost {
            url: &url,
            content_type: "application/x-protobuf",
            headers: &self.headers,
            body: &export.body,
        };
        let answer = self.client.post(post, ANSWER_BYTES_MAX, ANSWER_TIME_MAX).await;
        let status = answer.map_err(|reason| Refusal { reason, is_passing: true })?.status;
        if (200..=299).contains(&status) {
            return Ok(());
        }
        let reason = format!("the collector answered {} {status}", export.signal.path());
        Err(Refusal { reason, is_passing: matches!(status, 429 | 502 | 503 | 504) })
    }
}
