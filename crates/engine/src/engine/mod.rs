//! The machine: what happened goes in, what is to be done comes out.

mod attempt_spans;
mod batches;
mod counting;
mod effect;
mod input;
mod owning;
mod reading;
mod starting;

use std::mem;
use std::sync::Arc;

use punctual_metrics::Metrics;
use punctual_model::event::{Event, EventKind};
use punctual_model::time::{Clock, TICKS_PER_SECOND, Timestamp};
use punctual_store::{Changed, WorkId};
use punctual_telemetry::Telemetry;

use self::batches::Batches;
pub use self::counting::Holdings;
pub use self::effect::Effect;
pub use self::input::Input;
use self::owning::Poll;
use self::starting::Starts;
use crate::concurrency::Concurrency;
pub use crate::concurrency::ConcurrencyLimits;
use crate::definitions::DefinitionCache;
pub use crate::lanes::WindowLimits;
use crate::ownership::Ownership;
use crate::row::{Moment, RowEffect, RowEvent, RowState};
use crate::rows::Rows;
use crate::timepiece::Timepiece;
use crate::troubles::{StoreTask, TroubleCounts, Troubles};
use crate::watermark::Watermark;

/// However quiet it is, the clock is looked at this often.
const TICK_TICKS_MAX: i64 = TICKS_PER_SECOND;

/// How long the store is left alone after it could not do something.
const STORE_REST_TICKS: i64 = TICKS_PER_SECOND;

/// What the engine may do at once.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Attempts in flight.
    pub concurrency: ConcurrencyLimits,
    /// Keys in the window.
    pub window: WindowLimits,
    /// Attempts that are in flight or not yet written down. At this number nothing new is started: a slow store stops
    /// starts, and never a settlement.
    pub unsettled_max: usize,
    /// Rows that may wait to be written before lanes have to share: attempts that fail at once end faster than the store
    /// can write, and must not take all of `unsettled_max` from others. A lane with more than its share starts nothing.
    pub writing_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: ConcurrencyLimits { server: 2048, collection: 512, host: 64 },
            window: WindowLimits::default(),
            unsettled_max: 50_000,
            writing_max: 8192,
        }
    }
}

/// The machine.
pub struct Engine {
    clock: Arc<dyn Clock>,
    /// What the clock showed when the last input was heard or the last turn began.
    now: Timestamp,
    settings: Settings,
    timepiece: Timepiece,
    watermark: Watermark,
    rows: Rows,
    concurrency: Concurrency,
    definitions: DefinitionCache,
    batches: Batches,
    starts: Starts,
    poll: Poll,
    troubles: Troubles,
    metrics: Arc<Metrics>,
    /// Where attempts that are settled are told of, if somebody traces them.
    telemetry: Option<Arc<Telemetry>>,
    /// When the lanes were last looked through for what is overdue, as a reading of the steady clock.
    looked_at: Option<i64>,
    /// Maintenance accounts for nominal times up to here.
    account_until: Option<Timestamp>,
    is_stopping: bool,
    effects: Vec<Effect>,
    /// The list for the effects of a step, kept for the next step. It is empty while the effects of a step are carried out,
    /// which can let something happen to other rows.
    row_effects: Vec<RowEffect>,
}

