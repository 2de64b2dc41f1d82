//! How an attempt is started and settled.

use punctual_model::settle::Verdict;
use punctual_store::{NodeId, WorkId};

use crate::rules::{BatchOutcome, FAILED, Protocol, Rule};
use crate::state::{Flight, Stage, State, Untruth};

impl Protocol {
    /// Decides about what is due. Between this and what follows a node may stand still for as long as it likes; that
    /// what it has read is old comes to the same.
    pub(crate) fn decide(&self, state: &mut State, at: NodeId, job: WorkId) -> Option<()> {
        let (row, node) = (state.rows[job], state.nodes[at]);
        let may_start = node.owns[job] && (state.has_lease(at) || !self.keeps(Rule::StartsWithinLease));
        if !may_start || !row.is_open || row.wake_at > state.now || node.flights[job].is_some() {
            return None;
        }
        let is_left_to_another = row.claim.is_some_and(|claim| {
            let is_over = !state.has_lease(claim.by) || claim.until < state.now;
            claim.by != at && !(is_over && self.keeps(Rule::EndsClaims))
        });
        if is_left_to_another {
            return None;
        }
        let is_marked = row.is_marked || (row.claim.is_some() && self.keeps(Rule::MarksAfterClaim));
        let stopped_at = row.stopped_at.filter(|_| !is_marked || !self.keeps(Rule::ResendsWhatIsStopped));
        let begun = match stopped_at {
            Some(stopped_at) => Stage::Closing { stopped_at, is_marked },
            None => Stage::Decided { is_marked },
        };
        if stopped_at.is_none() && row.wake_at > node.watermark && self.keeps(Rule::StartsUpToWatermark) {
            return None;
        }
        let flight = Flight { nominal: row.nominal, attempt: row.attempt, stage: begun };
        state.nodes[at].flights[job] = Some(flight);
        Some(())
    }

    /// The call itself. No rule stands here: whatever was decided is sent, however late it is.
    pub(crate) fn send(state: &mut State, at: NodeId, job: WorkId) -> Option<()> {
        let flight = state.nodes[at].flights[job]?;
        let Stage::Decided { is_marked } = flight.stage else { return None };
        state.nodes[at].flights[job] = Some(Flight { stage: Stage::Sent, ..flight });
        let sends = state.sends(job, flight.nominal, flight.attempt);
        sends.all = (sends.all + 1).min(2);
        sends.unmarked = (sends.unmarked + u8::from(!is_marked)).min(2);
        // Nobody but this node has sent it, and it is not settled; if it is over, then because it is recorded as not
        // run.
        if sends.all == 1 && !state.is_there(job, flight) {
            state.untruth = Some(Untruth::NotRun);
        }
        Some(())
    }

    /// An answer, or none in time, and the batch with what it leads to.
    ///
    /// Many share a batch; that is the same as one after the other with nobody between. A batch that lands long after
    /// the node died is the same as one of a node that stands still until then.
    pub(crate) fn settle(
        &self,
        state: &mut State,
        at: NodeId,
        job: WorkId,
        verdict: Verdict,
        outcome: BatchOutcome,
    ) -> Option<()> {
        let flight = state.nodes[at].flights[job]?;
        let is_unaware = flight.stage == Stage::Landed && !self.keeps(Rule::AsksWhetherLanded);
        if flight.stage != Stage::Sent && !is_unaware {
            return None;
        }
        if state.is_there(job, flight) || !self.keeps(Rule::Compares) {
            self.apply(state, job, flight, verdict);
        } else if state.sends(job, flight.nominal, flight.attempt).all < 2 {
            state.untruth = Some(Untruth::Duplicate);
        }
        let landed = Flight { stage: Stage::Landed, ..flight };
        state.nodes[at].flights[job] = (outcome == BatchOutcome::Unknown).then_some(landed);
        Some(())
    }

    /// The store says that the batch landed.
    pub(crate) fn ask_landed(&self, state: &mut State, at: NodeId, job: WorkId) -> Option<()> {
        let flight = state.nodes[at].flights[job].take()?;
        (flight.stage == Stage::Landed && self.keeps(Rule::AsksWhetherLanded)).then_some(())
    }

    /// What the attempt leads to: a retry, or the end of the occurrence and the next one.
    fn apply(&self, state: &mut State, job: WorkId, flight: Flight, verdict: Verdict) {
        let now = state.now;
        let row = &mut state.rows[job];
        (row.claim, row.is_marked, row.is_open, row.nominal) = (None, false, true, flight.nominal);
        if verdict == FAILED && flight.attempt < self.retries {
            (row.attempt, row.wake_at) = (flight.attempt + 1, now + 1);
            if let Some(stopped_at) = row.stopped_at {
                self.close_stopped(state, job, stopped_at);
            }
            return;
        }
        let stopped_at = row.stopped_at;
        state.end(job);
        // What came due meanwhile is not run.
        state.pass(job, stopped_at.unwrap_or(now), self.nominals[job]);
        if stopped_at.is_none() {
            state.open(job, self.nominals[job]);
        }
    }
}
