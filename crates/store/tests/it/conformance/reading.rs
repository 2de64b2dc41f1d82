//! What the engine reads before it decides.

use punctual_model::collection::Sku;
use punctual_model::job::JobState;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_store::{EndedStop, OpenWork, Revision, RowChange, WorkId};

use crate::engine::{apply, beside, change, find_work, gone_on, make_calling, progress, read, waking, work};
use crate::place::Place;
use crate::sample::{at, edited, edited_collection, make_collection, make_job, make_jobs, new_job, now};

pub(crate) async fn a_schedule_comes_back(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let open = Occurrence { phase: Phase::Error, attempt: 3, backlog_until: Some(at(9)), ..waking(7) };
    for open in [None, Some(open)] {
        let mut write = new_job(&collection, &format!("j {}", open.is_some()));
        write.job.progress = Progress { open, last_failed: true, started: 4, ..Progress::new(2, at(8)) };
        let job = store.put_job(write.clone()).await.unwrap();
        let entry = work(&*work_store, job.id).await;
        assert_eq!(entry.open, OpenWork::Schedule(write.job.progress));
        assert_eq!((entry.id, entry.job), (job.id.into(), job.id));
        assert_eq!((entry.revision, entry.job_revision), (Revision(1), Revision(1)));
        assert_eq!((entry.scheduled_beside, entry.resends), (0, 0));
        assert_eq!((entry.collection, entry.sku), (collection.id, Some(Sku::Standard)));
        assert_eq!((entry.collection_stopped_at, entry.ended_stops), (None, vec![]));
    }
}

pub(crate) async fn it_is_read_as_it_is_now(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.put_job(edited(&collection, &job)).await.unwrap();
    let mut write = edited_collection(&collection);
    (write.stopped_at, write.collection.sku) = (Some(at(3)), None);
    store.put_collection(write).await.unwrap();
    let entry = work(&*work_store, job.id).await;
    assert_eq!((entry.revision, entry.job_revision), (Revision(2), Revision(2)));
    assert_eq!((entry.collection_stopped_at, entry.sku), (Some(at(3)), None));
}

pub(crate) async fn what_runs_beside_comes_with_its_schedule(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, at(3), 10).await.unwrap();
    store.run_job(job.id, at(4), 10).await.unwrap();
    for number in 0..2 {
        let entry = work(&*work_store, job.id).await;
        let (progress, own) = (gone_on(&entry, 100 + number), Some(waking(50 + number).into()));
        apply(&*work_store, change(&entry, RowChange::Schedule { progress, beside: own })).await;
    }
    let schedule = work(&*work_store, job.id).await;
    assert_eq!(schedule.scheduled_beside, 2);
    let entries = beside(&*work_store, job.id).await;
    let run = |number, seconds| Occurrence::asked_for(Origin::Manual(number), at(seconds), at(seconds));
    let expected = [run(1, 3), run(2, 4), waking(50), waking(51)];
    for (entry, (occurrence, others)) in entries.iter().zip(expected.into_iter().zip([2, 2, 1, 1])) {
        let (progress, schedule_revision) = (progress(&schedule), schedule.revision);
        assert_eq!(entry.open, OpenWork::Beside { occurrence, schedule: progress, schedule_revision });
        assert_eq!((entry.job, entry.scheduled_beside), (job.id, others));
    }
    assert_eq!(entries.len(), 4);
}

pub(crate) async fn what_is_gone_is_left_out(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (kept, old) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "s/g/d").await);
    let [job, gone] = [make_job(&*store, &kept, "j").await, make_job(&*store, &kept, "k").await];
    // More than are cleared away at once.
    make_jobs(&store, &old, 500).await;
    let ids: Vec<WorkId> = crate::engine::all_due(&*work_store).await.iter().map(|key| key.id).collect();
    let jobs: Vec<_> = crate::engine::all_due(&*work_store).await.iter().map(|key| key.job).collect();
    assert_eq!(read(&*work_store, ids.clone()).await.len(), 502);
    assert_eq!(work_store.definitions(jobs.clone()).await.unwrap().len(), 502);
    let together = work_store.work_with_definitions(ids.clone(), jobs.clone()).await.unwrap();
    assert_eq!((together.rows.len(), together.definitions.len()), (502, 502));
    let together = work_store.work_with_definitions(ids.clone(), vec![job.id]).await.unwrap();
    let definitions: Vec<_> = together.definitions.into_iter().map(|read| read.unwrap().id).collect();
    assert_eq!((together.rows.len(), definitions), (502, vec![job.id]), "no other than those that were asked for");
    store.delete_job(gone.id, gone.revision, crate::sample::by(now())).await.unwrap();
    store.delete_collection(old.id, old.revision, crate::sample::by(now())).await.unwrap();
    let together = work_store.work_with_definitions(ids.clone(), jobs.clone()).await.unwrap();
    assert_eq!((together.rows.len(), together.definitions.len()), (1, 1));
    let left = read(&*work_store, ids).await;
    assert_eq!(left.iter().map(|entry| entry.job).collect::<Vec<_>>(), [job.id]);
    assert_eq!(work_store.definitions(jobs).await.unwrap().len(), 1);
    assert!(find_work(&*work_store, gone.id).await.is_none());
}

pub(crate) async fn a_time_in_which_its_collection_was_disabled(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let mut collection = make_collection(&*store, "s/g/c").await;
    let other = make_collection(&*store, "s/g/d").await;
    let (job, other) = (make_job(&*store, &collection, "j").await, make_job(&*store, &other, "j").await);
    let ended_stops = [(30, 40), (10, 20)].map(|(from, until)| EndedStop { from: at(from), until: at(until) });
    for stop in ended_stops {
        let mut write = edited_collection(&collection);
        write.ended_stop = Some(stop);
        collection = store.put_collection(write).await.unwrap();
    }
    store.run_job(job.id, at(1), 1).await.unwrap();
    assert_eq!(work(&*work_store, job.id).await.ended_stops, [ended_stops[1], ended_stops[0]]);
    assert_eq!(beside(&*work_store, job.id).await[0].ended_stops, [ended_stops[1], ended_stops[0]]);
    assert_eq!(work(&*work_store, other.id).await.ended_stops, []);
}

pub(crate) async fn a_definition_comes_back(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "Sub/Group/Coll").await;
    let job = make_calling(&*store, &collection, "Job", ("h", "e"), 5).await;
    let mut write = edited(&collection, &job);
    (write.job.state, write.job.anchor, write.job.series) = (JobState::Disabled(at(2)), Anchor::Creation(at(1)), 3);
    let job = store.put_job(write).await.unwrap();
    let read = work_store.definitions(vec![job.id]).await.unwrap().pop().unwrap().unwrap();
    assert_eq!(*read.path, *"Sub/Group/Coll/Job");
    assert_eq!((read.id, read.revision, read.uid), (job.id, job.revision, job.uid));
    assert_eq!(*read.definition, job.job.definition);
    assert_eq!((read.state, read.anchor, read.series), (job.job.state, job.job.anchor, 3));
    assert!((512..8192).contains(&read.bytes), "{} bytes", read.bytes);
}
