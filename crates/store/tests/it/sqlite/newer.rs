//! Records that a newer version has written.

use insta::assert_snapshot;
use punctual_model::collection::CollectionState;
use punctual_store::{Error, JobId, Store, WorkStore};
use rusqlite::Connection;

use crate::place::Directory;
use crate::sample::{
    definition, edited, edited_collection, find_job, job_key, job_names, make_collection, make_job, now,
};

fn database(directory: &Directory) -> Connection {
    Connection::open(directory.path().join("punctual.db")).unwrap()
}

#[tokio::test]
async fn what_this_version_does_not_know_stays_after_an_edit() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    make_job(&store, &collection, "j").await;
    let database = database(&directory);
    let sql =
        "update job set schedule = json_set(schedule, '$.color', 'red', '$.recurrence.except', json('[\"May\"]'));
               update collection set record = json_set(record, '$.owner', 'ann')";
    database.execute_batch(sql).unwrap();
    let collection = store.collection(&collection.key).await.unwrap().unwrap();
    let mut write = edited_collection(&collection);
    write.collection.state = CollectionState::Disabled;
    let collection = store.put_collection(write).await.unwrap();
    let job = find_job(&store, &collection, "j").await.unwrap();
    let mut write = edited(&collection, &job);
    write.job.definition =
        definition(r#"{"recurrence": {"frequency": "Hour"}, "action": {"request": {"uri": "https://example.com"}}}"#);
    let job = store.put_job(write).await.unwrap();
    let text = |sql| database.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_snapshot!(text("select schedule from job"), @r#"{"color":"red","options":{},"recurrence":{"except":["May"],"frequency":"Hour","interval":1}}"#);
    assert_snapshot!(text("select record from collection where id > 0"), @r#"{"group":"g","name":"c","owner":"ann","sku":"Standard","state":"Disabled","subscription":"s"}"#);
    // What stood in the recurrence goes with it.
    let mut write = edited(&collection, &job);
    write.job.definition = definition(r#"{"action": {"request": {"uri": "https://example.com"}}}"#);
    store.put_job(write).await.unwrap();
    assert_snapshot!(text("select schedule from job"), @r#"{"color":"red","options":{}}"#);
}

#[tokio::test]
async fn a_job_that_needs_more_is_not_run_and_not_overwritten_and_can_be_deleted() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let (read, _) = (make_job(&store, &collection, "1").await, make_job(&store, &collection, "2").await);
    let sql = "update job set schedule = '{\"needs\": 2, \"start\": \"at the second full moon\"}' where id = 1";
    database(&directory).execute(sql, []).unwrap();
    let definitions = store.definitions(vec![JobId(1), JobId(2)]).await.unwrap();
    assert_eq!(definitions.iter().filter(|read| read.is_ok()).count(), 1);
    let told = store.job(&job_key(&collection.key, "1")).await.unwrap_err();
    assert_snapshot!(told, @"job number 1 was written by a newer version of Punctual, which this one does not understand (it needs 2)");
    assert!(matches!(told, Error::Newer { needs: 2, .. }));
    assert_eq!(job_names(&store, &collection).await, ["2"]);
    assert!(matches!(store.put_job(edited(&collection, &read)).await, Err(Error::Newer { .. })));
    let (id, revision) = store.find_job(&job_key(&collection.key, "1")).await.unwrap().unwrap();
    store.delete_job(id, revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(job_names(&store, &collection).await, ["2"]);
}
