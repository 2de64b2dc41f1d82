//! The machine: what happened goes in, what is to be done comes out.

mod drafts;
mod loading;
mod starting;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_model::event::{Event, EventKind};
use punctual_model::job::Definition;
use punctual_model::time::{Clock, TICKS_PER_SECOND, Timestamp};
use punctual_store::{
    Batch, BatchId, BatchOutcome, Changed, DefinitionRead, DueKey, DuePage, Error, JobId, WorkEntry, WorkId, WorkRead,
};

use self::drafts::Drafts;
use crate::flight::{Finished, FlightId, Flights, Row};
use crate::lanes::Lanes;
pub use crate::lanes::WindowLimits;
use crate::number_map::NumberMap;
use crate::terms::Memory;
use crate::timepiece::Timepiece;
use crate::watermark::Watermark;
pub use crate::wire::WireLimits;
use crate::wire::{Place, Wire};

/// However quiet it is, the clock is looked at so often.
const TICK_TICKS_MAX: i64 = TICKS_PER_SECOND;

/// After the store could not do something it is left alone with it for so long.
const STORE_REST_TICKS: i64 = TICKS_PER_SECOND;

/// What the engine may do at once.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// On the wire.
    pub wire: WireLimits,
    /// In the window.
    pub window: WindowLimits,
    /// Attempts that are on the wire or not yet written down. At this number nothing new is started: a slow store stops
    /// starts, and never a settlement.
    pub unsettled_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            wire: WireLimits { server: 2048, collection: 512, host: 64 },
            window: WindowLimits::default(),
            unsettled_max: 50_000,
        }
    }
}

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// Jobs were written by others.
    Changed(Changed),
    /// Keys were read, or could not be.
    Due(DuePage, Result<Vec<DueKey>, Error>),
    /// The keys of jobs that were written were read, or could not be.
    DueOf(Vec<JobId>, Result<Vec<DueKey>, Error>),
    /// Rows were read, or could not be.
    Work(Vec<WorkId>, Result<Vec<WorkRead>, Error>),
    /// Definitions were read, or could not be.
    Definitions(Vec<JobId>, Result<Vec<DefinitionRead>, Error>),
    /// The watermark was made durable, or could not be.
    Watermark(Result<(), Error>),
    /// A batch was written, or could not be.
    Written(BatchId, BatchOutcome),
    /// An attempt came to its end.
    Ended(FlightId, Outcome),
    /// These rows have to be looked at, even if nothing of them wakes; nominal times up to that instant are accounted
    /// for.
    Attend(Vec<WorkId>, Option<Timestamp>),
    /// Nothing is started any more.
    Stop,
}

/// What is to be done.
#[derive(Debug)]
pub enum Effect {
    /// Keys are to be read.
    ReadDue(DuePage),
    /// The keys of these jobs are to be read.
    ReadDueOf(Vec<JobId>),
    /// Rows are to be read.
    ReadWork(Vec<WorkId>),
    /// Definitions are to be read.
    ReadDefinitions(Vec<JobId>),
    /// The watermark is to be made durable.
    SetWatermark(Timestamp),
    /// A batch is to be written.
    Write(Batch),
    /// An attempt is to be made.
    Start(FlightId, Call),
    /// A definition is not in force any more.
    Forget(Arc<Definition>),
    /// Everything that was to be attended to is written.
    Attended,
    /// The clock went back: what waits for a retry has to be attended to.
    WentBack,
    /// Whoever watches is told.
    Say(Event),
}

/// The machine.
pub struct Engine {
    clock: Arc<dyn Clock>,
    settings: Settings,
    timepiece: Timepiece,
    watermark: Watermark,
    lanes: Lanes<Box<Row>>,
    wire: Wire,
    memory: Memory,
    flights: Flights,
    drafts: Drafts,
    /// Rows that were read and wait for their definitions.
    unread: NumberMap<JobId, Vec<WorkEntry>>,
    /// Attempts that came to their end and wait for their rows to be read anew.
    unsettled: NumberMap<WorkId, (Box<Row>, Finished)>,
    /// Rows that are sent once more, which is written down.
    counted: Vec<(Row, Place)>,
    /// Rows beside the schedule that wait for the wire, by their job.
    waiting_for_wire: BTreeMap<JobId, Vec<DueKey>>,
    /// Rows that are to be read for other reasons than that they wake.
    wanted: Vec<WorkId>,
    /// Rows that are being read, and whether that was asked too early for whoever wants them now.
    reading: NumberMap<WorkId, bool>,
    later: Later,
    attended: BTreeSet<WorkId>,
    account_until: Option<Timestamp>,
    loads: usize,
    is_stopping: bool,
    effects: Vec<Effect>,
}

/// What the machine has in its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Rows of which at least the key is known.
    pub keys: usize,
    /// Lanes in which they stand.
    pub lanes: usize,
    /// Rows that are being read.
    pub reading: usize,
    /// What is to be read.
    pub wanted: usize,
    /// Attempts that are on the wire or not yet written down.
    pub unsettled: usize,
    /// Rows that wait until nothing of their job is on the wire.
    pub waiting_for_wire: usize,
}

/// What the store could not read and is asked for once more in a moment.
#[derive(Default)]
struct Later {
    /// By the steady clock.
    at: i64,
    rows: Vec<WorkId>,
    jobs: Vec<JobId>,
}

