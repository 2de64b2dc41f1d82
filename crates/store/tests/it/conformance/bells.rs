//! For which writes the bell is rung.

use punctual_model::collection::Sku;
use punctual_store::{Changed, GroupRemoval, JobSource, WorkStore};

use crate::place::Place;
use crate::sample::{
    at, edited, edited_collection, group_key, make_collection, make_job, new_collection, new_job, now,
};

fn changed(work_store: &dyn WorkStore) -> Changed {
    work_store.bell().take()
}

fn all() -> Changed {
    Changed { all: true, ..Changed::default() }
}

pub(crate) async fn it_is_rung_for_every_job_that_is_written(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    assert_eq!(changed(&*work_store), Changed::default());
    let job = make_job(&*store, &collection, "j").await;
    let of_job = Changed { jobs: [job.id].into(), ..Changed::default() };
    work_store.bell().heard().await;
    assert_eq!(changed(&*work_store), of_job);
    let job = store.put_job(edited(&collection, &job)).await.unwrap();
    assert_eq!(changed(&*work_store), of_job);
    store.run_job(job.id, now(), 1).await.unwrap();
    assert_eq!(changed(&*work_store), of_job);
    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(changed(&*work_store), of_job);
}

pub(crate) async fn what_was_refused_rings_nobody(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    changed(&*work_store);
    assert!(store.put_job(new_job(&collection, "j")).await.is_err());
    let mut full = new_job(&collection, "k");
    full.source = JobSource::New { uid: full.source.uid(), jobs_max: Some(1) };
    assert!(store.put_job(full).await.is_err());
    assert!(store.run_job(job.id, now(), 0).await.is_err());
    assert!(store.delete_job(job.id, punctual_store::Revision(7), crate::sample::by(now())).await.is_err());
    assert_eq!(
        store.delete_group(&group_key("s/none"), true, crate::sample::by(now())).await.unwrap(),
        GroupRemoval::Absent
    );
    assert_eq!(changed(&*work_store), Changed::default());
}

pub(crate) async fn it_is_rung_for_all_where_a_collection_matters(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let mut collection = make_collection(&*store, "s/g/c").await;
    for (sku, stopped_at, expected) in [
        (Some(Sku::Standard), None, Changed::default()),
        (Some(Sku::Free), None, all()),
        (Some(Sku::Free), Some(at(1)), all()),
        (Some(Sku::Free), Some(at(1)), Changed::default()),
        (Some(Sku::Free), None, all()),
    ] {
        let mut write = edited_collection(&collection);
        (write.collection.sku, write.stopped_at) = (sku, stopped_at);
        collection = store.put_collection(write).await.unwrap();
        assert_eq!(changed(&*work_store), expected, "{sku:?} {stopped_at:?}");
    }
    assert!(store.put_collection(new_collection("s/g/c")).await.is_err());
    assert_eq!(changed(&*work_store), Changed::default());
    store.delete_collection(collection.id, collection.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(changed(&*work_store), all());
    make_collection(&*store, "s/g/c").await;
    store.delete_group(&group_key("s/g"), true, crate::sample::by(now())).await.unwrap();
    assert_eq!(changed(&*work_store), all());
}
