//! Sees everything that happens, and says what must not: the checks of both simulations.

use std::collections::BTreeMap;
use std::fmt::Write;

use punctual_actions::Call;
use punctual_model::history::{Reason, Status, StatusKind};
use punctual_model::job::{Job, JobState, State};
use punctual_model::occurrence::Origin;
use punctual_model::time::{Clock, TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};
use punctual_simulated_store::{Tables, WorkRow};
use punctual_store::{JobId, NodeId};

use crate::definitions::version;
use crate::ledger::Ledger;
use crate::targets::Targets;
use crate::users::{Answer, Request};

/// How long nothing starts after the clock has leapt forward.
const LEAP_TICKS: i64 = 30 * TICKS_PER_SECOND;

/// All that was seen.
pub(crate) struct Witness {
    pub(crate) ledger: Ledger,
    targets: Targets,
    /// Attempts in flight with their starts, by the number of the flight.
    in_flight: BTreeMap<u64, (JobId, Origin, Timestamp)>,
    /// How often the server was started.
    process: u32,
    /// The latest that the clock on the wall has shown.
    latest: Timestamp,
    /// The clock on the wall has leapt: before this reading of the steady clock nothing may start.
    trusted_from: i64,
    /// The number of the last record that was checked.
    checked_until: u64,
    pub(crate) tally: Tally,
    /// What happened, if anyone wants to know.
    pub(crate) trace: Option<String>,
}

/// What happened how often.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) seeds: u64,
    pub(crate) starts: u64,
    pub(crate) resent: u64,
    pub(crate) crashes: u64,
    pub(crate) not_run: u64,
    /// Those of them that are explained by a pause.
    pub(crate) paused: u64,
    pub(crate) duplicates: u64,
    pub(crate) days: i64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.seeds += 1;
        self.starts += other.starts;
        self.resent += other.resent;
        self.crashes += other.crashes;
        self.not_run += other.not_run;
        self.paused += other.paused;
        self.duplicates += other.duplicates;
        self.days += other.days;
    }
}

impl Witness {
    pub(crate) fn new(now: Timestamp, is_traced: bool) -> Self {
        Self {
            ledger: Ledger::default(),
            targets: Targets::default(),
            in_flight: BTreeMap::new(),
            process: 1,
            latest: now,
            trusted_from: 0,
            checked_until: 0,
            tally: Tally::default(),
            trace: is_traced.then(String::new),
        }
    }

