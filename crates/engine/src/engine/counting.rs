//! What the engine counts of its work, and what it shows of itself.

use punctual_actions::Outcome;
use punctual_metrics::{CollectionMetrics, EngineMetrics};
use punctual_model::history::NotRun;
use punctual_model::occurrence::Phase;
use punctual_model::settle::Verdict;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{CollectionId, WorkId};

use super::Engine;
use crate::lanes::DueRows;
use crate::row::{Flight, FlightId, Row, RowState};

/// Looking through the lanes takes a fraction of a microsecond a lane. With this much time between two looks for each of
/// them, looking takes less than a hundredth of a processor, however many lanes there are.
const LOOK_TICKS_PER_LANE: i64 = TICKS_PER_SECOND / 10_000;

/// The time between two looks, at least.
const LOOK_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// What the machine has in its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Rows of which at least the key is known.
    pub rows: usize,
    /// Lanes in which they stand.
    pub lanes: usize,
    /// Rows that are being read.
    pub reading: usize,
    /// Rows and keys that are to be read, for another reason than that they wake.
    pub wanted: usize,
    /// Attempts that are in flight or not yet written down.
    pub unsettled: usize,
    /// Rows that wait for other attempts of their job.
    pub held_back: usize,
    /// Rows that maintenance waits for.
    pub rechecks: usize,
}

impl Engine {
    /// What the machine has in its memory.
    pub fn holdings(&self) -> Holdings {
        let totals = self.rows.totals();
        Holdings {
            rows: self.rows.len(),
            lanes: self.rows.indexes.lanes.len(),
            reading: totals.reading,
            wanted: totals.wanted + self.rows.indexes.reads.jobs_len(),
            unsettled: totals.unsettled,
            held_back: totals.held_back,
            rechecks: totals.rechecks,
        }
    }

    /// Counts an attempt that has just started. One that is sent again after a crash was counted by the process that
    /// sent it first, and says nothing about lateness.
    pub(super) fn count_start(&self, id: FlightId) {
        let Some(flight) = self.flight(id) else { return };
        let (engine, collection) = (&self.metrics.engine, self.counted(&flight.row));
        if flight.row.entry.resends > 0 {
            engine.resends.increment();
            return;
        }
        engine.lateness.observe(flight.started.since(flight.occurrence.wake_at));
        let Some(collection) = collection else { return };
        match (flight.occurrence.attempt, flight.occurrence.phase) {
            (0, Phase::Main) => collection.fires.increment(),
            (0, Phase::Error) => {}
            _ => collection.retries.increment(),
        }
    }

    /// Counts an attempt that comes to its end.
    pub(super) fn count_end(&self, id: FlightId, outcome: &Outcome) {
        let Some(flight) = self.flight(id) else { return };
        let engine = &self.metrics.engine;
        engine.attempt_duration.observe(self.now.since(flight.started));
        let count = match (flight.occurrence.phase, outcome.verdict) {
            (Phase::Main, Verdict::Succeeded) => self.counted(&flight.row).map(|it| &it.succeeded),
            (Phase::Main, Verdict::Failed { .. } | Verdict::CannotSucceed) => {
                self.counted(&flight.row).map(|it| &it.failed)
            }
            (Phase::Error, Verdict::Succeeded) => Some(&engine.error_actions_succeeded),
            (Phase::Error, Verdict::Failed { .. } | Verdict::CannotSucceed) => Some(&engine.error_actions_failed),
        };
        if let Some(count) = count {
            count.increment();
        }
        if let Some(failure) = &outcome.failure {
            engine.failures[failure.class as usize].increment();
        }
    }

    /// Counts times that were written as not run, of a row whose write is just ending.
    pub(super) fn count_not_run(&self, id: WorkId, range: NotRun) {
        if let RowState::Writing(writing) = self.rows.state(id)
            && let Some(collection) = self.counted(&writing.row)
        {
            collection.not_run[range.reason.index()].add(range.number);
        }
    }

    /// Shows how the machine stands at the end of a turn.
    pub(super) fn show(&mut self) {
        let (holdings, totals) = (self.holdings(), self.rows.totals());
        let metrics = &self.metrics.engine;
        metrics.turn_ticks.set(self.now.ticks());
        metrics.in_flight.set(self.in_flight().into());
        metrics.in_flight_max.set(self.settings.concurrency.server.into());
        metrics.settling.set_count(holdings.unsettled.saturating_sub(self.in_flight() as usize));
        metrics.window_rows.set_count(self.rows.in_window());
        metrics.window_lanes.set_count(holdings.lanes);
        metrics.reading.set_count(holdings.reading);
        metrics.queued.set_count(holdings.wanted);
        metrics.held_back.set_count(holdings.held_back);
        metrics.set_aside.set_count(totals.set_aside);
        metrics.paused.set(self.rows.pauses.is_paused().into());
        metrics.clock_trusted.set(self.timepiece.is_trusted(&*self.clock).into());
        let lanes = i64::try_from(holdings.lanes).unwrap_or(i64::MAX);
        let rest = LOOK_TICKS_PER_LANE.saturating_mul(lanes).max(LOOK_TICKS_MIN);
        let steady = self.clock.steady();
        if self.looked_at.is_none_or(|looked_at| steady - looked_at >= rest) {
            self.looked_at = Some(steady);
            let DueRows { due, overdue, since } = self.rows.indexes.lanes.due_rows(self.now);
            metrics.due.set_count(due);
            metrics.overdue.set_count(overdue);
            metrics.due_since_ticks.set(since.map_or(EngineMetrics::NOTHING_DUE, Timestamp::ticks));
        }
    }

    /// The numbers of the collection of a row. The server's own jobs have none: they deliver messages, which are counted where they
    /// are written, and nobody finds them in a collection or a history.
    fn counted<'a>(&self, row: &'a Row) -> Option<&'a CollectionMetrics> {
        let collections = &self.metrics.collections;
        let is_own = row.entry.collection == CollectionId::SERVER;
        (!is_own).then(|| &**row.job.counted.get_or_init(|| collections.of_job(&row.job.definition.path)))
    }

    fn flight(&self, id: FlightId) -> Option<&Flight> {
        if let RowState::InFlight(flight) = self.rows.state(id.row) { Some(flight) } else { None }
    }
}
