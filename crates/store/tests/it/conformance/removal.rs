//! What goes because it is old.

use punctual_model::history::Status;
use punctual_model::job::{JobState, State};
use punctual_model::progress::Progress;
use punctual_model::time::TICKS_PER_SECOND;
use punctual_store::{
    CollectionEntry, HistoryBounds, HistoryEntry, HistoryItem, JobEntry, JobId, LatestPage, RowChange, Store, WorkStore,
};

use crate::engine::{apply, change, progress, record, work, write};
use crate::place::Place;
use crate::sample::{all_history, at, edited, find_job, job_names, make_collection, make_job, new_job};

const DAY: i64 = 86_400;

/// A job that ended in that second.
async fn make_ended(
    store: &dyn Store,
    work_store: &dyn WorkStore,
    collection: &CollectionEntry,
    name: &str,
    seconds: i64,
) -> JobEntry {
    let job = make_job(store, collection, name).await;
    let entry = work(work_store, job.id).await;
    let progress = Progress { open: None, ..progress(&entry) };
    let mut end = change(&entry, RowChange::Schedule { progress, beside: None });
    end.ends = Some((State::Completed, at(seconds)));
    apply(work_store, end).await;
    find_job(store, collection, name).await.unwrap()
}

pub(crate) async fn jobs_that_ended_go(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (name, seconds) in [("a", 10), ("b", 20), ("c", 30), ("d", 40)] {
        make_ended(&*store, &*work_store, &collection, name, seconds).await;
    }
    make_job(&*store, &collection, "live").await;
    let mut disabled = new_job(&collection, "disabled");
    disabled.job.state = JobState::Disabled(at(1));
    store.put_job(disabled).await.unwrap();
    work_store.bell().take();
    assert_eq!(work_store.remove_ended(at(40), at(DAY), 2).await.unwrap(), 2);
    assert_eq!(work_store.bell().take().jobs.len(), 2);
    assert_eq!(job_names(&*store, &collection).await, ["c", "d", "disabled", "live"]);
    assert_eq!(work_store.remove_ended(at(40), at(DAY), 2).await.unwrap(), 1);
    assert_eq!(work_store.remove_ended(at(40), at(DAY), 2).await.unwrap(), 0);
    assert_eq!(job_names(&*store, &collection).await, ["d", "disabled", "live"]);
    assert_eq!(store.collection(&collection.key).await.unwrap().unwrap().jobs, 3);
}

pub(crate) async fn a_run_that_is_open_keeps_its_job(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_ended(&*store, &*work_store, &collection, "a", 10).await;
    make_ended(&*store, &*work_store, &collection, "b", 10).await;
    store.run_job(job.id, at(50), 1).await.unwrap();
    assert_eq!(work_store.remove_ended(at(40), at(DAY), 10).await.unwrap(), 1);
    assert_eq!(job_names(&*store, &collection).await, ["a"]);
}

pub(crate) async fn an_edit_counts_as_the_end(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_ended(&*store, &*work_store, &collection, "a", 10).await;
    let mut write = edited(&collection, &job);
    (write.job.state, write.stamp.at) = (JobState::Completed, at(60));
    let job = store.put_job(write).await.unwrap();
    assert_eq!(work_store.remove_ended(at(60), at(DAY), 10).await.unwrap(), 0);
    let mut write = edited(&collection, &job);
    (write.job.state, write.stamp.at) = (JobState::Enabled, at(70));
    store.put_job(write).await.unwrap();
    assert_eq!(work_store.remove_ended(at(DAY), at(DAY), 10).await.unwrap(), 0);
}

