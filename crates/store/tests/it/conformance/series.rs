//! What the schedules of jobs were.

use punctual_model::job::{JobState, State};
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_store::{
    CollectionEntry, EndedStop, HistoryBounds, JobEntry, RowChange, SeriesEntry, SeriesPage, Stop, Store,
};

use crate::engine::{apply, change, progress, work};
use crate::place::Place;
use crate::sample::{at, definition, edited, edited_collection, find_job, make_collection, make_jobs, new_job};

async fn all(store: &dyn Store) -> Vec<SeriesEntry> {
    store.series(&SeriesPage { after: None, limit: 10_000 }).await.unwrap()
}

/// From when to when, in seconds, in which state, and in which series.
async fn times(store: &dyn Store) -> Vec<(i64, Option<i64>, State, u32)> {
    let seconds = |at: punctual_model::time::Timestamp| at.since(self::at(0)) / 10_000_000;
    let entries = all(store).await;
    entries.iter().map(|it| (seconds(it.from), it.until.map(seconds), it.state, it.series)).collect()
}

/// A job that was made in that second.
async fn make_at(store: &dyn Store, collection: &CollectionEntry, name: &str, seconds: i64) -> JobEntry {
    let mut write = new_job(collection, name);
    write.stamp.at = at(seconds);
    store.put_job(write).await.unwrap()
}

pub(crate) async fn every_change_of_schedule_or_state_is_kept(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_at(&*store, &collection, "j", 1).await;
    // Another action is nobody's business here.
    let mut write = edited(&collection, &job);
    let text = r#"{"recurrence": {"frequency": "Minute"}, "action": {"request": {"uri": "http://x"}}}"#;
    (write.job.definition, write.stamp.at) = (definition(text), at(2));
    let job = store.put_job(write).await.unwrap();
    let mut write = edited(&collection, &job);
    (write.job.state, write.stamp.at) = (JobState::Disabled(at(3)), at(3));
    let job = store.put_job(write).await.unwrap();
    let mut write = edited(&collection, &job);
    (write.job.state, write.job.series, write.stamp.at) = (JobState::Enabled, 2, at(4));
    let text = r#"{"recurrence": {"frequency": "Hour"}, "action": {"request": {"uri": "http://x"}}}"#;
    (write.job.definition, write.job.anchor) = (definition(text), Anchor::Creation(at(4)));
    store.put_job(write).await.unwrap();
    let entry = work(&*work_store, job.id).await;
    let progress = Progress { open: None, ..progress(&entry) };
    let mut end = change(&entry, RowChange::Schedule { progress, beside: None });
    end.ends = Some((State::Faulted, at(5)));
    apply(&*work_store, end).await;
    let expected = [
        (1, Some(3), State::Enabled, 1),
        (3, Some(4), State::Disabled, 1),
        (4, Some(5), State::Enabled, 2),
        (5, None, State::Faulted, 2),
    ];
    assert_eq!(times(&*store).await, expected);
    let entries = all(&*store).await;
    assert!(entries.iter().all(|it| (it.uid, it.collection, it.key.job) == (job.uid, collection.id, job.id)));
    assert!(entries.iter().all(|it| it.zones == punctual_model::time::tz_database_version()));
    let last = &entries[3];
    assert_eq!((&last.schedule.recurrence, last.anchor), (&definition(text).recurrence, Anchor::Creation(at(4))));
    assert_ne!(entries[0].schedule, last.schedule);
}

/// Jobs that were made in second 1 and ended in second 5, and what became of them then.
pub(crate) async fn what_a_job_was_before_it_ended_is_kept(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut jobs = Vec::new();
    for name in ["stays", "is deleted", "is edited", "is removed"] {
        let job = make_at(&*store, &collection, name, 1).await;
        let entry = work(&*work_store, job.id).await;
        let progress = Progress { open: None, ..progress(&entry) };
        let mut end = change(&entry, RowChange::Schedule { progress, beside: None });
        end.ends = Some((State::Completed, at(if name == "is removed" { 4 } else { 5 })));
        apply(&*work_store, end).await;
        jobs.push(find_job(&*store, &collection, name).await.unwrap());
    }
    store.delete_job(jobs[1].id, jobs[1].revision, crate::sample::by(at(8))).await.unwrap();
    let mut write = edited(&collection, &jobs[2]);
    (write.job.state, write.stamp.at) = (JobState::Enabled, at(9));
    store.put_job(write).await.unwrap();
    assert_eq!(work_store.remove_ended(at(5), at(6), 10).await.unwrap(), 1);
    let expected = [
        (1, Some(5), State::Enabled, 1),
        (5, None, State::Completed, 1),
        (1, Some(5), State::Enabled, 1),
        (5, Some(8), State::Completed, 1),
        (1, Some(5), State::Enabled, 1),
        (5, Some(9), State::Completed, 1),
        (9, None, State::Enabled, 1),
        (1, Some(4), State::Enabled, 1),
    ];
    assert_eq!(times(&*store).await, expected);
    let all = all(&*store).await;
    for limit in 1..9 {
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let page = store.series(&SeriesPage { after, limit }).await.unwrap();
            assert!(page.len() <= limit);
            let Some(last) = page.last() else { break };
            after = Some(last.key);
            paged.extend(page);
        }
        assert_eq!(paged, all, "{limit} at a time");
    }
}

