//! The power goes between the two commits of a batch: history has it, the main file does not.

use std::fs;

use punctual_model::tally::Tally;
use punctual_store::{Store, WorkStore};

use crate::conformance::tallies::EVERY;
use crate::engine::{apply, go_on, record, work};
use crate::place::Directory;
use crate::sample::{all_history, make_collection, make_job};

/// How many records of history there are, and what was counted in all.
async fn found(store: &dyn Store, job: punctual_store::JobId) -> (usize, Tally) {
    let counted = store.tallies(&EVERY).await.unwrap();
    let sum = counted.iter().fold(Tally::default(), |sum, entry| sum.plus(entry.tally));
    (all_history(store, job).await.len(), sum)
}

async fn settle(store: &dyn WorkStore, job: punctual_store::JobId, seconds: i64) {
    let mut change = go_on(&work(store, job).await, 500 + seconds);
    change.records = vec![record(job, seconds)];
    apply(store, change).await;
}

#[tokio::test]
async fn a_batch_is_counted_once_with_its_records() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let job = make_job(&store, &collection, "j").await;
    settle(&store, job.id, 1).await;
    drop(store);
    let (file, before) = (directory.path().join("punctual.db"), directory.path().join("before"));
    fs::copy(&file, &before).unwrap();

    let store = directory.try_open().unwrap();
    settle(&store, job.id, 2).await;
    let both = (2, Tally { not_run: 2, ..Tally::default() });
    assert_eq!(found(&store, job.id).await, both);
    drop(store);
    fs::copy(&before, &file).unwrap();

    let store = directory.try_open().unwrap();
    assert_eq!(found(&store, job.id).await, (1, Tally { not_run: 1, ..Tally::default() }));
    settle(&store, job.id, 2).await;
    assert_eq!(found(&store, job.id).await, both);
}
