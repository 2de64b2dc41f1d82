//! Backups, the way back, and databases that were put back by hand.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use insta::assert_snapshot;
use punctual_model::history::Reason;
use punctual_store::sqlite::Sqlite;
use punctual_store::sqlite::backup::{adopt, back_up, restore};
use punctual_store::{CollectionEntry, JobEntry, NodeId, PauseEntry, Shards, Store, WorkStore};
use rusqlite::Connection;

use crate::place::Directory;
use crate::sample::{NOW, all_history, at, edited, key, make_collection, make_job, not_run, now};

/// A directory with one job, and the job.
async fn served(directory: &Directory) -> (Sqlite, CollectionEntry, JobEntry) {
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let job = make_job(&store, &collection, "j").await;
    (store, collection, job)
}

/// Writes a record of that many seconds after the beginning.
async fn record(store: &Sqlite, collection: &CollectionEntry, job: &JobEntry, seconds: i64) -> JobEntry {
    let mut write = edited(collection, job);
    write.not_run = vec![not_run(seconds, 1, Reason::Missed)];
    store.put_job(write).await.unwrap()
}

fn back_up_to(directory: &Directory, file: &Path) -> Result<String, String> {
    let mut steps = Vec::new();
    let report = back_up(directory.path(), file, false, now(), &mut |step| steps.push(step.to_owned()));
    report.map(|report| format!("{report:?}")).map_err(|error| error.to_string())
}

fn restore_to(file: &Path, target: &Path, pause: Option<PauseEntry>) -> Result<String, String> {
    let report = restore(file, target, now(), pause, &mut |_| ());
    report.map(|report| format!("{report:?}")).map_err(|error| error.to_string())
}

fn open(path: &Path) -> Result<Sqlite, String> {
    Sqlite::open(path, None, Box::new(drop)).map_err(|error| error.to_string())
}

/// Puts the key where a backup without it was restored to.
fn put_key(directory: &Directory, target: &Path) {
    fs::copy(directory.path().join("secret.key"), target.join("secret.key")).unwrap();
}

#[tokio::test]
async fn everything_comes_back_from_a_backup_of_a_running_server() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (file, target) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    let (store, collection, mut job) = served(&directory).await;
    for day in 0..3 {
        job = record(&store, &collection, &job, 86_400 * day).await;
    }
    assert_snapshot!(back_up_to(&directory, &file).unwrap(), @"BackupReport { jobs: 1, records: 3, segments: 3, has_keys: false }");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(elsewhere.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["backup"], "nothing else is left");
    record(&store, &collection, &job, 1).await;
    assert_snapshot!(restore_to(&file, &target, None).unwrap(), @"RestoreReport { made_at: Some(2027-01-15T08:00:00Z), jobs: 1, has_key: false, keys: [1] }");
    put_key(&directory, &target);
    let restored = open(&target).unwrap();
    let (_, found) = restored.job(&crate::sample::job_key(&key("s/g/c"), "j")).await.unwrap().unwrap();
    assert_eq!(found.unwrap(), job, "as it was when the backup was made");
    assert_eq!(all_history(&restored, job.id).await.len(), 3);
    assert_eq!(
        restored.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(),
        1,
        "the job is due, and may have been sent"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_in_the_middle_are_there_whole_or_not_at_all() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (store, collection, mut job) = served(&directory).await;
    let (store, is_over) = (Arc::new(store), Arc::new(AtomicBool::new(false)));
    let writer = tokio::spawn({
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        async move {
            while !is_over.load(Ordering::Relaxed) {
                job = record(&store, &collection, &job, 1).await;
            }
        }
    });
    for number in 0..5 {
        let (file, target) = (elsewhere.path().join(format!("b{number}")), elsewhere.path().join(format!("d{number}")));
        tokio::task::block_in_place(|| back_up_to(&directory, &file)).unwrap();
        restore_to(&file, &target, None).unwrap();
        put_key(&directory, &target);
        let restored = open(&target).unwrap();
        let (_, job) = restored.job(&crate::sample::job_key(&key("s/g/c"), "j")).await.unwrap().unwrap();
        let job = job.unwrap();
        let records = i64::try_from(all_history(&restored, job.id).await.len()).unwrap();
        assert_eq!(records, job.revision.0 - 1, "each edit wrote one record");
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
}

#[tokio::test]
async fn keys_come_only_if_they_are_asked_for() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (file, target) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    drop(served(&directory).await);
    fs::write(directory.path().join("owner.token"), "token").unwrap();
    back_up(directory.path(), &file, true, now(), &mut |_| ()).unwrap();
    assert_snapshot!(restore_to(&file, &target, None).unwrap(), @"RestoreReport { made_at: Some(2027-01-15T08:00:00Z), jobs: 1, has_key: true, keys: [1] }");
    assert_eq!(fs::read_to_string(target.join("owner.token")).unwrap(), "token");
    open(&target).unwrap();
}

