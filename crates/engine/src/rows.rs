//! All rows that the engine knows, each in one state, and the indexes over them.
//!
//! [`Rows::apply`] is the one function that replaces a state. It alone keeps the indexes, which are never a second truth:
//! what they hold of a row is its [`Traces`], a function of its state. [`Rows::check_indexes`] derives them all again and
//! compares.

mod traces;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use punctual_model::dispatch::InFlight;
use punctual_model::lane::Lane;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;
use punctual_store::{Claim, DueKey, JobId, Shards, WorkId};

pub(crate) use self::traces::Totals;
use self::traces::Traces;
use crate::beside_rows::BesideRows;
use crate::lanes::{Admission, Lanes, Standing, WindowLimits};
use crate::number_map::NumberMap;
use crate::ownership::Ownership;
use crate::reads::Reads;
use crate::row::{FlightId, Moment, Row, RowEffect, RowEvent, RowState, StepContext, step};

/// The table of rows, with its indexes.
pub(crate) struct Rows {
    table: NumberMap<WorkId, RowState>,
    beside: BesideRows,
    pub(crate) indexes: Indexes,
    /// The pauses of the server, which explain times that are not run.
    pub(crate) pauses: Pauses,
    /// What the node may run.
    pub(crate) ownership: Ownership,
}

/// What follows from the states of the rows.
pub(crate) struct Indexes {
    pub(crate) lanes: Lanes,
    pub(crate) reads: Reads,
    /// The attempts of each job that are in flight, or about to be sent again.
    in_flight: NumberMap<JobId, InFlight>,
    held_back: BTreeMap<JobId, Vec<WorkId>>,
    /// Resends that are written and not started.
    resends: Vec<WorkId>,
    /// How many rows of each lane are being written.
    writing: NumberMap<Lane, usize>,
    totals: Totals,
}

impl Rows {
    pub(crate) fn new(limits: WindowLimits) -> Self {
        let indexes = Indexes {
            lanes: Lanes::new(limits),
            reads: Reads::default(),
            in_flight: NumberMap::default(),
            held_back: BTreeMap::new(),
            resends: Vec::new(),
            writing: NumberMap::default(),
            totals: Totals::default(),
        };
        let (beside, pauses, ownership) = (BesideRows::default(), Pauses::default(), Ownership::ALONE);
        Self { table: NumberMap::default(), beside, indexes, pauses, ownership }
    }

    /// How many rows are known.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// How many rows take room in the window: not those that are set aside, however many they are.
    pub(crate) fn in_window(&self) -> usize {
        self.table.len() - self.indexes.totals.set_aside
    }

    pub(crate) fn totals(&self) -> Totals {
        self.indexes.totals
    }

    pub(crate) fn state(&self, id: WorkId) -> &RowState {
        self.table.get(&id).unwrap_or(&RowState::Unknown)
    }

    /// The row that is ready, if it is.
    pub(crate) fn ready(&self, id: WorkId) -> Option<&Row> {
        if let RowState::Ready(row) = self.state(id) { Some(row) } else { None }
    }

    /// Whether that attempt is in flight.
    pub(crate) fn is_in_flight(&self, id: FlightId) -> bool {
        matches!(self.state(id.row), RowState::InFlight(flight) if flight.number == id.number)
    }

    /// Attempts of a job that are in flight, or about to be sent again.
    pub(crate) fn in_flight(&self, job: JobId) -> InFlight {
        self.indexes.in_flight.get(&job).copied().unwrap_or_default()
    }

    /// How many rows of a lane are being written, and of how many lanes some are.
    pub(crate) fn writing(&self, lane: Lane) -> (usize, usize) {
        (self.indexes.writing.get(&lane).copied().unwrap_or(0), self.indexes.writing.len())
    }

    /// All known rows of a job.
    pub(crate) fn of_job(&self, job: JobId) -> Vec<WorkId> {
        self.beside.of_job(job).chain([WorkId::from(job)]).filter(|id| self.table.contains_key(id)).collect()
    }

    /// The job that a row is of, as far as is known: the schedule of a job has its number.
    pub(crate) fn job_of(&self, id: WorkId) -> JobId {
        self.beside.job_of(id).unwrap_or(JobId(id.0))
    }

