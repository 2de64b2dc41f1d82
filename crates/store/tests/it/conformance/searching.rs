//! Jobs that are looked for in many collections.

use punctual_model::TargetPattern;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::health::RecentOutcome;
use punctual_model::history::{Record, Status};
use punctual_model::job::{JobState, State};
use punctual_store::{
    CollectionEntry, FoundJobs, HistoryEntry, JobEntry, JobFilter, JobPlace, JobSearch, JobSort, JobStart, Store,
    WorkStore,
};

use crate::engine::{apply, go_on, record, work};
use crate::place::Place;
use crate::sample::{at, definition, edited_collection, make_collection, make_job, new_job, now};

const ALL: usize = 1000;

/// The schedule of a job makes an attempt at that second, and wakes again at another one.
async fn attempt(work_store: &dyn WorkStore, job: &JobEntry, seconds: i64, succeeds: bool, wakes: i64) {
    let entry = work(work_store, job.id).await;
    let mut change = go_on(&entry, wakes);
    let (status, failure) = if succeeds {
        (Status::Completed(at(seconds)), None)
    } else {
        let failure = Failure::answered(FailureClass::Status, "example.com", 500, "");
        (Status::Failed(at(seconds)), Some(failure))
    };
    let entry = record(job.id, seconds);
    change.records = vec![HistoryEntry { record: Record { status, failure, ..entry.record }, ..entry }];
    apply(work_store, change).await;
}

async fn find(
    store: &dyn Store,
    collections: &[&CollectionEntry],
    start: JobStart,
    filter: JobFilter,
    (limit, looks): (usize, usize),
) -> FoundJobs {
    let collections = collections.iter().map(|collection| collection.id).collect();
    store.find_jobs(JobSearch { collections, filter, start, limit, looks }).await.unwrap()
}

fn names(found: &FoundJobs) -> String {
    found.jobs.iter().map(|found| found.job.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Two collections, of which the second is listed first by who searches.
async fn two(store: &dyn Store) -> [CollectionEntry; 2] {
    [make_collection(store, "s/g/one").await, make_collection(store, "s/g/two").await]
}

pub(crate) async fn by_name_in_the_order_of_the_collections(place: &dyn Place) {
    let store = place.open().await;
    let [one, two] = two(&*store).await;
    for (collection, name) in [(&one, "b"), (&one, "A"), (&two, "z"), (&two, "c"), (&one, "d")] {
        make_job(&*store, collection, name).await;
    }
    let other = make_collection(&*store, "s/g/other").await;
    make_job(&*store, &other, "unseen").await;
    let (mut seen, mut collections, mut after) = (Vec::new(), vec![&two, &one], None);
    loop {
        let found = find(&*store, &collections, JobStart::Name(after), JobFilter::default(), (2, ALL)).await;
        let Some(last) = found.jobs.last() else { break };
        let JobPlace::Name(collection, name) = last.place.clone() else { panic!("another order") };
        collections.retain(|known| *known != &two || collection == two.id);
        after = Some(name);
        seen.push(names(&found));
    }
    assert_eq!(seen, ["c z", "A b", "d"]);
    store.delete_collection(two.id, two.revision, crate::sample::by(now())).await.unwrap();
    let left = find(&*store, &[&two, &one], JobStart::Name(None), JobFilter::default(), (ALL, ALL)).await;
    assert_eq!(names(&left), "A b d");
    let entry = find(&*store, &[&one], JobStart::Name(None), JobFilter::default(), (1, ALL)).await.jobs.remove(0);
    assert_eq!(entry.job, crate::sample::find_job(&*store, &one, "a").await.unwrap());
}

pub(crate) async fn only_what_the_filter_admits(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let put = async |name: &str, uri: &str, state: JobState| {
        let mut write = new_job(&collection, name);
        write.job.definition = definition(&format!(
            r#"{{"recurrence": {{"frequency": "Minute"}}, "action": {{"request": {{"uri": "{uri}"}}}}}}"#
        ));
        write.job.state = state;
        store.put_job(write).await.unwrap()
    };
    let report = put("Report", "https://a.example", JobState::Enabled).await;
    let backup = put("backup", "https://b.example:8443", JobState::Enabled).await;
    put("reporter", "https://b.example:8443", JobState::Disabled(now())).await;
    put("other", "https://c.example", JobState::Completed).await;
    attempt(&*work_store, &report, 10, true, 70).await;
    attempt(&*work_store, &backup, 10, false, 70).await;
    let of =
        async |filter: JobFilter| names(&find(&*store, &[&collection], JobStart::Name(None), filter, (ALL, ALL)).await);
    let text = |text: &str| JobFilter { text: Some(text.to_owned()), ..JobFilter::default() };
    assert_eq!(of(text("report")).await, "Report reporter");
    assert_eq!(of(text("b.ex")).await, "backup reporter");
    assert_eq!(of(text("nothing")).await, "");
    let target = |target: &str| JobFilter { target: TargetPattern::parse(target).ok(), ..JobFilter::default() };
    assert_eq!(of(target("B.example:8443")).await, "backup reporter");
    assert_eq!(of(target("b.example")).await, "backup reporter");
    assert_eq!(of(target("b.example:443")).await, "");
    assert_eq!(of(target("https://a.example")).await, "Report");
    let state = |state| JobFilter { state: Some(state), ..JobFilter::default() };
    assert_eq!(of(state(State::Enabled)).await, "backup Report");
    assert_eq!(of(state(State::Disabled)).await, "reporter");
    assert_eq!(of(state(State::Completed)).await, "other");
    assert_eq!(of(JobFilter { text: Some("report".to_owned()), ..state(State::Disabled) }).await, "reporter");
    let outcome = |outcome| JobFilter { outcome: Some(outcome), ..JobFilter::default() };
    assert_eq!(of(outcome(RecentOutcome::Succeeded)).await, "Report");
    assert_eq!(of(outcome(RecentOutcome::Failed)).await, "backup");
    assert_eq!(of(outcome(RecentOutcome::NotRun)).await, "");
    assert_eq!(of(JobFilter { text: Some("report".to_owned()), ..outcome(RecentOutcome::Failed) }).await, "");
}

/// Reads all pages of an order, each of this many jobs.
async fn pages(store: &dyn Store, collections: &[&CollectionEntry], sort: JobSort, limit: usize) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let start = match (sort, after) {
            (JobSort::NextRun, Some(JobPlace::NextRun(key))) => JobStart::NextRun(Some(key)),
            (JobSort::FailingSince, Some(JobPlace::FailingSince(key))) => JobStart::FailingSince(Some(key)),
            (JobSort::NextRun, None) => JobStart::NextRun(None),
            (JobSort::FailingSince, None) => JobStart::FailingSince(None),
            (_, Some(other)) => panic!("{other:?} is a place in another order"),
        };
        let found = find(store, collections, start, JobFilter::default(), (limit, ALL)).await;
        let Some(last) = found.jobs.last() else { return seen };
        after = Some(last.place.clone());
        seen.push(names(&found));
    }
}

