//! What goes wrong: crashes, clocks, users; and what is checked of every start.

use punctual_actions::Call;
use punctual_engine::{FlightId, Holdings, Input};
use punctual_model::job::{Job, JobState, State};
use punctual_model::occurrence::Origin;
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_SECOND};
use punctual_store::{CollectionId, JobId};

use crate::store::Row;
use crate::users::{self, Answer, Request, Wish};
use crate::world::{Happening, World};

/// The longest that an attempt may take, and what may go wrong after it.
const STOP_TICKS_MAX: i64 = 300 * TICKS_PER_SECOND;

impl World {
    /// Something may go wrong now.
    pub(crate) fn shake(&mut self) -> Result<(), String> {
        if self.dice.number(0, 1000) < self.temper.wishes {
            self.wish();
        }
        if self.dice.number(0, 1000) < self.temper.crashes {
            self.crash()?;
        }
        if self.dice.number(0, 1000) < self.temper.restarts {
            self.restart()?;
        }
        if self.dice.number(0, 1000) < self.temper.clocks {
            let ticks = self.dice.pick(&[2 * TICKS_PER_SECOND, 100 * TICKS_PER_SECOND, TICKS_PER_HOUR, TICKS_PER_DAY]);
            let ticks = self.dice.number(-ticks, ticks);
            self.note(|| format!("CLOCK set by {} s", ticks / TICKS_PER_SECOND));
            self.clock.set_by(ticks);
            if ticks > TICKS_PER_HOUR {
                self.trusted_from = self.clock.steady() + 30 * TICKS_PER_SECOND;
            }
        }
        if 2 * self.dice.number(0, 1000) < self.temper.clocks {
            let ticks = self.long();
            self.note(|| format!("SLEEP for {} s", ticks / TICKS_PER_SECOND));
            self.clock.sleep(ticks);
        }
        Ok(())
    }

    /// The server is stopped and started again: nothing is lost that was on the wire.
    fn restart(&mut self) -> Result<(), String> {
        self.stop()?;
        self.to_come.retain(|_, happening| matches!(happening, Happening::Read(_) | Happening::Write(_)));
        self.start();
        Ok(())
    }

    /// The server is stopped, and everything it has begun comes to its end.
    pub(crate) fn stop(&mut self) -> Result<(), String> {
        self.note(|| "STOP".to_owned());
        self.engine.hear(Input::Stop);
        let from = self.clock.steady();
        while !self.engine.is_idle() && self.clock.steady() - from < STOP_TICKS_MAX {
            self.step()?;
        }
        if !self.engine.is_idle() {
            return Err("it was told to stop and does not come to rest".to_owned());
        }
        Ok(())
    }

    /// What must hold when everything has come to its end: nothing is kept but what is known of rows that are there.
    pub(crate) fn check_end(&mut self) -> Result<(), String> {
        self.stop()?;
        for steps in 0.. {
            self.step()?;
            let is_quiet = self.to_come.is_empty() && self.house.is_quiet() && self.engine.is_idle();
            if is_quiet || steps > 3000 {
                break;
            }
        }
        let held = self.engine.holdings();
        let rest = Holdings { rows: 0, lanes: 0, ..held };
        if rest != Holdings::default() || self.engine.in_flight() > 0 {
            return Err(format!("something is left: {held:?}, {} on the wire", self.engine.in_flight()));
        }
        if held.rows > self.store.rows.len() || held.lanes > self.store.rows.len() {
            return Err(format!("it knows of more than there is: {held:?}, {} rows", self.store.rows.len()));
        }
        self.ledger.check(&self.store)
    }

