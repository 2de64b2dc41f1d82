//! Runs that take longer than they should, told while they still run.

use std::collections::HashMap;

use punctual_model::alert::{Slow, Trouble};
use punctual_model::history::Status;
use punctual_model::in_words;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{AlertEntry, AlertId, AlertTurn, Error, HistoryFilter, HistoryPage, JobId, JobKey, MemberChange};

use super::Keeper;
use crate::flights::NotedFlight;

/// A younger attempt is slow for nobody.
const AGE_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// Runs that a median is made of, at most and at least.
const RUNS_MAX: usize = 50;
const RUNS_MIN: usize = 10;

/// Runs that are or may become slow.
#[derive(Default)]
pub(super) struct SlowWatch {
    /// Whether jobs were let go that an earlier process left in incidents. Their runs died with it.
    has_let_go: bool,
    /// What is known of each run that was seen.
    runs: HashMap<OccurrenceId, Run>,
}

struct Run {
    job: JobId,
    /// The median of the runs before it, read once; none if there are too few.
    median: Option<i64>,
    /// The alerts that were told.
    told: Vec<AlertId>,
}

impl Keeper {
    /// Looks at runs that take long.
    pub(super) async fn watch_flights(&mut self, alerts: &[AlertEntry]) -> Result<(), Error> {
        let alerts: Vec<&AlertEntry> = alerts.iter().filter(|alert| alert.alert.conditions.slow.is_some()).collect();
        let now = self.now();
        let is_watched = !alerts.is_empty();
        let flights =
            if is_watched { self.deps.flights.older_than(now.saturating_add(-AGE_TICKS_MIN)) } else { Vec::new() };
        let mut turn = AlertTurn::default();
        let is_leader = self.deps.status.is_leader(&*self.deps.clock);
        if !self.slow.has_let_go && is_leader {
            let members = self.deps.alert_store.members(Trouble::Slow).await?;
            turn.changes.extend(members.into_iter().map(|(alert, job)| leave(alert, job, now)));
        }
        self.slow.runs.retain(|occurrence, run| {
            let is_in_flight = flights.iter().any(|flight| flight.occurrence == *occurrence);
            if !is_in_flight {
                turn.changes.extend(run.told.iter().map(|alert| leave(*alert, run.job, now)));
            }
            is_in_flight
        });
        for flight in &flights {
            let watching = alerts.iter().filter(|alert| alert.alert.scope.covers(&flight.path));
            let watching: Vec<&AlertEntry> = watching.copied().collect();
            if !watching.is_empty() {
                turn.changes.extend(self.judge_flight(flight, &watching, now).await?);
            }
        }
        if !turn.changes.is_empty() {
            self.deps.alert_store.take_alert_turn(turn).await?;
        }
        self.slow.has_let_go |= is_leader;
        Ok(())
    }

    async fn judge_flight(
        &mut self,
        flight: &NotedFlight,
        watching: &[&AlertEntry],
        now: Timestamp,
    ) -> Result<Vec<MemberChange>, Error> {
        if !self.slow.runs.contains_key(&flight.occurrence) {
            let Some(run) = self.read_run(flight).await? else { return Ok(Vec::new()) };
            self.slow.runs.insert(flight.occurrence, run);
        }
        let Some(run) = self.slow.runs.get_mut(&flight.occurrence) else { return Ok(Vec::new()) };
        let age = now.since(flight.started);
        let mut changes = Vec::new();
        for alert in watching {
            let slow = alert.alert.conditions.slow.as_ref().filter(|_| !run.told.contains(&alert.id));
            let Some(detail) = slow.and_then(|slow| slowness(slow, age, run.median)) else { continue };
            run.told.push(alert.id);
            changes.push(MemberChange::Join {
                alert: alert.id,
                trouble: Trouble::Slow,
                job: run.job,
                target: flight.target.clone(),
                cause: String::new(),
                detail,
                at: now,
            });
        }
        Ok(changes)
    }

    /// What is known of a run; nothing if its job is gone.
    async fn read_run(&self, flight: &NotedFlight) -> Result<Option<Run>, Error> {
        let Some(key) = JobKey::of_path(&flight.path) else { return Ok(None) };
        let Some((job, _)) = self.deps.store.find_job(&key).await? else { return Ok(None) };
        let filter = HistoryFilter { phase: Some(Phase::Main), ..HistoryFilter::default() };
        let page = HistoryPage { filter, limit: RUNS_MAX, ..HistoryPage::default() };
        let records = self.deps.store.history(job, &page).await?;
        let ran = records
            .iter()
            .map(|item| &item.entry.record)
            .filter(|record| matches!(record.status, Status::Completed(_)));
        let mut durations: Vec<i64> = ran.map(|record| record.ended.since(record.started)).collect();
        durations.sort_unstable();
        let median = durations.get(durations.len() / 2).copied().filter(|_| durations.len() >= RUNS_MIN);
        Ok(Some(Run { job, median, told: Vec::new() }))
    }
}

/// Whether a run of that age is slow, in words.
fn slowness(slow: &Slow, age: i64, median: Option<i64>) -> Option<String> {
    match slow {
        Slow::Longer(limit) => (age > limit.ticks()).then(|| format!("has run for {}.", in_words(age))),
        Slow::Times(times) => {
            let median = median?.max(1);
            let is_slow = age > median.saturating_mul(i64::from(*times));
            is_slow.then(|| format!("has run for {}, {} times as long as usual.", in_words(age), age / median))
        }
    }
}

const fn leave(alert: AlertId, job: JobId, at: Timestamp) -> MemberChange {
    MemberChange::Leave { alert: Some(alert), trouble: Some(Trouble::Slow), job, is_well: true, at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_model::time::Span;

    #[test]
    fn a_run_is_slow_by_a_limit_or_by_what_is_usual() {
        let second = TICKS_PER_SECOND;
        let limit = Slow::Longer(Span::from_seconds(60));
        assert_eq!(slowness(&limit, 60 * second, None), None);
        assert_eq!(slowness(&limit, 180 * second, None).as_deref(), Some("has run for 3 minutes."));
        let usual = Slow::Times(3);
        assert_eq!(slowness(&usual, 3600 * second, None), None, "too few runs for a verdict");
        assert_eq!(slowness(&usual, 6 * second, Some(2 * second)), None);
        let text = "has run for 10 seconds, 5 times as long as usual.";
        assert_eq!(slowness(&usual, 10 * second, Some(2 * second)).as_deref(), Some(text));
    }
}
