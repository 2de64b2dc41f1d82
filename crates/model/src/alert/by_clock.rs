//! Troubles that are judged by the clock: nothing has to happen for them.

use super::condition::{Conditions, Trouble};
use crate::in_words;
use crate::time::{Span, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};

/// A job in trouble is looked at this often, to see whether it is well again.
const AGAIN_TICKS: i64 = TICKS_PER_MINUTE;

/// The cause of silence that began while the server was down.
const DOWN: &str = "down";

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
    /// The first nominal time after the last attempt that came to its end.
    pub unanswered: Option<Timestamp>,
    /// The next nominal time after now.
    pub next: Option<Timestamp>,
}

/// What a look finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether the job is in trouble: why, and in words.
    pub trouble: Option<(String, String)>,
    /// Whether it is well by now, although it was in trouble before anyone could look.
    pub is_well_again: bool,
    /// When to look next.
    pub due_at: Timestamp,
    /// The nominal time whose outcome is expected then.
    pub expected: Option<Timestamp>,
}

impl Look {
    const fn well(due_at: Timestamp, expected: Option<Timestamp>) -> Self {
        Self { trouble: None, is_well_again: false, due_at, expected }
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
    let Some(expected) = watched.expected else { return Look::well(next_look, next) };
    let was_down = watched.due_at < watched.server_started_at;
    let silent_for = |since: Timestamp| format!("was silent for {}", in_words(now.since(since)));
    let down = |since| (DOWN.to_owned(), format!("{}: the server was down.", silent_for(since)));
    if let Some(unanswered) = watched.unanswered.filter(|at| at.saturating_add(after) <= now) {
        let trouble = match watched.held {
            Some((cause, sentence)) => (cause.to_owned(), format!("{}: {sentence}", silent_for(unanswered))),
            // What was due while the server was down stays silent for that reason until something runs.
            None if was_down || watched.cause == Some(DOWN) => down(unanswered),
            None => {
                let silence = silent_for(unanswered);
                ("noOutcome".to_owned(), format!("{silence}: what was due at {unanswered} has no outcome yet."))
            }
        };
        let due_at = now.saturating_add(AGAIN_TICKS);
        return Look { trouble: Some(trouble), is_well_again: false, due_at, expected: Some(unanswered) };
    }
    // What came due while the server was down may have been made good before anyone could look.
    let was_made_good =
        was_down && watched.last_started.is_some_and(|started| started > expected.saturating_add(after));
    let trouble = was_made_good.then(|| down(expected));
    Look { trouble, is_well_again: was_made_good, due_at: next_look, expected: next }
}

/// Whether something has succeeded lately.
fn look_for_success(after: i64, watched: &Watched<'_>, now: Timestamp) -> Look {
    let last = watched.last_success.map_or(watched.since, |last| last.max(watched.since));
    let due_at = last.saturating_add(after);
    if due_at > now {
        return Look::well(due_at, None);
    }
    let text = match watched.last_success {
        Some(last) => format!("has not succeeded for {}.", in_words(now.since(last))),
        None => format!("has never succeeded, for {}.", in_words(now.since(watched.since))),
    };
    let trouble = Some((String::new(), text));
    Look { trouble, is_well_again: false, due_at: now.saturating_add(AGAIN_TICKS), expected: None }
}

/// Whether a certificate or signature ends soon.
fn look_for_end(within: &Span, watched: &Watched<'_>, now: Timestamp) -> Look {
    let Some(ends) = watched.expires_at else { return Look::well(now.saturating_add(TICKS_PER_DAY), None) };
    let due_at = ends.saturating_add(-within.ticks());
    if due_at > now {
        return Look::well(due_at, None);
    }
    let text = if ends > now {
        format!("has a certificate or signature that ends in {}, at {ends}.", in_words(ends.since(now)))
    } else {
        format!("has a certificate or signature that ended at {ends}.")
    };
    let trouble = Some((ends.to_string(), text));
    Look { trouble, is_well_again: false, due_at: now.saturating_add(TICKS_PER_HOUR), expected: None }
}
