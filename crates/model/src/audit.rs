//! Whether everything that should have run did, or why not.
//!
//! The nominal times of a job are computed from what its schedule was, and compared with what was recorded: each time must
//! have run, be recorded as not run, or still be open. Any other time is unexplained, which should not happen.
//!
//! ```text
//!   timetable    ●     ●     ●     ●     ●     ●     ●     ●     ●     ●
//!   record       run   ╰── not run ──╯   run         run   ╰ open ─────▶
//!                                              ▲ unexplained
//! ```
//!
//! Only the records are visited; the times between them are counted.

use std::ops::Range;

use crate::history::{NotRun, Reason};
use crate::job::State;
use crate::occurrence::Occurrence;
use crate::progress::Progress;
use crate::recurrence::Timetable;
use crate::time::Timestamp;

/// A time in which the schedule and the state of a job were the same.
#[derive(Clone, Debug)]
pub struct Period {
    /// When the period began. A time that was due at that instant belongs to the period before, unless a series begins here.
    pub from: Timestamp,
    /// When the period ended; none if it goes on.
    pub until: Option<Timestamp>,
    /// The state of the job.
    pub state: State,
    /// The number of the series.
    pub series: u32,
    /// When the job was due.
    pub timetable: Timetable,
    /// After how many occurrences the series ends.
    pub occurrences_max: Option<u32>,
}

/// A time in which the jobs of a collection did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// When the collection was disabled.
    pub from: Timestamp,
    /// When the collection was enabled again; none if it is still disabled.
    pub until: Option<Timestamp>,
}

/// A record, as far as an audit needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// An attempt of the main action for the schedule.
    Attempt {
        /// The nominal time of the attempt.
        nominal: Timestamp,
        /// Whether the attempt failed.
        has_failed: bool,
        /// The number of the occurrence in its series.
        repeat: u32,
    },
    /// Times that were not run.
    NotRun(NotRun),
}

/// All that is known about the schedule of one job. The open occurrences have to be read before the records: then an
/// occurrence that is settled in between is seen twice, and not missed.
#[derive(Clone, Copy, Debug)]
pub struct Trail<'a> {
    /// What the schedule was, the earliest period first.
    pub periods: &'a [Period],
    /// When the collection was disabled, the earliest stop first.
    pub stops: &'a [Stop],
    /// The records, in any order.
    pub traces: &'a [Trace],
    /// How far the schedule has come, and the occurrences that it opened in rows of their own; none if the job was deleted.
    pub open: Option<(Progress, &'a [Occurrence])>,
}

/// What became of the nominal times in a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// How many ran.
    pub run: u64,
    /// How many of those that ran have failed: none of their attempts succeeded, so far.
    pub failed: u64,
    /// How many attempts they took.
    pub attempts: u64,
    /// How many did not run, for each reason in the order of [`Reason::ALL`].
    pub not_run: [u64; Reason::ALL.len()],
    /// How many were not run because the job was deleted before they could.
    pub deleted: u64,
    /// How many are due or running, wait for a retry, or come after an occurrence that does.
    pub open: u64,
    /// Nominal times without any trace.
    pub unexplained: Vec<Unexplained>,
}

/// Nominal times that are neither run, nor recorded as not run, nor open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Unexplained {
    pub first: Timestamp,
    pub last: Timestamp,
    pub number: u64,
}

impl Audit {
    /// How many nominal times there were.
    pub fn nominal(&self) -> u64 {
        let unexplained: u64 = self.unexplained.iter().map(|range| range.number).sum();
        self.run + self.not_run.iter().sum::<u64>() + self.deleted + self.open + unexplained
    }
}

/// Compares the nominal times of a job in `range`, which ends at the present at the latest, with what is known of them.
pub fn audit(trail: &Trail<'_>, range: Range<Timestamp>) -> Audit {
    let ledger = Ledger::new(trail, &range);
    let Ledger { failed, attempts, .. } = ledger;
    let mut audit = Audit { run: ledger.runs.len() as u64, failed, attempts, ..Audit::default() };
    for (at, period) in trail.periods.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &trail.periods[before]);
        let after = trail.periods.get(at + 1);
        let window = window(period, before, &range);
        if window.start < window.end {
            let untraced = Untraced::of(trail, period, after, &ledger, &window);
            count_window(period, window, &ledger, &untraced, trail.stops, &mut audit);
        }
    }
    audit
}

