//! Attempts in flight, for who wants to know which take long.

use std::sync::{Arc, Mutex, PoisonError};

use punctual_actions::Call;
use punctual_model::job::Definition;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

use crate::number_map::NumberMap;
use crate::row::FlightId;

/// The attempts in flight. They are noted whether somebody watches or not: who begins to watch is told of those that have been in
/// flight for long. So an attempt costs a place in a map, and nothing is copied for it.
#[derive(Debug, Default)]
pub struct Flights {
    noted: Mutex<NumberMap<FlightId, Noted>>,
}

/// What is noted of an attempt.
#[derive(Debug)]
struct Noted {
    path: Arc<str>,
    definition: Arc<Definition>,
    occurrence: OccurrenceId,
    started: Timestamp,
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
    /// An attempt starts. Returns whether it was noted: who is told so has to say when it ends. Only the action of a job can be
    /// slow: its error action is told of by itself.
    pub(crate) fn start(&self, id: FlightId, call: &Call) -> bool {
        let is_noted = call.phase == Phase::Main;
        if is_noted {
            let noted = Noted {
                path: Arc::clone(&call.job_path),
                definition: Arc::clone(&call.definition),
                occurrence: call.occurrence,
                started: call.started,
            };
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).insert(id, noted);
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
        let old = noted.values().filter(|noted| noted.started < before);
        let flight = |noted: &Noted| NotedFlight {
            path: Arc::clone(&noted.path),
            target: noted.definition.action.target.label(),
            occurrence: noted.occurrence,
            started: noted.started,
        };
        old.map(flight).collect()
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::action::{Action, Address, HttpAction, HttpType, Target};
    use punctual_model::job::Uid;
    use punctual_model::occurrence::{Occurrence, Origin};
    use punctual_model::options::Options;
    use punctual_store::WorkId;

    use super::*;

    fn call(phase: Phase) -> Call {
        let http = HttpAction {
            kind: HttpType::Https,
            uri: Address::parse("https://example.com/x").expect("an address"),
            method: "POST".to_owned(),
            headers: Vec::new(),
            body: None,
            authentication: None,
        };
        let action = Action { target: Target::Http(http), retry: None, error: None, sign: None };
        let definition = Definition { start: None, action, recurrence: None, options: Options::default() };
        let occurrence = Occurrence::asked_for(Origin::Schedule, Timestamp::EPOCH, Timestamp::EPOCH);
        Call {
            definition: Arc::new(definition),
            phase,
            job_path: "s/g/c/j".into(),
            occurrence: occurrence.id(Uid::from_bytes([0; 16])),
            attempt_id: [0; 16],
            attempt: 1,
            failure: None,
            nominal: Timestamp::EPOCH,
            started: Timestamp::EPOCH,
            is_resent: false,
            trace: None,
        }
    }

    #[test]
    fn what_is_in_flight_is_known_until_its_end() {
        let flights = Flights::default();
        let id = |number| FlightId { row: WorkId(1), number };
        let main = call(Phase::Main);
        assert!(flights.start(id(1), &main));
        assert!(!flights.start(id(2), &call(Phase::Error)), "it is told of by itself");
        assert_eq!(flights.older_than(Timestamp::EPOCH), []);
        let later = Timestamp::EPOCH.saturating_add(1);
        let noted = NotedFlight {
            path: "s/g/c/j".into(),
            target: "example.com".to_owned(),
            occurrence: main.occurrence,
            started: Timestamp::EPOCH,
        };
        assert_eq!(flights.older_than(later), [noted]);
        flights.end(id(1));
        assert_eq!(flights.older_than(later), []);
    }
}