pub(crate) async fn it_outlives_its_job_and_its_collection(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let old = make_collection(&*store, "s/g/old").await;
    let job = make_at(&*store, &collection, "j", 1).await;
    make_jobs(&store, &old, 300).await;
    store.delete_job(job.id, job.revision, crate::sample::by(at(7))).await.unwrap();
    store.delete_collection(old.id, old.revision, crate::sample::by(at(2_000_000_000))).await.unwrap();
    for is_swept in [false, true] {
        let entries = all(&*store).await;
        assert_eq!((entries.len(), entries[0].until), (301, Some(at(7))), "{is_swept}");
        assert!(entries[1..].iter().all(|it| it.until == Some(at(2_000_000_000))));
        while store.sweep().await.unwrap() {}
    }
    // As long as there is history.
    work_store.drop_history(&HistoryBounds::of_age(at(8))).await.unwrap();
    assert_eq!(all(&*store).await.len(), 300);
    work_store.drop_history(&HistoryBounds::of_age(at(2_000_000_001))).await.unwrap();
    assert!(all(&*store).await.is_empty());
}

pub(crate) async fn every_page_is_a_part_of_the_whole(place: &dyn Place) {
    let (store, _work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for number in 0..6 {
        let mut job = make_at(&*store, &collection, &number.to_string(), 1).await;
        for edit in 0..number % 3 {
            let mut write = edited(&collection, &job);
            (write.job.series, write.stamp.at) = (2 + edit, at(10 + i64::from(edit)));
            job = store.put_job(write).await.unwrap();
        }
        if number == 4 {
            store.delete_job(job.id, job.revision, crate::sample::by(at(99))).await.unwrap();
        }
    }
    let all = all(&*store).await;
    assert!(all.len() == 12 && all.is_sorted_by_key(|entry| entry.key));
    for limit in 1..13 {
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let page = store.series(&SeriesPage { after, limit }).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.key);
            paged.extend(page);
        }
        assert_eq!(paged, all, "{limit} at a time");
    }
}

pub(crate) async fn stops_of_a_collection(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    assert_eq!(store.stops(collection.id).await.unwrap(), []);
    let mut write = edited_collection(&collection);
    write.stopped_at = Some(at(10));
    let collection = store.put_collection(write).await.unwrap();
    assert_eq!(store.stops(collection.id).await.unwrap(), [Stop { from: at(10), until: None }]);
    let mut write = edited_collection(&collection);
    (write.stopped_at, write.ended_stop) = (None, Some(EndedStop { from: at(10), until: at(20) }));
    let collection = store.put_collection(write).await.unwrap();
    while let Some(stopped) = work_store.stopped_jobs(10).await.unwrap() {
        work_store.mark_woken(stopped).await.unwrap();
    }
    let mut write = edited_collection(&collection);
    write.stopped_at = Some(at(30));
    let collection = store.put_collection(write).await.unwrap();
    let first = Stop { from: at(10), until: Some(at(20)) };
    assert_eq!(store.stops(collection.id).await.unwrap(), [first, Stop { from: at(30), until: None }]);
    store.delete_collection(collection.id, collection.revision, crate::sample::by(at(40))).await.unwrap();
    while store.sweep().await.unwrap() {}
    assert_eq!(store.stops(collection.id).await.unwrap(), [first, Stop { from: at(30), until: Some(at(40)) }]);
    work_store.drop_history(&HistoryBounds::of_age(at(35))).await.unwrap();
    assert_eq!(store.stops(collection.id).await.unwrap(), [Stop { from: at(30), until: Some(at(40)) }]);
}
