//! What goes wrong around the machine: crashes, clocks, damage, and users.

use punctual_engine::{Effect, Holdings, Input};
use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_SECOND};
use punctual_simulated_store::Damage;
use punctual_store::WorkId;

use crate::machine::{Happening, World};

/// The longest that an attempt may take, and what may go wrong after it.
const STOP_TICKS_MAX: i64 = 300 * TICKS_PER_SECOND;

/// Steps within which a stopped machine must have come to rest.
const STEPS_TO_REST_MAX: u32 = 3000;

impl World {
    /// Something may go wrong now.
    pub(crate) fn shake(&mut self) -> Result<(), String> {
        if self.dice.number(0, 1000) < self.temper.requests {
            self.ask();
        }
        if self.dice.number(0, 1000) < self.temper.crashes {
            self.crash()?;
        }
        if self.dice.number(0, 1000) < self.temper.restarts {
            self.restart()?;
        }
        if self.dice.number(0, 1000) < self.temper.damage {
            self.damage();
        }
        if self.dice.number(0, 1000) < self.temper.clocks {
            let ticks = self.dice.pick(&[2 * TICKS_PER_SECOND, 100 * TICKS_PER_SECOND, TICKS_PER_HOUR, TICKS_PER_DAY]);
            let ticks = self.dice.number(-ticks, ticks);
            self.clock.set_by(ticks);
            self.witness.see_clock_set(ticks, &*self.clock);
        }
        if 2 * self.dice.number(0, 1000) < self.temper.clocks {
            let ticks = self.long();
            self.note(|| format!("SLEEP for {} s", ticks / TICKS_PER_SECOND));
            self.clock.sleep(ticks);
        }
        Ok(())
    }

    /// A user asks for something.
    pub(crate) fn ask(&mut self) {
        let request = self.users.ask(&mut self.dice, &self.tables, self.clock.now());
        let delay = self.delay();
        self.after(delay, Happening::Read(Box::new(request)));
    }

    /// A row or a definition cannot be read any more, until its job is edited or the server is started again.
    fn damage(&mut self) {
        let rows: Vec<WorkId> = self.tables.work.keys().copied().collect();
        if rows.is_empty() {
            return;
        }
        let row = self.dice.pick(&rows);
        let job = self.tables.work[&row].job;
        self.note(|| format!("DAMAGE to row {} of job {}", row.0, job.0));
        if self.dice.once_in(2) {
            self.tables.damage.unreadable_rows.insert(row);
        } else {
            self.tables.damage.unreadable_definitions.insert(job);
        }
        self.witness.ledger.damage(job);
    }

    /// The server is stopped and started again: nothing is lost that was in flight.
    fn restart(&mut self) -> Result<(), String> {
        self.stop()?;
        self.to_come.retain(|_, happening| matches!(happening, Happening::Read(_) | Happening::Write(_)));
        self.mend();
        self.start();
        Ok(())
    }

    /// The server ends, without a word: what it was told is lost, and what it has said may be done or not.
    fn crash(&mut self) -> Result<(), String> {
        self.note(|| "CRASH".to_owned());
        self.witness.tally.crashes += 1;
        for (_, happening) in std::mem::take(&mut self.to_come) {
            match happening {
                Happening::Act(effect @ (Effect::Write(..) | Effect::SetWatermark(..) | Effect::Start(..)))
                    if self.dice.once_in(2) =>
                {
                    self.act(effect)?;
                }
                Happening::Write(request) if self.dice.once_in(2) => self.write(request),
                _ => {}
            }
        }
        self.to_come.clear();
        self.check_history()?;
        let down = if self.dice.once_in(3) { self.long() } else { self.dice.number(0, 90 * TICKS_PER_SECOND) };
        self.clock.go_on(down);
        self.mend();
        self.start();
        Ok(())
    }

    /// While the server is down, whoever runs it mends the database, or does not.
    fn mend(&mut self) {
        if self.temper.damage > 0 && self.dice.once_in(2) {
            self.tables.damage = Damage::default();
        }
    }

    /// The server is stopped, and everything it has begun comes to its end.
    fn stop(&mut self) -> Result<(), String> {
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
        for _ in 0..STEPS_TO_REST_MAX {
            self.step()?;
            if self.to_come.is_empty() && self.maintenance.is_quiet() && self.engine.is_idle() {
                break;
            }
        }
        let held = self.engine.holdings();
        let rest = Holdings { rows: 0, lanes: 0, ..held };
        if rest != Holdings::default() || self.engine.in_flight() > 0 {
            return Err(format!("something is left: {held:?}, {} in flight", self.engine.in_flight()));
        }
        if held.rows > self.tables.work.len() || held.lanes > self.tables.work.len() {
            return Err(format!("it knows of more than there is: {held:?}, {} rows", self.tables.work.len()));
        }
        self.witness.ledger.check(&self.tables)
    }
}
