//! Pauses of the whole server.

use std::sync::Arc;

use punctual_model::pause::{Pause, Pauses};
use punctual_store::{Changed, CollectionId, DuePage, DueStart, PauseEntry, Shards};

use crate::place::Place;
use crate::sample::{at, make_collection, make_job};

fn begin(by: &str, since: i64) -> PauseEntry {
    PauseEntry::begin(by.to_owned(), "a drill".to_owned(), at(since))
}

pub(crate) async fn one_begins_and_ends(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    assert_eq!((store.pauses().await.unwrap(), work_store.pause_times().await.unwrap()), (vec![], Pauses::default()));
    assert_eq!(store.resume("ada".to_owned(), at(1)).await.unwrap(), None);
    let begun = store.pause(begin("ada", 10)).await.unwrap();
    assert_eq!(begun, begin("ada", 10));
    assert_eq!(store.pause(begin("bob", 20)).await.unwrap(), begun, "the first one goes on");
    assert!(work_store.pause_times().await.unwrap().is_paused());
    let ended = store.resume("bob".to_owned(), at(30)).await.unwrap().unwrap();
    assert_eq!((ended.until, ended.resumed_by.as_deref()), (Some(at(30)), Some("bob")));
    assert!(!work_store.pause_times().await.unwrap().is_paused());
    store.pause(begin("bob", 40)).await.unwrap();
    assert_eq!(
        store.resume("bob".to_owned(), at(35)).await.unwrap().unwrap().until,
        Some(at(40)),
        "not before it began"
    );
    assert_eq!(store.pauses().await.unwrap().len(), 2);
}

pub(crate) async fn the_bell_is_rung_with_it(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let rung = |until: Option<i64>| {
        let pauses = Some(Pauses::new(vec![Pause { from: at(10), until: until.map(at), holds_messages: false }]));
        Changed { pauses, ..Changed::default() }
    };
    store.pause(begin("ada", 10)).await.unwrap();
    work_store.bell().heard().await;
    assert_eq!(work_store.bell().take(), rung(None));
    store.pause(begin("ada", 20)).await.unwrap();
    assert!(work_store.bell().take().is_empty(), "nothing has changed");
    store.resume("ada".to_owned(), at(30)).await.unwrap();
    assert_eq!(work_store.bell().take(), rung(Some(30)));
}

pub(crate) async fn one_at_the_start_holds_messages_also_in_a_pause_that_goes_on(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    store.pause(begin("ada", 10)).await.unwrap();
    assert!(!work_store.pause_times().await.unwrap().holds_messages());
    work_store.bell().take();
    let at_start = PauseEntry::begin_at_start("serve --paused".to_owned(), String::new(), at(20));
    let goes_on = store.pause(at_start).await.unwrap();
    assert_eq!(goes_on, PauseEntry { holds_messages: true, ..begin("ada", 10) });
    assert!(work_store.bell().take().pauses.is_some_and(|pauses| pauses.holds_messages()));
    assert!(work_store.pause_times().await.unwrap().holds_messages());
    store.resume("ada".to_owned(), at(30)).await.unwrap();
    assert!(!work_store.pause_times().await.unwrap().holds_messages());
}

pub(crate) async fn a_closed_store_keeps_it(place: &dyn Place) {
    let store = place.open().await;
    let begun = store.pause(begin("ada", 10)).await.unwrap();
    drop(store);
    let (store, work_store) = place.open_both().await;
    assert_eq!(store.pauses().await.unwrap(), [begun]);
    assert!(work_store.pause_times().await.unwrap().is_paused());
}

pub(crate) async fn old_ones_are_forgotten(place: &dyn Place) {
    let store = place.open().await;
    let max = i64::from(PauseEntry::KEPT_MAX);
    for number in 0..max + 5 {
        store.pause(begin("ada", 2 * number)).await.unwrap();
        store.resume("ada".to_owned(), at(2 * number + 1)).await.unwrap();
    }
    let kept = store.pauses().await.unwrap();
    assert_eq!((kept.len(), kept[0].since), (PauseEntry::KEPT_MAX as usize, at(10)));
}

pub(crate) async fn what_is_due_comes_with_its_job(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut jobs = Vec::new();
    for name in ["a", "b", "c"] {
        jobs.push(make_job(&*store, &collection, name).await.id);
    }
    let until = punctual_model::time::Timestamp::MAX;
    let page = |start| DuePage { shards: Shards::ALL, start, until, lane: None, limit: 2 };
    let (first, last) = store.due_work(page(DueStart::Beginning), None).await.unwrap();
    let (second, end) = store.due_work(page(DueStart::After(last.unwrap())), None).await.unwrap();
    assert_eq!((first.len(), second.len(), end), (2, 1, None));
    assert!(first.iter().chain(&second).all(|due| due.entry.job == due.job.id && jobs.contains(&due.job.id)));
}

pub(crate) async fn what_is_due_in_some_collections(place: &dyn Place) {
    let store = place.open().await;
    let (one, other) = (make_collection(&*store, "s/g/one").await, make_collection(&*store, "s/g/other").await);
    for (collection, name) in [(&one, "a"), (&other, "b"), (&one, "c")] {
        make_job(&*store, collection, name).await;
    }
    let until = punctual_model::time::Timestamp::MAX;
    let page = DuePage { shards: Shards::ALL, start: DueStart::Beginning, until, lane: None, limit: 3 };
    let due = async |only: &[CollectionId]| {
        let only = Arc::new(only.iter().copied().collect());
        let (due, last) = store.due_work(page, Some(only)).await.unwrap();
        (due.iter().map(|due| due.job.path.to_string()).collect::<Vec<_>>(), last.is_some())
    };
    assert_eq!(due(&[other.id]).await, (vec!["s/g/other/b".to_owned()], true), "where to go on is said all the same");
    assert_eq!(due(&[one.id]).await.0, ["s/g/one/a", "s/g/one/c"]);
    assert_eq!(due(&[]).await.0, [""; 0]);
}