impl Engine {
    /// A machine that knows nothing yet. What an earlier process may have sent must have been taken over before.
    pub fn new(clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            timepiece: Timepiece::new(&*clock),
            clock,
            settings,
            watermark: Watermark::default(),
            lanes: Lanes::new(settings.window),
            wire: Wire::new(settings.wire),
            memory: Memory::default(),
            flights: Flights::default(),
            drafts: Drafts::default(),
            unread: NumberMap::default(),
            unsettled: NumberMap::default(),
            counted: Vec::new(),
            waiting_for_wire: BTreeMap::new(),
            wanted: Vec::new(),
            reading: NumberMap::default(),
            later: Later::default(),
            attended: BTreeSet::new(),
            account_until: None,
            loads: 0,
            is_stopping: false,
            effects: Vec::new(),
        }
    }

    /// Hears what happened. What follows from it is for [`Self::turn`].
    pub fn hear(&mut self, input: Input) {
        let now = self.clock.now();
        match input {
            Input::Changed(changed) => self.hear_bell(changed),
            Input::Due(page, keys) => self.lanes.read(page, keys.ok().as_deref(), now),
            Input::DueOf(jobs, keys) => self.hear_keys(jobs, keys),
            Input::Work(asked, entries) => self.hear_work(&asked, entries, now),
            Input::Definitions(asked, definitions) => self.hear_definitions(&asked, definitions, now),
            Input::Watermark(result) => self.watermark.answered(result.is_ok()),
            Input::Written(batch, result) => self.hear_written(batch, result),
            Input::Ended(flight, outcome) => self.hear_ended(flight, outcome, now),
            Input::Attend(rows, account_until) => {
                self.account_until = account_until;
                self.attended.extend(rows.iter().copied());
                self.wanted.extend(rows);
            }
            Input::Stop => self.is_stopping = true,
        }
    }

    /// Does all that can be done by now.
    pub fn turn(&mut self) -> Vec<Effect> {
        let now = self.clock.now();
        if let Some(jump) = self.timepiece.look(&*self.clock) {
            self.lanes.clock_was_set();
            self.say(now, None, EventKind::ClockJumped { ticks: jump.ticks });
            if jump.ticks < 0 {
                self.effects.push(Effect::WentBack);
            }
        }
        self.ask_again();
        self.flights.become_slow(self.clock.steady(), &mut self.wire);
        self.start_counted(now);
        if !self.is_stopping {
            loop {
                self.lanes.look(now);
                if !self.start_some(now) {
                    break;
                }
            }
            self.effects.extend(self.lanes.page(now).map(Effect::ReadDue));
            while let Some(page) = self.lanes.page_of_lane(now) {
                self.effects.push(Effect::ReadDue(page));
            }
        }
        self.load();
        self.write();
        mem::take(&mut self.effects)
    }

    /// When it wants to have its next turn, whatever happens before.
    pub fn next_turn(&self) -> Timestamp {
        let latest = self.clock.now().saturating_add(TICK_TICKS_MAX);
        if self.is_stopping {
            return latest;
        }
        self.lanes.next_alarm().map_or(latest, |alarm| alarm.min(latest))
    }

    /// Whether nothing is on the wire and everything is written.
    pub fn is_idle(&self) -> bool {
        self.flights.is_empty() && self.drafts.is_empty() && self.unsettled.is_empty()
    }

    /// Attempts that are on the wire.
    pub fn in_flight(&self) -> u32 {
        self.wire.in_flight()
    }

    /// What it has in its memory.
    pub fn holdings(&self) -> Holdings {
        Holdings {
            keys: self.lanes.len(),
            lanes: self.lanes.number(),
            reading: self.reading.len() + self.unread.len(),
            wanted: self.wanted.len() + self.later.rows.len() + self.later.jobs.len() + self.attended.len(),
            unsettled: self.number_unsettled(),
            waiting_for_wire: self.waiting_for_wire.values().map(Vec::len).sum(),
        }
    }

    /// Attempts that are on the wire, and all that is not yet written down.
    fn number_unsettled(&self) -> usize {
        self.flights.len() + self.unsettled.len() + self.drafts.len()
    }

    fn hear_bell(&mut self, changed: Changed) {
        if changed.all {
            self.lanes.outdate_all();
            self.flights.outdate_all();
            self.reading.values_mut().for_each(|is_early| *is_early = true);
        }
        if changed.jobs.is_empty() {
            return;
        }
        for job in &changed.jobs {
            self.lanes.outdate(*job);
            // Rows beside the schedule are compared when they are written.
            self.flights.outdate((*job).into());
            if let Some(job) = self.memory.forget(*job) {
                self.effects.push(Effect::Forget(Arc::clone(&job.stored.definition)));
            }
        }
        self.effects.push(Effect::ReadDueOf(changed.jobs.into_iter().collect()));
    }

    fn hear_keys(&mut self, jobs: Vec<JobId>, keys: Result<Vec<DueKey>, Error>) {
        if let Ok(keys) = keys {
            for key in keys {
                self.lanes.put(key);
            }
        } else {
            self.later.at = self.clock.steady() + STORE_REST_TICKS;
            self.later.jobs.extend(jobs);
        }
    }

    /// Asks once more for what the store could not read a moment ago.
    fn ask_again(&mut self) {
        if self.clock.steady() < self.later.at {
            return;
        }
        self.wanted.append(&mut self.later.rows);
        if !self.later.jobs.is_empty() {
            self.effects.push(Effect::ReadDueOf(mem::take(&mut self.later.jobs)));
        }
    }

    /// These rows have to be read, but not at once: the store could not do something for them.
    fn want_later(&mut self, rows: impl IntoIterator<Item = WorkId>) {
        self.later.at = self.clock.steady() + STORE_REST_TICKS;
        self.later.rows.extend(rows);
    }

    fn say(&mut self, at: Timestamp, path: Option<Arc<str>>, kind: EventKind) {
        self.effects.push(Effect::Say(Event { at, path, kind }));
    }
}
