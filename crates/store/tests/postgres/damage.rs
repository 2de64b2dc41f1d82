//! What cannot be read or written, beside what can.

use punctual_store::{Batch, BatchOutcome, Error, JobId, NodeId, WorkStore, Written};

use crate::engine::{go_on, next_batch, record, work};
use crate::sample::{all_history, job_names, make_collection, make_job};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_cannot_be_read_is_an_entry_of_its_own() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let mut jobs = Vec::new();
    for name in ["a", "b", "c"] {
        jobs.push(make_job(&*node, &collection, name).await.id);
    }
    let damaged = jobs[1];
    schema.run("update job set schedule = 'nonsense' where name = 'b'").await;
    let read = node.definitions(jobs.clone()).await.unwrap();
    assert_eq!((read.len(), read.iter().filter(|read| read.is_ok()).count()), (3, 2));
    let Some(Err((id, Error::Corrupt(_)))) = read.iter().find(|read| read.is_err()) else { panic!("{read:?}") };
    assert_eq!(*id, damaged);
    assert_eq!(job_names(&*node, &collection).await, ["a", "c"]);
    assert_eq!(node.damaged(), 1);
    schema.run(&format!("update work set phase = 7 where id = {}", damaged.0)).await;
    let read = node.work(jobs.iter().map(|job| (*job).into()).collect()).await.unwrap();
    assert_eq!((read.len(), read.iter().filter(|read| read.is_ok()).count()), (3, 2));
    assert_eq!(node.due_of(jobs).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_is_refused_keeps_no_other_from_being_written() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let mut changes = Vec::new();
    for (name, seconds) in [("a", 500), ("b", 13), ("c", 700)] {
        let job = make_job(&*node, &collection, name).await;
        let mut change = go_on(&work(&*node, job.id).await, seconds);
        change.records = vec![record(job.id, 1)];
        changes.push(change);
    }
    let jobs: Vec<JobId> = changes.iter().map(|change| change.job).collect();
    schema.run("alter table work add constraint no_thirteen check (wake_at <> 130000000)").await;
    let batch = Batch { node: NodeId::ONLY, id: next_batch(), changes, notes: Vec::new() };
    let BatchOutcome::Written(written) = node.write_work(batch).await else { panic!("it was not written") };
    assert!(
        matches!(&written[..], [Written::Applied { .. }, Written::Refused(_), Written::Applied { .. }]),
        "{written:?}"
    );
    let mut records = Vec::new();
    for job in jobs {
        records.push(all_history(&*node, job).await.len());
    }
    assert_eq!(records, [1, 0, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_with_the_character_0_is_written_without_it() {
    let schema = schema!();
    let node = schema.node().await;
    let collection = make_collection(&*node, "s/g/c").await;
    let job = make_job(&*node, &collection, "j").await;
    let mut answered = record(job.id, 1);
    answered.record.message = "a\0b".to_owned();
    crate::engine::write(&*node, Vec::new(), vec![answered]).await;
    assert_eq!(all_history(&*node, job.id).await[0].entry.record.message, "a\u{FFFD}b");
}
