//! When an alert tells something.

use crate::time::{Span, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use crate::{Violation, limits};

/// A trouble that an alert can tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// As many attempts in a row have failed as the alert names.
    Failing,
    /// The retries of an occurrence are used up.
    GivenUp,
    /// The job has ended with a failure.
    Ended,
    /// A run started later than it should have.
    Late,
    /// A run takes longer than it should.
    Slow,
    /// A run that was expected has no outcome, whatever the cause.
    Silent,
    /// Nothing has succeeded for some time.
    Stale,
    /// A certificate or signature ends soon.
    Expiring,
    /// The server itself is in trouble.
    Operator,
}

impl Trouble {
    /// All troubles.
    pub const ALL: [Self; 9] = [
        Self::Failing,
        Self::GivenUp,
        Self::Ended,
        Self::Late,
        Self::Slow,
        Self::Silent,
        Self::Stale,
        Self::Expiring,
        Self::Operator,
    ];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::GivenUp => "givenUp",
            Self::Ended => "ended",
            Self::Late => "late",
            Self::Slow => "slow",
            Self::Silent => "silent",
            Self::Stale => "stale",
            Self::Expiring => "expiring",
            Self::Operator => "operator",
        }
    }

    /// Whether it happens and is over, so that there is nothing to recover from.
    pub const fn is_event(self) -> bool {
        matches!(self, Self::Ended | Self::Operator)
    }

    /// Whether it is about attempts that fail.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failing | Self::GivenUp)
    }
}

/// Which troubles an alert tells of. What is not given is not told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that the user did or did not write")]
pub struct Conditions {
    /// The number of failed attempts in a row after which it is told.
    pub failing: Option<u32>,
    /// Tells also when an incident is over.
    pub recovered: bool,
    /// When the retries of an occurrence are used up.
    pub given_up: bool,
    /// When a job has ended with a failure.
    pub ended: bool,
    /// How much later than it should have a run has to start to be told of.
    pub late: Option<Span>,
    /// When a run takes longer than that.
    pub slow: Option<Slow>,
    /// How long after its time a run has to be without an outcome to be told of.
    pub silent: Option<Span>,
    /// How long nothing has to succeed to be told of.
    pub stale: Option<Span>,
    /// How long before its end a certificate or signature is told of.
    pub expiring: Option<Span>,
    /// When the server itself is in trouble.
    pub operator: bool,
}

/// When a run is slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slow {
    /// When it takes longer than this.
    Longer(Span),
    /// When it takes longer than so many times the median of the job's last runs.
    Times(u32),
}

impl Conditions {
    /// Whether it tells of a trouble.
    pub const fn has(&self, trouble: Trouble) -> bool {
        match trouble {
            Trouble::Failing => self.failing.is_some(),
            Trouble::GivenUp => self.given_up,
            Trouble::Ended => self.ended,
            Trouble::Late => self.late.is_some(),
            Trouble::Slow => self.slow.is_some(),
            Trouble::Silent => self.silent.is_some(),
            Trouble::Stale => self.stale.is_some(),
            Trouble::Expiring => self.expiring.is_some(),
            Trouble::Operator => self.operator,
        }
    }

    /// Whether some condition is judged by the clock, so that each job that is watched has a deadline.
    pub const fn needs_deadlines(&self) -> bool {
        self.silent.is_some() || self.stale.is_some() || self.expiring.is_some()
    }

    /// What is wrong with the conditions. Paths are relative to the alert.
    pub fn check(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if !Trouble::ALL.iter().any(|trouble| self.has(*trouble)) {
            let sentence = if self.recovered {
                "recovered tells that a trouble is over: name the trouble as well, such as failing"
            } else {
                "name at least one condition, such as failing"
            };
            violations.push(Violation::sentence("when", sentence));
        }
        if let Some(attempts) = self.failing.filter(|attempts| !(1..=limits::ALERT_ATTEMPTS_MAX).contains(attempts)) {
            let expected = format!("1 to {} attempts", limits::ALERT_ATTEMPTS_MAX);
            violations.push(Violation::new("when.failing.attempts", attempts, expected));
        }
        let longer = if let Some(Slow::Longer(span)) = &self.slow { Some(span) } else { None };
        let day = TICKS_PER_DAY;
        let spans = [
            ("when.late.after", self.late.as_ref(), TICKS_PER_SECOND..=day, "1 second to 1 day"),
            ("when.slow.after", longer, TICKS_PER_SECOND..=limits::TIMEOUT_TICKS_MAX, "1 second to 30 minutes"),
            ("when.silent.after", self.silent.as_ref(), TICKS_PER_MINUTE..=30 * day, "1 minute to 30 days"),
            ("when.stale.after", self.stale.as_ref(), TICKS_PER_MINUTE..=400 * day, "1 minute to 400 days"),
            ("when.expiring.within", self.expiring.as_ref(), TICKS_PER_HOUR..=400 * day, "1 hour to 400 days"),
        ];
        for (path, span, range, expected) in spans {
            let wrong = span.filter(|span| !range.contains(&span.ticks()));
            violations.extend(wrong.map(|span| Violation::new(path, span, expected)));
        }
        if let Some(Slow::Times(times)) = self.slow
            && !(2..=100).contains(&times)
        {
            violations.push(Violation::new("when.slow.times", times, "2 to 100 times the median"));
        }
        violations
    }
}