pub(crate) async fn by_next_run_and_then_those_without_one(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let [one, two] = two(&*store).await;
    for (collection, name, wakes) in
        [(&one, "late", 300), (&one, "soon", 100), (&two, "between", 200), (&two, "together", 200), (&one, "off", 50)]
    {
        let job = make_job(&*store, collection, name).await;
        attempt(&*work_store, &job, 10, true, wakes).await;
    }
    let off = crate::sample::find_job(&*store, &one, "off").await.unwrap();
    let mut disabled = crate::sample::edited(&one, &off);
    disabled.job.state = JobState::Disabled(at(20));
    store.put_job(disabled).await.unwrap();
    store.run_job(off.id, at(1), 10).await.unwrap();
    let both = [&one, &two];
    assert_eq!(pages(&*store, &both, JobSort::NextRun, 2).await.join(" "), {
        let all = pages(&*store, &both, JobSort::NextRun, ALL).await.join(" ");
        assert!(all == "soon between together late" || all == "soon together between late", "{all}");
        all
    });
    assert_eq!(pages(&*store, &[&one], JobSort::NextRun, 1).await, ["soon", "late"]);
    let without = JobFilter { without: Some(JobSort::NextRun), ..JobFilter::default() };
    let behind = find(&*store, &both, JobStart::Name(None), without.clone(), (ALL, ALL)).await;
    assert_eq!(names(&behind), "off");
    let stopped = punctual_store::CollectionWrite { stopped_at: Some(at(30)), ..edited_collection(&two) };
    store.put_collection(stopped).await.unwrap();
    assert_eq!(pages(&*store, &both, JobSort::NextRun, 1).await, ["soon", "late"]);
    let behind = find(&*store, &both, JobStart::Name(None), without, (ALL, ALL)).await;
    assert_eq!(names(&behind), "off between together");
}

pub(crate) async fn by_the_time_they_began_to_fail(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let [one, two] = two(&*store).await;
    for (collection, name, failures) in
        [(&one, "first", vec![10, 40]), (&two, "last", vec![30]), (&one, "second", vec![20]), (&two, "well", vec![])]
    {
        let job = make_job(&*store, collection, name).await;
        for seconds in failures {
            attempt(&*work_store, &job, seconds, false, 100).await;
        }
    }
    assert_eq!(pages(&*store, &[&one, &two], JobSort::FailingSince, 2).await, ["last second", "first"]);
    assert_eq!(pages(&*store, &[&one], JobSort::FailingSince, 1).await, ["second", "first"]);
    let without = JobFilter { without: Some(JobSort::FailingSince), ..JobFilter::default() };
    let behind = find(&*store, &[&one, &two], JobStart::Name(None), without, (ALL, ALL)).await;
    assert_eq!(names(&behind), "well");
}

pub(crate) async fn a_search_that_finds_little_stops(place: &dyn Place) {
    let store = place.open().await;
    let [one, two] = two(&*store).await;
    for (collection, name) in [(&one, "a"), (&one, "b"), (&two, "c"), (&two, "wanted")] {
        make_job(&*store, collection, name).await;
    }
    let filter = JobFilter { text: Some("wanted".to_owned()), ..JobFilter::default() };
    let found = find(&*store, &[&one, &two], JobStart::Name(None), filter.clone(), (ALL, 3)).await;
    assert_eq!((found.jobs.len(), found.looked_at), (0, 3));
    assert_eq!(found.stopped_at, Some(JobPlace::Name(two.id, crate::sample::name("c"))));
    let after = Some(crate::sample::name("c"));
    let found = find(&*store, &[&two], JobStart::Name(after), filter.clone(), (ALL, 3)).await;
    assert_eq!((names(&found), found.stopped_at), ("wanted".to_owned(), None));
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let found = find(&*store, &[&one, &two], JobStart::NextRun(after), filter.clone(), (ALL, 1)).await;
        seen.push(names(&found));
        let Some(JobPlace::NextRun(key)) = found.stopped_at else { break };
        after = Some(key);
    }
    seen.sort();
    assert_eq!(seen, ["", "", "", "", "wanted"], "four looks, and one that finds the end");
}
