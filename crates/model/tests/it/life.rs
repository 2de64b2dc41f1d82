//! The life of one job, driven by hand: the clock, the edits and the outcomes are the test's, the decisions the model's.
//!
//! It does what an engine does with the decisions (keeps the rows, the counters and the record) and nothing else, and
//! writes down in plain words what happens.

use std::fmt::Write;

use punctual_model::action::{Action, Address, ErrorAction, HttpAction, HttpType, Secret, Target};
use punctual_model::dispatch::{Dispatch, DispatchBeside, InFlight, dispatch, dispatch_beside, dispatch_resent};
use punctual_model::history::NotRun;
use punctual_model::job::{Counters, Definition, Job, JobState, State, Uid};
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::options::{Options, OptionsParts};
use punctual_model::pause::Pauses;
use punctual_model::recurrence::{Frequency, Parts, Recurrence, Timetable};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::revise::{EditContext, Effect, Refusal, revise};
use punctual_model::settle::{Attempt, Settlement, Verdict, settle, settle_beside};
use punctual_model::terms::Terms;
use punctual_model::time::{DateTime, Span, Start as StartTime, TICKS_PER_SECOND, Timestamp, Zone};

/// The instant a text means, in UTC.
pub(crate) fn at(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}

/// A duration.
pub(crate) fn span(text: &str) -> Span {
    Span::parse(text).unwrap()
}

/// An action that calls `uri`, with one attempt and no error action.
pub(crate) fn call(uri: &str) -> Action<Option<Secret>> {
    Action { target: target(uri), retry: Some(retry(RetryKind::None, 0)), error: None, sign: None }
}

/// A request to `uri` without credentials.
pub(crate) fn target(uri: &str) -> Target<Option<Secret>> {
    Target::Http(HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(uri).unwrap(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: None,
    })
}

/// Retries 30 seconds apart.
pub(crate) fn retry(kind: RetryKind, count: i64) -> RetryPolicy {
    RetryPolicy::new(Some(kind), Some(span("PT30S")), None, Some(count)).unwrap()
}

/// An error action without retries.
pub(crate) fn error_action(uri: &str) -> ErrorAction<Option<Secret>> {
    ErrorAction { target: target(uri), retry: Some(retry(RetryKind::None, 0)) }
}

/// The recurrence of these parts.
pub(crate) fn recurrence(parts: &Parts) -> Recurrence {
    Recurrence::new(parts).unwrap()
}

/// Every `interval` units.
pub(crate) fn every(frequency: Frequency, interval: i64) -> Parts {
    Parts { frequency: Some(frequency), interval: Some(interval), ..Parts::default() }
}

/// A job that calls something, by the parts that matter to a test.
#[expect(clippy::needless_pass_by_value, reason = "a test writes the parts where it needs them")]
pub(crate) fn job(start: Option<&str>, parts: Option<Parts>) -> Definition<Option<Secret>> {
    Definition {
        start: start.map(|text| StartTime::at(at(text))),
        action: call("https://example.com"),
        recurrence: parts.as_ref().map(recurrence),
        options: Options::default(),
    }
}

/// The options of these parts.
pub(crate) fn options(parts: OptionsParts) -> Options {
    Options::new(parts).unwrap()
}

/// What came of a nominal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Its first attempt was made.
    Started(Timestamp),
    /// It was not run, or not to its end.
    NotRun(NotRun),
}

/// The nominal times of one series: those of a timetable after `from`, up to where an edit began another series.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub(crate) timetable: Timetable,
    pub(crate) from: Timestamp,
    pub(crate) to: Option<Timestamp>,
}

/// An attempt in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub(crate) occurrence: Occurrence,
    pub(crate) at: Timestamp,
    /// It has a row of its own.
    pub(crate) is_beside: bool,
    pub(crate) is_resent: bool,
}

