//! Random lives of SQLite and of the simulated store side by side.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use proptest::prelude::*;
use punctual_model::Name;
use punctual_model::history::Reason;
use punctual_model::job::{Counters, JobState, State, Uid};
use punctual_model::occurrence::Phase;
use punctual_store::{
    Batch, BatchId, BatchOutcome, CollectionEntry, EnablePage, EndedStop, Error, JobEntry, JobPage, JobSource,
    JobWrite, NodeId, OpenWork, RowChange, RowKind, RowPage, SeriesEntry, SeriesPage, Shards, Store, WorkChange,
    WorkId, WorkStore,
};

use crate::engine::{ALL_DUE, change, gone_on, record, waking};
use crate::place::{Directory, Memory, Place};
use crate::sample::{
    ALL_JOBS, all_history, annotated, at, edited_collection, job_key, key, name, new_collection, not_run, now, posting,
    uid,
};

const RUNS_MAX: u32 = 2;

/// Something that happens. `fresh` is whether the caller reads before it writes; else it relies on what it has read last.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    PutCollection { collection: usize, fresh: bool, is_stopped: bool },
    DeleteCollection { collection: usize, fresh: bool },
    PutJob { collection: usize, job: usize, fresh: bool, state: usize, jobs_max: Option<u32>, not_run: usize },
    DeleteJob { collection: usize, job: usize, fresh: bool },
    RunJob { collection: usize, job: usize, fresh: bool },
    List { collection: usize, state: Option<usize>, after: Option<usize>, skip: u32, limit: usize },
    Settle { row: usize, how: usize, is_stale: bool },
    SetWatermark(i64),
    ForgetWatermark,
    TakeOver,
    WakeStopped { limit: usize },
    RemoveEnded,
    Rotate,
    Sweep,
    Reopen,
}

/// Names, each in two cases.
const NAMES: [&str; 8] = ["a", "A", "bé", "BÉ", "c", "C", "z z", "Z Z"];

/// Ways in which a row of work is changed.
const SETTLEMENTS: usize = 6;

