//! History.

use std::collections::BTreeSet;
use std::sync::Arc;

use punctual_model::history::{Reason, Record, Status, StatusKind};
use punctual_model::occurrence::Phase;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, Error, HistoryFilter, HistoryPage, JobEntry, Store};

use crate::place::Place;
use crate::sample::{all_history, at, edited, find_job, make_collection, make_job, new_job, not_run};

const DAY: i64 = 86_400;

/// Writes the records with an edit.
async fn record(store: &dyn Store, collection: &CollectionEntry, job: &JobEntry, records: Vec<Record>) -> JobEntry {
    let mut write = edited(collection, job);
    write.not_run = records;
    store.put_job(write).await.unwrap()
}

/// The seconds at which the records of a page started.
async fn seconds(store: &dyn Store, job: &JobEntry, page: &HistoryPage) -> Vec<i64> {
    store.history(job.id, page).await.unwrap().iter().map(|item| item.key.started().seconds()).collect()
}

/// A job with records at these seconds.
async fn job_with(store: &dyn Store, started: &[i64]) -> JobEntry {
    let collection = make_collection(store, "s/g/c").await;
    let job = make_job(store, &collection, "j").await;
    let records = started.iter().map(|seconds| not_run(*seconds, 1, Reason::Missed)).collect();
    record(store, &collection, &job, records).await
}

pub(crate) async fn what_was_not_run_is_listed(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let records = [(1, Reason::Overlap), (1000, Reason::Missed), (u64::MAX / 2, Reason::Disabled)]
        .map(|(number, reason)| not_run(1000, number, reason));
    let job = record(&*store, &collection, &job, records.to_vec()).await;
    let mut listed = all_history(&*store, job.id).await;
    listed.reverse();
    assert!(listed.iter().all(|item| item.entry.job == job.id && item.entry.revision == 2 && !item.entry.is_duplicate));
    assert_eq!(listed.into_iter().map(|item| item.entry.record).collect::<Vec<_>>(), records);
}

pub(crate) async fn it_is_written_only_if_the_edit_was(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let mut write = edited(&collection, &job);
    write.not_run = vec![not_run(1, 1, Reason::Missed)];
    // Many at once, so that right and wrong ones share a commit.
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (store, write) = (Arc::clone(&store), write.clone());
            tokio::spawn(async move { store.put_job(write).await })
        })
        .collect();
    let mut won = 0;
    for writer in writers {
        match writer.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert!(matches!(error, Error::Stale)),
        }
    }
    assert_eq!((won, all_history(&*store, job.id).await.len()), (1, 1));
}

pub(crate) async fn the_newest_comes_first(place: &dyn Place) {
    let store = place.open().await;
    let job = job_with(&*store, &[5, 3 * DAY, 7, DAY, 5]).await;
    let page = HistoryPage { limit: 10, ..HistoryPage::default() };
    assert_eq!(seconds(&*store, &job, &page).await, [3 * DAY, DAY, 7, 5, 5]);
}

pub(crate) async fn pages_go_on_where_the_last_ended(place: &dyn Place) {
    let store = place.open().await;
    let started: Vec<i64> = (0..50).map(|number| number % 7 * DAY / 2).collect();
    let job = job_with(&*store, &started).await;
    let all = all_history(&*store, job.id).await;
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = HistoryPage { after, limit: 3, ..HistoryPage::default() };
        let items = store.history(job.id, &page).await.unwrap();
        let Some(last) = items.last() else { break };
        after = Some(last.key);
        paged.extend(items);
    }
    assert_eq!((paged.len(), &paged), (50, &all));
    assert!(all.is_sorted_by_key(|item| item.key));
}

pub(crate) async fn some_are_skipped(place: &dyn Place) {
    let store = place.open().await;
    let job = job_with(&*store, &[1, 2, DAY, DAY + 1, 2 * DAY]).await;
    for (skip, rest) in [(1, vec![DAY + 1, DAY]), (3, vec![2, 1]), (5, vec![])] {
        let page = HistoryPage { skip, limit: 2, ..HistoryPage::default() };
        assert_eq!(seconds(&*store, &job, &page).await, rest, "without the first {skip}");
    }
}

