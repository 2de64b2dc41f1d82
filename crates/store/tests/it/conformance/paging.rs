//! Lists, page by page: nothing is lost, nothing comes twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::job::{JobState, State};
use punctual_store::{CollectionEntry, CollectionPage, JobPage, Store};

use crate::conformance::collections::page;
use crate::place::Place;
use crate::sample::{make_collection, make_job, name, new_job, now};

/// All names, read in pages of so many.
async fn read_all(store: &dyn Store, collection: &CollectionEntry, first: &JobPage) -> Vec<String> {
    let (mut names, mut page) = (Vec::new(), first.clone());
    loop {
        let jobs = store.jobs(collection.id, &page).await.unwrap();
        let Some(last) = jobs.last() else { return names };
        page = JobPage { after: Some(last.name.clone()), skip: 0, ..page };
        names.extend(jobs.iter().map(|job| job.name.to_string()));
    }
}

pub(crate) async fn no_job_is_lost_or_twice(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let names: Vec<String> = (0..50).map(|number| format!("{number:03}")).collect();
    for job in names.iter().rev() {
        make_job(&*store, &collection, job).await;
    }
    for limit in [1, 7, 50, 51] {
        assert_eq!(read_all(&*store, &collection, &JobPage { limit, ..JobPage::default() }).await, names);
    }
}

pub(crate) async fn no_job_is_lost_or_twice_while_others_write(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let kept: Vec<String> = (0..60).map(|number| format!("kept {number:03}")).collect();
    for job in &kept {
        make_job(&*store, &collection, job).await;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let others: Vec<_> = (0..4)
        .map(|other| {
            let (store, collection, is_over) = (Arc::clone(&store), collection.clone(), Arc::clone(&is_over));
            tokio::spawn(async move {
                // Around those that are kept, in the middle of them, and where the pages end.
                for round in 0.. {
                    let job = format!("kept {:03} {other}", (other * 17 + round * 7) % 60);
                    let job = store.put_job(new_job(&collection, &job)).await.unwrap();
                    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                }
            })
        })
        .collect();
    for _ in 0..20 {
        let names = read_all(&*store, &collection, &JobPage { limit: 7, ..JobPage::default() }).await;
        assert!(names.is_sorted_by(|earlier, later| earlier < later), "{names:?}");
        assert!(names.iter().filter(|name| kept.contains(name)).eq(&kept));
    }
    is_over.store(true, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
}

pub(crate) async fn pages_of_one_state_with_some_skipped(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for number in 0..30 {
        let mut write = new_job(&collection, &format!("{number:03}"));
        write.job.state = if number % 3 == 0 { JobState::Disabled(now()) } else { JobState::Enabled };
        store.put_job(write).await.unwrap();
    }
    for (state, skip, number, first) in
        [(State::Disabled, 0, 10, "000"), (State::Disabled, 4, 6, "012"), (State::Enabled, 5, 15, "008")]
    {
        let names = read_all(&*store, &collection, &JobPage { state: Some(state), after: None, skip, limit: 4 }).await;
        assert_eq!((names.len(), names[0].as_str()), (number, first), "{state:?}");
    }
    let beyond = JobPage { skip: 30, limit: 4, ..JobPage::default() };
    assert!(store.jobs(collection.id, &beyond).await.unwrap().is_empty());
}

pub(crate) async fn no_collection_is_lost_or_twice(place: &dyn Place) {
    let store = place.open().await;
    let mut paths = Vec::new();
    for group in ["a", "B", "c"] {
        for collection in ["x", "Y", "z", "zz"] {
            paths.push(make_collection(&*store, &format!("s/{group}/{collection}")).await.key);
        }
    }
    make_collection(&*store, "t/a/x").await;
    for limit in [1, 3, 5, 12] {
        let (mut read, mut after) = (Vec::new(), None);
        loop {
            let listed = store.collections(&CollectionPage { after, limit, ..page("s", None) }).await.unwrap();
            let Some(last) = listed.last() else { break };
            after = Some((last.key.group.clone(), last.key.collection.clone()));
            read.extend(listed.into_iter().map(|entry| entry.key));
        }
        assert_eq!(read, paths, "pages of {limit}");
    }
}

pub(crate) async fn no_group_or_subscription_is_lost_or_twice(place: &dyn Place) {
    let store = place.open().await;
    for subscription in ["a", "B", "c"] {
        for group in ["x", "Y", "z"] {
            make_collection(&*store, &format!("{subscription}/{group}/c")).await;
        }
    }
    let (mut read, mut after) = (Vec::new(), None);
    while let Some(last) = store.subscriptions(after.as_ref(), 1).await.unwrap().pop() {
        after = Some(last.clone());
        read.push(last);
    }
    assert_eq!(read, ["a", "b", "c"].map(name));
    let (mut read, mut after) = (Vec::new(), None);
    while let Some(last) = store.groups(&name("b"), after.as_ref(), 1).await.unwrap().pop() {
        after = Some(last.key.group.clone());
        read.push(last.key.group);
    }
    assert_eq!(read, ["x", "y", "z"].map(name));
}
