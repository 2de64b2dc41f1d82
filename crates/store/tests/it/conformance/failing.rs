//! Which jobs fail, and how the last attempts of a job ended.

use punctual_model::failure::{Failure, FailureClass};
use punctual_model::health::{Health, RecentOutcome};
use punctual_model::history::{Record, Status};
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_store::{FailingJob, FailingPage, HistoryEntry, JobEntry, LatestPage, RowChange, Store, WorkStore};

use crate::engine::{apply, beside, change, go_on, record, work, write};
use crate::place::Place;
use crate::sample::{at, find_job, make_collection, make_job};

fn refused(code: u16) -> Failure {
    Failure::answered(FailureClass::Status, "example.com", code, "")
}

/// What is recorded of an attempt that started at that second.
fn attempted(job: &JobEntry, seconds: i64, failure: Option<Failure>) -> HistoryEntry {
    let entry = record(job.id, seconds);
    let status = if failure.is_some() { Status::Failed(at(seconds)) } else { Status::Completed(at(seconds)) };
    HistoryEntry { record: Record { status, failure, ..entry.record }, ..entry }
}

/// The schedule of a job makes an attempt at that second, and goes on.
async fn attempt(work_store: &dyn WorkStore, job: &JobEntry, seconds: i64, failure: Option<Failure>) {
    let entry = work(work_store, job.id).await;
    let mut change = go_on(&entry, seconds + 60);
    change.records = vec![attempted(job, seconds, failure)];
    apply(work_store, change).await;
}

async fn failing(store: &dyn Store) -> Vec<FailingJob> {
    store.failing_jobs(&FailingPage { after: None, limit: 100 }).await.unwrap()
}

async fn health(store: &dyn Store, collection: &punctual_store::CollectionEntry) -> Health {
    find_job(store, collection, "j").await.unwrap().health
}

pub(crate) async fn a_job_fails_until_an_attempt_of_it_succeeds(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, None).await;
    assert_eq!(failing(&*store).await, []);
    attempt(&*work_store, &job, 20, Some(refused(503))).await;
    attempt(&*work_store, &job, 30, Some(refused(500))).await;
    let [fails] = &failing(&*store).await[..] else { panic!("one job fails") };
    assert_eq!((fails.job, &*fails.path, fails.collection), (job.id, "s/g/c/j", collection.id));
    assert_eq!((fails.since, fails.count, fails.record.started()), (at(20), 2, at(30)));
    assert_eq!((&fails.failure, &*fails.target), (&refused(500), &*job.job.definition.action.target.label()));
    let record = store.record(job.id, fails.record).await.unwrap().unwrap();
    assert_eq!(record.entry.record.failure, Some(refused(500)));
    let stands = health(&*store, &collection).await;
    assert_eq!((stands.failures_in_a_row, stands.last_success), (2, Some(at(10))));
    attempt(&*work_store, &job, 40, None).await;
    assert_eq!(failing(&*store).await, []);
    let stands = health(&*store, &collection).await;
    assert_eq!((stands.failures_in_a_row, stands.last_success), (0, Some(at(40))));
}

pub(crate) async fn manual_runs_count_and_error_actions_do_not(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let settle = async |seconds, origin, phase, failure: Option<Failure>| {
        store.run_job(job.id, at(seconds), 10).await.unwrap();
        let run = beside(&*work_store, job.id).await.remove(0);
        let mut settle = change(&run, RowChange::Beside { occurrence: None, schedule: None });
        settle.counted.executions = 1;
        let entry = attempted(&job, seconds, failure);
        settle.records = vec![HistoryEntry { record: Record { origin, phase, ..entry.record }, ..entry }];
        apply(&*work_store, settle).await;
    };
    settle(10, Origin::Manual(1), Phase::Error, Some(refused(500))).await;
    settle(11, Origin::Test, Phase::Main, Some(refused(500))).await;
    assert_eq!((failing(&*store).await, health(&*store, &collection).await), (vec![], Health::default()));
    settle(12, Origin::Manual(1), Phase::Main, Some(refused(500))).await;
    assert_eq!(failing(&*store).await.len(), 1);
    assert_eq!(health(&*store, &collection).await.failures_in_a_row, 1);
    settle(13, Origin::Manual(1), Phase::Error, None).await;
    assert_eq!(failing(&*store).await.len(), 1, "the error action went well, the action did not");
    settle(14, Origin::Manual(1), Phase::Main, None).await;
    assert_eq!(failing(&*store).await, []);
    assert_eq!(health(&*store, &collection).await.last_success, Some(at(14)));
}

