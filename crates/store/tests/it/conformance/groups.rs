//! Resource groups and subscriptions.

use std::collections::BTreeMap;

use punctual_store::{GroupEntry, GroupRemoval, Store};

use crate::place::Place;
use crate::sample::{group_key, key, make_collection, name, now};

fn group(path: &str) -> GroupEntry {
    GroupEntry { key: group_key(path), location: None, tags: BTreeMap::new() }
}

async fn listed(store: &dyn Store, subscription: &str) -> Vec<String> {
    let groups = store.groups(&name(subscription), None, 100).await.unwrap();
    groups.iter().map(|group| group.key.group.to_string()).collect()
}

async fn subscriptions(store: &dyn Store) -> Vec<String> {
    store.subscriptions(None, 100).await.unwrap().iter().map(ToString::to_string).collect()
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Place) {
    let store = place.open().await;
    let tags = [("k".to_owned(), "v".to_owned()), ("é".to_owned(), String::new())].into();
    let said = GroupEntry { location: Some("here".to_owned()), tags, ..group("s/g") };
    store.put_group(said.clone()).await.unwrap();
    assert_eq!(store.group(&said.key).await.unwrap(), Some(said.clone()));
    assert_eq!(store.groups(&name("s"), None, 10).await.unwrap(), [said]);
    for path in ["s/h", "t/g"] {
        assert_eq!(store.group(&group_key(path)).await.unwrap(), None, "{path}");
    }
}

pub(crate) async fn one_is_new_once(place: &dyn Place) {
    let store = place.open().await;
    assert!(store.put_group(group("s/g")).await.unwrap());
    let changed = GroupEntry { location: Some("there".to_owned()), ..group("s/g") };
    assert!(!store.put_group(changed.clone()).await.unwrap());
    assert_eq!(store.group(&changed.key).await.unwrap(), Some(changed));
}

pub(crate) async fn one_that_only_holds_is_listed(place: &dyn Place) {
    let store = place.open().await;
    make_collection(&*store, "S/Held/c").await;
    make_collection(&*store, "S/Held/d").await;
    assert_eq!(listed(&*store, "s").await, ["Held"]);
    assert_eq!(store.group(&group_key("s/held")).await.unwrap(), None);
    assert!(store.put_group(group("s/held")).await.unwrap());
    assert_eq!(listed(&*store, "s").await.len(), 1);
}

pub(crate) async fn lists_are_in_order(place: &dyn Place) {
    let store = place.open().await;
    for path in ["s/c", "s/a b", "t/x", "s/é", "s/ab"] {
        store.put_group(group(path)).await.unwrap();
    }
    make_collection(&*store, "s/b/c").await;
    assert_eq!(listed(&*store, "s").await, ["a b", "ab", "b", "c", "é"]);
    let page = store.groups(&name("s"), Some(&name("AB")), 2).await.unwrap();
    assert_eq!(page.iter().map(|group| group.key.group.as_str()).collect::<Vec<_>>(), ["b", "c"]);
}

pub(crate) async fn one_that_holds_is_not_removed(place: &dyn Place) {
    let store = place.open().await;
    store.put_group(group("s/g")).await.unwrap();
    for collection in ["c", "d"] {
        make_collection(&*store, &format!("s/g/{collection}")).await;
    }
    assert_eq!(
        store.delete_group(&group_key("s/g"), false, crate::sample::by(now())).await.unwrap(),
        GroupRemoval::Holds(2)
    );
    assert!(store.group(&group_key("s/g")).await.unwrap().is_some());
}

pub(crate) async fn one_is_removed_with_its_collections(place: &dyn Place) {
    let store = place.open().await;
    store.put_group(group("s/g")).await.unwrap();
    for path in ["s/g/c", "s/g/d", "s/implied/c", "s/kept/c", "t/g/c"] {
        make_collection(&*store, path).await;
    }
    for path in ["s/g", "s/implied"] {
        assert_eq!(
            store.delete_group(&group_key(path), true, crate::sample::by(now())).await.unwrap(),
            GroupRemoval::Removed
        );
        assert_eq!(
            store.delete_group(&group_key(path), true, crate::sample::by(now())).await.unwrap(),
            GroupRemoval::Absent
        );
    }
    assert_eq!(store.collection(&key("s/g/d")).await.unwrap(), None);
    assert_eq!((listed(&*store, "s").await, listed(&*store, "t").await), (vec!["kept".into()], vec!["g".into()]));
}

pub(crate) async fn one_that_is_not_there_is_absent(place: &dyn Place) {
    let store = place.open().await;
    for with_collections in [false, true] {
        let removal = store.delete_group(&group_key("s/g"), with_collections, crate::sample::by(now())).await.unwrap();
        assert_eq!(removal, GroupRemoval::Absent);
    }
    store.put_group(group("s/g")).await.unwrap();
    assert_eq!(
        store.delete_group(&group_key("s/g"), false, crate::sample::by(now())).await.unwrap(),
        GroupRemoval::Removed
    );
    assert!(store.put_group(group("s/g")).await.unwrap());
}

pub(crate) async fn subscriptions_are_those_that_hold_something(place: &dyn Place) {
    let store = place.open().await;
    store.put_group(group("Two/g")).await.unwrap();
    let held = make_collection(&*store, "One/g/c").await;
    make_collection(&*store, "two/h/c").await;
    make_collection(&*store, "three/h/c").await;
    assert_eq!(subscriptions(&*store).await, ["One", "three", "Two"]);
    let page = store.subscriptions(Some(&name("ONE")), 1).await.unwrap();
    assert_eq!(page, [name("three")]);
    store.delete_collection(held.id, held.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(subscriptions(&*store).await, ["three", "Two"]);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    store.put_group(group("s/g")).await.unwrap();
    drop(store);
    assert_eq!(place.open().await.group(&group_key("s/g")).await.unwrap(), Some(group("s/g")));
}
