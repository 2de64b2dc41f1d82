//! What a schedule is counted from.

use crate::time::{Start, Timestamp, Wall, Zone};

/// What a series of occurrences is counted from. It is fixed when the job is made, and edits keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The start the user gave.
    Start(Start),
    /// The instant the job was accepted, which is an occurrence itself: no start was given, or one that is past and
    /// nothing recurs.
    Creation(Timestamp),
}

impl Anchor {
    /// The anchor of a job accepted at `accepted`. A job without recurrence whose start is past runs once, now.
    pub fn new(start: Option<Start>, is_recurring: bool, accepted: Timestamp) -> Self {
        match start {
            Some(start) if is_recurring || start.instant() > accepted => Self::Start(start),
            _ => Self::Creation(accepted),
        }
    }

    /// Whether it is the instant the job was accepted.
    pub const fn is_creation(self) -> bool {
        matches!(self, Self::Creation(_))
    }

    /// The instant.
    pub const fn instant(self) -> Timestamp {
        match self {
            Self::Start(start) => start.instant(),
            Self::Creation(at) => at,
        }
    }

    /// What the wall clock of `zone` was meant to show.
    pub fn wall(self, zone: Zone) -> Wall {
        match self {
            Self::Start(start) => start.wall(zone),
            Self::Creation(at) => zone.wall(at),
        }
    }
}
