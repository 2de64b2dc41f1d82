//! From its turn in the ring to the end of an attempt.

use punctual_actions::{HostTrouble, Outcome};
use punctual_model::event::{AttemptEvent, EventKind};
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;
use punctual_store::{DueKey, JobId};

use super::drafts::Cause;
use super::{Effect, Engine};
use crate::flight::{Flight, FlightId, Row};
use crate::settlement::{self, Decision};
use crate::wire::Place;

/// Starts in one go; what has come in between is heard before the next.
const STARTS_MAX: usize = 1024;

/// What became of a lane's turn.
enum Turn {
    /// Something was done, and there may be more.
    Taken,
    /// It has nothing to start, or waits for a place.
    Over,
    /// Nobody can start anything now.
    Halt,
}

impl Engine {
    /// Gives the lanes their turns. Says whether anything was done.
    pub(super) fn start_some(&mut self, now: Timestamp) -> bool {
        let mut has_done = false;
        if !self.may_start() {
            return false;
        }
        for _ in 0..STARTS_MAX {
            let Some(lane) = self.lanes.next_lane() else { break };
            match self.start_one(lane, now) {
                Turn::Taken => {
                    has_done = true;
                    self.lanes.enter_ring(lane, now);
                }
                Turn::Over => {}
                Turn::Halt => {
                    self.lanes.enter_ring(lane, now);
                    return has_done;
                }
            }
        }
        has_done
    }

    fn start_one(&mut self, lane: Lane, now: Timestamp) -> Turn {
        let Some((wake_at, row)) = self.lanes.first(lane, now) else {
            self.lanes.enter_ring(lane, now);
            return Turn::Over;
        };
        if !self.watermark.covers(wake_at) {
            self.effects.extend(self.watermark.ask(wake_at, now).map(Effect::SetWatermark));
            return Turn::Halt;
        }
        if self.number_unsettled() >= self.settings.unsettled_max {
            return Turn::Halt;
        }
        let Some(open) = row.open() else {
            self.lanes.take_first(lane);
            return Turn::Taken;
        };
        let (collection, host) = (row.entry.collection, row.job.host(open.phase).clone());
        let Some(place) = self.wire.take(lane, collection, &host) else {
            return Turn::Over;
        };
        let decision = settlement::decide(row, self.flights.has(row.entry.job), now);
        let Some(row) = self.lanes.take_first(lane) else {
            return Turn::Over;
        };
        if !matches!(decision, Decision::Run) {
            self.put_back(&place, now);
        }
        match decision {
            Decision::Run if row.entry.resends > 0 => {
                let change = settlement::resending(&row, now);
                self.flights.hold(row.entry.job);
                self.draft(change, Cause::Resending(row, place));
            }
            Decision::Run => self.start(row, place, now),
            Decision::Wait => self.wait_until_free(&row),
            Decision::Write(change) => self.draft(change, Cause::Decided(row)),
        }
        Turn::Taken
    }

    /// Starts what is sent once more, if nothing has come in between.
    pub(super) fn start_counted(&mut self, now: Timestamp) {
        let may_start = self.may_start();
        for (row, place) in std::mem::take(&mut self.counted) {
            self.flights.release(row.entry.job);
            let must_wait = row.open().is_some_and(|open| open.waits_for_wire()) && self.flights.has(row.entry.job);
            let is_due = row.open().is_some_and(|open| open.wake_at <= now);
            if may_start && is_due && !must_wait && !self.lanes.is_outdated(row.entry.id) {
                self.start(Box::new(row), place, now);
                continue;
            }
            self.put_back(&place, now);
            if must_wait {
                self.wait_until_free(&row);
            } else if let Some(Occurrence { wake_at, .. }) = row.open() {
                let (id, job, lane) = (row.entry.id, row.entry.job, row.entry.lane);
                self.lanes.forget(id);
                self.lanes.put(DueKey { wake_at, lane, id, job });
                self.wake_waiting(job);
            }
        }
    }

    fn may_start(&self) -> bool {
        !self.is_stopping && self.timepiece.is_trusted(&*self.clock)
    }

    fn put_back(&mut self, place: &Place, now: Timestamp) {
        let freed = self.wire.put_back(place);
        self.wake(freed, now);
    }

    fn wait_until_free(&mut self, row: &Row) {
        let (id, job, lane) = (row.entry.id, row.entry.job, row.entry.lane);
        if let Some(Occurrence { wake_at, .. }) = row.open() {
            self.waiting_for_wire.entry(job).or_default().push(DueKey { wake_at, lane, id, job });
        }
    }

    /// Gives back the place of a row that is not sent after all.
    pub(super) fn leave_wire(&mut self, row: &Row, place: &Place) {
        self.flights.release(row.entry.job);
        self.put_back(place, self.clock.now());
        self.wake_waiting(row.entry.job);
    }

    /// Starts the attempt of a row that has its place on the wire.
    pub(super) fn start(&mut self, row: Box<Row>, place: Place, now: Timestamp) {
        let Some(occurrence) = row.open() else { return };
        let (started, started_steady) = (now, self.clock.steady());
        let flight = Flight { row, place, occurrence, started, started_steady, is_outdated: false, is_slow: false };
        let (path, call) = (flight.row.job.stored.path.clone(), flight.call());
        let attempt = AttemptEvent {
            occurrence: call.occurrence,
            phase: call.phase,
            retry: occurrence.attempt,
            nominal: occurrence.nominal,
            started,
            is_resent: call.is_resent,
        };
        self.say(now, Some(path), EventKind::Started(attempt));
        let id = self.flights.start(flight);
        self.effects.push(Effect::Start(id, call));
    }

    pub(super) fn hear_ended(&mut self, id: FlightId, outcome: Outcome, now: Timestamp) {
        let Some(flight) = self.flights.end(id) else { return };
        let is_slow = flight.is_slow && outcome.trouble == HostTrouble::None;
        let freed = self.wire.give_back(&flight.place, outcome.trouble, is_slow);
        self.wake(freed, now);
        let (job, is_outdated) = (flight.row.entry.job, flight.is_outdated);
        let (row, finished) = flight.finish(now, outcome);
        if is_outdated {
            self.wanted.push(row.entry.id);
            self.unsettled.insert(row.entry.id, (row, finished));
        } else {
            self.settle(row, finished);
        }
        self.wake_waiting(job);
    }

    /// Lets those try again that wait until nothing of a job is on the wire.
    fn wake_waiting(&mut self, job: JobId) {
        if self.flights.has(job) {
            return;
        }
        for key in self.waiting_for_wire.remove(&job).unwrap_or_default() {
            self.lanes.forget(key.id);
            self.lanes.put(key);
        }
    }

    fn wake(&mut self, freed: Vec<Lane>, now: Timestamp) {
        for lane in freed {
            self.lanes.enter_ring(lane, now);
        }
    }
}
