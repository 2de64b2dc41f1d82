//! From a row's turn in the ring to the end of its attempt.

use std::collections::VecDeque;
use std::mem;

use punctual_actions::Outcome;
use punctual_model::dispatch::InFlight;
use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, JobId};

use super::Engine;
use crate::concurrency::SLOW_TICKS_MIN;
use crate::row::{FlightId, RowEvent, RowState};
use crate::settlement::{self, Decision};

/// Starts in one go; what has come in between is heard before the next.
const STARTS_MAX: usize = 1024;

/// The attempts that were started.
#[derive(Default)]
pub(super) struct Starts {
    /// The number of the last attempt.
    last: u64,
    /// Lanes that start nothing until some of what they have to write is written.
    stalled: Vec<Lane>,
    /// Attempts in the order in which they started, with the reading of the steady clock then, until they are slow.
    young: VecDeque<(i64, FlightId)>,
}

impl Starts {
    fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn record(&mut self, flight: FlightId, steady: i64) {
        self.young.push_back((steady, flight));
    }
}

/// What became of a lane's turn.
enum Turn {
    /// Something was done, and there may be more.
    Taken,
    /// The lane has nothing to start, or waits for a slot.
    Over,
    /// Nothing can be started now.
    Halt,
}

impl Engine {
    /// Gives the lanes their turns. Returns whether anything was done.
    pub(super) fn start_some(&mut self, now: Timestamp) -> bool {
        let mut has_done = false;
        if !self.can_start() {
            return false;
        }
        for _ in 0..STARTS_MAX {
            let Some(lane) = self.rows.indexes.lanes.take_turn() else { break };
            if self.rows.pauses.is_paused() && !lane.is_of_server() {
                self.rows.indexes.lanes.look_again(lane);
                continue;
            }
            match self.give_turn(lane, now) {
                Turn::Taken => {
                    has_done = true;
                    self.rows.indexes.lanes.enter_ring(lane, now);
                }
                Turn::Over => {}
                Turn::Halt => {
                    self.rows.indexes.lanes.enter_ring(lane, now);
                    return has_done;
                }
            }
        }
        has_done
    }

    fn give_turn(&mut self, lane: Lane, now: Timestamp) -> Turn {
        let Some(id) = self.rows.indexes.lanes.first_due(lane, now) else {
            self.rows.indexes.lanes.enter_ring(lane, now);
            return Turn::Over;
        };
        let ready = self.rows.ready(id).and_then(|row| Some((row, row.open()?)));
        let Some((row, open)) = ready else {
            self.rows.forget(id, self.moment());
            return Turn::Taken;
        };
        if !self.watermark.covers(open.wake_at) {
            self.cover(open.wake_at, now);
            return Turn::Halt;
        }
        if self.rows.totals().unsettled >= self.settings.unsettled_max {
            return Turn::Halt;
        }
        if self.has_more_than_its_share(lane) {
            self.starts.stalled.push(lane);
            return Turn::Over;
        }
        let (here, elsewhere) = (self.rows.in_flight(row.entry.job), row.entry.claimed_beside);
        let in_flight = InFlight {
            scheduled: here.scheduled + elsewhere.scheduled,
            asked_for: here.asked_for + elsewhere.asked_for,
        };
        let event = match settlement::decide(row, in_flight, now, &self.rows.pauses) {
            // What it waits for ends at another node. The row is found again when the keys are read again.
            Decision::Wait if here == InFlight::default() => RowEvent::Forgotten,
            Decision::Wait => RowEvent::HoldBack,
            Decision::Write(change) => RowEvent::Write(change),
            Decision::Run => {
                let is_resent = row.entry.resends > 0;
                let Some(slot) = self.concurrency.take(lane, row.entry.collection, row.job.host(open.phase)) else {
                    return Turn::Over;
                };
                if is_resent { RowEvent::CountResend(slot) } else { RowEvent::Start(slot, self.starts.next_number()) }
            }
        };
        self.apply(id, event);
        self.rows.indexes.lanes.record_start(lane);
        Turn::Taken
    }

    /// Whether as much of a lane waits to be written as may, so that other lanes can be written, too.
    fn has_more_than_its_share(&self, lane: Lane) -> bool {
        let (rows, lanes) = self.rows.writing(lane);
        rows > 0 && rows >= self.settings.writing_max / lanes
    }

    /// Lets lanes try again that waited for the store: some of their rows are written.
    pub(super) fn release_stalled(&mut self) {
        for lane in mem::take(&mut self.starts.stalled) {
            self.rows.indexes.lanes.enter_ring(lane, self.now);
        }
    }

    /// Starts the resends that are written, if nothing has come in between. They are counted, so one that has to wait for the lease,
    /// for news of other nodes or for the clock waits as it is: put off, it would be counted again, and given up without being sent.
    pub(super) fn start_resends(&mut self) {
        let (now, can_start) = (self.now, self.can_start());
        for id in self.rows.resends() {
            let RowState::Resending(resend) = self.rows.state(id) else { continue };
            let Some(open) = resend.row.open() else { continue };
            let is_held = self.rows.pauses.is_paused() && resend.row.entry.collection != CollectionId::SERVER;
            let is_ours = self.rows.ownership.has_shard_of(&resend.row);
            let is_due = is_ours && !is_held && !self.is_resting() && open.wake_at <= now;
            let event = match (is_due, can_start) {
                (true, true) => RowEvent::StartResend(self.starts.next_number()),
                (true, false) => continue,
                (false, _) => RowEvent::PutOff,
            };
            self.apply(id, event);
        }
    }

    fn can_start(&self) -> bool {
        let is_allowed = self.rows.ownership.is_valid(&*self.clock) && self.has_heard_others();
        !self.is_resting() && is_allowed && self.timepiece.is_trusted(&*self.clock)
    }

    pub(super) fn hear_ended(&mut self, flight: FlightId, outcome: Outcome) {
        if self.rows.is_in_flight(flight) {
            self.count_end(flight, &outcome);
            self.apply(flight.row, RowEvent::Ended(outcome));
        }
    }

    /// Lets rows of a job try again whose wait for other attempts of the job is over.
    pub(super) fn release_held_back(&mut self, job: JobId) {
        for id in self.rows.released(job) {
            self.apply(id, RowEvent::JobFree);
        }
    }

    /// Marks the attempts that take long by now.
    pub(super) fn mark_slow(&mut self) {
        let steady = self.clock.steady();
        while let Some((started, flight)) = self.starts.young.front().copied() {
            let is_in_flight = self.rows.is_in_flight(flight);
            if is_in_flight && steady - started < SLOW_TICKS_MIN {
                break;
            }
            self.starts.young.pop_front();
            if is_in_flight {
                self.apply(flight.row, RowEvent::BecameSlow);
            }
        }
    }
}
