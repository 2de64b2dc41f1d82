//! Times in which the whole server starts nothing, because an operator wanted it so.
//!
//! A pause touches no job: rows keep their times, and what came due meanwhile is decided about when the pause is over, as
//! after a downtime. Only the reason in the record is another one. Messages of alerts go out in a pause, since a person who pauses
//! the server still wants to hear of it; a server that is started paused holds them as well.

use crate::history::{NotRun, Reason};
use crate::terms::Terms;
use crate::time::Timestamp;

/// A time in which the server starts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When the pause began.
    pub from: Timestamp,
    /// When the pause ended; none if it goes on.
    pub until: Option<Timestamp>,
    /// Whether messages of alerts are held, too.
    pub holds_messages: bool,
}

/// The last pauses of a server, the earliest first. Only the last one can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses(Vec<Pause>);

impl Pauses {
    /// The pauses, the earliest first.
    pub fn new(pauses: Vec<Pause>) -> Self {
        Self(pauses)
    }

    /// Whether the server starts no jobs now.
    pub fn is_paused(&self) -> bool {
        self.open().is_some()
    }

    /// Whether the server sends no messages of alerts now, either.
    pub fn holds_messages(&self) -> bool {
        self.open().is_some_and(|pause| pause.holds_messages)
    }

    fn open(&self) -> Option<&Pause> {
        self.0.last().filter(|last| last.until.is_none())
    }

    /// What is recorded for nominal times that were not run: those that were to start during a pause were not run because of
    /// the pause, the others for the reason that `range` has. Times of a disabled job would not have run without a pause either.
    pub fn explain(&self, terms: &Terms<'_>, range: NotRun) -> Vec<NotRun> {
        let begins_before = |pause: &Pause| pause.from <= terms.wake_at(range.last);
        let ends_after = |pause: &Pause| pause.until.is_none_or(|until| until >= range.first);
        let pauses = self.0.iter().filter(|pause| begins_before(pause) && ends_after(pause));
        let (mut parts, mut after) = (Vec::new(), range.first.saturating_add(-1));
        if range.reason == Reason::Disabled {
            return vec![range];
        }
        for pause in pauses {
            let before = terms.due_until(pause.from.saturating_add(-1)).clamp(after, range.last);
            let last = pause.until.map_or(range.last, |until| terms.due_until(until)).clamp(before, range.last);
            parts.extend(terms.came_due(after, before, range.reason));
            parts.extend(terms.came_due(before, last, Reason::Paused));
            after = last;
        }
        if parts.is_empty() {
            return vec![range];
        }
        parts.extend(terms.came_due(after, range.last, range.reason));
        // A range of a timetable that an edit has replaced cannot be divided by the new one.
        let number: u64 = parts.iter().map(|part| part.number).sum();
        if number == range.number { parts } else { vec![range] }
    }
}
