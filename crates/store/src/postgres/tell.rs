//! What is told of what was committed: to those who watch, and to the log.
//!
//! Transactions end in the order of their numbers, but the tasks that waited for them may go on in another one. Who comes first
//! tells all up to its own number: what is missing in between is read from the database, in which it is for certain, whichever
//! node has written it.

use super::db::Db;
use super::error::Fault;
use super::shared::Shared;
use super::write::Committed;
use super::{change, history};
use crate::error::Error;
use crate::events::{EventPage, EventPlace, Told};
use crate::history::number::{first_number, has_gap, last_number, numbers};
use crate::history::{HistoryEntry, LatestPage, LatestRecord};
use crate::run_log;
use crate::told;

impl Shared {
    /// Tells of a transaction that is on disk.
    pub(super) async fn tell(&self, committed: Committed) {
        let is_empty = committed.batch.is_none() && committed.changes.is_empty();
        if is_empty {
            return;
        }
        // It is written, and that is what counts: whoever watches hears of it with what comes next.
        if let Err(fault) = self.publish(&committed).await {
            tracing::warn!("events were not told: {}", Error::from(fault));
        }
        if let Err(fault) = self.log(&committed).await {
            tracing::warn!("runs were not logged: {}", Error::from(fault));
        }
    }

    async fn publish(&self, committed: &Committed) -> Result<(), Fault> {
        let history = committed.batch.map_or(Ok(0), last_number)?;
        let change = committed.changes.last().map_or(0, |(id, _)| *id);
        self.publish_until(EventPlace { history, change }, committed).await
    }

    /// Tells of what was committed up to a place, by this transaction or by others.
    pub(super) async fn publish_until(&self, place: EventPlace, committed: &Committed) -> Result<(), Fault> {
        let _turn = self.telling.lock().await;
        let before = self.events.place();
        let until = EventPlace { history: before.history.max(place.history), change: before.change.max(place.change) };
        // Nothing is read where nobody watches.
        if until == before || self.events.try_advance(until, None) {
            return Ok(());
        }
        let told = self.read_committed(before, until, committed).await?;
        self.events.try_advance(until, Some(told));
        Ok(())
    }

    /// What was committed after one place and up to another, by this transaction or before it.
    async fn read_committed(
        &self,
        before: EventPlace,
        until: EventPlace,
        committed: &Committed,
    ) -> Result<Vec<Told>, Fault> {
        let db = self.pool.connection().await?;
        let changes = match committed.changes.first() {
            Some((first, _)) if *first == before.change + 1 => committed.changes.clone(),
            _ => change::told(&db, before.change, until.change, usize::MAX).await?,
        };
        let own_records: Vec<(u64, &HistoryEntry)> = match committed.batch {
            Some(batch) => numbers(batch)?.zip(&committed.history).collect(),
            None => Vec::new(),
        };
        let is_next = match committed.batch {
            Some(batch) => first_number(batch)?.unsigned_abs() == before.history + 1,
            None => until.history == before.history,
        };
        if is_next {
            return self.with_paths(&db, before, until, &own_records, changes).await;
        }
        let items = history::numbered(&db, &self.damage, before.history, until.history, usize::MAX).await?;
        let records: Vec<_> = items.iter().map(|item| (item.key.number(), &item.entry)).collect();
        self.with_paths(&db, before, until, &records, changes).await
    }

    async fn with_paths(
        &self,
        db: &Db,
        before: EventPlace,
        until: EventPlace,
        records: &[(u64, &HistoryEntry)],
        changes: change::Numbered,
    ) -> Result<Vec<Told>, Fault> {
        let paths = self.paths.get(db, records.iter().map(|(_, entry)| entry.job)).await?;
        let records = records.iter().map(|(number, entry)| (*number, paths.get(&entry.job).cloned(), *entry));
        Ok(told::committed(before, until, records, changes))
    }

    /// Writes to the log what is worth a line.
    async fn log(&self, committed: &Committed) -> Result<(), Fault> {
        let Committed { history, notes, .. } = committed;
        let tells_all = run_log::tells_all();
        if notes.is_empty() && (history.is_empty() || !tells_all) {
            return Ok(());
        }
        let db = self.pool.connection().await?;
        let noted = notes.iter().map(|note| history[note.at].job);
        let all = history.iter().filter(|_| tells_all).map(|entry| entry.job);
        let paths = self.paths.get(&db, noted.chain(all)).await?;
        let path = |job| paths.get(&job).cloned().unwrap_or_default();
        for entry in history.iter().filter(|_| tells_all) {
            run_log::tell_run(&entry.record, &path(entry.job));
        }
        run_log::tell(notes, |at| Ok::<_, Fault>((&history[at].record, path(history[at].job))))
    }

    /// What is stored after one place and up to another: `limit` events at most.
    pub(super) async fn stored(&self, after: EventPlace, until: EventPlace, limit: usize) -> Result<EventPage, Fault> {
        let db = self.pool.connection().await?;
        let records = history::numbered(&db, &self.damage, after.history, until.history, limit).await?;
        let has_gap = has_gap(after.history, history::first_number(&db).await?, until.history);
        let changes = change::told(&db, after.change, until.change, limit).await?;
        let paths = super::paths::paths(&db, records.iter().map(|item| item.entry.job).collect()).await?;
        let records = records.into_iter().map(|item| (paths.get(&item.entry.job).cloned(), item)).collect();
        Ok(told::stored(has_gap, after, until, limit, records, changes))
    }

    /// A page of what came of all jobs.
    pub(super) async fn latest(&self, page: &LatestPage) -> Result<Vec<LatestRecord>, Fault> {
        let db = self.pool.connection().await?;
        let items = history::latest(&db, &self.damage, page).await?;
        let paths = super::paths::paths(&db, items.iter().map(|item| item.entry.job).collect()).await?;
        Ok(items.into_iter().map(|item| LatestRecord { path: paths.get(&item.entry.job).cloned(), item }).collect())
    }
}
