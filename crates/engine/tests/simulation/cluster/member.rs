//! The keeper of a node's lease: it asks the database for one thing after the other, as the real one does. Each of them takes its time,
//! may fail, and may be done although it seems to have failed.

use punctual_engine::{Input, LeaseStep, Ownership, Sent, lease_clock};
use punctual_model::time::{Clock, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use punctual_store::{Claim, ClusterView, Handover, NewNode, NodeId, Shards};

use super::{Cluster, Happening, Of};

pub(super) const LEASE_TICKS: i64 = 6 * TICKS_PER_SECOND;

/// Between two heartbeats.
const BEAT_TICKS: i64 = TICKS_PER_SECOND;

/// What is asked of the database.
#[derive(Debug)]
pub(super) enum Ask {
    Join,
    Renew(NodeId, Reading),
    Drain(NodeId),
    Take(NodeId, Shards),
    HandOver(Handover),
    EndClaims(Shards),
}

/// What the node's clocks showed when a heartbeat was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    lease_clock: i64,
    wall: i64,
}

/// What becomes of it.
#[derive(Debug)]
pub(super) enum Answer {
    Joined(NodeId),
    /// Who is there, if the lease held.
    Renewed(NodeId, Reading, Option<Box<ClusterView>>),
    /// The next heartbeat is sent at once, to see what has changed.
    GoOn,
    /// The next heartbeat is sent in its time.
    Rest,
}

impl Cluster {
    /// Sends a heartbeat, if it is time for one.
    pub(super) fn beat(&mut self, place: usize) {
        let steady = self.clock.steady();
        let node = &mut self.nodes[place];
        if steady < node.next_beat || node.is_asking || node.giving.is_some() {
            return;
        }
        node.next_beat = steady + BEAT_TICKS;
        let ask = match node.id {
            Some(id) => {
                Ask::Renew(id, Reading { lease_clock: lease_clock(&*node.clock), wall: node.clock.now().ticks() })
            }
            None if node.is_leaving() => {
                node.has_given_away = true;
                return;
            }
            None => Ask::Join,
        };
        self.ask_database(place, ask);
    }

    fn ask_database(&mut self, place: usize, ask: Ask) {
        self.nodes[place].is_asking = true;
        let (of, delay) = (self.nodes[place].of(place), self.delay());
        self.after(delay, Happening::Ask(of, ask));
    }

    /// The database does what was asked for, or does not; and its answer comes back, or does not.
    pub(super) fn answer(&mut self, of: Of, ask: Ask) {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let is_done = !fails || self.dice.once_in(2);
        let answer = if is_done { self.carry_out(of.place, ask) } else { Answer::Rest };
        let delay = self.delay();
        self.after(delay, Happening::Tell(of, if fails { Answer::Rest } else { answer }));
    }

    fn carry_out(&mut self, place: usize, ask: Ask) -> Answer {
        let now = self.clock.now();
        match ask {
            Ask::Join => {
                let new = NewNode { name: format!("n{place}"), version: String::new(), url: String::new() };
                Answer::Joined(self.tables.join(new, LEASE_TICKS, now))
            }
            Ask::Renew(id, sent) => {
                let report = self.nodes[place].lease.report(0, 0);
                Answer::Renewed(id, sent, self.tables.renew(id, LEASE_TICKS, report, now).map(Box::new))
            }
            Ask::Drain(id) => {
                self.tables.set_draining(id, true);
                Answer::GoOn
            }
            Ask::Take(id, shards) => {
                let taken = self.tables.take_shards(id, shards, now);
                self.note(|| format!("node {place} as {} takes {taken:?}", id.0));
                Answer::GoOn
            }
            Ask::HandOver(handover) => {
                let handed = self.tables.hand_over(&handover, now);
                self.note(|| {
                    let (from, claims) = (handover.from.0, handover.claims.len());
                    format!("node {place} as {from} gives shards away, {claims} claims: {handed:?}")
                });
                Answer::GoOn
            }
            Ask::EndClaims(shards) => {
                let ended = self.tables.end_claims(shards, now);
                self.note(|| format!("node {place} ends claims of {ended:?}"));
                Answer::Rest
            }
        }
    }

    /// A node hears what became of what it asked for, unless it is gone. One that stands still hears of it later.
    pub(super) fn tell(&mut self, of: Of, answer: Answer) {
        let node = &mut self.nodes[of.place];
        if node.life != of.life || !node.is_running() {
            return;
        }
        if let Some(until) = node.still_until(self.clock.steady()) {
            self.after(until - self.clock.steady(), Happening::Tell(of, answer));
            return;
        }
        node.is_asking = false;
        match answer {
            Answer::Joined(id) => (node.id, node.next_beat) = (Some(id), 0),
            Answer::GoOn => node.next_beat = 0,
            Answer::Rest => {}
            // Nobody waits for an answer for longer than the lease lasts.
            Answer::Renewed(_, sent, _) if lease_clock(&*node.clock) - sent.lease_clock >= LEASE_TICKS => {}
            Answer::Renewed(id, _, None) => {
                (node.id, node.next_beat) = (None, 0);
                node.engine.hear(Input::Ownership(Ownership { node: id, ..Ownership::NOTHING }));
                self.note(|| format!("the lease of node {} has run out", of.place));
            }
            Answer::Renewed(id, sent, Some(view)) => self.hear_renewed(of.place, id, sent, &view),
        }
    }

    fn hear_renewed(&mut self, place: usize, id: NodeId, sent: Reading, view: &ClusterView) {
        let node = &mut self.nodes[place];
        let is_leaving = node.is_leaving();
        let sent = Sent { reading: sent.lease_clock, wall: (sent.wall, node.clock.now().ticks()) };
        let (ownership, step) = node.lease.hear_renewed(id, view, sent, is_leaving);
        node.engine.hear(Input::Ownership(ownership));
        node.has_given_away = is_leaving && !matches!(step, LeaseStep::Drain | LeaseStep::Give(_));
        match step {
            LeaseStep::Drain => self.ask_database(place, Ask::Drain(id)),
            LeaseStep::Give(shards) => {
                node.engine.hear(Input::GiveUp(shards.iter().map(|(shard, _)| *shard).collect()));
                node.giving = Some(shards);
            }
            LeaseStep::Take(shards) if !is_leaving => self.ask_database(place, Ask::Take(id, shards)),
            LeaseStep::EndClaims(shards) => self.ask_database(place, Ask::EndClaims(shards)),
            LeaseStep::Take(_) | LeaseStep::Rest => {}
        }
    }

    /// The engine starts nothing any more in the shards that are given away: they become others'.
    pub(super) fn hand_over(&mut self, place: usize, claims: Vec<Claim>) {
        let node = &mut self.nodes[place];
        let (Some(from), Some(shards)) = (node.id, node.giving.take()) else { return };
        let claimed_until = node.clock.now().saturating_add(35 * TICKS_PER_MINUTE);
        self.ask_database(place, Ask::HandOver(Handover { from, shards, claims, claimed_until }));
    }
}
