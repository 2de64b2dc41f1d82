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
mod queue;
mod reach;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::mem;

use punctual_model::lane::Lane;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{DueKey, DuePage, JobId, WorkId};

use self::queue::Queue;
use self::reach::{PAGE, Reach};

/// Keys in one lane.
const LANE_MAX: usize = 2000;

/// Keys in all lanes.
const KEYS_MAX: usize = 200_000;

/// How long before it wakes a row is loaded.
pub(crate) const LOAD_TICKS: i64 = TICKS_PER_SECOND;

/// Rows of all lanes that are loaded or ready.
const READY_MAX: usize = 8192;

/// Lanes that are filled at once.
const FILLS_MAX: usize = 2;

/// What is due now or soon. `R` is what a loaded row is.
pub(crate) struct Lanes<R> {
    queues: HashMap<Lane, Queue<R>>,
    places: HashMap<WorkId, Known>,
    /// Rows beside the schedule, by their job. A schedule has the number of its job.
    beside: HashMap<JobId, Vec<WorkId>>,
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
    Waiting { wake_at: Timestamp, lane: Lane },
    Loading { lane: Lane, is_outdated: bool },
    Ready { wake_at: Timestamp, lane: Lane },
    Busy,
}

impl<R> Lanes<R> {
    pub(crate) fn new() -> Self {
        Self {
            queues: HashMap::new(),
            places: HashMap::new(),
            beside: HashMap::new(),
            alarms: BTreeSet::new(),
            ring: VecDeque::new(),
            wanted: Vec::new(),
            ready: 0,
            reach: Reach::new(),
            hungry: BTreeSet::new(),
            filling: BTreeSet::new(),
        }
    }

    /// Reads everything anew, from the beginning.
    pub(crate) fn read_anew(&mut self) {
        self.reach.begin_anew();
    }

    /// The next page of keys that is to be read, if it is time for one.
    pub(crate) fn page(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.places.len() >= KEYS_MAX { None } else { self.reach.page(now) }
    }

    /// The next lane that is to be filled from where it was left.
    pub(crate) fn page_of_lane(&mut self, now: Timestamp) -> Option<DuePage> {
        if self.places.len() >= KEYS_MAX || self.filling.len() >= FILLS_MAX {
            return None;
        }
        let lane = self.hungry.pop_first()?;
        let after = self.queues.get(&lane).and_then(|queue| queue.passed)?;
        self.filling.insert(lane);
        let until = self.reach.until().max(now);
        Some(DuePage { after: Some(after), until, lane: Some(lane), limit: self.lane_max().min(PAGE) })
    }

    /// Keys were read, or could not be.
    pub(crate) fn read(&mut self, page: DuePage, keys: Option<&[DueKey]>) {
        if let Some(lane) = page.lane {
            self.filled(page, lane, keys);
            return;
        }
        for key in keys.unwrap_or_default() {
            self.put(*key);
        }
        self.reach.read(page, keys);
    }

    fn filled(&mut self, page: DuePage, lane: Lane, keys: Option<&[DueKey]>) {
        self.filling.remove(&lane);
        let Some(keys) = keys else {
            self.hungry.insert(lane);
            return;
        };
        let mut missed = Vec::new();
        if let Some(queue) = self.queues.get_mut(&lane) {
            queue.passed = None;
            missed = mem::take(&mut queue.missed);
        }
        for key in keys {
            self.put(*key);
        }
        let is_full = keys.len() == page.limit;
        if let Some(queue) = self.queues.get_mut(&lane)
            && is_full
            && queue.passed.is_none()
        {
            queue.passed = keys.last().copied();
        }
        for key in missed {
            self.put(key);
        }
        self.arm(lane);
    }

