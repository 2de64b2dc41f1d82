//! How many attempts may be in flight at once: in all, for a collection, for a host.
//!
//! A host that hangs keeps its attempts in flight until they time out. So each host has a limit that falls when the host
//! does not answer and rises when it does; and attempts at hosts that have not shown that they answer quickly share three
//! quarters of the slots of the server and of each collection, whatever the number of such hosts. An eighth is kept for
//! first attempts at such hosts, so that a host that answers can show it, and the last eighth is for hosts that have.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use punctual_actions::HostTrouble;
use punctual_model::lane::{Host, Lane};
use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::CollectionId;

use crate::number_map::NumberMap;

/// A host that always failed still gets this many attempts at once.
const HOST_MIN: u32 = 2;

/// An attempt that takes longer than this is slow.
pub(crate) const SLOW_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// Hosts whose record is kept while nothing is in flight to them.
const IDLE_HOSTS_MAX: usize = 10_000;

/// Lanes that may try for a freed slot, where few slots are free.
const TRIES: usize = 16;

/// How many attempts may be in flight at once.
#[derive(Clone, Copy, Debug)]
pub struct ConcurrencyLimits {
    /// In all.
    pub server: u32,
    /// For each collection.
    pub collection: u32,
    /// For each host, at most.
    pub host: u32,
}

/// The slots that are taken, and the lanes that wait for one.
pub(crate) struct Concurrency {
    limits: ConcurrencyLimits,
    server: Slots,
    collections: NumberMap<CollectionId, Slots>,
    hosts: HashMap<Arc<Host>, HostState>,
}

/// The slots of the server or of a collection.
#[derive(Default)]
struct Slots {
    taken: u32,
    /// Those of the taken ones that are at hosts which have not shown that they answer.
    doubtful: u32,
    waiting: VecDeque<Lane>,
}

struct HostState {
    limit: u32,
    taken: u32,
    /// Its last answer came quickly.
    answers: bool,
    waiting: VecDeque<Lane>,
}

/// The right to have one attempt in flight. Whoever has it gives it back with [`Concurrency::give_back`].
#[derive(Debug)]
pub(crate) struct Slot {
    collection: CollectionId,
    host: Arc<Host>,
    is_doubtful: bool,
}

/// What an attempt has shown of its host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lesson {
    pub(crate) trouble: HostTrouble,
    pub(crate) is_slow: bool,
}

impl Concurrency {
    pub(crate) fn new(limits: ConcurrencyLimits) -> Self {
        Self { limits, server: Slots::default(), collections: NumberMap::default(), hosts: HashMap::new() }
    }

    /// Shares what collections and hosts may have in flight with other nodes: each of `nodes` has its part of `whole`, and at least
    /// one attempt. Returns the lanes that may try again.
    pub(crate) fn share(&mut self, whole: ConcurrencyLimits, nodes: u32) -> Vec<Lane> {
        let part = |limit: u32| (limit / nodes.max(1)).max(1);
        let ConcurrencyLimits { server, collection, host } = whole;
        self.limits = ConcurrencyLimits { server, collection: part(collection), host: part(host) };
        let mut waiting: Vec<Lane> = self.server.waiting.drain(..).collect();
        waiting.extend(self.collections.values_mut().flat_map(|slots| slots.waiting.drain(..)));
        for state in self.hosts.values_mut() {
            state.limit = state.limit.min(self.limits.host);
            waiting.extend(state.waiting.drain(..));
        }
        waiting
    }

    /// Slots that are taken.
    pub(crate) fn taken(&self) -> u32 {
        self.server.taken
    }

    /// Takes a slot for an attempt, or puts the lane among those that wait for one.
    pub(crate) fn take(&mut self, lane: Lane, collection: CollectionId, host: &Arc<Host>) -> Option<Slot> {
        let ConcurrencyLimits { server: server_max, collection: collection_max, host: host_max } = self.limits;
        let state = self.hosts.entry(Arc::clone(host)).or_insert_with(|| HostState::new(host_max));
        let slots = self.collections.entry(collection).or_default();
        let is_first = state.taken == 0;
        let waiting = if !self.server.has_room(server_max, state.answers, is_first) {
            Some(&mut self.server.waiting)
        } else if !slots.has_room(collection_max, state.answers, is_first) {
            Some(&mut slots.waiting)
        } else if state.taken >= state.limit {
            Some(&mut state.waiting)
        } else {
            None
        };
        if let Some(waiting) = waiting {
            waiting.push_back(lane);
            return None;
        }
        let is_doubtful = !state.answers;
        state.taken += 1;
        slots.add(is_doubtful);
        self.server.add(is_doubtful);
        Some(Slot { collection, host: Arc::clone(host), is_doubtful })
    }

