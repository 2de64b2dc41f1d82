//! What is in the rows: counters, numbers of manual runs, and how large they are.

use insta::assert_snapshot;
use punctual_store::Store;
use rusqlite::Connection;

use crate::place::Directory;
use crate::sample::{at, edited, find_job, make_collection, make_job, now};

fn database(directory: &Directory) -> Connection {
    Connection::open(directory.path().join("punctual.db")).unwrap()
}

#[tokio::test]
async fn an_edit_leaves_the_counters() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let read = make_job(&store, &collection, "j").await;
    // What the engine does between the read and the write.
    let sql = "update work set executions = 5, failures = 3, faulted = 1, last_started = 20000000 where id = ?1";
    database(&directory).execute(sql, [read.id.0]).unwrap();
    store.put_job(edited(&collection, &read)).await.unwrap();
    let counters = find_job(&store, &collection, "j").await.unwrap().counters;
    assert_eq!((counters.executions, counters.failures, counters.faulted), (5, 3, 1));
    assert_eq!(counters.last_started, Some(at(2)));
}

#[tokio::test]
async fn an_edit_is_stale_after_the_engine_has_moved_on() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let read = make_job(&store, &collection, "j").await;
    database(&directory).execute("update work set revision = revision + 1", []).unwrap();
    let result = store.put_job(edited(&collection, &read)).await;
    assert!(matches!(result, Err(punctual_store::Error::Stale)));
    // The definition was not changed without the work.
    assert_eq!(find_job(&store, &collection, "j").await.unwrap().revision, read.revision);
}

#[tokio::test]
async fn manual_runs_are_numbered_for_each_job() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    let (one, two) = (make_job(&store, &collection, "1").await, make_job(&store, &collection, "2").await);
    for job in [one.id, two.id, one.id] {
        store.run_job(job, now(), 10).await.unwrap();
    }
    let database = database(&directory);
    let runs = |sql| database.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let all = "select group_concat(job || ':' || manual, ' ' order by id) from work where kind = 1";
    assert_snapshot!(runs(all), @"1:1 2:1 1:2");
    // A number that is taken is not given again when the run is over.
    database.execute("delete from work where kind = 1", []).unwrap();
    store.run_job(one.id, now(), 10).await.unwrap();
    assert_snapshot!(runs(all), @"1:3");
    // Due at once, beside the schedule.
    assert_eq!(runs("select nominal || ' ' || wake_at from work where kind = 1"), format!("{0} {0}", now().ticks()));
}

#[tokio::test]
async fn rows_are_small() {
    const ROWS: i64 = 100_000;
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    make_job(&store, &collection, "j").await;
    drop(store);
    let database = database(&directory);
    // Numbers as large as those of a server that has run for years.
    let sql = "update work set manual = 1000, revision = 1000000, repeat = 1000000, series = 100, walked_series = 100,
                   started = 1000000, executions = 2000000, failures = 100000, faulted = 10000, last_started = nominal";
    database.execute(sql, []).unwrap();
    let columns = |table: &str| {
        let sql = format!("select group_concat(name, ', ') from pragma_table_info('{table}') where name <> 'id'");
        database.query_row(&sql, [], |row| row.get::<_, String>(0)).unwrap()
    };
    let bytes_of = |table: &str, change: &str| {
        let pages = || database.query_row("pragma page_count", [], |row| row.get::<_, i64>(0)).unwrap();
        // Without indexes, which have rows of their own.
        let copy = format!("create table copy as select 1000000 as id, {0} from {table} limit 0", columns(table));
        database.execute_batch(&copy).unwrap();
        let before = pages();
        let sql = format!(
            "with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < {ROWS})
             insert into copy select 1000000 + number, {} from {table}, numbers",
            columns(table).replace("name,", change)
        );
        database.execute(&sql, []).unwrap();
        let bytes = (pages() - before) * 4096 / ROWS;
        database.execute("drop table copy", []).unwrap();
        database.execute("vacuum", []).unwrap();
        bytes
    };
    let (work, job) = (bytes_of("work", "name,"), bytes_of("job", "'job-' || number,"));
    println!("a row of work has {work} bytes, one of job {job}");
    assert!(work < 120, "a row of work has {work} bytes");
}
