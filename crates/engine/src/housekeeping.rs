//! What is done now and then: waking what was paused, accounting for the day, dropping what is old.

use std::sync::Arc;
use std::time::Duration;

use punctual_model::event::{Event, EventKind};
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};
use punctual_store::{Shards, WorkId};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use crate::driver::{Attention, Deps};

/// How often it is looked whether something is to be done.
const INTERVAL: Duration = Duration::from_secs(1);

/// Rows that are attended to at once.
const PAGE: usize = 500;

/// A job that has ended is kept for so long.
const ENDED_TICKS_MAX: i64 = 60 * TICKS_PER_DAY;

/// What is kept, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// History is kept for so long.
    pub history_ticks: i64,
    /// And takes so much of the disk at most.
    pub history_bytes: u64,
}

/// Whoever can have rows looked at.
pub(crate) struct Attendant {
    attention: mpsc::Sender<Attention>,
}

impl Attendant {
    pub(crate) fn new(attention: mpsc::Sender<Attention>) -> Self {
        Self { attention }
    }

    /// Has rows looked at, and returns when what is to be made good of them is written.
    async fn attend(&self, rows: Vec<WorkId>, account_until: Option<Timestamp>) {
        if rows.is_empty() {
            return;
        }
        let (done, is_done) = oneshot::channel();
        if self.attention.send(Attention { rows, account_until, done }).await.is_ok() {
            let _ = is_done.await;
        }
    }
}

/// Keeps house, for ever.
pub(crate) async fn run(tools: Deps, attendant: Attendant, retention: Retention, went_back: Arc<Notify>) {
    let (day, cleared_at) = (day(tools.clock.now()), tools.clock.steady());
    let mut house = House { day, cleared_at, weighed_at: cleared_at, tools, attendant, retention };
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            // A retry must not wait until the clock is where it was.
            () = went_back.notified() => house.attend_to_begun(None).await,
        }
        house.wake_paused().await;
        house.end_day().await;
        house.clear().await;
    }
}

struct House {
    tools: Deps,
    attendant: Attendant,
    retention: Retention,
    /// The day that is not yet accounted for.
    day: i64,
    /// The reading of the steady clock when what is old was last dropped.
    cleared_at: i64,
    /// And when it was last looked how much there is.
    weighed_at: i64,
}

impl House {
    /// Wakes the jobs of collections that were enabled again.
    async fn wake_paused(&self) {
        while let Ok(Some(paused)) = self.tools.work_store.paused_jobs(PAGE).await {
            self.attendant.attend(paused.rows.clone(), None).await;
            if self.tools.work_store.resumed_jobs(paused).await.is_err() {
                return;
            }
        }
    }

    /// At the end of each day what came due behind something that takes long is written down.
    async fn end_day(&mut self) {
        let today = day(self.tools.clock.now());
        if today > self.day {
            let midnight = Timestamp::EPOCH.saturating_add(today * TICKS_PER_DAY - 1);
            self.attend_to_begun(Some(midnight)).await;
        }
        self.day = today;
    }

    async fn attend_to_begun(&self, account_until: Option<Timestamp>) {
        let mut after = None;
        while let Ok(rows) = self.tools.work_store.begun(Shards::ALL, after, self.tools.clock.now(), PAGE).await {
            let Some(last) = rows.last() else { return };
            after = Some(*last);
            self.attendant.attend(rows, account_until).await;
        }
    }

    /// Drops what is too old: the oldest day of it, once an hour. A clock that shows a wrong year does not delete all.
    /// What is too much goes sooner.
    async fn clear(&mut self) {
        let steady = self.tools.clock.steady();
        if steady - self.weighed_at < TICKS_PER_MINUTE {
            return;
        }
        self.weighed_at = steady;
        let is_hour_over = steady - self.cleared_at >= TICKS_PER_HOUR;
        let (work_store, now) = (&self.tools.work_store, self.tools.clock.now());
        let oldest = work_store.oldest().await.unwrap_or_default();
        let history_before = self.before(oldest.history, self.retention.history_ticks).filter(|_| is_hour_over);
        let history_before = history_before.unwrap_or(Timestamp::MIN);
        for dropped in work_store.drop_history(history_before, self.retention.history_bytes).await.unwrap_or_default() {
            let kind = EventKind::HistoryDropped { name: dropped.name, bytes: dropped.bytes };
            self.tools.events.push(Event { at: now, path: None, kind });
        }
        if is_hour_over {
            self.cleared_at = steady;
            if let Some(ended_before) = self.before(oldest.ended, ENDED_TICKS_MAX) {
                while let Ok(1..) = work_store.remove_ended(ended_before, PAGE).await {}
            }
        }
    }

    /// Before when something is dropped that is kept for so long: a day more than the oldest of it at most.
    fn before(&self, oldest: Option<Timestamp>, kept_ticks: i64) -> Option<Timestamp> {
        let before = self.tools.clock.now().saturating_add(-kept_ticks);
        oldest.map(|oldest| before.min(oldest.saturating_add(TICKS_PER_DAY)))
    }
}

fn day(at: Timestamp) -> i64 {
    at.ticks().div_euclid(TICKS_PER_DAY)
}
