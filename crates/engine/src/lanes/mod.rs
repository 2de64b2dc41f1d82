//! The window: keys of the rows that wake now or soon, in lanes that take turns.
//!
//! ```text
//!   store ─keys─▶ waiting ──1 s before it wakes──▶ reading ──▶ ready ──its time and the lane's turn come──▶ started
//! ```
//!
//! A lane holds a bounded number of keys. What comes after them is left to the store, and where that begins is remembered:
//! when the lane is half empty it is filled from there. So what waits for a host that hangs takes little memory, and hides
//! nothing that waits for another host.
//!
//! The lanes are an index: what they hold of a row follows from the row's state alone, and [`Rows`](crate::rows::Rows)
//! keeps them.

mod alarms;
mod due_rows;
mod filling;
mod limits;
mod queue;
mod reach;

use std::collections::{BTreeSet, VecDeque};

use punctual_model::lane::Lane;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, WorkId};

use self::alarms::Alarms;
pub(crate) use self::due_rows::DueRows;
pub use self::limits::WindowLimits;
use self::queue::Queue;
use self::reach::Reach;
use crate::number_map::NumberMap;

/// How long before it wakes a row is read.
pub(crate) const LOAD_TICKS: i64 = TICKS_PER_SECOND;

/// The window.
pub(crate) struct Lanes {
    limits: WindowLimits,
    queues: NumberMap<Lane, Queue>,
    alarms: Alarms,
    /// Lanes with something to start, in the order of their turns.
    ring: VecDeque<Lane>,
    /// Rows of all lanes that are being read or ready.
    loaded: usize,
    reach: Reach,
    /// Lanes that are to be filled.
    hungry: BTreeSet<Lane>,
    filling: BTreeSet<Lane>,
    /// Those of them whose pages do not count, because the keys are read from the beginning.
    outdated_fills: BTreeSet<Lane>,
}

/// Where a lane holds a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Waiting(Lane, Timestamp),
    Reading(Lane),
    Ready(Lane, Timestamp),
}

/// What becomes of a key that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// There is room for it.
    Room,
    /// There is, if this row gives way.
    InsteadOf(WorkId),
    /// There is none; it will be read again.
    NoRoom,
}