pub(crate) async fn old_history_is_dropped(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let days = [1, 2, 3, 4, 5];
    write(&*work_store, Vec::new(), days.map(|day| record(job.id, day * DAY)).to_vec()).await;
    let left = || async { all_history(&*store, job.id).await.iter().map(|it| it.key.started()).collect::<Vec<_>>() };
    let bytes_before = work_store.history_bytes().await.unwrap();
    let dropped = work_store.drop_history(&HistoryBounds::of_age(at(3 * DAY))).await.unwrap();
    assert!(dropped.iter().all(|dropped| dropped.bytes > 0 && !dropped.name.is_empty()));
    let dropped_bytes: u64 = dropped.iter().map(|dropped| dropped.bytes).sum();
    assert_eq!(work_store.history_bytes().await.unwrap(), bytes_before - dropped_bytes);
    assert_eq!(left().await, [at(5 * DAY), at(4 * DAY), at(3 * DAY)]);
    assert_eq!(work_store.drop_history(&HistoryBounds::of_age(at(3 * DAY))).await.unwrap(), []);
    assert_eq!(store.history_dropped_until().await.unwrap(), Some(at(3 * DAY).saturating_add(-1)));
    // Too much of it: the oldest goes, but not the last, which is being written.
    assert!(
        !work_store
            .drop_history(&HistoryBounds { bytes_max: 0, ..HistoryBounds::of_age(at(0)) })
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(left().await, [at(5 * DAY)]);
    // And it goes on.
    write(&*work_store, Vec::new(), vec![record(job.id, 6 * DAY)]).await;
    assert_eq!(left().await, [at(6 * DAY), at(5 * DAY)]);
}

/// An attempt that succeeded in that second.
fn success(job: JobId, seconds: i64) -> HistoryEntry {
    let mut entry = record(job, seconds);
    entry.record.status = Status::Completed(at(seconds));
    entry
}

pub(crate) async fn failures_may_be_kept_longer(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let days = [1, 2, 32, 33, 62];
    let entries = days.iter().flat_map(|day| [record(job.id, day * DAY), success(job.id, day * DAY + 1)]);
    write(&*work_store, Vec::new(), entries.collect()).await;
    let before = all_history(&*store, job.id).await;
    let left = || async { all_history(&*store, job.id).await };
    let days_left = |items: &[HistoryItem]| {
        let seconds = items.iter().map(|item| item.key.started().since(at(0)) / TICKS_PER_SECOND);
        seconds.map(|seconds| (seconds / DAY, seconds % DAY)).collect::<Vec<_>>()
    };
    let bounds = |before: i64, failures_before: i64| HistoryBounds {
        failures_before: Some(at(failures_before * DAY)),
        ..HistoryBounds::of_age(at(before * DAY))
    };
    let dropped = work_store.drop_history(&bounds(33, 0)).await.unwrap();
    assert_eq!(dropped.iter().map(|it| it.kept).collect::<Vec<_>>(), [1, 1, 1]);
    let items = left().await;
    assert_eq!(days_left(&items), [(62, 1), (62, 0), (33, 1), (33, 0), (32, 0), (2, 0), (1, 0)]);
    // They are what they were, and are found by their keys, in all lists.
    assert!(items.iter().all(|item| before.contains(item)));
    for item in &items {
        assert_eq!(store.record(job.id, item.key).await.unwrap().as_ref(), Some(item));
    }
    let mut latest: Vec<HistoryItem> = Vec::new();
    loop {
        let page = LatestPage { after: latest.last().map(|it| it.key), limit: 2, ..LatestPage::default() };
        match &store.latest_records(&page).await.unwrap()[..] {
            [] => break,
            page => latest.extend(page.iter().map(|it| it.item.clone())),
        }
    }
    assert_eq!(days_left(&latest), [(62, 1), (62, 0), (33, 1), (33, 0), (32, 0), (2, 0), (1, 0)]);
    // What is left is not all that there was.
    assert_eq!(store.history_dropped_until().await.unwrap(), Some(at(33 * DAY).saturating_add(-1)));
    assert_eq!(work_store.oldest().await.unwrap().failures, Some(at(0)));
    assert_eq!(
        work_store.drop_history(&bounds(33, 31)).await.unwrap().len(),
        1,
        "January, and only when all of it is old"
    );
    assert_eq!(days_left(&left().await), [(62, 1), (62, 0), (33, 1), (33, 0), (32, 0)]);
    // They do not take all room, and go with the rest if nobody wants to keep them any more.
    let full = HistoryBounds { bytes_max: 0, ..bounds(0, 0) };
    assert!(!work_store.drop_history(&full).await.unwrap().is_empty());
    assert_eq!(days_left(&left().await), [(62, 1), (62, 0)]);
    write(&*work_store, Vec::new(), vec![record(job.id, 93 * DAY)]).await;
    work_store.drop_history(&bounds(93, 0)).await.unwrap();
    assert_eq!(days_left(&left().await), [(93, 0), (62, 0)]);
    work_store.drop_history(&HistoryBounds::of_age(at(93 * DAY))).await.unwrap();
    assert_eq!(days_left(&left().await), [(93, 0)]);
}