    /// Something is open and wakes. What is known of it already is replaced, unless it is on its way.
    pub(crate) fn put(&mut self, key: DueKey) {
        match self.place(key.id) {
            Some(Place::Busy | Place::Loading { .. }) => return,
            Some(Place::Waiting { wake_at, lane } | Place::Ready { wake_at, lane })
                if (wake_at, lane) == (key.wake_at, key.lane) =>
            {
                return;
            }
            Some(_) => self.forget(key.id),
            None => {}
        }
        let lane_max = self.lane_max();
        // It will be read when its time comes nearer.
        let is_out_of_reach = key.wake_at > self.reach.reading_until();
        let queue = self.queues.entry(key.lane).or_insert_with(Queue::new);
        let is_passed = queue.passed.is_some_and(|passed| (key.wake_at, key.id) > (passed.wake_at, passed.id));
        if is_out_of_reach || is_passed {
            if self.filling.contains(&key.lane) && queue.missed.len() < LANE_MAX {
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
            known if known < KEYS_MAX / 2 => LANE_MAX,
            known if known < KEYS_MAX / 4 * 3 => LANE_MAX / 10,
            _ => LANE_MAX / 100,
        }
    }

    /// A row is gone, or nothing of it is open.
    pub(crate) fn forget(&mut self, id: WorkId) {
        let Some(Known { job, place }) = self.places.remove(&id) else { return };
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

    /// A job was edited: what is loaded of it is no longer true.
    pub(crate) fn outdate(&mut self, job: JobId) {
        let beside = self.beside.get(&job).cloned().unwrap_or_default();
        for id in beside.into_iter().chain([job.into()]) {
            self.outdate_row(id);
        }
    }

    /// Anything may have been edited.
    pub(crate) fn outdate_all(&mut self) {
        let loaded = |(id, known): (&WorkId, &Known)| {
            matches!(known.place, Place::Ready { .. } | Place::Loading { .. }).then_some(*id)
        };
        let loaded: Vec<WorkId> = self.places.iter().filter_map(loaded).collect();
        for id in loaded {
            self.outdate_row(id);
        }
        self.read_anew();
    }

    fn outdate_row(&mut self, id: WorkId) {
        let Some(known) = self.places.get_mut(&id) else { return };
        match known.place {
            Place::Loading { lane, .. } => known.place = Place::Loading { lane, is_outdated: true },
            Place::Ready { wake_at, lane } => {
                known.place = Place::Waiting { wake_at, lane };
                if let Some(queue) = self.queues.get_mut(&lane) {
                    self.ready -= usize::from(queue.ready.remove(&(wake_at, id)).is_some());
                    queue.waiting.insert((wake_at, id));
                }
                self.arm(lane);
            }
            Place::Waiting { .. } | Place::Busy => {}
        }
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
                && queue.may_load(self.ready + self.wanted.len() < READY_MAX)
            {
                queue.waiting.remove(&(wake_at, id));
                queue.loading += 1;
                if let Some(known) = self.places.get_mut(&id) {
                    known.place = Place::Loading { lane, is_outdated: false };
                }
                self.wanted.push(id);
            }
            if !queue.is_in_ring && queue.ready.first_key_value().is_some_and(|((wake_at, _), _)| *wake_at <= now) {
                queue.is_in_ring = true;
                self.ring.push_back(lane);
            }
            if queue.passed.is_some() && queue.len() < lane_max / 2 && !self.filling.contains(&lane) {
                self.hungry.insert(lane);
            }
            self.arm_later(lane, now);
        }
    }

    /// Rows that are to be loaded, at most so many.
    pub(crate) fn take_wanted(&mut self, limit: usize) -> Vec<WorkId> {
        let kept = self.wanted.split_off(self.wanted.len().min(limit));
        mem::replace(&mut self.wanted, kept)
    }

    /// Whether a row that is being loaded was edited meanwhile; it has to be loaded once more then, and is asked about
    /// anew.
    pub(crate) fn take_outdated(&mut self, id: WorkId) -> bool {
        match self.places.get_mut(&id).map(|known| &mut known.place) {
            Some(Place::Loading { is_outdated, .. }) => mem::take(is_outdated),
            _ => false,
        }
    }

    /// A row is loaded. It is given back if no lane waits for it.
    pub(crate) fn is_loaded(&mut self, key: DueKey, row: R) -> Option<R> {
        let Some(Place::Loading { lane: was, .. }) = self.place(key.id) else {
            return Some(row);
        };
        self.loaded_one(was);
        self.set(key.id, key.job, Place::Ready { wake_at: key.wake_at, lane: key.lane });
        self.queues.entry(key.lane).or_insert_with(Queue::new).ready.insert((key.wake_at, key.id), row);
        self.ready += 1;
        self.arm(was);
        self.arm(key.lane);
        None
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

    /// Puts a lane back into the ring, if it has anything to start.
    pub(crate) fn enter_ring(&mut self, lane: Lane, now: Timestamp) {
        if let Some(queue) = self.queues.get_mut(&lane)
            && !queue.is_in_ring
            && queue.ready.first_key_value().is_some_and(|((wake_at, _), _)| *wake_at <= now)
        {
            queue.is_in_ring = true;
            self.ring.push_back(lane);
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
