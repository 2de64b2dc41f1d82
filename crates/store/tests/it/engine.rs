//! What an engine does with a store.

use std::sync::atomic::{AtomicU64, Ordering};

use punctual_model::history::{Reason, Record};
use punctual_model::job::Counters;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use punctual_store::{
    Batch, BatchId, BatchOutcome, CollectionEntry, DueKey, DuePage, DueStart, HistoryEntry, JobEntry, JobId, NodeId,
    OpenWork, RowChange, Shards, Store, WorkChange, WorkEntry, WorkId, WorkStore, Written,
};

use crate::sample::{at, definition, new_job, not_run};

/// All that is due at any time.
pub(crate) const ALL_DUE: DuePage =
    DuePage { shards: Shards::ALL, start: DueStart::Beginning, until: Timestamp::MAX, lane: None, limit: 10_000 };

pub(crate) async fn all_due(work_store: &dyn WorkStore) -> Vec<DueKey> {
    work_store.due(ALL_DUE).await.unwrap()
}

/// A job that calls that host, and another when that fails, and wakes at that second.
pub(crate) async fn make_calling(
    store: &dyn Store,
    collection: &CollectionEntry,
    name: &str,
    hosts: (&str, &str),
    wake_at: i64,
) -> JobEntry {
    let mut write = new_job(collection, name);
    write.job.definition = definition(&format!(
        r#"{{"recurrence": {{"frequency": "Minute"}}, "action": {{"request": {{"uri": "https://{}/a"}},
            "errorAction": {{"request": {{"uri": "https://{}/b"}}}}}}}}"#,
        hosts.0, hosts.1
    ));
    write.job.progress.open = Some(waking(wake_at));
    store.put_job(write).await.unwrap()
}

/// An occurrence of a schedule, due at that second.
pub(crate) fn waking(seconds: i64) -> Occurrence {
    Occurrence { repeat: 1, series: 1, ..Occurrence::asked_for(Origin::Schedule, at(seconds), at(seconds)) }
}

/// These rows, all of which can be read.
pub(crate) async fn read(work_store: &dyn WorkStore, ids: Vec<WorkId>) -> Vec<WorkEntry> {
    work_store.work(ids).await.unwrap().into_iter().map(Result::unwrap).collect()
}

/// The number of a batch that no other has.
pub(crate) fn next_batch() -> BatchId {
    static LAST: AtomicU64 = AtomicU64::new(0);
    BatchId(LAST.fetch_add(1, Ordering::Relaxed) + 1)
}

/// Writes a batch, and returns what became of its changes.
pub(crate) async fn write(
    work_store: &dyn WorkStore,
    changes: Vec<WorkChange>,
    notes: Vec<HistoryEntry>,
) -> Vec<Written> {
    let batch = Batch { node: NodeId::ONLY, id: next_batch(), changes, notes };
    match work_store.write_work(batch).await {
        BatchOutcome::Written(written) => written,
        other => panic!("{other:?}"),
    }
}

/// The row of that number.
pub(crate) async fn work(work_store: &dyn WorkStore, id: impl Into<WorkId>) -> WorkEntry {
    find_work(work_store, id).await.unwrap()
}

pub(crate) async fn find_work(work_store: &dyn WorkStore, id: impl Into<WorkId>) -> Option<WorkEntry> {
    read(work_store, vec![id.into()]).await.pop()
}

/// What runs beside the schedule of a job, in the order of their numbers.
pub(crate) async fn beside(work_store: &dyn WorkStore, job: JobId) -> Vec<WorkEntry> {
    let keys = work_store.due_of(vec![job]).await.unwrap();
    let ids = keys.iter().map(|key| key.id).filter(|id| *id != job.into());
    let mut entries = read(work_store, ids.collect()).await;
    entries.sort_by_key(|entry| entry.id);
    entries
}

pub(crate) fn progress(entry: &WorkEntry) -> Progress {
    match entry.open {
        OpenWork::Schedule(progress) => progress,
        OpenWork::Beside { schedule, .. } => schedule,
    }
}

/// The schedule with the next occurrence, at that second.
pub(crate) fn gone_on(entry: &WorkEntry, seconds: i64) -> Progress {
    let progress = progress(entry);
    Progress { accounted: at(seconds - 60), started: progress.started + 1, open: Some(waking(seconds)), ..progress }
}

/// A change of a row that was read.
pub(crate) fn change(entry: &WorkEntry, row: RowChange) -> WorkChange {
    let WorkEntry { id, job, collection, revision, lane, .. } = *entry;
    let (counted, ends, records) = (Counters::default(), None, Vec::new());
    WorkChange { id, job, collection, revision, needs_shard: false, row, lane, counted, ends, records }
}

/// The schedule goes on with the next occurrence, at that second.
pub(crate) fn go_on(entry: &WorkEntry, seconds: i64) -> WorkChange {
    change(entry, RowChange::Schedule { progress: gone_on(entry, seconds), beside: None })
}

/// A record of a job, of that second.
pub(crate) fn record(job: JobId, seconds: i64) -> HistoryEntry {
    let record: Record = not_run(seconds, 1, Reason::Overlap);
    HistoryEntry { job, record, node: 0, revision: 1, is_duplicate: false }
}

/// Writes one change, which applies.
pub(crate) async fn apply(work_store: &dyn WorkStore, change: WorkChange) -> Option<WorkId> {
    let written = write(work_store, vec![change], Vec::new()).await;
    let [Written::Applied { beside, .. }] = written[..] else { panic!("{written:?}") };
    beside
}

/// Writes one change. Says whether it was stale.
pub(crate) async fn is_stale(work_store: &dyn WorkStore, change: WorkChange) -> bool {
    write(work_store, vec![change], Vec::new()).await == [Written::Stale]
}
