//! What an edit does to a job.
//!
//! The anchor is fixed when the job is made. An edit that leaves `startTime` and `recurrence` as they are, but for
//! `count` and `endTime`, goes on with the series; any other begins a new one, which starts after now. An occurrence that
//! is due, running or waiting for a retry is never replaced: it finishes first.

use crate::action::{Action, Secret};
use crate::collection::Sku;
use crate::history::{NotRun, Reason};
use crate::job::{Definition, Job, JobState, State, Uid};
use crate::pause::Pauses;
use crate::progress::Progress;
use crate::recurrence::{Anchor, Timetable};
use crate::terms::Terms;
use crate::time::Timestamp;
use crate::{Violation, Warning};

mod certificates;
mod warnings;

pub use self::certificates::check as check_certificates;

/// What an edit depends on besides the job and what is wanted of it.
#[derive(Clone, Debug)]
pub struct EditContext {
    /// The instant of acceptance.
    pub now: Timestamp,
    /// The job.
    pub uid: Uid,
    /// The plan of the collection, which decides how long a retry waits where the policy does not say.
    pub sku: Option<Sku>,
    /// Since when the collection is disabled, if it is.
    pub collection_stopped_at: Option<Timestamp>,
    /// How many occurrences that the schedule opened have rows of their own.
    pub scheduled_beside: u32,
    /// How many attempts of the job have failed.
    pub failures: u64,
    /// The last pauses of the server, which explain times that did not run.
    pub pauses: Pauses,
}

impl EditContext {
    /// The context of a new job outside all plans.
    pub(crate) fn of_new(uid: Uid, now: Timestamp) -> Self {
        let (sku, collection_stopped_at) = (None, None);
        Self { now, uid, sku, collection_stopped_at, scheduled_beside: 0, failures: 0, pauses: Pauses::default() }
    }
}

/// What the edit makes of the job, to be written in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revised {
    /// The job after the edit.
    pub job: Job,
    /// When the job is due from now on.
    pub timetable: Timetable,
    /// What the edit did to the job.
    pub effect: Effect,
    /// What is recorded as not run.
    pub not_run: Vec<NotRun>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Whether a job shall run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SwitchTo {
    Enabled,
    Disabled,
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// There is a new job.
    Created,
    /// The definition was the same, and nothing changed.
    Unchanged,
    /// The definition changed, and the job goes on with its series.
    Changed,
    /// The schedule changed, and the job begins a new series.
    Rescheduled,
}

/// Why an edit is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The definition is wrong. Paths are relative to it.
    Invalid(Vec<Violation>),
    /// The job has ended in this state and cannot be changed; it can be deleted and created again.
    Ended(State),
}

/// Decides what writing `wanted` does: to the stored job, or as a new one.
///
/// `state` is the one the client named, if any. A client that writes back what it read names the one the job has.
pub fn revise(
    current: Option<&Job>,
    wanted: Definition<Option<Secret>>,
    state: Option<State>,
    context: &EditContext,
) -> Result<Revised, Refusal> {
    let known = current.map(|job| &job.definition.action);
    let definition = complete(wanted, known)?;
    certificates::check(known, &definition.action, context.now).map_err(Refusal::Invalid)?;
    let Some(job) = current else {
        return create(definition, wished(state, context.now)?, context);
    };
    let is_same = job.definition == definition;
    if job.state.kind().is_final() {
        let wishes_nothing = matches!(state, None | Some(State::Enabled)) || state == Some(job.state.kind());
        return if is_same && wishes_nothing { still_ended(job) } else { Err(Refusal::Ended(job.state.kind())) };
    }
    let new_state = if state == Some(job.state.kind()) { job.state } else { wished(state, context.now)? };
    if is_same && new_state == job.state { unchanged(job) } else { edit(job, definition, new_state, context) }
}

