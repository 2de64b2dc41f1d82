//! What becomes of what was due.

use std::sync::Arc;

use punctual_model::job::{Counters, State};
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::progress::Progress;
use punctual_store::{BesideRow, Error, OpenWork, Revision, RowChange, Written};

use crate::engine::{
    apply, beside, change, find_work, go_on, gone_on, is_stale, progress, read, record, waking, work, write,
};
use crate::place::Place;
use crate::sample::{all_history, at, edited, find_job, make_collection, make_job, make_jobs, new_job, now};

fn counted(executions: u64, failures: u64, faulted: u64, last_started: Option<i64>) -> Counters {
    Counters { executions, failures, faulted, last_started: last_started.map(at) }
}

pub(crate) async fn a_schedule_goes_on(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let entry = work(&*work_store, job.id).await;
    let mut settle = go_on(&entry, 500);
    settle.lane.0 += 1;
    settle.records = vec![record(job.id, 1), record(job.id, 2)];
    assert_eq!(apply(&*work_store, settle.clone()).await, None);
    let read = work(&*work_store, job.id).await;
    assert_eq!(read.open, OpenWork::Schedule(gone_on(&entry, 500)));
    assert_eq!((read.revision, read.lane), (Revision(entry.revision.0 + 1), settle.lane));
    let due = crate::engine::all_due(&*work_store).await;
    assert_eq!((due.len(), due[0].wake_at, due[0].lane), (1, at(500), settle.lane));
    assert_eq!(all_history(&*store, job.id).await.len(), 2);
    let progress = Progress { open: None, ..gone_on(&read, 600) };
    apply(&*work_store, change(&read, RowChange::Schedule { progress, beside: None })).await;
    assert!(crate::engine::all_due(&*work_store).await.is_empty());
    assert_eq!(find_job(&*store, &collection, "j").await.unwrap().job.progress, progress);
}

pub(crate) async fn a_stale_change_writes_nothing_and_the_others_do(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut changes = Vec::new();
    for name in ["1", "2", "3"] {
        let job = make_job(&*store, &collection, name).await;
        let mut settle = go_on(&work(&*work_store, job.id).await, 500);
        settle.records = vec![record(job.id, 1)];
        settle.counted = counted(1, 1, 1, Some(1));
        settle.ends = Some((State::Faulted, at(1)));
        changes.push(settle);
    }
    let stale = changes[1].clone();
    apply(&*work_store, go_on(&work(&*work_store, stale.job).await, 300)).await;
    let written = write(&*work_store, changes, vec![record(stale.job, 7)]).await;
    let applied = Written::Applied { revision: Revision(2), beside: None };
    assert_eq!(written, [applied.clone(), Written::Stale, applied]);
    for (name, settled) in [("1", true), ("2", false), ("3", true)] {
        let job = find_job(&*store, &collection, name).await.unwrap();
        assert_eq!(job.job.progress.open, Some(waking(if settled { 500 } else { 300 })), "{name}");
        assert_eq!(job.counters, if settled { counted(1, 1, 1, Some(1)) } else { Counters::default() });
        assert_eq!(job.job.state.kind(), if settled { State::Faulted } else { State::Enabled });
        // The note of the stale one is there in any case.
        let seconds = if settled { 1 } else { 7 };
        let history = all_history(&*store, job.id).await;
        assert_eq!((history.len(), history[0].entry.record.started), (1, at(seconds)));
    }
}

pub(crate) async fn counters_are_added_to(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, at(3), 10).await.unwrap();
    for (number, last_started) in [Some(5), Some(3), None].into_iter().enumerate() {
        let mut settle = go_on(&work(&*work_store, job.id).await, 500);
        settle.counted = counted(1, number as u64, 0, last_started);
        apply(&*work_store, settle).await;
    }
    let read = || async { find_job(&*store, &collection, "j").await.unwrap().counters };
    assert_eq!(read().await, counted(3, 3, 0, Some(5)));
    // Those of a run beside the schedule are the job's, too.
    let run = &beside(&*work_store, job.id).await[0];
    let mut settle = change(run, RowChange::Beside { occurrence: None, schedule: None });
    settle.counted = counted(1, 1, 1, Some(9));
    apply(&*work_store, settle).await;
    assert_eq!(read().await, counted(4, 4, 1, Some(9)));
}

pub(crate) async fn a_manual_run_is_tried_again_and_goes(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, at(3), 1).await.unwrap();
    let run = beside(&*work_store, job.id).await.remove(0);
    let retry = Occurrence {
        attempt: 1,
        phase: Phase::Error,
        wake_at: at(33),
        ..Occurrence::asked_for(Origin::Manual(1), at(3), at(3))
    };
    let settle = change(&run, RowChange::Beside { occurrence: Some(retry), schedule: None });
    apply(&*work_store, settle.clone()).await;
    assert!(is_stale(&*work_store, settle).await);
    let run = beside(&*work_store, job.id).await.remove(0);
    assert!(matches!(run.open, OpenWork::Beside { occurrence, .. } if occurrence == retry));
    assert_eq!(run.revision, Revision(2));
    // The schedule is not concerned.
    assert_eq!(work(&*work_store, job.id).await.revision, Revision(1));
    let settle = change(&run, RowChange::Beside { occurrence: None, schedule: None });
    apply(&*work_store, settle.clone()).await;
    assert!(find_work(&*work_store, run.id).await.is_none());
    assert!(is_stale(&*work_store, settle).await);
    // And there is room for the next one.
    store.run_job(job.id, at(4), 1).await.unwrap();
}

