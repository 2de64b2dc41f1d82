//! Whether a batch was written, asked by an engine that does not know.

use std::pin::pin;
use std::task::{Context, Waker};

use punctual_model::time::Timestamp;
use punctual_store::{Batch, BatchId, BatchOutcome, NodeId, WorkChange, WorkStore, Written};

use crate::engine::{apply, go_on, next_batch, progress, record, work};
use crate::place::Place;
use crate::sample::{all_history, at, make_collection, make_job};

fn batch(id: u64, changes: Vec<WorkChange>) -> Batch {
    Batch { node: NodeId::ONLY, id: BatchId(id), changes, notes: Vec::new() }
}

async fn has_landed(work_store: &dyn WorkStore, id: u64) -> bool {
    work_store.has_landed(NodeId::ONLY, BatchId(id)).await.unwrap()
}

pub(crate) async fn what_was_written_has_landed(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    // An answer is final, so it is not asked for a batch that is still to come.
    assert!(!has_landed(&*work_store, 5).await);
    let entry = work(&*work_store, job.id).await;
    let written = work_store.write_work(batch(7, vec![go_on(&entry, 500)])).await;
    assert!(matches!(written, BatchOutcome::Written(_)));
    // A batch none of whose changes applied was written as well.
    let stale = work_store.write_work(batch(9, vec![go_on(&entry, 600)])).await;
    assert!(matches!(stale, BatchOutcome::Written(written) if written == [Written::Stale]));
    for (id, landed) in [(6, false), (7, true), (8, false), (9, true), (10, false)] {
        assert_eq!(has_landed(&*work_store, id).await, landed, "{id}");
    }
}

/// The caller goes away when it has sent the batch, or before.
pub(crate) async fn the_answer_is_final(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    for round in 1..50 {
        let BatchId(id) = next_batch();
        let entry = work(&*work_store, job.id).await;
        let seconds = 1000 + round;
        let mut change = go_on(&entry, seconds);
        change.records = vec![record(job.id, seconds)];
        {
            let write = pin!(work_store.write_work(batch(id, vec![change])));
            if round % 3 > 0 {
                let _ = write.poll(&mut Context::from_waker(Waker::noop()));
            }
        }
        let landed = has_landed(&*work_store, id).await;
        let wakes: Option<Timestamp> = progress(&work(&*work_store, job.id).await).open.map(|open| open.wake_at);
        assert_eq!(landed, wakes == Some(at(seconds)), "{id}");
        assert_eq!(
            all_history(&*store, job.id).await[..].first().is_some_and(|it| it.entry.record.started == at(seconds)),
            landed
        );
        // What is decided after the answer is not overtaken by the batch.
        apply(&*work_store, go_on(&work(&*work_store, job.id).await, 5000)).await;
        assert_eq!(progress(&work(&*work_store, job.id).await).open.map(|open| open.wake_at), Some(at(5000)), "{id}");
    }
}
