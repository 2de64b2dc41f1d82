//! One node: its engine, its lease, its clock, and whether it runs.

use std::sync::Arc;
use std::time::Duration;

use punctual_engine::{Engine, Input, Lease, LeaseStep, Ownership, Sent, Settings, lease_clock};
use punctual_model::time::{Clock, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::Tables;
use punctual_store::{Claim, Handover, NewNode, NodeId};

use super::{Cluster, Happening, Of};
use crate::clock::FakeClock;
use crate::dice::Dice;
use crate::maintenance::Maintenance;

const LEASE: Duration = Duration::from_secs(6);
const LEASE_TICKS: i64 = 6 * TICKS_PER_SECOND;

/// Between two heartbeats.
const BEAT_TICKS: i64 = TICKS_PER_SECOND;

/// A clock that is off by a constant.
struct SkewedClock {
    clock: Arc<FakeClock>,
    ticks: i64,
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        self.clock.now().saturating_add(self.ticks)
    }

    fn steady(&self) -> i64 {
        self.clock.steady()
    }

    fn uptime(&self) -> Option<i64> {
        self.clock.uptime()
    }
}

/// A node.
pub(super) struct Node {
    pub(super) engine: Engine,
    pub(super) clock: Arc<dyn Clock>,
    /// Which of its lives this is.
    pub(super) life: u64,
    /// The number under which it has joined.
    pub(super) id: Option<NodeId>,
    lease: Lease,
    maintenance: Maintenance,
    state: State,
    /// The reading of the steady clock at which it goes on.
    still_until: i64,
    next_beat: i64,
    /// Shards that it is about to give away.
    giving: Option<Vec<(u8, NodeId)>>,
    /// Whether it leaves, and has nothing left to give away, or nobody is there to take it.
    has_given_away: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Leaving,
    Ended,
}

impl Node {
    pub(super) fn new(place: i64, clock: &Arc<FakeClock>, dice: &mut Dice, settings: Settings) -> Self {
        let most = 3 * TICKS_PER_SECOND / 10;
        let ticks = if place == 0 { 0 } else { dice.number(-most, most) };
        let clock: Arc<dyn Clock> = Arc::new(SkewedClock { clock: Arc::clone(clock), ticks });
        Self {
            engine: Engine::new(Arc::clone(&clock), settings).with_ownership(Ownership::NOTHING),
            maintenance: Maintenance::new(clock.now(), clock.steady()),
            clock,
            life: 1,
            id: None,
            lease: Lease::new(LEASE),
            state: State::Running,
            still_until: 0,
            next_beat: 0,
            giving: None,
            has_given_away: false,
        }
    }

    pub(super) fn of(&self, place: usize) -> Of {
        Of { place, life: self.life }
    }

    pub(super) fn is_running(&self) -> bool {
        self.state != State::Ended
    }

    /// Whether it runs, and was not told to stop.
    pub(super) fn is_staying(&self) -> bool {
        self.state == State::Running
    }

    /// Until when it stands still, if it does.
    pub(super) fn still_until(&self, steady: i64) -> Option<i64> {
        (steady < self.still_until).then_some(self.still_until)
    }

    pub(super) fn stand_still(&mut self, ticks: i64) {
        self.still_until = self.still_until.max(self.clock.steady() + ticks);
    }

    pub(super) fn wake_up(&mut self) {
        self.still_until = 0;
    }

    pub(super) fn leave(&mut self) {
        if self.state == State::Running {
            self.state = State::Leaving;
            self.engine.hear(Input::Stop);
        }
    }

    pub(super) fn end(&mut self) {
        self.state = State::Ended;
        (self.id, self.giving) = (None, None);
    }

    /// Begins another life.
    pub(super) fn start(&mut self, settings: Settings) {
        self.life += 1;
        self.state = State::Running;
        self.engine = Engine::new(Arc::clone(&self.clock), settings).with_ownership(Ownership::NOTHING);
        self.lease = Lease::new(LEASE);
        self.maintenance = Maintenance::new(self.clock.now(), self.clock.steady());
        (self.next_beat, self.still_until, self.has_given_away) = (0, 0, false);
    }

    /// How long it is until the node wants to do something.
    pub(super) fn next_turn(&self, now: Timestamp) -> i64 {
        let steady = self.clock.steady();
        if let Some(until) = self.still_until(steady) {
            return until - steady;
        }
        let skew = self.clock.now().since(now);
        (self.engine.next_turn().since(now) - skew).min(self.next_beat - steady).max(0)
    }

    fn leads(&self, tables: &Tables) -> bool {
        self.id.is_some() && tables.cluster.owners[0] == self.id
    }
}

