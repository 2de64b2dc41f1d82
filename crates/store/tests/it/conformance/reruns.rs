//! What is run again.

use punctual_model::lane::Lane;
use punctual_model::occurrence::{Occurrence, Origin, Original, Phase};
use punctual_store::{Error, HistoryKey, OpenWork};

use crate::engine::{apply, beside, go_on, record, work, write};
use crate::place::Place;
use crate::sample::{all_history, at, make_collection, make_job, now};

fn rerun(original: Original, nominal: i64) -> Occurrence {
    Occurrence::asked_for(Origin::Rerun(original), at(nominal), now())
}

const LANE: Lane = Lane(77);

pub(crate) async fn one_runs_beside_the_schedule_as_what_it_was(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let schedule = work(&*work_store, job.id).await;
    let error = Occurrence { phase: Phase::Error, repeat: 9, ..rerun(Original::Manual(7), 2) };
    let all = [rerun(Original::Schedule, 1), error, rerun(Original::Backfill, 3)];
    for occurrence in all {
        assert!(store.rerun_job(job.id, occurrence, LANE, 10).await.unwrap());
    }
    let opened = beside(&*work_store, job.id).await;
    let read = |open: &OpenWork| match open {
        OpenWork::Beside { occurrence, .. } => *occurrence,
        OpenWork::Schedule(_) => panic!("not beside the schedule"),
    };
    assert_eq!(opened.iter().map(|entry| read(&entry.open)).collect::<Vec<_>>(), all);
    assert!(opened.iter().all(|entry| entry.lane == LANE && entry.scheduled_beside == 0));
    assert_eq!(work(&*work_store, job.id).await, schedule);
}

pub(crate) async fn they_are_limited_beside_manual_runs(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, now(), 1).await.unwrap();
    for nominal in 1..=2 {
        assert!(store.rerun_job(job.id, rerun(Original::Schedule, nominal), LANE, 2).await.unwrap());
    }
    let third = store.rerun_job(job.id, rerun(Original::Schedule, 3), LANE, 2).await;
    assert!(matches!(third, Err(Error::Full { max: 2 })));
    store.run_job(job.id, now(), 2).await.unwrap();
}

pub(crate) async fn what_is_open_is_not_run_once_more(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, at(5), 10).await.unwrap();
    apply(&*work_store, go_on(&work(&*work_store, job.id).await, 500)).await;
    let is_opened = |occurrence| {
        let store = &store;
        async move { store.rerun_job(job.id, occurrence, LANE, 10).await.unwrap() }
    };
    assert!(!is_opened(rerun(Original::Schedule, 500)).await, "the schedule has it open");
    assert!(!is_opened(rerun(Original::Manual(1), 5)).await, "so is that manual run");
    assert!(is_opened(rerun(Original::Manual(2), 5)).await, "another one at the same instant");
    assert!(is_opened(rerun(Original::Schedule, 400)).await);
    assert!(!is_opened(rerun(Original::Schedule, 400)).await, "it is run again already");
    assert!(is_opened(rerun(Original::Backfill, 400)).await, "the same time, made good");
}

pub(crate) async fn a_job_that_is_gone_is_not_run(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
    assert!(matches!(store.rerun_job(job.id, rerun(Original::Schedule, 1), LANE, 1).await, Err(Error::Stale)));
}

pub(crate) async fn a_record_is_found_by_its_key(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let other = make_job(&*store, &collection, "k").await;
    write(&*work_store, Vec::new(), vec![record(job.id, 1), record(job.id, 1)]).await;
    for item in all_history(&*store, job.id).await {
        assert_eq!(store.record(job.id, item.key).await.unwrap().as_ref(), Some(&item));
        assert_eq!(store.record(other.id, item.key).await.unwrap(), None);
        let wrong = HistoryKey::new(at(2), item.key.number()).unwrap();
        assert_eq!(store.record(job.id, wrong).await.unwrap(), None);
    }
}
