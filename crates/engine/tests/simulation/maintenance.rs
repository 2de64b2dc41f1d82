//! Maintenance, as the driver's: wakes what was stopped, accounts for the day, has retries looked at after the clock went
//! back, removes what has ended. One thing at a time, and each waits until its rows are rechecked.

use punctual_engine::Input;
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, Timestamp};
use punctual_simulated_store::Tables;
use punctual_store::{RowKind, RowPage, Shards, StoppedJobs, WorkId};

/// Few, so that there are many pages.
const PAGE: usize = 2;

/// A job that has ended is kept for so long.
const ENDED_TICKS_MAX: i64 = 60 * TICKS_PER_DAY;

/// What is waited for.
enum Waiting {
    Stopped(StoppedJobs),
    Begun { after: WorkId, account_until: Timestamp },
    Delayed { after: WorkId },
}

pub(crate) struct Maintenance {
    day: i64,
    cleared_at: i64,
    pub(crate) went_back: bool,
    waiting: Option<Waiting>,
    /// Rows that have begun are to be rechecked, those after the number that is given.
    walk: Option<(Option<WorkId>, Timestamp)>,
    /// Rows that are delayed are to be rechecked, those after the number that is given.
    delayed_walk: Option<WorkId>,
}

impl Maintenance {
    pub(crate) fn new(now: Timestamp, steady: i64) -> Self {
        Self { day: day(now), cleared_at: steady, went_back: true, waiting: None, walk: None, delayed_walk: None }
    }

    /// What the engine is to recheck now, if maintenance does not wait for something.
    pub(crate) fn step(&mut self, tables: &mut Tables, now: Timestamp, steady: i64) -> Option<Input> {
        if self.waiting.is_some() {
            return None;
        }
        if std::mem::take(&mut self.went_back) {
            self.delayed_walk = Some(WorkId(0));
        }
        if let Some(after) = self.delayed_walk.take() {
            let rows = tables.rows(&page(RowKind::Delayed, Some(after), now));
            if let Some(last) = rows.last() {
                self.waiting = Some(Waiting::Delayed { after: *last });
                return Some(Input::Recheck(rows, None));
            }
        }
        if let Some((after, account_until)) = self.walk.take() {
            let rows = tables.rows(&page(RowKind::Begun, after, now));
            if let Some(last) = rows.last() {
                self.waiting = Some(Waiting::Begun { after: *last, account_until });
                return Some(Input::Recheck(rows, Some(account_until)));
            }
        }
        if let Some(stopped) = tables.stopped_jobs(PAGE) {
            let rows = stopped.rows.clone();
            if rows.is_empty() {
                tables.mark_woken(&stopped);
                return None;
            }
            self.waiting = Some(Waiting::Stopped(stopped));
            return Some(Input::Recheck(rows, None));
        }
        let today = day(now);
        if today > self.day {
            self.walk = Some((None, Timestamp::EPOCH.saturating_add(today * TICKS_PER_DAY - 1)));
        }
        self.day = today;
        if steady - self.cleared_at >= TICKS_PER_HOUR {
            self.cleared_at = steady;
            while tables.remove_ended(now.saturating_add(-ENDED_TICKS_MAX), PAGE) > 0 {}
        }
        None
    }

    /// What maintenance waited for is written.
    pub(crate) fn hear_rechecked(&mut self, tables: &mut Tables) {
        match self.waiting.take() {
            Some(Waiting::Stopped(stopped)) => tables.mark_woken(&stopped),
            Some(Waiting::Begun { after, account_until }) => self.walk = Some((Some(after), account_until)),
            Some(Waiting::Delayed { after }) => self.delayed_walk = Some(after),
            None => {}
        }
    }

    /// Whether nothing is to be done.
    pub(crate) fn is_quiet(&self) -> bool {
        self.waiting.is_none() && self.walk.is_none() && self.delayed_walk.is_none() && !self.went_back
    }
}

fn day(at: Timestamp) -> i64 {
    at.ticks().div_euclid(TICKS_PER_DAY)
}

fn page(kind: RowKind, after: Option<WorkId>, now: Timestamp) -> RowPage {
    RowPage { shards: Shards::ALL, kind, now, after, limit: PAGE }
}
