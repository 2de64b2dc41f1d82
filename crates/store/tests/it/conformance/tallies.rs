//! Counts of outcomes by minute and collection.

use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{Reason, Record, Status};
use punctual_model::occurrence::Phase;
use punctual_model::tally::{Minute, Tally};
use punctual_store::{
    CollectionEntry, CollectionId, Error, HistoryEntry, JobEntry, Store, TallyEntry, TallyPage, WorkChange, WorkStore,
    Written,
};

use crate::engine::{go_on, record, work, write};
use crate::place::Place;
use crate::sample::{at, by, edited, find_job, make_collection, make_job, not_run, now};

/// All counts there are.
pub(crate) const EVERY: TallyPage =
    TallyPage { collections: None, from: Minute(i64::MIN), until: Minute(i64::MAX), after: None, limit: 10_000 };

const NONE: Tally = Tally { succeeded: 0, failed: 0, not_run: 0, given_up: 0 };
const SUCCESS: Tally = Tally { succeeded: 1, ..NONE };

async fn read(store: &dyn Store, page: &TallyPage) -> Vec<(i64, CollectionId, Tally)> {
    let entries = store.tallies(page).await.unwrap();
    entries.into_iter().map(|TallyEntry { minute, collection, tally }| (minute.0, collection, tally)).collect()
}

/// The record of an attempt of a job that ended at that second.
fn ended(job: &JobEntry, seconds: i64, status: Status, retry_at: Option<i64>) -> HistoryEntry {
    let entry = record(job.id, seconds);
    let failure = matches!(status, Status::Failed(_)).then(|| Failure::new(FailureClass::Connection, "h", ""));
    let record = Record { status, failure, retry_at: retry_at.map(at), started: at(seconds - 1), ..entry.record };
    HistoryEntry { record, ..entry }
}

fn succeeded(job: &JobEntry, seconds: i64) -> HistoryEntry {
    ended(job, seconds, Status::Completed(at(seconds)), None)
}

/// What is settled of a job with these records.
async fn settled(work_store: &dyn WorkStore, job: &JobEntry, records: Vec<HistoryEntry>) -> WorkChange {
    WorkChange { records, ..go_on(&work(work_store, job.id).await, 500) }
}

async fn settle(work_store: &dyn WorkStore, job: &JobEntry, records: Vec<HistoryEntry>) {
    let change = settled(work_store, job, records).await;
    assert!(matches!(write(work_store, vec![change], Vec::new()).await[..], [Written::Applied { .. }]));
}

async fn make(store: &dyn Store, path: &str) -> (CollectionEntry, JobEntry) {
    let collection = make_collection(store, path).await;
    let job = make_job(store, &collection, "j").await;
    (collection, job)
}

pub(crate) async fn outcomes_are_counted_by_minute_and_collection(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let ((one, a), (other, b)) = (make(&*store, "s/g/one").await, make(&*store, "s/g/other").await);
    let failed = Status::Failed(at(0));
    let of_a = vec![
        succeeded(&a, 59),
        // The minute is that in which an attempt ended, not that in which it started.
        succeeded(&a, 60),
        ended(&a, 61, failed, Some(90)),
        ended(&a, 62, failed, None),
        HistoryEntry { record: not_run(63, 7, Reason::Missed), ..record(a.id, 63) },
    ];
    let changes = vec![
        settled(&*work_store, &a, of_a).await,
        settled(&*work_store, &b, vec![succeeded(&b, 119), succeeded(&b, 119)]).await,
    ];
    write(&*work_store, changes, Vec::new()).await;
    // A later batch adds to what is there.
    settle(&*work_store, &a, vec![succeeded(&a, 119)]).await;
    let counted = [
        (0, one.id, SUCCESS),
        (1, one.id, Tally { succeeded: 2, failed: 1, not_run: 7, given_up: 1 }),
        (1, other.id, Tally { succeeded: 2, ..NONE }),
    ];
    assert_eq!(read(&*store, &EVERY).await, counted);
    let of_error_action = succeeded(&a, 200);
    let record = Record { phase: Phase::Error, ..of_error_action.record.clone() };
    settle(&*work_store, &a, vec![HistoryEntry { record, ..of_error_action }]).await;
    assert_eq!(read(&*store, &EVERY).await, counted);
}