impl Engine {
    /// A machine that knows nothing yet. What an earlier process may have sent must have been taken over before.
    pub fn new(clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            timepiece: Timepiece::new(&*clock),
            now: clock.now(),
            clock,
            settings,
            watermark: Watermark::default(),
            rows: Rows::new(settings.window),
            concurrency: Concurrency::new(settings.concurrency),
            definitions: DefinitionCache::default(),
            batches: Batches::default(),
            starts: Starts::default(),
            poll: Poll::default(),
            troubles: Troubles::default(),
            metrics: Arc::default(),
            telemetry: None,
            looked_at: None,
            account_until: None,
            is_stopping: false,
            effects: Vec::new(),
            row_effects: Vec::new(),
        }
    }

    /// The machine, which counts there.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.troubles = Troubles::new(Arc::clone(&metrics));
        self.metrics = metrics;
        self
    }

    /// The machine, which tells there of attempts that are settled.
    #[must_use]
    pub fn with_telemetry(mut self, telemetry: Option<Arc<Telemetry>>) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// The machine of a node that may run this.
    #[must_use]
    pub fn with_ownership(mut self, ownership: Ownership) -> Self {
        self.rows.ownership = ownership;
        self
    }

    /// Hears what happened. What follows from it is for [`Self::turn`].
    pub fn hear(&mut self, input: Input) {
        self.now = self.clock.now();
        match input {
            Input::Changed(changed) => self.hear_changed(changed),
            Input::Due(page, keys) => self.hear_due(page, keys),
            Input::DueOf(jobs, keys) => self.hear_keys(jobs, keys),
            Input::Work(asked, rows) => self.hear_work(&asked, rows),
            Input::Definitions(asked, definitions) => self.hear_definitions(&asked, definitions),
            Input::Watermark(node, _) if node != self.node() => {}
            Input::Watermark(_, result) => {
                self.troubles.record(StoreTask::SetWatermark, result.as_ref().err(), self.clock.steady());
                self.watermark.record(result.is_ok(), self.clock.steady() + STORE_REST_TICKS);
            }
            Input::Written(batch, outcome) => self.hear_written(batch, outcome),
            Input::Landed(batch, landed) => self.hear_landed(batch, &landed),
            Input::Ended(flight, outcome) => self.hear_ended(flight, outcome),
            Input::Recheck(rows, account_until) => {
                self.account_until = account_until;
                for id in &rows {
                    self.apply(*id, RowEvent::Recheck);
                }
                self.report_rechecked(1);
            }
            Input::Ownership(ownership) => self.hear_ownership(ownership),
            Input::GiveUp(shards) => self.hear_give_up(shards),
            Input::Polled(page, keys) => self.hear_polled(&page, keys),
            Input::Stop => self.is_stopping = true,
        }
    }

    /// Does all that can be done by now.
    pub fn turn(&mut self) -> Vec<Effect> {
        self.now = self.clock.now();
        let now = self.now;
        if let Some(jump) = self.timepiece.look(&*self.clock) {
            self.metrics.engine.clock_jumps.increment();
            self.forget_window();
            self.effects.push(Effect::Publish(Event {
                at: now,
                path: None,
                kind: EventKind::ClockJumped { ticks: jump.ticks },
            }));
            if jump.ticks < 0 {
                self.effects.push(Effect::WentBack);
            }
        }
        self.end_rest();
        self.mark_slow();
        self.start_resends();
        if !self.is_resting() {
            loop {
                self.look_at_lanes(now);
                if !self.start_some(now) {
                    break;
                }
            }
            self.read_keys(now);
            self.poll();
        }
        self.send_reads();
        self.send_batches();
        self.show();
        mem::take(&mut self.effects)
    }

    /// When the machine wants to have its next turn, whatever happens before.
    pub fn next_turn(&self) -> Timestamp {
        let latest = self.clock.now().saturating_add(TICK_TICKS_MAX);
        if self.is_resting() {
            return latest;
        }
        self.rows.indexes.lanes.next_alarm(self.rows.pauses.is_paused()).map_or(latest, |alarm| alarm.min(latest))
    }

    /// Whether nothing is in flight and everything is written.
    pub fn is_idle(&self) -> bool {
        self.rows.totals().unsettled == 0 && self.batches.is_empty()
    }

    /// Whether nothing is left of which others would not know whether it was sent. The outcome of an attempt whose row could not be
    /// written ends with the process.
    pub fn can_say_goodbye(&self) -> bool {
        self.is_idle() && self.rows.filter(|state| matches!(state, RowState::SetAside(Some(_)))).is_empty()
    }

    /// Attempts that are in flight.
    pub fn in_flight(&self) -> u32 {
        self.concurrency.taken()
    }

    /// What went wrong with the store so far.
    pub fn troubles(&self) -> TroubleCounts {
        self.troubles.counts()
    }

    /// Derives all indexes from the rows' states, and says where they differ from what is kept. For simulations.
    pub fn check_indexes(&self) -> Result<(), String> {
        self.rows.check_indexes()?;
        let slots = self.rows.filter(|state| {
            let RowState::Writing(writing) = state else {
                return matches!(state, RowState::InFlight(_) | RowState::Resending(_));
            };
            matches!(writing.reason, crate::row::WriteReason::Resend(_))
        });
        if slots.len() != self.concurrency.taken() as usize {
            return Err(format!("{} slots are taken by {slots:?}", self.concurrency.taken()));
        }
        Ok(())
    }

    /// Whether nothing at all is started: the engine stops, or the server is paused and holds messages, too. Then nothing is
    /// read ahead of its time, and the watermark stays where it is. In any other pause the server's own jobs start, which
    /// deliver messages; the rows of other jobs are not read, and the watermark is not set for them.
    fn is_resting(&self) -> bool {
        self.is_stopping || self.rows.pauses.holds_messages()
    }

    fn moment(&self) -> Moment {
        Moment { now: self.now, account_until: self.account_until }
    }

    /// Lets an event happen to a row, and does what follows.
    fn apply(&mut self, id: WorkId, event: RowEvent) {
        let moment = self.moment();
        let mut effects = mem::take(&mut self.row_effects);
        self.rows.apply(id, event, moment, &mut effects);
        for effect in effects.drain(..) {
            self.carry_out(id, effect, moment);
        }
        self.row_effects = effects;
    }

    fn carry_out(&mut self, id: WorkId, effect: RowEffect, moment: Moment) {
        match effect {
            RowEffect::EnterWindow(key) => self.rows.put(key, moment),
            RowEffect::ReadDefinition(job) => self.rows.indexes.reads.add_definition(job),
            RowEffect::CoverWakeTime(_) if self.rows.pauses.is_paused() => {}
            RowEffect::CoverWakeTime(wake_at) => self.cover(wake_at, moment.now),
            RowEffect::Write(change) => self.batches.add(change),
            RowEffect::Note(note) => self.batches.note(note),
            RowEffect::Start(flight, call) => {
                self.starts.record(flight, self.clock.steady());
                self.count_start(flight);
                self.effects.push(Effect::Start(flight, call));
            }
            RowEffect::FreeSlot(slot, job, lesson) => {
                for lane in self.concurrency.give_back(&slot, lesson) {
                    self.rows.indexes.lanes.enter_ring(lane, moment.now);
                }
                self.release_held_back(job);
            }
            RowEffect::HostIsSlow { collection, host, is_new } => {
                self.concurrency.mark_slow(collection, &host, is_new);
            }
            RowEffect::Publish(event) => self.effects.push(Effect::Publish(event)),
            RowEffect::ForgetDefinition(job) => _ = self.definitions.forget(job),
            RowEffect::SetAside(reason) => self.troubles.record_set_aside(id, &reason),
            RowEffect::Impossible(what) => self.troubles.record_impossible(id, &what),
        }
    }

    /// Has the watermark made durable beyond a wake time, if it is not.
    fn cover(&mut self, wake_at: Timestamp, now: Timestamp) {
        if self.is_resting() {
            return;
        }
        let node = self.node();
        let until = self.watermark.ask(wake_at, now, self.clock.steady());
        self.effects.extend(until.map(|until| Effect::SetWatermark(node, until)));
    }

    fn hear_changed(&mut self, changed: Changed) {
        if let Some(pauses) = changed.pauses {
            self.rows.pauses = pauses;
        }
        if changed.all {
            for id in self.rows.filter(|state| !matches!(state, RowState::Waiting { .. })) {
                self.apply(id, RowEvent::Changed);
            }
            self.rows.indexes.lanes.begin_again();
        }
        if changed.jobs.is_empty() {
            return;
        }
        for job in &changed.jobs {
            for id in self.rows.of_job(*job) {
                self.apply(id, RowEvent::Changed);
            }
            if let Some(job) = self.definitions.forget(*job) {
                self.effects.push(Effect::Forget(Arc::clone(&job.definition.definition)));
            }
        }
        self.effects.push(Effect::ReadDueOf(changed.jobs.into_iter().collect()));
    }

    /// Forgets the window: the clock was set. What is far away now must not take the room of what is near.
    fn forget_window(&mut self) {
        let moment = self.moment();
        for id in self.rows.filter(|state| matches!(state, RowState::Waiting { .. } | RowState::Ready(_))) {
            self.rows.forget(id, moment);
        }
        self.rows.indexes.lanes.forget_reach();
    }

    /// Tells maintenance when the last of `before` rows was looked at.
    fn report_rechecked(&mut self, before: usize) {
        if before > 0 && self.rows.totals().rechecks == 0 {
            self.effects.push(Effect::Rechecked);
        }
    }
}