/// One job and everything that happened to it.
pub(crate) struct Life {
    /// The job, once it was made.
    pub(crate) job: Option<Job>,
    /// Its timetable.
    pub(crate) timetable: Option<Timetable>,
    /// Occurrences with a row of their own.
    pub(crate) beside: Vec<Occurrence>,
    /// What was counted.
    pub(crate) counters: Counters,
    /// The record.
    pub(crate) ledger: Vec<Entry>,
    /// The occurrence of the schedule whose first attempt was made last.
    pub(crate) last_started: Option<Occurrence>,
    last_open: Timestamp,
    /// What was recorded as not run although it comes after the last occurrence that `count` allows.
    pub(crate) never_existed: Vec<NotRun>,
    /// The series it had.
    pub(crate) epochs: Vec<Epoch>,
    /// What happened, in words.
    pub(crate) log: String,
    /// The clock.
    pub(crate) now: Timestamp,
    collection_stopped_at: Option<Timestamp>,
    manual_runs: u32,
    /// The pauses of the server that edits know of.
    pub(crate) pauses: Pauses,
}

impl Life {
    /// Nothing yet, at `now`.
    pub(crate) fn new(now: &str) -> Self {
        Self {
            job: None,
            timetable: None,
            beside: Vec::new(),
            counters: Counters::default(),
            ledger: Vec::new(),
            last_started: None,
            last_open: Timestamp::MIN,
            never_existed: Vec::new(),
            epochs: Vec::new(),
            log: String::new(),
            now: at(now),
            collection_stopped_at: None,
            manual_runs: 0,
            pauses: Pauses::default(),
        }
    }

    /// Turns the clock.
    pub(crate) fn clock(&mut self, now: &str) -> &mut Self {
        self.now = at(now);
        self
    }

    /// Writes the definition, as a PUT does.
    pub(crate) fn put(&mut self, wanted: Definition<Option<Secret>>) -> &mut Self {
        self.put_as(wanted, None)
    }

    /// Writes the definition and names a state.
    pub(crate) fn put_as(&mut self, wanted: Definition<Option<Secret>>, state: Option<State>) -> &mut Self {
        let context = EditContext {
            now: self.now,
            uid: UID,
            sku: None,
            collection_stopped_at: self.collection_stopped_at,
            scheduled_beside: self.scheduled_beside(),
            failures: self.counters.failures,
            pauses: self.pauses.clone(),
        };
        match revise(self.job.as_ref(), wanted, state, &context) {
            Ok(revision) => {
                self.note(&format!("put: {:?}", revision.effect));
                self.record(revision.not_run.iter().copied());
                for warning in &revision.warnings {
                    self.note(&format!("  warning: {warning}"));
                }
                let goes_on = self.has_ended_series() && revision.effect != Effect::Unchanged;
                if self.timetable.as_ref() != Some(&revision.timetable) || goes_on {
                    self.begin_epoch(&revision.timetable, &revision.job);
                }
                if revision.effect != Effect::Unchanged {
                    self.job = Some(revision.job);
                    self.timetable = Some(revision.timetable);
                }
                self.note_state();
            }
            Err(Refusal::Ended(state)) => self.note(&format!("put: refused, the job is {}", state.name())),
            Err(Refusal::Invalid(violations)) => {
                for violation in violations {
                    self.note(&format!("put: refused, {violation}"));
                }
            }
        }
        self
    }

    /// How many occurrences that the schedule opened have rows of their own.
    fn scheduled_beside(&self) -> u32 {
        u32::try_from(self.beside.iter().filter(|beside| beside.origin == Origin::Schedule).count()).unwrap()
    }

    fn begin_epoch(&mut self, timetable: &Timetable, job: &Job) {
        if let Some(last) = self.epochs.last_mut() {
            let old = self.job.as_ref().unwrap();
            let count = old.definition.recurrence.as_ref().and_then(Recurrence::count);
            // After the last one that `count` allowed there was none to account for.
            let started = old.progress.started + u32::from(old.progress.open.is_some());
            let is_counted_out = old.progress.series == old.series && count.is_some_and(|count| started >= count);
            let last_nominal = old.progress.open.map_or(old.progress.accounted, |open| open.nominal);
            last.to = Some(if is_counted_out { last_nominal.min(self.now) } else { self.now });
        }
        self.epochs.push(Epoch { timetable: timetable.clone(), from: job.progress.accounted, to: None });
    }