#[tokio::test]
async fn a_restored_server_can_start_paused() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (file, target) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    drop(served(&directory).await);
    back_up(directory.path(), &file, true, now(), &mut |_| ()).unwrap();
    let pause = PauseEntry::begin_at_start("restore --paused".to_owned(), String::new(), now());
    restore_to(&file, &target, Some(pause.clone())).unwrap();
    assert_eq!(open(&target).unwrap().pauses().await.unwrap(), [pause]);
}

#[tokio::test]
async fn what_cannot_be_right_is_refused() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let file = elsewhere.path().join("backup");
    let told = |result: Result<String, String>| {
        let text = result.unwrap_err().replace(directory.path().to_str().unwrap(), "DATA");
        text.replace(elsewhere.path().to_str().unwrap(), "ELSEWHERE")
    };
    assert_snapshot!(told(back_up_to(&directory, &file)), @"there is no DATA/punctual.db: name the data directory");
    drop(served(&directory).await);
    back_up_to(&directory, &file).unwrap();
    assert_snapshot!(told(back_up_to(&directory, &file)), @"ELSEWHERE/backup is there already: name a new file");
    assert_snapshot!(told(restore_to(&file, directory.path(), None)), @"DATA is not empty: restore into a new directory");
    let none = elsewhere.path().join("none");
    assert_snapshot!(told(restore_to(&none, &none, None)), @"the store is unavailable: ELSEWHERE/none: unable to open database file: ELSEWHERE/none");
    assert_snapshot!(told(restore_to(&directory.path().join("punctual.db"), &none, None)), @"DATA/punctual.db: is no backup that `punctual backup` has made");
    fs::write(elsewhere.path().join("text"), "no database".repeat(100)).unwrap();
    assert_snapshot!(told(restore_to(&elsewhere.path().join("text"), &none, None)), @"ELSEWHERE/text: is no backup that `punctual backup` has made");
    let change = |sql: &str| Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    change("update file set name = '../escaped' where name = 'punctual.db'");
    assert_snapshot!(told(restore_to(&file, &none, None)), @r#"ELSEWHERE/backup: holds "../escaped", which no data directory has"#);
    change("update file set name = 'punctual.db'; update piece set bytes = zeroblob(length(bytes)) where id = 1");
    assert_snapshot!(told(restore_to(&file, &none, None)), @"ELSEWHERE/backup: the backup is damaged: punctual.db is not as it was written");
    change("delete from finished");
    assert_snapshot!(told(restore_to(&file, &none, None)), @"ELSEWHERE/backup: the backup was never finished");
    assert!(!none.exists(), "nothing was made");
}

/// Puts an older main file back, as someone does with a copy, and gives what the store says.
async fn put_back(directory: &Directory, batches: i64) -> (PathBuf, Result<Sqlite, String>) {
    let (store, collection, mut job) = served(directory).await;
    job = record(&store, &collection, &job, 0).await;
    drop(store);
    let (file, copy) = (directory.path().join("punctual.db"), directory.path().join("copy"));
    fs::copy(&file, &copy).unwrap();
    let store = directory.try_open().unwrap();
    for seconds in 0..batches {
        job = record(&store, &collection, &job, 86_400 * seconds).await;
    }
    drop(store);
    fs::copy(&copy, &file).unwrap();
    (file, open(directory.path()))
}

#[tokio::test]
async fn a_database_that_was_put_back_by_hand_is_noticed() {
    let directory = Directory::new();
    let (_, opened) = put_back(&directory, 5).await;
    let told = opened.err().unwrap().replace(directory.path().to_str().unwrap(), "DATA");
    assert_snapshot!(told, @"DATA/punctual.db: the database is older than its history: it knows 1 batches of records, and the history has 6, as after a copy of the database was put back by hand. Nothing was changed. To use a backup, run `punctual restore FILE --data NEW-DIRECTORY`. To go on with this database and keep the history, run `punctual restore --as-is --data DATA`: what may have been sent since is marked when it is sent again");
    assert!(open(directory.path()).is_err(), "and still is");
    assert_eq!(adopt(directory.path(), at(NOW), None).unwrap(), 1);
    let store = open(directory.path()).unwrap();
    let (_, job) = store.job(&crate::sample::job_key(&key("s/g/c"), "j")).await.unwrap().unwrap();
    let job = job.unwrap();
    assert_eq!(all_history(&store, job.id).await.len(), 6, "history is kept");
    assert_eq!(store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 1, "what may have been sent is marked");
}

