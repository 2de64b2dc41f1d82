//! What a process that died may have sent.

use punctual_store::{NodeId, PauseEntry, RowChange, Shards, WorkChange, WorkStore, Written};

use crate::engine::{apply, go_on, make_calling, read, waking, work, write};
use crate::place::Place;
use crate::sample::{at, edited, find_job, make_collection};

async fn resends(work_store: &dyn WorkStore) -> Vec<u32> {
    let ids = crate::engine::all_due(work_store).await.iter().map(|key| key.id).collect();
    let mut entries = read(work_store, ids).await;
    entries.sort_by_key(|entry| entry.id);
    entries.iter().map(|entry| entry.resends).collect()
}

pub(crate) async fn nothing_is_marked_without_a_watermark(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
    assert_eq!(resends(&*work_store).await, [0]);
}

pub(crate) async fn what_woke_up_to_the_watermark_is_marked(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (name, wake_at) in [("1", 5), ("2", 6), ("3", 7)] {
        make_calling(&*store, &collection, name, ("h", "e"), wake_at).await;
    }
    let job = find_job(&*store, &collection, "3").await.unwrap();
    store.run_job(job.id, at(4), 1).await.unwrap();
    work_store.set_watermark(NodeId::ONLY, at(6)).await.unwrap();
    drop((store, work_store));
    let (_, work_store) = place.open_both().await;
    assert_eq!(resends(&*work_store).await, [0; 4]);
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 3);
    assert_eq!(resends(&*work_store).await, [1, 1, 0, 1]);
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
    drop(work_store);
    let (_, work_store) = place.open_both().await;
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 2);
    assert_eq!(resends(&*work_store).await, [1, 1, 0, 1], "a mark is a mark");
}

pub(crate) async fn what_waits_in_a_pause_was_not_sent(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (name, wake_at) in [("1", 5), ("2", 15), ("3", 16), ("4", 100)] {
        make_calling(&*store, &collection, name, ("h", "e"), wake_at).await;
    }
    // The engine hears of a pause a moment after it began: until then it starts what the watermark of that time covers.
    work_store.set_watermark(NodeId::ONLY, at(15)).await.unwrap();
    let pause = PauseEntry::begin("ada".to_owned(), String::new(), at(10));
    store.pause(pause.clone()).await.unwrap();
    store.pause(pause).await.unwrap();
    work_store.set_watermark(NodeId::ONLY, at(50)).await.unwrap();
    drop((store, work_store));
    let (store, work_store) = place.open_both().await;
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 2);
    assert_eq!(resends(&*work_store).await, [1, 1, 0, 0]);
    // The next process has sent messages, and no job.
    work_store.set_watermark(NodeId::ONLY, at(60)).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
    store.resume("ada".to_owned(), at(70)).await.unwrap();
    work_store.set_watermark(NodeId::ONLY, at(80)).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 3);
    assert_eq!(resends(&*work_store).await, [1, 1, 1, 0]);
}

pub(crate) async fn what_a_pause_before_the_takeover_holds_may_have_been_sent_before_it(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_calling(&*store, &collection, "1", ("h", "e"), 5).await;
    // The process has died, and the next one is started in a pause that begins long after.
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    store.pause(PauseEntry::begin_at_start("ada".to_owned(), String::new(), at(1000))).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 1);
    assert_eq!(resends(&*work_store).await, [1]);
    // After a clean end nothing is left of what was covered.
    work_store.set_watermark(NodeId::ONLY, at(1010)).await.unwrap();
    work_store.forget_watermark(NodeId::ONLY).await.unwrap();
    make_calling(&*store, &collection, "2", ("h", "e"), 4).await;
    work_store.set_watermark(NodeId::ONLY, at(1020)).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
}

pub(crate) async fn what_is_sent_again_is_counted(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap();
    let entry = work(&*work_store, job.id).await;
    let resent = WorkChange { row: RowChange::Resent, ..go_on(&entry, 65) };
    apply(&*work_store, resent.clone()).await;
    let again = work(&*work_store, job.id).await;
    assert_eq!((again.resends, again.open), (2, entry.open), "nothing else has changed");
    assert_eq!(write(&*work_store, vec![resent], vec![]).await, [Written::Stale]);
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap();
    assert_eq!(resends(&*work_store).await, [2], "it is marked already");
}

pub(crate) async fn after_a_clean_end_nothing_is_marked(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.forget_watermark(NodeId::ONLY).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
}

pub(crate) async fn the_watermark_does_not_go_back(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.set_watermark(NodeId::ONLY, at(4)).await.unwrap();
    assert_eq!(work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 1);
}

pub(crate) async fn a_settlement_begins_anew(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap();
    let entry = work(&*work_store, job.id).await;
    assert_eq!(entry.resends, 1);
    apply(&*work_store, go_on(&entry, 65)).await;
    assert_eq!(resends(&*work_store).await, [0]);
}

pub(crate) async fn an_edit_keeps_the_mark_of_the_same_attempt(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_calling(&*store, &collection, "j", ("h", "e"), 5).await;
    work_store.set_watermark(NodeId::ONLY, at(5)).await.unwrap();
    work_store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap();
    let job = find_job(&*store, &collection, "j").await.unwrap();
    let job = store.put_job(edited(&collection, &job)).await.unwrap();
    assert_eq!(resends(&*work_store).await, [1]);
    let mut write = edited(&collection, &job);
    write.job.progress.open = Some(waking(6));
    store.put_job(write).await.unwrap();
    assert_eq!(resends(&*work_store).await, [0]);
}