pub(crate) async fn only_what_is_asked_for(place: &dyn Place) {
    let store = place.open().await;
    let job = job_with(&*store, &[1, DAY, 2 * DAY]).await;
    let all = HistoryFilter::default();
    let filters = [
        (HistoryFilter { status: Some(StatusKind::Postponed), ..all }, 3),
        (HistoryFilter { status: Some(StatusKind::Completed), ..all }, 0),
        (HistoryFilter { phase: Some(Phase::Main), ..all }, 3),
        (HistoryFilter { phase: Some(Phase::Error), ..all }, 0),
        (HistoryFilter { started_from: Some(at(DAY)), ..all }, 2),
        (HistoryFilter { started_until: Some(at(DAY)), ..all }, 2),
        (HistoryFilter { started_from: Some(at(2)), started_until: Some(at(2 * DAY - 1)), ..all }, 1),
    ];
    for (filter, number) in filters {
        let page = HistoryPage { filter, limit: 10, ..HistoryPage::default() };
        assert_eq!(seconds(&*store, &job, &page).await.len(), number, "{filter:?}");
    }
}

pub(crate) async fn every_record_has_a_key_of_its_own(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut jobs = Vec::new();
    for number in 0..8 {
        jobs.push(make_job(&*store, &collection, &number.to_string()).await);
    }
    let writers: Vec<_> = jobs
        .into_iter()
        .map(|job| {
            let (store, collection) = (Arc::clone(&store), collection.clone());
            tokio::spawn(async move {
                let mut job = job;
                for _ in 0..5 {
                    job = record(&*store, &collection, &job, vec![not_run(1, 1, Reason::Missed); 2]).await;
                }
                job.id
            })
        })
        .collect();
    let mut keys = BTreeSet::new();
    for writer in writers {
        let job = writer.await.unwrap();
        keys.extend(all_history(&*store, job).await.iter().map(|item| item.key.number()));
    }
    assert_eq!(keys.len(), 80);
}

pub(crate) async fn the_years_1_and_9999(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let at = |at: Timestamp| {
        let mut record = not_run(1, 1, Reason::Missed);
        (record.started, record.ended) = (at, at);
        let Status::Postponed(range) = &mut record.status else { unreachable!() };
        (range.first, range.last) = (Timestamp::MIN, Timestamp::MAX);
        record
    };
    let (first, last) = (at(Timestamp::MIN), at(Timestamp::MAX));
    let job = record(&*store, &collection, &job, vec![first.clone(), last.clone()]).await;
    let listed = all_history(&*store, job.id).await.into_iter().map(|item| item.entry.record);
    assert!(listed.eq([last, first]));
}

pub(crate) async fn a_closed_store_keeps_it(place: &dyn Place) {
    let store = place.open().await;
    let job = job_with(&*store, &[1, DAY]).await;
    let before = all_history(&*store, job.id).await;
    drop(store);
    let store = place.open().await;
    assert_eq!((before.len(), all_history(&*store, job.id).await), (2, before.clone()));
    // And what comes then gets keys of its own.
    let collection = store.collection(&crate::sample::key("s/g/c")).await.unwrap().unwrap();
    let job = find_job(&*store, &collection, "j").await.unwrap();
    record(&*store, &collection, &job, vec![not_run(1, 1, Reason::Missed)]).await;
    let keys: BTreeSet<_> = all_history(&*store, job.id).await.iter().map(|item| item.key.number()).collect();
    assert_eq!(keys.len(), 3);
}

pub(crate) async fn jobs_do_not_share_it(place: &dyn Place) {
    let store = place.open().await;
    let job = job_with(&*store, &[1]).await;
    let collection = store.collection(&crate::sample::key("s/g/c")).await.unwrap().unwrap();
    let other = make_job(&*store, &collection, "other").await;
    assert_eq!(all_history(&*store, job.id).await.len(), 1);
    assert!(all_history(&*store, other.id).await.is_empty());
}

pub(crate) async fn a_new_job_can_have_some(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut write = new_job(&collection, "j");
    write.not_run = vec![not_run(1, 1, Reason::Missed)];
    let job = store.put_job(write).await.unwrap();
    assert_eq!(all_history(&*store, job.id).await[0].entry.revision, 1);
}
