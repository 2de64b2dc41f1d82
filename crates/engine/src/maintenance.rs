//! Periodic upkeep: tells jobs when the stop of their collection is over, enables those that were disabled until now, accounts for
//! the day, drops what is old.

mod disabled;

use std::sync::Arc;
use std::time::Duration;

use punctual_model::event::{Event, EventKind};
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};
use punctual_store::{Error, HistoryBounds, Oldest, RowKind, RowPage, WorkId};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use crate::driver::Deps;
use crate::troubles::{StoreTask, Troubles};

/// Interval between two maintenance passes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Rows that are looked at together.
const PAGE: usize = 500;

/// How long a job that has ended is kept.
const ENDED_TICKS_MAX: i64 = 60 * TICKS_PER_DAY;

/// How long it is known who changed a job or a collection.
const CHANGE_TICKS_MAX: i64 = 400 * TICKS_PER_DAY;

/// The longest month: failures that are kept longer are dropped by months.
const MONTH_TICKS: i64 = 31 * TICKS_PER_DAY;

/// What is kept, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// How long history is kept.
    pub history_ticks: i64,
    /// How long failures are kept, if that is longer.
    pub failure_ticks: i64,
    /// How much of the disk history takes, at most.
    pub history_bytes: u64,
}

/// Rows that maintenance wants to be looked at.
pub(crate) struct Recheck {
    pub(crate) rows: Vec<WorkId>,
    pub(crate) account_until: Option<Timestamp>,
    /// Told when all of them were looked at, and what follows is written.
    pub(crate) done: oneshot::Sender<()>,
}

/// The upkeep of one engine.
pub(crate) struct Maintenance {
    deps: Deps,
    rechecks: mpsc::Sender<Recheck>,
    retention: Retention,
    troubles: Troubles,
    /// The day that is not yet accounted for, in days since 1970.
    day: i64,
    /// The reading of the steady clock when what is old was last dropped, or when the process began.
    dropped_at: i64,
    /// Whether this process has dropped what is old. Until it has, the store knows when that was done last.
    has_dropped: bool,
    /// Whether delayed rows are to be looked at: the clock went back, or may have while no process ran.
    has_gone_back: bool,
    /// The reading of the steady clock when the size of history was last looked at.
    weighed_at: i64,
    /// The same for showing that size, which is done from the beginning.
    shown_at: Option<i64>,
}

impl Maintenance {
    pub(crate) fn new(deps: Deps, rechecks: mpsc::Sender<Recheck>, retention: Retention) -> Self {
        let (day, steady) = (day(deps.clock.now()), deps.clock.steady());
        let troubles = Troubles::new(Arc::clone(&deps.metrics));
        Self {
            deps,
            rechecks,
            retention,
            troubles,
            day,
            dropped_at: steady,
            has_dropped: false,
            has_gone_back: true,
            weighed_at: steady,
            shown_at: None,
        }
    }

