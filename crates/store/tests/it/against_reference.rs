//! Random lives of a store, which always gives the answers of the [`reference`](crate::reference).
//!
//! 64 lives; 1280 if `PUNCTUAL_TEST_LONG` is set.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use punctual_model::Name;
use punctual_model::history::Reason;
use punctual_model::job::{JobState, State, Uid};
use punctual_store::{CollectionEntry, Error, JobEntry, JobId, JobPage, JobSource, JobWrite, Store};

use crate::place::{Directory, Place};
use crate::reference::{Job, Read, Reference, Refused, Wish};
use crate::sample::{all_history, edited_collection, job_key, key, name, new_collection, not_run, now, posting, uid};

const RUNS_MAX: u32 = 2;

/// Something that happens. `fresh` is whether the caller reads before it writes; else it relies on what it has read last.
#[derive(Clone, Debug)]
enum Event {
    PutCollection { collection: usize, fresh: bool },
    DeleteCollection { collection: usize, fresh: bool },
    PutJob { collection: usize, job: usize, fresh: bool, state: usize, jobs_max: Option<u32>, not_run: usize },
    DeleteJob { collection: usize, job: usize, fresh: bool },
    RunJob { collection: usize, job: usize, fresh: bool },
    List { collection: usize, state: Option<usize>, after: Option<usize>, skip: u32, limit: usize },
    Rotate,
    Sweep,
    Reopen,
}

/// Names, each in two cases.
const NAMES: [&str; 8] = ["a", "A", "bé", "BÉ", "c", "C", "z z", "Z Z"];