#[tokio::test]
async fn what_a_crash_leaves_is_not_taken_for_that() {
    let directory = Directory::new();
    let (_, opened) = put_back(&directory, 1).await;
    opened.unwrap();
}

#[tokio::test]
async fn a_directory_in_use_is_not_adopted() {
    let directory = Directory::new();
    let (_store, ..) = served(&directory).await;
    let error = adopt(directory.path(), now(), None).unwrap_err().to_string();
    assert!(error.contains("another punctual is using"), "{error}");
}

/// The names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

#[tokio::test]
async fn what_a_killed_backup_has_left_is_removed_by_the_next_one() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (_store, ..) = served(&directory).await;
    for (file, step) in [("monday", "copying punctual.db"), ("tuesday", "reading the backup again")] {
        let killed = || {
            let mut tell = |told: &str| assert!(told != step, "killed here");
            back_up(directory.path(), &elsewhere.path().join(file), false, now(), &mut tell)
        };
        std::panic::catch_unwind(killed).unwrap_err();
        assert!(!names(elsewhere.path()).is_empty(), "something is left");
    }
    assert!(names(elsewhere.path()).contains(&"tuesday.part".to_owned()), "{:?}", names(elsewhere.path()));
    for strange in ["film.part", "film.copy", "empty.part"] {
        fs::write(elsewhere.path().join(strange), if strange == "empty.part" { "" } else { "not ours" }).unwrap();
    }
    let mut steps = Vec::new();
    back_up(directory.path(), &elsewhere.path().join("wednesday"), false, now(), &mut |step| {
        steps.push(step.replace(&elsewhere.path().display().to_string(), "DIR"));
        // Another one, while this one is being made.
        if step == "reading the backup again" {
            back_up_to(&directory, &elsewhere.path().join("thursday")).unwrap();
        }
    })
    .unwrap();
    assert_eq!(names(elsewhere.path()), ["empty.part", "film.copy", "film.part", "thursday", "wednesday"]);
    assert!(steps.contains(&"removing DIR/tuesday.part, which an interrupted backup has left".to_owned()), "{steps:?}");
}

#[tokio::test]
async fn the_same_backup_is_not_made_twice_at_once() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (_store, ..) = served(&directory).await;
    let file = elsewhere.path().join("backup");
    let mut refused = None;
    let mut tell = |step: &str| {
        if step == "reading the backup again" {
            refused = back_up_to(&directory, &file).err();
        }
    };
    back_up(directory.path(), &file, false, now(), &mut tell).unwrap();
    let refused = refused.unwrap().replace(&elsewhere.path().display().to_string(), "DIR");
    assert_snapshot!(refused, @"another backup is making DIR/backup");
    restore_to(&file, &elsewhere.path().join("data"), None).unwrap();
}

#[tokio::test]
async fn a_backup_from_before_a_rotation_names_the_key_that_it_needs() {
    let (directory, elsewhere) = (Directory::new(), Directory::new());
    let (file, target) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    let (store, ..) = served(&directory).await;
    let old_key = fs::read(directory.path().join("secret.key")).unwrap();
    back_up_to(&directory, &file).unwrap();
    store.add_sealing_key().await.unwrap();
    while store.reseal(None).await.unwrap().next.is_some() {}
    assert_ne!(fs::read(directory.path().join("secret.key")).unwrap(), old_key);
    assert_snapshot!(restore_to(&file, &target, None).unwrap(), @"RestoreReport { made_at: Some(2027-01-15T08:00:00Z), jobs: 1, has_key: false, keys: [1] }");
    put_key(&directory, &target);
    assert_snapshot!(open(&target).err().unwrap(), @"sealing key 1 is missing, and the database holds actions that only it opens; put it back. If the database is of a backup from before `punctual secrets rotate`, that is the secret.key of that time");
    fs::write(target.join("secret.key"), old_key).unwrap();
    open(&target).unwrap();
}