    /// Takes note of the job that a row is of.
    pub(crate) fn set_job(&mut self, id: WorkId, job: JobId) {
        if self.table.contains_key(&id) {
            self.beside.add(id, job);
        }
    }

    /// All known rows in a state that `is_meant`.
    pub(crate) fn filter(&self, is_meant: impl Fn(&RowState) -> bool) -> Vec<WorkId> {
        self.table.iter().filter(|(_, state)| is_meant(state)).map(|(id, _)| *id).collect()
    }

    /// Rows of a job that were held back, and for which nothing is in flight any more that they waited for.
    pub(crate) fn released(&self, job: JobId) -> Vec<WorkId> {
        let InFlight { scheduled, asked_for } = self.in_flight(job);
        let is_released = |id: &&WorkId| match self.state(**id) {
            RowState::HeldBack(held_back) => asked_for == 0 && (scheduled == 0 || !held_back.waits_for_schedule),
            _ => false,
        };
        self.indexes.held_back.get(&job).into_iter().flatten().filter(is_released).copied().collect()
    }

    /// Attempts of some shards that are in flight or not yet written down.
    pub(crate) fn claims(&self, shards: Shards) -> Vec<Claim> {
        self.table.values().filter_map(|state| state.claim(shards)).collect()
    }

    /// Resends that are written and not started.
    pub(crate) fn resends(&self) -> Vec<WorkId> {
        self.indexes.resends.clone()
    }

    /// Puts the key of a row where the window has room for it. If the row is waiting already, the earlier time counts: a
    /// key may have been read before the row was written, and who comes too early finds the right time in the row.
    pub(crate) fn put(&mut self, key: DueKey, moment: Moment) {
        match self.state(key.id) {
            RowState::Unknown => {}
            RowState::Waiting { wake_at, .. } if *wake_at > key.wake_at => self.forget(key.id, moment),
            RowState::Ready(row) if row.open().is_none_or(|open| open.wake_at > key.wake_at) => {
                self.forget(key.id, moment);
            }
            _ => return,
        }
        match self.indexes.lanes.admit(key, self.in_window()) {
            Admission::NoRoom => return,
            Admission::Room => {}
            Admission::InsteadOf(id) => self.forget(id, moment),
        }
        self.apply(key.id, RowEvent::Found(key), moment, &mut Vec::new());
        self.beside.add(key.id, key.job);
    }

    /// Forgets a row that waits or is ready.
    pub(crate) fn forget(&mut self, id: WorkId, moment: Moment) {
        self.apply(id, RowEvent::Forgotten, moment, &mut Vec::new());
    }

    /// Replaces the state of a row by the one that follows from an event, and keeps the indexes. What has to be done is
    /// added to `effects`.
    pub(crate) fn apply(&mut self, id: WorkId, event: RowEvent, moment: Moment, effects: &mut Vec<RowEffect>) {
        let mut entry = self.table.entry(id);
        let state = match &mut entry {
            Entry::Occupied(known) => mem::take(known.get_mut()),
            Entry::Vacant(_) => RowState::Unknown,
        };
        let Moment { now, account_until } = moment;
        let context = StepContext { now, account_until, pauses: &self.pauses, ownership: &self.ownership };
        let before = Traces::of(&state);
        let state = step(state, event, context, effects);
        self.indexes.replace(id, before, Traces::of(&state));
        match entry {
            Entry::Occupied(known) if matches!(state, RowState::Unknown) => {
                known.remove();
                self.beside.remove(id);
            }
            Entry::Occupied(mut known) => *known.get_mut() = state,
            Entry::Vacant(_) if matches!(state, RowState::Unknown) => {}
            Entry::Vacant(place) => _ = place.insert(state),
        }
    }

