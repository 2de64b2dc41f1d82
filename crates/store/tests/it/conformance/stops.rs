//! Collections that were enabled again, and their jobs that have to be woken.

use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, EndedStop, Store, WorkId, WorkStore};

use crate::engine::{find_work, work};
use crate::place::Place;
use crate::sample::{at, edited_collection, find_job, make_collection, make_job, make_jobs, now};

/// Enables a collection that was disabled from then to then.
async fn enable(
    store: &dyn Store,
    collection: &CollectionEntry,
    from: i64,
    until: i64,
) -> (CollectionEntry, EndedStop) {
    let stop = EndedStop { from: at(from), until: at(until) };
    let mut write = edited_collection(collection);
    write.ended_stop = Some(stop);
    (store.put_collection(write).await.unwrap(), stop)
}

/// Wakes all that there are, so many at a time. Gives them with when their collection was disabled, in their order.
async fn wake_all(work_store: &dyn WorkStore, limit: usize) -> Vec<(Timestamp, WorkId)> {
    let mut woken = Vec::new();
    while let Some(stopped) = work_store.stopped_jobs(limit).await.unwrap() {
        assert!(stopped.rows.len() <= limit);
        woken.extend(stopped.rows.iter().map(|job| (stopped.stop.from, *job)));
        work_store.mark_woken(stopped).await.unwrap();
    }
    woken
}

pub(crate) async fn nothing_to_do(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &collection, "j").await;
    assert_eq!(work_store.stopped_jobs(10).await.unwrap(), None);
    let empty = make_collection(&*store, "s/g/empty").await;
    enable(&*store, &empty, 1, 2).await;
    assert!(wake_all(&*work_store, 10).await.is_empty());
}

pub(crate) async fn every_job_is_woken_once(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (one, other) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "s/g/d").await);
    make_jobs(&store, &one, 20).await;
    let untouched = make_collection(&*store, "s/g/e").await;
    make_jobs(&store, &untouched, 3).await;
    let last = make_job(&*store, &other, "j").await;
    for limit in [1, 7, 20, 100] {
        let mut expected = Vec::new();
        for collection in [&one, &other] {
            let read = store.collection(&collection.key).await.unwrap().unwrap();
            let from = i64::try_from(limit).unwrap();
            enable(&*store, &read, from, from + 5).await;
            let jobs = store.jobs(read.id, &crate::sample::ALL_JOBS).await.unwrap();
            expected.extend(jobs.iter().map(|job| (at(from), job.id.into())));
        }
        assert_eq!(wake_all(&*work_store, limit).await, expected, "{limit} at a time");
        assert_eq!(expected.last().unwrap().1, last.id.into());
    }
}

pub(crate) async fn it_goes_on_after_closing(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 5).await;
    enable(&*store, &collection, 1, 2).await;
    let first = work_store.stopped_jobs(2).await.unwrap().unwrap();
    // Not told yet: the same again.
    assert_eq!(work_store.stopped_jobs(2).await.unwrap().as_ref(), Some(&first));
    work_store.mark_woken(first.clone()).await.unwrap();
    drop((store, work_store));
    let (_, work_store) = place.open_both().await;
    let rest = wake_all(&*work_store, 2).await;
    assert!(rest.len() == 3 && rest.iter().all(|(_, job)| !first.rows.contains(job)));
}

pub(crate) async fn who_was_told_does_not_hear_it_again(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let (a, b) = (make_job(&*store, &collection, "a").await, make_job(&*store, &collection, "b").await);
    let (collection, stop) = enable(&*store, &collection, 1, 2).await;
    let first = work_store.stopped_jobs(1).await.unwrap().unwrap();
    assert_eq!((&first.rows[..], first.collection, first.stop), (&[a.id.into()][..], collection.id, stop));
    work_store.mark_woken(first).await.unwrap();
    assert_eq!(work(&*work_store, a.id).await.ended_stops, []);
    assert_eq!(work(&*work_store, b.id).await.ended_stops, [stop]);
    // A second time is told to all of them, after the first.
    let (_, second) = enable(&*store, &collection, 3, 4).await;
    assert_eq!(work(&*work_store, a.id).await.ended_stops, [second]);
    assert_eq!(work(&*work_store, b.id).await.ended_stops, [stop, second]);
    assert_eq!(wake_all(&*work_store, 1).await, [(at(1), b.id.into()), (at(3), a.id.into()), (at(3), b.id.into())]);
    assert_eq!(work(&*work_store, b.id).await.ended_stops, []);
}

pub(crate) async fn a_deleted_collection_is_not_woken(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 300).await;
    let (collection, _) = enable(&*store, &collection, 1, 2).await;
    let stopped = work_store.stopped_jobs(10).await.unwrap().unwrap();
    let job = find_job(&*store, &collection, "0299").await.unwrap();
    store.delete_collection(collection.id, collection.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(work_store.stopped_jobs(10).await.unwrap(), None);
    work_store.mark_woken(stopped).await.unwrap();
    assert_eq!(work_store.stopped_jobs(10).await.unwrap(), None);
    assert_eq!(find_work(&*work_store, job.id).await, None);
}
