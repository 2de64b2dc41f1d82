//! Keys: whatever happens, everything opens.

use std::sync::Arc;

use punctual_store::{CollectionEntry, Error, JobId, ResealProgress, Store};

use crate::place::Place;
use crate::sample::{ALL_JOBS, edited, find_job, job_key, key, make_collection, make_job, make_jobs, new_job, posting};

/// More than are sealed with a new key in one piece.
const MANY: usize = 450;

async fn many_jobs(store: &Arc<dyn Store>) -> CollectionEntry {
    let collection = make_collection(&**store, "s/g/c").await;
    make_jobs(store, &collection, MANY).await;
    collection
}

/// Seals everything with the new key, from there on, and returns how many that were.
async fn reseal(store: &dyn Store, mut after: Option<JobId>) -> u32 {
    let mut total = 0;
    loop {
        let ResealProgress { resealed, next } = store.reseal(after).await.unwrap();
        total += resealed;
        after = match next {
            None => return total,
            next => next,
        };
    }
}

/// All jobs of [`many_jobs`] open and say what they said.
async fn check_all(store: &dyn Store) {
    let collection = store.collection(&key("s/g/c")).await.unwrap().unwrap();
    let jobs = store.jobs(collection.id, &ALL_JOBS).await.unwrap();
    assert_eq!(jobs.len(), MANY);
    assert!(jobs.iter().all(|job| job.job == posting(job.name.as_str())));
}

pub(crate) async fn everything_opens_after_a_rotation(place: &dyn Place) {
    let store = place.open().await;
    many_jobs(&store).await;
    store.add_sealing_key().await.unwrap();
    check_all(&*store).await;
    assert_eq!(reseal(&*store, None).await as usize, MANY);
    check_all(&*store).await;
    assert_eq!(reseal(&*store, None).await, 0);
    drop(store);
    check_all(&*place.open().await).await;
}

pub(crate) async fn numbers_ascend(place: &dyn Place) {
    let store = place.open().await;
    let first = store.add_sealing_key().await.unwrap();
    let second = store.add_sealing_key().await.unwrap();
    reseal(&*store, None).await;
    drop(store);
    let third = place.open().await.add_sealing_key().await.unwrap();
    assert!(first < second && second < third, "{first} {second} {third}");
}

pub(crate) async fn a_rotation_without_jobs(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    store.add_sealing_key().await.unwrap();
    assert_eq!(store.reseal(None).await.unwrap(), ResealProgress { resealed: 0, next: None });
    make_job(&*store, &collection, "j").await;
    drop(store);
    assert!(find_job(&*place.open().await, &collection, "j").await.is_some());
}

pub(crate) async fn an_interrupted_rotation_goes_on_after_closing(place: &dyn Place) {
    let store = place.open().await;
    many_jobs(&store).await;
    store.add_sealing_key().await.unwrap();
    let first = store.reseal(None).await.unwrap();
    assert!(first.next.is_some() && (first.resealed as usize) < MANY);
    drop(store);
    let store = place.open().await;
    check_all(&*store).await;
    assert_eq!((first.resealed + reseal(&*store, None).await) as usize, MANY);
    drop(store);
    check_all(&*place.open().await).await;
}

pub(crate) async fn a_place_beyond_the_end_loses_nothing(place: &dyn Place) {
    let store = place.open().await;
    many_jobs(&store).await;
    store.add_sealing_key().await.unwrap();
    assert_eq!(reseal(&*store, Some(JobId(i64::MAX))).await as usize, MANY);
    drop(store);
    check_all(&*place.open().await).await;
}

pub(crate) async fn a_key_that_comes_in_the_middle_loses_nothing(place: &dyn Place) {
    let store = place.open().await;
    many_jobs(&store).await;
    store.add_sealing_key().await.unwrap();
    let first = store.reseal(None).await.unwrap();
    store.add_sealing_key().await.unwrap();
    // The first rotation goes on where it was, and gets to the end.
    reseal(&*store, first.next).await;
    drop(store);
    check_all(&*place.open().await).await;
}

pub(crate) async fn edits_during_rotations_lose_nothing(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for number in 0..8 {
        make_job(&*store, &collection, &number.to_string()).await;
    }
    let editors: Vec<_> = (0..8)
        .map(|number| {
            let (store, key) = (Arc::clone(&store), job_key(&collection.key, &number.to_string()));
            tokio::spawn(async move {
                for _ in 0..40 {
                    let (collection, job) = store.job(&key).await.unwrap().unwrap();
                    match store.put_job(edited(&collection, &job.unwrap())).await {
                        Ok(_) | Err(Error::Stale) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        })
        .collect();
    // Two at once: each has keys that the other one waits to forget.
    let rotators: Vec<_> = (0..2)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for _ in 0..10 {
                    store.add_sealing_key().await.unwrap();
                    reseal(&*store, None).await;
                }
            })
        })
        .collect();
    for task in editors.into_iter().chain(rotators) {
        task.await.unwrap();
    }
    assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 8);
    drop(store);
    assert_eq!(place.open().await.jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 8);
}

pub(crate) async fn a_new_job_during_a_rotation(place: &dyn Place) {
    let store = place.open().await;
    let collection = many_jobs(&store).await;
    store.add_sealing_key().await.unwrap();
    let first = store.reseal(None).await.unwrap();
    store.put_job(new_job(&collection, "between")).await.unwrap();
    // It was sealed with the new key already.
    assert_eq!((first.resealed + reseal(&*store, first.next).await) as usize, MANY);
    drop(store);
    assert!(find_job(&*place.open().await, &collection, "between").await.is_some());
}
