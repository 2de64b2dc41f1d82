//! How a job stands, as alerts see it.

use super::condition::{Conditions, Trouble};
use crate::failure::FailureClass;
use crate::job::State;
use crate::time::Timestamp;

/// How a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The state of the job; none if it is gone.
    pub state: Option<State>,
    /// How it fails; none if its last attempt succeeded.
    pub failing: Option<FailingStanding>,
}

/// How a job fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingStanding {
    /// What kind of failure the last one was.
    pub class: FailureClass,
    /// How many attempts have failed since one succeeded.
    pub count: u64,
    /// How many occurrences were given up since then.
    pub given_up: u64,
    /// When the last attempt started.
    pub last_started: Timestamp,
}

impl Standing {
    /// Whether a job is in a trouble that is about attempts that fail, and for which class of failure.
    pub fn trouble(&self, conditions: &Conditions, trouble: Trouble) -> Option<FailureClass> {
        let failing = self.failing.as_ref()?;
        let is_so = match trouble {
            Trouble::Failing => conditions.failing.is_some_and(|attempts| failing.count >= u64::from(attempts)),
            Trouble::GivenUp => conditions.given_up && failing.given_up > 0,
            _ => false,
        };
        is_so.then_some(failing.class)
    }

    /// Whether the job has ended: by the failure, if it fails.
    pub const fn has_ended(&self) -> bool {
        matches!(self.state, Some(State::Completed | State::Faulted))
    }

    /// Whether the job can still get out of its trouble by itself: it is there, enabled and has not ended.
    pub const fn is_live(&self) -> bool {
        matches!(self.state, Some(State::Enabled))
    }
}
