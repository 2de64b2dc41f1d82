//! How much may be on the wire at once: in all, for a collection, for a host.
//!
//! A host that hangs holds what it has until the time-outs. So each host has a limit that falls when it does not answer and
//! rises when it does; and hosts that have not shown that they answer quickly share three quarters of the places, whatever
//! their number. The last quarter is for those that have, and for a first attempt at each of the others.

use std::collections::HashMap;
use std::sync::Arc;

use punctual_actions::Strain;
use punctual_model::lane::{Host, Lane};
use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::CollectionId;

/// A host that always failed still gets so many at once.
const HOST_MIN: u32 = 2;

/// An attempt that takes longer than this is slow.
pub(crate) const SLOW_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// Wire that are remembered while nothing of theirs is on the wire.
const IDLE_HOSTS_MAX: usize = 10_000;

/// How much may be on the wire at once.
#[derive(Clone, Copy, Debug)]
pub struct WireLimits {
    /// In all.
    pub server: u32,
    /// For each collection.
    pub collection: u32,
    /// For each host, at most.
    pub host: u32,
}

/// What is on the wire, and who waits for a place.
pub(crate) struct Wire {
    limits: WireLimits,
    in_flight: u32,
    /// Those of them that belong to hosts which have not shown that they answer.
    doubtful: u32,
    waiting: Vec<Lane>,
    hosts: HashMap<Arc<Host>, HostState>,
    collections: HashMap<CollectionId, CollectionPlaces>,
}

struct HostState {
    limit: u32,
    in_flight: u32,
    /// Its last answer came quickly.
    answers: bool,
    waiting: Vec<Lane>,
}

#[derive(Default)]
struct CollectionPlaces {
    in_flight: u32,
    waiting: Vec<Lane>,
}

impl Wire {
    pub(crate) fn new(limits: WireLimits) -> Self {
        let (hosts, collections) = (HashMap::new(), HashMap::new());
        Self { limits, in_flight: 0, doubtful: 0, waiting: Vec::new(), hosts, collections }
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Takes a place for an attempt, or has the lane wait for one.
    pub(crate) fn take(&mut self, lane: Lane, collection: CollectionId, host: &Arc<Host>) -> bool {
        if self.in_flight >= self.limits.server {
            self.waiting.push(lane);
            return false;
        }
        let places = self.collections.entry(collection).or_default();
        if places.in_flight >= self.limits.collection {
            places.waiting.push(lane);
            return false;
        }
        let limit = self.limits.host;
        let state = self.hosts.entry(Arc::clone(host)).or_insert_with(|| HostState::new(limit));
        if state.in_flight >= state.limit {
            state.waiting.push(lane);
            return false;
        }
        let doubtful_max = self.limits.server / 4 * 3;
        if !state.answers && state.in_flight > 0 && self.doubtful >= doubtful_max {
            self.waiting.push(lane);
            return false;
        }
        self.doubtful += u32::from(!state.answers);
        state.in_flight += 1;
        places.in_flight += 1;
        self.in_flight += 1;
        true
    }

    /// Gives a place back. Says which lanes may try again.
    pub(crate) fn give_back(
        &mut self,
        collection: CollectionId,
        host: &Arc<Host>,
        strain: Strain,
        is_slow: bool,
    ) -> Vec<Lane> {
        let mut freed = std::mem::take(&mut self.waiting);
        self.in_flight -= 1;
        if let Some(places) = self.collections.get_mut(&collection) {
            places.in_flight -= 1;
            freed.append(&mut places.waiting);
            if places.in_flight == 0 {
                self.collections.remove(&collection);
            }
        }
        let hosts = self.hosts.len();
        if let Some(state) = self.hosts.get_mut(host) {
            state.in_flight -= 1;
            let did_answer = state.answers;
            state.learn(strain, is_slow, self.limits.host);
            // What it has on the wire counts as it does now.
            match (did_answer, state.answers) {
                (false, true) => self.doubtful -= state.in_flight + 1,
                (true, false) => self.doubtful += state.in_flight,
                (false, false) => self.doubtful -= 1,
                (true, true) => {}
            }
            freed.append(&mut state.waiting);
            if state.in_flight == 0 && hosts > IDLE_HOSTS_MAX {
                self.hosts.remove(host);
            }
        }
        freed
    }

    /// Gives back a place that was not used.
    pub(crate) fn put_back(&mut self, collection: CollectionId, host: &Arc<Host>) {
        self.in_flight -= 1;
        if let Some(places) = self.collections.get_mut(&collection) {
            places.in_flight -= 1;
        }
        if let Some(state) = self.hosts.get_mut(host) {
            state.in_flight -= 1;
            self.doubtful -= u32::from(!state.answers);
        }
    }

    /// An attempt has become slow: whoever is like that answers no more, until it does.
    pub(crate) fn is_slow(&mut self, host: &Arc<Host>) {
        if let Some(state) = self.hosts.get_mut(host).filter(|state| state.answers) {
            state.answers = false;
            self.doubtful += state.in_flight;
        }
    }
}

impl HostState {
    const fn new(limit: u32) -> Self {
        Self { limit, in_flight: 0, answers: false, waiting: Vec::new() }
    }

    fn learn(&mut self, strain: Strain, is_slow: bool, limit_max: u32) {
        self.answers = strain == Strain::None && !is_slow;
        self.limit = match strain {
            Strain::None => (self.limit + 1).min(limit_max),
            Strain::Unreachable | Strain::AskedToWait => (self.limit / 2).max(HOST_MIN),
        };
    }
}