impl Lanes {
    pub(crate) fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            queues: NumberMap::default(),
            alarms: Alarms::default(),
            ring: VecDeque::new(),
            loaded: 0,
            reach: Reach::new(limits.page),
            hungry: BTreeSet::new(),
            filling: BTreeSet::new(),
            outdated_fills: BTreeSet::new(),
        }
    }

    /// How many lanes there are.
    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    /// Whether there is room for a key, in a window that holds `known` rows. A key that has no room is remembered as far
    /// as is needed to find it again.
    pub(crate) fn admit(&mut self, key: DueKey, known: usize) -> Admission {
        // A key beyond the reach will be read when its time comes nearer.
        let is_out_of_reach = key.wake_at > self.reach.reading_until();
        let (lane_max, missed_max) = (self.lane_max(known), self.limits.lane);
        let Some(queue) = self.queues.get_mut(&key.lane) else {
            return if is_out_of_reach { Admission::NoRoom } else { Admission::Room };
        };
        if is_out_of_reach || queue.is_passed(&key) {
            if self.filling.contains(&key.lane) {
                queue.record_missed(key, missed_max);
            }
            return Admission::NoRoom;
        }
        if queue.len() < lane_max {
            return Admission::Room;
        }
        let last = queue.waiting.last().copied().filter(|last| *last > (key.wake_at, key.id));
        let (wake_at, id) = last.unwrap_or((key.wake_at, key.id));
        queue.pass_from(DueKey { wake_at, id, ..key });
        if last.is_some() { Admission::InsteadOf(id) } else { Admission::NoRoom }
    }

    /// Keys in one lane: the fuller the window, the fewer, so that many lanes that do not move leave room for others.
    fn lane_max(&self, known: usize) -> usize {
        match known {
            known if known < self.limits.keys / 2 => self.limits.lane,
            known if known < self.limits.keys / 4 * 3 => (self.limits.lane / 10).max(1),
            _ => (self.limits.lane / 100).max(1),
        }
    }

    /// Puts a row where its state says.
    pub(crate) fn add(&mut self, id: WorkId, standing: Standing) {
        let (Standing::Waiting(lane, _) | Standing::Reading(lane) | Standing::Ready(lane, _)) = standing;
        let queue = self.queues.entry(lane).or_default();
        match standing {
            Standing::Waiting(_, wake_at) => _ = queue.waiting.insert((wake_at, id)),
            Standing::Reading(_) => queue.reading += 1,
            Standing::Ready(_, wake_at) => _ = queue.ready.insert((wake_at, id)),
        }
        self.loaded += usize::from(!matches!(standing, Standing::Waiting(..)));
        self.set_alarm(lane, Timestamp::MIN);
    }

    /// Takes a row away from where its state said.
    pub(crate) fn remove(&mut self, id: WorkId, standing: Standing) {
        let (Standing::Waiting(lane, _) | Standing::Reading(lane) | Standing::Ready(lane, _)) = standing;
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        match standing {
            Standing::Waiting(_, wake_at) => _ = queue.waiting.remove(&(wake_at, id)),
            Standing::Reading(_) => queue.reading -= 1,
            Standing::Ready(_, wake_at) => _ = queue.ready.remove(&(wake_at, id)),
        }
        self.loaded -= usize::from(!matches!(standing, Standing::Waiting(..)));
        self.set_alarm(lane, Timestamp::MIN);
    }

    /// When something of lanes that are not held has to be looked at again.
    pub(crate) fn next_alarm(&self, are_jobs_held: bool) -> Option<Timestamp> {
        self.alarms.first(are_jobs_held).map(|(at, _)| at)
    }

    /// Has a lane looked at, as soon as it is not held any more.
    pub(crate) fn look_again(&mut self, lane: Lane) {
        self.set_alarm(lane, Timestamp::MIN);
    }

    /// Has a lane looked at then, or earlier if it is to be.
    fn set_alarm(&mut self, lane: Lane, at: Timestamp) {
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        if queue.alarm.is_some_and(|alarm| alarm <= at) {
            return;
        }
        if let Some(later) = queue.alarm.replace(at) {
            self.alarms.of(lane).remove(&(later, lane));
        }
        self.alarms.of(lane).insert((at, lane));
    }

    /// The next lane that is not held and whose time to be looked at has come.
    pub(crate) fn take_alarm(&mut self, are_jobs_held: bool, now: Timestamp) -> Option<Lane> {
        let (at, lane) = self.alarms.first(are_jobs_held).filter(|(at, _)| *at <= now)?;
        self.alarms.of(lane).remove(&(at, lane));
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.alarm = None;
        }
        Some(lane)
    }

    /// Rows of a lane that are near and may be read, in order.
    pub(crate) fn near(&self, lane: Lane, now: Timestamp) -> Vec<WorkId> {
        let Some(queue) = self.queues.get(&lane) else { return Vec::new() };
        let (room, until) = (queue.room(self.limits.ready.saturating_sub(self.loaded)), now.saturating_add(LOAD_TICKS));
        let near = queue.waiting.iter().take(room).take_while(|(wake_at, _)| *wake_at <= until);
        near.map(|(_, id)| *id).collect()
    }

    /// Ends the look at a lane: puts it into the ring if it has something to start, has it filled if it is half empty, and
    /// sets the alarm for the next look.
    pub(crate) fn end_look(&mut self, lane: Lane, known: usize, now: Timestamp) {
        let lane_max = self.lane_max(known);
        self.enter_ring(lane, now);
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        if queue.passed.is_some() && queue.len() < lane_max.div_ceil(2) && !self.filling.contains(&lane) {
            self.hungry.insert(lane);
        }
        // Rows may have come or gone by the look itself, which set the alarm; the look has seen them.
        if let Some(alarm) = queue.alarm.take() {
            self.alarms.of(lane).remove(&(alarm, lane));
        }
        if queue.is_empty() {
            self.queues.remove(&lane);
        } else if let Some(at) = queue.next_look(now) {
            self.set_alarm(lane, at);
        }
    }

    /// Puts a lane into the ring, if it has something to start.
    pub(crate) fn enter_ring(&mut self, lane: Lane, now: Timestamp) {
        let Some(queue) = self.queues.get_mut(&lane).filter(|queue| !queue.is_in_ring) else { return };
        if queue.first_due(now).is_some() {
            queue.is_in_ring = true;
            self.ring.push_back(lane);
        } else {
            self.set_alarm(lane, Timestamp::MIN);
        }
    }

    /// Takes the lane whose turn it is from the ring.
    pub(crate) fn take_turn(&mut self) -> Option<Lane> {
        let lane = self.ring.pop_front()?;
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.is_in_ring = false;
        }
        Some(lane)
    }

    /// The first row of a lane that can start by now.
    pub(crate) fn first_due(&self, lane: Lane, now: Timestamp) -> Option<WorkId> {
        self.queues.get(&lane)?.first_due(now)
    }

    /// Makes room for more ready rows in a lane in which something starts.
    pub(crate) fn record_start(&mut self, lane: Lane) {
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.record_start();
        }
    }

    /// The next page of keys that is to be read, if it is time for one.
    pub(crate) fn next_page(&mut self, known: usize, now: Timestamp) -> Option<DuePage> {
        if known >= self.limits.keys { None } else { self.reach.page(now) }
    }

    /// Has all keys read from the beginning.
    pub(crate) fn begin_again(&mut self) {
        self.reach.begin_again();
    }

    /// Takes note that a page of all lanes was read, or could not be.
    pub(crate) fn record_page(&mut self, page: DuePage, keys: Option<&[DueKey]>, now: Timestamp) {
        self.reach.record(page, keys, now);
    }

    /// Forgets how far the keys have been read: the clock was set, or shards have come or gone. The rows are forgotten by whoever calls.
    pub(crate) fn forget_reach(&mut self) {
        for queue in self.queues.values_mut() {
            queue.passed = None;
            queue.missed.clear();
            queue.overlooked = None;
        }
        self.hungry.clear();
        self.outdated_fills.clone_from(&self.filling);
        self.reach.forget();
    }

    /// Where each row stands, as far as the lanes know rows one by one; for comparing with the rows' states.
    pub(crate) fn standings(&self) -> BTreeSet<(WorkId, Standing)> {
        let of_lane = |(lane, queue): (&Lane, &Queue)| {
            let waiting = queue.waiting.iter().map(|(at, id)| (*id, Standing::Waiting(*lane, *at)));
            let ready = queue.ready.iter().map(|(at, id)| (*id, Standing::Ready(*lane, *at)));
            waiting.chain(ready).collect::<Vec<_>>()
        };
        self.queues.iter().flat_map(of_lane).collect()
    }

    /// Rows that are being read, by lane; for comparing with the rows' states.
    pub(crate) fn reading(&self) -> Vec<(Lane, usize)> {
        let reading = self.queues.iter().map(|(lane, queue)| (*lane, queue.reading));
        let mut reading: Vec<_> = reading.filter(|(_, reading)| *reading > 0).collect();
        reading.sort_unstable();
        reading
    }
}
