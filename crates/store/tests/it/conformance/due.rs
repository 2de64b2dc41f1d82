//! What wakes.

use punctual_model::lane::{Host, Lane};
use punctual_model::occurrence::{Occurrence, Phase};
use punctual_store::{CollectionEntry, DueKey, DuePage, DueStart, JobEntry, Shards, Store, WorkStore};

use crate::engine::{ALL_DUE, all_due, make_calling, waking};
use crate::place::Place;
use crate::sample::{at, edited, find_job, make_collection, make_job, make_jobs, new_job, now, posting};

/// Jobs of three hosts that wake at three instants, and manual runs of some of them.
async fn make_some(store: &dyn Store, collection: &CollectionEntry) {
    for number in 0..18 {
        let host = format!("host{}", number % 3);
        let name = format!("j{number:02}");
        let job = make_calling(store, collection, &name, (&host, "e"), 1000 + number / 3 % 3).await;
        if number % 4 == 0 {
            store.run_job(job.id, at(1001), 10).await.unwrap();
        }
    }
}

async fn ids(work_store: &dyn WorkStore, page: DuePage) -> Vec<DueKey> {
    work_store.due(page).await.unwrap()
}

fn start(after: Option<DueKey>) -> DueStart {
    after.map_or(DueStart::Beginning, DueStart::After)
}

pub(crate) async fn they_are_in_order_of_wake_time_lane_and_number(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_some(&*store, &collection).await;
    let all = all_due(&*work_store).await;
    assert_eq!(all.len(), 23);
    assert!(all.is_sorted_by_key(|key| (key.wake_at, key.lane, key.id)));
    assert_eq!(all.iter().filter(|key| key.id != key.job.into()).count(), 5);
}

pub(crate) async fn every_page_is_a_part_of_the_whole(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_some(&*store, &collection).await;
    let all = all_due(&*work_store).await;
    let lanes: Vec<Lane> = all.iter().map(|key| key.lane).collect();
    for after in all.iter().copied().map(Some).chain([None]) {
        for lane in lanes[..5].iter().copied().map(Some).chain([None]) {
            for (until, limit) in [(1001, 100), (1002, 2), (999, 100), (1002, 0)] {
                let page = DuePage { shards: Shards::ALL, start: start(after), until: at(until), lane, limit };
                let is_asked_for = |key: &&DueKey| {
                    after.is_none_or(|after| **key > after)
                        && lane.is_none_or(|lane| key.lane == lane)
                        && key.wake_at <= at(until)
                };
                let expected: Vec<DueKey> = all.iter().filter(is_asked_for).copied().take(limit).collect();
                assert_eq!(ids(&*work_store, page).await, expected, "{page:?}");
            }
        }
    }
}

pub(crate) async fn a_stampede_is_paged(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 300).await;
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = ids(&*work_store, DuePage { start: start(after), limit: 7, ..ALL_DUE }).await;
        let Some(last) = page.last() else { break };
        after = Some(*last);
        paged.extend(page);
    }
    assert_eq!((paged.len(), &paged), (300, &all_due(&*work_store).await));
}

pub(crate) async fn what_is_open_of_some_jobs(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let one = make_job(&*store, &collection, "one").await;
    let two = make_job(&*store, &collection, "two").await;
    store.run_job(one.id, at(5), 10).await.unwrap();
    let mut idle = new_job(&collection, "idle");
    idle.job.progress.open = None;
    let idle = store.put_job(idle).await.unwrap();
    let mut found = work_store.due_of(vec![idle.id, one.id]).await.unwrap();
    found.sort();
    let all = all_due(&*work_store).await;
    assert_eq!(found, all.iter().filter(|key| key.job == one.id).copied().collect::<Vec<_>>());
    assert_eq!((found.len(), all.len()), (2, 3));
    store.delete_job(two.id, two.revision, crate::sample::by(now())).await.unwrap();
    assert!(work_store.due_of(vec![two.id]).await.unwrap().is_empty());
    assert_eq!(all_due(&*work_store).await, found);
}

/// The lane of what a job has open.
async fn lane(work_store: &dyn WorkStore, job: &JobEntry) -> Lane {
    work_store.due_of(vec![job.id]).await.unwrap()[0].lane
}

pub(crate) async fn a_lane_is_a_collection_and_a_host(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (one, other) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "s/g/d").await);
    let a = make_calling(&*store, &one, "a", ("h", "e"), 5).await;
    let b = make_calling(&*store, &one, "b", ("H", "e"), 6).await;
    let c = make_calling(&*store, &one, "c", ("h:81", "e"), 6).await;
    let d = make_calling(&*store, &other, "d", ("h", "e"), 6).await;
    assert_eq!(lane(&*work_store, &a).await, lane(&*work_store, &b).await);
    assert_ne!(lane(&*work_store, &a).await, lane(&*work_store, &c).await);
    assert_ne!(lane(&*work_store, &a).await, lane(&*work_store, &d).await);
    let expected = Lane::new(one.id.0, &Host::of(&a.job.definition.action.target));
    assert_eq!(lane(&*work_store, &a).await, expected);
    store.run_job(a.id, now(), 1).await.unwrap();
    assert!(work_store.due_of(vec![a.id]).await.unwrap().iter().all(|key| key.lane == expected));
}

pub(crate) async fn an_edit_moves_all_that_is_open_to_its_lane(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    store.run_job(job.id, at(7), 1).await.unwrap();
    let before = crate::engine::beside(&*work_store, job.id).await[0].revision;
    let mut write = edited(&collection, &job);
    write.job.progress.open = Some(Occurrence { phase: Phase::Error, ..waking(5) });
    let job = store.put_job(write).await.unwrap();
    let action = &job.job.definition.action;
    let [main, error] = [&action.target, &action.error.as_ref().unwrap().target];
    let [main, error] = [main, error].map(|target| Lane::new(collection.id.0, &Host::of(target)));
    let lanes: Vec<Lane> = all_due(&*work_store).await.iter().map(|key| key.lane).collect();
    assert_eq!(lanes, [error, main]);

    let mut write = edited(&collection, &job);
    write.job.definition = posting("").definition;
    write.job.progress.open = Some(waking(5));
    store.put_job(write).await.unwrap();
    let expected = Lane::new(collection.id.0, &Host::of(&posting("").definition.action.target));
    assert!(all_due(&*work_store).await.iter().all(|key| key.lane == expected));
    // Who has read what runs beside it before decides again.
    assert!(crate::engine::beside(&*work_store, job.id).await[0].revision > before);
    // And runs that come later go there, too.
    let job = find_job(&*store, &collection, "j").await.unwrap();
    store.run_job(job.id, at(8), 2).await.unwrap();
    assert!(all_due(&*work_store).await.iter().all(|key| key.lane == expected));
}