pub(crate) async fn an_occurrence_beside_is_settled_with_its_schedule(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let entry = work(&*work_store, job.id).await;
    let beside = Some(BesideRow { occurrence: waking(50), resends: 2 });
    let row = RowChange::Schedule { progress: gone_on(&entry, 500), beside };
    let id = apply(&*work_store, change(&entry, row)).await.unwrap();
    let own = work(&*work_store, id).await;
    assert_eq!((own.job, own.lane, own.scheduled_beside, own.resends), (job.id, entry.lane, 0, 2));
    let OpenWork::Beside { schedule_revision, .. } = own.open else { panic!("{own:?}") };

    let retry = Some(Occurrence { attempt: 1, wake_at: at(80), ..waking(50) });
    let settle = |revision, occurrence| {
        let mut settle = change(&own, RowChange::Beside { occurrence, schedule: Some((revision, true)) });
        settle.counted = counted(1, 1, 0, Some(2));
        settle.records = vec![record(job.id, 1)];
        settle
    };
    assert!(is_stale(&*work_store, settle(Revision(schedule_revision.0 - 1), retry)).await);
    assert_eq!(work(&*work_store, id).await, own);
    assert!(all_history(&*store, job.id).await.is_empty());
    apply(&*work_store, settle(schedule_revision, retry)).await;
    let schedule = work(&*work_store, job.id).await;
    assert_eq!(progress(&schedule), Progress { last_failed: true, ..gone_on(&entry, 500) });
    assert_eq!(schedule.revision, Revision(schedule_revision.0 + 1));
    assert_eq!(find_job(&*store, &collection, "j").await.unwrap().counters, counted(1, 1, 0, Some(2)));

    let own = work(&*work_store, id).await;
    let row = RowChange::Beside { occurrence: None, schedule: Some((schedule.revision, false)) };
    apply(&*work_store, change(&own, row)).await;
    assert!(find_work(&*work_store, id).await.is_none());
    assert!(!progress(&work(&*work_store, job.id).await).last_failed);
}

pub(crate) async fn a_job_ends_and_stays_the_same(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for state in [State::Completed, State::Faulted] {
        let job = make_job(&*store, &collection, state.name()).await;
        let entry = work(&*work_store, job.id).await;
        let progress = Progress { open: None, ..progress(&entry) };
        let mut settle = change(&entry, RowChange::Schedule { progress, beside: None });
        settle.ends = Some((state, at(9)));
        apply(&*work_store, settle).await;
        let ended = find_job(&*store, &collection, state.name()).await.unwrap();
        assert_eq!((ended.job.state.kind(), ended.revision), (state, job.revision));
        let page = punctual_store::JobPage { state: Some(state), ..crate::sample::ALL_JOBS };
        assert_eq!(store.jobs(collection.id, &page).await.unwrap(), [ended]);
        let read = work_store.definitions(vec![job.id]).await.unwrap().pop().unwrap().unwrap();
        assert_eq!(read.state.kind(), state);
    }
}

pub(crate) async fn an_edit_and_a_settlement_do_not_overwrite_each_other(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let entry = work(&*work_store, job.id).await;
    apply(&*work_store, go_on(&entry, 500)).await;
    assert!(matches!(store.put_job(edited(&collection, &job)).await, Err(Error::Stale)));
    let (job, entry) = (find_job(&*store, &collection, "j").await.unwrap(), work(&*work_store, job.id).await);
    store.put_job(edited(&collection, &job)).await.unwrap();
    assert!(is_stale(&*work_store, go_on(&entry, 600)).await);
}

pub(crate) async fn what_was_deleted_stays_deleted(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    store.run_job(job.id, at(3), 10).await.unwrap();
    let (entry, run) = (work(&*work_store, job.id).await, beside(&*work_store, job.id).await.remove(0));
    store.delete_job(job.id, job.revision, crate::sample::by(now())).await.unwrap();
    let row = RowChange::Schedule { progress: gone_on(&entry, 500), beside: Some(waking(50).into()) };
    let mut settle = change(&entry, row);
    settle.records = vec![record(job.id, 1)];
    assert!(is_stale(&*work_store, settle).await);
    assert!(is_stale(&*work_store, change(&run, RowChange::Beside { occurrence: None, schedule: None })).await);
    assert!(crate::engine::all_due(&*work_store).await.is_empty());
    assert!(all_history(&*store, job.id).await.is_empty());
    // What happened to it after that is still noted.
    write(&*work_store, Vec::new(), vec![record(job.id, 2)]).await;
    assert_eq!(all_history(&*store, job.id).await.len(), 1);
}

pub(crate) async fn many_at_once_while_clients_write(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 1000).await;
    let clients: Vec<_> = (0..300)
        .map(|number| {
            let (store, write) = (Arc::clone(&store), new_job(&collection, &format!("new {number}")));
            tokio::spawn(async move { store.put_job(write).await.map(drop) })
        })
        .collect();
    let ids = crate::engine::all_due(&*work_store).await.iter().map(|key| key.id).take(1000).collect();
    let entries = read(&*work_store, ids).await;
    let changes = entries.iter().map(|entry| {
        let mut settle = go_on(entry, 500);
        settle.records = vec![record(entry.job, 1)];
        settle
    });
    let written = write(&*work_store, changes.collect(), Vec::new()).await;
    assert_eq!(written, vec![Written::Applied { revision: Revision(2), beside: None }; 1000]);
    for client in clients {
        client.await.unwrap().unwrap();
    }
    drop((store, work_store));
    let (store, work_store) = place.open_both().await;
    let due = crate::engine::all_due(&*work_store).await;
    assert_eq!((due.len(), due.iter().filter(|key| key.wake_at == at(500)).count()), (1300, 1000));
    assert_eq!(all_history(&*store, due[0].job).await.len(), 1);
    assert_eq!(due.iter().filter(|key| key.wake_at == now()).count(), 300);
}
