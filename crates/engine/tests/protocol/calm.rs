//! What happens when nothing goes wrong any more, and one node is left.

use punctual_model::settle::Verdict;
use punctual_store::{NodeId, WorkId};

use crate::rules::{BatchOutcome, Protocol, Step};
use crate::state::{NODES, State};

/// After so many instants everything that is open has woken, and every lease, claim and watermark of before is past.
const INSTANTS: u8 = 4;

impl Protocol {
    /// Whether everything is settled in the end, if from now on nobody edits, one node does what it can, and the other
    /// one is never heard of again; whichever it is.
    pub(crate) fn comes_to_an_end(&self, state: &State) -> bool {
        let fair = Self { last_instant: self.last_instant + INSTANTS, ..*self };
        NODES.into_iter().all(|node| fair.comes_to_an_end_alone(*state, node))
    }

    fn comes_to_an_end_alone(&self, mut state: State, node: NodeId) -> bool {
        for _ in 0..INSTANTS {
            if self.has_ended(&state) {
                return true;
            }
            self.make(&mut state, Step::Tick);
            self.make(&mut state, Step::Join(node));
            self.make(&mut state, Step::Heartbeat(node));
            for job in self.jobs() {
                self.work(&mut state, node, job);
            }
        }
        self.has_ended(&state)
    }

    /// What a node does about a job when it has the time.
    fn work(&self, state: &mut State, node: NodeId, job: WorkId) {
        self.make(state, Step::TakeOver(node, job));
        // Once for what it has in its hands, and once for what it finds then.
        for _ in 0..2 {
            self.make(state, Step::Decide(node, job));
            self.make(state, Step::Send(node, job));
            self.make(state, Step::Close(node, job));
            self.make(state, Step::Settle(node, job, Verdict::Succeeded, BatchOutcome::Written));
            self.make(state, Step::AskLanded(node, job));
        }
    }

    fn make(&self, state: &mut State, step: Step) {
        let mut next = *state;
        if self.take(&mut next, step).is_some() {
            *state = next;
        }
    }

    fn has_ended(&self, state: &State) -> bool {
        self.jobs().all(|job| {
            let row = &state.rows[job];
            !row.is_open && (row.stopped_at.is_some() || row.nominal == self.nominals[job])
        })
    }
}
