//! Days × times of day on the wall clock of a zone, and the instants they are.
//!
//! Between two changes of the clock a wall time is an instant plus a constant, so all the work is done on the wall: the
//! span of constant offset is looked up once, and the answer is an instant of that span or of the one after it. Only at
//! the changes do the two meanings of a wall time differ:
//!
//! ```text
//!   the clock goes forward: 02:00 ─▶ 03:00            the clock goes back: 03:00 ─▶ 02:00
//!
//!   wall   01:30   02:30   03:30   04:30              wall   01:30   02:30   02:30   03:30
//!            │       :       │       │                         │       │       │       │
//!   Named    ●       ╰──────▶●       ●                Named    ●       ●               ●      by name, each once
//!   Existing ●               ●       ●                Existing ●       ●       ●       ●      whatever the clock shows
//! ```

use super::days::Days;
use super::times::Times;
use crate::time::{TICKS_PER_DAY, Timestamp, Wall, Zone, ZoneSpan};

/// Instants by what the wall clock of a zone shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Calendar {
    pub(super) days: Days,
    pub(super) times: Times,
    pub(super) zone: Zone,
    pub(super) meaning: Meaning,
}

/// What a wall time means where the clock changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A time someone named: it comes once. Left out by the clock, it moves forward by the gap; repeated, it is the
    /// first of the two.
    Named,
    /// Every instant at which the clock shows it: none where it is left out, both where it is repeated.
    Existing,
}

/// No two offsets of a zone differ by more, and no clock is moved further.
const CLOCK_CHANGE_MAX: i64 = 2 * TICKS_PER_DAY;
/// Zones know no end of time, so a search has to.
const FIRST_INSTANT: i64 = Timestamp::MIN.ticks() - CLOCK_CHANGE_MAX;
const LAST_INSTANT: i64 = Timestamp::MAX.ticks() + CLOCK_CHANGE_MAX;

impl Calendar {
    /// The first instant at or after `from`, in ticks.
    pub(super) fn next(&self, from: i64) -> Option<i64> {
        let mut from = from;
        loop {
            let span = self.zone.span_at(from);
            let wall = self.next_wall(from.max(self.own_start(&span)) + span.offset);
            let own = wall.map(|wall| wall.ticks() - span.offset);
            match (own.filter(|at| *at < span.end), self.next_moved(&span, from)) {
                (Some(own), Some(moved)) => return Some(own.min(moved)),
                (Some(at), None) | (None, Some(at)) => return Some(at),
                (None, None) if span.end > LAST_INSTANT => return None,
                // So close to a change of the clock the wall may show again what it showed before.
                (None, None) if span.end - from < CLOCK_CHANGE_MAX => from = span.end,
                // Wherever the wall shows its next time, it is not earlier than this.
                (None, None) => from = span.end.max(own? - CLOCK_CHANGE_MAX),
            }
        }
    }

    /// The last instant at or before `until`.
    pub(super) fn previous(&self, until: i64) -> Option<i64> {
        let mut until = until;
        loop {
            let span = self.zone.span_at(until);
            let wall = self.previous_wall(until + span.offset);
            let own = wall.map(|wall| wall.ticks() - span.offset);
            match (own.filter(|at| *at >= self.own_start(&span)), self.previous_moved(&span, until)) {
                (Some(own), Some(moved)) => return Some(own.max(moved)),
                (Some(at), None) | (None, Some(at)) => return Some(at),
                (None, None) if span.start < FIRST_INSTANT => return None,
                (None, None) if until - span.start < CLOCK_CHANGE_MAX => until = span.start - 1,
                (None, None) => until = (span.start - 1).min(own? + CLOCK_CHANGE_MAX),
            }
        }
    }

    /// How many instants lie from `from` to before `until`.
    pub(super) fn count(&self, from: i64, until: i64) -> i64 {
        let mut count = 0;
        let mut from = from;
        while from < until {
            let span = self.zone.span_at(from);
            let end = until.min(span.end);
            let start = from.max(self.own_start(&span));
            if start < end {
                count += self.count_walls(Wall::from_ticks(start + span.offset), Wall::from_ticks(end + span.offset));
            }
            let mut moved = self.next_moved(&span, from).filter(|at| *at < end);
            while let Some(at) = moved {
                // A time that moved onto another one is the same occurrence.
                let is_own = self.next_wall(at + span.offset) == Some(Wall::from_ticks(at + span.offset));
                count += i64::from(!is_own);
                moved = self.next_moved(&span, at + 1).filter(|at| *at < end);
            }
            from = end;
        }
        count
    }

    /// From when on the wall times of a span are its own: where they repeat those of the span before, they are not.
    fn own_start(&self, span: &ZoneSpan) -> i64 {
        match self.meaning {
            Meaning::Named if span.shift < 0 => span.start - span.shift,
            _ => span.start,
        }
    }

    /// The first instant at or after `from` of a wall time that the start of `span` left out.
    fn next_moved(&self, span: &ZoneSpan, from: i64) -> Option<i64> {
        if span.shift <= 0 || self.meaning == Meaning::Existing || from >= span.start + span.shift {
            return None;
        }
        let offset_before = span.offset - span.shift;
        let at = self.next_wall(from.max(span.start) + offset_before)?.ticks() - offset_before;
        (at < span.start + span.shift).then_some(at)
    }

    fn previous_moved(&self, span: &ZoneSpan, until: i64) -> Option<i64> {
        if span.shift <= 0 || self.meaning == Meaning::Existing {
            return None;
        }
        let offset_before = span.offset - span.shift;
        let until = until.min(span.start + span.shift - 1);
        let at = self.previous_wall(until + offset_before)?.ticks() - offset_before;
        (at >= span.start).then_some(at)
    }

    fn next_wall(&self, from: i64) -> Option<Wall> {
        let from = Wall::from_ticks(from);
        let day = self.days.next(from.day())?;
        if day > from.day() {
            return Some(Wall::at(day, self.times.first()));
        }
        match self.times.next(from.of_day()) {
            Some(of_day) => Some(Wall::at(day, of_day)),
            None => Some(Wall::at(self.days.next(day + 1)?, self.times.first())),
        }
    }

    fn previous_wall(&self, until: i64) -> Option<Wall> {
        let until = Wall::from_ticks(until);
        let day = self.days.previous(until.day())?;
        if day < until.day() {
            return Some(Wall::at(day, self.times.last()));
        }
        match self.times.previous(until.of_day()) {
            Some(of_day) => Some(Wall::at(day, of_day)),
            None => Some(Wall::at(self.days.previous(day - 1)?, self.times.last())),
        }
    }

    fn count_walls(&self, from: Wall, until: Wall) -> i64 {
        let before_on = |wall: Wall| {
            let is_picked = self.days.count(wall.day(), wall.day() + 1) == 1;
            if is_picked { self.times.before(wall.of_day()) } else { 0 }
        };
        self.days.count(from.day(), until.day()) * self.times.per_day() + before_on(until) - before_on(from)
    }
}