/// Decides what enabling or disabling the stored job does; its definition stays.
pub fn switch(job: &Job, to: SwitchTo, context: &EditContext) -> Result<Revised, Refusal> {
    if job.state.kind().is_final() {
        return Err(Refusal::Ended(job.state.kind()));
    }
    let state = match (to, job.state) {
        (SwitchTo::Enabled, _) => JobState::Enabled,
        (SwitchTo::Disabled, JobState::Disabled(since)) => JobState::Disabled(since),
        (SwitchTo::Disabled, _) => JobState::Disabled(context.now),
    };
    if state == job.state { unchanged(job) } else { edit(job, job.definition.clone(), state, context) }
}

fn complete(wanted: Definition<Option<Secret>>, known: Option<&Action>) -> Result<Definition, Refusal> {
    let action = wanted.action.complete(known).map_err(Refusal::Invalid)?;
    // The stored values that masks stood for may have been stored without placeholders.
    let violations = if wanted.options.has_placeholders() { action.check_placeholders() } else { Vec::new() };
    if !violations.is_empty() {
        return Err(Refusal::Invalid(violations));
    }
    Ok(Definition { start: wanted.start, action, recurrence: wanted.recurrence, options: wanted.options })
}

fn wished(state: Option<State>, now: Timestamp) -> Result<JobState, Refusal> {
    match state {
        None | Some(State::Enabled) => Ok(JobState::Enabled),
        Some(State::Disabled) => Ok(JobState::Disabled(now)),
        Some(ended) => {
            let violation = Violation::new("state", ended.name(), "Enabled or Disabled; a job ends by itself");
            Err(Refusal::Invalid(vec![violation]))
        }
    }
}

fn timetable(definition: &Definition, anchor: Anchor) -> Result<Timetable, Refusal> {
    Timetable::new(definition.recurrence.as_ref(), anchor).map_err(|violation| Refusal::Invalid(vec![violation]))
}

fn unchanged(job: &Job) -> Result<Revised, Refusal> {
    let timetable = timetable(&job.definition, job.anchor)?;
    Ok(Revised { job: job.clone(), timetable, effect: Effect::Unchanged, not_run: vec![], warnings: vec![] })
}

/// The same definition of a job that has ended: nothing is done, and its writer may expect a run.
fn still_ended(job: &Job) -> Result<Revised, Refusal> {
    let text = format!("the job is {}, and writing it again runs nothing: delete it first", job.state.kind().name());
    Ok(Revised { warnings: vec![Warning::new("state", text)], ..unchanged(job)? })
}

/// A new job whose definition was checked before.
pub(crate) fn create_now(definition: Definition, context: &EditContext) -> Result<Revised, Refusal> {
    create(definition, JobState::Enabled, context)
}

fn create(definition: Definition, new_state: JobState, context: &EditContext) -> Result<Revised, Refusal> {
    let now = context.now;
    let anchor = Anchor::new(definition.start, definition.recurrence.is_some(), now);
    let timetable = timetable(&definition, anchor)?;
    let terms = terms(&definition, &timetable, 1, new_state, context);
    let (progress, not_run) = Progress::new(1, before_first(anchor, now)).proceed(&terms, now, Reason::Missed);
    let state = progress.ends(&terms, 0).map_or(new_state, JobState::ended);
    let warnings = warnings::of_create(&definition, &terms, now);
    let job = Job { definition, state, anchor, series: 1, progress };
    Ok(Revised { job, timetable, effect: Effect::Created, not_run: Vec::from_iter(not_run), warnings })
}

