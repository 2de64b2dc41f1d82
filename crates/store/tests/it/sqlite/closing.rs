//! What happens when a client or the server itself goes away.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use punctual_store::Store;

use crate::place::Directory;
use crate::sample::{ALL_JOBS, make_collection, make_jobs, new_collection, new_job};

/// Lets a future get as far as it gets without waiting, and drops it there.
fn begin(future: impl Future<Output = impl Sized>) {
    let _ = pin!(tokio::task::unconstrained(future)).poll(&mut Context::from_waker(Waker::noop()));
}

#[tokio::test]
async fn a_client_that_goes_away_harms_nobody() {
    let directory = Directory::new();
    let store: Arc<dyn Store> = Arc::new(directory.try_open().unwrap());
    let collection = make_collection(&*store, "s/g/c").await;
    for number in 0..50 {
        begin(store.put_job(new_job(&collection, &number.to_string())));
        begin(store.jobs(collection.id, &ALL_JOBS));
    }
    // Those that were accepted are written, whole; this one comes after them.
    store.check().await.unwrap();
    assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 50);
    assert_eq!(store.collection(&collection.key).await.unwrap().unwrap().jobs, 50);
}

/// On the only thread of the runtime: nothing that is waited for may need it.
#[tokio::test(flavor = "current_thread")]
async fn what_was_accepted_is_finished_when_the_store_is_dropped() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    for number in 0..100 {
        begin(store.put_collection(new_collection(&format!("s/g/{number:02}"))));
    }
    drop(store);
    let store = directory.try_open().unwrap();
    let listed = store.collections(&crate::conformance::collections::page("s", None)).await.unwrap();
    assert_eq!(listed.len(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_can_be_opened_again_while_a_list_is_still_read() {
    let directory = Directory::new();
    let store: Arc<dyn Store> = Arc::new(directory.try_open().unwrap());
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 500).await;
    for _ in 0..20 {
        begin(store.jobs(collection.id, &ALL_JOBS));
    }
    drop(store);
    let store = directory.try_open().unwrap();
    assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap().len(), 500);
}
