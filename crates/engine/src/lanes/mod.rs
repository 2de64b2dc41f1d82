//! The window: what is due now or soon, in lanes that take turns.
//!
//! ```text
//!   store ─keys─▶ waiting ──1 s before it wakes──▶ loading ──▶ ready ──it wakes, and it is the lane's turn──▶ busy
//!                    ▲                                           │                                             │
//!                    ╰──────────── the job was edited ◀──────────┴───────── settled, and woken again ──────────╯
//! ```
//!
//! A lane holds a bounded number of keys. What stands behind them is passed over, and where it begins is remembered: when
//! the lane is half empty it is filled from there. So what waits for a host that hangs takes little memory, and hides
//! nothing that waits for another.

mod alarms;
mod anew;
mod limits;
mod passing;
mod queue;
mod reach;

use std::collections::{BTreeSet, VecDeque};
use std::mem;

use punctual_model::lane::Lane;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, JobId, WorkId};

pub use self::limits::WindowLimits;
use self::queue::Queue;
use self::reach::Reach;
use crate::number_map::NumberMap;

/// How long before it wakes a row is loaded.
pub(crate) const LOAD_TICKS: i64 = TICKS_PER_SECOND;

/// What is due now or soon. `R` is what a loaded row is.
pub(crate) struct Lanes<R> {
    limits: WindowLimits,
    queues: NumberMap<Lane, Queue<R>>,
    places: NumberMap<WorkId, Known>,
    /// Rows beside the schedule, by their job. A schedule has the number of its job.
    beside: NumberMap<JobId, Vec<WorkId>>,
    /// Busy rows that were edited since they were taken.
    outdated: BTreeSet<WorkId>,
    /// When a lane has to be looked at.
    alarms: BTreeSet<(Timestamp, Lane)>,
    /// Lanes with something to start.
    ring: VecDeque<Lane>,
    /// Rows that are to be loaded.
    wanted: Vec<WorkId>,
    ready: usize,
    reach: Reach,
    /// Lanes that are to be filled.
    hungry: BTreeSet<Lane>,
    filling: BTreeSet<Lane>,
}

/// What is known of a row.
struct Known {
    job: JobId,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Waiting {
        wake_at: Timestamp,
        lane: Lane,
    },
    /// Nobody has asked for it until `is_asked`; what was asked before knows less.
    Loading {
        lane: Lane,
        is_asked: bool,
        is_outdated: bool,
    },
    Ready {
        wake_at: Timestamp,
        lane: Lane,
    },
    Busy,
}

