//! The start that someone wrote.

use super::{Timestamp, Wall, Zone};

/// When a schedule starts: the instant, and what the wall clock was meant to show then.
///
/// The two differ in one case. A start of 02:30 on the morning when the clock jumps from 02:00 to 03:00 is the instant
/// of 03:30, but a daily job that starts there is a job of 02:30. Two starts are equal if they are the same instant.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    at: Timestamp,
    moved_ticks: i64,
}

impl Start {
    /// A start at an instant.
    pub const fn at(at: Timestamp) -> Self {
        Self { at, moved_ticks: 0 }
    }

    /// A start whose wall-clock time does not exist: `at` is what it was moved to, by `moved_ticks`.
    pub const fn moved(at: Timestamp, moved_ticks: i64) -> Self {
        Self { at, moved_ticks }
    }

    /// The instant.
    pub const fn instant(self) -> Timestamp {
        self.at
    }

    /// By how much it was moved because its wall-clock time does not exist; nearly always 0.
    pub const fn moved_ticks(self) -> i64 {
        self.moved_ticks
    }

    /// What the user should know, if the start was moved because `zone` does not have the time that was written.
    pub fn moved_text(self, zone: Zone) -> Option<String> {
        let (written, moved) = (self.wall(zone), zone.wall(self.at));
        let text = || format!("{written:?} does not exist in {}; moved to {moved:?}, {}", zone.name(), self.at);
        (self.moved_ticks != 0).then(text)
    }

    /// What the wall clock of `zone` was meant to show.
    pub fn wall(self, zone: Zone) -> Wall {
        Wall::from_ticks(zone.wall(self.at).ticks() - self.moved_ticks)
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Start {}
