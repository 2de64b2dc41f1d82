//! The part of a job's current definition that decisions about its occurrences need.

use crate::collection::Sku;
use crate::history::{NotRun, Reason};
use crate::job::{Definition, Uid};
use crate::limits;
use crate::occurrence::{Occurrence, Origin, Phase};
use crate::options::Options;
use crate::recurrence::{Recurrence, Timetable};
use crate::retry::{Retries, retry_interval_ticks_default};
use crate::time::Timestamp;

/// The terms on which a job runs, made for each decision from the definition that is current then.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The job.
    pub uid: Uid,
    /// When the job is due.
    pub timetable: &'a Timetable,
    /// The number of the series that the timetable belongs to.
    pub series: u32,
    /// After how many occurrences the series ends.
    pub occurrences_max: Option<u32>,
    /// How the action is retried.
    pub retries: Retries,
    /// How the error action is retried, where there is one.
    pub error_retries: Option<Retries>,
    /// What the user chose beyond the original API.
    pub options: &'a Options,
    /// Since when the job or its collection is disabled, if one of them is; the earlier of the two.
    pub stopped_at: Option<Timestamp>,
}

impl<'a> Terms<'a> {
    /// The terms of a definition whose timetable is the job's series number `series`, in a collection of the plan `sku`.
    /// `stopped_at` comes from [`JobState::stopped_at`](crate::job::JobState::stopped_at).
    pub fn of(
        uid: Uid,
        definition: &'a Definition,
        timetable: &'a Timetable,
        series: u32,
        sku: Option<Sku>,
        stopped_at: Option<Timestamp>,
    ) -> Self {
        let action = &definition.action;
        let retries = |policy| Retries::new(policy, retry_interval_ticks_default(sku));
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

    /// When the occurrence of `nominal` starts: at that time, or later by the jitter of the job.
    ///
    /// Each job has a fixed fraction of its longest jitter, so that the distance between occurrences stays the same. The
    /// jitter ends before the next nominal time.
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

    /// When a waiting attempt wakes at the latest if the clock shows `now`: after the clock went back a day, nothing but the
    /// schedule waits a day. A retry waits for its interval or what a target may ask for, a missed occurrence that runs
    /// nevertheless for its distance from the one before, and a run that someone asked for is due at once.
    pub fn wake_at_latest(&self, occurrence: &Occurrence, now: Timestamp) -> Timestamp {
        match occurrence.origin {
            Origin::Schedule if occurrence.is_untried() && occurrence.backlog_until.is_none() => {
                return occurrence.wake_at;
            }
            Origin::Schedule if occurrence.is_untried() => {
                return occurrence.wake_at.min(now.saturating_add(self.options.catch_up_spacing_ticks()));
            }
            // What is to run after others of a backfill waits for its turn, and not for a clock that was set back by a year.
            Origin::Backfill if occurrence.is_untried() => {
                return occurrence.wake_at.min(now.saturating_add(limits::BACKFILL_WAIT_TICKS_MAX));
            }
            _ if occurrence.is_untried() => return occurrence.wake_at.min(now),
            _ => {}
        }
        let retries = self.retries_of(occurrence.phase).unwrap_or(self.retries);
        let delay = retries.delay_ticks(occurrence.attempt.saturating_sub(1)).max(limits::RETRY_AFTER_TICKS_MAX);
        occurrence.wake_at.min(now.saturating_add(delay))
    }

    /// How the action of a phase is retried; none for an error action that does not exist.
    pub(crate) fn retries_of(&self, phase: Phase) -> Option<Retries> {
        match phase {
            Phase::Main => Some(self.retries),
            Phase::Error => self.error_retries,
        }
    }

    /// Up to which nominal time everything is due now: jitter can leave the last one still to come.
    pub(crate) fn due_until(&self, now: Timestamp) -> Timestamp {
        if self.options.jitter_ticks() == 0 {
            return now;
        }
        let last = self.timetable.previous(now.saturating_add(1));
        last.filter(|last| self.wake_at(*last) > now).map_or(now, |last| last.saturating_add(-1))
    }

    /// Whether an occurrence is missed: more than a minute late, or the next one is due, too.
    pub(crate) fn is_missed(&self, nominal: Timestamp, now: Timestamp) -> bool {
        let next = self.timetable.next(nominal).map(|next| self.wake_at(next));
        !self.is_only_late(nominal, now) || next.is_some_and(|next| next <= now)
    }

    /// Whether an occurrence is late by at most a minute, so that it still counts as in time.
    pub(crate) fn is_only_late(&self, nominal: Timestamp, now: Timestamp) -> bool {
        now.since(self.wake_at(nominal)) <= limits::LATE_TICKS_MAX
    }

    /// The nominal times after `accounted` up to `until`, as a range for `reason`; none if there is none.
    pub(crate) fn came_due(&self, accounted: Timestamp, until: Timestamp, reason: Reason) -> Option<NotRun> {
        let first = self.timetable.next(accounted).filter(|first| *first <= until)?;
        let end = until.saturating_add(1);
        let last = self.timetable.previous(end)?;
        Some(NotRun { first, last, number: self.timetable.count(first..end), reason })
    }
}
