//! Fills a data directory with jobs and their history, before the server starts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use punctual_benches::{StockedJob, scatter, uid};
use punctual_model::Name;
use punctual_model::action::{Action, Address, HttpAction, HttpType, Secret, Target};
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_model::job::{Counters, Definition, State};
use punctual_model::options::{Options, OptionsParts};
use punctual_model::recurrence::{Frequency, Parts, Recurrence};
use punctual_model::time::{Start, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp};
use punctual_store::sqlite::Sqlite;
use punctual_store::{
    Batch, BatchId, BatchOutcome, CollectionEntry, CollectionKey, CollectionWrite, HistoryEntry, JobId, JobWrite,
    NodeId, OpenWork, RowChange, Stamp, Store, WorkChange, WorkEntry, WorkStore,
};
use tokio::runtime::Runtime;

pub(crate) const SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";
pub(crate) const GROUP: &str = "default";

const COLLECTIONS: usize = 100;
const JOBS: usize = 100_000;
/// Records of each job.
const ROUNDS: usize = 10;
/// One of so many records is a failure, one of so many jobs fails now, and one of so many is disabled.
const FAILED: usize = 100;
const FAILING: usize = 333;
const DISABLED: usize = 50;
/// Targets that the jobs call.
const HOSTS: usize = 50;
/// No job is due before the last list was measured.
const LEAD_TICKS: i64 = 30 * TICKS_PER_MINUTE;
/// Jobs that are on their way to the disk at once, and records in one write.
const WRITERS: usize = 2048;
const RECORDS: usize = 5000;

/// The name of the collection of that number.
pub(crate) fn collection_name(number: usize) -> String {
    format!("collection-{number:03}")
}

/// Puts all of it into a data directory.
pub(crate) fn fill(data: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let on_fatal = Box::new(|reason| panic!("the disk failed: {reason}"));
    let store = Arc::new(Sqlite::open(data, None, on_fatal).expect("a store"));
    let now = now();
    let collections: Vec<CollectionEntry> =
        (0..COLLECTIONS).map(|number| runtime.block_on(put_collection(&store, number, now))).collect();
    let mut jobs = put_jobs(&runtime, &store, &Arc::new(collections), now);
    jobs.sort_unstable();
    for round in 0..ROUNDS {
        for (at, part) in jobs.chunks(RECORDS).enumerate() {
            runtime.block_on(write_records(&*store, part, round, at * RECORDS, now));
        }
    }
}

async fn put_collection(store: &Sqlite, number: usize, now: Timestamp) -> CollectionEntry {
    let name = |text: &str| Name::parse(text).expect("a name");
    let collection = name(&collection_name(number));
    let key = CollectionKey { subscription: name(SUBSCRIPTION), group: name(GROUP), collection: collection.clone() };
    let (tags, state) = (BTreeMap::new(), CollectionState::Enabled);
    let collection = Collection { name: collection, location: None, tags, sku: None, state, quota: None };
    store.put_collection(CollectionWrite::new(key, collection, Stamp::of_server(now))).await.expect("a collection")
}

fn put_jobs(
    runtime: &Runtime,
    store: &Arc<Sqlite>,
    collections: &Arc<Vec<CollectionEntry>>,
    now: Timestamp,
) -> Vec<JobId> {
    let next = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let writers = (0..WRITERS).map(|_| {
            let (next, store, collections) = (Arc::clone(&next), Arc::clone(store), Arc::clone(collections));
            tokio::spawn(async move {
                let mut jobs = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= JOBS {
                        return jobs;
                    }
                    let write = write(number, &collections[number % COLLECTIONS], now);
                    jobs.push(store.put_job(write).await.expect("a job that is stored").id);
                }
            })
        });
        let mut jobs = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            jobs.extend(writer.await.expect("a writer"));
        }
        jobs
    })
}

