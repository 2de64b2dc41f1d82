//! Stores that have something of everything, copies of them, and what is in a data directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use punctual_model::access::{Claimants, Grant, Role, Scope};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{Record, Status};
use punctual_model::job::Uid;
use punctual_model::time::Timestamp;
use punctual_store::copy::{CopyReport, Keys, Place, copy};
use punctual_store::seal::Keyring;
use punctual_store::{
    AlertStore, Error, GroupEntry, HistoryBounds, HistoryEntry, NodeId, PauseEntry, Store, WorkStore,
};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::conformance::alerts::{alert, failing, new};
use crate::conformance::tokens::token;
use crate::engine::{apply, go_on, record, work};
use crate::place::Directory;
use crate::sample::{at, by, group_key, make_collection, make_job, now};

/// Rows that only alerts that are at work leave behind.
const ROWS_OF_ALERTS: &str = "
    insert into signal (job, kind, at, value) values (1001, 0, 5, 0), (1002, 2, 6, 70000);
    delete from signal where job = 1002;
    insert into incident (alert, trouble, target, cause, revision, opened_at, told_at, muted_by, look_at)
        values (1, 'failing', 'https://example.com', 'refused', 3, 10, 11, 'who \"ü\"', 12), (1, 'late', '', '', 1, 13, null, null, null);
    insert into incident_member (incident, job, alert, trouble, joined_at, detail, is_well, failed_host)
        values (1, -1, 1, 'failing', 10, 'It failed.', 1, 'example.com'), (1, 1, 1, 'failing', 10, '', 0, null);
    insert into deadline (alert, trouble, job, due_at, expected)
        values (1, 'silent', 1, 99, null), (1, 'silent', 2, 98, 97), (1, 'late', 1, 100, 5);
    insert into delivery (alert, incident, kind, headline, at, job, alert_revision, form, note)
        values (1, 1, 'opened', 'It fails', 11, 4, 1, 'json', 'refused'), (1, null, 'test', 'A test', 12, 5, 1, 'slack', null);";

/// Adds something of everything to a store that nobody has open, and a history of which only failures are kept of its first day.
pub(crate) async fn furnish(directory: &Directory) {
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "furnished/g/c").await;
    let group = GroupEntry { key: group_key("furnished/empty"), location: None, tags: BTreeMap::new() };
    store.put_group(group).await.unwrap();
    store.put_alert(new("Öps", alert(failing()))).await.unwrap();
    for number in 0..3 {
        store.put_token(token(number), 10).await.unwrap();
    }
    let claimants = Claimants { issuer: "i".to_owned(), claim: "c".to_owned(), value: "v".to_owned() };
    store.put_assignment(claimants, Grant { role: Role::Reader, scope: Scope::Server }, 10).await.unwrap();
    let job = make_job(&store, &collection, "Furnished").await;
    let gone = make_job(&store, &collection, "gone").await;
    store.delete_job(gone.id, gone.revision, by(now())).await.unwrap();
    for (seconds, failed) in [(86_400, true), (86_500, false), (40 * 86_400, false), (40 * 86_400 + 9, true)] {
        let entry = work(&store, job.id).await;
        let mut change = go_on(&entry, seconds + 60);
        let entry = record(job.id, seconds);
        let failure = failed.then(|| Failure::new(FailureClass::Connection, "h", "It failed\0, with a zero."));
        let status = if failed { Status::Failed(at(seconds)) } else { Status::Completed(at(seconds)) };
        let record = Record { status, failure, message: "what came, \u{1F600}".to_owned(), ..entry.record };
        change.records = vec![HistoryEntry { record, ..entry }];
        apply(&store, change).await;
    }
    let bounds = HistoryBounds { before: at(20 * 86_400), failures_before: Some(Timestamp::MIN), bytes_max: u64::MAX };
    while !store.drop_history(&bounds).await.unwrap().is_empty() {}
    store.record_removal(at(77)).await.unwrap();
    store.pause(PauseEntry::begin("who".to_owned(), "why".to_owned(), at(5))).await.unwrap();
    store.resume("whoever".to_owned(), at(6)).await.unwrap();
    drop(store);
    execute(directory, ROWS_OF_ALERTS);
}

