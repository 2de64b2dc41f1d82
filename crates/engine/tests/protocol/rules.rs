//! The rules of the protocol. Each can be left out, to see what it is for.

use punctual_model::settle::Verdict;
use punctual_store::{NodeId, WorkId};

use crate::state::{ATTEMPTS, CLOCKS_APART, History, NODES, NOMINALS, Node, PerNode, PerRow, ROWS, Row, Sends, State};

/// A rule that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A node starts and closes nothing once its lease has run out by its own clock.
    StartsWithinLease,
    /// A node starts nothing that wakes after its durable watermark.
    StartsUpToWatermark,
    /// A heartbeat is refused if the lease has run out by the store's clock; the node joins again and owns nothing.
    RefusesLateHeartbeat,
    /// A node takes nothing over once its lease has run out.
    TakesOverWithinLease,
    /// A takeover marks what wakes up to the watermark of the node before, in the transaction that changes the owner.
    MarksAtTakeover,
    /// A takeover leaves that watermark as it is, for the other shards of that node.
    KeepsWatermark,
    /// A clean end takes the watermark back only when nothing is in flight.
    LeavesIdle,
    /// A clean end takes the watermark back only when the process has taken over whatever its name owns.
    LeavesComplete,
    /// A handover claims what is in flight for the node that makes it.
    ClaimsAtHandover,
    /// What is left of a claim that is over is sent with the mark.
    MarksAfterClaim,
    /// A claim is over when its node is gone or its time is, whichever comes first.
    EndsClaims,
    /// A settlement applies only if the row still is at its attempt.
    Compares,
    /// A node that does not know the outcome of a batch asks whether it landed.
    AsksWhetherLanded,
    /// What is marked is sent again also if the job was disabled since: it may have run, so "not run" would be untrue.
    ResendsWhatIsStopped,
    /// A node closes what will not run only if nothing has happened to the row since it was read: no mark, no claim, no
    /// edit.
    ClosesWhatItRead,
    /// Whoever disables a job leaves open what may have begun by another clock, or by the time of the commit.
    DisableLeavesBegun,
    /// Whoever enables a job leaves open what may have begun when it was disabled.
    EnableLeavesBegun,
}

/// The protocol, within bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    /// The rule that is left out.
    pub(crate) without: Option<Rule>,
    /// How many occurrences each job has.
    pub(crate) nominals: PerRow<u8>,
    pub(crate) retries: u8,
    /// How long a lease holds.
    pub(crate) lease: u8,
    /// How far ahead the watermark is.
    pub(crate) ahead: u8,
    /// The last instant.
    pub(crate) last_instant: u8,
    /// How many times a process ends, in all: it dies, or it stops cleanly.
    pub(crate) process_ends: u8,
    /// How many times a job is disabled or enabled, in all.
    pub(crate) edits: u8,
}

/// One step of a node, of an editor or of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Tick,
    Heartbeat(NodeId),
    Join(NodeId),
    Crash(NodeId),
    Leave(NodeId),
    TakeOver(NodeId, WorkId),
    HandOver(NodeId, WorkId),
    Decide(NodeId, WorkId),
    Send(NodeId, WorkId),
    Settle(NodeId, WorkId, Verdict, BatchOutcome),
    AskLanded(NodeId, WorkId),
    Close(NodeId, WorkId),
    Disable { job: WorkId, behind: u8 },
    Enable { job: WorkId, behind: u8 },
}

/// The verdict on an attempt that failed.
pub(crate) const FAILED: Verdict = Verdict::Failed { retry_after_ticks: None };

/// What a node hears of a batch that landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchOutcome {
    Written,
    Unknown,
}

impl Protocol {
    pub(crate) fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The jobs that have occurrences.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = WorkId> {
        let nominals = self.nominals;
        ROWS.into_iter().filter(move |job| nominals[*job] > 0)
    }