    /// Writes down what happens, if anyone wants to know.
    pub(crate) fn note(&mut self, now: Timestamp, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            writeln!(trace, "{now} {}", what()).expect("a line");
        }
    }

    /// The clock shows this.
    pub(crate) fn see_time(&mut self, now: Timestamp) {
        self.latest = self.latest.max(now);
    }

    /// Someone sets the clock on the wall.
    pub(crate) fn see_clock_set(&mut self, ticks: i64, clock: &dyn Clock) {
        self.note(clock.now(), || format!("CLOCK set by {} s", ticks / TICKS_PER_SECOND));
        if ticks > TICKS_PER_HOUR {
            self.trusted_from = clock.steady() + LEAP_TICKS;
        }
    }

    /// A server is started. Nothing that an earlier one had in flight will be heard of.
    pub(crate) fn see_start_of_process(&mut self, now: Timestamp, marked: u64) {
        self.note(now, || format!("START, {marked} may have been sent before"));
        self.process += 1;
        self.trusted_from = 0;
        self.in_flight.clear();
    }

    /// The engine looks at the clock for the first time: leaps before that are none to it.
    pub(crate) fn see_first_turn(&mut self) {
        self.trusted_from = 0;
    }

    /// Whether the engine may make this attempt now.
    pub(crate) fn check_start(
        &mut self,
        flight: u64,
        call: &Call,
        tables: &Tables,
        clock: &dyn Clock,
    ) -> Result<(), String> {
        let Some(id) = tables.find_job(&call.job_path) else {
            return Err(format!("{} for {}: it is started although it was deleted", call.job_path, call.nominal));
        };
        let wrong = |what: &str| Err(format!("job {} for {}: {what}", id.0, call.nominal));
        let job = &tables.jobs[&id];
        let Some(row) = row_of(tables, id, call) else { return wrong("it is started although it is not open") };
        let Some(open) = row.occurrence() else { return wrong("nothing is open") };
        if open.wake_at > clock.now() {
            return wrong("it is started too early");
        }
        // What was started at the very instant of the leap was started before it.
        let is_after_leap = clock.steady() > self.trusted_from - LEAP_TICKS;
        if is_after_leap && clock.steady() < self.trusted_from {
            return wrong("it is started although the clock has just leapt");
        }
        if tables.watermarks.get(&NodeId::ONLY).is_none_or(|watermark| open.wake_at > *watermark) {
            return wrong("it is started beyond the watermark");
        }
        if version(&call.definition) != version(&job.definition) {
            return wrong("it is started with an old definition");
        }
        if call.is_resent != (row.resends > 0) {
            return wrong("the mark of a resend is wrong");
        }
        if call.attempt != open.attempt + 1 {
            return wrong("the number of the attempt is wrong");
        }
        if tables.is_paused() {
            return wrong("it is started although the server is paused");
        }
        let is_scheduled = open.origin == Origin::Schedule;
        let is_stopped =
            matches!(job.state, JobState::Disabled(_)) || tables.collections[&job.collection].stopped_at.is_some();
        if is_stopped && is_scheduled && !call.is_resent {
            return wrong("it is started although it is disabled");
        }
        if is_stopped && open.origin == Origin::Backfill && open.is_untried() && !call.is_resent {
            return wrong("a backfill is started although its job is disabled");
        }
        if job.state.kind().is_final() && is_scheduled {
            return wrong("it is started although the job has ended");
        }
        let others = || self.in_flight.values().filter(|(other, ..)| *other == id);
        let mut scheduled = others().filter(|(_, origin, _)| *origin == Origin::Schedule);
        if is_scheduled && !self.ledger.may_overlap(id) && scheduled.next().is_some() {
            return wrong("it overlaps another one");
        }
        if !is_scheduled && others().any(|(_, origin, _)| *origin != Origin::Schedule) {
            return wrong("a manual run did not wait for another one");
        }
        // Attempts that started later it need not wait for; which ones did nobody can tell after the clock went back.
        let can_tell = clock.now() >= self.latest && !self.ledger.may_overlap(id);
        if !is_scheduled && can_tell && scheduled.any(|(_, _, started)| *started < open.wake_at) {
            return wrong("a manual run did not wait for the schedule's attempt");
        }
        if self.ledger.is_settled(&(call.occurrence, open.attempt)) && !self.ledger.may_repeat(id) {
            return wrong("it is started although it is settled");
        }
        self.in_flight.insert(flight, (id, open.origin, clock.now()));
        Ok(())
    }

    /// An attempt is in flight.
    pub(crate) fn see_flight(&mut self, flight: u64, job: JobId, origin: Origin, now: Timestamp) {
        self.in_flight.insert(flight, (job, origin, now));
    }

    /// A process is gone, with these flights.
    pub(crate) fn see_end_of_process(&mut self, is_gone: impl Fn(u64) -> bool) {
        self.in_flight.retain(|flight, _| !is_gone(*flight));
    }

    /// A target receives a call.
    pub(crate) fn receive(&mut self, call: &Call, tables: &Tables) -> Result<(), String> {
        self.receive_from(call, tables, self.process)
    }

    /// The same of one of several processes.
    pub(crate) fn receive_from(&mut self, call: &Call, tables: &Tables, process: u32) -> Result<(), String> {
        self.tally.starts += 1;
        self.tally.resent += u64::from(call.is_resent);
        let received = self.targets.receive(call.attempt_id, call, process);
        let may_repeat = tables.find_job(&call.job_path).is_none_or(|id| self.ledger.may_repeat(id));
        if may_repeat { Ok(()) } else { received }
    }

    /// An attempt has ended.
    pub(crate) fn see_end_of_flight(&mut self, flight: u64) {
        self.in_flight.remove(&flight);
    }

    /// A request was answered.
    pub(crate) fn see_answer(&mut self, answer: &Answer, request: &Request, tables: &Tables, now: Timestamp) {
        self.touch(answer, request, tables);
        match answer {
            Answer::Nothing | Answer::Stale => {}
            Answer::Written(id, before, revision) => {
                self.note(now, || {
                    let Job { state, anchor, series, progress, definition } = &revision.job;
                    format!(
                        "USER wrote job {}, asked at {}: {:?} {state:?} {anchor:?} {series} {progress:?} not run {:?} {} {:?}",
                        id.0,
                        request.now,
                        revision.effect,
                        revision.not_run,
                        revision.timetable.describe(definition.recurrence.as_ref()),
                        definition.options.parts()
                    )
                });
                self.ledger.write(*id, before.as_deref(), revision, request.now);
                // A time in which its collection was disabled, and of which not all jobs were told, may be taken for one of
                // this job's own, if the clock went back to it since.
                self.ledger.touch(*id, has_untold_stops(tables, *id), false);
            }
            Answer::Deleted(id) => {
                self.note(now, || format!("USER deleted job {}", id.0));
                self.ledger.forget(*id);
            }
            Answer::WillRun(id) => {
                self.note(now, || format!("USER runs job {}", id.0));
                self.ledger.ask(*id);
            }
            Answer::WillBackfill(id, times) => {
                self.note(now, || format!("USER backfills {times:?} of job {}", id.0));
                self.ledger.ask_backfill(*id, times);
            }
            Answer::Cancelled(id) => {
                self.note(now, || format!("USER cancels the backfill of job {}", id.0));
                self.ledger.excuse_backfills(*id);
            }
            Answer::Switched(..) | Answer::Paused => self.note(now, || format!("USER {:?}", request.command)),
        }
    }

    /// Tells the ledger which jobs were stopped, and which were written while the clock showed less than it ever had.
    fn touch(&mut self, answer: &Answer, request: &Request, tables: &Tables) {
        let (touched, is_stopped): (Vec<JobId>, bool) = match answer {
            Answer::Written(id, _, revision) => {
                let is_stopped = tables.collections[&tables.jobs[id].collection].stopped_at.is_some();
                (vec![*id], is_stopped || revision.job.state.kind() == State::Disabled)
            }
            Answer::Switched(collection, is_enabled) => {
                let jobs = tables.jobs.iter().filter(|(_, job)| job.collection == *collection);
                (jobs.map(|(id, _)| *id).collect(), !is_enabled)
            }
            _ => (Vec::new(), false),
        };
        for id in touched {
            self.ledger.touch(id, is_stopped, request.now < self.latest);
        }
    }

    /// What went to history since this was last asked must be right, and the counters with it.
    pub(crate) fn check_history(&mut self, tables: &Tables, now: Timestamp) -> Result<(), String> {
        for (number, entry) in tables.history.range(self.checked_until + 1..) {
            self.checked_until = *number;
            self.note(now, || {
                let twice = if entry.is_duplicate { ", a duplicate" } else { "" };
                format!("  history: job {} {:?} retry {}{twice}", entry.job.0, entry.record.status, entry.record.retry)
            });
            self.tally.duplicates += u64::from(entry.is_duplicate);
            self.tally.not_run += u64::from(entry.record.status.kind() == StatusKind::Postponed);
            let is_paused = matches!(entry.record.status, Status::Postponed(range) if range.reason == Reason::Paused);
            self.tally.paused += u64::from(is_paused);
            self.ledger.record(entry, tables)?;
        }
        self.ledger.forget_removed(tables);
        self.ledger.check_counters(tables)
    }

    /// What must hold when nothing has gone wrong for a while.
    pub(crate) fn check_quiet(&self, tables: &Tables, now: Timestamp) -> Result<(), String> {
        self.ledger.check(tables)?;
        let late = now.saturating_add(-20 * TICKS_PER_SECOND);
        for (id, row) in &tables.work {
            let flies = self.in_flight.values().any(|(job, ..)| *job == row.job);
            let is_excused = flies || tables.damage.concerns(*id, row.job);
            if !is_excused && let Some(open) = row.occurrence().filter(|open| open.wake_at < late) {
                return Err(format!("row {} of job {} is overdue and nobody starts it: {open:?}", id.0, row.job.0));
            }
        }
        Ok(())
    }
}

/// Whether a collection has times in which it was disabled that not all of its jobs were told of.
pub(crate) fn has_untold_stops(tables: &Tables, job: JobId) -> bool {
    let collection = tables.jobs[&job].collection;
    tables.ended_stops.iter().any(|((of, _), stop)| *of == collection && !stop.all_told)
}

pub(crate) fn row_of<'tables>(tables: &'tables Tables, id: JobId, call: &Call) -> Option<&'tables WorkRow> {
    let uid = tables.jobs[&id].uid;
    let is_called = |row: &&WorkRow| row.occurrence().is_some_and(|open| open.id(uid) == call.occurrence);
    tables.work.values().filter(|row| row.job == id).find(is_called)
}
