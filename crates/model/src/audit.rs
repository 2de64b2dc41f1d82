//! Whether everything that should have run did, or why not.
//!
//! The nominal times of a job are derived anew from what its schedule was, and held against what was written down: each
//! must have run, be recorded as not run, or still be open. What is none of these is unexplained, and should not be.
//!
//! ```text
//!   timetable    ●     ●     ●     ●     ●     ●     ●     ●     ●     ●
//!   record       run   ╰── not run ──╯   run         run   ╰ open ─────▶
//!                                              ▲ unexplained
//! ```
//!
//! Only what was written down is gone through; the times between are counted, not visited.

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
    /// Since when. What was due at that instant belongs to the period before, unless a series begins here.
    pub from: Timestamp,
    /// Until when; none if it still is so.
    pub until: Option<Timestamp>,
    /// The state of the job.
    pub state: State,
    /// The number of the series.
    pub series: u32,
    /// When it was due.
    pub timetable: Timetable,
    /// After how many occurrences the series ends.
    pub occurrences_max: Option<u32>,
}

/// A time in which the jobs of a collection did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Since when.
    pub from: Timestamp,
    /// Until when; none if it still is so.
    pub until: Option<Timestamp>,
}

/// What was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// An attempt of the main action, which the schedule made.
    Attempt {
        /// The time it stands for.
        nominal: Timestamp,
        /// The number of the occurrence in its series.
        repeat: u32,
    },
    /// Times that were not run.
    NotRun(NotRun),
}

/// All that is known about the schedule of one job. What is open has to be read before what was written down: then what
/// is settled in between is seen twice, and not missed.
#[derive(Clone, Copy, Debug)]
pub struct Trail<'a> {
    /// What it was, the earliest first.
    pub periods: &'a [Period],
    /// When its collection did not run, the earliest first.
    pub stops: &'a [Stop],
    /// What was written down, in any order.
    pub traces: &'a [Trace],
    /// How far the schedule has come, and the occurrences it opened in rows of their own; none if the job is gone.
    pub open: Option<(Progress, &'a [Occurrence])>,
}

/// What became of the nominal times in a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// How many ran.
    pub run: u64,
    /// The attempts that took.
    pub attempts: u64,
    /// How many did not run, for each reason in the order of [`Reason::ALL`].
    pub not_run: [u64; Reason::ALL.len()],
    /// How many were not run because the job was deleted before they could.
    pub deleted: u64,
    /// How many are due or running, wait for a retry, or stand behind one that does.
    pub open: u64,
    /// What nobody knows anything about.
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

/// Holds the nominal times of a job in `range`, which ends at the present at the latest, against what is known of them.
pub fn audit(trail: &Trail<'_>, range: Range<Timestamp>) -> Audit {
    let ledger = Ledger::new(trail, &range);
    let mut audit = Audit { run: ledger.runs.len() as u64, attempts: ledger.attempts, ..Audit::default() };
    for (at, period) in trail.periods.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &trail.periods[before]);
        let after = trail.periods.get(at + 1);
        let window = window(period, before, &range);
        if window.start < window.end {
            let fate = Fate::of(trail, period, after, &ledger, &window);
            sweep(period, window, &ledger, &fate, trail.stops, &mut audit);
        }
    }
    audit
}

/// The part of the range in which the times of a period lie: after its beginning, up to its end and with it.
fn window(period: &Period, before: Option<&Period>, range: &Range<Timestamp>) -> Range<Timestamp> {
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
    /// It ran.
    Run,
    NotRun(Reason),
    /// It is open, or stands behind what is.
    Open,
}

/// What is known, in order.
struct Ledger {
    marks: Vec<Mark>,
    /// The nominal times that ran, each once, with their numbers in their series.
    runs: Vec<(Timestamp, u32)>,
    attempts: u64,
}

impl Ledger {
    fn new(trail: &Trail<'_>, range: &Range<Timestamp>) -> Self {
        let (mut marks, mut runs) = (Vec::new(), Vec::new());
        for trace in trail.traces {
            match *trace {
                Trace::Attempt { nominal, repeat } if range.contains(&nominal) => runs.push((nominal, repeat)),
                Trace::NotRun(NotRun { first, last, reason, .. }) if last >= range.start && first < range.end => {
                    marks.push(Mark { first, last, kind: MarkKind::NotRun(reason) });
                }
                _ => {}
            }
        }
        let attempts = runs.len() as u64;
        runs.sort_unstable();
        runs.dedup_by_key(|(nominal, _)| *nominal);
        marks.extend(runs.iter().map(|(nominal, _)| Mark { first: *nominal, last: *nominal, kind: MarkKind::Run }));
        if let Some((progress, beside)) = trail.open {
            let one = |open: &Occurrence| Mark { first: open.nominal, last: open.nominal, kind: MarkKind::Open };
            marks.extend(progress.open.iter().chain(beside).map(one));
            if progress.open.is_some() {
                let first = progress.all_accounted().saturating_add(1);
                marks.push(Mark { first, last: Timestamp::MAX, kind: MarkKind::Open });
            }
        }
        // Of two that begin together the one that says more of the first time comes first.
        let order = |mark: &Mark| (mark.first, mark.last, matches!(mark.kind, MarkKind::Open));
        marks.sort_by_key(order);
        Self { marks, runs, attempts }
    }

