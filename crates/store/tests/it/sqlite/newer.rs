//! Records that a newer version has written.

use insta::assert_snapshot;
use punctual_model::access::Scope;
use punctual_model::collection::CollectionState;
use punctual_store::{AlertSource, AlertStore, AlertWrite, Error, JobId, Store, WorkStore};
use rusqlite::Connection;

use crate::conformance::alerts;
use crate::place::Directory;
use crate::sample::{
    by, definition, edited, edited_collection, find_job, job_key, job_names, make_collection, make_job, name, now,
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

#[tokio::test]
async fn what_this_version_does_not_know_of_an_alert_stays_after_an_edit() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let made = store.put_alert(alerts::new("ops", alerts::alert(alerts::failing()))).await.unwrap();
    let database = database(&directory);
    database.execute_batch("update alert set record = json_set(record, '$.color', 'red')").unwrap();
    let conditions = punctual_model::alert::Conditions { ended: true, ..alerts::failing() };
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let edited = AlertWrite { source, ..alerts::new("ops", alerts::alert(conditions)) };
    assert!(store.put_alert(edited.clone()).await.unwrap().alert.conditions.ended);
    let text = || database.query_row("select record from alert", [], |row| row.get::<_, String>(0)).unwrap();
    assert_snapshot!(text(), @r#"{"color":"red","ended":true,"failing":1,"form":"json","given_up":false,"operator":false,"recovered":true,"scope":"/"}"#);
    // One that needs more is left as it is.
    database.execute_batch("update alert set record = '{\"needs\": 2}', revision = 1").unwrap();
    assert!(matches!(store.put_alert(edited).await, Err(Error::Newer { needs: 2, .. })));
    assert_snapshot!(text(), @r#"{"needs": 2}"#);
}

#[tokio::test]
async fn an_alert_that_cannot_be_read_is_found_and_can_be_deleted() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let scopes = ["/", "/subscriptions/S", "/subscriptions/S/resourceGroups/G"].map(ToOwned::to_owned);
    let collection = format!("{}/providers/Microsoft.Scheduler/jobCollections/C", scopes[2]);
    for scope in scopes.into_iter().chain([collection]) {
        let mut alert = alerts::alert(alerts::failing());
        alert.scope.scope = Scope::parse(&scope).unwrap();
        let made = store.put_alert(alerts::new("Ops", alert)).await.unwrap();
        database(&directory).execute_batch("update alert set record = 'x'").unwrap();
        assert!(matches!(store.alert(&made.name).await, Err(Error::Corrupt(_))));
        let found = store.find_alert(&name("oPS")).await.unwrap().unwrap();
        assert_eq!((found.id, found.revision, found.scope), (made.id, made.revision, made.alert.scope.scope));
        store.delete_alert(found.id, found.revision, Vec::new(), by(now())).await.unwrap();
        assert_eq!(store.find_alert(&made.name).await.unwrap(), None);
    }
}