pub(crate) async fn what_is_not_written_is_not_counted(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (collection, job) = make(&*store, "s/g/c").await;
    let change = settled(&*work_store, &job, vec![succeeded(&job, 1)]).await;
    let duplicate = HistoryEntry { is_duplicate: true, ..succeeded(&job, 2) };
    for expected in [false, true] {
        let written = write(&*work_store, vec![change.clone()], vec![duplicate.clone()]).await;
        assert_eq!(written == [Written::Stale], expected);
        assert_eq!(read(&*store, &EVERY).await, [(0, collection.id, SUCCESS)]);
    }
    let mut stale = edited(&collection, &job);
    stale.not_run = vec![not_run(1, 1, Reason::Missed)];
    assert!(matches!(store.put_job(stale).await, Err(Error::Stale)));
    assert_eq!(read(&*store, &EVERY).await, [(0, collection.id, SUCCESS)]);
}

pub(crate) async fn an_edit_counts_what_it_does_not_run(place: &dyn Place) {
    let store = place.open().await;
    let (collection, job) = make(&*store, "s/g/c").await;
    let mut write = edited(&collection, &job);
    write.not_run = vec![not_run(100, 3, Reason::Disabled), not_run(110, 4, Reason::Missed)];
    store.put_job(write).await.unwrap();
    assert_eq!(read(&*store, &EVERY).await, [(1, collection.id, Tally { not_run: 7, ..NONE })]);
}

pub(crate) async fn some_collections_are_asked_for(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let mut ids = Vec::new();
    for number in 0..4 {
        let (collection, job) = make(&*store, &format!("s/g/{number}")).await;
        settle(&*work_store, &job, vec![succeeded(&job, 1), succeeded(&job, 61)]).await;
        ids.push(collection.id);
    }
    let asked = async |asked: &[CollectionId]| {
        let found = read(&*store, &TallyPage { collections: Some(asked.to_vec()), ..EVERY }).await;
        found.into_iter().map(|(minute, id, _)| (minute, id)).collect::<Vec<_>>()
    };
    assert_eq!(asked(&[]).await, []);
    assert_eq!(asked(&[CollectionId(99)]).await, []);
    let (one, three) = (ids[1], ids[3]);
    assert_eq!(asked(&[three, one, three]).await, [(0, one), (0, three), (1, one), (1, three)]);
}

pub(crate) async fn every_page_is_a_part_of_the_whole(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let mut ids = Vec::new();
    for number in 0..3 {
        let (collection, job) = make(&*store, &format!("s/g/{number}")).await;
        settle(&*work_store, &job, (0..5).map(|minute| succeeded(&job, 60 * minute)).collect()).await;
        ids.push(collection.id);
    }
    let span = TallyPage { from: Minute(1), until: Minute(4), ..EVERY };
    for collections in [None, Some(ids.clone())] {
        let all = store.tallies(&TallyPage { collections: collections.clone(), ..span.clone() }).await.unwrap();
        let places = [1, 2, 3].map(|minute| ids.iter().map(move |id| (Minute(minute), *id))).into_iter().flatten();
        assert_eq!(all.iter().map(TallyEntry::place).collect::<Vec<_>>(), places.collect::<Vec<_>>());
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let page = TallyPage { collections: collections.clone(), after, limit: 2, ..span.clone() };
            let part = store.tallies(&page).await.unwrap();
            after = part.last().map(TallyEntry::place);
            assert!(part.len() <= 2);
            paged.extend(part);
            if after.is_none() {
                break;
            }
        }
        assert_eq!(paged, all);
    }
}

