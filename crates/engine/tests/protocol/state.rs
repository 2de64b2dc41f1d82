//! What the store, the nodes and the targets know.

use std::ops::{Index, IndexMut};

use punctual_store::{NodeId, WorkId};

use crate::rules::Protocol;

pub(crate) const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];
/// The rows of work: one for the schedule of each job.
pub(crate) const ROWS: [WorkId; 2] = [WorkId(0), WorkId(1)];
/// How many occurrences a job has at most. The one of index 0 is due at the instant 1, the next one at 2.
pub(crate) const NOMINALS: usize = 2;
/// How many attempts an occurrence has at most.
pub(crate) const ATTEMPTS: usize = 2;

/// How far the clock of whoever edits may be behind that of whoever starts.
pub(crate) const CLOCKS_APART: u8 = 1;
/// For how long a handover leaves an attempt in flight to the node that makes it.
pub(crate) const CLAIM: u8 = 1;

/// One of each for every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PerNode<T>(pub(crate) [T; NODES.len()]);

impl<T> Index<NodeId> for PerNode<T> {
    type Output = T;

    fn index(&self, node: NodeId) -> &T {
        &self.0[node.0 as usize]
    }
}

impl<T> IndexMut<NodeId> for PerNode<T> {
    fn index_mut(&mut self, node: NodeId) -> &mut T {
        &mut self.0[node.0 as usize]
    }
}

/// One of each for every row of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PerRow<T>(pub(crate) [T; ROWS.len()]);

impl<T> Index<WorkId> for PerRow<T> {
    type Output = T;

    fn index(&self, row: WorkId) -> &T {
        &self.0[usize::from(row == ROWS[1])]
    }
}

impl<T> IndexMut<WorkId> for PerRow<T> {
    fn index_mut(&mut self, row: WorkId) -> &mut T {
        &mut self.0[usize::from(row == ROWS[1])]
    }
}

/// The other of the two nodes.
pub(crate) fn other(node: NodeId) -> NodeId {
    NODES[usize::from(node == NODES[0])]
}

/// Everything at one moment. It is small and is copied for every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct State {
    pub(crate) now: u8,
    pub(crate) process_ends_left: u8,
    pub(crate) edits_left: u8,
    pub(crate) rows: PerRow<Row>,
    pub(crate) nodes: PerNode<Node>,
    pub(crate) history: PerRow<History>,
    /// Something untrue was recorded.
    pub(crate) untruth: Option<Untruth>,
}

/// A row of work, with what is known of its job. Each row is a shard of its own here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row {
    /// The occurrence that is open; if none is, the next one that is not accounted for.
    pub(crate) nominal: u8,
    pub(crate) is_open: bool,
    pub(crate) attempt: u8,
    pub(crate) wake_at: u8,
    /// Whether `resends` is over 0: the attempt may have been sent before.
    pub(crate) is_marked: bool,
    pub(crate) claim: Option<Claim>,
    /// The node that owns the shard.
    pub(crate) owner: NodeId,
    /// Since when the job is disabled, if it is, by the clock of whoever did it.
    pub(crate) stopped_at: Option<u8>,
}

/// `claimed_by` and `claimed_until`: a handover left the attempt in flight to the node that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Claim {
    pub(crate) by: NodeId,
    pub(crate) until: u8,
}

/// What the store knows of a node, and the process behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node {
    /// Durable. By its own clock a node never holds its lease for longer than this: it counts from before it asked.
    pub(crate) lease_until: u8,
    /// Durable.
    pub(crate) watermark: u8,
    /// In memory, as is all that follows: whether the process is there, under the name that the row has.
    pub(crate) is_joined: bool,
    /// The shards that it believes to own.
    pub(crate) owns: PerRow<bool>,
    pub(crate) flights: PerRow<Option<Flight>>,
}

/// An attempt that a node makes, or has decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Flight {
    pub(crate) nominal: u8,
    pub(crate) attempt: u8,
    pub(crate) stage: Stage,
}

