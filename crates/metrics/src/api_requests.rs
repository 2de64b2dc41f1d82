//! What clients have asked for, and what they were answered.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::histogram::Histogram;

/// A route, a method and a status code. Each is one of a few, however clients spell their requests.
type Kind = (&'static str, &'static str, u16);

/// Requests by what was asked and answered.
#[derive(Debug, Default)]
pub struct ApiRequests {
    /// Under a lock: a request costs a thousand times as much as taking the lock.
    numbers: Mutex<BTreeMap<Kind, u64>>,
    duration: Histogram,
}

impl ApiRequests {
    /// Counts a request that was answered after so many ticks.
    pub fn count(&self, route: &'static str, method: &'static str, code: u16, ticks: i64) {
        *self.numbers.lock().unwrap_or_else(PoisonError::into_inner).entry((route, method, code)).or_default() += 1;
        self.duration.observe(ticks);
    }

    /// Requests of every kind that there was.
    pub(crate) fn numbers(&self) -> BTreeMap<Kind, u64> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long requests took.
    pub(crate) const fn duration(&self) -> &Histogram {
        &self.duration
    }
}