/// The part of the range in which the times of a period lie: after its beginning, up to its end and with it.
pub(crate) fn window(period: &Period, before: Option<&Period>, range: &Range<Timestamp>) -> Range<Timestamp> {
    let begins_series = before.is_none_or(|before| before.series != period.series);
    let first = if begins_series { period.timetable.first(period.from) } else { period.timetable.next(period.from) };
    let end = period.until.map_or(range.end, |until| range.end.min(until.saturating_add(1)));
    first.map_or(end, |first| first.max(range.start))..end
}

/// A part of time that is explained.
#[derive(Clone, Copy)]
struct Mark {
    first: Timestamp,
    last: Timestamp,
    kind: MarkKind,
}

#[derive(Clone, Copy)]
enum MarkKind {
    /// The time was run.
    Run,
    NotRun(Reason),
    /// The time is open, or comes after an open one.
    Open,
}

/// Everything that explains a nominal time, in order.
struct Ledger {
    marks: Vec<Mark>,
    /// The nominal times that ran, each once, with their numbers in their series.
    runs: Vec<(Timestamp, u32)>,
    failed: u64,
    attempts: u64,
}

impl Ledger {
    fn new(trail: &Trail<'_>, range: &Range<Timestamp>) -> Self {
        let (mut marks, mut tried) = (Vec::new(), Vec::new());
        for trace in trail.traces {
            match *trace {
                Trace::Attempt { nominal, has_failed, repeat } if range.contains(&nominal) => {
                    tried.push((nominal, has_failed, repeat));
                }
                Trace::NotRun(NotRun { first, last, reason, .. }) if last >= range.start && first < range.end => {
                    marks.push(Mark { first, last, kind: MarkKind::NotRun(reason) });
                }
                _ => {}
            }
        }
        let attempts = tried.len() as u64;
        // Of the attempts for one time the one that succeeded comes first, and stays.
        tried.sort_unstable();
        tried.dedup_by_key(|(nominal, ..)| *nominal);
        let failed = tried.iter().filter(|(_, has_failed, _)| *has_failed).count() as u64;
        let runs: Vec<_> = tried.into_iter().map(|(nominal, _, repeat)| (nominal, repeat)).collect();
        marks.extend(runs.iter().map(|(nominal, _)| Mark { first: *nominal, last: *nominal, kind: MarkKind::Run }));
        if let Some((progress, beside)) = trail.open {
            let one = |open: &Occurrence| Mark { first: open.nominal, last: open.nominal, kind: MarkKind::Open };
            marks.extend(progress.open.iter().chain(beside).map(one));
            let is_last = |period: &Period| progress.has_reached(period.series, period.occurrences_max);
            if progress.open.is_some() && !trail.periods.last().is_some_and(is_last) {
                let first = progress.all_accounted().saturating_add(1);
                marks.push(Mark { first, last: Timestamp::MAX, kind: MarkKind::Open });
            }
        }
        // Of two marks that begin together the more specific one comes first.
        let order = |mark: &Mark| (mark.first, mark.last, matches!(mark.kind, MarkKind::Open));
        marks.sort_by_key(order);
        Self { marks, runs, failed, attempts }
    }

    /// How many of the times that ran lie in a range.
    fn runs_in(&self, range: &Range<Timestamp>) -> u64 {
        let before = |at: Timestamp| self.runs.partition_point(|(nominal, _)| *nominal < at);
        (before(range.end).saturating_sub(before(range.start))) as u64
    }
}

/// What times without a trace in a period mean.
struct Untraced {
    /// Times up to here, not included, should have run.
    expected_until: Timestamp,
    /// The end of the last mark. Times after it are what `rest` says.
    known_until: Timestamp,
    rest: Rest,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Unexplained,
    /// The job was deleted.
    Deleted,
    /// The job runs once, and will do so when it is enabled again.
    Open,
}

