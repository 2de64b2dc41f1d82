//! Trouble of the server itself: told to whom operates it.

use std::collections::HashMap;
use std::sync::Arc;

use punctual_metrics::Metrics;
use punctual_model::alert::Trouble;
use punctual_model::time::TICKS_PER_HOUR;
use punctual_store::{AlertEntry, AlertId, AlertTurn, Error, JobId, LOST_MESSAGE, MemberChange};

use super::Keeper;

/// The numbers of the server's own troubles, where jobs have theirs: below zero, where no job is. A job is in one incident of an
/// alert and a trouble at most, so that each trouble of the server needs a number of its own.
const STORE: JobId = JobId(-1);
const HISTORY: JobId = JobId(-2);
const CLOCK: JobId = JobId(-3);
const UNREADABLE: JobId = JobId(-4);
const LOST_MESSAGES: i64 = -100;

/// Alerts whose messages do not arrive that are told of one by one within that time. Who may make alerts could have a pager called for each
/// of them.
const LOST_ALERTS_MAX: usize = 5;

/// The same trouble is told again after this long.
const AGAIN_TICKS: i64 = TICKS_PER_HOUR;

/// What was seen of the server, by what it counts.
pub(super) struct ServerWatch {
    counts: Vec<Count>,
    lost: Vec<LostMessage>,
    /// The readings of the steady clock when it was last told that messages of an alert do not arrive.
    lost_told_at: HashMap<AlertId, i64>,
    /// The same for the alerts that are not told of one by one.
    more_lost_told_at: Option<i64>,
}

/// A number that only grows when something is wrong.
struct Count {
    member: JobId,
    cause: &'static str,
    text: &'static str,
    read: fn(&Metrics) -> u64,
    seen: u64,
    /// The reading of the steady clock when it was last told.
    told_at: Option<i64>,
}

/// A trouble of the server, as it is told.
struct Found {
    member: JobId,
    cause: String,
    text: String,
    /// The alert that does not tell of it, because the trouble is its own.
    but: Option<AlertId>,
}

/// A message that did not arrive.
struct LostMessage {
    alert: AlertId,
    text: String,
}

impl ServerWatch {
    pub(super) fn new(metrics: &Arc<Metrics>) -> Self {
        let count = |member, cause, text, read: fn(&Metrics) -> u64| Count {
            member,
            cause,
            text,
            read,
            seen: read(metrics),
            told_at: None,
        };
        let counts = vec![
            count(
                STORE,
                "store",
                "The database fails: reads or writes do not succeed; see the log of the server.",
                |metrics| metrics.engine.store_errors.iter().map(punctual_metrics::Counter::value).sum(),
            ),
            count(HISTORY, "history", "History was dropped before its time, because of its size.", |metrics| {
                metrics.engine.history_dropped_early_bytes.value()
            }),
            count(CLOCK, "clock", "The clock of the server was set; see its log.", |metrics| {
                metrics.engine.clock_jumps.value()
            }),
            count(
                UNREADABLE,
                "unreadable",
                "A job cannot be read and does not run; see the log of the server.",
                |metrics| u64::try_from(metrics.engine.set_aside.value()).unwrap_or(0),
            ),
        ];
        Self { counts, lost: Vec::new(), lost_told_at: HashMap::new(), more_lost_told_at: None }
    }

    /// A message of an alert did not arrive: other alerts tell of it, never the same one.
    pub(super) fn note_lost_message(&mut self, alert: AlertId, name: &str, failure: &str) {
        self.lost.push(LostMessage { alert, text: format!("A message of the alert {name} did not arrive: {failure}") });
    }

