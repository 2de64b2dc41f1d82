//! What the clock says about jobs.

use std::collections::HashMap;

use punctual_model::alert::{DOWN, Finding, Look, Watched};
use punctual_model::job::JobState;
use punctual_model::progress::Progress;
use punctual_model::recurrence::Timetable;
use punctual_model::time::Timestamp;
use punctual_store::{
    AlertEntry, AlertTurn, Deadline, DeadlineEntry, DueWork, Error, JobDefinition, JobId, MemberChange, OpenWork,
    WorkId,
};

use super::{Keeper, PAGE, find};

/// Why nothing of a job runs: a cause, and a sentence.
type Held = (String, &'static str);

impl Keeper {
    /// Looks at some jobs whose deadlines have come. Says at how many.
    pub(super) async fn meet_deadlines(&self, alerts: &[AlertEntry]) -> Result<usize, Error> {
        let now = self.now();
        let due = self.deps.alert_store.deadlines(now, PAGE).await?;
        if due.is_empty() {
            return Ok(0);
        }
        let jobs = self.read_jobs(&due).await?;
        let is_paused = self.deps.work_store.pause_times().await?.is_paused();
        let mut turn = AlertTurn::default();
        for entry in &due {
            let found = jobs.get(&entry.deadline.job);
            let look = find(alerts, entry.deadline.alert).and_then(|alert| {
                let job = found.filter(|_| alert.alert.scope.covers(&entry.path))?;
                self.look(entry, alert, job, is_paused, now)
            });
            // A job that cannot be read, has ended or is not watched any more is looked at again when it is written.
            add(&mut turn, entry, look.unwrap_or(Look::NOTHING), now);
        }
        self.deps.alert_store.take_alert_turn(turn).await?;
        Ok(due.len())
    }

    async fn read_jobs(&self, due: &[DeadlineEntry]) -> Result<HashMap<JobId, DueWork>, Error> {
        let mut jobs: Vec<JobId> = due.iter().map(|entry| entry.deadline.job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        let rows: Vec<WorkId> = jobs.iter().map(|job| (*job).into()).collect();
        let work = self.deps.work_store.work(rows).await?;
        let definitions = self.deps.work_store.definitions(jobs).await?;
        Ok(DueWork::join(work, definitions).into_iter().map(|due| (due.job.id, due)).collect())
    }

    fn look(
        &self,
        entry: &DeadlineEntry,
        alert: &AlertEntry,
        found: &DueWork,
        is_paused: bool,
        now: Timestamp,
    ) -> Option<Look> {
        let held = held(found, entry, is_paused);
        let watched = Watched {
            expected: entry.deadline.expected,
            due_at: entry.deadline.due_at,
            last_started: entry.last_started,
            last_success: entry.last_success,
            since: entry.since,
            expires_at: entry.expires_at,
            server_started_at: self.started_at,
            cause: entry.cause.as_deref(),
            held: held.as_ref().map(|(cause, sentence)| (&**cause, *sentence)),
            unanswered: next_nominal(&found.job, self.answered_until(entry, found, held.is_some())),
            first: next_nominal(&found.job, entry.since.saturating_add(-1)),
            next: next_nominal(&found.job, now),
        };
        let is_over = matches!(found.job.state, JobState::Completed | JobState::Faulted);
        if is_over { None } else { alert.alert.conditions.look(entry.deadline.trouble, &watched, now) }
    }

    /// Up to when what came due has an outcome, or need not have one. What was not run has one, too: history says why. But while
    /// somebody keeps the job from running, and after the server was down, only a run counts.
    fn answered_until(&self, entry: &DeadlineEntry, found: &DueWork, is_held: bool) -> Timestamp {
        let before = entry.since.saturating_add(-1);
        let ran_until = entry.last_started.map_or(before, |started| started.max(before));
        let was_down = entry.deadline.due_at < self.started_at || entry.cause.as_deref() == Some(DOWN);
        // Where occurrences run beside the schedule, it is ahead of them.
        if is_held || was_down || found.entry.scheduled_beside > 0 {
            return ran_until;
        }
        match &found.entry.open {
            OpenWork::Schedule(Progress { open: Some(open), .. }) => ran_until.max(open.nominal.saturating_add(-1)),
            _ => ran_until,
        }
    }
}

/// Why nothing of a job runs, if somebody wants it so. What one switch has stopped is one incident.
fn held(found: &DueWork, entry: &DeadlineEntry, is_paused: bool) -> Option<Held> {
    let collection = entry.path.rsplit_once('/').map_or("", |(collection, _)| collection);
    if is_paused {
        Some(("paused".to_owned(), "everything is paused."))
    } else if found.entry.collection_stopped_at.is_some() {
        Some((format!("collectionDisabled {collection}"), "its collection is disabled."))
    } else if matches!(found.job.state, JobState::Disabled(_)) {
        Some((format!("disabled {}", entry.path), "the job is disabled."))
    } else {
        None
    }
}

fn next_nominal(job: &JobDefinition, after: Timestamp) -> Option<Timestamp> {
    let timetable = Timetable::new(job.definition.recurrence.as_ref(), job.anchor).ok()?;
    timetable.next(after)
}

/// What a look leads to.
fn add(turn: &mut AlertTurn, entry: &DeadlineEntry, look: Look, now: Timestamp) {
    let Deadline { alert, trouble, job, .. } = entry.deadline.clone();
    // Silence and age are not the target's fault as far as anyone knows: they are grouped by their cause alone.
    let join = |cause, detail| {
        let target = String::new();
        MemberChange::Join { alert, trouble, job, target, cause, detail, at: now }
    };
    let leave = |is_well| MemberChange::Leave { alert: Some(alert), trouble: Some(trouble), job, is_well, at: now };
    match look.finding {
        Finding::Troubled(cause, detail) => turn.changes.push(join(cause, detail)),
        Finding::MadeGood(cause, detail) => turn.changes.extend([join(cause, detail), leave(true)]),
        Finding::Well { is_shown } if entry.cause.is_some() => turn.changes.push(leave(is_shown)),
        Finding::Well { .. } => {}
    }
    turn.deadlines.push(Deadline { due_at: look.due_at, expected: look.expected, ..entry.deadline.clone() });
}
