//! Attempts in flight, for who wants to know which take long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use punctual_actions::Call;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

use crate::row::FlightId;

/// The attempts in flight. Nothing is noted while nobody watches: an attempt costs one look at a flag then.
#[derive(Debug, Default)]
pub struct Flights {
    is_watched: AtomicBool,
    noted: Mutex<HashMap<FlightId, NotedFlight>>,
}

/// An attempt in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedFlight {
    /// The path of its job: `{subscription}/{group}/{collection}/{job}`.
    pub path: Arc<str>,
    /// What it calls.
    pub target: String,
    /// The occurrence it belongs to.
    pub occurrence: OccurrenceId,
    /// When it started.
    pub started: Timestamp,
}

impl Flights {
    /// Says whether somebody watches. What starts from now on is noted, or is not.
    pub fn watch(&self, is_watched: bool) {
        self.is_watched.store(is_watched, Ordering::Relaxed);
    }

    /// An attempt starts. Only the action of a job can be slow: its error action is told of by itself.
    pub(crate) fn start(&self, id: FlightId, call: &Call) {
        if self.is_watched.load(Ordering::Relaxed) && call.phase == Phase::Main {
            let flight = NotedFlight {
                path: Arc::clone(&call.job_path),
                target: call.definition.action.target.label(),
                occurrence: call.occurrence,
                started: call.started,
            };
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).insert(id, flight);
        }
    }

    /// An attempt has ended.
    pub(crate) fn end(&self, id: FlightId) {
        if self.is_watched.load(Ordering::Relaxed) {
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        }
    }

    /// The attempts that started before an instant and are in flight.
    pub(crate) fn older_than(&self, before: Timestamp) -> Vec<NotedFlight> {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.values().filter(|flight| flight.started < before).cloned().collect()
    }
}