pub(crate) async fn the_latest_comes_first_page_by_page(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut jobs = Vec::new();
    for (name, seconds) in [("a", 30), ("b", 10), ("c", 20), ("d", 20)] {
        let job = make_job(&*store, &collection, name).await;
        attempt(&*work_store, &job, seconds, Some(refused(500))).await;
        jobs.push(job.id);
    }
    let (mut seen, mut after) = (Vec::new(), None);
    while let [one] = &store.failing_jobs(&FailingPage { after, limit: 1 }).await.unwrap()[..] {
        seen.push(one.job);
        after = Some(one.place());
    }
    assert_eq!(seen, [jobs[0], jobs[3], jobs[2], jobs[1]]);
}

pub(crate) async fn one_that_is_gone_does_not_fail(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, Some(refused(500))).await;
    store.delete_job(job.id, job.revision, crate::sample::by(at(15))).await.unwrap();
    assert_eq!(failing(&*store).await, []);
    // An attempt that was in flight ends after its job.
    write(&*work_store, Vec::new(), vec![attempted(&job, 20, Some(refused(500)))]).await;
    assert_eq!(failing(&*store).await, []);
}

pub(crate) async fn recent_outcomes_are_known(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, None).await;
    attempt(&*work_store, &job, 20, Some(refused(500))).await;
    let entry = work(&*work_store, job.id).await;
    let mut skipped = go_on(&entry, 100);
    skipped.records = vec![record(job.id, 30)];
    apply(&*work_store, skipped).await;
    let recent = async || health(&*store, &collection).await.recent.latest_first().collect::<Vec<_>>();
    let expected = [RecentOutcome::NotRun, RecentOutcome::Failed, RecentOutcome::Succeeded];
    assert_eq!(recent().await, expected);
    for seconds in 40..80 {
        attempt(&*work_store, &job, seconds, Some(refused(500))).await;
    }
    assert_eq!(recent().await, [RecentOutcome::Failed; 32]);
    // As many at once as are known of take the places of all others.
    let mut many = go_on(&work(&*work_store, job.id).await, 200);
    many.records = (100..131).map(|seconds| record(job.id, seconds)).collect();
    many.records.push(attempted(&job, 131, None));
    apply(&*work_store, many).await;
    let recent = recent().await;
    assert_eq!((recent[0], &recent[1..]), (RecentOutcome::Succeeded, &[RecentOutcome::NotRun; 31][..]));
}

pub(crate) async fn what_came_of_all_jobs_is_listed_latest_first(place: &dyn Place) {
    const DAY: i64 = 24 * 60 * 60;
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let (one, other) = (make_job(&*store, &collection, "one").await, make_job(&*store, &collection, "other").await);
    for day in 1..4 {
        attempt(&*work_store, &one, day * DAY, None).await;
        attempt(&*work_store, &other, day * DAY + 1, Some(refused(500))).await;
    }
    let all = async |only_trouble, started_from| {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = LatestPage { only_trouble, started_from, after, limit: 2 };
            let read = store.latest_records(&page).await.unwrap();
            let Some(last) = read.last() else { return seen };
            after = Some(last.item.key);
            seen.extend(
                read.iter().map(|record| (record.path.clone().unwrap().to_string(), record.item.key.started())),
            );
        }
    };
    let listed = |path: &str, seconds| (path.to_owned(), at(seconds));
    let (a, b) = ("s/g/c/one", "s/g/c/other");
    let expected = [3, 2, 1].map(|day| [listed(b, day * DAY + 1), listed(a, day * DAY)]).concat();
    assert_eq!(all(false, None).await, expected);
    assert_eq!(all(true, None).await, [3, 2, 1].map(|day| listed(b, day * DAY + 1)));
    assert_eq!(all(true, Some(at(3 * DAY))).await, [listed(b, 3 * DAY + 1)]);
}

pub(crate) async fn an_error_action_knows_why_the_action_failed(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let step = async |phase, attempt, entry: HistoryEntry| {
        let row = work(&*work_store, job.id).await;
        let mut next = go_on(&row, 100);
        let RowChange::Schedule { progress, .. } = &mut next.row else { panic!("not the schedule") };
        progress.open = progress.open.map(|open| Occurrence { phase, attempt, ..open });
        next.records = vec![entry];
        apply(&*work_store, next).await;
        work(&*work_store, job.id).await.failure.map(|failure| *failure)
    };
    assert_eq!(step(Phase::Main, 1, attempted(&job, 10, Some(refused(500)))).await, None);
    assert_eq!(step(Phase::Error, 0, attempted(&job, 11, Some(refused(503)))).await, Some(refused(503)));
    let entry = attempted(&job, 12, Some(refused(404)));
    let of_error_action = HistoryEntry { record: Record { phase: Phase::Error, ..entry.record }, ..entry };
    assert_eq!(step(Phase::Error, 1, of_error_action.clone()).await, Some(refused(503)));
    assert_eq!(step(Phase::Main, 0, of_error_action).await, None);
}
