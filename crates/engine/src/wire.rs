//! How much may be on the wire at once: in all, for a collection, for a host.
//!
//! A host that hangs holds what it has until the time-outs. So each host has a limit that falls when it does not answer and
//! rises when it does; and attempts at hosts that have not shown that they answer quickly share three quarters of the places
//! of the server and of each collection, whatever their number. An eighth is for first attempts at such hosts, so that one
//! that answers can show it, and the last eighth is for those that have shown it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use punctual_actions::HostTrouble;
use punctual_model::lane::{Host, Lane};
use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::CollectionId;

/// A host that always failed still gets so many at once.
const HOST_MIN: u32 = 2;

/// An attempt that takes longer than this is slow.
pub(crate) const SLOW_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// Wire that are remembered while nothing of theirs is on the wire.
const IDLE_HOSTS_MAX: usize = 10_000;

/// Lanes that may try again when a place is free.
const TRIES: usize = 16;

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
    server: Places,
    collections: HashMap<CollectionId, Places>,
    hosts: HashMap<Arc<Host>, HostState>,
}

/// The places of the server or of a collection.
#[derive(Default)]
struct Places {
    in_flight: u32,
    /// Those of them that are at hosts which have not shown that they answer.
    doubtful: u32,
    waiting: VecDeque<Lane>,
}

struct HostState {
    limit: u32,
    in_flight: u32,
    /// Its last answer came quickly.
    answers: bool,
    waiting: VecDeque<Lane>,
}

/// A place on the wire. It is given back.
#[derive(Debug)]
pub(crate) struct Place {
    collection: CollectionId,
    host: Arc<Host>,
    is_doubtful: bool,
}

impl Wire {
    pub(crate) fn new(limits: WireLimits) -> Self {
        Self { limits, server: Places::default(), collections: HashMap::new(), hosts: HashMap::new() }
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.server.in_flight
    }

    /// Takes a place for an attempt, or has the lane wait for one.
    pub(crate) fn take(&mut self, lane: Lane, collection: CollectionId, host: &Arc<Host>) -> Option<Place> {
        let WireLimits { server: server_max, collection: collection_max, host: host_max } = self.limits;
        let state = self.hosts.entry(Arc::clone(host)).or_insert_with(|| HostState::new(host_max));
        let places = self.collections.entry(collection).or_default();
        let is_first = state.in_flight == 0;
        let waiting = if !self.server.has_room(server_max, state.answers, is_first) {
            Some(&mut self.server.waiting)
        } else if !places.has_room(collection_max, state.answers, is_first) {
            Some(&mut places.waiting)
        } else if state.in_flight >= state.limit {
            Some(&mut state.waiting)
        } else {
            None
        };
        if let Some(waiting) = waiting {
            waiting.push_back(lane);
            return None;
        }
        let is_doubtful = !state.answers;
        state.in_flight += 1;
        places.add(is_doubtful);
        self.server.add(is_doubtful);
        Some(Place { collection, host: Arc::clone(host), is_doubtful })
    }

    /// Gives a place back after an attempt. Says which lanes may try again.
    pub(crate) fn give_back(&mut self, place: &Place, trouble: HostTrouble, is_slow: bool) -> Vec<Lane> {
        if let Some(state) = self.hosts.get_mut(&place.host) {
            state.learn(trouble, is_slow, self.limits.host);
        }
        self.put_back(place)
    }

    /// Gives back a place that was not used. Says which lanes may try again.
    pub(crate) fn put_back(&mut self, place: &Place) -> Vec<Lane> {
        let mut freed = Vec::new();
        self.server.remove(place.is_doubtful, self.limits.server, &mut freed);
        if let Some(places) = self.collections.get_mut(&place.collection) {
            places.remove(place.is_doubtful, self.limits.collection, &mut freed);
            if places.in_flight == 0 {
                self.collections.remove(&place.collection);
            }
        }
        let is_full = self.hosts.len() > IDLE_HOSTS_MAX;
        if let Some(state) = self.hosts.get_mut(&place.host) {
            state.in_flight -= 1;
            freed.extend(state.waiting.drain(..));
            if state.in_flight == 0 && is_full {
                self.hosts.remove(&place.host);
            }
        }
        freed
    }

    /// An attempt has become slow: whoever is like that answers no more, until it does.
    pub(crate) fn is_slow(&mut self, place: &mut Place) {
        if let Some(state) = self.hosts.get_mut(&place.host) {
            state.answers = false;
        }
        if !place.is_doubtful {
            place.is_doubtful = true;
            self.server.doubtful += 1;
            if let Some(places) = self.collections.get_mut(&place.collection) {
                places.doubtful += 1;
            }
        }
    }
}

impl Places {
    /// Whether there is a place, of so many, for a host that answers or does not, and for a first attempt at it.
    fn has_room(&self, max: u32, answers: bool, is_first: bool) -> bool {
        let doubtful_max = if is_first { max - max / 8 } else { max - max / 4 };
        self.in_flight < max && (answers || self.doubtful < doubtful_max.max(1))
    }

    fn add(&mut self, is_doubtful: bool) {
        self.in_flight += 1;
        self.doubtful += u32::from(is_doubtful);
    }

    /// One is free. Some of those who wait may try, more than can succeed: what one of them waits for may be something
    /// else. Where much is free, all may.
    fn remove(&mut self, is_doubtful: bool, max: u32, freed: &mut Vec<Lane>) {
        self.in_flight -= 1;
        self.doubtful -= u32::from(is_doubtful);
        let tries = if self.in_flight < max / 2 { self.waiting.len() } else { TRIES.min(self.waiting.len()) };
        freed.extend(self.waiting.drain(..tries));
    }
}

impl HostState {
    const fn new(limit: u32) -> Self {
        Self { limit, in_flight: 0, answers: false, waiting: VecDeque::new() }
    }

    fn learn(&mut self, trouble: HostTrouble, is_slow: bool, limit_max: u32) {
        self.answers = trouble == HostTrouble::None && !is_slow;
        self.limit = match trouble {
            HostTrouble::None => (self.limit + 1).min(limit_max),
            HostTrouble::Unreachable | HostTrouble::AskedToWait => (self.limit / 2).max(HOST_MIN),
        };
    }
}