    /// Makes a pass every second, and at once when the clock went back.
    pub(crate) async fn run(mut self, went_back: Arc<Notify>) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = went_back.notified() => self.has_gone_back = true,
            }
            let result = self.pass().await;
            self.troubles.record(StoreTask::Maintain, result.as_ref().err(), self.deps.clock.steady());
        }
    }

    async fn pass(&mut self) -> Result<(), Error> {
        // A node that has no shards yet has nothing to look at, and looks when it has.
        if self.has_gone_back && !self.deps.status.shards().is_empty() {
            self.recheck_all(RowKind::Delayed, None).await?;
            self.has_gone_back = false;
        }
        self.end_day().await?;
        // What is to be done once for all nodes is the leader's.
        if self.deps.status.is_leader(&*self.deps.clock) {
            self.end_stops().await?;
            disabled::enable_in_time(&self.deps).await?;
            self.drop_old().await?;
        }
        self.show_history().await
    }

    /// Shows how much history there is, at once and then every minute.
    async fn show_history(&mut self) -> Result<(), Error> {
        let steady = self.deps.clock.steady();
        if self.shown_at.is_some_and(|shown_at| steady - shown_at < TICKS_PER_MINUTE) {
            return Ok(());
        }
        let (bytes, oldest) = (self.deps.work_store.history_bytes().await?, self.deps.work_store.oldest().await?);
        let metrics = &self.deps.metrics.engine;
        metrics.history_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
        metrics.history_from_ticks.set(oldest.history.map_or(0, Timestamp::ticks));
        self.shown_at = Some(steady);
        Ok(())
    }

    /// Has rows looked at, and returns when what follows is written.
    async fn recheck(&self, rows: Vec<WorkId>, account_until: Option<Timestamp>) {
        if rows.is_empty() {
            return;
        }
        let (done, is_done) = oneshot::channel();
        if self.rechecks.send(Recheck { rows, account_until, done }).await.is_ok() {
            let _ = is_done.await;
        }
    }

    /// Tells the jobs of collections that were enabled of the stop that is over.
    async fn end_stops(&self) -> Result<(), Error> {
        while let Some(stopped) = self.deps.work_store.stopped_jobs(PAGE).await? {
            self.recheck(stopped.rows.clone(), None).await;
            self.deps.work_store.mark_woken(stopped).await?;
        }
        Ok(())
    }

    /// At the end of each day, records what came due behind an occurrence that waits for a retry.
    async fn end_day(&mut self) -> Result<(), Error> {
        let today = day(self.deps.clock.now());
        if today > self.day {
            let midnight = Timestamp::EPOCH.saturating_add(today * TICKS_PER_DAY - 1);
            self.recheck_all(RowKind::Begun, Some(midnight)).await?;
        }
        self.day = today;
        Ok(())
    }

    /// Has all rows of a kind looked at.
    async fn recheck_all(&self, kind: RowKind, account_until: Option<Timestamp>) -> Result<(), Error> {
        let mut after = None;
        loop {
            let shards = self.deps.status.shards();
            let page = RowPage { shards, kind, now: self.deps.clock.now(), after, limit: PAGE };
            let rows = self.deps.work_store.rows(page).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(*last);
            self.recheck(rows, account_until).await;
        }
    }

    /// Drops what is too old: the oldest day of it, once an hour, so that a clock that shows a wrong year does not delete
    /// everything. History that takes too much of the disk goes sooner.
    async fn drop_old(&mut self) -> Result<(), Error> {
        let steady = self.deps.clock.steady();
        if steady - self.weighed_at < TICKS_PER_MINUTE {
            return Ok(());
        }
        self.weighed_at = steady;
        let (store, now) = (&self.deps.work_store, self.deps.clock.now());
        let oldest = store.oldest().await?;
        let is_hour_over = self.is_hour_over(oldest.removed_at, now, steady);
        if is_hour_over || oldest.removed_at.is_none_or(|removed_at| removed_at > now) {
            store.record_removal(now).await?;
        }
        let bounds = self.history_bounds(&oldest, is_hour_over);
        let old = store.drop_history(&HistoryBounds { bytes_max: u64::MAX, ..bounds }).await?;
        let failures_before = bounds.failures_before.map(|_| Timestamp::MIN);
        let by_size = HistoryBounds { before: Timestamp::MIN, failures_before, ..bounds };
        let early = store.drop_history(&by_size).await?;
        let engine = &self.deps.metrics.engine;
        engine.history_dropped_early_bytes.add(early.iter().map(|dropped| dropped.bytes).sum());
        for dropped in old.into_iter().chain(early) {
            engine.history_dropped_bytes.add(dropped.bytes);
            let kept =
                if dropped.kept > 0 { format!("; {} failures of it are kept", dropped.kept) } else { String::new() };
            tracing::info!("dropped history: {}, {} bytes{kept}", dropped.name, dropped.bytes);
            let kind = EventKind::HistoryDropped { name: dropped.name, bytes: dropped.bytes };
            self.deps.events.push(Event { at: now, path: None, kind });
        }
        if is_hour_over {
            (self.dropped_at, self.has_dropped) = (steady, true);
            if let Some(ended_before) = self.before(oldest.ended, ENDED_TICKS_MAX, TICKS_PER_DAY) {
                while store.remove_ended(ended_before, now, PAGE).await? > 0 {}
            }
            if let Some(changed_before) = self.before(oldest.change, CHANGE_TICKS_MAX, TICKS_PER_DAY) {
                while store.forget_changes(changed_before, PAGE).await? > 0 {}
            }
            if let Some(counted_before) = self.before(oldest.tally, self.retention.history_ticks, TICKS_PER_DAY) {
                while store.forget_tallies(counted_before, PAGE).await? > 0 {}
            }
        }
        Ok(())
    }

    /// How much history is left, by its size and, if its age counts now, by its age.
    fn history_bounds(&self, oldest: &Oldest, by_age: bool) -> HistoryBounds {
        let Retention { history_ticks, failure_ticks, history_bytes } = self.retention;
        let before = |oldest, kept_ticks, step_ticks| {
            self.before(oldest, kept_ticks, step_ticks).filter(|_| by_age).unwrap_or(Timestamp::MIN)
        };
        HistoryBounds {
            before: before(oldest.history, history_ticks, TICKS_PER_DAY),
            failures_before: (failure_ticks > history_ticks)
                .then(|| before(oldest.failures, failure_ticks, MONTH_TICKS)),
            bytes_max: history_bytes,
        }
    }

    /// Whether nothing was dropped because of its age for an hour: of this process, or since the store says an earlier one
    /// did. A server that is restarted more often than once an hour would never drop anything otherwise.
    fn is_hour_over(&self, removed_at: Option<Timestamp>, now: Timestamp, steady: i64) -> bool {
        let is_over_by_store = removed_at.is_some_and(|removed_at| now.since(removed_at) >= TICKS_PER_HOUR);
        steady - self.dropped_at >= TICKS_PER_HOUR || (is_over_by_store && !self.has_dropped)
    }

    /// The instant before which things are dropped that are kept for `kept_ticks`: at most a step after the oldest of them.
    fn before(&self, oldest: Option<Timestamp>, kept_ticks: i64, step_ticks: i64) -> Option<Timestamp> {
        let before = self.deps.clock.now().saturating_add(-kept_ticks);
        oldest.map(|oldest| before.min(oldest.saturating_add(step_ticks)))
    }
}

fn day(at: Timestamp) -> i64 {
    at.ticks().div_euclid(TICKS_PER_DAY)
}
