//! What must never happen, and what must be able to.

use punctual_store::WorkId;
use stateright::{Model, Property};

use crate::rules::{Protocol, Step};
use crate::state::{Flight, ROWS, Sends, Stage, State};

/// Promise 2: whatever the schedule has passed is in the record.
pub(crate) const ENDED_ONCE: &str = "every occurrence that was passed has one record of its end";
/// Promise 2: what is recorded as not run was not sent, and what is recorded as delivered twice was.
pub(crate) const RECORD_IS_TRUE: &str = "the record is true";
/// Promise 2: no occurrence waits for ever.
pub(crate) const NOTHING_IS_STUCK: &str = "either node alone can bring everything to its end";
/// Promise 3. A mark comes from a takeover or from a claim that is over, and from nowhere else; so, as far as leases
/// can tell, one node starts an attempt, once.
pub(crate) const ONE_UNMARKED: &str = "of all sends of an attempt one at most is not marked";

pub(crate) const PROMISES: [&str; 4] = [ENDED_ONCE, RECORD_IS_TRUE, NOTHING_IS_STUCK, ONE_UNMARKED];

/// What would make the promises empty if it could not happen.
pub(crate) const POSSIBLE: [&str; 10] = [
    "everything has come to its end",
    "something was sent again",
    "the send without the mark comes last",
    "an answer is a duplicate",
    "a retry is in flight",
    "a batch landed and nobody knows",
    "a handover left an attempt to its node",
    "a claim is over and its attempt is not settled",
    "an attempt of a disabled job is in flight",
    "what is due is closed because the job is disabled",
];

impl Model for Protocol {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![self.start()]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.steps(state, steps);
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        self.next(state, step)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let always: [fn(&Self, &State) -> bool; 4] = [
            |protocol, state| protocol.jobs().all(|job| has_ended_once(state, job)),
            |_, state| state.untruth.is_none(),
            // Time passes for everybody: it is enough to look at the last instant.
            |protocol, state| state.now < protocol.last_instant || protocol.comes_to_an_end(state),
            |_, state| {
                state.history.0.iter().flat_map(|history| history.sends).flatten().all(|sends| sends.unmarked <= 1)
            },
        ];
        let sometimes: [fn(&Self, &State) -> bool; 10] = [
            |protocol, state| protocol.jobs().all(|job| state.rows[job].nominal == protocol.nominals[job]),
            |_, state| any_flight(state, |_, _, sends| sends.all > sends.unmarked),
            |_, state| {
                any_flight(state, |_, flight, sends| {
                    flight.stage == Stage::Decided { is_marked: false } && sends.all > 0
                })
            },
            |_, state| any_flight(state, |job, flight, _| flight.stage == Stage::Sent && !state.is_there(job, flight)),
            |_, state| any_flight(state, |_, flight, _| flight.stage == Stage::Sent && flight.attempt > 0),
            |_, state| any_flight(state, |_, flight, _| flight.stage == Stage::Landed),
            |_, state| state.rows.0.iter().any(|row| row.claim.is_some_and(|claim| claim.by != row.owner)),
            |_, state| state.rows.0.iter().any(|row| row.claim.is_some_and(|claim| claim.until < state.now)),
            |_, state| {
                any_flight(state, |job, flight, _| {
                    flight.stage == Stage::Sent && state.rows[job].stopped_at.is_some() && state.is_there(job, flight)
                })
            },
            |_, state| any_flight(state, |_, flight, _| matches!(flight.stage, Stage::Closing { .. })),
        ];
        let always = PROMISES.into_iter().zip(always).map(|(name, holds)| Property::always(name, holds));
        let sometimes = POSSIBLE.into_iter().zip(sometimes).map(|(name, holds)| Property::sometimes(name, holds));
        always.chain(sometimes).collect()
    }
}

fn has_ended_once(state: &State, job: WorkId) -> bool {
    let passed = state.rows[job].nominal;
    (0..).zip(state.history[job].ended).all(|(nominal, ended)| ended == u8::from(nominal < passed))
}

fn any_flight(state: &State, is_so: impl Fn(WorkId, Flight, Sends) -> bool) -> bool {
    state.nodes.0.iter().any(|node| {
        let mut flights = ROWS.into_iter().filter_map(|job| Some((job, node.flights[job]?)));
        flights.any(|(job, flight)| {
            let sends = state.history[job].sends[usize::from(flight.nominal)][usize::from(flight.attempt)];
            is_so(job, flight, sends)
        })
    })
}
