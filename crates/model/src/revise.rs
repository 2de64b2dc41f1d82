//! What an edit does to a job.
//!
//! The anchor is fixed when the job is made. An edit that leaves `startTime` and `recurrence` as they are, but for
//! `count` and `endTime`, goes on with the series; any other begins a new one, which starts after now. An occurrence that
//! is due, running or waiting for a retry is never replaced: it finishes first.

use crate::action::Secret;
use crate::history::{NotRun, Reason};
use crate::job::{Definition, State, Switch, Uid};
use crate::progress::{Progress, Rules};
use crate::recurrence::{Anchor, Timetable};
use crate::resume::came_due;
use crate::settle::stopped;
use crate::time::{Span, Timestamp};
use crate::{Violation, Warning};

mod warnings;

/// A job as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What the user said about it.
    pub definition: Definition,
    /// How it stands.
    pub state: State,
    /// What its series is counted from.
    pub anchor: Anchor,
    /// The series its timetable is, counted from 1.
    pub series: u32,
    /// How far it has come.
    pub progress: Progress,
}

/// What an edit meets.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The instant of acceptance.
    pub now: Timestamp,
    /// Which job it is.
    pub uid: Uid,
    /// The time between attempts where a policy names none; the plan decides.
    pub retry_interval_default: Span,
    /// Since when the collection is disabled, if it is.
    pub collection_stopped_at: Option<Timestamp>,
}

/// What becomes of the job, to be written in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The job as it is from now on.
    pub job: Stored,
    /// When it is due.
    pub timetable: Timetable,
    /// What the edit did.
    pub effect: Effect,
    /// What is recorded as not run.
    pub not_run: Vec<NotRun>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// There is a new job.
    Created,
    /// Everything is as it was.
    Unchanged,
    /// The job is another one, and goes on with its series.
    Changed,
    /// The job is another one, and begins a new series.
    Rescheduled,
}

/// Why an edit is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The definition is wrong. Paths are relative to it.
    Invalid(Vec<Violation>),
    /// The job has ended in this state and cannot be changed; it can be deleted and made anew.
    Ended(State),
}

/// Decides what writing `wanted` does: to the stored job, or as a new one.
pub fn revise(
    stored: Option<&Stored>,
    wanted: Definition<Option<Secret>>,
    circumstances: &Circumstances,
) -> Result<Revision, Refusal> {
    let known_action = stored.map(|job| &job.definition.action);
    let action = wanted.action.complete(known_action).map_err(|violations| {
        Refusal::Invalid(violations.into_iter().map(|violation| violation.under("action")).collect())
    })?;
    let definition = Definition {
        start: wanted.start,
        action,
        recurrence: wanted.recurrence,
        options: wanted.options,
        switch: wanted.switch,
    };
    match stored {
        None => create(definition, circumstances),
        Some(job) if job.definition == definition => {
            let timetable = timetable(&job.definition, job.anchor)?;
            Ok(Revision { job: job.clone(), timetable, effect: Effect::Unchanged, not_run: vec![], warnings: vec![] })
        }
        Some(job) if job.state.is_final() => Err(Refusal::Ended(job.state)),
        Some(job) => edit(job, definition, circumstances),
    }
}

fn timetable(definition: &Definition, anchor: Anchor) -> Result<Timetable, Refusal> {
    Timetable::new(definition.recurrence.as_ref(), anchor).map_err(|violation| Refusal::Invalid(vec![violation]))
}

fn create(definition: Definition, circumstances: &Circumstances) -> Result<Revision, Refusal> {
    let now = circumstances.now;
    let anchor = Anchor::new(definition.start, definition.recurrence.is_some(), now);
    let timetable = timetable(&definition, anchor)?;
    let unopened = Progress::new(1, before_first(anchor, now));
    let rules = rules(&definition, &timetable, 1, circumstances);
    let (progress, not_run) = unopened.proceed(&rules, now, Reason::Missed);
    let warnings = warnings::of_end(&definition, &timetable, now).into_iter().chain(warnings::of_retries(&rules, now));
    let warnings = warnings.collect();
    let job = Stored { state: definition.switch.into(), definition, anchor, series: 1, progress };
    let not_run = Vec::from_iter(not_run);
    Ok(Revision { job, timetable, effect: Effect::Created, not_run, warnings }.ended_if_nothing_is_left())
}