    /// A user wishes for something.
    pub(crate) fn wish(&mut self) {
        let now = self.clock.now();
        let jobs: Vec<JobId> = self.clients.keys().copied().collect();
        let collection = CollectionId(self.dice.number(1, 3));
        self.version += 1;
        let state = |disabled: bool| Some(if disabled { State::Disabled } else { State::Enabled });
        let wish = match self.dice.number(0, 20) {
            _ if jobs.is_empty() => self.creation(collection),
            0..4 if jobs.len() < 12 => self.creation(collection),
            4 => Wish::Delete(self.dice.pick(&jobs)),
            5..7 => Wish::Run(self.dice.pick(&jobs)),
            7..9 => Wish::Switch(collection, false),
            9..12 => Wish::Switch(collection, true),
            12..16 => {
                let job = self.dice.pick(&jobs);
                let wanted = self.clients[&job].clone();
                let disables = self.dice.once_in(2);
                Wish::Edit(job, Box::new(wanted), state(disables))
            }
            _ => {
                let job = self.dice.pick(&jobs);
                let before = self.clients[&job].clone();
                let wanted = users::changed(&mut self.dice, self.version, now, self.is_rare, &before);
                let state = self.store.jobs.get(&job).map(|job| job.stored.state.kind());
                Wish::Edit(job, Box::new(wanted), state)
            }
        };
        let delay = self.delay();
        self.after(delay, Happening::Read(Box::new(Request { wish, now, read: None })));
    }

    fn creation(&mut self, collection: CollectionId) -> Wish {
        let wanted = users::wanted(&mut self.dice, self.version, self.clock.now(), self.is_rare);
        let state = self.dice.once_in(10).then_some(State::Disabled);
        Wish::Create(collection, punctual_model::job::Uid::from_bytes(self.dice.bytes()), Box::new(wanted), state)
    }

    /// A request is decided and written.
    pub(crate) fn write(&mut self, request: Box<Request>) {
        let answer = request.write(&mut self.store);
        self.note_touched(&answer, &request);
        match answer {
            Answer::Nothing => {}
            Answer::Stale => {
                let delay = self.delay();
                self.after(delay, Happening::Read(request));
            }
            Answer::Written(id, before, revision) => {
                self.note(|| {
                    let (job, state) = (&revision.job, request.wish.state());
                    let Job { state: new_state, anchor, series, progress, .. } = job;
                    let options = job.definition.options.parts();
                    format!(
                        "USER wrote job {}, asked at {}: {:?} {state:?} {new_state:?} {anchor:?} {series} {progress:?} not run {:?} {} {:?}",
                        id.0, request.now, revision.effect, revision.not_run,
                        revision.timetable.describe(job.definition.recurrence.as_ref()), options
                    )
                });
                self.ledger.write(id, before.as_deref(), &revision, request.now);
                // A time in which its collection was disabled, and of which not all jobs were told, may be taken for one of
                // this job's own, if the clock went back to it since.
                let collection = &self.store.collections[&self.store.jobs[&id].collection];
                self.ledger.touch(id, !collection.pauses.is_empty(), false);
                let (Wish::Create(_, _, wanted, _) | Wish::Edit(_, wanted, _)) = request.wish else { return };
                self.clients.insert(id, *wanted);
            }
            Answer::Deleted(id) => {
                self.note(|| format!("USER deleted job {}", id.0));
                self.ledger.forget(id);
                self.clients.remove(&id);
            }
            Answer::WillRun(id) => {
                self.note(|| format!("USER runs job {}", id.0));
                self.ledger.ask(id);
            }
            Answer::Switched => self.note(|| format!("USER {:?}", request.wish)),
        }
    }

    /// Tells the ledger which jobs were stopped, and which were touched while the clock showed less than it ever had.
    fn note_touched(&mut self, answer: &Answer, request: &Request) {
        let (touched, is_stopped): (Vec<JobId>, bool) = match (answer, &request.wish) {
            (Answer::Written(id, _, revision), _) => {
                let is_stopped = self.store.collections[&self.store.jobs[id].collection].stopped_at.is_some();
                (vec![*id], is_stopped || revision.job.state.kind() == State::Disabled)
            }
            (Answer::Switched, Wish::Switch(collection, is_enabled)) => {
                let jobs = self.store.jobs.iter().filter(|(_, job)| job.collection == *collection);
                (jobs.map(|(id, _)| *id).collect(), !is_enabled)
            }
            _ => (Vec::new(), false),
        };
        for id in touched {
            self.ledger.touch(id, is_stopped, request.now < self.latest);
        }
    }

