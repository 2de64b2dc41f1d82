//! Rows and files that are damaged, and their neighbours, which go on.

use std::fs;

use insta::assert_snapshot;
use punctual_model::access::{Grant, Role, Scope, TokenId};
use punctual_store::sqlite::Sqlite;
use punctual_store::{
    Batch, BatchOutcome, DuePage, EndedStop, Error, JobId, NodeId, SeriesPage, Store, TokenEntry, WorkId, WorkStore,
    Written,
};
use rusqlite::Connection;

use crate::engine::{ALL_DUE, all_due, go_on, next_batch, read, record, work, write};
use crate::place::Directory;
use crate::sample::{
    all_history, at, edited_collection, job_names, key, make_collection, make_job, name, not_run, now,
};

fn execute(directory: &Directory, sql: &str) {
    Connection::open(directory.path().join("punctual.db")).unwrap().execute_batch(sql).unwrap();
}

/// A store with three jobs, 1 to 3.
async fn three_jobs(directory: &Directory) -> (Sqlite, punctual_store::CollectionEntry) {
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    for name in ["1", "2", "3"] {
        make_job(&store, &collection, name).await;
    }
    (store, collection)
}

#[tokio::test]
async fn a_change_that_is_refused_is_left_out_of_its_batch() {
    let directory = Directory::new();
    let (store, _) = three_jobs(&directory).await;
    execute(
        &directory,
        "create trigger refuse before update on work when new.id = 2 begin select raise(abort, 'not this one'); end",
    );
    let entries = read(&store, vec![WorkId(1), WorkId(2), WorkId(3)]).await;
    let changes = entries.iter().map(|entry| {
        let mut change = go_on(entry, 500);
        change.records = vec![record(entry.job, 1)];
        change
    });
    let (id, notes) = (next_batch(), vec![record(JobId(2), 7)]);
    let batch = Batch { node: NodeId::ONLY, id, changes: changes.collect(), notes };
    let BatchOutcome::Written(written) = store.write_work(batch).await else { panic!("it was not written") };
    assert!(matches!(&written[..], [Written::Applied { .. }, Written::Refused(_), Written::Applied { .. }]));
    let Written::Refused(reason) = &written[1] else { unreachable!() };
    assert_snapshot!(reason, @"not this one");
    for (job, wakes, started) in [(1, at(500), 1), (2, now(), 7), (3, at(500), 1)] {
        let due = store.due_of(vec![JobId(job)]).await.unwrap();
        assert_eq!(due.iter().map(|key| key.wake_at).collect::<Vec<_>>(), [wakes]);
        let history = all_history(&store, JobId(job)).await;
        assert_eq!(history.iter().map(|it| it.entry.record.started).collect::<Vec<_>>(), [at(started)]);
    }
    assert!(store.has_landed(NodeId::ONLY, id).await.unwrap());
    // The database was not touched by what was refused.
    execute(&directory, "drop trigger refuse");
    let entry = work(&store, WorkId(2)).await;
    assert!(matches!(write(&store, vec![go_on(&entry, 500)], vec![]).await[..], [Written::Applied { .. }]));
}