impl Cluster {
    /// The turn of a node: its heartbeat, if it is time for one, and its engine's.
    pub(super) fn turn(&mut self, place: usize) -> Result<(), String> {
        let steady = self.clock.steady();
        if !self.nodes[place].is_running() || self.nodes[place].still_until(steady).is_some() {
            return Ok(());
        }
        if steady >= self.nodes[place].next_beat {
            self.nodes[place].next_beat = steady + BEAT_TICKS;
            self.beat(place);
        }
        let of = self.nodes[place].of(place);
        let effects = self.nodes[place].engine.turn();
        self.nodes[place].engine.check_indexes()?;
        for effect in effects {
            match effect {
                punctual_engine::Effect::Start(flight, call) => {
                    self.note(|| {
                        format!(
                            "  node {place} starts {} {} for {}, resent {}",
                            flight.number, call.job_path, call.nominal, call.is_resent
                        )
                    });
                    self.check_start(of, flight, &call)?;
                    self.call(of, flight, &call)?;
                }
                punctual_engine::Effect::GaveUp(claims) => self.hand_over(place, claims),
                punctual_engine::Effect::Rechecked => {
                    self.nodes[place].maintenance.hear_rechecked(&mut self.tables);
                }
                punctual_engine::Effect::WentBack => self.nodes[place].maintenance.went_back = true,
                effect => {
                    let delay = self.delay();
                    self.after(delay, Happening::Act(of, effect));
                }
            }
        }
        self.maintain(place);
        if self.nodes[place].state == State::Leaving {
            self.end_leaving(place);
        }
        Ok(())
    }

    /// Periodic upkeep, by the one node that does it for all.
    fn maintain(&mut self, place: usize) {
        let node = &mut self.nodes[place];
        if !node.leads(&self.tables) {
            return;
        }
        let (now, steady) = (node.clock.now(), node.clock.steady());
        if let Some(input) = node.maintenance.step(&mut self.tables, now, steady) {
            node.engine.hear(input);
        }
    }

    /// A heartbeat, as the driver of the lease makes it. Its answer may be lost.
    fn beat(&mut self, place: usize) {
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let is_lost = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        if fails || self.nodes[place].giving.is_some() {
            return;
        }
        let now = self.clock.now();
        let node = &mut self.nodes[place];
        let is_leaving = node.state == State::Leaving;
        let id = match node.id {
            Some(id) => id,
            None if is_leaving => {
                node.has_given_away = true;
                return;
            }
            None => {
                let new = NewNode { name: format!("n{place}"), version: String::new(), url: String::new() };
                let id = self.tables.join(new, LEASE_TICKS, now);
                *node.id.insert(id)
            }
        };
        let (reading, wall) = (lease_clock(&*node.clock), node.clock.now().ticks());
        let report = node.lease.report(0, 0);
        let Some(view) = self.tables.renew(id, LEASE_TICKS, report, now) else {
            node.id = None;
            node.engine.hear(Input::Ownership(Ownership { node: id, ..Ownership::NOTHING }));
            self.note(|| format!("the lease of node {place} has run out"));
            return;
        };
        if is_lost {
            return;
        }
        let (ownership, step) = node.lease.hear_renewed(id, &view, Sent { reading, wall: (wall, wall) }, is_leaving);
        node.engine.hear(Input::Ownership(ownership));
        node.has_given_away = is_leaving && !matches!(step, LeaseStep::Drain | LeaseStep::Give(_));
        match step {
            LeaseStep::Drain => {
                self.tables.set_draining(id, true);
                self.nodes[place].next_beat = self.clock.steady();
            }
            LeaseStep::Give(shards) => {
                node.engine.hear(Input::GiveUp(shards.iter().map(|(shard, _)| *shard).collect()));
                node.giving = Some(shards);
            }
            LeaseStep::Take(shards) if !is_leaving => {
                let taken = self.tables.take_shards(id, shards, now);
                self.note(|| format!("node {place} as {} takes {taken:?}", id.0));
                // It hears of them with the next heartbeat.
                self.nodes[place].next_beat = self.clock.steady();
            }
            LeaseStep::EndClaims(shards) => {
                let ended = self.tables.end_claims(shards, now);
                self.note(|| format!("node {place} ends claims of {ended:?}"));
            }
            LeaseStep::Take(_) | LeaseStep::Rest => {}
        }
    }

    /// The engine starts nothing any more in the shards that are given away: they become others'. That may fail, with or without being
    /// done.
    fn hand_over(&mut self, place: usize, claims: Vec<Claim>) {
        let node = &mut self.nodes[place];
        let (Some(from), Some(shards)) = (node.id, node.giving.take()) else { return };
        let claimed_until = node.clock.now().saturating_add(35 * TICKS_PER_MINUTE);
        let fails = !self.is_calm && self.dice.once_in(self.temper.faults_once_in);
        let claimed = claims.len();
        if !fails || self.dice.once_in(2) {
            let handed = self.tables.hand_over(&Handover { from, shards, claims, claimed_until }, self.clock.now());
            self.note(|| format!("node {place} as {} gives shards away, {claimed} claims: {handed:?}", from.0));
        }
        self.nodes[place].next_beat = self.clock.steady();
    }

    /// A node that was told to stop ends when nothing is in flight and its shards are others', or nobody is there to take them.
    fn end_leaving(&mut self, place: usize) {
        let (node, now) = (&mut self.nodes[place], self.clock.now());
        if !node.engine.is_idle() || !node.has_given_away {
            return;
        }
        // A lease that has run out, and under which shards were held, has to be told by its watermark.
        if let Some(id) = node.id.filter(|id| node.engine.can_say_goodbye() && self.tables.cluster.is_alive(*id, now)) {
            self.tables.leave(id);
        }
        node.end();
        self.note(|| format!("node {place} has left"));
    }
}
