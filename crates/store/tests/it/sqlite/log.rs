//! The write-ahead log stays small, whatever is written and read.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use punctual_store::{JobPage, Store};

use crate::place::Directory;
use crate::sample::{make_collection, new_job, posting};

const LOG_BYTES_MAX: u64 = 128 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_bounded_under_constant_load() {
    let directory = Directory::new();
    let store: Arc<dyn Store> = Arc::new(directory.try_open().unwrap());
    let collection = make_collection(&*store, "s/g/c").await;
    // So large that a few hundred of them are the log that is allowed.
    let message = Arc::new("\u{1f552}".repeat(60_000));
    let is_over = Arc::new(AtomicBool::new(false));
    // Snapshots all the time, which keep the log from beginning at its start again.
    let reader = tokio::spawn({
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        async move {
            let mut page = JobPage { limit: 50, ..JobPage::default() };
            while !is_over.load(Ordering::Relaxed) {
                let jobs = store.jobs(collection.id, &page).await.unwrap();
                page.after = jobs.last().map(|job| job.name.clone());
            }
        }
    });
    let log = directory.path().join("punctual.db-wal");
    let largest = Arc::new(AtomicU64::new(0));
    // 240 MB in all.
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (store, message, collection) = (Arc::clone(&store), Arc::clone(&message), collection.clone());
            let (log, largest) = (log.clone(), Arc::clone(&largest));
            tokio::spawn(async move {
                for number in 0..125 {
                    let mut write = new_job(&collection, &format!("{writer} {number}"));
                    write.job = posting(&message);
                    store.put_job(write).await.unwrap();
                    let bytes = fs::metadata(&log).map_or(0, |file| file.len());
                    largest.fetch_max(bytes, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    reader.await.unwrap();
    let largest = largest.load(Ordering::Relaxed);
    assert!(largest < LOG_BYTES_MAX, "the log had {largest} bytes");
    drop(store);
    assert!(!log.exists(), "a closed store leaves no log");
}