impl Untraced {
    fn of(
        trail: &Trail<'_>,
        period: &Period,
        after: Option<&Period>,
        ledger: &Ledger,
        window: &Range<Timestamp>,
    ) -> Self {
        let in_window = ledger.marks.iter().filter(|mark| mark.first < window.end && mark.last >= window.start);
        let known = in_window.map(|mark| mark.last.saturating_add(1).min(window.end)).max();
        let known_until = known.unwrap_or(window.start);
        let is_over = after.is_some_and(|after| after.state.is_final());
        let expected_until = match period.occurrences_max {
            _ if period.state != State::Enabled => window.start,
            // The series ended because as many occurrences had started as `count` allows.
            Some(_) if is_over => known_until,
            Some(max) => last_of_count(trail, ledger, window, max).map_or(window.end, |last| last.saturating_add(1)),
            None => window.end,
        };
        let last_state = trail.periods.last().map(|last| last.state);
        let is_disabled = last_state == Some(State::Disabled);
        // An occurrence may have been open through several edits, until the job was deleted: what came due behind it is recorded
        // when it is closed, and it never was.
        let was_never_closed =
            !last_state.is_some_and(State::is_final) && ledger.marks.iter().all(|mark| mark.first < window.end);
        let rest = match trail.open {
            None if after.is_none() || was_never_closed => Rest::Deleted,
            Some(_) if period.timetable.is_once() && is_disabled => Rest::Open,
            _ => Rest::Unexplained,
        };
        Self { expected_until, known_until, rest }
    }
}

/// The nominal time of the last occurrence that `max` allows, if it has begun.
fn last_of_count(trail: &Trail<'_>, ledger: &Ledger, window: &Range<Timestamp>, max: u32) -> Option<Timestamp> {
    let ran = ledger.runs.iter().copied();
    let open =
        trail.open.into_iter().flat_map(|(progress, beside)| progress.open.into_iter().chain(beside.iter().copied()));
    let mut all = ran.chain(open.map(|open| (open.nominal, open.repeat)));
    all.find(|(nominal, repeat)| *repeat >= max && window.contains(nominal)).map(|(nominal, _)| nominal)
}

/// Counts the marked times in a part of a period, and the times between the marks.
fn count_window(
    period: &Period,
    window: Range<Timestamp>,
    ledger: &Ledger,
    untraced: &Untraced,
    stops: &[Stop],
    audit: &mut Audit,
) {
    let mut cursor = window.start;
    for mark in &ledger.marks {
        if mark.first >= window.end {
            break;
        }
        let end = mark.last.saturating_add(1).min(window.end);
        if end <= cursor {
            continue;
        }
        count_gap(period, cursor..mark.first.max(cursor), untraced, stops, audit);
        let part = mark.first.max(cursor)..end;
        let known = period.timetable.count(part.clone()).saturating_sub(ledger.runs_in(&part));
        match mark.kind {
            MarkKind::Run => {}
            MarkKind::NotRun(reason) => audit.not_run[reason.index()] += known,
            MarkKind::Open => audit.open += known,
        }
        cursor = end;
    }
    count_gap(period, cursor..window.end, untraced, stops, audit);
}

/// Counts the times without a trace that should have run: not while the collection was disabled, and not after the series
/// had ended.
fn count_gap(period: &Period, range: Range<Timestamp>, untraced: &Untraced, stops: &[Stop], audit: &mut Audit) {
    let end = range.end.min(untraced.expected_until);
    let mut start = range.start;
    let is_rest = range.start >= untraced.known_until;
    for stop in stops.iter().filter(|stop| stop.from < end) {
        // A time that was due when the stop began is not part of the stop; one that was due when the stop ended is.
        count_piece(period, start..end.min(stop.from.saturating_add(1)), untraced, is_rest, audit);
        start = start.max(stop.until.map_or(Timestamp::MAX, |until| until.saturating_add(1)));
    }
    count_piece(period, start..end, untraced, is_rest, audit);
}

/// Counts the times without a trace between two stops.
fn count_piece(period: &Period, range: Range<Timestamp>, untraced: &Untraced, is_rest: bool, audit: &mut Audit) {
    if range.start >= range.end {
        return;
    }
    let number = period.timetable.count(range.clone());
    let first = period.timetable.next(range.start.saturating_add(-1));
    let last = period.timetable.previous(range.end);
    match (number, is_rest, untraced.rest) {
        (0, ..) => {}
        (_, true, Rest::Deleted) => audit.deleted += number,
        (_, true, Rest::Open) => audit.open += number,
        _ => audit.unexplained.extend(first.zip(last).map(|(first, last)| Unexplained { first, last, number })),
    }
}

#[cfg(test)]
mod tests;
