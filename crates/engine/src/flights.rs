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

    /// An attempt starts. Returns whether it was noted: who is told so has to say when it ends, also if nobody watches any more
    /// by then. Only the action of a job can be slow: its error action is told of by itself.
    pub(crate) fn start(&self, id: FlightId, call: &Call) -> bool {
        let is_noted = self.is_watched.load(Ordering::Relaxed) && call.phase == Phase::Main;
        if is_noted {
            let flight = NotedFlight {
                path: Arc::clone(&call.job_path),
                target: call.definition.action.target.label(),
                occurrence: call.occurrence,
                started: call.started,
            };
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).insert(id, flight);
        }
        is_noted
    }

    /// An attempt that was noted has ended.
    pub(crate) fn end(&self, id: FlightId) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// The attempts that started before an instant and are in flight.
    pub(crate) fn older_than(&self, before: Timestamp) -> Vec<NotedFlight> {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.values().filter(|flight| flight.started < before).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::job::Uid;
    use punctual_model::occurrence::{Occurrence, Origin};
    use punctual_store::WorkId;

    use super::*;

    #[test]
    fn what_was_noted_is_forgotten_at_its_end_whoever_watches_by_then() {
        let flights = Flights::default();
        let id = FlightId { row: WorkId(1), number: 1 };
        let occurrence = Occurrence::asked_for(Origin::Schedule, Timestamp::EPOCH, Timestamp::EPOCH);
        let noted = NotedFlight {
            path: "s/g/c/j".into(),
            target: String::new(),
            occurrence: occurrence.id(Uid::from_bytes([0; 16])),
            started: Timestamp::EPOCH,
        };
        flights.watch(true);
        flights.noted.lock().unwrap_or_else(PoisonError::into_inner).insert(id, noted.clone());
        let later = Timestamp::EPOCH.saturating_add(1);
        assert_eq!(flights.older_than(later), [noted]);
        flights.watch(false);
        flights.end(id);
        flights.watch(true);
        assert_eq!(flights.older_than(later), []);
    }
}