pub(crate) fn events() -> impl Strategy<Value = Event> {
    let (collection, job, fresh) = (0..4_usize, 0..NAMES.len(), prop::bool::weighted(0.7));
    let jobs_max = prop_oneof![3 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    let state = 0..State::ALL.len();
    let put_job = (collection.clone(), job.clone(), fresh, state.clone(), jobs_max, 0..3_usize);
    let list = (collection.clone(), prop::option::of(state), prop::option::of(job.clone()), 0..3_u32, 0..5_usize);
    let of_job = (collection.clone(), job, fresh);
    let of_collection = (collection, fresh, prop::bool::weighted(0.3));
    let settle = (0..8_usize, 0..SETTLEMENTS, prop::bool::weighted(0.1));
    prop_oneof![
        4 => of_collection.clone().prop_map(|(collection, fresh, is_stopped)| Event::PutCollection {
            collection, fresh, is_stopped
        }),
        1 => of_collection.prop_map(|(collection, fresh, _)| Event::DeleteCollection { collection, fresh }),
        12 => put_job.prop_map(|(collection, job, fresh, state, jobs_max, not_run)| Event::PutJob {
            collection, job, fresh, state, jobs_max, not_run
        }),
        3 => of_job.clone().prop_map(|(collection, job, fresh)| Event::DeleteJob { collection, job, fresh }),
        4 => of_job.prop_map(|(collection, job, fresh)| Event::RunJob { collection, job, fresh }),
        4 => list.prop_map(|(collection, state, after, skip, limit)| Event::List {
            collection, state, after, skip, limit
        }),
        12 => settle.prop_map(|(row, how, is_stale)| Event::Settle { row, how, is_stale }),
        2 => (0..600_i64).prop_map(Event::SetWatermark),
        1 => Just(Event::ForgetWatermark),
        2 => Just(Event::TakeOver),
        2 => (1..4_usize).prop_map(|limit| Event::WakeStopped { limit }),
        1 => Just(Event::RemoveEnded),
        1 => Just(Event::Rotate),
        1 => Just(Event::Sweep),
        1 => Just(Event::Reopen),
    ]
}

/// What a caller has read: the collection, and the job if it is there.
type Read = (CollectionEntry, Option<JobEntry>);

/// A store as its clients and as the engine see it.
type Both = (Arc<dyn Store>, Arc<dyn WorkStore>);

/// SQLite and the simulated store, side by side.
pub(crate) struct Pair {
    pub(crate) place: Directory,
    /// None for the moment in which it is closed.
    sqlite: Option<Both>,
    simulated: Both,
    /// What was read last of each job.
    seen: BTreeMap<(Name, Name), Option<Read>>,
    jobs_made: u128,
    batches: u64,
}

impl Pair {
    /// What is left in the data directory after all that has happened.
    pub(crate) async fn live(happens: Vec<Event>) -> Directory {
        let mut pair = Self::new().await;
        for event in happens {
            pair.happen(event).await;
        }
        pair.place
    }

    pub(crate) async fn new() -> Self {
        let place = Directory::new();
        let sqlite = Some(place.open_both().await);
        let simulated = Memory::new().open_both().await;
        Self { place, sqlite, simulated, seen: BTreeMap::new(), jobs_made: 0, batches: 0 }
    }

    fn stores(&self) -> [&dyn Store; 2] {
        [&*self.sqlite.as_ref().unwrap().0, &*self.simulated.0]
    }

    fn work_stores(&self) -> [&dyn WorkStore; 2] {
        [&*self.sqlite.as_ref().unwrap().1, &*self.simulated.1]
    }

    /// What a caller knows who reads now, or has read some time ago.
    async fn read(&mut self, collection: &Name, job: &Name, fresh: bool) -> Option<Read> {
        let path = (collection.clone(), job.clone());
        if !fresh && let Some(seen) = self.seen.get(&path) {
            return seen.clone();
        }
        let key = job_key(&self::path(collection), job.as_str());
        let [sqlite, simulated] = self.stores();
        let read = same(sqlite.job(&key).await, simulated.job(&key).await).unwrap();
        self.seen.insert(path, read.clone());
        read
    }

    pub(crate) async fn happen(&mut self, event: Event) {
        match event {
            Event::PutCollection { collection, fresh, is_stopped } => {
                self.put_collection(&name(NAMES[collection]), fresh, is_stopped).await;
            }
            Event::DeleteCollection { collection, fresh } => {
                let name = name(NAMES[collection]);
                let Some((CollectionEntry { id, revision, .. }, _)) = self.read(&name, &name, fresh).await else {
                    return;
                };
                let [sqlite, simulated] = self.stores();
                let deleted = simulated.delete_collection(id, revision, crate::sample::by(now())).await;
                same(sqlite.delete_collection(id, revision, crate::sample::by(now())).await, deleted);
            }
            Event::PutJob { collection, job, fresh, state, jobs_max, not_run } => {
                let (collection, job) = (name(NAMES[collection]), name(NAMES[job]));
                let Some(read) = self.read(&collection, &job, fresh).await else { return };
                self.jobs_made += 1;
                let write = write(&read, job, uid(self.jobs_made), jobs_max, State::ALL[state], not_run);
                let [sqlite, simulated] = self.stores();
                same(sqlite.put_job(write.clone()).await, simulated.put_job(write).await);
            }
            Event::DeleteJob { collection, job, fresh } => {
                let read = self.read(&name(NAMES[collection]), &name(NAMES[job]), fresh).await;
                let Some((_, Some(JobEntry { id, revision, .. }))) = read else { return };
                let [sqlite, simulated] = self.stores();
                let deleted = simulated.delete_job(id, revision, crate::sample::by(now())).await;
                same(sqlite.delete_job(id, revision, crate::sample::by(now())).await, deleted);
            }
            Event::RunJob { collection, job, fresh } => {
                let read = self.read(&name(NAMES[collection]), &name(NAMES[job]), fresh).await;
                let Some((_, Some(JobEntry { id, .. }))) = read else { return };
                let [sqlite, simulated] = self.stores();
                same(sqlite.run_job(id, now(), RUNS_MAX).await, simulated.run_job(id, now(), RUNS_MAX).await);
            }
            Event::List { collection, state, after, skip, limit } => {
                let (state, after) = (state.map(|state| State::ALL[state]), after.map(|after| name(NAMES[after])));
                self.list(&name(NAMES[collection]), &JobPage { state, after, skip, limit }).await;
            }
            Event::Settle { row, how, is_stale } => self.settle(row, how, is_stale).await,
            Event::Rotate => self.rotate().await,
            Event::Sweep => drop(self.stores()[0].sweep().await.unwrap()),
            Event::Reopen => {
                // A bell that nobody heard before the store was closed is lost.
                let [sqlite, simulated] = self.work_stores();
                assert_eq!(sqlite.bell().take(), simulated.bell().take());
                self.sqlite = None;
                self.sqlite = Some(self.place.open_both().await);
            }
            other => self.happen_to_engine(other).await,
        }
    }

    async fn happen_to_engine(&mut self, event: Event) {
        let [sqlite, simulated] = self.work_stores();
        match event {
            Event::SetWatermark(seconds) => {
                for store in [sqlite, simulated] {
                    store.set_watermark(NodeId::ONLY, at(seconds)).await.unwrap();
                }
            }
            Event::ForgetWatermark => {
                for store in [sqlite, simulated] {
                    store.forget_watermark(NodeId::ONLY).await.unwrap();
                }
            }
            Event::TakeOver => {
                let marked = simulated.take_over(NodeId::ONLY, Shards::ALL).await;
                same(sqlite.take_over(NodeId::ONLY, Shards::ALL).await, marked);
            }
            Event::WakeStopped { limit } => {
                let stopped = same(sqlite.stopped_jobs(limit).await, simulated.stopped_jobs(limit).await).unwrap();
                for store in [sqlite, simulated] {
                    if let Some(stopped) = stopped.clone() {
                        store.mark_woken(stopped).await.unwrap();
                    }
                }
            }
            Event::RemoveEnded => {
                let removed = simulated.remove_ended(now().saturating_add(1), now(), 2).await;
                same(sqlite.remove_ended(now().saturating_add(1), now(), 2).await, removed);
            }
            other => unreachable!("{other:?} does not happen to the engine"),
        }
    }

    async fn put_collection(&mut self, name: &Name, fresh: bool, is_stopped: bool) {
        let mut write = match self.read(name, name, fresh).await {
            Some((entry, _)) => edited_collection(&entry),
            None => new_collection(&format!("s/g/{name}")),
        };
        let ends = write.stopped_at.filter(|_| !is_stopped);
        write.ended_stop = ends.map(|from| EndedStop { from, until: now() });
        write.stopped_at = is_stopped.then(|| at(200));
        let [sqlite, simulated] = self.stores();
        same(sqlite.put_collection(write.clone()).await, simulated.put_collection(write).await);
    }

    /// Seals all that is stored with a new key. Nobody may notice.
    async fn rotate(&self) {
        let sqlite = self.stores()[0];
        sqlite.add_sealing_key().await.unwrap();
        let mut next = sqlite.reseal(None).await.unwrap().next;
        while next.is_some() {
            next = sqlite.reseal(next).await.unwrap().next;
        }
    }

    /// The engine changes one of the rows, in one of some ways.
    async fn settle(&mut self, row: usize, how: usize, is_stale: bool) {
        self.batches += 1;
        let [sqlite, simulated] = self.work_stores();
        let due = simulated.due(ALL_DUE).await.unwrap();
        let Some(key) = due.get(row % due.len().max(1)) else { return };
        let entry = crate::engine::work(simulated, key.id).await;
        let mut change = match entry.open {
            OpenWork::Schedule(_) if how == 0 => change(&entry, RowChange::Resent),
            OpenWork::Schedule(_) => {
                let mut progress = gone_on(&entry, 100 * i64::try_from(how).unwrap());
                progress.open = progress.open.filter(|_| how != 1);
                let beside = (how == 2).then(|| waking(300).into());
                WorkChange { ..change(&entry, RowChange::Schedule { progress, beside }) }
            }
            OpenWork::Beside { mut occurrence, schedule_revision, .. } => {
                (occurrence.attempt, occurrence.phase) = (occurrence.attempt + 1, Phase::Error);
                let occurrence = Some(occurrence).filter(|_| how > 2);
                let schedule = how.is_multiple_of(2).then_some((schedule_revision, how == 4));
                change(&entry, RowChange::Beside { occurrence, schedule })
            }
        };
        if how > 0 {
            change.counted = Counters { executions: 1, failures: 1, faulted: 0, last_started: Some(at(7)) };
            // A job ends once.
            let definitions = simulated.definitions(vec![entry.job]).await.unwrap();
            let has_ended = definitions.iter().flatten().any(|job| job.state.kind().is_final());
            change.ends = (how == 1 && !has_ended).then(|| (State::Faulted, at(8)));
            change.records = vec![record(entry.job, 1000)];
        }
        change.revision.0 -= i64::from(is_stale);
        let notes = vec![record(entry.job, 2000)];
        let batch = Batch { node: NodeId::ONLY, id: BatchId(self.batches), changes: vec![change], notes };
        let outcomes = [sqlite.write_work(batch.clone()).await, simulated.write_work(batch).await];
        let [BatchOutcome::Written(one), BatchOutcome::Written(other)] = outcomes else { panic!("{outcomes:?}") };
        assert_eq!(one, other);
    }

    async fn list(&self, of: &Name, page: &JobPage) {
        let [sqlite, simulated] = self.stores();
        let collections = crate::conformance::collections::page("s", None);
        same(sqlite.collections(&collections).await, simulated.collections(&collections).await);
        if let Some(entry) = same(sqlite.collection(&path(of)).await, simulated.collection(&path(of)).await).unwrap() {
            same(sqlite.jobs(entry.id, page).await, simulated.jobs(entry.id, page).await);
        }
    }

    /// Compares all that there is.
    pub(crate) async fn compare(&self) {
        let ([sqlite, simulated], [sqlite_work, simulated_work]) = (self.stores(), self.work_stores());
        let due = same(sqlite_work.due(ALL_DUE).await, simulated_work.due(ALL_DUE).await).unwrap();
        let rows: Vec<WorkId> = due.iter().map(|key| key.id).collect();
        assert_eq!(
            crate::engine::read(sqlite_work, rows.clone()).await,
            crate::engine::read(simulated_work, rows).await
        );
        let earlier = now().saturating_add(-punctual_model::time::TICKS_PER_DAY);
        for (kind, now) in [(RowKind::Begun, now()), (RowKind::Delayed, earlier)] {
            let page = RowPage { shards: Shards::ALL, kind, now, after: None, limit: 100 };
            same(sqlite_work.rows(page).await, simulated_work.rows(page).await);
        }
        assert_eq!(sqlite_work.oldest().await.unwrap().ended, simulated_work.oldest().await.unwrap().ended);
        assert_eq!(sqlite_work.bell().take(), simulated_work.bell().take());
        same(all_series(sqlite).await, all_series(simulated).await);
        let page = EnablePage { now: now().saturating_add(1), after: None, limit: 100 };
        same(sqlite.jobs_to_enable(&page).await, simulated.jobs_to_enable(&page).await);
        let tallies = crate::conformance::tallies::EVERY;
        same(sqlite.tallies(&tallies).await, simulated.tallies(&tallies).await);
        for collection in sqlite.collections(&crate::conformance::collections::page("s", None)).await.unwrap() {
            let id = collection.id;
            same(sqlite.stops(id).await, simulated.stops(id).await);
            for job in same(sqlite.jobs(id, &ALL_JOBS).await, simulated.jobs(id, &ALL_JOBS).await).unwrap() {
                same(sqlite.open_job(job.id).await, simulated.open_job(job.id).await);
                let [one, other] = [all_history(sqlite, job.id).await, all_history(simulated, job.id).await];
                assert!(one.iter().map(|item| &item.entry).eq(other.iter().map(|item| &item.entry)));
            }
        }
    }
}

/// What schedules were, without the numbers that tell a job's entries apart: each store has its own.
async fn all_series(store: &dyn Store) -> Result<Vec<SeriesEntry>, Error> {
    let mut entries = store.series(&SeriesPage { after: None, limit: 10_000 }).await?;
    for entry in &mut entries {
        entry.key.number = 0;
    }
    Ok(entries)
}

fn path(collection: &Name) -> punctual_store::CollectionKey {
    key(&format!("s/g/{collection}"))
}

/// What the caller writes who has read that.
fn write(
    (collection, read): &Read,
    name: Name,
    uid: Uid,
    jobs_max: Option<u32>,
    state: State,
    not_run_number: usize,
) -> JobWrite {
    let mut job = posting(&format!("{uid:?}"));
    job.state = match state {
        State::Enabled => JobState::Enabled,
        State::Disabled => JobState::Disabled(now()),
        ended => JobState::ended(ended),
    };
    let source = match read {
        None => JobSource::New { uid, jobs_max },
        Some(JobEntry { id, uid, revision, work_revision, .. }) => {
            JobSource::Edited { id: *id, uid: *uid, revision: *revision, work_revision: *work_revision }
        }
    };
    let days = 0..i64::try_from(not_run_number).unwrap();
    let not_run = days.map(|day| not_run(1000 + 86_400 * day, 1, Reason::Missed)).collect();
    JobWrite {
        collection: (collection.id, collection.revision),
        name,
        source,
        job,
        annotations: annotated(&format!("{uid:?}"), &["job=random"]),
        disabled_until: Some(now().saturating_add(i64::from(uid.bytes()[15] % 3))),
        not_run,
        stamp: crate::sample::by(now()),
    }
}

/// Compares two answers, names in the case they were written in. Returns what both said, unless both refused.
fn same<T: Debug + PartialEq>(sqlite: Result<T, Error>, simulated: Result<T, Error>) -> Option<T> {
    assert_eq!(format!("{sqlite:?}"), format!("{simulated:?}"));
    let (sqlite, simulated) = (sqlite.ok(), simulated.ok());
    assert_eq!(sqlite, simulated);
    sqlite
}