/// How far a node has come with an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Stage {
    /// It will be sent, with the mark or without.
    Decided { is_marked: bool },
    /// It was sent, and is answered or not.
    Sent,
    /// The batch with its settlement landed; the node does not know yet.
    Landed,
    /// It will not be sent but closed, because the job is disabled since then; this is how its row was read.
    Closing { stopped_at: u8, is_marked: bool },
}

/// What is known of a job for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct History {
    /// For each occurrence, how many records say how it ended: run, or not run.
    pub(crate) ended: [u8; NOMINALS],
    /// For each attempt, what its target has seen. Counts no further than 2.
    pub(crate) sends: [[Sends; ATTEMPTS]; NOMINALS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Sends {
    pub(crate) all: u8,
    pub(crate) unmarked: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Untruth {
    /// An attempt was sent, and the record says that it was not.
    NotRun,
    /// A record says that an attempt was delivered twice, and it was not.
    Duplicate,
}

/// When an occurrence is due.
pub(crate) const fn due(nominal: u8) -> u8 {
    nominal + 1
}

impl State {
    pub(crate) fn has_lease(&self, node: NodeId) -> bool {
        self.nodes[node].lease_until >= self.now
    }

    /// Whether the attempt of a flight is the one that the row is at.
    pub(crate) fn is_there(&self, job: WorkId, flight: Flight) -> bool {
        let row = &self.rows[job];
        row.is_open && (row.nominal, row.attempt) == (flight.nominal, flight.attempt)
    }

    /// What the target of an attempt has seen of it.
    pub(crate) fn sends(&mut self, job: WorkId, nominal: u8, attempt: u8) -> &mut Sends {
        &mut self.history[job].sends[usize::from(nominal)][usize::from(attempt)]
    }

    /// Forgets what nobody can see any more, so that states that are alike are the same.
    pub(crate) fn forget(&mut self, protocol: &Protocol) {
        let wakes = protocol.jobs().map(|job| {
            let row = &self.rows[job];
            if row.is_open { row.wake_at } else { due(row.nominal) }
        });
        let first_wake = wakes.min().unwrap_or(0);
        for node in &mut self.nodes.0 {
            if node.watermark < first_wake {
                node.watermark = 0;
            }
            if node.lease_until < self.now {
                node.lease_until = 0;
            }
            node.watermark = node.watermark.min(protocol.last_instant);
        }
        for job in ROWS {
            let row = &mut self.rows[job];
            if !row.is_open {
                (row.attempt, row.wake_at, row.is_marked, row.claim) = (0, 0, false, None);
            }
            if let Some(claim) = row.claim.as_mut().filter(|claim| claim.until < self.now) {
                claim.until = 0;
            }
            self.forget_sends(job);
        }
    }

    /// Forgets the sends of attempts that the row has left and no node has in its hands: nobody will send them again.
    fn forget_sends(&mut self, job: WorkId) {
        let row = self.rows[job];
        let flights = self.nodes.0.map(|node| node.flights[job]);
        for nominal in 0..row.nominal + u8::from(row.is_open) {
            let attempts = if nominal < row.nominal { ATTEMPTS } else { usize::from(row.attempt) };
            for (attempt, sends) in self.history[job].sends[usize::from(nominal)][..attempts].iter_mut().enumerate() {
                let is_this = |flight: &Flight| (flight.nominal, usize::from(flight.attempt)) == (nominal, attempt);
                if !flights.iter().flatten().any(is_this) {
                    *sends = Sends::default();
                }
            }
        }
    }

    /// The same with the names of the nodes swapped.
    pub(crate) fn with_nodes_swapped(mut self) -> Self {
        self.nodes.0.swap(0, 1);
        for row in &mut self.rows.0 {
            row.owner = other(row.owner);
            if let Some(claim) = &mut row.claim {
                claim.by = other(claim.by);
            }
        }
        self
    }

    /// The same with the names of the jobs swapped.
    pub(crate) fn with_jobs_swapped(mut self) -> Self {
        self.rows.0.swap(0, 1);
        self.history.0.swap(0, 1);
        for node in &mut self.nodes.0 {
            node.owns.0.swap(0, 1);
            node.flights.0.swap(0, 1);
        }
        self
    }
}