    /// What is to be told of messages that did not arrive: of each alert once an hour at most, of many alerts together.
    fn take_lost(&mut self, steady: i64) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        self.lost_told_at.retain(|_, told_at| steady - *told_at < AGAIN_TICKS);
        self.more_lost_told_at = self.more_lost_told_at.filter(|told_at| steady - told_at < AGAIN_TICKS);
        for LostMessage { alert, text } in std::mem::take(&mut self.lost) {
            if self.lost_told_at.contains_key(&alert) {
                continue;
            }
            if self.lost_told_at.len() < LOST_ALERTS_MAX {
                self.lost_told_at.insert(alert, steady);
                let (member, cause) = (JobId(LOST_MESSAGES - alert.0), format!("{LOST_MESSAGE}{}", alert.0));
                found.push(Found { member, cause, text, but: Some(alert) });
            } else if self.more_lost_told_at.is_none() {
                self.more_lost_told_at = Some(steady);
                let (member, cause) = (JobId(LOST_MESSAGES), LOST_MESSAGE.to_owned());
                let text = "Messages of other alerts did not arrive either; see the log of the server.".to_owned();
                found.push(Found { member, cause, text, but: None });
            }
        }
        found
    }
}

impl Keeper {
    /// Looks at what the server counts.
    pub(super) async fn watch_server(&mut self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let steady = self.deps.clock.steady();
        let mut found: Vec<Found> = Vec::new();
        for count in &mut self.server.counts {
            let now = (count.read)(&self.deps.metrics);
            let is_more = now > count.seen;
            count.seen = now;
            if is_more && count.told_at.is_none_or(|told_at| steady - told_at >= AGAIN_TICKS) {
                count.told_at = Some(steady);
                let (cause, text) = (count.cause.to_owned(), count.text.to_owned());
                found.push(Found { member: count.member, cause, text, but: None });
            }
        }
        found.extend(self.server.take_lost(steady));
        if found.is_empty() {
            return Ok(());
        }
        let at = self.now();
        let telling = |alert: &&AlertEntry| alert.alert.conditions.operator;
        let changes = found.iter().flat_map(|Found { member, cause, text, but }| {
            let telling = alerts.iter().filter(telling).filter(|alert| Some(alert.id) != *but);
            telling.map(|alert| MemberChange::Join {
                alert: alert.id,
                trouble: Trouble::Operator,
                job: *member,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_messages_of_an_alert_are_told_once_an_hour() {
        let mut watch = ServerWatch::new(&Arc::default());
        for (alert, failure) in [(1, "refused"), (1, "refused again"), (2, "too large")] {
            watch.note_lost_message(AlertId(alert), "ops", failure);
        }
        let told = |found: Vec<Found>| found.into_iter().map(|it| (it.member.0, it.cause, it.but)).collect::<Vec<_>>();
        let both = [(-101, "message 1".to_owned(), Some(AlertId(1))), (-102, "message 2".to_owned(), Some(AlertId(2)))];
        assert_eq!(told(watch.take_lost(0)), both);
        watch.note_lost_message(AlertId(1), "ops", "refused");
        assert_eq!(told(watch.take_lost(AGAIN_TICKS - 1)), []);
        watch.note_lost_message(AlertId(1), "ops", "refused");
        assert_eq!(told(watch.take_lost(AGAIN_TICKS)), both[..1]);
    }

    #[test]
    fn many_alerts_whose_messages_are_lost_are_told_together() {
        let mut watch = ServerWatch::new(&Arc::default());
        let mut lose = |alerts: std::ops::RangeInclusive<i64>, steady: i64| {
            alerts.for_each(|alert| watch.note_lost_message(AlertId(alert), "ops", "refused"));
            watch.take_lost(steady).into_iter().map(|it| (it.member.0, it.cause)).collect::<Vec<_>>()
        };
        let told = lose(1..=100, 0);
        assert_eq!(told.len(), LOST_ALERTS_MAX + 1);
        assert_eq!(told[LOST_ALERTS_MAX], (-100, "message ".to_owned()), "the others");
        assert_eq!(lose(1..=100, AGAIN_TICKS - 1), []);
        assert_eq!(lose(50..=51, AGAIN_TICKS), [(-150, "message 50".to_owned()), (-151, "message 51".to_owned())]);
    }

    #[test]
    fn each_trouble_of_the_server_is_a_member_of_its_own() {
        let watch = ServerWatch::new(&Arc::default());
        let mut members: Vec<i64> = watch.counts.iter().map(|count| count.member.0).collect();
        members.dedup();
        assert_eq!(members, [-1, -2, -3, -4]);
    }
}
