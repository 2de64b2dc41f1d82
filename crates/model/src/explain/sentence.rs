//! What a reader is told.

use super::time::{ClockChange, clock_text, told};
use super::{AttemptFact, Facts, Hold, NotRunFact, Verdict};
use crate::audit::Period;
use crate::history::Reason;
use crate::occurrence::Occurrence;
use crate::plural::{in_words, plural};
use crate::time::Timestamp;

impl Facts<'_> {
    fn at(&self, at: Timestamp) -> String {
        told(at, self.zone)
    }

    /// From when until when.
    fn span(&self, hold: &Hold) -> String {
        match hold.until {
            Some(until) => format!("{} to {}", self.at(hold.from), self.at(until)),
            None => format!("since {}", self.at(hold.from)),
        }
    }

    pub(super) fn deleted_sentence(&self, who: &str, at: Timestamp) -> String {
        format!("The job was deleted by {who} at {}.", self.at(at))
    }

    pub(super) fn dropped_sentence(&self, was_due: bool) -> String {
        let until = self.dropped_until.map_or_else(String::new, |until| format!(" up to {}", self.at(until)));
        let rest = if was_due { "It was due, more is not known." } else { "Whether it was due is not known." };
        format!("History{until} was dropped. {rest}")
    }

    pub(super) fn not_yet_sentence(&self) -> String {
        match &self.created {
            Some((who, at)) => format!("The job did not exist yet; {who} created it at {}.", self.at(*at)),
            None => "The job did not exist yet.".to_owned(),
        }
    }

    pub(super) fn ended_sentence(&self, period: &Period) -> String {
        let ended = if period.state.is_final() { Some(period.from) } else { period.timetable.previous(Timestamp::MAX) };
        let at = ended.map_or_else(String::new, |at| format!(" at {}", self.at(at)));
        match period.occurrences_max {
            Some(max) if period.state.is_final() => format!("It ended{at}: it had run {max} of {max} times."),
            Some(max) => format!("It had run {max} of {max} times before."),
            None if period.timetable.is_once() => format!("It ended{at}: it ran once."),
            None => format!("It ended{at}."),
        }
    }

    pub(super) fn not_due_sentence(&self, before: Option<Timestamp>, after: Option<Timestamp>) -> String {
        let at = self.asked.instant();
        let first = before.filter(|first| {
            self.asked.clock_change(self.zone) == Some(ClockChange::Second) && self.is_same_wall(*first)
        });
        if let Some(first) = first {
            let ran = if first <= self.now { "it ran the first time" } else { "it runs the first time" };
            return format!("{} came twice; {ran}, at {}.", self.asked.wall_text(self.zone), self.at(first));
        }
        let left_out = match self.asked.clock_change(self.zone) {
            Some(ClockChange::LeftOut) => format!("There was no {} that night. ", self.asked.wall_text(self.zone)),
            _ => String::new(),
        };
        let verb = if at > self.now { "is not" } else { "was not" };
        let around = match (before, after) {
            (Some(before), Some(after)) => format!("Before it {}, after it {}.", self.at(before), self.at(after)),
            (Some(before), None) => format!("The last time was {}.", self.at(before)),
            (None, Some(after)) => format!("The first time after it is {}.", self.at(after)),
            (None, None) => "It is never due.".to_owned(),
        };
        format!("{left_out}It {verb} due at {}. {around}", self.at(at))
    }

    fn is_same_wall(&self, at: Timestamp) -> bool {
        self.zone.wall(at) == self.zone.wall(self.asked.instant())
    }

    /// What became of a time at which the job was due.
    pub(super) fn sentence_of(&self, verdict: Verdict, at: Timestamp) -> String {
        let sentence = match verdict {
            Verdict::Ran | Verdict::RanLate | Verdict::GivenUp | Verdict::Waits | Verdict::Running => {
                self.run_sentence(verdict, at)
            }
            Verdict::NotRun(reason) => self.not_run_sentence(reason, at),
            Verdict::Due => "It is due then.".to_owned(),
            Verdict::Unknown => self.dropped_sentence(true),
            Verdict::Ended => "The series had ended before: it had run as often as count allows.".to_owned(),
            _ => "It was due and nobody can say why it did not run.".to_owned(),
        };
        let made_good = self.attempts.iter().rev().find(|attempt| attempt.is_backfill);
        let made_good = made_good.map_or_else(String::new, |attempt| match attempt.failure {
            None => format!(" A backfill ran it at {}.", self.at(attempt.started)),
            Some(_) => format!(" A backfill ran it at {}, and failed.", self.at(attempt.started)),
        });
        format!("{}{sentence}{made_good}", self.clock_change_sentence(verdict, at))
    }

    /// What the clock did to the time of a run, before the rest is said.
    fn clock_change_sentence(&self, verdict: Verdict, at: Timestamp) -> String {
        let verb = if at > self.now { "runs" } else { "ran" };
        let has_run = matches!(verdict, Verdict::Ran | Verdict::RanLate | Verdict::GivenUp | Verdict::Due);
        let asked = self.asked.wall_text(self.zone);
        match self.asked.clock_change(self.zone).filter(|_| has_run) {
            Some(ClockChange::LeftOut) => {
                format!("There was no {asked} that night; it {verb} at {}. ", clock_text(self.zone.wall(at)))
            }
            Some(ClockChange::First) => format!("{asked} came twice; it {verb} the first time. "),
            _ => String::new(),
        }
    }

    fn run_sentence(&self, verdict: Verdict, at: Timestamp) -> String {
        let attempts: Vec<_> = self.attempts.iter().filter(|attempt| !attempt.is_backfill).collect();
        let failed = attempts.iter().filter(|attempt| attempt.failure.is_some()).count() as u64;
        let Some(last) = attempts.last() else { return self.unstarted_sentence(verdict, at) };
        let resent = if attempts.iter().any(|attempt| attempt.is_resent) {
            " It may have been sent twice: the server ended while it was on its way."
        } else {
            ""
        };
        let reason = |attempt: &AttemptFact| attempt.failure.clone().unwrap_or_default();
        let said = match verdict {
            Verdict::Ran if failed > 0 => {
                format!("It ran at {}, after {}.", self.at(last.started), plural(failed, "failed attempt"))
            }
            Verdict::Ran => format!("It ran at {}.", self.at(last.started)),
            Verdict::RanLate => {
                let late = in_words(last.started.since(at));
                let after =
                    if failed > 0 { format!(", after {}", plural(failed, "failed attempt")) } else { String::new() };
                format!("It ran later, at {}{after}: {late} after its time.", self.at(last.started))
            }
            Verdict::Waits => {
                let again = self
                    .wake_at(at)
                    .map_or_else(String::new, |wake| format!(" It is tried again at {}.", self.at(wake)));
                format!("It failed at {}: {}{again}", self.at(last.started), reason(last))
            }
            Verdict::Running => {
                format!("It failed at {}, and is tried again now: {}", self.at(last.started), reason(last))
            }
            _ => format!(
                "It failed for good at {}, after {}: {}",
                self.at(last.started),
                plural(failed, "attempt"),
                reason(last)
            ),
        };
        format!("{said}{resent}")
    }

    /// Of a time that is due and of which no attempt has ended.
    fn unstarted_sentence(&self, verdict: Verdict, at: Timestamp) -> String {
        if verdict == Verdict::Running {
            return "It is running, or next in turn.".to_owned();
        }
        if let Some(pause) = self.paused.as_ref().filter(|pause| pause.until.is_none()) {
            return format!("It waits: everything is paused{}, {}.", by(pause), self.span(pause));
        }
        if let Some(wake) = self.wake_at(at) {
            return format!("It waits until {}.", self.at(wake));
        }
        let open = self.open.and_then(|(progress, _)| progress.open);
        match open.filter(|open| open.nominal != at) {
            Some(open) if open.backlog_until.is_some_and(|until| at <= until) => {
                format!("It waits for its turn: the one of {} is made good first.", self.at(open.nominal))
            }
            Some(open) => format!("The one of {} is still running or waiting for a retry.", self.at(open.nominal)),
            None => "It waits for its turn.".to_owned(),
        }
    }

    fn wake_at(&self, at: Timestamp) -> Option<Timestamp> {
        let (progress, beside) = self.open?;
        let open = progress.open.iter().chain(beside).find(|open: &&Occurrence| open.nominal == at);
        open.map(|open| open.wake_at).filter(|wake| *wake > self.now)
    }

    fn not_run_sentence(&self, reason: Reason, at: Timestamp) -> String {
        let fact = self.not_run.as_ref();
        match reason {
            Reason::Overlap => match fact.and_then(|fact| fact.open) {
                Some(open) => {
                    format!("Not run: the one of {} was still running or waiting for a retry.", self.at(open))
                }
                None => reason.sentence().to_owned(),
            },
            Reason::Missed => format!("{}{}", reason.sentence(), self.latest_sentence(fact)),
            Reason::Disabled if at > self.now => match &self.disabled {
                Some(hold) => {
                    format!("It would be due then, but the job is disabled{}, {}.", by(hold), self.span(hold))
                }
                None => "It would be due then, but the job is disabled.".to_owned(),
            },
            Reason::Disabled => match (&self.disabled, &self.collection_disabled) {
                (Some(hold), _) => format!("Not run: the job was disabled{}, {}.", by(hold), self.span(hold)),
                (None, Some(hold)) => format!("Not run: its collection was disabled{}, {}.", by(hold), self.span(hold)),
                (None, None) => reason.sentence().to_owned(),
            },
            Reason::Shadow => fact.map_or_else(|| reason.sentence().to_owned(), |fact| fact.message.clone()),
            Reason::Paused => match &self.paused {
                Some(hold) => {
                    let latest = self.latest_sentence(fact);
                    format!("Not run: everything was paused{}, {}.{latest}", by(hold), self.span(hold))
                }
                None => reason.sentence().to_owned(),
            },
        }
    }

    /// When the latest of the missed times ran, if it did.
    fn latest_sentence(&self, fact: Option<&NotRunFact>) -> String {
        let ran = fact.and_then(|fact| fact.latest_ran);
        ran.map_or_else(String::new, |ran| format!(" The latest ran at {}.", self.at(ran)))
    }
}

/// Who wanted it, where that is known.
fn by(hold: &Hold) -> String {
    hold.by.as_ref().map_or_else(String::new, |who| format!(" by {who}"))
}
