//! Collections.

use punctual_model::collection::{CollectionState, Quota, Sku, Spacing};
use punctual_model::recurrence::Frequency;
use punctual_store::{CollectionPage, EndedStop, Error, Revision};

use crate::place::Place;
use crate::sample::{at, edited_collection, key, make_collection, make_job, name, new_collection, now};

pub(crate) fn page(subscription: &str, group: Option<&str>) -> CollectionPage {
    CollectionPage { subscription: name(subscription), group: group.map(name), after: None, limit: 1000 }
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Place) {
    let store = place.open().await;
    for (number, sku) in Sku::ALL.into_iter().map(Some).chain([None]).enumerate() {
        let mut write = new_collection(&format!("s/g/c{number}"));
        write.collection.sku = sku;
        write.collection.state = CollectionState::ALL[number % 3];
        write.collection.location = sku.map(|_| "North Europe".to_owned());
        write.collection.tags = [("a".to_owned(), String::new()), ("ü".to_owned(), "\"'\u{1f552}".to_owned())].into();
        let spacing = Spacing::new(Frequency::Hour, 5).unwrap();
        write.collection.quota = sku.map(|_| Quota::new(Some(7), Some(9), Some(spacing)).unwrap());
        write.stopped_at = (number % 3 > 0).then(now);
        let made = store.put_collection(write.clone()).await.unwrap();
        assert_eq!((&made.key, &made.collection), (&write.key, &write.collection));
        assert_eq!((made.revision, made.stopped_at, made.jobs), (Revision(1), write.stopped_at, 0));
        assert_eq!(store.collection(&write.key).await.unwrap(), Some(made));
    }
}

pub(crate) async fn one_that_was_not_made_is_not_found(place: &dyn Place) {
    let store = place.open().await;
    make_collection(&*store, "s/g/c").await;
    for path in ["s/g/d", "s/h/c", "t/g/c"] {
        assert_eq!(store.collection(&key(path)).await.unwrap(), None, "{path}");
    }
    assert!(store.collections(&page("t", None)).await.unwrap().is_empty());
}

pub(crate) async fn a_change_keeps_the_number_and_counts_the_revision(place: &dyn Place) {
    let store = place.open().await;
    let made = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &made, "j").await;
    let mut write = edited_collection(&made);
    write.collection.state = CollectionState::Enabled;
    write.collection.location = Some("elsewhere".to_owned());
    // The same stop twice: a change that is tried again must not fail for it.
    write.ended_stop = Some(EndedStop { from: at(1), until: at(2) });
    let changed = store.put_collection(write.clone()).await.unwrap();
    assert_eq!((changed.id, changed.revision, changed.jobs), (made.id, Revision(2), 1));
    assert_eq!(changed.collection, write.collection);
    write.replaces = Some(changed.revision);
    assert_eq!(store.put_collection(write).await.unwrap().revision, Revision(3));
}

pub(crate) async fn one_is_made_once(place: &dyn Place) {
    let store = place.open().await;
    make_collection(&*store, "s/g/c").await;
    assert!(matches!(store.put_collection(new_collection("s/g/c")).await, Err(Error::Stale)));
    assert_eq!(store.collection(&key("s/g/c")).await.unwrap().unwrap().revision, Revision(1));
}

pub(crate) async fn what_is_not_there_cannot_be_changed(place: &dyn Place) {
    let store = place.open().await;
    let mut write = new_collection("s/g/c");
    write.replaces = Some(Revision(1));
    assert!(matches!(store.put_collection(write).await, Err(Error::Stale)));
    assert_eq!(store.collection(&key("s/g/c")).await.unwrap(), None);
}

pub(crate) async fn lists_are_in_order_of_group_and_name(place: &dyn Place) {
    let store = place.open().await;
    for path in ["s/b/a", "s/a/z", "s/a/a b", "s/a/a", "s/ab/a", "s/a/é"] {
        make_collection(&*store, path).await;
    }
    let listed = store.collections(&page("s", None)).await.unwrap();
    let paths: Vec<String> = listed.iter().map(|it| format!("{}/{}", it.key.group, it.key.collection)).collect();
    assert_eq!(paths, ["a/a", "a/a b", "a/z", "a/é", "ab/a", "b/a"]);
}

pub(crate) async fn lists_of_one_group(place: &dyn Place) {
    let store = place.open().await;
    for path in ["s/a/z", "s/b/b", "s/b/a", "s/c/a", "t/b/a"] {
        make_collection(&*store, path).await;
    }
    let listed = store.collections(&page("s", Some("B"))).await.unwrap();
    assert_eq!(listed.iter().map(|it| it.key.clone()).collect::<Vec<_>>(), [key("s/b/a"), key("s/b/b")]);
    let rest = CollectionPage { after: Some((name("b"), name("a"))), ..page("s", Some("b")) };
    assert_eq!(store.collections(&rest).await.unwrap().len(), 1);
    let one = CollectionPage { limit: 1, ..page("s", Some("b")) };
    assert_eq!(store.collections(&one).await.unwrap()[0].key, key("s/b/a"));
}

pub(crate) async fn subscriptions_do_not_mix(place: &dyn Place) {
    let store = place.open().await;
    let (one, other) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "t/g/c").await);
    assert_ne!(one.id, other.id);
    store.delete_collection(one.id, one.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(store.collections(&page("t", None)).await.unwrap(), [other]);
}

pub(crate) async fn jobs_are_counted(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let one = make_job(&*store, &collection, "one").await;
    make_job(&*store, &collection, "two").await;
    assert!(store.put_job(crate::sample::new_job(&collection, "two")).await.is_err());
    let read = store.collection(&collection.key).await.unwrap().unwrap();
    assert_eq!((read.jobs, read.revision), (2, collection.revision));
    store.delete_job(one.id, one.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(store.collections(&page("s", None)).await.unwrap()[0].jobs, 1);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    let made = make_collection(&*store, "s/g/c").await;
    drop(store);
    assert_eq!(place.open().await.collection(&made.key).await.unwrap(), Some(made));
}

pub(crate) async fn the_store_takes_writes(place: &dyn Place) {
    place.open().await.check().await.unwrap();
}
