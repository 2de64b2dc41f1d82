//! Several nodes on one schema at once: what one has written the others respect.

use punctual_model::collection::Sku;
use punctual_store::{BatchOutcome, CollectionWrite, Error, JobSource, JobWrite, NodeId, Store, WorkStore, Written};

use crate::engine::{go_on, next_batch, record, work};
use crate::sample::{
    ALL_JOBS, all_history, at, by, edited, find_job, make_collection, make_job, new_collection, new_job, uid,
};

/// What became of calls that were made together: how many did their work, and how many were refused in the right way.
async fn count<T: Send + 'static>(
    calls: Vec<tokio::task::JoinHandle<Result<T, Error>>>,
    is_refusal: fn(&Error) -> bool,
) -> (usize, usize) {
    let (mut done, mut refused) = (0, 0);
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => done += 1,
            Err(error) if is_refusal(&error) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    (done, refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_taken_once() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    let is_stale = |error: &Error| matches!(error, Error::Stale);
    let collections = (0..12).map(|number: usize| {
        let node = nodes[number % 2].clone();
        tokio::spawn(async move { node.put_collection(new_collection("s/g/c")).await })
    });
    assert_eq!(count(collections.collect(), is_stale).await, (1, 11));
    let collection = nodes[0].collection(&crate::sample::key("s/g/c")).await.unwrap().unwrap();
    let jobs = (0..12).map(|number: usize| {
        let (node, write) = (nodes[number % 2].clone(), new_job(&collection, "j"));
        tokio::spawn(async move { node.put_job(write).await })
    });
    assert_eq!(count(jobs.collect(), is_stale).await, (1, 11));
    let job = find_job(&*nodes[1], &collection, "j").await.unwrap();
    let edits = (0..12).map(|number: usize| {
        let (node, write) = (nodes[number % 2].clone(), edited(&collection, &job));
        tokio::spawn(async move { node.put_job(write).await })
    });
    assert_eq!(count(edits.collect(), is_stale).await, (1, 11));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_holds_for_all_of_them() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    let is_full = |error: &Error| matches!(error, Error::Full { max: 10 });
    let collections = (0..30).map(|number: usize| {
        let write =
            CollectionWrite { collections_max: Some((Sku::Standard, 10)), ..new_collection(&format!("s/g/c{number}")) };
        let node = nodes[number % 2].clone();
        tokio::spawn(async move { node.put_collection(write).await })
    });
    assert_eq!(count(collections.collect(), is_full).await, (10, 20));
    let collection = make_collection(&*nodes[0], "t/g/c").await;
    let jobs = (0..30).map(|number: usize| {
        let (node, write) = (nodes[number % 2].clone(), new_job(&collection, &number.to_string()));
        let source = JobSource::New { uid: uid(number as u128), jobs_max: Some(10) };
        tokio::spawn(async move { node.put_job(JobWrite { source, ..write }).await })
    });
    assert_eq!(count(jobs.collect(), is_full).await, (10, 20));
    assert_eq!(nodes[1].jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 10);
    assert_eq!(nodes[1].collection(&collection.key).await.unwrap().unwrap().jobs, 10);
    let job = nodes[0].jobs(collection.id, &ALL_JOBS).await.unwrap().remove(0);
    let runs = (0..30).map(|number: usize| {
        let node = nodes[number % 2].clone();
        tokio::spawn(async move { node.run_job(job.id, at(5), 10).await })
    });
    assert_eq!(count(runs.collect(), is_full).await, (10, 20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_is_settled_once() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    let collection = make_collection(&*nodes[0], "s/g/c").await;
    let mut jobs = Vec::new();
    for name in ["a", "b", "c", "d"] {
        jobs.push(make_job(&*nodes[0], &collection, name).await.id);
    }
    for round in 1..10 {
        let mut entries = Vec::new();
        for job in &jobs {
            entries.push(work(&*nodes[0], *job).await);
        }
        let mut batches = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            let mut entries = entries.clone();
            // In orders in which they would wait for each other.
            if number == 1 {
                entries.reverse();
            }
            let changes = entries.iter().map(|entry| {
                let mut change = go_on(entry, 1000 * round);
                change.records = vec![record(entry.job, round)];
                change
            });
            let id = NodeId(u32::try_from(number).unwrap());
            let batch =
                punctual_store::Batch { node: id, id: next_batch(), changes: changes.collect(), notes: Vec::new() };
            let node = node.clone();
            batches.push(tokio::spawn(async move { node.write_work(batch).await }));
        }
        let (mut applied, mut stale) = (0, 0);
        for batch in batches {
            let BatchOutcome::Written(written) = batch.await.unwrap() else { panic!("it was not written") };
            applied += written.iter().filter(|written| matches!(written, Written::Applied { .. })).count();
            stale += written.iter().filter(|written| **written == Written::Stale).count();
        }
        assert_eq!((applied, stale), (4, 4));
        for job in &jobs {
            assert_eq!(all_history(&*nodes[1], *job).await.len(), usize::try_from(round).unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_deletes_and_settlements_get_through_in_the_end() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    let collection = make_collection(&*nodes[0], "s/g/c").await;
    let mut tasks = Vec::new();
    for number in 0..8_usize {
        let (node, other, collection) =
            (nodes[number % 2].clone(), nodes[(number + 1) % 2].clone(), collection.clone());
        tasks.push(tokio::spawn(async move {
            let name = format!("job {}", number % 4);
            for round in 0..15 {
                let job = match find_job(&*node, &collection, &name).await {
                    Some(job) => job,
                    None => match node.put_job(new_job(&collection, &name)).await {
                        Err(Error::Stale) => continue,
                        made => made.unwrap(),
                    },
                };
                match node.put_job(edited(&collection, &job)).await {
                    Ok(_) | Err(Error::Stale) => {}
                    Err(error) => panic!("{error}"),
                }
                if let Some(entry) = crate::engine::find_work(&*other, job.id).await {
                    let batch = punctual_store::Batch {
                        node: NodeId::ONLY,
                        id: next_batch(),
                        changes: vec![go_on(&entry, 500 + round)],
                        notes: vec![record(job.id, round)],
                    };
                    assert!(matches!(other.write_work(batch).await, BatchOutcome::Written(_)));
                }
                if round % 5 == 4 {
                    match other.delete_job(job.id, job.revision, by(at(9))).await {
                        Ok(()) | Err(Error::Stale) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let listed = nodes[0].jobs(collection.id, &ALL_JOBS).await.unwrap().len();
    let counted = nodes[1].collection(&collection.key).await.unwrap().unwrap().jobs;
    assert_eq!(listed, counted as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_sweep_do_not_wait_for_each_other() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    for path in ["s/g/a", "s/g/b"] {
        let collection = make_collection(&*nodes[0], path).await;
        make_job(&*nodes[0], &collection, "j").await;
        nodes[0].delete_collection(collection.id, collection.revision, by(at(1))).await.unwrap();
    }
    let (one, other) = tokio::join!(nodes[0].sweep(), nodes[1].sweep());
    assert!(one.is_ok() && other.is_ok());
    while nodes[0].sweep().await.unwrap() {}
    assert!(!nodes[1].sweep().await.unwrap());
}
