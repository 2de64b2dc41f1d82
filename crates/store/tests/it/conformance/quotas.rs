//! How many there may be, to the exact number.

use std::sync::Arc;

use punctual_model::collection::Sku;
use punctual_store::{CollectionEntry, CollectionWrite, Error, JobSource, JobWrite};

use crate::conformance::collections::page;
use crate::place::Place;
use crate::sample::{edited, edited_collection, make_collection, make_job, new_collection, new_job, now, uid};

/// A new job of a collection that may hold so many.
fn limited(collection: &CollectionEntry, job: &str, max: u32) -> JobWrite {
    let write = new_job(collection, job);
    JobWrite { source: JobSource::New { uid: write.source.uid(), jobs_max: Some(max) }, ..write }
}

/// A new collection of a subscription that may hold so many of its plan.
fn limited_plan(path: &str, max: u32) -> CollectionWrite {
    CollectionWrite { collections_max: Some((Sku::Standard, max)), ..new_collection(path) }
}

pub(crate) async fn a_collection_is_full_at_its_number(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for job in ["a", "b"] {
        store.put_job(limited(&collection, job, 2)).await.unwrap();
    }
    assert!(matches!(store.put_job(limited(&collection, "c", 2)).await, Err(Error::Full { max: 2 })));
    store.put_job(limited(&collection, "c", 3)).await.unwrap();
    assert!(matches!(store.put_job(limited(&collection, "d", 1)).await, Err(Error::Full { max: 1 })));
}

pub(crate) async fn a_full_collection_can_be_edited(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = store.put_job(limited(&collection, "j", 1)).await.unwrap();
    store.put_job(edited(&collection, &job)).await.unwrap();
}

pub(crate) async fn a_deleted_job_makes_room(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = store.put_job(limited(&collection, "a", 1)).await.unwrap();
    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
    store.put_job(limited(&collection, "b", 1)).await.unwrap();
}

pub(crate) async fn who_was_beaten_to_a_name_is_told_so_first(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &collection, "j").await;
    // Stale: the caller reads again, and edits the job instead of giving up.
    assert!(matches!(store.put_job(limited(&collection, "j", 1)).await, Err(Error::Stale)));
}

pub(crate) async fn jobs_among_64_creators(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let creators: Vec<_> = (0..64)
        .map(|number| {
            let (store, mut write) = (Arc::clone(&store), limited(&collection, &number.to_string(), 20));
            write.source = JobSource::New { uid: uid(number), jobs_max: Some(20) };
            tokio::spawn(async move { store.put_job(write).await })
        })
        .collect();
    let mut made = 0;
    for creator in creators {
        match creator.await.unwrap() {
            Ok(_) => made += 1,
            Err(error) => assert!(matches!(error, Error::Full { max: 20 })),
        }
    }
    let (counted, listed) = (
        store.collection(&collection.key).await.unwrap().unwrap().jobs,
        store.jobs(collection.id, &crate::sample::ALL_JOBS).await.unwrap().len(),
    );
    assert_eq!((made, counted, listed), (20, 20, 20));
}

pub(crate) async fn a_plan_is_full_at_its_number(place: &dyn Place) {
    let store = place.open().await;
    for path in ["s/g/a", "s/h/b"] {
        store.put_collection(limited_plan(path, 2)).await.unwrap();
    }
    assert!(matches!(store.put_collection(limited_plan("s/i/c", 2)).await, Err(Error::Full { max: 2 })));
    // Other subscriptions and other plans do not count.
    store.put_collection(limited_plan("t/g/a", 2)).await.unwrap();
    let mut free = new_collection("s/g/free");
    (free.collection.sku, free.collections_max) = (Some(Sku::Free), Some((Sku::Free, 1)));
    store.put_collection(free).await.unwrap();
}

pub(crate) async fn a_plan_does_not_count_the_collection_itself(place: &dyn Place) {
    let store = place.open().await;
    let made = store.put_collection(limited_plan("s/g/c", 1)).await.unwrap();
    let again = CollectionWrite { collections_max: Some((Sku::Standard, 1)), ..edited_collection(&made) };
    let made = store.put_collection(again).await.unwrap();
    make_collection(&*store, "s/g/d").await;
    // Nor does an edit get in that would not have been let in.
    let again = CollectionWrite { collections_max: Some((Sku::Standard, 1)), ..edited_collection(&made) };
    assert!(matches!(store.put_collection(again).await, Err(Error::Full { max: 1 })));
}

pub(crate) async fn a_deleted_collection_makes_room(place: &dyn Place) {
    let store = place.open().await;
    let made = store.put_collection(limited_plan("s/g/c", 1)).await.unwrap();
    store.delete_collection(made.id, made.revision, crate::sample::by(now())).await.unwrap();
    store.put_collection(limited_plan("s/g/d", 1)).await.unwrap();
}

pub(crate) async fn collections_among_64_creators(place: &dyn Place) {
    let store = place.open().await;
    let creators: Vec<_> = (0..64)
        .map(|number| {
            let (store, write) = (Arc::clone(&store), limited_plan(&format!("s/g{}/c{number}", number % 5), 20));
            tokio::spawn(async move { store.put_collection(write).await })
        })
        .collect();
    for creator in creators {
        assert!(matches!(creator.await.unwrap(), Ok(_) | Err(Error::Full { max: 20 })));
    }
    assert_eq!(store.collections(&page("s", None)).await.unwrap().len(), 20);
}
