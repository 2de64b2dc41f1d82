//! Fills a data directory with jobs, before the server starts: through the store, which is several times faster than
//! through the API.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use punctual_model::Name;
use punctual_model::action::{Action, Address, HttpAction, HttpType, Target};
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::history::{NotRun, Reason, Record};
use punctual_model::job::Definition;
use punctual_model::options::{Options, OptionsParts};
use punctual_model::recurrence::{Frequency, Parts, Recurrence};
use punctual_model::time::{Span, Start, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};
use punctual_store::sqlite::Sqlite;
use punctual_store::{CollectionEntry, CollectionKey, CollectionWrite, JobWrite, Stamp, Store};
use tokio::runtime::Runtime;

use crate::clock;
use crate::stocked_job::{StockedJob, uid};

/// Jobs that are on their way to the disk at once, and share its fsync.
const WRITERS: usize = 2048;

/// The time that is left between filling and the first job that is due: the server has to start, read ahead and come to
/// rest.
const LEAD_TICKS: i64 = 8 * TICKS_PER_SECOND;

/// Later jobs take longer than the first ones, as indexes grow; and other processes come and go.
const CAUTION: f64 = 1.6;

/// Records of an old history in one write, and how long each is.
const OLD_RECORDS: usize = 4096;
const OLD_MESSAGE_CHARS: usize = 1000;

/// A data directory that is being filled.
pub struct Stock {
    runtime: Runtime,
    store: Arc<Sqlite>,
    collection: CollectionEntry,
    jobs: usize,
    jobs_per_second: f64,
}

/// What a job calls, and when.
pub struct Job {
    /// What it calls.
    pub uri: String,
    /// When it is due first.
    pub start: Timestamp,
    /// Every so many minutes, days and so on. None: once.
    pub every: Option<(Frequency, i64)>,
    /// How long an attempt may take. None: as long as usual.
    pub timeout_seconds: Option<u32>,
    /// None: a short one.
    pub body: Option<String>,
}

impl Job {
    /// One that is due every day, at that instant first.
    pub fn daily(uri: String, start: Timestamp) -> Self {
        Self { uri, start, every: Some((Frequency::Day, 1)), timeout_seconds: None, body: None }
    }

    /// One that is due once, at that instant.
    pub fn once(uri: String, start: Timestamp) -> Self {
        Self { uri, start, every: None, timeout_seconds: None, body: None }
    }

    /// One that is due at no time that matters.
    pub fn far(number: usize) -> Self {
        let days = 30 + i64::try_from(number % 1000).unwrap_or_default();
        Self::daily("http://127.0.0.1:9/".to_owned(), clock::now().saturating_add(days * TICKS_PER_DAY))
    }

    /// The job as the store keeps it: about 300 bytes.
    fn definition(self, number: usize) -> Definition<Option<punctual_model::action::Secret>> {
        let short = || format!(r#"{{"number":{number},"text":"{}"}}"#, "x".repeat(60));
        let body = self.body.unwrap_or_else(short);
        let http = HttpAction {
            kind: HttpType::Http,
            uri: Address::parse(&self.uri).expect("an address"),
            method: "POST".to_owned(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: Some(body),
            authentication: None,
        };
        let parts =
            |frequency, interval| Parts { frequency: Some(frequency), interval: Some(interval), ..Parts::default() };
        let recurrence = |(frequency, interval)| Recurrence::new(&parts(frequency, interval)).expect("a recurrence");
        let recurrence = self.every.map(recurrence);
        let options = OptionsParts { timeout: self.timeout_seconds.map(Span::from_seconds), ..OptionsParts::default() };
        Definition {
            start: Some(Start::at(self.start)),
            action: Action { target: Target::Http(http), retry: None, error: None, sign: None },
            recurrence,
            options: Options::new(options).expect("options"),
        }
    }
}

/// The name of the job of that number.
pub fn job_name(number: usize) -> String {
    format!("job-{number:08}")
}

impl Stock {
    /// Opens a data directory and puts so many jobs into it that are not due. So it is known how long others take.
    pub fn open(data: &Path, far: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
        let on_fatal = Box::new(|reason| panic!("the disk failed: {reason}"));
        let store = Arc::new(Sqlite::open(data, None, on_fatal).expect("a store"));
        let collection = runtime.block_on(store.put_collection(default_collection())).expect("a collection");
        let mut stock = Self { runtime, store, collection, jobs: 0, jobs_per_second: 0.0 };
        stock.fill(far, Job::far);
        stock
    }

    /// An instant at which so many more jobs are stored and the server is ready.
    pub fn instant_after(&self, jobs: usize) -> Timestamp {
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let seconds = jobs as f64 / self.jobs_per_second * CAUTION;
        #[expect(clippy::cast_possible_truncation, reason = "whole seconds will do")]
        let ticks = (seconds.ceil() as i64) * TICKS_PER_SECOND + LEAD_TICKS;
        clock::now().saturating_add(ticks)
    }

    /// Puts so many jobs into it. The function says what the job of each number, counted from 0, is.
    pub fn fill(&mut self, count: usize, job: impl Fn(usize) -> Job + Send + Sync + 'static) {
        let (next, job, first) = (Arc::new(AtomicUsize::new(0)), Arc::new(job), self.jobs);
        let started = Instant::now();
        self.runtime.block_on(async {
            let writers = (0..WRITERS.min(count)).map(|_| {
                let (next, job) = (Arc::clone(&next), Arc::clone(&job));
                let (store, collection) = (Arc::clone(&self.store), self.collection.clone());
                tokio::spawn(async move {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            break;
                        }
                        let write = write(job(number), first + number, &collection, Vec::new());
                        store.put_job(write).await.expect("a job that is stored");
                    }
                })
            });
            for writer in writers.collect::<Vec<_>>() {
                writer.await.expect("a writer");
            }
        });
        self.jobs += count;
        #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
        let jobs_per_second = count as f64 / started.elapsed().as_secs_f64();
        self.jobs_per_second = jobs_per_second;
    }

    /// Writes a day of history that is long over, of about so many bytes.
    pub fn write_old_history(&mut self, day: Timestamp, bytes: usize) {
        for _ in 0..bytes.div_ceil(OLD_RECORDS * OLD_MESSAGE_CHARS) {
            let not_run = NotRun::one(day, Reason::Missed);
            let mut record = Record::of_not_run(uid(self.jobs), not_run, day);
            record.message = "x".repeat(OLD_MESSAGE_CHARS);
            let write = write(Job::far(self.jobs), self.jobs, &self.collection, vec![record; OLD_RECORDS]);
            self.runtime.block_on(self.store.put_job(write)).expect("a job that is stored");
            self.jobs += 1;
        }
    }
}

/// The collection that the server would make on its first start, and in which `/v1/jobs` looks.
fn default_collection() -> CollectionWrite {
    let name = |text| Name::parse(text).expect("a name");
    let key = CollectionKey {
        subscription: name("00000000-0000-0000-0000-000000000000"),
        group: name("default"),
        collection: name("default"),
    };
    let collection = Collection {
        name: key.collection.clone(),
        location: None,
        tags: BTreeMap::new(),
        sku: None,
        state: CollectionState::Enabled,
        quota: None,
    };
    CollectionWrite::new(key, collection, Stamp::of_server(clock::now()))
}

/// The job of that number.
fn write(job: Job, number: usize, collection: &CollectionEntry, not_run: Vec<Record>) -> JobWrite {
    let definition = job.definition(number);
    StockedJob { number, name: job_name(number), definition, state: None, not_run }.write(collection, clock::now())
}