#[tokio::test]
async fn a_row_of_work_that_cannot_be_read_is_an_entry() {
    let directory = Directory::new();
    let (store, collection) = three_jobs(&directory).await;
    let other = make_collection(&store, "s/g/other").await;
    let stopped = make_collection(&store, "s/g/stopped").await;
    let bad_plan = make_job(&store, &other, "4").await.id;
    let bad_stop = make_job(&store, &stopped, "5").await.id;
    let mut write = edited_collection(&stopped);
    write.ended_stop = Some(EndedStop { from: at(1), until: at(2) });
    store.put_collection(write).await.unwrap();
    store.run_job(JobId(3), at(3), 1).await.unwrap();
    let no_schedule = WorkId(6);
    let healthy = WorkId::from(make_job(&store, &collection, "healthy").await.id);
    execute(
        &directory,
        "update work set accounted = 'x' where id = 1;
         update work set phase = 9 where id = 2;
         delete from work where id = 3;
         update collection set sku = 'Gold' where name = 'other';
         update collection_stop set stopped_until = 'never'",
    );
    let ids = vec![WorkId(1), WorkId(2), no_schedule, bad_plan.into(), bad_stop.into(), healthy, WorkId(99)];
    let entries = store.work(ids).await.unwrap();
    let told = entries.iter().map(|entry| match entry {
        Ok(entry) => format!("{} can be read", entry.id.0),
        Err((id, error)) => format!("{}: {error}", id.0),
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    1: work number 1: Invalid column type Text at index: 7, name: accounted
    2: work number 2: there is no such phase
    6: work number 6: job number 3 has no schedule
    4: work number 4: collection number 2: "Gold" is no plan
    5: work number 5: Invalid column type Text at index: 1, name: stopped_until
    7 can be read
    "#);
}

#[tokio::test]
async fn a_definition_that_cannot_be_read_is_an_entry() {
    let directory = Directory::new();
    let (store, _) = three_jobs(&directory).await;
    execute(&directory, "update job set schedule = 'x' where id = 1; update job set action = x'00' where id = 2");
    let mut read = store.definitions(vec![JobId(1), JobId(2), JobId(3)]).await.unwrap();
    assert_eq!(read.pop().unwrap().unwrap().path.as_ref(), "s/g/c/3");
    let told = read.iter().map(|read| read.as_ref().unwrap_err()).map(|(id, error)| format!("{}: {error}", id.0));
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    1: job number 1: a record cannot be read: expected value at line 1 column 1
    2: job number 2: does not open: it was changed, or is not where it belongs
    ");
}

#[tokio::test]
async fn a_wake_time_that_is_none_does_not_keep_others_from_waking() {
    let directory = Directory::new();
    let (store, _) = three_jobs(&directory).await;
    execute(&directory, "update work set wake_at = -9000000000000000000 where id = 1");
    let ids: Vec<i64> = all_due(&store).await.iter().map(|key| key.id.0).collect();
    assert_eq!(ids, [2, 3]);
    // A page is as long as it was asked to be.
    assert_eq!(store.due(DuePage { limit: 1, ..ALL_DUE }).await.unwrap().len(), 1);
    assert_eq!(store.due_of(vec![JobId(1), JobId(2)]).await.unwrap().len(), 1);
    assert_eq!(store.damaged(), 1);
}

#[tokio::test]
async fn lists_leave_out_what_cannot_be_read() {
    let directory = Directory::new();
    let (store, collection) = three_jobs(&directory).await;
    make_collection(&store, "s/broken/b").await;
    make_collection(&store, "t/g/c").await;
    execute(
        &directory,
        "update job set schedule = '{' where id = 2;
         update collection set record = '{}' where resource_group = 'broken' or subscription = 't'",
    );
    assert_eq!(job_names(&store, &collection).await, ["1", "3"]);
    let page = punctual_store::JobPage { limit: 2, ..crate::sample::ALL_JOBS };
    assert_eq!(store.jobs(collection.id, &page).await.unwrap().len(), 2);
    let page = crate::conformance::collections::page("s", None);
    let collections = store.collections(&page).await.unwrap();
    assert_eq!(collections.iter().map(|it| it.key.collection.as_str()).collect::<Vec<_>>(), ["c"]);
    // What holds something is there, if only by its name.
    assert_eq!(store.groups(&name("s"), None, 10).await.unwrap().len(), 2);
    assert_eq!(store.subscriptions(None, 10).await.unwrap(), [name("s"), name("t")]);
    let series = store.series(&SeriesPage { after: None, limit: 10 }).await.unwrap();
    assert_eq!(series.iter().map(|it| it.key.job.0).collect::<Vec<_>>(), [1, 3]);
    // The one that is asked for by its name is named.
    let told = store.job(&crate::sample::job_key(&collection.key, "2")).await.unwrap_err();
    assert_snapshot!(told, @"job number 2: a record cannot be read: EOF while parsing an object at line 1 column 1");
    assert!(matches!(store.collection(&key("t/g/c")).await, Err(Error::Corrupt(_))));
    // A group goes with all its collections.
    let removed =
        store.delete_group(&crate::sample::group_key("s/broken"), true, crate::sample::by(now())).await.unwrap();
    assert_eq!(removed, punctual_store::GroupRemoval::Removed);
    assert_eq!(store.damaged(), 5);
}

#[tokio::test]
async fn a_job_that_cannot_be_read_can_be_deleted() {
    let directory = Directory::new();
    let (store, collection) = three_jobs(&directory).await;
    execute(&directory, "update job set schedule = '{' where id = 2");
    let key = crate::sample::job_key(&collection.key, "2");
    let (id, revision) = store.find_job(&key).await.unwrap().unwrap();
    store.delete_job(id, revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(store.find_job(&key).await.unwrap(), None);
    assert!(store.job(&key).await.unwrap().unwrap().1.is_none());
}

#[tokio::test]
async fn a_token_that_cannot_be_read_lets_nobody_in_and_keeps_nobody_out() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    for id in ["token0000001", "token0000002"] {
        let grants = vec![Grant { role: Role::ALL[0], scope: Scope::Server }];
        let id = TokenId::parse(id).unwrap();
        let token = TokenEntry { id, hash: [1; 32], description: String::new(), created: now(), expires: None, grants };
        store.put_token(token, 10).await.unwrap();
    }
    drop(store);
    execute(&directory, "update token set record = '' where id = 'token0000001'");
    let store = directory.try_open().unwrap();
    let tokens = store.tokens().await.unwrap();
    assert_eq!(tokens.iter().map(|token| token.id.as_str()).collect::<Vec<_>>(), ["token0000002"]);
    assert_eq!(store.damaged(), 1);
}

#[tokio::test]
async fn a_damaged_history_file_does_not_keep_the_store_from_opening() {
    let directory = Directory::new();
    let (store, collection) = three_jobs(&directory).await;
    let mut write = crate::sample::new_job(&collection, "4");
    let overlap = punctual_model::history::Reason::Overlap;
    write.not_run = vec![not_run(1000, 1, overlap), not_run(100_000, 1, overlap)];
    let job = store.put_job(write).await.unwrap();
    assert_eq!(all_history(&store, job.id).await.len(), 2);
    drop(store);
    let file = directory.path().join("history").join("1970-01-01.db");
    fs::write(&file, "no history any more").unwrap();
    let store = directory.try_open().unwrap();
    assert_eq!((all_history(&store, job.id).await.len(), store.damaged()), (1, 1));
    assert_eq!(fs::read_to_string(file.with_extension("db.damaged")).unwrap(), "no history any more");
}