/// The job of that number. Names come in no order, as those of users do.
fn write(number: usize, collection: &CollectionEntry, now: Timestamp) -> JobWrite {
    let name = format!("{:08x}-job-{number:06}", scatter(number) & 0xffff_ffff);
    let state = number.is_multiple_of(DISABLED).then_some(State::Disabled);
    StockedJob { number, name, definition: definition(number, now), state, not_run: Vec::new() }.write(collection, now)
}

/// A job that is due every day, at some time of the day.
fn definition(number: usize, now: Timestamp) -> Definition<Option<Secret>> {
    let http = HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(&format!("https://host-{}.example.com/jobs/{number}", scatter(number) % HOSTS))
            .expect("an address"),
        method: "POST".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: Some(format!(r#"{{"number":{number},"text":"{}"}}"#, "x".repeat(60))),
        authentication: None,
    };
    let seconds = i64::try_from(scatter(number) % 86_400).unwrap_or_default();
    let start = now.saturating_add(LEAD_TICKS + seconds * TICKS_PER_SECOND);
    let parts = Parts { frequency: Some(Frequency::Day), interval: Some(1), ..Parts::default() };
    Definition {
        start: Some(Start::at(start)),
        action: Action { target: Target::Http(http), retry: None, error: None, sign: None },
        recurrence: Some(Recurrence::new(&parts).expect("a recurrence")),
        options: Options::new(OptionsParts::default()).expect("options"),
    }
}

/// Writes one record of each of these jobs, half a day after the one before. The last one is written with the row of the job.
async fn write_records(store: &dyn WorkStore, jobs: &[JobId], round: usize, first: usize, now: Timestamp) {
    let records = jobs.iter().enumerate().map(|(at, job)| entry(*job, first + at, round, now));
    let (mut changes, mut notes) = (Vec::new(), Vec::new());
    if round + 1 == ROUNDS {
        let rows = store.work(jobs.iter().map(|job| (*job).into()).collect()).await.expect("rows");
        for (row, record) in rows.into_iter().zip(records) {
            changes.push(change(&row.expect("a row that can be read"), record));
        }
    } else {
        notes.extend(records);
    }
    let batch = Batch { node: NodeId::ONLY, id: BatchId(1), changes, notes };
    assert!(matches!(store.write_work(batch).await, BatchOutcome::Written(_)), "records that are stored");
}

fn change(row: &WorkEntry, record: HistoryEntry) -> WorkChange {
    let OpenWork::Schedule(progress) = row.open else { panic!("a row of a schedule") };
    let WorkEntry { id, job, collection, revision, lane, .. } = *row;
    let row = RowChange::Schedule { progress, beside: None };
    let counted = Counters::default();
    WorkChange {
        id,
        job,
        collection,
        revision,
        needs_shard: false,
        row,
        lane,
        counted,
        ends: None,
        records: vec![record],
    }
}

fn entry(job: JobId, number: usize, round: usize, now: Timestamp) -> HistoryEntry {
    let back = i64::try_from(ROUNDS - round).unwrap_or_default() * TICKS_PER_DAY / 2;
    let spread = i64::try_from(number).unwrap_or_default() * TICKS_PER_HOUR / 100_000;
    let started = now.saturating_add(spread - back);
    let is_last = round + 1 == ROUNDS;
    let fails = if is_last { number.is_multiple_of(FAILING) } else { (number + round * 7).is_multiple_of(FAILED) };
    let record = Record::of_not_run(uid(number), NotRun::one(started, Reason::Missed), started);
    let record = if number % 5000 == 1 && is_last {
        record
    } else if fails {
        let host = format!("host-{}.example.com", scatter(number) % HOSTS);
        let failure = Failure::answered(FailureClass::Status, &host, 503, "");
        let message = "HTTP 503 Service Unavailable: try again later".to_owned();
        Record { status: Status::Failed(started), failure: Some(failure), message, ..record }
    } else {
        Record { status: Status::Completed(started), message: "HTTP 200 OK".to_owned(), ..record }
    };
    HistoryEntry { job, record, node: 0, revision: 1, is_duplicate: false }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    Timestamp::EPOCH.saturating_add(i64::try_from(since.as_nanos() / 100).expect("a clock before the year 9999"))
}
