//! How far the schedule of a job has come.

use crate::history::{NotRun, Reason};
use crate::job::{Definition, State, Uid};
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::options::Options;
use crate::recurrence::{Recurrence, Timetable};
use crate::resume::resume;
use crate::retry::Retries;
use crate::time::{Span, Timestamp};

/// What the schedule of a job has done, and what is next for it. Each live job has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Every nominal time up to here has run, is open beside this one, or is recorded as not run.
    pub accounted: Timestamp,
    /// The series that is being walked.
    pub series: u32,
    /// How many occurrences of the series were started.
    pub started: u32,
    /// Whether the last attempt of the main action failed.
    pub last_failed: bool,
    /// The occurrence that is waiting, due or running; none while the job is stopped or when it has ended.
    pub open: Option<Occurrence>,
}

/// What the definition that is in force now says, as far as running it needs.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Whose rules they are.
    pub uid: Uid,
    /// When the job is due.
    pub timetable: &'a Timetable,
    /// The series this timetable is.
    pub series: u32,
    /// After how many occurrences it ends.
    pub occurrences_max: Option<u32>,
    /// How the action is retried.
    pub retries: Retries,
    /// How the error action is retried, where there is one.
    pub error_retries: Option<Retries>,
    /// What the user chose beyond the original API.
    pub options: &'a Options,
    /// Since when the job or its collection is disabled, if it is.
    pub stopped_at: Option<Timestamp>,
}

impl Progress {
    /// The progress of a series that begins after `accounted`, before anything was opened.
    pub const fn new(series: u32, accounted: Timestamp) -> Self {
        Self { accounted, series, started: 0, last_failed: false, open: None }
    }

    /// Opens what comes next, and says which nominal times are not run, for `reason`.
    ///
    /// Nothing is opened while the job is stopped, or if its series has ended.
    pub fn proceed(mut self, rules: &Rules<'_>, now: Timestamp, reason: Reason) -> (Self, Option<NotRun>) {
        self.open = None;
        if self.series != rules.series {
            self = Self { series: rules.series, started: 0, ..self };
        }
        if rules.stopped_at.is_some() || rules.occurrences_max.is_some_and(|max| self.started >= max) {
            return (self, None);
        }
        let due_until = rules.due_until(now);
        let resumed = resume(rules.timetable, self.accounted, due_until, reason, rules.options);
        if let Some(not_run) = resumed.not_run {
            self.accounted = not_run.last;
        }
        self.open = match (resumed.run, resumed.next) {
            (Some(nominal), _) => {
                let is_first_of_several = rules.timetable.next(nominal).is_some_and(|next| next <= due_until);
                let backlog_until = is_first_of_several.then_some(due_until);
                Some(Occurrence { backlog_until, ..self.opened(nominal, now) })
            }
            (None, Some(nominal)) => Some(self.opened(nominal, rules.wake_at(nominal))),
            (None, None) => None,
        };
        (self, resumed.not_run)
    }

    /// Goes on after the job or its collection was enabled: after now, without catching up.
    pub fn enabled(self, rules: &Rules<'_>, now: Timestamp) -> (Self, Option<NotRun>) {
        if self.open.is_some() { (self, None) } else { self.proceed(rules, now, Reason::Disabled) }
    }

    /// Whether the open occurrence is due, running or waiting for a retry; due it stays even if the clock goes back.
    pub(crate) fn has_begun(&self, now: Timestamp) -> bool {
        self.open.is_some_and(|open| !open.is_untried() || open.nominal <= now.max(self.accounted))
    }

    /// The state in which the job ends, if nothing is open, nothing stops it, and nothing else of it is open.
    pub(crate) fn ends(&self, rules: &Rules<'_>, open_beside: u32) -> Option<State> {
        let has_ended = self.open.is_none() && rules.stopped_at.is_none() && open_beside == 0;
        has_ended.then(|| self.final_state())
    }

    /// Completed if the last attempt of the main action succeeded, or there was none.
    pub(crate) fn final_state(&self) -> State {
        if self.last_failed { State::Faulted } else { State::Completed }
    }

    /// The next occurrence of the series.
    pub(crate) fn opened(&self, nominal: Timestamp, wake_at: Timestamp) -> Occurrence {
        Occurrence {
            origin: Origin::Schedule,
            nominal,
            phase: Phase::Main,
            attempt: 0,
            wake_at,
            repeat: self.started + 1,
            series: self.series,
            backlog_until: None,
        }
    }
}

impl<'a> Rules<'a> {
    /// The rules of a definition, whose timetable is its series number `series`.
    pub fn new(
        uid: Uid,
        definition: &'a Definition,
        timetable: &'a Timetable,
        series: u32,
        retry_interval_default: &Span,
        stopped_at: Option<Timestamp>,
    ) -> Self {
        let action = &definition.action;
        let retries = |policy| Retries::new(policy, retry_interval_default);
        let main_policy = action.retry.as_ref();
        Self {
            uid,
            timetable,
            series,
            occurrences_max: definition.recurrence.as_ref().and_then(Recurrence::count),
            retries: retries(main_policy),
            error_retries: action.error.as_ref().map(|error| retries(error.retry.as_ref().or(main_policy))),
            options: &definition.options,
            stopped_at,
        }
    }

    /// When the occurrence of `nominal` starts: then, or later by the jitter of the job.
    ///
    /// The jitter is a fixed fraction of each job, so that its occurrences stay as far apart as they are, and it ends
    /// before the next nominal time.
    pub fn wake_at(&self, nominal: Timestamp) -> Timestamp {
        let longest = self.options.jitter_ticks();
        if longest == 0 {
            return nominal;
        }
        let longest = self.timetable.next(nominal).map_or(longest, |next| longest.min(next.since(nominal)));
        let [a, b, c, d, ..] = self.uid.bytes();
        let fraction = i128::from(u32::from_be_bytes([a, b, c, d]));
        nominal.saturating_add(i64::try_from((i128::from(longest) * fraction) >> 32).unwrap_or(0))
    }

    /// Up to which nominal time everything is due now: jitter can leave the last one still to come.
    fn due_until(&self, now: Timestamp) -> Timestamp {
        if self.options.jitter_ticks() == 0 {
            return now;
        }
        let last = self.timetable.previous(now.saturating_add(1));
        last.filter(|last| self.wake_at(*last) > now).map_or(now, |last| last.saturating_add(-1))
    }
}
