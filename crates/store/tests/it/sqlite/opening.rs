//! Which directories are opened, and which are refused.

use std::fs;

use insta::assert_snapshot;
use punctual_model::event::Edit;
use punctual_store::{AlertStore, AlertTurn, ChangePage, ChangePlace, Error, IncidentId, Store};
use rusqlite::Connection;

use crate::conformance::alerts;
use crate::place::Directory;
use crate::sample::{edited, job_key, make_collection, make_job, new_job};

fn told(directory: &Directory) -> String {
    let error = directory.try_open().err().unwrap();
    error.to_string().replace(directory.path().to_str().unwrap(), "DATA")
}

#[tokio::test]
async fn a_second_process_is_kept_out() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    assert_snapshot!(told(&directory), @"the store is unavailable: another punctual is using DATA");
    // The first one is not disturbed, and makes way when it is closed.
    make_collection(&store, "s/g/c").await;
    drop(store);
    directory.try_open().unwrap();
}

#[test]
fn a_newer_schema_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    drop(directory.try_open().unwrap());
    let file = directory.path().join("punctual.db");
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&file).unwrap();
    assert_snapshot!(told(&directory), @"the store is unavailable: DATA/punctual.db: the database has schema 99, and this program knows up to 3; use the newer program that wrote it");
    assert!(fs::read(&file).unwrap() == before);
    // The lock was given back.
    assert_snapshot!(told(&directory), @"the store is unavailable: DATA/punctual.db: the database has schema 99, and this program knows up to 3; use the newer program that wrote it");
}

/// Nothing is lost on the way to the newest schema, and new jobs take no names of old ones.
#[tokio::test]
async fn an_older_schema_is_brought_to_the_newest() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let entry = make_job(&store, &collection, "j").await;
    let alert = store.put_alert(alerts::new("ops", alerts::alert(alerts::failing()))).await.unwrap();
    let changes = vec![alerts::join(&alert, entry.id, "status", 10)];
    store.take_alert_turn(AlertTurn { changes, ..AlertTurn::default() }).await.unwrap();
    drop(store);
    let older = "drop index change_of_path; drop index change_of_new_job; alter table change drop column job;
        create index change_of_path on change (path, id); create unique index job_by_name on job (collection, name);
        drop index incident_of_alert; alter table incident drop column well_since; alter table incident_member drop column path;
        pragma user_version = 1";
    Connection::open(directory.path().join("punctual.db")).unwrap().execute_batch(older).unwrap();
    let store = directory.try_open().unwrap();
    assert!(matches!(store.put_job(new_job(&collection, "j")).await, Err(Error::Stale)));
    store.put_job(edited(&collection, &entry)).await.unwrap();
    let place = ChangePlace::Job(job_key(&collection.key, "j"));
    let changes = store.changes(&ChangePage { place, before: None, limit: 10 }).await.unwrap();
    assert_eq!(changes.iter().map(|change| change.edit).collect::<Vec<_>>(), [Edit::Changed, Edit::Created]);
    let facts = store.incident_facts(IncidentId(1)).await.unwrap();
    assert_eq!(facts.jobs.iter().map(|job| &*job.path).collect::<Vec<_>>(), ["s/g/c/j"]);
}

#[test]
fn what_is_no_database_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    let file = directory.path().join("punctual.db");
    fs::write(&file, "not a database".repeat(1000)).unwrap();
    assert_snapshot!(told(&directory), @"DATA/punctual.db: file is not a database");
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a database".repeat(1000));
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = Directory::new();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = punctual_store::sqlite::Sqlite::open(&file.join("data"), None, Box::new(drop)).err().unwrap();
    assert_snapshot!(error.to_string().replace(directory.path().to_str().unwrap(), "DATA"), @"the store is unavailable: cannot make DATA/file/data: Not a directory (os error 20)");
}

#[tokio::test]
async fn a_damaged_database_says_so_when_it_is_read() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let file = directory.path().join("punctual.db");
    Connection::open(&file).unwrap().execute("update collection set record = '{}'", []).unwrap();
    assert_snapshot!(store.collection(&collection.key).await.unwrap_err(), @"collection number 1: a record cannot be read: missing field `subscription` at line 1 column 2");
    // Others are read by the same connection.
    store.check().await.unwrap();
    assert!(store.collection(&crate::sample::key("s/g/other")).await.unwrap().is_none());
}