    /// Gives a slot back, with what its attempt has shown of the host if there was one. Returns the lanes that may try
    /// again.
    pub(crate) fn give_back(&mut self, slot: &Slot, lesson: Option<Lesson>) -> Vec<Lane> {
        let mut freed = Vec::new();
        self.server.remove(slot.is_doubtful, self.limits.server, &mut freed);
        if let Some(slots) = self.collections.get_mut(&slot.collection) {
            slots.remove(slot.is_doubtful, self.limits.collection, &mut freed);
            if slots.taken == 0 && slots.waiting.is_empty() {
                self.collections.remove(&slot.collection);
            }
        }
        let is_full = self.hosts.len() > IDLE_HOSTS_MAX;
        if let Some(state) = self.hosts.get_mut(&slot.host) {
            if let Some(lesson) = lesson {
                state.learn(lesson, self.limits.host);
            }
            state.taken -= 1;
            freed.extend(state.waiting.drain(..));
            if state.taken == 0 && is_full {
                self.hosts.remove(&slot.host);
            }
        }
        freed
    }

    /// Marks a host as slow: it counts as not answering until an attempt there ends. `is_new` says whether the slot of
    /// the slow attempt was not counted as one of such a host.
    pub(crate) fn mark_slow(&mut self, collection: CollectionId, host: &Arc<Host>, is_new: bool) {
        if let Some(state) = self.hosts.get_mut(host) {
            state.answers = false;
        }
        if is_new {
            self.server.doubtful += 1;
            if let Some(slots) = self.collections.get_mut(&collection) {
                slots.doubtful += 1;
            }
        }
    }
}

impl Slot {
    /// Makes the slot one of a host that does not answer. Returns whose it is, and whether it was not before.
    pub(crate) fn doubt(&mut self) -> (CollectionId, Arc<Host>, bool) {
        let is_new = !std::mem::replace(&mut self.is_doubtful, true);
        (self.collection, Arc::clone(&self.host), is_new)
    }
}

impl Slots {
    /// Whether one of `max` slots is free for an attempt at a host that answers or does not, the first one there or not.
    fn has_room(&self, max: u32, answers: bool, is_first: bool) -> bool {
        let doubtful_max = if is_first { max - max / 8 } else { max - max / 4 };
        self.taken < max && (answers || self.doubtful < doubtful_max.max(1))
    }

    fn add(&mut self, is_doubtful: bool) {
        self.taken += 1;
        self.doubtful += u32::from(is_doubtful);
    }

    /// Frees one slot. Some of the waiting lanes may try for it, more than can succeed: what one of them waits for may be
    /// another limit. Where half of the slots are free all may try, and where all are free all must: no other attempt
    /// will end and let the rest of them try.
    fn remove(&mut self, is_doubtful: bool, max: u32, freed: &mut Vec<Lane>) {
        self.taken -= 1;
        self.doubtful -= u32::from(is_doubtful);
        let can_all_try = self.taken == 0 || self.taken < max / 2;
        let tries = if can_all_try { self.waiting.len() } else { TRIES.min(self.waiting.len()) };
        freed.extend(self.waiting.drain(..tries));
    }
}

impl HostState {
    const fn new(limit: u32) -> Self {
        Self { limit, taken: 0, answers: false, waiting: VecDeque::new() }
    }

    fn learn(&mut self, lesson: Lesson, limit_max: u32) {
        self.answers = lesson.trouble == HostTrouble::None && !lesson.is_slow;
        self.limit = match lesson.trouble {
            HostTrouble::None => (self.limit + 1).min(limit_max),
            HostTrouble::Unreachable | HostTrouble::AskedToWait => (self.limit / 2).max(HOST_MIN.min(limit_max)),
        };
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::action::{Address, HttpAction, HttpType, Target};

    use super::*;

    fn host(number: i64) -> Arc<Host> {
        let uri = Address::parse(&format!("http://host{number}.example")).unwrap();
        let (headers, body, authentication) = (Vec::new(), None, None);
        let http = HttpAction { kind: HttpType::Http, uri, method: "GET".to_owned(), headers, body, authentication };
        Arc::new(Host::of::<()>(&Target::Http(http)))
    }

    /// Any limits: every lane that waits for a slot gets one in the end.
    #[test]
    fn every_lane_gets_its_turn() {
        for (server, collection) in [(1, 1), (2, 1), (1, 9), (3, 2), (100, 1)] {
            let mut concurrency = Concurrency::new(ConcurrencyLimits { server, collection, host: 1 });
            let mut waiting: VecDeque<Lane> = (0..40).map(Lane).collect();
            let mut started = Vec::new();
            let mut in_flight = VecDeque::new();
            while started.len() < 40 {
                while let Some(lane) = waiting.pop_front() {
                    let slot = concurrency.take(lane, CollectionId(lane.0 % 2), &host(lane.0));
                    started.extend(slot.as_ref().map(|_| lane));
                    in_flight.extend(slot);
                }
                let ended = in_flight.pop_front().expect("something is in flight while a lane waits");
                waiting.extend(concurrency.give_back(&ended, None));
            }
            started.sort_unstable();
            assert_eq!(started, (0..40).map(Lane).collect::<Vec<_>>());
        }
    }
}
