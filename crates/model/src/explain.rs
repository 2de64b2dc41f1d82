//! Why a job did, or did not, run at some time: one verdict from what is known.
//!
//! ```text
//!   what schedules were ─▶ was it due then? ─┬─ no ──▶ not due, not yet, ended
//!                                            ╰─ yes ─▶ attempts ─▶ not run, and why ─▶ open ─▶ dropped ─▶ unexplained
//! ```
//!
//! The first that is known of a nominal time decides. Sentences are in `sentence.rs`.

mod sentence;
mod time;

pub use self::time::AskedTime;
use crate::audit::{Period, Stop, window};
use crate::history::{NotRun, Reason};
use crate::job::State;
use crate::occurrence::Occurrence;
use crate::progress::Progress;
use crate::time::{Timestamp, Zone};

/// Whether a job was due at a time, as its schedule was then.
#[derive(Clone, Copy, Debug)]
pub enum Due<'a> {
    /// The job was due, by the schedule of this period.
    Then(&'a Period),
    /// The job was not due.
    Not {
        /// The nominal time before.
        before: Option<Timestamp>,
        /// The nominal time after.
        after: Option<Timestamp>,
    },
    /// The job was not there yet, as far as is known.
    NotYet,
    /// The schedule of the job had come to its end in this period.
    Ended(&'a Period),
}

/// An attempt for the nominal time, by the schedule or for somebody who had it made good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFact {
    /// When the attempt started.
    pub started: Timestamp,
    /// Why the attempt failed; none if it succeeded.
    pub failure: Option<String>,
    /// When the attempt is made again, if it is.
    pub retry_at: Option<Timestamp>,
    /// Whether the same attempt may have been sent before.
    pub is_resent: bool,
    /// Whether somebody asked for the attempt: a backfill.
    pub is_backfill: bool,
}

/// A time in which nothing ran because somebody wanted it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Who wanted it, if that is known.
    pub by: Option<String>,
    /// Since when.
    pub from: Timestamp,
    /// Until when; none if it goes on.
    pub until: Option<Timestamp>,
}

/// Nominal times that were recorded as not run, the one in question among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRunFact {
    /// Which, and why.
    pub range: NotRun,
    /// What the record says beside the reason: of a shadow, what would have been sent.
    pub message: String,
    /// For an overlap: the nominal time of the occurrence that was open.
    pub open: Option<Timestamp>,
    /// When the nominal time after the range ran, if it did: the latest that was missed.
    pub latest_ran: Option<Timestamp>,
}

/// All that is known about one time of one job.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The time, as it was asked for.
    pub asked: AskedTime,
    /// In which zone times are told.
    pub zone: Zone,
    /// The present.
    pub now: Timestamp,
    /// What the schedule was, the earliest period first.
    pub periods: &'a [Period],
    /// How far the schedule has come, and what it has opened in rows of its own; none if the job was deleted.
    pub open: Option<(Progress, &'a [Occurrence])>,
    /// The attempts for the nominal time, the earliest first.
    pub attempts: Vec<AttemptFact>,
    /// What is recorded as not run.
    pub not_run: Option<NotRunFact>,
    /// When the job was disabled, if it was then.
    pub disabled: Option<Hold>,
    /// The same for its collection.
    pub collection_disabled: Option<Hold>,
    /// The same for the whole server.
    pub paused: Option<Hold>,
    /// Who created the job, and when.
    pub created: Option<(String, Timestamp)>,
    /// Who deleted the job, and when.
    pub deleted: Option<(String, Timestamp)>,
    /// Until when history was dropped.
    pub dropped_until: Option<Timestamp>,
}

/// What became of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it; `name` is the word of the API for each")]
pub enum Verdict {
    Ran,
    RanLate,
    GivenUp,
    Waits,
    Running,
    NotRun(Reason),
    NotDue,
    Due,
    NotYet,
    Ended,
    Deleted,
    Unknown,
    Unexplained,
}

impl Verdict {
    /// The word for the verdict.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::RanLate => "ranLate",
            Self::GivenUp => "givenUp",
            Self::Waits => "waits",
            Self::Running => "running",
            Self::NotRun(_) => "notRun",
            Self::NotDue => "notDue",
            Self::Due => "due",
            Self::NotYet => "notYet",
            Self::Ended => "ended",
            Self::Deleted => "deleted",
            Self::Unknown => "unknown",
            Self::Unexplained => "unexplained",
        }
    }
}

/// Why a job did, or did not, run at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What became of the time.
    pub verdict: Verdict,
    /// The same, in words.
    pub sentence: String,
}