    /// The job as it is stored, changed by `change` and written back, as a PATCH does.
    pub(crate) fn patch(&mut self, change: impl FnOnce(&mut Definition<Option<Secret>>)) -> &mut Self {
        let job = self.job.as_ref().unwrap();
        let (mut wanted, state) = (without_secrets(&job.definition), job.state.kind());
        change(&mut wanted);
        self.put_as(wanted, Some(state))
    }

    /// Disables or enables the job, and changes nothing else.
    pub(crate) fn switch(&mut self, state: State) -> &mut Self {
        let wanted = without_secrets(&self.job.as_ref().unwrap().definition);
        self.put_as(wanted, Some(state))
    }

    /// Disables or enables the collection.
    pub(crate) fn collection(&mut self, is_enabled: bool) -> &mut Self {
        self.note(if is_enabled { "collection enabled" } else { "collection disabled" });
        let stopped_at = self.collection_stopped_at.take();
        if !is_enabled {
            self.collection_stopped_at = Some(stopped_at.unwrap_or(self.now));
        } else if let Some(stopped_at) = stopped_at.filter(|_| !self.is_stopped()) {
            let progress = self.job.as_ref().unwrap().progress;
            let beside = self.scheduled_beside();
            let (progress, not_run, ends) = self.with_terms(|terms, now| {
                let (progress, not_run) = progress.enable(terms, stopped_at, now);
                (progress, not_run, progress.ends(terms, beside))
            });
            self.job.as_mut().unwrap().progress = progress;
            self.record(not_run);
            self.end_as(ends);
        }
        self.note_state();
        self
    }

    /// Adds a manual run, due now.
    pub(crate) fn run_by_hand(&mut self) -> &mut Self {
        self.manual_runs += 1;
        self.beside.push(Occurrence::asked_for(Origin::Manual(self.manual_runs), self.now, self.now));
        self.note("run by hand");
        self
    }

    /// Adds a run of something that ran before, due now.
    pub(crate) fn run_again(&mut self, before: &Occurrence) -> &mut Self {
        let origin = Origin::Rerun(before.origin.original().unwrap());
        let again = Occurrence::asked_for(origin, before.nominal, self.now);
        self.beside.push(Occurrence { phase: before.phase, repeat: before.repeat, ..again });
        self.note("run again");
        self
    }

    /// Waits for the schedule's next wake, and starts and ends its attempt, which takes `seconds`.
    pub(crate) fn next_takes(&mut self, seconds: i64, succeeds: bool) -> &mut Self {
        let Some(open) = self.job.as_ref().unwrap().progress.open else {
            self.note("nothing is open");
            return self;
        };
        self.now = self.now.max(open.wake_at);
        if let Some(started) = self.begin() {
            self.now = self.now.saturating_add(seconds * TICKS_PER_SECOND);
            self.end(started, verdict(succeeds));
        }
        self
    }

    /// Asks what shall be done with the open occurrence of the schedule, which is due, and gives what was started.
    pub(crate) fn begin(&mut self) -> Option<Started> {
        let progress = self.job.as_ref().unwrap().progress;
        let beside = self.scheduled_beside();
        let dispatch = self.with_terms(|terms, now| dispatch(terms, progress, beside, now));
        self.start(dispatch, false)
    }

    /// The same for an occurrence that may have been sent before the server ended.
    pub(crate) fn begin_again(&mut self) -> Option<Started> {
        let progress = self.job.as_ref().unwrap().progress;
        let beside = self.scheduled_beside();
        let dispatch = self.with_terms(|terms, _| dispatch_resent(terms, progress, beside));
        self.start(dispatch, true)
    }

