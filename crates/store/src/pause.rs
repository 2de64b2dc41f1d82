//! Pauses of the whole server as the store gives and takes them.

use punctual_model::history::{NotRun, Reason};
use punctual_model::pause::{Pause, Pauses};
use punctual_model::time::Timestamp;

/// A time in which the server starts nothing, with who wanted it and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseEntry {
    /// When the pause began.
    pub since: Timestamp,
    /// When the pause ended; none if it goes on.
    pub until: Option<Timestamp>,
    /// Who paused the server.
    pub paused_by: String,
    /// The reason that they gave; empty if they gave none.
    pub why: String,
    /// Whether messages of alerts are held, too.
    pub holds_messages: bool,
    /// Who ended the pause, if it has ended.
    pub resumed_by: Option<String>,
}

impl PauseEntry {
    /// Pauses that are kept. What came due in an older one was decided about long ago.
    pub const KEPT_MAX: u32 = 100;

    /// A pause that begins. Messages of alerts go out in it.
    pub fn begin(paused_by: String, why: String, now: Timestamp) -> Self {
        Self { since: now, until: None, paused_by, why, holds_messages: false, resumed_by: None }
    }

    /// The pause of a server that starts paused: messages of alerts are held, too. Somebody looks at a copy, and nobody is to be
    /// called twice.
    pub fn begin_at_start(paused_by: String, why: String, now: Timestamp) -> Self {
        Self { holds_messages: true, ..Self::begin(paused_by, why, now) }
    }

    /// Lets the pause hold what another one that was to begin would have held. Says whether that is more than before.
    pub fn hold_what(&mut self, other: &Self) -> bool {
        let is_more = other.holds_messages && !self.holds_messages;
        self.holds_messages |= other.holds_messages;
        is_more
    }

    /// Ends the pause. The clock may have gone back meanwhile.
    pub fn end(&mut self, resumed_by: String, now: Timestamp) {
        self.until = Some(now.max(self.since));
        self.resumed_by = Some(resumed_by);
    }

    /// The pause in which nominal times were not run, which was decided at `decided`. `entries` begin with the earliest.
    pub fn of_not_run<'a>(entries: &'a [Self], range: &NotRun, decided: Timestamp) -> Option<&'a Self> {
        let is_after = |entry: &&Self| entry.until.is_none_or(|until| until >= range.first);
        entries.iter().find(is_after).filter(|entry| range.reason == Reason::Paused && entry.since <= decided)
    }

    /// The times of pauses, the earliest first.
    pub fn times<'a>(entries: impl IntoIterator<Item = &'a Self>) -> Pauses {
        let times = entries.into_iter().map(|entry| Pause {
            from: entry.since,
            until: entry.until,
            holds_messages: entry.holds_messages,
        });
        Pauses::new(times.collect())
    }
}
