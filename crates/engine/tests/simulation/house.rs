//! Housekeeping, as the driver's: wakes what was paused, accounts for the day, attends to retries after the clock went
//! back, removes what has ended. One thing at a time, and each waits until it is attended to.

use punctual_engine::Input;
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, Timestamp};
use punctual_store::{JobId, PausedJobs, WorkId};

use crate::store::Store;

/// Few, so that there are many pages.
const PAGE: usize = 2;

/// A job that has ended is kept for so long.
const ENDED_TICKS_MAX: i64 = 60 * TICKS_PER_DAY;

/// What is waited for.
enum Waiting {
    Paused(PausedJobs),
    Begun { after: WorkId, account_until: Option<Timestamp> },
}

pub(crate) struct House {
    day: i64,
    cleared_at: i64,
    pub(crate) went_back: bool,
    waiting: Option<Waiting>,
    /// Rows that have begun, from there on, are to be attended to.
    walk: Option<(WorkId, Option<Timestamp>)>,
}

impl House {
    pub(crate) fn new(now: Timestamp, steady: i64) -> Self {
        Self { day: day(now), cleared_at: steady, went_back: false, waiting: None, walk: None }
    }

    /// What it wants the engine to look at, if it does not wait for something. Jobs that were removed are told, too.
    pub(crate) fn step(&mut self, store: &mut Store, now: Timestamp, steady: i64) -> (Option<Input>, Vec<JobId>) {
        if self.waiting.is_some() {
            return (None, Vec::new());
        }
        if std::mem::take(&mut self.went_back) {
            self.walk = Some((WorkId(0), None));
        }
        if let Some((after, account_until)) = self.walk.take() {
            let rows = store.begun(after, now, PAGE);
            if let Some(last) = rows.last() {
                self.waiting = Some(Waiting::Begun { after: *last, account_until });
                return (Some(Input::Recheck(rows, account_until)), Vec::new());
            }
        }
        if let Some(paused) = store.paused_jobs(PAGE) {
            let rows: Vec<WorkId> = paused.rows.clone();
            if rows.is_empty() {
                store.resumed_jobs(&paused);
                return (None, Vec::new());
            }
            self.waiting = Some(Waiting::Paused(paused));
            return (Some(Input::Recheck(rows, None)), Vec::new());
        }
        let today = day(now);
        if today > self.day {
            self.walk = Some((WorkId(0), Some(Timestamp::EPOCH.saturating_add(today * TICKS_PER_DAY - 1))));
        }
        self.day = today;
        if steady - self.cleared_at < TICKS_PER_HOUR {
            return (None, Vec::new());
        }
        self.cleared_at = steady;
        (None, store.remove_ended(now.saturating_add(-ENDED_TICKS_MAX)))
    }

    /// What it waited for is written.
    pub(crate) fn attended(&mut self, store: &mut Store) {
        match self.waiting.take() {
            Some(Waiting::Paused(paused)) => store.resumed_jobs(&paused),
            Some(Waiting::Begun { after, account_until }) => self.walk = Some((after, account_until)),
            None => {}
        }
    }

    /// Whether nothing is to be done.
    pub(crate) fn is_quiet(&self) -> bool {
        self.waiting.is_none() && self.walk.is_none()
    }
}

fn day(at: Timestamp) -> i64 {
    at.ticks().div_euclid(TICKS_PER_DAY)
}