fn edit(job: &Job, definition: Definition, new_state: JobState, context: &EditContext) -> Result<Revised, Refusal> {
    let now = context.now;
    let old_timetable = timetable(&job.definition, job.anchor)?;
    let old = terms(&job.definition, &old_timetable, job.series, job.state, context);
    let (mut progress, mut not_run) = leave(job.progress, &old, new_state, context);
    if job.progress.open.is_none() && job.progress.is_counted_out(&old) {
        // The series had ended, and goes on from here if it may: there were no times since.
        progress.accounted = progress.accounted.max(now);
    }
    let is_same_series = is_same_series(&job.definition, &definition);
    let (anchor, series) = if is_same_series {
        (job.anchor, job.series)
    } else {
        (new_anchor(job, &definition, now.max(progress.all_accounted().saturating_add(1))), job.series + 1)
    };
    let timetable = timetable(&definition, anchor)?;
    let new = terms(&definition, &timetable, series, new_state, context);
    // A lower `count` ends the series with the occurrence that is open: nobody asks later what came due behind it.
    let ends_with_open = progress.is_counted_out(&new) && !progress.is_counted_out(&old);
    if !is_same_series || timetable != old_timetable || ends_with_open {
        // The times of the old timetable end here, and those of the new one begin.
        let reason = if old.stopped_at.is_some() { Reason::Disabled } else { Reason::Overlap };
        let passed = old.came_due(progress.all_accounted(), now, reason);
        let passed = passed.filter(|_| !progress.is_counted_out(&old));
        let begins_after = if is_same_series { now } else { before_first(anchor, now) };
        let passed_until = passed.map_or(progress.all_accounted(), |passed| passed.last);
        progress.accounted = passed_until.max(begins_after);
        not_run.extend(passed.into_iter().flat_map(|passed| context.pauses.explain(&old, passed)));
    }
    let (progress, opened_without) = match (old.stopped_at, new.stopped_at) {
        (Some(stopped_at), None) => progress.enable(&new, stopped_at, now),
        (None, None) if progress.open.is_none() => {
            let (progress, missed) = progress.proceed(&new, now, Reason::Missed);
            (progress, Vec::from_iter(missed))
        }
        _ => (progress, Vec::new()),
    };
    not_run.extend(opened_without.into_iter().flat_map(|range| context.pauses.explain(&new, range)));
    let warnings = warnings::of_edit(&job.definition, &definition, [&old, &new], &progress, context);
    let effect = if is_same_series { Effect::Changed } else { Effect::Rescheduled };
    let state = progress.ends(&new, context.scheduled_beside).map_or(new_state, JobState::ended);
    let job = Job { definition, state, anchor, series, progress };
    Ok(Revised { job, timetable, effect, not_run, warnings })
}

/// The progress that stays under the old terms: an occurrence that is still to come is dropped, and one that waits is
/// closed if the job is stopped.
///
/// An occurrence that is due stays, also if it is long overdue: its attempt may be in flight.
fn leave(progress: Progress, old: &Terms<'_>, new_state: JobState, context: &EditContext) -> (Progress, Vec<NotRun>) {
    let now = context.now;
    if old.stopped_at.is_some() || (new_state == JobState::Enabled && progress.has_begun(now)) {
        (progress, Vec::new())
    } else if new_state == JobState::Enabled {
        (Progress { open: None, ..progress }, Vec::new())
    } else {
        progress.stop(old, now)
    }
}

/// The last instant before a new series: a start that is now is still to come, one that is past is not.
fn before_first(anchor: Anchor, now: Timestamp) -> Timestamp {
    if anchor.instant() >= now { now.saturating_add(-1) } else { now }
}

/// The anchor of a new series: the old one, unless a start is given or nothing recurs. A job that does not recur runs once,
/// at its start or at `accepted`, which is now or, if the clock went back, just after what is accounted for.
fn new_anchor(job: &Job, definition: &Definition, accepted: Timestamp) -> Anchor {
    match (definition.start, &definition.recurrence) {
        (start, None) => Anchor::new(start, false, accepted),
        (Some(start), Some(_)) => Anchor::Start(start),
        (None, Some(_)) => job.anchor,
    }
}

/// Whether the nominal times are the same but for where they end.
fn is_same_series(old: &Definition, new: &Definition) -> bool {
    let rules_are_equal = match (&old.recurrence, &new.recurrence) {
        (Some(old), Some(new)) => old.is_same_rule(new),
        (None, None) => true,
        _ => false,
    };
    rules_are_equal && old.start == new.start
}

fn terms<'a>(
    definition: &'a Definition,
    timetable: &'a Timetable,
    series: u32,
    new_state: JobState,
    context: &EditContext,
) -> Terms<'a> {
    let stopped_at = new_state.stopped_at(context.collection_stopped_at);
    Terms::of(context.uid, definition, timetable, series, context.sku, stopped_at)
}
