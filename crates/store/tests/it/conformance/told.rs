//! What those who watch are told.

use punctual_model::event::EventKind;
use punctual_store::{Error, EventPlace, HistoryBounds, Revision, Store, Told, WorkStore};

use crate::engine::{record, write};
use crate::place::Place;
use crate::sample::{at, by, edited, make_collection, make_job};

const DAY: i64 = 86_400;

/// An event as a line: what, of which job or collection, and when.
fn line((_, event): &Told) -> String {
    let what = match &event.kind {
        EventKind::Edited(edit) => edit.name(),
        kind => kind.name(),
    };
    format!("{what} {} {}", event.path.as_deref().unwrap(), event.at.ticks() / 10_000_000 % 1_000_000)
}

/// All that the store tells after a place, so many at a time.
async fn all(store: &dyn Store, mut after: EventPlace, limit: usize) -> Vec<Told> {
    let (_, until) = store.events().watch();
    let mut told = Vec::new();
    while after != until {
        let page = store.told(after, until, limit).await.unwrap();
        assert!(page.events.len() <= limit && !page.has_gap);
        told.extend(page.events);
        after = page.reached;
    }
    told
}

/// Writes some things, and returns what was told meanwhile.
async fn write_some(store: &dyn Store, work_store: &dyn WorkStore) -> Vec<Told> {
    let (mut watcher, _) = store.events().watch();
    let collection = make_collection(store, "s/g/C").await;
    let job = make_job(store, &collection, "Job").await;
    let other = make_job(store, &collection, "other").await;
    write(work_store, Vec::new(), vec![record(other.id, DAY + 5), record(job.id, DAY + 7), record(job.id, 6)]).await;
    store.put_job(edited(&collection, &job)).await.unwrap();
    write(work_store, Vec::new(), vec![record(job.id, DAY + 8)]).await;
    watcher.take(100).unwrap()
}

pub(crate) async fn what_is_written_is_told(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let told = write_some(&*store, &*work_store).await;
    let lines: Vec<_> = told.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "created s/g/C 0",
            "created s/g/C/Job 0",
            "created s/g/C/other 0",
            "skipped s/g/C/Job 6",
            "skipped s/g/C/Job 86407",
            "skipped s/g/C/other 86405",
            "changed s/g/C/Job 0",
            "skipped s/g/C/Job 86408",
        ]
    );
    assert!(told.windows(2).all(|pair| pair[0].0.is_before(pair[1].0) && pair[0].0 != pair[1].0), "each has a place");
}

pub(crate) async fn what_was_told_is_told_again_after_closing(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let live = write_some(&*store, &*work_store).await;
    drop((store, work_store));
    let store = place.open().await;
    // The order between history and changes is that of their times; each of them is in its own order.
    let sorted = |told: &[Told]| {
        let mut lines: Vec<_> = told.iter().map(line).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&all(&*store, EventPlace::default(), 100).await), sorted(&live));
    for (seen, (place, _)) in live.iter().enumerate() {
        let rest = all(&*store, *place, 100).await;
        assert_eq!(sorted(&rest), sorted(&live[seen + 1..]), "{place}");
    }
    let (_, end) = store.events().watch();
    assert_eq!(all(&*store, end, 100).await, []);
}

pub(crate) async fn pages_miss_nothing(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    write_some(&*store, &*work_store).await;
    let whole = all(&*store, EventPlace::default(), 100).await;
    for limit in 1..9 {
        assert_eq!(all(&*store, EventPlace::default(), limit).await, whole, "{limit}");
    }
    for (seen, (place, _)) in whole.iter().enumerate() {
        assert_eq!(all(&*store, *place, 2).await, whole[seen + 1..], "{place}");
    }
}

pub(crate) async fn what_is_not_written_is_not_told(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let (mut watcher, before) = store.events().watch();
    let mut stale = edited(&collection, &job);
    stale.collection.1 = Revision(7);
    assert!(matches!(store.put_job(stale).await, Err(Error::Stale)));
    assert_eq!(watcher.take(9), Some(Vec::new()));
    // What came of a job that is gone is listed nowhere.
    store.delete_job(job.id, job.revision, by(at(3))).await.unwrap();
    write(&*work_store, Vec::new(), vec![record(job.id, 6)]).await;
    let told = watcher.take(9).unwrap();
    assert_eq!(told.iter().map(line).collect::<Vec<_>>(), ["deleted s/g/c/j 3"]);
    assert_eq!(all(&*store, before, 9).await, told);
}

pub(crate) async fn what_was_dropped_is_a_gap(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let (_, first) = store.events().watch();
    let mut places = vec![first];
    for day in 1..5 {
        write(&*work_store, Vec::new(), vec![record(job.id, day * DAY)]).await;
        places.push(store.events().watch().1);
    }
    work_store.drop_history(&HistoryBounds::of_age(at(3 * DAY))).await.unwrap();
    let mut gaps = Vec::new();
    for place in &places {
        gaps.push(store.told(*place, places[4], 9).await.unwrap().has_gap);
    }
    assert_eq!(gaps, [true, true, false, false, false]);
}