fn events() -> impl Strategy<Value = Event> {
    let (collection, job, fresh) = (0..4_usize, 0..NAMES.len(), prop::bool::weighted(0.7));
    let jobs_max = prop_oneof![3 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    let state = 0..State::ALL.len();
    let put_job = (collection.clone(), job.clone(), fresh, state.clone(), jobs_max, 0..3_usize);
    let list = (collection.clone(), prop::option::of(state), prop::option::of(job.clone()), 0..3_u32, 0..5_usize);
    let of_job = (collection.clone(), job, fresh);
    let of_collection = (collection, fresh);
    prop_oneof![
        4 => of_collection.clone().prop_map(|(collection, fresh)| Event::PutCollection { collection, fresh }),
        1 => of_collection.prop_map(|(collection, fresh)| Event::DeleteCollection { collection, fresh }),
        12 => put_job.prop_map(|(collection, job, fresh, state, jobs_max, not_run)| Event::PutJob {
            collection, job, fresh, state, jobs_max, not_run
        }),
        3 => of_job.clone().prop_map(|(collection, job, fresh)| Event::DeleteJob { collection, job, fresh }),
        4 => of_job.prop_map(|(collection, job, fresh)| Event::RunJob { collection, job, fresh }),
        4 => list.prop_map(|(collection, state, after, skip, limit)| Event::List {
            collection, state, after, skip, limit
        }),
        1 => Just(Event::Rotate),
        1 => Just(Event::Sweep),
        1 => Just(Event::Reopen),
    ]
}

/// The real store and its reference, side by side.
struct Pair {
    place: Directory,
    /// None for the moment in which it is closed.
    store: Option<Arc<dyn Store>>,
    reference: Reference,
    /// What was read last of each job: from the store, and from the reference.
    seen: BTreeMap<(Name, Name), Option<Seen>>,
    /// Which job each number was given to.
    numbers: BTreeMap<JobId, Uid>,
    made: u128,
}

type Seen = ((CollectionEntry, Option<JobEntry>), Read);

impl Pair {
    async fn new() -> Self {
        let place = Directory::new();
        let store = Some(place.open().await);
        let (reference, seen, numbers) = (Reference::default(), BTreeMap::new(), BTreeMap::new());
        Self { place, store, reference, seen, numbers, made: 0 }
    }

    fn store(&self) -> &dyn Store {
        self.store.as_deref().unwrap()
    }

    /// What a caller knows who reads now, or has read some time ago.
    async fn read(&mut self, collection: &Name, job: &Name, fresh: bool) -> Option<Seen> {
        let place = (collection.clone(), job.clone());
        if !fresh && let Some(seen) = self.seen.get(&place) {
            return seen.clone();
        }
        let read = self.store().job(&job_key(&path(collection), job.as_str())).await.unwrap();
        let expected = self.reference.read(collection, job);
        assert_eq!(read.is_some(), expected.is_some());
        let seen = read.zip(expected);
        if let Some(((_, real), expected)) = &seen {
            self.compare(real.as_slice(), expected.job.as_slice()).await;
        }
        self.seen.insert(place, seen.clone());
        seen
    }

    /// Whether jobs are those of the reference, their history included.
    async fn compare(&mut self, real: &[JobEntry], expected: &[Job]) {
        assert_eq!(
            real.iter().map(project).collect::<Vec<_>>(),
            expected.iter().map(project_expected).collect::<Vec<_>>()
        );
        for (entry, expected) in real.iter().zip(expected) {
            assert_eq!(*self.numbers.entry(entry.id).or_insert(entry.uid), entry.uid, "a number was given twice");
            assert_eq!(all_history(self.store(), entry.id).await.len(), expected.history);
        }
    }

    async fn happen(&mut self, event: Event) {
        match event {
            Event::PutCollection { collection, fresh } => {
                let name = name(NAMES[collection]);
                let (read, expected) = self.read(&name, &name, fresh).await.unzip();
                let write =
                    read.map_or_else(|| new_collection(&format!("s/g/{name}")), |(entry, _)| edited_collection(&entry));
                let put = self.store().put_collection(write).await.map(|entry| entry.revision.0);
                assert_eq!(refusal(put), self.reference.put_collection(&name, expected.as_ref()));
            }
            Event::DeleteCollection { collection, fresh } => {
                let name = name(NAMES[collection]);
                let Some(((entry, _), expected)) = self.read(&name, &name, fresh).await else { return };
                let deleted = self.store().delete_collection(entry.id, entry.revision, now()).await;
                assert_eq!(refusal(deleted), self.reference.delete_collection(&expected));
            }
            Event::PutJob { collection, job, fresh, state, jobs_max, not_run } => {
                let (collection, job) = (name(NAMES[collection]), name(NAMES[job]));
                let Some(((entry, real), expected)) = self.read(&collection, &job, fresh).await else { return };
                self.made += 1;
                let wish = Wish {
                    name: job,
                    uid: uid(self.made),
                    jobs_max,
                    state: State::ALL[state],
                    message: self.made.to_string(),
                    not_run,
                };
                let put = self.store().put_job(write(&entry, real.as_ref(), &wish)).await;
                let put = refusal(put.map(|entry| project(&entry)));
                assert_eq!(put, self.reference.put_job(&expected, wish).map(|job| project_expected(&job)));
            }
            Event::DeleteJob { collection, job, fresh } => {
                let seen = self.read(&name(NAMES[collection]), &name(NAMES[job]), fresh).await;
                let Some(((_, Some(real)), Read { job: Some(expected), .. })) = seen else { return };
                let deleted = self.store().delete_job(real.id, real.revision, now()).await;
                assert_eq!(refusal(deleted), self.reference.delete_job(&expected));
            }
            Event::RunJob { collection, job, fresh } => {
                let seen = self.read(&name(NAMES[collection]), &name(NAMES[job]), fresh).await;
                let Some(((_, Some(real)), Read { job: Some(expected), .. })) = seen else { return };
                let run = self.store().run_job(real.id, now(), RUNS_MAX).await;
                assert_eq!(refusal(run), self.reference.run_job(&expected, RUNS_MAX));
            }
            Event::List { collection, state, after, skip, limit } => {
                self.list(&name(NAMES[collection]), state, after, skip, limit).await;
            }
            Event::Rotate => {
                self.store().add_sealing_key().await.unwrap();
                let mut next = self.store().reseal(None).await.unwrap().next;
                while next.is_some() {
                    next = self.store().reseal(next).await.unwrap().next;
                }
            }
            Event::Sweep => drop(self.store().sweep().await.unwrap()),
            Event::Reopen => {
                self.store = None;
                self.store = Some(self.place.open().await);
            }
        }
    }

    async fn list(&mut self, of: &Name, state: Option<usize>, after: Option<usize>, skip: u32, limit: usize) {
        let (state, after) = (state.map(|state| State::ALL[state]), after.map(|after| name(NAMES[after])));
        let expected = self.reference.jobs(of, state, after.as_ref(), skip as usize, limit);
        let listed = match self.store().collection(&path(of)).await.unwrap() {
            Some(entry) => self.store().jobs(entry.id, &JobPage { state, after, skip, limit }).await.unwrap(),
            None => Vec::new(),
        };
        self.compare(&listed, &expected).await;
        let page = crate::conformance::collections::page("s", None);
        let collections = self.store().collections(&page).await.unwrap().into_iter();
        let collections = collections.map(|it| (it.key.collection.to_string(), it.revision.0, it.jobs as usize));
        assert_eq!(collections.collect::<Vec<_>>(), self.reference.collections());
    }
}

fn path(collection: &Name) -> punctual_store::CollectionKey {
    key(&format!("s/g/{collection}"))
}

/// What the caller writes who wants this and has read that.
fn write(collection: &CollectionEntry, read: Option<&JobEntry>, wish: &Wish) -> JobWrite {
    let mut job = posting(&wish.message);
    job.state = match wish.state {
        State::Enabled => JobState::Enabled,
        State::Disabled => JobState::Disabled(now()),
        ended => JobState::ended(ended),
    };
    let source = match read {
        None => JobSource::New { uid: wish.uid, jobs_max: wish.jobs_max },
        Some(JobEntry { id, uid, revision, work_revision, .. }) => {
            JobSource::Edited { id: *id, uid: *uid, revision: *revision, work_revision: *work_revision }
        }
    };
    let not_run = (0..wish.not_run).map(|day| not_run(1000 + 86_400 * i64::try_from(day).unwrap(), 1, Reason::Missed));
    let collection = (collection.id, collection.revision);
    JobWrite { collection, name: wish.name.clone(), source, job, not_run: not_run.collect(), now: now() }
}

/// What is compared of a job.
type Projection = (String, Uid, i64, State, punctual_model::job::Definition);

fn project(entry: &JobEntry) -> Projection {
    let JobEntry { name, uid, revision, job, .. } = entry;
    (name.to_string(), *uid, revision.0, job.state.kind(), job.definition.clone())
}

fn project_expected(job: &Job) -> Projection {
    (job.written.clone(), job.uid, job.revision, job.state, posting(&job.message).definition)
}

fn refusal<T>(result: Result<T, Error>) -> Result<T, Refused> {
    result.map_err(|error| match error {
        Error::Stale => Refused::Stale,
        Error::Full { max } => Refused::Full(max),
        other => panic!("{other}"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_answers_as_its_reference(happens in vec(events(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut pair = Pair::new().await;
            for event in happens {
                pair.happen(event).await;
            }
        });
    }
}

fn cases() -> u32 {
    if std::env::var_os("PUNCTUAL_TEST_LONG").is_some() { 1280 } else { 64 }
}
