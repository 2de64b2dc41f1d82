//! Things to put into a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use punctual_api::wire::parse_job;
use punctual_model::Name;
use punctual_model::collection::{Collection, CollectionState, Sku};
use punctual_model::history::{NotRun, Reason, Record};
use punctual_model::job::{Definition, Job, JobState, Uid};
use punctual_model::labels::{Annotations, Labels};
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionEntry, CollectionKey, CollectionWrite, GroupKey, HistoryItem, HistoryPage, JobEntry, JobId, JobKey,
    JobPage, JobSource, JobWrite, Stamp, Store,
};

pub(crate) const NOW: i64 = 1_800_000_000;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds).unwrap()
}

/// What is written at an instant, by someone.
pub(crate) fn by(at: Timestamp) -> Stamp {
    Stamp { at, who: "tester".to_owned(), request_id: "request-1".to_owned() }
}

pub(crate) fn now() -> Timestamp {
    at(NOW)
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A group, as `subscription/group`.
pub(crate) fn group_key(path: &str) -> GroupKey {
    let (subscription, group) = path.split_once('/').unwrap();
    GroupKey { subscription: name(subscription), group: name(group) }
}

/// A collection, as `subscription/group/collection`.
pub(crate) fn key(path: &str) -> CollectionKey {
    let (group, collection) = path.rsplit_once('/').unwrap();
    let GroupKey { subscription, group } = group_key(group);
    CollectionKey { subscription, group, collection: name(collection) }
}

pub(crate) fn job_key(collection: &CollectionKey, job: &str) -> JobKey {
    JobKey { collection: collection.clone(), job: name(job) }
}

/// A new collection in the plan `Standard`.
pub(crate) fn new_collection(path: &str) -> CollectionWrite {
    let key = key(path);
    let collection = Collection {
        name: key.collection.clone(),
        location: None,
        tags: BTreeMap::new(),
        sku: Some(Sku::Standard),
        state: CollectionState::Enabled,
        quota: None,
    };
    CollectionWrite::new(key, collection, by(now()))
}

/// A collection as it is, to be written again.
pub(crate) fn edited_collection(entry: &CollectionEntry) -> CollectionWrite {
    CollectionWrite {
        key: entry.key.clone(),
        collection: entry.collection.clone(),
        replaces: Some(entry.revision),
        stopped_at: entry.stopped_at,
        ended_stop: None,
        collections_max: None,
        stamp: by(now()),
    }
}

pub(crate) async fn make_collection(store: &dyn Store, path: &str) -> CollectionEntry {
    store.put_collection(new_collection(path)).await.unwrap()
}

/// A certificate with its key, which `secret` opens.
pub(crate) fn pfx() -> String {
    BASE64_STANDARD.encode(include_bytes!("../../../pfx/tests/fixtures/aes128.pfx"))
}

/// What a user says in JSON, where `PFX` stands for a certificate.
pub(crate) fn definition(text: &str) -> Definition {
    let parsed = parse_job(&text.replace("PFX", &pfx())).unwrap();
    let Definition { start, action, recurrence, options } = parsed.value.definition;
    Definition { start, action: action.complete(None).unwrap(), recurrence, options }
}

/// An enabled job that runs every minute and posts `message`.
pub(crate) fn posting(message: &str) -> Job {
    let definition = definition(&format!(
        r#"{{"recurrence": {{"frequency": "Minute"}},
            "action": {{"request": {{"uri": "https://example.com", "body": {}}}}}}}"#,
        serde_json::Value::from(message)
    ));
    let open = Occurrence {
        origin: Origin::Schedule,
        nominal: now(),
        phase: Phase::Main,
        attempt: 0,
        wake_at: now(),
        repeat: 1,
        series: 1,
        backlog_until: None,
    };
    Job {
        definition,
        state: JobState::Enabled,
        anchor: Anchor::Creation(now()),
        series: 1,
        progress: Progress { open: Some(open), ..Progress::new(1, now()) },
    }
}

/// A note, and labels `key=value`.
pub(crate) fn annotated(note: &str, labels: &[&str]) -> Annotations {
    let pairs = labels.iter().map(|label| label.split_once('=').unwrap());
    let labels = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    Annotations { note: Some(note.to_owned()), labels: Labels::new(labels).unwrap() }
}

pub(crate) fn uid(number: u128) -> Uid {
    Uid::from_bytes(number.to_be_bytes())
}

/// The number that a job gets for its name: the tests are not about chance.
fn uid_for(name: &str) -> Uid {
    uid(name.bytes().fold(7, |hash: u128, byte| hash.wrapping_mul(31).wrapping_add(byte.into())))
}

pub(crate) fn new_job(collection: &CollectionEntry, job: &str) -> JobWrite {
    JobWrite {
        collection: (collection.id, collection.revision),
        name: name(job),
        source: JobSource::New { uid: uid_for(job), jobs_max: None },
        job: posting(job),
        annotations: Annotations::default(),
        disabled_until: None,
        not_run: Vec::new(),
        stamp: by(now()),
    }
}

/// A job as it is, to be written again.
pub(crate) fn edited(collection: &CollectionEntry, entry: &JobEntry) -> JobWrite {
    let JobEntry { id, uid, revision, work_revision, .. } = *entry;
    JobWrite {
        collection: (collection.id, collection.revision),
        name: entry.name.clone(),
        source: JobSource::Edited { id, uid, revision, work_revision },
        job: entry.job.clone(),
        annotations: entry.annotations.clone(),
        disabled_until: entry.disabled_until,
        not_run: Vec::new(),
        stamp: by(now()),
    }
}

pub(crate) async fn make_job(store: &dyn Store, collection: &CollectionEntry, job: &str) -> JobEntry {
    store.put_job(new_job(collection, job)).await.unwrap()
}

/// The job of that name, as it is now.
pub(crate) async fn find_job(store: &dyn Store, collection: &CollectionEntry, job: &str) -> Option<JobEntry> {
    store.job(&job_key(&collection.key, job)).await.unwrap().and_then(|(_, job)| job)
}

pub(crate) const ALL_JOBS: JobPage = JobPage { state: None, after: None, skip: 0, limit: 10_000 };

pub(crate) async fn job_names(store: &dyn Store, collection: &CollectionEntry) -> Vec<String> {
    let jobs = store.jobs(collection.id, &ALL_JOBS).await.unwrap();
    jobs.iter().map(|job| job.name.to_string()).collect()
}

/// A record of so many times that were not run, decided at that second.
pub(crate) fn not_run(seconds: i64, number: u64, reason: Reason) -> Record {
    let range = NotRun { first: at(seconds - 100), last: at(seconds - 10), number, reason };
    Record::of_not_run(uid(1), range, at(seconds))
}

pub(crate) async fn all_history(store: &dyn Store, job: JobId) -> Vec<HistoryItem> {
    store.history(job, &HistoryPage { limit: 10_000, ..HistoryPage::default() }).await.unwrap()
}

/// So many jobs, `0000` and so on, written together.
pub(crate) async fn make_jobs(store: &Arc<dyn Store>, collection: &CollectionEntry, jobs: usize) {
    let makers: Vec<_> = (0..jobs)
        .map(|number| {
            let (store, write) = (Arc::clone(store), new_job(collection, &format!("{number:04}")));
            tokio::spawn(async move { store.put_job(write).await.map(drop) })
        })
        .collect();
    for maker in makers {
        maker.await.unwrap().unwrap();
    }
}