/// A store with something of everything.
pub(crate) async fn furnished() -> Directory {
    let directory = Directory::new();
    furnish(&directory).await;
    directory
}

/// Carries out statements on a store that nobody has open.
pub(crate) fn execute(directory: &Directory, sql: &str) {
    Connection::open(directory.path().join("punctual.db")).unwrap().execute_batch(sql).unwrap();
}

pub(crate) fn place(directory: &Directory) -> Place {
    Place::Directory(directory.path().to_owned())
}

/// Copies with the keys that the places themselves have, or with these.
pub(crate) async fn copy_with(from: (&Place, Keys), to: (&Place, Keys)) -> Result<CopyReport, Error> {
    copy(from, to, &mut |_| ()).await
}

/// Keys that are named for a store.
pub(crate) fn named(keyring: Keyring) -> Keys {
    Keys { named: Some(keyring), configured: None }
}

/// Copies until the copy is at a table and has done so many rows, and dies there.
pub(crate) fn copy_until(from: (Place, Keys), to: (Place, Keys), table: &'static str, rows: u64) {
    let copying = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(copy((&from.0, from.1), (&to.0, to.1), &mut |progress| {
            assert!(progress.table != table || progress.done < rows, "the copy dies here");
        }))
    });
    assert!(copying.join().is_err(), "it did not come to {rows} rows of {table}");
}

/// All that a data directory holds, table by table, as anybody can read it who has the key. Who has signed in is not copied, nor is what
/// SQLite finds the first change of a job by; keys, the place of the directory and watermarks are its own.
pub(crate) fn contents(directory: &Path) -> BTreeMap<String, Vec<String>> {
    let keyring = Keyring::parse(&fs::read_to_string(directory.join("secret.key")).unwrap()).unwrap();
    let mut contents = BTreeMap::new();
    let db = Connection::open(directory.join("punctual.db")).unwrap();
    for table in names(&db, "select name from sqlite_schema where type = 'table'") {
        if !["session", "meta", "sealing_key"].contains(&table.as_str()) {
            contents.insert(table.clone(), rows(&db, &table, &keyring));
        }
    }
    let kept = "select name from meta where name in ('batch', 'removed at', 'history dropped until') order by name";
    for name in names(&db, kept) {
        let value: i64 = db.query_row("select value from meta where name = ?1", [&name], |row| row.get(0)).unwrap();
        contents.insert(name, vec![value.to_string()]);
    }
    for entry in fs::read_dir(directory.join("history")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "db") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            contents.insert(name, rows(&Connection::open(&path).unwrap(), "attempt", &keyring));
        }
    }
    contents
}

fn names(db: &Connection, sql: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn rows(db: &Connection, table: &str, keyring: &Keyring) -> Vec<String> {
    let columns = names(db, &format!("select name from pragma_table_info('{table}') order by cid"));
    let mut statement = db.prepare(&format!("select * from {table}")).unwrap();
    let mut found = statement.query([]).unwrap();
    let mut rows = Vec::new();
    while let Some(row) = found.next().unwrap() {
        let mut shown = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let value: Value = row.get(at).unwrap();
            shown.push(match (value, column.as_str()) {
                (_, "job") if table == "change" => continue,
                (Value::Blob(action), "action") => {
                    let uid = row.get("uid").map(Uid::from_bytes).ok();
                    match uid.and_then(|uid| keyring.open(uid, &action).ok()) {
                        Some(plain) => format!("action: {}", String::from_utf8(plain).unwrap()),
                        None => format!("action that does not open: {action:?}"),
                    }
                }
                (Value::Text(text), _) => format!("{column}: {:?}", text.replace('\0', "\u{FFFD}")),
                (value, _) => format!("{column}: {value:?}"),
            });
        }
        rows.push(shown.join(", "));
    }
    rows.sort_unstable();
    rows
}

/// The mark of an engine that dies: it may have started what wakes up to then.
pub(crate) async fn die_after(directory: &Directory, watermark: Timestamp) {
    directory.try_open().unwrap().set_watermark(NodeId::ONLY, watermark).await.unwrap();
}

/// Compares two data directories, table by table.
pub(crate) fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (contents(one), contents(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (table, rows) in &one {
        assert_eq!(rows, &other[table], "{table}");
    }
}