fn edit(job: &Stored, definition: Definition, circumstances: &Circumstances) -> Result<Revision, Refusal> {
    let now = circumstances.now;
    let is_same_series = is_same_series(&job.definition, &definition);
    let (anchor, series) =
        if is_same_series { (job.anchor, job.series) } else { (new_anchor(job, &definition, now), job.series + 1) };
    let new_timetable = timetable(&definition, anchor)?;
    let rules = rules(&definition, &new_timetable, series, circumstances);
    let old_timetable = timetable(&job.definition, job.anchor)?;
    let was_stopped = job.state == State::Disabled || circumstances.collection_stopped_at.is_some();
    let (mut progress, mut not_run) = if rules.stopped_at.is_some() && !was_stopped {
        stop(job.progress, &old_timetable, now)
    } else {
        keep_what_is_due(job.progress, now)
    };
    if new_timetable != old_timetable {
        let reason = if was_stopped { Reason::Disabled } else { Reason::Overlap };
        let accounted = progress.open.map_or(progress.accounted, |open| progress.accounted.max(open.nominal));
        not_run.extend(came_due(&old_timetable, accounted, now, reason));
        progress.accounted = accounted.max(if is_same_series { now } else { before_first(anchor, now) });
    }
    if progress.open.is_none() {
        let reason = if is_same_series { Reason::Disabled } else { Reason::Missed };
        let (opened, dropped) = progress.proceed(&rules, now, reason);
        progress = opened;
        not_run.extend(dropped);
    }
    let has_new_retries = !is_same_series || job.definition.action.retry != definition.action.retry;
    let mut warnings: Vec<_> = warnings::of_end(&definition, &new_timetable, now).into_iter().collect();
    warnings.extend(warnings::of_retries(&rules, now).filter(|_| has_new_retries));
    warnings.extend(warnings::of_dropped(&job.definition, &definition, [&old_timetable, &new_timetable], now));
    let effect = if is_same_series { Effect::Changed } else { Effect::Rescheduled };
    let state = definition.switch.into();
    let job = Stored { definition, state, anchor, series, progress };
    Ok(Revision { job, timetable: new_timetable, effect, not_run, warnings }.ended_if_nothing_is_left())
}

/// Takes back what is still to come; an occurrence that is due, running or waiting for a retry stays.
fn keep_what_is_due(progress: Progress, now: Timestamp) -> (Progress, Vec<NotRun>) {
    let kept = progress.open.filter(|_| progress.has_begun(now));
    (Progress { open: kept, ..progress }, Vec::new())
}

/// Closes what waits. What is due may be on the wire already: it stays open, and whoever would start it sees the stop.
fn stop(progress: Progress, timetable: &Timetable, now: Timestamp) -> (Progress, Vec<NotRun>) {
    let closed = Progress { open: None, ..progress };
    match progress.open {
        Some(open) if open.wake_at <= now => (progress, Vec::new()),
        Some(open) if progress.has_begun(now) => {
            let accounted = progress.accounted.max(open.nominal);
            let behind = came_due(timetable, accounted, now, Reason::Disabled);
            let accounted = behind.map_or(accounted, |behind| behind.last);
            (Progress { accounted, ..closed }, stopped(&progress, open.nominal, behind))
        }
        _ => (closed, Vec::new()),
    }
}

/// The last instant before a new series: a start that is now is still to come, one that is past is not.
fn before_first(anchor: Anchor, now: Timestamp) -> Timestamp {
    if anchor.instant() >= now { now.saturating_add(-1) } else { now }
}

/// The old anchor, unless another start is given, or nothing recurs: then the job runs once, then or now.
fn new_anchor(job: &Stored, definition: &Definition, now: Timestamp) -> Anchor {
    match (definition.start, &definition.recurrence) {
        (start, None) => Anchor::new(start, false, now),
        (Some(start), Some(_)) if job.definition.start != Some(start) => Anchor::Start(start),
        _ => job.anchor,
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

fn rules<'a>(
    definition: &'a Definition,
    timetable: &'a Timetable,
    series: u32,
    circumstances: &Circumstances,
) -> Rules<'a> {
    let stopped_at = match definition.switch {
        Switch::Enabled => circumstances.collection_stopped_at,
        Switch::Disabled => Some(circumstances.now),
    };
    Rules::new(circumstances.uid, definition, timetable, series, &circumstances.retry_interval_default, stopped_at)
}

impl Revision {
    /// An enabled job without an occurrence left has ended.
    fn ended_if_nothing_is_left(mut self) -> Self {
        let progress = &self.job.progress;
        let occurrences_max = self.job.definition.recurrence.as_ref().and_then(crate::recurrence::Recurrence::count);
        let is_counted_out = occurrences_max.is_some_and(|max| progress.started >= max);
        let is_left = progress.open.is_some() || (!is_counted_out && self.timetable.next(progress.accounted).is_some());
        if self.job.state == State::Enabled && !is_left {
            self.job.state = progress.final_state();
        }
        self
    }
}
