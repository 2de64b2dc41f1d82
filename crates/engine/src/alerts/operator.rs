//! Trouble of the server itself: told to whom operates it.

use std::sync::Arc;

use punctual_metrics::Metrics;
use punctual_model::alert::Trouble;
use punctual_model::time::TICKS_PER_HOUR;
use punctual_store::{AlertEntry, AlertId, AlertTurn, Error, JobId, MemberChange};

use super::Keeper;

/// The server itself, where a job is meant otherwise.
const SERVER: JobId = JobId(0);

/// The same trouble is told again after this long.
const AGAIN_TICKS: i64 = TICKS_PER_HOUR;

/// What was seen of the server, by what it counts.
pub(super) struct ServerWatch {
    counts: Vec<Count>,
    lost: Vec<LostMessage>,
}

/// A number that only grows when something is wrong.
struct Count {
    cause: &'static str,
    text: &'static str,
    read: fn(&Metrics) -> u64,
    seen: u64,
    /// The reading of the steady clock when it was last told.
    told_at: Option<i64>,
}

/// A message that did not arrive.
struct LostMessage {
    alert: AlertId,
    text: String,
}

impl ServerWatch {
    pub(super) fn new(metrics: &Arc<Metrics>) -> Self {
        let count =
            |cause, text, read: fn(&Metrics) -> u64| Count { cause, text, read, seen: read(metrics), told_at: None };
        let counts = vec![
            count(
                "store",
                "The database fails: reads or writes do not succeed; see the log of the server.",
                |metrics| metrics.engine.store_errors.iter().map(punctual_metrics::Counter::value).sum(),
            ),
            count("history", "Old history was dropped because of its age or its size.", |metrics| {
                metrics.engine.history_dropped_bytes.value()
            }),
            count("clock", "The clock of the server was set; see its log.", |metrics| {
                metrics.engine.clock_jumps.value()
            }),
            count("unreadable", "A job cannot be read and does not run; see the log of the server.", |metrics| {
                u64::try_from(metrics.engine.set_aside.value()).unwrap_or(0)
            }),
        ];
        Self { counts, lost: Vec::new() }
    }

    /// A message of an alert did not arrive: other alerts tell of it, never the same one.
    pub(super) fn note_lost_message(&mut self, alert: AlertId, name: &str, failure: &str) {
        self.lost.push(LostMessage { alert, text: format!("A message of the alert {name} did not arrive: {failure}") });
    }
}

impl Keeper {
    /// Looks at what the server counts.
    pub(super) async fn watch_server(&mut self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let steady = self.deps.clock.steady();
        let mut found: Vec<(String, String, Option<AlertId>)> = Vec::new();
        for count in &mut self.server.counts {
            let now = (count.read)(&self.deps.metrics);
            let is_more = now > count.seen;
            count.seen = now;
            if is_more && count.told_at.is_none_or(|told_at| steady - told_at >= AGAIN_TICKS) {
                count.told_at = Some(steady);
                found.push((count.cause.to_owned(), count.text.to_owned(), None));
            }
        }
        let lost = self.server.lost.drain(..);
        found.extend(lost.map(|lost| (format!("message {}", lost.alert.0), lost.text, Some(lost.alert))));
        if found.is_empty() {
            return Ok(());
        }
        let at = self.now();
        let telling = |alert: &&AlertEntry| alert.alert.conditions.operator;
        let changes = found.iter().flat_map(|(cause, text, but)| {
            let telling = alerts.iter().filter(telling).filter(|alert| Some(alert.id) != *but);
            telling.map(|alert| MemberChange::Join {
                alert: alert.id,
                trouble: Trouble::Operator,
                job: SERVER,
                target: String::new(),
                cause: cause.clone(),
                detail: text.clone(),
                at,
            })
        });
        let turn = AlertTurn { changes: changes.collect(), ..AlertTurn::default() };
        self.deps.alert_store.take_alert_turn(turn).await
    }
}
