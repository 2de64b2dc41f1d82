//! Manual runs.

use std::sync::Arc;

use punctual_model::occurrence::{Occurrence, Origin};
use punctual_store::{Error, JobPage};

use crate::place::Place;
use crate::sample::{at, edited, make_collection, make_job, now};

pub(crate) async fn they_are_limited(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    for _ in 0..3 {
        store.run_job(job.id, now(), 3).await.unwrap();
    }
    assert!(matches!(store.run_job(job.id, now(), 3).await, Err(Error::Full { max: 3 })));
    store.run_job(job.id, now(), 4).await.unwrap();
}

pub(crate) async fn they_are_returned_and_counted_beside_the_schedule(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    assert_eq!((job.beside, job.beside_wakes), (0, None));
    for (number, seconds) in [(1, 20), (2, 10)] {
        let expected = Occurrence::asked_for(Origin::Manual(number), at(seconds), at(seconds));
        assert_eq!(store.run_job(job.id, at(seconds), 3).await.unwrap(), expected);
    }
    let page = JobPage { limit: 1, ..JobPage::default() };
    let listed = store.jobs(collection.id, &page).await.unwrap().remove(0);
    assert_eq!((listed.beside, listed.beside_wakes, listed.scheduled_beside), (2, Some(at(10)), 0));
}

pub(crate) async fn jobs_do_not_share_the_limit(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for name in ["one", "two"] {
        let job = make_job(&*store, &collection, name).await;
        store.run_job(job.id, now(), 1).await.unwrap();
    }
}

pub(crate) async fn a_job_that_is_gone_is_not_run(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, now(), 1).await.unwrap();
    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
    // Not full, though as many as it may have were waiting.
    assert!(matches!(store.run_job(job.id, now(), 1).await, Err(Error::Stale)));
}

pub(crate) async fn they_are_limited_among_many_callers(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let callers: Vec<_> = (0..64)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.run_job(job.id, now(), 10).await.is_ok() })
        })
        .collect();
    let mut taken = 0;
    for caller in callers {
        taken += u32::from(caller.await.unwrap());
    }
    assert_eq!(taken, 10);
}

pub(crate) async fn they_go_with_the_job(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let old = make_job(&*store, &collection, "j").await;
    store.run_job(old.id, now(), 1).await.unwrap();
    store.delete_job(old.id, old.revision, crate::sample::by(now())).await.unwrap();
    let new = make_job(&*store, &collection, "j").await;
    store.run_job(new.id, now(), 1).await.unwrap();
}

pub(crate) async fn they_do_not_disturb_an_edit(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, now(), 1).await.unwrap();
    store.put_job(edited(&collection, &job)).await.unwrap();
    // And an edit does not take them away.
    assert!(matches!(store.run_job(job.id, now(), 1).await, Err(Error::Full { max: 1 })));
}

pub(crate) async fn the_limit_outlives_closing(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, now(), 1).await.unwrap();
    drop(store);
    assert!(matches!(place.open().await.run_job(job.id, now(), 1).await, Err(Error::Full { max: 1 })));
}
