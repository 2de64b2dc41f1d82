//! What happened to jobs.

use punctual_model::alert::Trouble;
use punctual_model::in_words;
use punctual_store::{AlertEntry, AlertTurn, Error, MemberChange, SignalEntry, SignalKind};

use super::{Keeper, PAGE};

/// Changes that are written in one transaction, beside those of the last signal of it. Others wait for the writer as long, and who
/// makes alerts must not decide for how long.
const CHANGES_MAX: usize = 500;

impl Keeper {
    /// Takes some signals. Says how many.
    pub(super) async fn take_signals(&self, alerts: &[AlertEntry]) -> Result<usize, Error> {
        let signals = self.deps.alert_store.signals(PAGE).await?;
        let mut turn = AlertTurn::default();
        for signal in &signals {
            turn.changes.extend(judge(signal, alerts));
            turn.signals.push(signal.id);
            if turn.changes.len() >= CHANGES_MAX {
                self.deps.alert_store.take_alert_turn(std::mem::take(&mut turn)).await?;
            }
        }
        if !turn.signals.is_empty() {
            self.deps.alert_store.take_alert_turn(turn).await?;
        }
        Ok(signals.len())
    }
}

/// What a signal means for the incidents of its job.
fn judge(signal: &SignalEntry, alerts: &[AlertEntry]) -> Vec<MemberChange> {
    let Some(path) = &signal.path else { return leave_all(signal) };
    let watching = || alerts.iter().filter(|alert| alert.alert.scope.covers(path));
    match signal.kind {
        SignalKind::Health if signal.standing.failing.is_none() => vec![leave(signal, true)],
        SignalKind::Health if signal.standing.is_live() => {
            watching().flat_map(|alert| join_failing(signal, alert)).collect()
        }
        // A job that has ended by its failure is told of, and cannot recover.
        SignalKind::Health if signal.standing.has_ended() => {
            let joins = watching().flat_map(|alert| join_failing(signal, alert));
            joins.chain([leave(signal, false)]).collect()
        }
        SignalKind::Health => vec![leave(signal, false)],
        SignalKind::Ended => {
            let told = watching().filter(|alert| alert.alert.conditions.ended);
            let cause = signal.standing.failing.as_ref().map_or("", |failing| failing.class.name());
            let joins = told.map(|alert| join(signal, alert, Trouble::Ended, cause, String::new()));
            joins.chain([leave(signal, false)]).collect()
        }
        SignalKind::Late(ticks) => {
            let is_late =
                |alert: &&AlertEntry| alert.alert.conditions.late.as_ref().is_some_and(|late| late.ticks() <= ticks);
            let detail = format!("started {} late.", in_words(ticks));
            watching().filter(is_late).map(|alert| join(signal, alert, Trouble::Late, "", detail.clone())).collect()
        }
    }
}

/// A job that fails joins the incidents of alerts that tell of it.
fn join_failing(signal: &SignalEntry, alert: &AlertEntry) -> Vec<MemberChange> {
    let troubles = [Trouble::Failing, Trouble::GivenUp].into_iter();
    let joins = troubles.filter_map(|trouble| {
        let class = signal.standing.trouble(&alert.alert.conditions, trouble)?;
        Some(join(signal, alert, trouble, class.name(), String::new()))
    });
    joins.collect()
}

fn join(signal: &SignalEntry, alert: &AlertEntry, trouble: Trouble, cause: &str, detail: String) -> MemberChange {
    let (job, target, cause) = (signal.job, signal.target.clone(), cause.to_owned());
    MemberChange::Join { alert: alert.id, trouble, job, target, cause, detail, at: signal.at }
}

/// The job leaves all incidents about failures.
const fn leave(signal: &SignalEntry, is_well: bool) -> MemberChange {
    MemberChange::Leave { alert: None, trouble: None, job: signal.job, is_well, at: signal.at }
}

/// A job that is gone leaves every incident.
fn leave_all(signal: &SignalEntry) -> Vec<MemberChange> {
    let leave = |trouble| MemberChange::Leave {
        alert: None,
        trouble: Some(trouble),
        job: signal.job,
        is_well: false,
        at: signal.at,
    };
    // What has happened is told, whatever became of the job.
    Trouble::ALL.into_iter().filter(|trouble| !trouble.is_event()).map(leave).collect()
}
