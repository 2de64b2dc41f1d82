//! A client that writes what another has changed in between learns so, and changes nothing.

use std::sync::Arc;

use punctual_store::{Error, Revision, Store};

use crate::place::Place;
use crate::sample::{
    all_history, edited, edited_collection, find_job, job_key, make_collection, make_job, new_job, not_run, now,
    posting,
};

pub(crate) async fn of_two_edits_from_one_read_one_wins(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let read = make_job(&*store, &collection, "j").await;
    let write = |message: &str| {
        let (store, mut write) = (Arc::clone(&store), edited(&collection, &read));
        write.job = posting(message);
        tokio::spawn(async move { store.put_job(write).await })
    };
    let (one, two) = (write("one"), write("two"));
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    let message = match (&one, &two) {
        (Ok(_), Err(Error::Stale)) => "one",
        (Err(Error::Stale), Ok(_)) => "two",
        other => panic!("{other:?}"),
    };
    let after = find_job(&*store, &collection, "j").await.unwrap();
    assert_eq!((after.job, after.revision), (posting(message), Revision(2)));
}

pub(crate) async fn an_edit_after_a_delete(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let read = make_job(&*store, &collection, "j").await;
    store.delete_job(read.id, read.revision, crate::sample::by(now())).await.unwrap();
    let mut write = edited(&collection, &read);
    write.not_run = vec![not_run(1, 1, punctual_model::history::Reason::Missed)];
    assert!(matches!(store.put_job(write.clone()).await, Err(Error::Stale)));
    // Nor does it change the next job of that name, which has the same revision.
    let new = make_job(&*store, &collection, "j").await;
    assert!(matches!(store.put_job(write).await, Err(Error::Stale)));
    assert!(matches!(store.delete_job(read.id, read.revision, crate::sample::by(now())).await, Err(Error::Stale)));
    assert_eq!(find_job(&*store, &collection, "j").await, Some(new));
    assert!(all_history(&*store, read.id).await.is_empty());
}

pub(crate) async fn an_edit_after_the_collection_changed(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let read = make_job(&*store, &collection, "j").await;
    let changed = store.put_collection(edited_collection(&collection)).await.unwrap();
    assert!(matches!(store.put_job(edited(&collection, &read)).await, Err(Error::Stale)));
    store.put_job(edited(&changed, &read)).await.unwrap();
}

pub(crate) async fn an_edit_after_the_collection_was_deleted(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let read = make_job(&*store, &collection, "j").await;
    store.delete_collection(collection.id, collection.revision, crate::sample::by(now())).await.unwrap();
    assert!(matches!(store.put_job(edited(&collection, &read)).await, Err(Error::Stale)));
    let new = make_collection(&*store, "s/g/c").await;
    assert!(matches!(store.put_job(edited(&new, &read)).await, Err(Error::Stale)));
}

pub(crate) async fn a_delete_after_an_edit(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let read = make_job(&*store, &collection, "j").await;
    let changed = store.put_job(edited(&collection, &read)).await.unwrap();
    assert!(matches!(store.delete_job(read.id, read.revision, crate::sample::by(now())).await, Err(Error::Stale)));
    store.delete_job(changed.id, changed.revision, crate::sample::by(now())).await.unwrap();
}

pub(crate) async fn a_new_job_after_the_collection_changed(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    store.put_collection(edited_collection(&collection)).await.unwrap();
    assert!(matches!(store.put_job(new_job(&collection, "j")).await, Err(Error::Stale)));
    assert_eq!(find_job(&*store, &collection, "j").await, None);
}

pub(crate) async fn of_two_changes_of_a_collection_one_wins(place: &dyn Place) {
    let store = place.open().await;
    let read = make_collection(&*store, "s/g/c").await;
    store.put_collection(edited_collection(&read)).await.unwrap();
    let mut second = edited_collection(&read);
    second.collection.location = Some("lost".to_owned());
    assert!(matches!(store.put_collection(second).await, Err(Error::Stale)));
    let after = store.collection(&read.key).await.unwrap().unwrap();
    assert_eq!((after.revision, after.collection.location), (Revision(2), None));
}

pub(crate) async fn a_collection_deleted_after_a_change(place: &dyn Place) {
    let store = place.open().await;
    let read = make_collection(&*store, "s/g/c").await;
    let changed = store.put_collection(edited_collection(&read)).await.unwrap();
    assert!(matches!(
        store.delete_collection(read.id, read.revision, crate::sample::by(now())).await,
        Err(Error::Stale)
    ));
    store.delete_collection(read.id, changed.revision, crate::sample::by(now())).await.unwrap();
    assert!(matches!(
        store.delete_collection(read.id, changed.revision, crate::sample::by(now())).await,
        Err(Error::Stale)
    ));
    assert!(matches!(store.put_collection(edited_collection(&changed)).await, Err(Error::Stale)));
}

/// Reads and writes until nobody was faster.
async fn edit(store: &dyn Store, key: &punctual_store::JobKey) {
    loop {
        let (collection, job) = store.job(key).await.unwrap().unwrap();
        match store.put_job(edited(&collection, &job.unwrap())).await {
            Err(Error::Stale) => {}
            done => return drop(done.unwrap()),
        }
    }
}

pub(crate) async fn sixty_four_editors_all_get_through_in_the_end(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &collection, "j").await;
    let editors: Vec<_> = (0..64)
        .map(|_| {
            let (store, key) = (Arc::clone(&store), job_key(&collection.key, "j"));
            tokio::spawn(async move { edit(&*store, &key).await })
        })
        .collect();
    for editor in editors {
        editor.await.unwrap();
    }
    assert_eq!(find_job(&*store, &collection, "j").await.unwrap().revision, Revision(65));
}
