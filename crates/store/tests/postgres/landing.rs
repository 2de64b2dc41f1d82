//! Batches whose commits are late, and connections that are lost.

use punctual_store::{Batch, BatchOutcome, NodeId, Store, WorkStore, Written};

use crate::engine::{go_on, next_batch, record, work};
use crate::sample::{all_history, make_collection, make_job};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_will_be_written_is_not() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let job = make_job(&*node, &collection, "j").await;
    let before = work(&*node, job.id).await;
    let mut change = go_on(&before, 500);
    change.records = vec![record(job.id, 1)];
    let batch = Batch { node: NodeId::ONLY, id: next_batch(), changes: vec![change], notes: Vec::new() };
    assert!(!node.has_landed(NodeId::ONLY, batch.id).await.unwrap());
    assert!(matches!(node.write_work(batch.clone()).await, BatchOutcome::NotWritten(_)));
    assert!(!node.has_landed(NodeId::ONLY, batch.id).await.unwrap());
    assert_eq!(work(&*node, job.id).await, before);
    assert!(all_history(&*node, job.id).await.is_empty());
    // Another process has batches of its own, whatever their numbers.
    let other = schema.node().await;
    assert!(matches!(other.write_work(batch).await, BatchOutcome::Written(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_waits_for_a_commit_that_is_on_its_way() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let job = make_job(&*node, &collection, "j").await;
    let batch = Batch {
        node: NodeId::ONLY,
        id: next_batch(),
        changes: vec![go_on(&work(&*node, job.id).await, 500)],
        notes: Vec::new(),
    };
    // Somebody holds the row: the batch has its number, and waits.
    let client = schema.connect().await;
    client.batch_execute(&format!("begin; select 1 from work where id = {} for update", job.id.0)).await.unwrap();
    let (id, writer) = (batch.id, node.clone());
    let writing = tokio::spawn(async move { writer.write_work(batch).await });
    let watcher = schema.connect().await;
    let is_held = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update work%'
        and application_name = current_schema()";
    while watcher.query(is_held, &[]).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let asker = node.clone();
    let asking = tokio::spawn(async move { asker.has_landed(NodeId::ONLY, id).await });
    let is_held = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into landed%'
        and application_name = current_schema()";
    while watcher.query(is_held, &[]).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    client.batch_execute("commit").await.unwrap();
    let BatchOutcome::Written(written) = writing.await.unwrap() else { panic!("it was not written") };
    assert!(matches!(written[..], [Written::Applied { .. }]));
    assert!(asking.await.unwrap().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_all_connections_were_cut_it_goes_on() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    for number in 0..10 {
        schema.cut_connections().await;
        // A transaction that was not committed is begun again; a read that met the end of its connection is an error.
        make_job(&*node, &collection, &number.to_string()).await;
        schema.cut_connections().await;
        let mut errors = 0;
        while node.collection(&collection.key).await.is_err() {
            errors += 1;
            assert!(errors < 20, "it does not go on");
        }
    }
    assert_eq!(node.collection(&collection.key).await.unwrap().unwrap().jobs, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_under_way_when_its_connection_is_cut_is_done_again() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let job = make_job(&*node, &collection, "j").await;
    let client = schema.connect().await;
    client.batch_execute(&format!("begin; select 1 from work where id = {} for update", job.id.0)).await.unwrap();
    let (writer, entry) = (node.clone(), work(&*node, job.id).await);
    let batch = Batch { node: NodeId::ONLY, id: next_batch(), changes: vec![go_on(&entry, 500)], notes: Vec::new() };
    let writing = tokio::spawn(async move { writer.write_work(batch).await });
    let watcher = schema.connect().await;
    let is_held = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update work%'
        and application_name = current_schema()";
    while watcher.query(is_held, &[]).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    schema.cut_connections().await;
    client.batch_execute("commit").await.unwrap();
    let BatchOutcome::Written(written) = writing.await.unwrap() else { panic!("it was not written") };
    assert!(matches!(written[..], [Written::Applied { .. }]), "{written:?}");
}
