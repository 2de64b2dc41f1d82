//! A collection is deleted at once, and its jobs are cleared away bit by bit.

use std::sync::Arc;

use punctual_store::{CollectionEntry, Error, GroupRemoval, Store};

use crate::conformance::collections::page;
use crate::place::Place;
use crate::sample::{ALL_JOBS, find_job, group_key, job_key, make_collection, make_job, make_jobs, new_job, now};

/// A collection with so many jobs.
async fn with_jobs(store: &Arc<dyn Store>, path: &str, jobs: usize) -> CollectionEntry {
    let collection = make_collection(&**store, path).await;
    make_jobs(store, &collection, jobs).await;
    collection
}

async fn delete(store: &dyn Store, collection: &CollectionEntry) {
    store.delete_collection(collection.id, collection.revision, crate::sample::by(now())).await.unwrap();
}

pub(crate) async fn all_is_gone_at_once(place: &dyn Place) {
    let store = place.open().await;
    let collection = with_jobs(&store, "s/g/c", 1000).await;
    let job = find_job(&*store, &collection, "0999").await.unwrap();
    delete(&*store, &collection).await;
    assert_eq!(store.collection(&collection.key).await.unwrap(), None);
    assert!(store.collections(&page("s", None)).await.unwrap().is_empty());
    assert!(store.groups(&crate::sample::name("s"), None, 10).await.unwrap().is_empty());
    assert!(store.subscriptions(None, 10).await.unwrap().is_empty());
    assert_eq!(store.job(&job_key(&collection.key, "0999")).await.unwrap(), None);
    assert!(store.jobs(collection.id, &ALL_JOBS).await.unwrap().is_empty());
    assert!(matches!(store.run_job(job.id, now(), 1).await, Err(Error::Stale)));
    assert!(matches!(store.delete_job(job.id, job.revision, crate::sample::by(now())).await, Err(Error::Stale)));
    assert!(matches!(store.put_job(new_job(&collection, "new")).await, Err(Error::Stale)));
}

pub(crate) async fn the_name_is_free_at_once(place: &dyn Place) {
    let store = place.open().await;
    let old = with_jobs(&store, "s/g/c", 300).await;
    delete(&*store, &old).await;
    let new = make_collection(&*store, "s/g/c").await;
    assert_ne!(new.id, old.id);
    assert_eq!((new.jobs, find_job(&*store, &new, "0299").await), (0, None));
    make_job(&*store, &new, "0299").await;
}

pub(crate) async fn it_is_swept_bit_by_bit(place: &dyn Place) {
    let store = place.open().await;
    let collection = with_jobs(&store, "s/g/c", 1000).await;
    delete(&*store, &collection).await;
    let mut sweeps = 0;
    while store.sweep().await.unwrap() {
        sweeps += 1;
    }
    assert!((2..20).contains(&sweeps), "swept in {sweeps} pieces");
}

pub(crate) async fn sweeping_goes_on_after_closing(place: &dyn Place) {
    let store = place.open().await;
    let collection = with_jobs(&store, "s/g/c", 1000).await;
    delete(&*store, &collection).await;
    assert!(store.sweep().await.unwrap());
    drop(store);
    let store = place.open().await;
    assert_eq!(store.collection(&collection.key).await.unwrap(), None);
    assert!(store.sweep().await.unwrap());
    while store.sweep().await.unwrap() {}
    drop(store);
    assert!(!place.open().await.sweep().await.unwrap());
}

pub(crate) async fn sweeping_leaves_the_others_alone(place: &dyn Place) {
    let store = place.open().await;
    let (kept, old) = (with_jobs(&store, "s/g/kept", 10).await, with_jobs(&store, "s/g/c", 300).await);
    delete(&*store, &old).await;
    let new = with_jobs(&store, "s/g/c", 10).await;
    while store.sweep().await.unwrap() {}
    for collection in [kept, new] {
        assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 10);
        assert_eq!(store.collection(&collection.key).await.unwrap().unwrap().jobs, 10);
    }
}

pub(crate) async fn nothing_to_sweep(place: &dyn Place) {
    let store = place.open().await;
    assert!(!store.sweep().await.unwrap());
    with_jobs(&store, "s/g/c", 1).await;
    assert!(!store.sweep().await.unwrap());
}

pub(crate) async fn a_group_of_many_goes_at_once(place: &dyn Place) {
    let store = place.open().await;
    for number in 0..30 {
        with_jobs(&store, &format!("s/g/{number}"), 10).await;
    }
    let kept = with_jobs(&store, "s/h/kept", 1).await;
    assert_eq!(
        store.delete_group(&group_key("s/g"), true, crate::sample::by(now())).await.unwrap(),
        GroupRemoval::Removed
    );
    let rest = store.collections(&page("s", None)).await.unwrap();
    assert_eq!(rest.iter().map(|entry| entry.id).collect::<Vec<_>>(), [kept.id]);
    while store.sweep().await.unwrap() {}
    assert_eq!(store.jobs(kept.id, &ALL_JOBS).await.unwrap().len(), 1);
}
