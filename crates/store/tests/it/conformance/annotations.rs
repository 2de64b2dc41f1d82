//! What people say about jobs for each other, and jobs that are disabled until an instant.

use punctual_model::job::{JobState, State};
use punctual_model::labels::Annotations;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, EnablePage, JobEntry, JobToEnable, SeriesPage, Store};

use crate::engine::{apply, go_on, work};
use crate::place::Place;
use crate::sample::{ALL_JOBS, annotated, at, by, edited, find_job, make_collection, make_job, new_job, now};

/// A job that is disabled until that second.
async fn make_disabled(store: &dyn Store, collection: &CollectionEntry, name: &str, until: Option<i64>) -> JobEntry {
    let mut write = new_job(collection, name);
    write.job.state = JobState::Disabled(at(1));
    write.disabled_until = until.map(at);
    store.put_job(write).await.unwrap()
}

/// All whose time of being disabled is over by that second.
async fn to_enable(store: &dyn Store, seconds: i64) -> Vec<(String, Timestamp)> {
    let page = EnablePage { now: at(seconds), after: None, limit: 100 };
    let found = store.jobs_to_enable(&page).await.unwrap();
    found.into_iter().map(|JobToEnable { path, until, .. }| (path.to_string(), until)).collect()
}

pub(crate) async fn a_note_and_labels_come_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let many: Vec<String> = (0..16).map(|number| format!("example.com/key-{number}={}", "ü".repeat(63))).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let said = [
        Annotations::default(),
        annotated("", &[]),
        annotated("two\nlines, \"ü\"", &["team=billing", "empty="]),
        annotated("many", &many),
    ];
    for (number, annotations) in said.into_iter().enumerate() {
        let mut write = new_job(&collection, &number.to_string());
        write.annotations = annotations.clone();
        let made = store.put_job(write).await.unwrap();
        assert_eq!(made.annotations, annotations);
        assert_eq!(find_job(&*store, &collection, &number.to_string()).await.unwrap(), made);
    }
    let listed = store.jobs(collection.id, &ALL_JOBS).await.unwrap();
    assert_eq!(listed[2].annotations.labels.get("team"), Some("billing"));
}

pub(crate) async fn an_edit_changes_them_and_nothing_else(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let series = async || store.series(&SeriesPage { after: None, limit: 10 }).await.unwrap().len();
    let before = series().await;
    for annotations in [annotated("why", &["a=b"]), annotated("why", &["a=c", "d=e"]), Annotations::default()] {
        let job = find_job(&*store, &collection, "j").await.unwrap();
        let mut write = edited(&collection, &job);
        write.annotations = annotations.clone();
        assert_eq!(store.put_job(write).await.unwrap().annotations, annotations);
    }
    assert_eq!(find_job(&*store, &collection, "j").await.unwrap().job, job.job);
    // It runs as it did: no schedule has ended.
    assert_eq!(series().await, before);
}

pub(crate) async fn a_job_is_disabled_until_an_instant(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_disabled(&*store, &collection, "J", Some(100)).await;
    assert_eq!(job.disabled_until, Some(at(100)));
    make_disabled(&*store, &collection, "for good", None).await;
    make_job(&*store, &collection, "enabled").await;
    assert_eq!(to_enable(&*store, 99).await, []);
    assert_eq!(to_enable(&*store, 100).await, [("s/g/c/J".to_owned(), at(100))]);
    // Somebody changes his mind.
    let mut write = edited(&collection, &job);
    write.disabled_until = Some(at(200));
    let job = store.put_job(write).await.unwrap();
    assert_eq!((to_enable(&*store, 100).await.len(), to_enable(&*store, 200).await.len()), (0, 1));
    // An edit of something else leaves it.
    let job = store.put_job(edited(&collection, &job)).await.unwrap();
    assert_eq!(job.disabled_until, Some(at(200)));
}

pub(crate) async fn only_a_disabled_job_is_to_be_enabled(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_disabled(&*store, &collection, "j", Some(100)).await;
    let mut write = edited(&collection, &job);
    write.job.state = JobState::Enabled;
    let job = store.put_job(write).await.unwrap();
    assert_eq!((job.disabled_until, to_enable(&*store, 1000).await), (None, Vec::new()));
    let mut write = new_job(&collection, "new");
    write.disabled_until = Some(at(100));
    assert_eq!(store.put_job(write).await.unwrap().disabled_until, None);
    // A run beside its schedule can end a job that is disabled.
    let job = make_disabled(&*store, &collection, "ends", Some(100)).await;
    let mut change = go_on(&work(&*work_store, job.id).await, 500);
    change.ends = Some((State::Completed, at(50)));
    apply(&*work_store, change).await;
    assert_eq!(find_job(&*store, &collection, "ends").await.unwrap().disabled_until, None);
    assert_eq!(to_enable(&*store, 1000).await, []);
}

pub(crate) async fn who_is_to_be_enabled_is_listed_page_by_page(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (name, until) in [("a", 30), ("b", 10), ("c", 20), ("d", 10), ("e", 40)] {
        make_disabled(&*store, &collection, name, Some(until)).await;
    }
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let found = store.jobs_to_enable(&EnablePage { now: at(30), after, limit: 1 }).await.unwrap();
        let Some(last) = found.last() else { break };
        after = Some((last.until, last.id));
        listed.extend(found.iter().map(|job| job.path.to_string()));
    }
    assert_eq!(listed, ["b", "d", "c", "a"].map(|name| format!("s/g/c/{name}")));
}

pub(crate) async fn one_that_is_gone_is_not_to_be_enabled(place: &dyn Place) {
    let store = place.open().await;
    let (one, other) = (make_collection(&*store, "s/g/one").await, make_collection(&*store, "s/g/other").await);
    let job = make_disabled(&*store, &one, "j", Some(10)).await;
    make_disabled(&*store, &other, "j", Some(10)).await;
    store.delete_job(job.id, job.revision, by(now())).await.unwrap();
    store.delete_collection(other.id, other.revision, by(now())).await.unwrap();
    assert_eq!(to_enable(&*store, 10).await, []);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut write = new_job(&collection, "j");
    write.annotations = annotated("why", &["a=b"]);
    write.job.state = JobState::Disabled(at(1));
    write.disabled_until = Some(at(2));
    let made = store.put_job(write).await.unwrap();
    drop(store);
    assert_eq!(find_job(&*place.open().await, &collection, "j").await, Some(made));
}
