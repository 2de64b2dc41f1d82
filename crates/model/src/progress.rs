//! How far the schedule of a job has come.

use crate::history::{NotRun, Reason};
use crate::job::State;
use crate::limits;
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::resume::resume;
use crate::terms::Terms;
use crate::time::Timestamp;

/// How far the schedule of a job has come. Each job has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Every nominal time up to here has run, is open, or is recorded as not run.
    pub accounted: Timestamp,
    /// The series that the open occurrence belongs to. After an edit it is older than the series of the terms, until the
    /// occurrence that was open at the edit is closed.
    pub series: u32,
    /// How many occurrences of the series were started and closed, or were given a row of their own.
    pub started: u32,
    /// Whether the last attempt that the schedule made of the main action failed.
    pub last_failed: bool,
    /// The occurrence that is waiting, due or running; none while the job is stopped or when it has ended.
    pub open: Option<Occurrence>,
}

impl Progress {
    /// The progress of a series that begins after `accounted`, before anything was opened.
    pub const fn new(series: u32, accounted: Timestamp) -> Self {
        Self { accounted, series, started: 0, last_failed: false, open: None }
    }

    /// Opens what comes next, and says which nominal times are not run, for `reason`.
    ///
    /// Nothing is opened while the job is stopped, or if its series has ended.
    pub fn proceed(mut self, terms: &Terms<'_>, now: Timestamp, reason: Reason) -> (Self, Option<NotRun>) {
        self.open = None;
        if self.series != terms.series {
            self = Self { series: terms.series, started: 0, ..self };
        }
        if terms.stopped_at.is_some() || self.is_counted_out(terms) {
            return (self, None);
        }
        let resumed = resume(terms, self.accounted, now, reason);
        self.accounted = resumed.not_run.map_or(self.accounted, |not_run| not_run.last);
        self.open = match (resumed.run, resumed.next) {
            (Some(nominal), _) => {
                let backlog_until = (nominal < now).then(|| terms.due_until(now));
                Some(Occurrence { backlog_until, ..self.opened(nominal, now) })
            }
            (None, Some(nominal)) => Some(self.opened(nominal, terms.wake_at(nominal))),
            (None, None) => None,
        };
        (self, resumed.not_run)
    }

    /// Goes on after `occurrence` was closed at `now`, its last attempt having started at `attempted`.
    pub(crate) fn finish(
        self,
        terms: &Terms<'_>,
        occurrence: &Occurrence,
        attempted: Timestamp,
        now: Timestamp,
    ) -> (Self, Option<NotRun>) {
        let mut closed = self.closed(terms, occurrence);
        if closed.is_counted_out(terms) {
            return (closed, None);
        }
        if let Some(stopped_at) = terms.stopped_at {
            let behind = terms.came_due(closed.accounted, stopped_at, Reason::Overlap);
            closed.accounted = behind.map_or(closed.accounted, |behind| behind.last);
            return (closed, behind);
        }
        let backlog_until = occurrence.backlog_until.filter(|_| occurrence.series == terms.series);
        let next = terms.timetable.next(closed.accounted);
        if let Some(nominal) = next.filter(|next| backlog_until.is_some_and(|until| *next <= until)) {
            let spacing = terms.options.catch_up_spacing_ticks();
            let spaced = attempted.saturating_add(spacing).clamp(now, now.saturating_add(spacing));
            closed.open = Some(Occurrence { backlog_until, ..closed.opened(nominal, spaced) });
            return (closed, None);
        }
        closed.proceed(terms, now, Reason::Overlap)
    }

    /// Stops the schedule: an occurrence that waits is closed, and recorded as not run if it was due.
    ///
    /// An occurrence whose attempt may be in flight already stays open, and the engine sees the stop when it would start
    /// the next attempt.
    pub fn stop(self, terms: &Terms<'_>, now: Timestamp) -> (Self, Vec<NotRun>) {
        match self.open {
            Some(open) if open.wake_at > begun_until(now) => self.close_stopped(terms, now),
            _ => (self, Vec::new()),
        }
    }

    /// Goes on after the job or its collection, stopped at `stopped_at`, was enabled: after now, without catching up.
    ///
    /// An occurrence that woke until a moment after the stop may be in flight, as in [`Self::stop`].
    pub fn enable(self, terms: &Terms<'_>, stopped_at: Timestamp, now: Timestamp) -> (Self, Vec<NotRun>) {
        let (progress, mut not_run) = self.stop(terms, stopped_at);
        if progress.open.is_some() {
            return (progress, not_run);
        }
        let (opened, passed) = progress.proceed(terms, now, Reason::Disabled);
        not_run.extend(passed);
        (opened, not_run)
    }

    /// Closes the open occurrence because the job was stopped, and gives the nominal times that were due by then and will
    /// not run.
    ///
    /// They are one range, unless an edit has accounted for some of the times behind the open one already.
    pub(crate) fn close_stopped(self, terms: &Terms<'_>, stopped_at: Timestamp) -> (Self, Vec<NotRun>) {
        let Some(open) = self.open else {
            return (self, Vec::new());
        };
        let is_to_come = open.is_untried() && open.nominal > stopped_at.max(self.accounted);
        // A job that runs only once still has to, when it is enabled.
        let is_kept = open.is_untried() && terms.timetable.is_once() && open.nominal > self.accounted;
        if is_to_come || is_kept {
            return (Self { open: None, ..self }, Vec::new());
        }
        let mut closed = if open.is_untried() { self.passed(&open) } else { self.closed(terms, &open) };
        let behind = terms.came_due(closed.accounted, stopped_at, Reason::Disabled);
        let behind = behind.filter(|_| !closed.is_counted_out(terms));
        closed.accounted = behind.map_or(closed.accounted, |behind| behind.last);
        let rest = NotRun::one(open.nominal, Reason::Disabled);
        let not_run = match behind {
            Some(behind) if self.accounted < open.nominal => {
                vec![NotRun { last: behind.last, number: behind.number + 1, ..rest }]
            }
            behind => [rest].into_iter().chain(behind).collect(),
        };
        (closed, not_run)
    }