    /// The engine says that an attempt is to be made: whether it may.
    pub(crate) fn check_start(&mut self, flight: FlightId, call: &Call) -> Result<(), String> {
        let id = job_of(call);
        let wrong = |what: &str| Err(format!("job {} for {}: {what}", id.0, call.nominal));
        let Some(job) = self.store.jobs.get(&id) else { return wrong("it is started although it was deleted") };
        let Some(row) = self.row_of(call) else { return wrong("it is started although it is not open") };
        let Some(open) = row.occurrence() else { return wrong("nothing is open") };
        if open.wake_at > self.clock.now() {
            return wrong("it is started too early");
        }
        if self.clock.steady() < self.trusted_from {
            return wrong("it is started although the clock has just leapt");
        }
        if self.store.watermark.is_none_or(|watermark| open.wake_at > watermark) {
            return wrong("it is started beyond the watermark");
        }
        if users::version(&call.definition) != users::version(&job.stored.definition) {
            return wrong("it is started with an old definition");
        }
        if call.is_resent != (row.resends > 0) {
            return wrong("the mark of a resend is wrong");
        }
        let is_scheduled = open.origin == Origin::Schedule;
        let is_stopped = matches!(job.stored.state, JobState::Disabled(_))
            || self.store.collections[&job.collection].stopped_at.is_some();
        if is_stopped && is_scheduled && !call.is_resent {
            return wrong("it is started although it is disabled");
        }
        if job.stored.state.kind().is_final() && is_scheduled {
            return wrong("it is started although the job has ended");
        }
        let mut others = self.wire.values().filter(|(other, _)| *other == id);
        if is_scheduled && !self.ledger.may_overlap(id) && others.any(|(_, origin)| *origin == Origin::Schedule) {
            return wrong("it overlaps another one");
        }
        if !is_scheduled && self.wire.values().any(|(other, _)| *other == id) {
            return wrong("a manual run did not wait for the wire");
        }
        if self.ledger.is_settled(&(call.occurrence, open.attempt)) && !self.ledger.may_repeat(id) {
            return wrong("it is started although it is settled");
        }
        let origin = open.origin;
        self.wire.insert(flight, (id, origin));
        self.tally.starts += 1;
        self.tally.resent += u64::from(call.is_resent);
        Ok(())
    }

    /// A target receives a call.
    pub(crate) fn receive(&mut self, call: &Call) -> Result<(), String> {
        let received = self.targets.receive(call.attempt_id, call, self.process);
        if self.ledger.may_repeat(job_of(call)) { Ok(()) } else { received }
    }

    fn row_of(&self, call: &Call) -> Option<&Row> {
        let (id, uid) = (job_of(call), self.store.jobs.get(&job_of(call))?.uid);
        let is_it = |row: &&Row| row.occurrence().is_some_and(|open| open.id(uid) == call.occurrence);
        self.store.rows.values().filter(|row| row.job == id).find(is_it)
    }

    /// What must hold when nothing has gone wrong for a while.
    pub(crate) fn check_quiet(&self) -> Result<(), String> {
        self.ledger.check(&self.store)?;
        let late = self.clock.now().saturating_add(-20 * TICKS_PER_SECOND);
        for (id, row) in &self.store.rows {
            let flies = self.wire.values().any(|(job, _)| *job == row.job);
            if !flies && let Some(open) = row.occurrence().filter(|open| open.wake_at < late) {
                return Err(format!("row {} of job {} is overdue and nobody starts it: {open:?}", id.0, row.job.0));
            }
        }
        Ok(())
    }
}

fn job_of(call: &Call) -> JobId {
    let number = call.job_path.rsplit('/').next().and_then(|number| number.parse().ok());
    JobId(number.expect("a number"))
}
