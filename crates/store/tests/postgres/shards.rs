//! Rows are told apart by their shards.

use punctual_store::{DuePage, JobSource, NodeId, RowKind, RowPage, Shards, Store, WorkStore};

use crate::engine::{ALL_DUE, all_due};
use crate::sample::{at, make_collection, make_jobs, new_job, uid};

fn halves() -> [Shards; 2] {
    [(0..128).collect(), (128..=255).collect()]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_row_is_in_one_of_two_halves() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let store: std::sync::Arc<dyn Store> = node.clone();
    make_jobs(&store, &collection, 5).await;
    for number in 0..40_u128 {
        let mut write = new_job(&collection, &format!("job {number}"));
        write.source = JobSource::New { uid: uid(number << 64), jobs_max: None };
        let job = node.put_job(write).await.unwrap();
        node.run_job(job.id, at(5), 1).await.unwrap();
    }
    let all = all_due(&*node).await;
    let mut found = Vec::new();
    for shards in halves() {
        let due = node.due(DuePage { shards, ..ALL_DUE }).await.unwrap();
        assert!(due.len() > 10 && due.is_sorted(), "{}", due.len());
        // What runs beside a schedule is in the shard of its job.
        let of_job = |id| due.iter().filter(|key| key.job == id).count();
        assert!(due.iter().filter(|key| key.id.0 > key.job.0).all(|key| of_job(key.job) == 2));
        let page = RowPage { shards, kind: RowKind::Begun, now: at(2_000_000_000), after: None, limit: 1000 };
        assert_eq!(node.rows(page).await.unwrap().len(), due.len());
        found.extend(due);
    }
    found.sort_unstable();
    assert_eq!(found, all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_of_a_dead_node_is_taken_over() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let store: std::sync::Arc<dyn Store> = node.clone();
    make_jobs(&store, &collection, 60).await;
    let dead = NodeId::ONLY;
    node.set_watermark(dead, at(2_000_000_000)).await.unwrap();
    let mut marked = 0;
    for shards in halves() {
        marked += node.take_over(dead, shards).await.unwrap();
    }
    assert_eq!(marked, 60, "the watermark is kept for the other half");
    assert_eq!(node.take_over(dead, Shards::ALL).await.unwrap(), 60);
    assert_eq!(node.take_over(dead, Shards::ALL).await.unwrap(), 0);
}