pub(crate) async fn old_ones_are_forgotten(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (collection, job) = make(&*store, "s/g/c").await;
    assert_eq!(work_store.oldest().await.unwrap().tally, None);
    settle(&*work_store, &job, (2..7).map(|minute| succeeded(&job, 60 * minute)).collect()).await;
    assert_eq!(work_store.oldest().await.unwrap().tally, Some(at(120)));
    // The minute in which the instant lies is kept.
    assert_eq!(work_store.forget_tallies(at(5 * 60 + 59), 2).await.unwrap(), 2);
    assert_eq!(work_store.oldest().await.unwrap().tally, Some(at(240)));
    assert_eq!(work_store.forget_tallies(at(5 * 60 + 59), 2).await.unwrap(), 1);
    assert_eq!(work_store.forget_tallies(at(5 * 60 + 59), 2).await.unwrap(), 0);
    assert_eq!(read(&*store, &EVERY).await, [(5, collection.id, SUCCESS), (6, collection.id, SUCCESS)]);
}

pub(crate) async fn they_go_with_their_collection(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let ((gone, a), (kept, b)) = (make(&*store, "s/g/gone").await, make(&*store, "s/g/kept").await);
    settle(&*work_store, &a, vec![succeeded(&a, 1)]).await;
    settle(&*work_store, &b, vec![succeeded(&b, 1)]).await;
    // A job that goes leaves what it has done.
    let entry = find_job(&*store, &kept, "j").await.unwrap();
    store.delete_job(b.id, entry.revision, by(now())).await.unwrap();
    store.delete_collection(gone.id, gone.revision, by(now())).await.unwrap();
    assert_eq!(read(&*store, &EVERY).await, [(0, kept.id, SUCCESS)]);
    let of_gone = TallyPage { collections: Some(vec![gone.id]), ..EVERY };
    assert_eq!(read(&*store, &of_gone).await, []);
}

pub(crate) async fn they_are_swept_bit_by_bit(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (gone, job) = make(&*store, "s/g/gone").await;
    settle(&*work_store, &job, (0..12_000).map(|minute| succeeded(&job, 60 * minute)).collect()).await;
    store.delete_collection(gone.id, gone.revision, by(now())).await.unwrap();
    assert_eq!(read(&*store, &EVERY).await, []);
    let mut sweeps = 0;
    while store.sweep().await.unwrap() {
        sweeps += 1;
    }
    assert!((2..10).contains(&sweeps), "swept in {sweeps} pieces");
    assert_eq!(work_store.oldest().await.unwrap().tally, None);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (collection, job) = make(&*store, "s/g/c").await;
    settle(&*work_store, &job, vec![succeeded(&job, 1)]).await;
    drop((store, work_store));
    let (store, work_store) = place.open_both().await;
    settle(&*work_store, &job, vec![succeeded(&job, 2)]).await;
    assert_eq!(read(&*store, &EVERY).await, [(0, collection.id, Tally { succeeded: 2, ..NONE })]);
}

pub(crate) async fn the_largest_range_is_counted(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (_, job) = make(&*store, "s/g/c").await;
    let range = HistoryEntry { record: not_run(1, u64::MAX / 2, Reason::Missed), ..record(job.id, 1) };
    for _ in 0..3 {
        settle(&*work_store, &job, vec![range.clone(), range.clone()]).await;
    }
    let counted = Tally { not_run: 6 * u64::from(u32::MAX), ..NONE };
    assert_eq!(read(&*store, &EVERY).await[0].2, counted);
}

pub(crate) async fn those_of_the_servers_own_jobs_are_not_there(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let (_, job) = make(&*store, "s/g/c").await;
    let change = settled(&*work_store, &job, vec![succeeded(&job, 1)]).await;
    let of_server = WorkChange { collection: CollectionId::SERVER, ..change };
    write(&*work_store, vec![of_server], Vec::new()).await;
    assert_eq!(work_store.oldest().await.unwrap().tally, None);
    assert_eq!(read(&*store, &EVERY).await, []);
}