    /// Derives all indexes from the states of the rows, and says where they differ from what is kept.
    pub(crate) fn check_indexes(&self) -> Result<(), String> {
        let (mut totals, mut in_flight) = (Totals::default(), NumberMap::default());
        let (mut standings, mut reading, mut writing) = (BTreeSet::new(), BTreeMap::new(), NumberMap::default());
        for (id, state) in &self.table {
            let traces = Traces::of(state);
            traces.count(&mut totals, |total, is_counted| total + usize::from(is_counted));
            count_in_flight(&mut in_flight, None, traces.in_flight);
            count_writing(&mut writing, None, traces.writing);
            match traces.standing {
                Some(Standing::Reading(lane)) => *reading.entry(lane).or_insert(0) += 1,
                Some(standing) => _ = standings.insert((*id, standing)),
                None => {}
            }
            let is_queued = traces.queued.is_none_or(|urgency| self.indexes.reads.has(*id, urgency));
            let is_kept = |job| self.indexes.held_back.get(&job).is_some_and(|rows| rows.contains(id));
            let is_held_back = traces.held_back.is_none_or(is_kept);
            if !is_queued || !is_held_back || traces.is_resend != self.indexes.resends.contains(id) {
                return Err(format!("row {} is not where {state:?} says", id.0));
            }
        }
        if totals != self.indexes.totals {
            return Err(format!("{totals:?} is kept as {:?}", self.indexes.totals));
        }
        if writing != self.indexes.writing {
            return Err(format!("writing {writing:?} is kept as {:?}", self.indexes.writing));
        }
        if in_flight != self.indexes.in_flight {
            return Err(format!("in flight {in_flight:?} is kept as {:?}", self.indexes.in_flight));
        }
        let reading: Vec<_> = reading.into_iter().collect();
        if standings != self.indexes.lanes.standings() || reading != self.indexes.lanes.reading() {
            return Err("the lanes do not hold what the rows say".to_owned());
        }
        self.beside.check(&self.table)
    }
}

impl Indexes {
    /// Replaces what the indexes hold of a row.
    fn replace(&mut self, id: WorkId, before: Traces, after: Traces) {
        if before == after {
            return;
        }
        if before.standing != after.standing {
            if let Some(standing) = before.standing {
                self.lanes.remove(id, standing);
            }
            if let Some(standing) = after.standing {
                self.lanes.add(id, standing);
            }
        }
        if before.queued != after.queued
            && let Some(urgency) = after.queued
        {
            self.reads.add(id, urgency);
        }
        if before.in_flight != after.in_flight {
            count_in_flight(&mut self.in_flight, before.in_flight, after.in_flight);
        }
        if before.writing != after.writing {
            count_writing(&mut self.writing, before.writing, after.writing);
        }
        if let Some(job) = before.held_back
            && let Some(rows) = self.held_back.get_mut(&job)
        {
            rows.retain(|row| *row != id);
            if rows.is_empty() {
                self.held_back.remove(&job);
            }
        }
        if let Some(job) = after.held_back {
            self.held_back.entry(job).or_default().push(id);
        }
        if before.is_resend {
            self.resends.retain(|row| *row != id);
        }
        if after.is_resend {
            self.resends.push(id);
        }
        before.count(&mut self.totals, |total, is_counted| total - usize::from(is_counted));
        after.count(&mut self.totals, |total, is_counted| total + usize::from(is_counted));
    }
}

fn count_in_flight(
    in_flight: &mut NumberMap<JobId, InFlight>,
    before: Option<(JobId, bool)>,
    after: Option<(JobId, bool)>,
) {
    if let Some((job, is_scheduled)) = after {
        *number_of(in_flight.entry(job).or_default(), is_scheduled) += 1;
    }
    if let Some((job, is_scheduled)) = before
        && let Some(numbers) = in_flight.get_mut(&job)
    {
        *number_of(numbers, is_scheduled) -= 1;
        if *numbers == InFlight::default() {
            in_flight.remove(&job);
        }
    }
}

fn count_writing(writing: &mut NumberMap<Lane, usize>, before: Option<Lane>, after: Option<Lane>) {
    if let Some(lane) = after {
        *writing.entry(lane).or_default() += 1;
    }
    if let Some(lane) = before
        && let Entry::Occupied(mut rows) = writing.entry(lane)
    {
        *rows.get_mut() -= 1;
        if *rows.get() == 0 {
            rows.remove();
        }
    }
}

fn number_of(in_flight: &mut InFlight, is_scheduled: bool) -> &mut u32 {
    if is_scheduled { &mut in_flight.scheduled } else { &mut in_flight.asked_for }
}

/// What a waiting row takes: its entry in the table, and its place in its lane.
const _: () = assert!(size_of::<(WorkId, RowState)>() + size_of::<(Timestamp, WorkId)>() <= 48);