    fn start(&mut self, dispatch: Dispatch, is_resent: bool) -> Option<Started> {
        match dispatch {
            Dispatch::Run => {
                let occurrence = self.job.as_ref().unwrap().progress.open.unwrap();
                Some(Started { occurrence, at: self.now, is_beside: false, is_resent })
            }
            Dispatch::RunBeside { occurrence, progress } => {
                self.beside.push(occurrence);
                self.job.as_mut().unwrap().progress = progress;
                Some(Started { occurrence, at: self.now, is_beside: true, is_resent })
            }
            Dispatch::Instead { progress, not_run, ends } => {
                self.job.as_mut().unwrap().progress = progress;
                self.note("not started");
                self.record(not_run);
                self.end_as(ends);
                self.note_state();
                None
            }
        }
    }

    /// The same for the occurrence beside the schedule that came last.
    pub(crate) fn begin_beside(&mut self, in_flight: InFlight) -> Option<Started> {
        let occurrence = *self.beside.last().unwrap();
        match self.with_terms(|terms, _| dispatch_beside(terms, &occurrence, in_flight, false)) {
            DispatchBeside::Run => Some(Started { occurrence, at: self.now, is_beside: true, is_resent: false }),
            DispatchBeside::Wait => {
                self.note("waits for the wire");
                None
            }
            DispatchBeside::Close(not_run) => {
                self.beside.pop();
                self.note("closed");
                self.record(not_run);
                let beside = self.scheduled_beside();
                let progress = self.job.as_ref().unwrap().progress;
                let ends = self.with_terms(|terms, _| progress.ends(terms, beside));
                self.end_as(ends.filter(|_| occurrence.origin == Origin::Schedule));
                None
            }
        }
    }

    /// Ends an attempt now.
    pub(crate) fn end(&mut self, started: Started, verdict: Verdict) -> &mut Self {
        let Started { occurrence, at, is_beside, is_resent } = started;
        let attempt = Attempt { occurrence, started: at, ended: self.now, verdict, is_resent };
        self.note_attempt(&occurrence, &attempt);
        let progress = self.job.as_ref().unwrap().progress;
        if is_beside {
            let row = self.beside.iter().position(|row| row.is_same_attempt(&occurrence)).unwrap();
            self.beside.remove(row);
            let others = self.scheduled_beside();
            let settlement =
                self.with_terms(|terms, _| settle_beside(terms, occurrence, &attempt, &progress, others)).unwrap();
            self.job.as_mut().unwrap().progress.last_failed = attempt.last_failed(progress.last_failed);
            self.beside.extend(settlement.row);
            self.apply(&settlement);
        } else {
            let beside = self.scheduled_beside();
            match self.with_terms(|terms, _| settle(terms, progress, &attempt, beside)) {
                Some(settlement) => {
                    self.job.as_mut().unwrap().progress = settlement.row;
                    self.apply(&settlement);
                }
                None => self.note("a duplicate delivery"),
            }
        }
        self.note_state();
        self
    }

    fn apply<Row>(&mut self, settlement: &Settlement<Row>) {
        self.counters = self.counters.plus(settlement.counted);
        self.end_as(settlement.ends);
        self.record(settlement.not_run.iter().copied());
    }

    fn end_as(&mut self, ends: Option<State>) {
        let job = self.job.as_mut().unwrap();
        if let Some(state) = ends {
            assert!(!job.state.kind().is_final() || job.state.kind() == state, "a final state never changes");
            job.state = JobState::ended(state);
        }
    }