    /// Both nodes are there, and the first one owns everything.
    pub(crate) fn start(&self) -> State {
        assert!(self.nominals.0.iter().all(|number| usize::from(*number) <= NOMINALS));
        assert!(usize::from(self.retries) < ATTEMPTS);
        let row = |is_open| Row {
            nominal: 0,
            is_open,
            attempt: 0,
            wake_at: u8::from(is_open),
            is_marked: false,
            claim: None,
            owner: NODES[0],
            stopped_at: None,
        };
        let node = |owns| Node {
            lease_until: self.lease,
            watermark: 0,
            is_joined: true,
            owns: PerRow([owns; ROWS.len()]),
            flights: PerRow([None; ROWS.len()]),
        };
        let nothing = History { ended: [0; NOMINALS], sends: [[Sends::default(); ATTEMPTS]; NOMINALS] };
        State {
            now: 0,
            process_ends_left: self.process_ends,
            edits_left: self.edits,
            rows: PerRow(self.nominals.0.map(|number| row(number > 0))),
            nodes: PerNode([node(true), node(false)]),
            history: PerRow([nothing; ROWS.len()]),
            untruth: None,
        }
    }

    pub(crate) fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        steps.push(Step::Tick);
        for node in NODES {
            steps.extend([Step::Heartbeat(node), Step::Join(node), Step::Crash(node), Step::Leave(node)]);
            for job in self.jobs() {
                steps.extend([Step::TakeOver(node, job), Step::HandOver(node, job)]);
                if state.nodes[node].flights[job].is_none() {
                    steps.push(Step::Decide(node, job));
                    continue;
                }
                steps.extend([Step::Send(node, job), Step::AskLanded(node, job), Step::Close(node, job)]);
                for verdict in [Verdict::Succeeded, FAILED] {
                    let settle = |outcome| Step::Settle(node, job, verdict, outcome);
                    steps.extend([settle(BatchOutcome::Written), settle(BatchOutcome::Unknown)]);
                }
            }
        }
        for job in self.jobs().filter(|_| state.edits_left > 0) {
            for behind in 0..=CLOCKS_APART {
                steps.extend([Step::Disable { job, behind }, Step::Enable { job, behind }]);
            }
        }
    }

    /// What a step leads to, if it can be made.
    pub(crate) fn next(&self, state: &State, step: Step) -> Option<State> {
        let mut next = *state;
        self.take(&mut next, step)?;
        next.forget(self);
        Some(self.representative(next)).filter(|next| next != state)
    }

    /// Takes a step. If it cannot be taken, what becomes of the state means nothing.
    pub(crate) fn take(&self, state: &mut State, step: Step) -> Option<()> {
        match step {
            Step::Tick => {
                state.now += 1;
                (state.now <= self.last_instant).then_some(())
            }
            Step::Heartbeat(node) => self.heartbeat(state, node),
            Step::Join(node) => self.join(state, node),
            Step::Crash(node) => Self::crash(state, node),
            Step::Leave(node) => self.leave(state, node),
            Step::TakeOver(node, job) => self.take_over(state, node, job),
            Step::HandOver(node, job) => self.hand_over(state, node, job),
            Step::Decide(node, job) => self.decide(state, node, job),
            Step::Send(node, job) => Self::send(state, node, job),
            Step::Settle(node, job, verdict, outcome) => self.settle(state, node, job, verdict, outcome),
            Step::AskLanded(node, job) => self.ask_landed(state, node, job),
            Step::Close(node, job) => self.close(state, node, job),
            Step::Disable { job, behind } => self.disable(state, job, behind),
            Step::Enable { job, behind } => self.enable(state, job, behind),
        }
    }

    /// Nodes differ by name only, and so do jobs with the same number of occurrences: one of the states that are alike
    /// stands for all of them.
    fn representative(&self, state: State) -> State {
        if self.without.is_some() {
            // Who reads how a promise breaks wants to know who did what.
            return state;
        }
        let swapped = state.with_nodes_swapped();
        let least = state.min(swapped);
        if self.nominals.0[0] != self.nominals.0[1] {
            return least;
        }
        least.min(state.with_jobs_swapped()).min(swapped.with_jobs_swapped())
    }
}
