//! How a job is disabled and enabled, and what is recorded as not run.
//!
//! Nothing is written when an attempt starts, so an editor cannot see whether one is in flight. What may have
//! begun stays open; whoever owns it settles it, or sees that the job is disabled and closes it.

use punctual_store::{NodeId, WorkId};

use crate::rules::{Protocol, Rule};
use crate::state::{CLOCKS_APART, Stage, State, Untruth, due};

impl Protocol {
    /// Disables a job, by a clock that is so far behind.
    pub(crate) fn disable(&self, state: &mut State, job: WorkId, behind: u8) -> Option<()> {
        let now = state.now.checked_sub(behind)?;
        if state.rows[job].stopped_at.is_some() || state.rows[job].nominal == self.nominals[job] {
            return None;
        }
        state.edits_left = state.edits_left.checked_sub(1)?;
        state.rows[job].stopped_at = Some(now);
        if state.rows[job].wake_at > begun_until(now, self.keeps(Rule::DisableLeavesBegun)) {
            self.close_stopped(state, job, now);
        }
        Some(())
    }

    /// Enables a job: it goes on after now, and what it has passed is not run.
    pub(crate) fn enable(&self, state: &mut State, job: WorkId, behind: u8) -> Option<()> {
        let now = state.now.checked_sub(behind)?;
        let stopped_at = state.rows[job].stopped_at.take()?;
        state.edits_left = state.edits_left.checked_sub(1)?;
        if state.rows[job].wake_at > begun_until(stopped_at, self.keeps(Rule::EnableLeavesBegun)) {
            self.close_stopped(state, job, stopped_at);
        }
        if !state.rows[job].is_open {
            state.pass(job, now, self.nominals[job]);
            state.open(job, self.nominals[job]);
        }
        Some(())
    }

    /// A node commits that an attempt of a disabled job will not be made.
    pub(crate) fn close(&self, state: &mut State, at: NodeId, job: WorkId) -> Option<()> {
        let flight = state.nodes[at].flights[job].take()?;
        let Stage::Closing { stopped_at, is_marked } = flight.stage else { return None };
        let row = state.rows[job];
        let is_as_read = is_marked == (row.is_marked || row.claim.is_some()) && row.stopped_at == Some(stopped_at);
        if state.is_there(job, flight) && (is_as_read || !self.keeps(Rule::ClosesWhatItRead)) {
            self.close_stopped(state, job, stopped_at);
        }
        Some(())
    }

    /// Closes what is open, and records it as not run if it was due by then.
    pub(crate) fn close_stopped(&self, state: &mut State, job: WorkId, stopped_at: u8) {
        let row = state.rows[job];
        if !row.is_open {
            return;
        }
        let is_to_come = row.attempt == 0 && due(row.nominal) > stopped_at;
        if is_to_come {
            state.rows[job].is_open = false;
        } else {
            let was_sent = state.sends(job, row.nominal, row.attempt).all > 0;
            state.untruth = state.untruth.or(was_sent.then_some(Untruth::NotRun));
            state.end(job);
            state.pass(job, stopped_at, self.nominals[job]);
        }
    }
}

/// Up to where an attempt may have begun by the clock of another node.
fn begun_until(now: u8, is_careful: bool) -> u8 {
    if is_careful { now + CLOCKS_APART } else { now }
}

impl State {
    /// Records how the open occurrence ended.
    pub(crate) fn end(&mut self, job: WorkId) {
        let row = &mut self.rows[job];
        let ended = &mut self.history[job].ended[usize::from(row.nominal)];
        *ended = (*ended + 1).min(2);
        row.is_open = false;
        row.nominal += 1;
    }

    /// Records what came due up to then, and is not accounted for, as not run.
    pub(crate) fn pass(&mut self, job: WorkId, until: u8, nominals: u8) {
        while self.rows[job].nominal < nominals && due(self.rows[job].nominal) <= until {
            let nominal = self.rows[job].nominal;
            let was_sent = self.history[job].sends[usize::from(nominal)].iter().any(|sends| sends.all > 0);
            self.untruth = self.untruth.or(was_sent.then_some(Untruth::NotRun));
            self.end(job);
        }
    }

    /// Opens the next occurrence, if there is one.
    pub(crate) fn open(&mut self, job: WorkId, nominals: u8) {
        let row = &mut self.rows[job];
        if row.nominal < nominals {
            (row.is_open, row.attempt, row.wake_at) = (true, 0, due(row.nominal));
        }
    }
}