impl<R> Lanes<R> {
    pub(crate) fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            queues: NumberMap::default(),
            places: NumberMap::default(),
            beside: NumberMap::default(),
            outdated: BTreeSet::new(),
            alarms: BTreeSet::new(),
            ring: VecDeque::new(),
            wanted: Vec::new(),
            ready: 0,
            reach: Reach::new(limits.page),
            hungry: BTreeSet::new(),
            filling: BTreeSet::new(),
        }
    }

    /// How many rows are known.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many lanes there are.
    pub(crate) fn number(&self) -> usize {
        self.queues.len()
    }

    /// The next page of keys that is to be read, if it is time for one.
    pub(crate) fn page(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.places.len() >= self.limits.keys { None } else { self.reach.page(now) }
    }

    /// Keys were read, or could not be.
    pub(crate) fn read(&mut self, page: DuePage, keys: Option<&[DueKey]>, now: Timestamp) {
        if let Some(lane) = page.lane {
            self.reach.answered(keys.is_some(), now);
            self.filled(page, lane, keys);
            return;
        }
        for key in keys.unwrap_or_default() {
            self.put(*key);
        }
        self.reach.read(page, keys, now);
    }

    /// Something is open and wakes. If it is known already, the earlier time counts: a key may have been read before the
    /// row was written, and whoever comes too early finds the right time in the row.
    pub(crate) fn put(&mut self, key: DueKey) {
        match self.place(key.id) {
            Some(Place::Busy | Place::Loading { .. }) => return,
            Some(Place::Waiting { wake_at, .. } | Place::Ready { wake_at, .. }) if wake_at <= key.wake_at => return,
            Some(_) => self.forget(key.id),
            None => {}
        }
        // It will be read when its time comes nearer.
        let is_out_of_reach = key.wake_at > self.reach.reading_until();
        let (lane_max, missed_max) = (self.lane_max(), self.limits.lane);
        let Some(queue) = self.queues.get_mut(&key.lane) else {
            if !is_out_of_reach {
                self.wait(key);
            }
            return;
        };
        let is_passed = queue.passed.is_some_and(|passed| (key.wake_at, key.id) > (passed.wake_at, passed.id));
        if is_out_of_reach || is_passed {
            if self.filling.contains(&key.lane) && queue.missed.len() < missed_max {
                queue.missed.push(key);
            }
            return;
        }
        if queue.len() >= lane_max {
            // The last one gives way; from it on the lane is passed over.
            let last = queue.waiting.last().copied().filter(|last| *last > (key.wake_at, key.id));
            let (wake_at, id) = last.unwrap_or((key.wake_at, key.id));
            queue.pass_from(DueKey { wake_at, id, ..key });
            match last {
                Some((_, last)) => self.forget(last),
                None => return,
            }
        }
        self.wait(key);
    }

    fn wait(&mut self, key: DueKey) {
        let queue = self.queues.entry(key.lane).or_insert_with(Queue::new);
        queue.waiting.insert((key.wake_at, key.id));
        self.set(key.id, key.job, Place::Waiting { wake_at: key.wake_at, lane: key.lane });
        self.arm(key.lane);
    }

    fn place(&self, id: WorkId) -> Option<Place> {
        self.places.get(&id).map(|known| known.place)
    }

    fn set(&mut self, id: WorkId, job: JobId, place: Place) {
        if self.places.insert(id, Known { job, place }).is_none() && id != WorkId::from(job) {
            self.beside.entry(job).or_default().push(id);
        }
    }

    /// Keys in one lane: the fuller the window, the fewer, so that many lanes that do not move leave room for others.
    fn lane_max(&self) -> usize {
        match self.places.len() {
            known if known < self.limits.keys / 2 => self.limits.lane,
            known if known < self.limits.keys / 4 * 3 => (self.limits.lane / 10).max(1),
            _ => (self.limits.lane / 100).max(1),
        }
    }

    /// A row is gone, or nothing of it is open.
    pub(crate) fn forget(&mut self, id: WorkId) {
        let Some(Known { job, place }) = self.places.remove(&id) else { return };
        self.outdated.remove(&id);
        if id != WorkId::from(job)
            && let Some(rows) = self.beside.get_mut(&job)
        {
            rows.retain(|row| *row != id);
            if rows.is_empty() {
                self.beside.remove(&job);
            }
        }
        let (Place::Waiting { lane, .. } | Place::Ready { lane, .. } | Place::Loading { lane, .. }) = place else {
            return;
        };
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        match place {
            Place::Waiting { wake_at, .. } => _ = queue.waiting.remove(&(wake_at, id)),
            Place::Ready { wake_at, .. } => self.ready -= usize::from(queue.ready.remove(&(wake_at, id)).is_some()),
            Place::Loading { .. } => queue.loading = queue.loading.saturating_sub(1),
            Place::Busy => {}
        }
        self.arm(lane);
    }

    /// Looks at the lanes whose time has come: has rows loaded, and puts lanes with something to start into the ring.
    pub(crate) fn look(&mut self, now: Timestamp) {
        let lane_max = self.lane_max();
        while let Some((at, lane)) = self.alarms.first().copied().filter(|(at, _)| *at <= now) {
            self.alarms.remove(&(at, lane));
            let Some(queue) = self.queues.get_mut(&lane) else { continue };
            queue.alarm = None;
            let load_until = now.saturating_add(LOAD_TICKS);
            while let Some((wake_at, id)) = queue.waiting.first().copied().filter(|(at, _)| *at <= load_until)
                && queue.may_load(self.ready + self.wanted.len() < self.limits.ready)
            {
                queue.waiting.remove(&(wake_at, id));
                queue.loading += 1;
                if let Some(known) = self.places.get_mut(&id) {
                    known.place = Place::Loading { lane, is_asked: false, is_outdated: false };
                }
                self.wanted.push(id);
            }
            if !queue.is_in_ring && queue.ready.first_key_value().is_some_and(|((wake_at, _), _)| *wake_at <= now) {
                queue.is_in_ring = true;
                self.ring.push_back(lane);
            }
            if queue.passed.is_some() && queue.len() < lane_max.div_ceil(2) && !self.filling.contains(&lane) {
                self.hungry.insert(lane);
            }
            self.arm_later(lane, now);
        }
    }

    /// Rows that are to be loaded, at most so many.
    pub(crate) fn take_wanted(&mut self, limit: usize) -> Vec<WorkId> {
        let kept = self.wanted.split_off(self.wanted.len().min(limit));
        let taken = mem::replace(&mut self.wanted, kept);
        for id in &taken {
            if let Some(Known { place: Place::Loading { is_asked, .. }, .. }) = self.places.get_mut(id) {
                *is_asked = true;
            }
        }
        taken
    }

    /// Whether a row that is being loaded was edited meanwhile; it has to be loaded once more then, and is asked about
    /// anew.
    pub(crate) fn take_outdated(&mut self, id: WorkId) -> bool {
        match self.places.get_mut(&id).map(|known| &mut known.place) {
            Some(Place::Loading { is_outdated, .. }) => mem::take(is_outdated),
            _ => false,
        }
    }

    /// Whether a row is being loaded, and was asked for.
    pub(crate) fn is_loading(&self, id: WorkId) -> bool {
        matches!(self.place(id), Some(Place::Loading { is_asked: true, .. }))
    }

    /// Whether anything is known of a row.
    pub(crate) fn knows(&self, id: WorkId) -> bool {
        self.places.contains_key(&id)
    }

    /// A row that was being loaded is ready.
    pub(crate) fn is_loaded(&mut self, key: DueKey, row: R) {
        let Some(Place::Loading { lane: was, .. }) = self.place(key.id) else { return };
        self.loaded_one(was);
        self.set(key.id, key.job, Place::Ready { wake_at: key.wake_at, lane: key.lane });
        self.queues.entry(key.lane).or_insert_with(Queue::new).ready.insert((key.wake_at, key.id), row);
        self.ready += 1;
        self.arm(was);
        self.arm(key.lane);
    }

    /// Rows could not be loaded: they wait for a moment.
    pub(crate) fn not_loaded(&mut self, ids: &[WorkId], now: Timestamp) {
        let wake_at = now.saturating_add(2 * LOAD_TICKS);
        for id in ids {
            if let Some(Known { job, place: Place::Loading { lane, .. } }) = self.places.get(id) {
                let key = DueKey { wake_at, lane: *lane, id: *id, job: *job };
                self.loaded_one(key.lane);
                self.wait(key);
            }
        }
    }

    fn loaded_one(&mut self, lane: Lane) {
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.loading = queue.loading.saturating_sub(1);
        }
    }

    /// The lane whose turn it is.
    pub(crate) fn next_lane(&mut self) -> Option<Lane> {
        let lane = self.ring.pop_front()?;
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.is_in_ring = false;
        }
        Some(lane)
    }

    /// The first row of a lane that may start by now.
    pub(crate) fn first(&self, lane: Lane, now: Timestamp) -> Option<(Timestamp, &R)> {
        let ((wake_at, _), row) = self.queues.get(&lane)?.ready.first_key_value()?;
        (*wake_at <= now).then_some((*wake_at, row))
    }

    /// Takes that row: it is busy from now on.
    pub(crate) fn take_first(&mut self, lane: Lane) -> Option<R> {
        let queue = self.queues.get_mut(&lane)?;
        let ((_, id), row) = queue.ready.pop_first()?;
        queue.moves();
        self.ready -= 1;
        if let Some(known) = self.places.get_mut(&id) {
            known.place = Place::Busy;
        }
        self.arm(lane);
        Some(row)
    }

    /// Puts a lane back into the ring, if it has anything to start; else it is looked at when it has.
    pub(crate) fn enter_ring(&mut self, lane: Lane, now: Timestamp) {
        let Some(queue) = self.queues.get_mut(&lane).filter(|queue| !queue.is_in_ring) else { return };
        if queue.ready.first_key_value().is_some_and(|((wake_at, _), _)| *wake_at <= now) {
            queue.is_in_ring = true;
            self.ring.push_back(lane);
        } else {
            self.arm(lane);
        }
    }

    /// A row is being written or is on the wire.
    pub(crate) fn set_busy(&mut self, id: WorkId, job: JobId) {
        self.forget(id);
        self.set(id, job, Place::Busy);
    }

    pub(crate) fn is_busy(&self, id: WorkId) -> bool {
        self.place(id) == Some(Place::Busy)
    }
}
