//! One node: its engine, its lease, its clock, and whether it runs.

use std::sync::Arc;
use std::time::Duration;

use punctual_engine::{Engine, Input, Lease, Ownership, Settings};
use punctual_model::time::{Clock, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::Tables;
use punctual_store::{Changed, NodeId};

use super::{Cluster, Happening, Of};
use crate::clock::FakeClock;
use crate::dice::Dice;
use crate::maintenance::Maintenance;

const LEASE: Duration = Duration::from_secs(6);

/// How often a node looks for what was written through others, at most.
const FOLLOW_TICKS: i64 = 3 * TICKS_PER_SECOND / 10;

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
    pub(super) lease: Lease,
    maintenance: Maintenance,
    state: State,
    /// The reading of the steady clock at which it goes on.
    still_until: i64,
    pub(super) next_beat: i64,
    /// Whether it waits for the database to answer the keeper of its lease.
    pub(super) is_asking: bool,
    /// Shards that it is about to give away.
    pub(super) giving: Option<Vec<(u8, NodeId)>>,
    /// What was written since it last looked for it.
    pub(super) unheard: Changed,
    /// The reading of the steady clock at which it looks again; none while it does.
    next_follow: Option<i64>,
    /// Whether it leaves, and has nothing left to give away, or nobody is there to take it.
    pub(super) has_given_away: bool,
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
            is_asking: false,
            giving: None,
            unheard: Changed::default(),
            next_follow: Some(0),
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

    pub(super) fn leave(&mut self) {
        if self.state == State::Running {
            self.state = State::Leaving;
            self.engine.hear(Input::Stop);
        }
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.state == State::Leaving
    }

    /// Has it look for what was written a while after the answer to its last look is there.
    pub(super) fn follow_after(&mut self, ticks: i64) {
        self.next_follow = Some(self.clock.steady() + ticks + FOLLOW_TICKS);
    }

    pub(super) fn end(&mut self) {
        self.state = State::Ended;
        (self.id, self.giving, self.is_asking) = (None, None, false);
    }

    /// Begins another life.
    pub(super) fn start(&mut self, settings: Settings) {
        self.life += 1;
        self.state = State::Running;
        self.engine = Engine::new(Arc::clone(&self.clock), settings).with_ownership(Ownership::NOTHING);
        self.lease = Lease::new(LEASE);
        self.maintenance = Maintenance::new(self.clock.now(), self.clock.steady());
        (self.next_beat, self.still_until, self.has_given_away) = (0, 0, false);
        (self.unheard, self.next_follow) = (Changed::default(), Some(0));
    }

    /// How long it is until the node wants to do something.
    pub(super) fn next_turn(&self, now: Timestamp) -> i64 {
        let steady = self.clock.steady();
        if let Some(until) = self.still_until(steady) {
            return until - steady;
        }
        let skew = self.clock.now().since(now);
        let next_beat = if self.is_asking || self.giving.is_some() { i64::MAX } else { self.next_beat - steady };
        let next_follow = self.next_follow.map_or(i64::MAX, |at| at - steady);
        (self.engine.next_turn().since(now) - skew).min(next_beat).min(next_follow).max(0)
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
        self.beat(place);
        let of = self.nodes[place].of(place);
        if self.nodes[place].next_follow.take_if(|at| steady >= *at).is_some() {
            let delay = self.delay();
            self.after(delay, Happening::Follow(of, steady));
        }
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

    /// A node that was told to stop ends when nothing is in flight and its shards are others', or nobody is there to take them.
    fn end_leaving(&mut self, place: usize) {
        let node = &mut self.nodes[place];
        if !node.engine.is_idle() || !node.has_given_away || node.is_asking {
            return;
        }
        if let Some(id) = node.id.filter(|_| node.engine.can_say_goodbye()) {
            self.tables.leave(id);
        }
        node.end();
        self.note(|| format!("node {place} has left"));
    }
}