    /// Accounts for the nominal times up to `until` behind an occurrence that is still open, so that their record does not
    /// wait for its end. There are none behind the last one that `count` allows, and those of a backlog are still to run.
    pub fn account(self, terms: &Terms<'_>, until: Timestamp) -> (Self, Option<NotRun>) {
        let waits = self.open.filter(|open| open.backlog_until.is_none() && !self.is_counted_out(terms));
        let behind = waits.and_then(|_| terms.came_due(self.all_accounted(), until, Reason::Overlap));
        (Self { accounted: behind.map_or(self.accounted, |behind| behind.last), ..self }, behind)
    }

    /// Decides about the nominal times that came due before the open occurrence was sent again, at `sent`, because the server
    /// had ended while it may have been on its way: they were missed, but for those that came due while its retry waited.
    pub(crate) fn make_good(self, terms: &Terms<'_>, sent: Timestamp) -> (Self, Vec<NotRun>) {
        let is_over = terms.stopped_at.is_some() || self.is_counted_out(terms);
        let Some(open) = self.open.filter(|open| open.series == terms.series && !is_over) else {
            return (self, Vec::new());
        };
        let waits_for_retry = !open.is_untried() && open.backlog_until.is_none();
        let overlapped =
            terms.came_due(self.all_accounted(), open.wake_at.min(sent), Reason::Overlap).filter(|_| waits_for_retry);
        let accounted = overlapped.map_or_else(|| self.all_accounted(), |range| range.last);
        let resumed = resume(terms, accounted, sent, Reason::Missed);
        let backlog_until = match (resumed.run, resumed.not_run) {
            (Some(_), _) => Some(terms.due_until(sent)),
            (None, Some(_)) => None,
            (None, None) => open.backlog_until,
        };
        let progress = Self {
            accounted: resumed.not_run.or(overlapped).map_or(self.accounted, |range| range.last),
            open: Some(Occurrence { backlog_until, ..open }),
            ..self
        };
        (progress, overlapped.into_iter().chain(resumed.not_run).collect())
    }

    /// The nominal time that runs next: that of the open occurrence if it was not tried yet, else the one after it.
    pub fn next_nominal(&self, terms: &Terms<'_>, now: Timestamp) -> Option<Timestamp> {
        let is_untried = |open: &Occurrence| open.is_untried() && open.series == terms.series;
        match self.open {
            _ if terms.stopped_at.is_some() => None,
            Some(open) if is_untried(&open) => Some(open.nominal),
            _ if self.is_counted_out(terms) => None,
            _ => terms.timetable.next(now.max(self.all_accounted())),
        }
    }

    /// Whether `count` allows no occurrence of the terms' series after those that were started and the open one.
    pub(crate) fn is_counted_out(&self, terms: &Terms<'_>) -> bool {
        self.has_reached(terms.series, terms.occurrences_max)
    }

    /// Whether as many occurrences of a series were started as `max` allows, or are when the open one is.
    pub(crate) fn has_reached(&self, series: u32, max: Option<u32>) -> bool {
        let started = if self.series == series { self.started + u32::from(self.open.is_some()) } else { 0 };
        max.is_some_and(|max| started >= max)
    }

    /// The state in which the job ends, if nothing is open, nothing stops it, and no other scheduled occurrence of it
    /// has a row of its own.
    pub fn ends(&self, terms: &Terms<'_>, scheduled_beside: u32) -> Option<State> {
        let has_ended = self.open.is_none() && terms.stopped_at.is_none() && scheduled_beside == 0;
        has_ended.then_some(if self.last_failed { State::Faulted } else { State::Completed })
    }

    /// Whether the open occurrence may be due, running or waiting for a retry at `now`. An occurrence that was due once
    /// stays so even if the clock goes back.
    pub(crate) fn has_begun(&self, now: Timestamp) -> bool {
        self.open.is_some_and(|open| !open.is_untried() || open.nominal <= begun_until(now).max(self.accounted))
    }

    /// The nominal time up to which everything is accounted for, the open occurrence included.
    pub(crate) fn all_accounted(&self) -> Timestamp {
        self.open.map_or(self.accounted, |open| open.nominal.max(self.accounted))
    }

    /// The progress after `occurrence`, which was started; one of an earlier series is not counted in this one.
    pub(crate) fn closed(self, terms: &Terms<'_>, occurrence: &Occurrence) -> Self {
        let started = if occurrence.series == terms.series { self.started + 1 } else { 0 };
        Self { started, series: terms.series, ..self.passed(occurrence) }
    }

    /// The progress after `occurrence`, which was not started.
    pub(crate) fn passed(self, occurrence: &Occurrence) -> Self {
        Self { accounted: self.accounted.max(occurrence.nominal), open: None, ..self }
    }

    /// The next occurrence of the series.
    fn opened(&self, nominal: Timestamp, wake_at: Timestamp) -> Occurrence {
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

/// Until when an occurrence must wake so that an edit at `edited` has to assume that its attempt is in flight.
fn begun_until(edited: Timestamp) -> Timestamp {
    edited.saturating_add(limits::BEGUN_TICKS)
}