    /// How many of those that ran lie in a range.
    fn runs_in(&self, range: &Range<Timestamp>) -> u64 {
        let before = |at: Timestamp| self.runs.partition_point(|(nominal, _)| *nominal < at);
        (before(range.end).saturating_sub(before(range.start))) as u64
    }
}

/// What is to be thought of times in a period of which nothing is known.
struct Fate {
    /// Up to here, not included, they should have run.
    expected_until: Timestamp,
    /// After this last one that is known, they are what `rest` says.
    known_until: Timestamp,
    rest: Rest,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Unexplained,
    /// The job was deleted.
    Deleted,
    /// It runs once, and will when it is enabled again.
    Open,
}

impl Fate {
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
            // It ended because as many had started as should.
            Some(_) if is_over => known_until,
            Some(max) => last_of_count(trail, ledger, window, max).map_or(window.end, |last| last.saturating_add(1)),
            None => window.end,
        };
        let is_disabled = trail.periods.last().is_some_and(|last| last.state == State::Disabled);
        let rest = match trail.open {
            None if after.is_none() => Rest::Deleted,
            Some(_) if period.timetable.is_once() && is_disabled => Rest::Open,
            _ => Rest::Unexplained,
        };
        Self { expected_until, known_until, rest }
    }
}

/// The occurrence with which a series of so many ends, if it has begun.
fn last_of_count(trail: &Trail<'_>, ledger: &Ledger, window: &Range<Timestamp>, max: u32) -> Option<Timestamp> {
    let ran = ledger.runs.iter().copied();
    let open =
        trail.open.into_iter().flat_map(|(progress, beside)| progress.open.into_iter().chain(beside.iter().copied()));
    let mut all = ran.chain(open.map(|open| (open.nominal, open.repeat)));
    all.find(|(nominal, repeat)| *repeat >= max && window.contains(nominal)).map(|(nominal, _)| nominal)
}

/// Goes through what is known in a part of a period, and counts it and what lies between.
fn sweep(period: &Period, window: Range<Timestamp>, ledger: &Ledger, fate: &Fate, stops: &[Stop], audit: &mut Audit) {
    let mut cursor = window.start;
    for mark in &ledger.marks {
        if mark.first >= window.end {
            break;
        }
        let end = mark.last.saturating_add(1).min(window.end);
        if end <= cursor {
            continue;
        }
        gap(period, cursor..mark.first.max(cursor), fate, stops, audit);
        let part = mark.first.max(cursor)..end;
        let known = period.timetable.count(part.clone()).saturating_sub(ledger.runs_in(&part));
        match mark.kind {
            MarkKind::Run => {}
            MarkKind::NotRun(reason) => audit.not_run[reason.index()] += known,
            MarkKind::Open => audit.open += known,
        }
        cursor = end;
    }
    gap(period, cursor..window.end, fate, stops, audit);
}

/// Counts the times of which nothing is known, where they should have run: not while the collection was disabled, and not
/// after the series had ended.
fn gap(period: &Period, range: Range<Timestamp>, fate: &Fate, stops: &[Stop], audit: &mut Audit) {
    let end = range.end.min(fate.expected_until);
    let mut start = range.start;
    let is_rest = range.start >= fate.known_until;
    for stop in stops.iter().filter(|stop| stop.from < end) {
        // What was due when it stopped is not of the stop; what was due when it ended is.
        piece(period, start..end.min(stop.from.saturating_add(1)), fate, is_rest, audit);
        start = start.max(stop.until.map_or(Timestamp::MAX, |until| until.saturating_add(1)));
    }
    piece(period, start..end, fate, is_rest, audit);
}

fn piece(period: &Period, range: Range<Timestamp>, fate: &Fate, is_rest: bool, audit: &mut Audit) {
    if range.start >= range.end {
        return;
    }
    let number = period.timetable.count(range.clone());
    let first = period.timetable.next(range.start.saturating_add(-1));
    let last = period.timetable.previous(range.end);
    match (number, is_rest, fate.rest) {
        (0, ..) => {}
        (_, true, Rest::Deleted) => audit.deleted += number,
        (_, true, Rest::Open) => audit.open += number,
        _ => audit.unexplained.extend(first.zip(last).map(|(first, last)| Unexplained { first, last, number })),
    }
}

#[cfg(test)]
mod tests;