    /// What the current definition says.
    pub(crate) fn with_terms<T>(&self, ask: impl FnOnce(&Terms<'_>, Timestamp) -> T) -> T {
        let job = self.job.as_ref().unwrap();
        let stopped_at = job.state.stopped_at(self.collection_stopped_at);
        let timetable = self.timetable.as_ref().unwrap();
        ask(&Terms::of(UID, &job.definition, timetable, job.series, None, stopped_at), self.now)
    }

    /// Ends a day now: what came due behind an open occurrence is recorded.
    pub(crate) fn end_day(&mut self) -> &mut Self {
        if !self.is_stopped() {
            let progress = self.job.as_ref().unwrap().progress;
            let (progress, not_run) = self.with_terms(|terms, now| progress.account(terms, now));
            self.job.as_mut().unwrap().progress = progress;
            self.note("the day ends");
            self.record(not_run);
        }
        self
    }

    /// Whether as many occurrences were started as `count` allows, and none is open.
    fn has_ended_series(&self) -> bool {
        let Some(job) = &self.job else { return false };
        let count = job.definition.recurrence.as_ref().and_then(Recurrence::count);
        let started = if job.progress.series == job.series { job.progress.started } else { 0 };
        job.progress.open.is_none() && count.is_some_and(|count| started >= count)
    }

    /// The nominal time of the last occurrence that `count` allows, if that occurrence is open or was started.
    fn last_of_count(&self) -> Option<Timestamp> {
        let job = self.job.as_ref()?;
        let count = job.definition.recurrence.as_ref().and_then(Recurrence::count)?;
        let begun = job.progress.open.iter().chain(&self.last_started);
        let is_last = |occurrence: &&Occurrence| occurrence.series == job.series && occurrence.repeat >= count;
        let last = begun.filter(is_last).map(|last| last.nominal).max()?;
        // One that was open existed, even if an edit allowed fewer then.
        Some(last.max(self.last_open))
    }

    /// Whether the job or its collection is disabled.
    pub(crate) fn is_stopped(&self) -> bool {
        let is_disabled = self.job.as_ref().is_some_and(|job| matches!(job.state, JobState::Disabled(_)));
        is_disabled || self.collection_stopped_at.is_some()
    }

    fn record(&mut self, not_run: impl IntoIterator<Item = NotRun>) {
        for not_run in not_run {
            let NotRun { first, last, number, reason } = not_run;
            self.note(&format!("  not run: {number} from {first} to {last}, {}", reason.name()));
            self.ledger.push(Entry::NotRun(not_run));
            if self.last_of_count().is_some_and(|last| first > last) {
                self.never_existed.push(not_run);
            }
        }
    }

    fn note_attempt(&mut self, occurrence: &Occurrence, attempt: &Attempt) {
        if occurrence.is_untried() && occurrence.origin == Origin::Schedule {
            self.ledger.push(Entry::Started(occurrence.nominal));
            self.last_started = Some(*occurrence);
        }
        let origin = match occurrence.origin {
            Origin::Manual(number) => format!("manual {number}, "),
            Origin::Rerun(_) => "again, ".to_owned(),
            _ => String::new(),
        };
        let outcome = if attempt.verdict == Verdict::Succeeded { "succeeded" } else { "failed" };
        let text = format!(
            "{origin}{} for {}, repeat {}, retry {}, started {}: {outcome}",
            occurrence.phase.action_name(),
            occurrence.nominal,
            occurrence.repeat,
            occurrence.attempt,
            attempt.started
        );
        self.note(&text);
    }

    fn note_state(&mut self) {
        let Some(job) = &self.job else { return };
        self.last_open = job.progress.open.map_or(self.last_open, |open| open.nominal.max(self.last_open));
        let open = job.progress.open.map_or("nothing open".to_owned(), |open| {
            format!(
                "{} for {} at {} (repeat {}, retry {})",
                open.phase.action_name(),
                open.nominal,
                open.wake_at,
                open.repeat,
                open.attempt
            )
        });
        let text = format!("  {}: {open}", job.state.kind().name());
        self.note(&text);
    }

    fn note(&mut self, text: &str) {
        if text.starts_with(' ') {
            writeln!(self.log, "{text}").unwrap();
        } else {
            writeln!(self.log, "{} {text}", self.now).unwrap();
        }
    }
}

/// The job's number; its first bytes decide the jitter: half of what is allowed.
pub(crate) const UID: Uid = Uid::from_bytes([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);

/// Success, or a failure without a wish of the target.
pub(crate) fn verdict(succeeds: bool) -> Verdict {
    if succeeds { Verdict::Succeeded } else { Verdict::Failed { retry_after_ticks: None } }
}

/// The definition as a client reads it: without its secrets.
pub(crate) fn without_secrets(definition: &Definition) -> Definition<Option<Secret>> {
    let Definition { start, action, recurrence, options } = definition.clone();
    Definition { start, action: action.map_secrets(&mut |_| None), recurrence, options }
}
