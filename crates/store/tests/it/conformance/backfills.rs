//! Past times that run now.

use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_store::{Error, NodeId, OpenWork, RowChange, Shards};

use crate::engine::{apply, beside, change, work};
use crate::place::Place;
use crate::sample::{at, make_collection, make_job, now};

const LANE: Lane = Lane(77);

/// A part of a backfill from one time to another, which wakes at a third.
fn part(first: i64, last: i64, wakes: i64) -> Occurrence {
    Occurrence { wake_at: at(wakes), ..Occurrence::backfill(at(first), at(last), 1500, now()) }
}

fn sorted(mut parts: Vec<Occurrence>) -> Vec<Occurrence> {
    parts.sort_by_key(|part| part.nominal);
    parts
}

pub(crate) async fn its_parts_run_beside_the_schedule_one_at_a_time_of_a_job(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let (job, other) = (make_job(&*store, &collection, "j").await, make_job(&*store, &collection, "k").await);
    let schedule = work(&*work_store, job.id).await;
    let parts = [part(1, 5, 100), part(8, 9, 200)];
    assert!(store.backfill_job(job.id, parts.to_vec(), LANE).await.unwrap());
    assert!(!store.backfill_job(job.id, vec![part(20, 30, 300)], LANE).await.unwrap(), "one is open");
    assert!(store.backfill_job(other.id, vec![part(20, 30, 300)], LANE).await.unwrap(), "that of another job");
    assert_eq!(sorted(store.backfill_of(job.id).await.unwrap()), parts);
    let opened = beside(&*work_store, job.id).await;
    let read = |open: &OpenWork| match open {
        OpenWork::Beside { occurrence, .. } => *occurrence,
        OpenWork::Schedule(_) => panic!("not beside the schedule"),
    };
    assert_eq!(sorted(opened.iter().map(|entry| read(&entry.open)).collect()), parts);
    assert!(opened.iter().all(|entry| entry.lane == LANE && entry.scheduled_beside == 0));
    assert_eq!(work(&*work_store, job.id).await, schedule);
    // Neither runs nor reruns of the job are fewer by it.
    store.run_job(job.id, now(), 1).await.unwrap();
}

pub(crate) async fn a_cancelled_one_ends_with_what_has_begun(place: &dyn Place) {
    let (store, _) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    assert!(!store.cancel_backfill(job.id, at(0)).await.unwrap(), "there is none");
    let retried = Occurrence { attempt: 1, ..part(8, 9, 900) };
    store.backfill_job(job.id, vec![part(1, 5, 100), retried, part(11, 12, 800)], LANE).await.unwrap();
    assert!(store.cancel_backfill(job.id, at(100)).await.unwrap());
    let last = |part: Occurrence| Occurrence { backlog_until: Some(part.nominal), ..part };
    assert_eq!(sorted(store.backfill_of(job.id).await.unwrap()), [last(part(1, 5, 100)), last(retried)]);
    assert!(!store.cancel_backfill(job.id, at(100)).await.unwrap(), "there is nothing left to end");
}

pub(crate) async fn a_job_that_is_gone_has_none(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.backfill_job(job.id, vec![part(1, 5, 100)], LANE).await.unwrap();
    let stamp = punctual_store::Stamp::of_server(now());
    store.delete_job(job.id, job.revision, stamp).await.unwrap();
    assert_eq!(store.backfill_of(job.id).await.unwrap(), []);
    assert!(matches!(store.backfill_job(job.id, vec![part(1, 5, 100)], LANE).await, Err(Error::Stale)));
}

pub(crate) async fn it_moves_on_and_survives_a_crash(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.backfill_job(job.id, vec![part(1, 5, 100)], LANE).await.unwrap();
    work_store.set_watermark(NodeId::ONLY, at(150)).await.unwrap();
    work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap();
    let row = beside(&*work_store, job.id).await.remove(0);
    assert_eq!(row.resends, 1, "it may have been sent");
    let next = Occurrence { nominal: at(2), wake_at: at(102), ..part(1, 5, 100) };
    apply(&*work_store, change(&row, RowChange::Beside { occurrence: Some(next), schedule: None })).await;
    let row = beside(&*work_store, job.id).await.remove(0);
    assert_eq!((row.resends, store.backfill_of(job.id).await.unwrap()), (0, vec![next]));
}