/// Whether a job was due at `at`, as its schedule was then.
pub fn due(periods: &[Period], at: Timestamp) -> Due<'_> {
    let range = at..at.saturating_add(1);
    for (index, period) in periods.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &periods[before]);
        let window = window(period, before, &range);
        if window.contains(&at) && !period.state.is_final() && period.timetable.contains(at) {
            return Due::Then(period);
        }
    }
    let covers = |period: &&Period| period.from <= at && period.until.is_none_or(|until| at <= until);
    match periods.iter().rev().find(covers) {
        None => Due::NotYet,
        Some(period) if period.state.is_final() => Due::Ended(period),
        Some(period) => {
            let (before, after) = (period.timetable.previous(at), period.timetable.next(at));
            // A timetable that an edit has just begun knows times before the edit, at which the job was not due.
            let before = before.filter(|before| *before >= period.from);
            if after.is_none() && period.timetable.previous(at).is_some() {
                Due::Ended(period)
            } else {
                Due::Not { before, after }
            }
        }
    }
}

/// The stop that holds an instant. One that was due when a stop began is not part of it.
pub fn stop_at(stops: &[Stop], at: Timestamp) -> Option<Stop> {
    stops.iter().find(|stop| stop.from < at && stop.until.is_none_or(|until| at <= until)).copied()
}

/// Why a job did, or did not, run.
pub fn explain(facts: &Facts<'_>) -> Explanation {
    let at = facts.asked.instant();
    let said = |verdict, sentence: String| Explanation { verdict, sentence };
    if let Some((who, deleted)) = facts.deleted.as_ref().filter(|(_, deleted)| *deleted <= at) {
        return said(Verdict::Deleted, facts.deleted_sentence(who, *deleted));
    }
    match due(facts.periods, at) {
        Due::NotYet if facts.is_dropped(at) => said(Verdict::Unknown, facts.dropped_sentence(false)),
        Due::NotYet => said(Verdict::NotYet, facts.not_yet_sentence()),
        Due::Ended(period) => said(Verdict::Ended, facts.ended_sentence(period)),
        Due::Not { before, after } => said(Verdict::NotDue, facts.not_due_sentence(before, after)),
        Due::Then(period) => {
            let verdict = facts.verdict(period, at);
            said(verdict, facts.sentence_of(verdict, at))
        }
    }
}

impl Facts<'_> {
    /// What became of a time at which the job was due.
    fn verdict(&self, period: &Period, at: Timestamp) -> Verdict {
        let scheduled: Vec<_> = self.attempts.iter().filter(|attempt| !attempt.is_backfill).collect();
        let is_open = |open: &Occurrence| open.nominal == at;
        let open =
            self.open.and_then(|(progress, beside)| progress.open.iter().chain(beside).find(|it| is_open(it)).copied());
        if let Some(last) = scheduled.last() {
            return match (&last.failure, open) {
                (None, _) if last.started.since(at) > crate::limits::LATE_TICKS_MAX => Verdict::RanLate,
                (None, _) => Verdict::Ran,
                (Some(_), Some(open)) if open.wake_at > self.now => Verdict::Waits,
                (Some(_), Some(_)) => Verdict::Running,
                (Some(_), None) => Verdict::GivenUp,
            };
        }
        if let Some(fact) = &self.not_run {
            return Verdict::NotRun(fact.range.reason);
        }
        if at > self.now {
            return Self::of_future(period);
        }
        match open {
            Some(open) if open.wake_at > self.now => return Verdict::Waits,
            Some(_) if self.paused.as_ref().is_some_and(|pause| pause.until.is_none()) => return Verdict::Waits,
            Some(_) => return Verdict::Running,
            None => {}
        }
        if period.state == State::Disabled || self.disabled.is_some() || self.collection_disabled.is_some() {
            return Verdict::NotRun(Reason::Disabled);
        }
        if self.is_dropped(at) {
            return Verdict::Unknown;
        }
        let waits_behind = |(progress, _): &(Progress, &[Occurrence])| {
            progress.open.is_some_and(|open| open.nominal < at) && progress.accounted < at
        };
        if self.open.as_ref().is_some_and(waits_behind) { Verdict::Waits } else { self.of_count(period) }
    }

    /// What is to become of a time that is still to come.
    fn of_future(period: &Period) -> Verdict {
        if period.state == State::Disabled { Verdict::NotRun(Reason::Disabled) } else { Verdict::Due }
    }

    /// A time without a trace: it may lie behind the last one that `count` allows.
    fn of_count(&self, period: &Period) -> Verdict {
        let has_ended =
            |(progress, _): (Progress, &[Occurrence])| progress.has_reached(period.series, period.occurrences_max);
        let is_over = self.open.is_none_or(has_ended);
        if period.occurrences_max.is_some() && is_over { Verdict::Ended } else { Verdict::Unexplained }
    }

    fn is_dropped(&self, at: Timestamp) -> bool {
        self.dropped_until.is_some_and(|until| at <= until)
    }
}

#[cfg(test)]
mod tests;
