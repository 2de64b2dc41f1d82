//! Troubles that are judged by the clock: nothing has to happen for them.

use super::condition::{Conditions, Trouble};
use crate::in_words;
use crate::time::{Span, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};

/// A job in trouble is looked at this often, to see whether it is well again.
const AGAIN_TICKS: i64 = TICKS_PER_MINUTE;

/// The cause of silence that began while the server was down.
pub const DOWN: &str = "down";

/// What is known of a job when it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// The nominal time whose outcome is expected; none at the first look.
    pub expected: Option<Timestamp>,
    /// When the look was due.
    pub due_at: Timestamp,
    /// When the last attempt started that came to its end.
    pub last_started: Option<Timestamp>,
    /// When the last attempt started that succeeded.
    pub last_success: Option<Timestamp>,
    /// Since when the job is what it is.
    pub since: Timestamp,
    /// When a certificate or signature of its action ends.
    pub expires_at: Option<Timestamp>,
    /// When the server started.
    pub server_started_at: Timestamp,
    /// Why the job is silent, if an incident tells that already.
    pub cause: Option<&'a str>,
    /// Why nothing of the job runs, if that is known: a cause, and a sentence.
    pub held: Option<(&'a str, &'a str)>,
    /// The first nominal time that has no outcome.
    pub unanswered: Option<Timestamp>,
    /// The first nominal time of all since the job is what it is.
    pub first: Option<Timestamp>,
    /// The next nominal time after now.
    pub next: Option<Timestamp>,
}

/// What a look at a job leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// How the job stands.
    pub finding: Finding,
    /// When to look next.
    pub due_at: Timestamp,
    /// The nominal time whose outcome is expected then.
    pub expected: Option<Timestamp>,
}

/// How a job stands, by the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The job is in trouble: why, and in words.
    Troubled(String, String),
    /// The job was in trouble before anyone could look, and is well by now: why it was, and in words.
    MadeGood(String, String),
    /// The job is not in trouble. `is_shown`: something has happened since that shows it, such as a run; else nothing is
    /// expected of the job any more, and whoever was told of it must not hear that it has recovered.
    Well {
        /// Whether something shows it.
        is_shown: bool,
    },
}

impl Look {
    /// There is nothing to look for.
    pub const NOTHING: Self = Self::well(false, Timestamp::MAX, None);

    const fn well(is_shown: bool, due_at: Timestamp, expected: Option<Timestamp>) -> Self {
        Self { finding: Finding::Well { is_shown }, due_at, expected }
    }

    fn troubled(cause: &str, text: String, due_at: Timestamp, expected: Option<Timestamp>) -> Self {
        Self { finding: Finding::Troubled(cause.to_owned(), text), due_at, expected }
    }
}

impl Conditions {
    /// Looks at a job on behalf of a condition that is judged by the clock.
    pub fn look(&self, trouble: Trouble, watched: &Watched<'_>, now: Timestamp) -> Option<Look> {
        match trouble {
            Trouble::Silent => self.silent.as_ref().map(|after| look_for_silence(after.ticks(), watched, now)),
            Trouble::Stale => self.stale.as_ref().map(|after| look_for_success(after.ticks(), watched, now)),
            Trouble::Expiring => self.expiring.as_ref().map(|within| look_for_end(within, watched, now)),
            _ => None,
        }
    }
}

/// Whether what was expected has an outcome by now.
fn look_for_silence(after: i64, watched: &Watched<'_>, now: Timestamp) -> Look {
    let next = watched.next;
    // Where nothing is expected any more, an edit sets another deadline.
    let next_look = next.map_or(now.saturating_add(TICKS_PER_DAY), |next| next.saturating_add(after));
    let Some(expected) = watched.expected else { return Look::well(false, next_look, next) };
    let was_down = watched.due_at < watched.server_started_at;
    let silent_for = |since: Timestamp| format!("was silent for {}", in_words(now.since(since)));
    let down = |since| format!("{}: the server was down.", silent_for(since));
    if let Some(unanswered) = watched.unanswered.filter(|at| at.saturating_add(after) <= now) {
        let (cause, text) = match watched.held {
            Some((cause, sentence)) => (cause, format!("{}: {sentence}", silent_for(unanswered))),
            // What was due while the server was down stays silent for that reason until something runs.
            None if was_down || watched.cause == Some(DOWN) => (DOWN, down(unanswered)),
            None => {
                let silence = silent_for(unanswered);
                ("noOutcome", format!("{silence}: what was due at {unanswered} has no outcome yet."))
            }
        };
        return Look::troubled(cause, text, now.saturating_add(AGAIN_TICKS), Some(unanswered));
    }
    // What came due while the server was down may have been made good before anyone could look.
    if was_down && watched.last_started.is_some_and(|started| started > expected.saturating_add(after)) {
        let finding = Finding::MadeGood(DOWN.to_owned(), down(expected));
        return Look { finding, due_at: next_look, expected: next };
    }
    let has_run = watched.last_started.is_some_and(|started| started >= expected);
    Look::well(has_run, next_look, next)
}

/// Whether something has succeeded lately. An edit gives a job time, but does not mend one that is in trouble; and a job that has
/// not come to its first run yet cannot have succeeded.
fn look_for_success(after: i64, watched: &Watched<'_>, now: Timestamp) -> Look {
    let has_succeeded_at = watched.last_success.filter(|last| last.saturating_add(after) > now);
    if let Some(last) = has_succeeded_at {
        return Look::well(true, last.saturating_add(after), None);
    }
    let begins = watched.last_success.or(watched.first).map_or(watched.since, |first| first.max(watched.since));
    let due_at = begins.saturating_add(after);
    let was_told = watched.cause.is_some();
    if due_at > now && !was_told {
        return Look::well(false, due_at, None);
    }
    let text = match watched.last_success {
        Some(last) => format!("has not succeeded for {}.", in_words(now.since(last))),
        None => "has never succeeded.".to_owned(),
    };
    Look::troubled("", text, now.saturating_add(AGAIN_TICKS), None)
}

/// Whether a certificate or signature ends soon.
fn look_for_end(within: &Span, watched: &Watched<'_>, now: Timestamp) -> Look {
    let Some(ends) = watched.expires_at else { return Look::well(true, now.saturating_add(TICKS_PER_DAY), None) };
    let due_at = ends.saturating_add(-within.ticks());
    if due_at > now {
        return Look::well(true, due_at, None);
    }
    let text = if ends > now {
        format!("has a certificate or signature that ends in {}, at {ends}.", in_words(ends.since(now)))
    } else {
        format!("has a certificate or signature that ended at {ends}.")
    };
    Look::troubled(&ends.to_string(), text, now.saturating_add(TICKS_PER_HOUR), None)
}
