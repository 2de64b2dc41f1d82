//! Every instant at which a job is due.

use std::ops::Range;

use super::calendar::Calendar;
use super::elapsed_interval::ElapsedInterval;
use super::{Anchor, Recurrence, compile, describe};
use crate::Violation;
use crate::time::Timestamp;

/// The nominal times of a job: a set of instants that is computed, never listed.
///
/// `count` of a recurrence is not part of it: that counts what was started, and a timetable knows nothing of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timetable {
    /// No instant lies before it.
    start: i64,
    /// No instant lies after it.
    end: i64,
    /// The start is an instant of its own, whether the points hold it or not.
    runs_at_start: bool,
    points: Points,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Points {
    /// The start alone.
    Once,
    /// Every n ticks from the start.
    Elapsed(i64),
    /// By the wall clock.
    Calendar(Calendar),
    /// By elapsed time, where the wall clock allows it.
    LimitedElapsed(Box<ElapsedInterval>),
}

impl Timetable {
    /// The timetable of a job that is counted from `anchor`, or why it can never have an occurrence.
    pub fn new(recurrence: Option<&Recurrence>, anchor: Anchor) -> Result<Self, Violation> {
        let timetable = match recurrence {
            None => Self::once(anchor.instant()),
            Some(recurrence) => compile::compile(recurrence, anchor),
        };
        // A start that is an occurrence by itself does not help a rule that never matches.
        let matches =
            timetable.is_once() || timetable.next_point(timetable.start).is_some_and(|at| at <= Timestamp::MAX.ticks());
        if !matches {
            let given = "a rule that matches no date up to the year 9999";
            return Err(Violation::new("recurrence", given, "days and times that exist together"));
        }
        Ok(timetable)
    }

    fn once(at: Timestamp) -> Self {
        Self { start: at.ticks(), end: Timestamp::MAX.ticks(), runs_at_start: true, points: Points::Once }
    }

    pub(super) fn of(start: i64, end: Option<Timestamp>, runs_at_start: bool, points: Points) -> Self {
        Self { start, end: end.unwrap_or(Timestamp::MAX).ticks(), runs_at_start, points }
    }

    /// The instants in plain English, with the zone and the end that `recurrence` gives them.
    pub fn describe(&self, recurrence: Option<&Recurrence>) -> String {
        describe::describe(recurrence, self)
    }

    pub(super) const fn start(&self) -> i64 {
        self.start
    }

    pub(super) const fn points(&self) -> &Points {
        &self.points
    }

    /// Whether there is one instant only, because nothing recurs.
    pub fn is_once(&self) -> bool {
        self.points == Points::Once
    }

    /// The first instant of a job accepted at `accepted`: at the start itself unless that is past, else after now.
    pub fn first(&self, accepted: Timestamp) -> Option<Timestamp> {
        self.next_from(accepted.ticks() + i64::from(self.start < accepted.ticks()))
    }

    /// The first instant after `after`.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        self.next_from(after.ticks() + 1)
    }

    /// The last instant before `before`.
    pub fn previous(&self, before: Timestamp) -> Option<Timestamp> {
        let until = (before.ticks() - 1).min(self.end);
        if until < self.start {
            return None;
        }
        let point = match &self.points {
            Points::Once => None,
            Points::Elapsed(period) => Some(until - (until - self.start) % period),
            Points::Calendar(calendar) => calendar.previous(until),
            Points::LimitedElapsed(interval) => interval.previous(until),
        };
        let point = point.filter(|at| *at >= self.start);
        point.or(self.runs_at_start.then_some(self.start)).and_then(Timestamp::from_ticks)
    }

    /// The instants from the start of the range to before its end, one after the other.
    pub fn occurrences(&self, range: Range<Timestamp>) -> Occurrences<'_> {
        Occurrences { timetable: self, from: range.start.ticks(), until: range.end }
    }

    /// How many instants lie in the range, without visiting them.
    pub fn count(&self, range: Range<Timestamp>) -> u64 {
        let (from, until) = (range.start.ticks().max(self.start), range.end.ticks().min(self.end + 1));
        if from >= until {
            return 0;
        }
        let points = match &self.points {
            Points::Once => 0,
            Points::Elapsed(period) => (until - 1 - self.start) / period - (from - 1 - self.start).div_euclid(*period),
            Points::Calendar(calendar) => calendar.count(from, until),
            Points::LimitedElapsed(interval) => interval.count(from, until),
        };
        let start_alone = from == self.start && self.runs_at_start && self.next_point(self.start) != Some(self.start);
        points.cast_unsigned() + u64::from(start_alone)
    }

    /// Whether two instants lie closer together than `ticks`, a first run at the start left aside.
    ///
    /// Times of the day repeat with the days, and two days of the finest rule by minutes have fewer points than are
    /// looked at.
    pub fn is_denser_than(&self, ticks: i64) -> bool {
        const POINTS: usize = 3000;
        match &self.points {
            Points::Once => false,
            Points::Elapsed(period) => *period < ticks,
            Points::Calendar(_) | Points::LimitedElapsed(_) => {
                let points = std::iter::successors(self.next_point(self.start), |at| self.next_point(at + 1));
                let mut points = points.take_while(|at| *at <= self.end).take(POINTS);
                let Some(mut last) = points.next() else { return false };
                points.any(|at| at - std::mem::replace(&mut last, at) < ticks)
            }
        }
    }

    /// Whether `at` is one of the instants.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.next_from(at.ticks()) == Some(at)
    }

    fn next_from(&self, from: i64) -> Option<Timestamp> {
        let from = from.max(self.start);
        let at = if self.runs_at_start && from == self.start { Some(from) } else { self.next_point(from) };
        at.filter(|at| *at <= self.end).and_then(Timestamp::from_ticks)
    }

    fn next_point(&self, from: i64) -> Option<i64> {
        match &self.points {
            Points::Once => None,
            Points::Elapsed(period) => Some(from + (self.start - from).rem_euclid(*period)),
            Points::Calendar(calendar) => calendar.next(from),
            Points::LimitedElapsed(interval) => interval.next(from),
        }
    }
}

/// The instants of a [`Timetable`] in a range.
#[derive(Clone, Debug)]
pub struct Occurrences<'a> {
    timetable: &'a Timetable,
    from: i64,
    until: Timestamp,
}

impl Iterator for Occurrences<'_> {
    type Item = Timestamp;

    fn next(&mut self) -> Option<Timestamp> {
        let at = self.timetable.next_from(self.from).filter(|at| *at < self.until)?;
        self.from = at.ticks() + 1;
        Some(at)
    }
}
