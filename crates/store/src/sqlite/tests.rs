//! What cannot be seen from outside: the plans of the statements, and what the writer and the readers do when something
//! breaks.

use std::fs;
use std::sync::mpsc;

use insta::assert_snapshot;
use punctual_model::health::RecentOutcome;
use punctual_model::history::{NotRun, Reason, Record};
use punctual_model::job::{State, Uid};
use punctual_model::time::Timestamp;
use rusqlite::Connection;
use tempfile::TempDir;

use super::writer::WriteTx;
use super::{
    FILE, HISTORY, Sqlite, change, collection, collection_cache, disk, due, entries, failing, job, job_search,
    open_file, open_job, removal, rerun, series, session, stop, tally, to_enable,
};
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::job_search::JobFilter;
use crate::key::JobId;
use crate::store::Store;

/// A store, and where it says why it gives up.
pub(super) fn open(directory: &TempDir) -> (Sqlite, mpsc::Receiver<String>) {
    let (given_up, reasons) = mpsc::channel();
    let on_fatal = move |reason| given_up.send(reason).unwrap();
    (Sqlite::open(directory.path(), None, Box::new(on_fatal)).unwrap(), reasons)
}

/// A write that adds a row of this name.
fn note(name: &'static str) -> impl FnOnce(&mut WriteTx<'_>) -> Result<(), Error> {
    move |tx| {
        tx.db.execute("insert into meta (name, value) values (?1, 1)", [name])?;
        Ok(())
    }
}

/// The rows that [`note`] has added.
pub(super) fn notes(directory: &TempDir) -> String {
    let database = Connection::open(directory.path().join(FILE)).unwrap();
    let sql = "select ifnull(group_concat(name, ' ' order by name), '') from meta where name like 'note%'";
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn of_state(state: State) -> JobFilter {
    JobFilter { state: Some(state), ..JobFilter::default() }
}

fn of_outcome(outcome: RecentOutcome) -> JobFilter {
    JobFilter { outcome: Some(outcome), ..JobFilter::default() }
}

/// How each of these statements is carried out.
fn plans(statements: &[(&str, String)]) -> String {
    let directory = TempDir::new().unwrap();
    let database = open_file(&directory.path().join(FILE)).unwrap();
    let plans = statements.iter().map(|(what, sql)| {
        let mut statement = database.prepare(&format!("explain query plan {sql}")).unwrap();
        let steps = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
        format!("{what}: {}", steps.collect::<Result<Vec<_>, _>>().unwrap().join("; "))
    });
    plans.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_indexes_of_changes_are_used() {
    let statements = [
        ("room for a job", collection::ROOM.to_owned()),
        ("changes of a collection", change::page_sql()),
        ("changes of a job", change::page_of_job_sql()),
        ("changes of a path that are not kept", change::TRIM.to_owned()),
        ("the change that made a job", change::INDEX_FIRST.to_owned()),
    ];
    assert_snapshot!(plans(&statements), @"
    room for a job: SEARCH collection USING INTEGER PRIMARY KEY (rowid=?); SCALAR SUBQUERY 1; SEARCH job USING COVERING INDEX job_searched (collection=? AND name=?)
    changes of a collection: SEARCH change USING INDEX change_of_path (path=? AND id<?)
    changes of a job: MERGE (UNION ALL); LEFT; SEARCH change USING INDEX change_of_path (path=? AND id<?); RIGHT; SEARCH change USING INDEX change_of_new_job (job=? AND rowid<?); LIST SUBQUERY 4; SEARCH job USING COVERING INDEX job_searched (collection=? AND name=?); LIST SUBQUERY 3; COMPOUND QUERY; LEFT-MOST SUBQUERY; SEARCH collection USING INDEX collection_by_path (subscription=? AND resource_group=? AND name=?); UNION ALL; SCAN collection USING INDEX collection_deleted; USE TEMP B-TREE FOR ORDER BY
    changes of a path that are not kept: SEARCH change USING INTEGER PRIMARY KEY (rowid=?); LIST SUBQUERY 1; SEARCH change USING INDEX change_of_path (path=?)
    the change that made a job: SEARCH change USING COVERING INDEX change_of_new_job (job=?)
    ");
}

#[test]
fn the_indexes_are_used() {
    let statements = [
        ("collection by path", collection::BY_PATH.to_owned()),
        ("page of collections", collection::page_sql()),
        ("job by name", job::BY_NAME.clone()),
        ("page of jobs", job::page_sql(None)),
        ("page of enabled jobs", job::page_sql(Some(State::Enabled))),
        ("page of disabled jobs", job::page_sql(Some(State::Disabled))),
        ("jobs that are looked for", job_search::named_sql(&JobFilter::default())),
        ("disabled jobs that are looked for", job_search::named_sql(&of_state(State::Disabled))),
        ("jobs that fail in a collection", job_search::named_sql(&of_outcome(RecentOutcome::Failed))),
        ("jobs that are looked for by what came of them", job_search::named_sql(&of_outcome(RecentOutcome::NotRun))),
        ("one job that is looked for", job_search::numbered_sql(&of_outcome(RecentOutcome::Failed))),
        ("jobs by the time they began to fail", job_search::FAILING.to_owned()),
        ("jobs of a collection by that time", job_search::FAILING_IN_COLLECTION.to_owned()),
        ("when jobs of a collection wake", job_search::WAKES_IN_COLLECTION.to_owned()),
        ("a page of jobs that fail", failing::PAGE.to_owned()),
        ("work that is due at once in one lane", due::BEHIND.to_owned()),
        ("work that is due later", due::AFTER.to_owned()),
        ("work that is due later in one lane", due::AFTER_IN_LANE.to_owned()),
        ("work that is due of a job", due::OF_JOB.to_owned()),
        ("work that may have been sent", due::TAKE_OVER.to_owned()),
        ("work", entries::WORK.to_owned()),
        ("rows of a schedule beside it", entries::SCHEDULED_BESIDE.to_owned()),
        ("definition", entries::DEFINITION.to_owned()),
        ("collection of a definition", collection_cache::COLLECTION.to_owned()),
        ("ended stops of a collection", entries::ENDED_STOPS.to_owned()),
        ("ended stops", stop::OPEN.to_owned()),
        ("jobs after a stop", stop::JOBS.to_owned()),
        ("page of series", series::PAGE.to_owned()),
        ("stops of a collection", series::STOPS.to_owned()),
        ("jobs that ended", removal::ENDED.to_owned()),
        ("counts of every collection", tally::page_sql()),
        ("counts of some collections", tally::page_of_some_sql()),
        ("the oldest counts", tally::FORGET.to_owned()),
        ("counts of a deleted collection", tally::FORGET_OF.to_owned()),
        ("jobs to enable", to_enable::PAGE.to_owned()),
        ("session", session::FIND.to_owned()),
        ("sessions of a token", session::OTHERS_OF_TOKEN.to_owned()),
        ("sessions of a subject", session::OTHERS_OF_SUBJECT.to_owned()),
        ("sessions that are over", session::FORGET.to_owned()),
        ("manual runs", "select count(*) from work where job = ?1 and kind = 1".to_owned()),
        ("what is open of a schedule", open_job::beside_sql()),
        ("reruns", rerun::WAITING.to_owned()),
        ("whether an occurrence is open", rerun::IS_OPEN.to_owned()),
        ("deleted collections", "select 1 from collection where deleted_at is not null limit 1".to_owned()),
    ];
    assert_snapshot!(plans(&statements), @"
    collection by path: SEARCH collection USING INDEX collection_by_path (subscription=? AND resource_group=? AND name=?)
    page of collections: SEARCH collection USING INDEX collection_by_path (subscription=? AND (resource_group,name)>(?,?))
    job by name: SEARCH job USING INDEX job_searched (collection=? AND name=?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH beside USING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 2; SEARCH beside USING COVERING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 3; SEARCH beside USING INDEX work_beside (job=?)
    page of jobs: SEARCH job USING INDEX job_searched (collection=? AND name>?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH beside USING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 2; SEARCH beside USING COVERING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 3; SEARCH beside USING INDEX work_beside (job=?)
    page of enabled jobs: SEARCH job USING INDEX job_searched (collection=? AND name>?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH beside USING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 2; SEARCH beside USING COVERING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 3; SEARCH beside USING INDEX work_beside (job=?)
    page of disabled jobs: SEARCH job USING INDEX job_not_enabled (collection=? AND state=? AND name>?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH beside USING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 2; SEARCH beside USING COVERING INDEX work_beside (job=?); CORRELATED SCALAR SUBQUERY 3; SEARCH beside USING INDEX work_beside (job=?)
    jobs that are looked for: SEARCH job USING COVERING INDEX job_searched (collection=? AND name>?)
    disabled jobs that are looked for: SEARCH job USING INDEX job_not_enabled (collection=? AND state=? AND name>?)
    jobs that fail in a collection: SEARCH failing USING COVERING INDEX failing_in_collection (collection=?); SEARCH job USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH fails USING INTEGER PRIMARY KEY (rowid=?); USE TEMP B-TREE FOR ORDER BY
    jobs that are looked for by what came of them: SEARCH job USING COVERING INDEX job_searched (collection=? AND name>?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?)
    one job that is looked for: SEARCH job USING INTEGER PRIMARY KEY (rowid=?); CORRELATED SCALAR SUBQUERY 1; SEARCH fails USING INTEGER PRIMARY KEY (rowid=?)
    jobs by the time they began to fail: SEARCH failing USING COVERING INDEX failing_since (since<?)
    jobs of a collection by that time: SEARCH failing USING INDEX failing_in_collection (collection=?)
    when jobs of a collection wake: SEARCH job USING COVERING INDEX job_searched (collection=?); SEARCH work USING INTEGER PRIMARY KEY (rowid=?)
    a page of jobs that fail: SEARCH failing USING INDEX failing_latest (started<?); SEARCH job USING INTEGER PRIMARY KEY (rowid=?); SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    work that is due at once in one lane: SEARCH work USING COVERING INDEX work_due (wake_at=? AND lane=? AND id>?)
    work that is due later: SEARCH work USING COVERING INDEX work_due ((wake_at,lane)>(?,?) AND wake_at<?)
    work that is due later in one lane: SEARCH work USING COVERING INDEX work_due (wake_at>? AND wake_at<?)
    work that is due of a job: COMPOUND QUERY; LEFT-MOST SUBQUERY; SEARCH work USING INTEGER PRIMARY KEY (rowid=?); UNION ALL; SEARCH work USING INDEX work_beside (job=?)
    work that may have been sent: SEARCH work USING INDEX work_due (wake_at<?)
    work: SEARCH work USING INTEGER PRIMARY KEY (rowid=?); SEARCH job USING INTEGER PRIMARY KEY (rowid=?)
    rows of a schedule beside it: SEARCH work USING INDEX work_beside (job=?)
    definition: SEARCH job USING INTEGER PRIMARY KEY (rowid=?)
    collection of a definition: SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    ended stops of a collection: SEARCH collection_stop USING PRIMARY KEY (collection=?)
    ended stops: SCAN collection_stop USING INDEX collection_stop_open; CORRELATED SCALAR SUBQUERY 1; SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    jobs after a stop: SEARCH job USING COVERING INDEX job_searched (collection=? AND name>?)
    page of series: MERGE (UNION ALL); LEFT; SEARCH series USING PRIMARY KEY ((job,number)>(?,?)); RIGHT; SEARCH job USING INTEGER PRIMARY KEY (rowid>?); SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    stops of a collection: MERGE (UNION ALL); LEFT; SEARCH collection_stop USING PRIMARY KEY (collection=?); RIGHT; SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    jobs that ended: SEARCH job USING INDEX job_ended (ended_at<?); CORRELATED SCALAR SUBQUERY 1; SEARCH work USING COVERING INDEX work_beside (job=?)
    counts of every collection: SEARCH tally USING INDEX tally_by_minute ((minute,collection)>(?,?) AND minute<?); SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    counts of some collections: CO-ROUTINE asked; SCAN json_each VIRTUAL TABLE INDEX 1:; USE TEMP B-TREE FOR DISTINCT; SCAN asked; SEARCH collection USING INTEGER PRIMARY KEY (rowid=?); SEARCH tally USING PRIMARY KEY (collection=? AND minute>? AND minute<?); USE TEMP B-TREE FOR ORDER BY
    the oldest counts: SEARCH tally USING PRIMARY KEY (collection=? AND minute=?); LIST SUBQUERY 2; SEARCH tally USING COVERING INDEX tally_by_minute (minute<?)
    counts of a deleted collection: SEARCH tally USING PRIMARY KEY (collection=? AND minute=?); LIST SUBQUERY 2; SEARCH tally USING PRIMARY KEY (collection=?)
    jobs to enable: SEARCH job USING INDEX job_disabled_until (disabled_until>? AND disabled_until<?); SEARCH collection USING INTEGER PRIMARY KEY (rowid=?)
    session: SEARCH session USING PRIMARY KEY (hash=?)
    sessions of a token: SEARCH session USING INDEX session_of_token (token=?)
    sessions of a subject: SEARCH session USING INDEX session_of_subject (subject=?)
    sessions that are over: SEARCH session USING PRIMARY KEY (hash=?); LIST SUBQUERY 1; SEARCH session USING COVERING INDEX session_expires (expires<?)
    manual runs: SEARCH work USING INDEX work_beside (job=?)
    what is open of a schedule: SEARCH work USING INDEX work_beside (job=?)
    reruns: SEARCH work USING INDEX work_beside (job=?)
    whether an occurrence is open: COMPOUND QUERY; LEFT-MOST SUBQUERY; SEARCH work USING INTEGER PRIMARY KEY (rowid=?); UNION ALL; SEARCH work USING INDEX work_beside (job=?)
    deleted collections: SCAN collection USING INDEX collection_deleted
    ");
}

/// Keeps the writer busy until all of these wait, so that they share a commit with what kept it busy.
pub(super) async fn gather(store: &Sqlite, writes: impl AsyncFnOnce()) -> Result<(), Error> {
    let (go_on, busy) = mpsc::channel::<()>();
    let (is_busy, wait) = tokio::sync::oneshot::channel();
    let occupy = store.writer.write(move |_| {
        is_busy.send(()).unwrap();
        let _ = busy.recv();
        Ok(())
    });
    let writes = async {
        wait.await.unwrap();
        let release = async { drop(go_on) };
        tokio::join!(writes(), release);
    };
    let (occupied, ()) = tokio::join!(occupy, writes);
    occupied
}

#[tokio::test]
async fn one_that_fails_takes_nothing_back_but_itself() {
    let directory = TempDir::new().unwrap();
    let (store, _reasons) = open(&directory);
    gather(&store, async || {
        let fail = |tx: &mut WriteTx<'_>| {
            note("note 2")(tx)?;
            Err::<(), _>(Error::Stale)
        };
        let writer = &store.writer;
        let (one, two, three) =
            tokio::join!(writer.write(note("note 1")), writer.write(fail), writer.write(note("note 3")));
        assert!(one.is_ok() && matches!(two, Err(Error::Stale)) && three.is_ok());
    })
    .await
    .unwrap();
    assert_eq!(notes(&directory), "note 1 note 3");
}

#[tokio::test]
async fn a_panic_stops_the_store_and_not_only_the_writer() {
    let directory = TempDir::new().unwrap();
    let (store, reasons) = open(&directory);
    store.writer.write(note("note 1")).await.unwrap();
    let broken = store.writer.write(|_| -> Result<(), Error> { panic!("a bug") }).await;
    assert_snapshot!(broken.unwrap_err(), @"the store is unavailable: the writer has stopped");
    assert_snapshot!(reasons.recv().unwrap(), @"the writer panicked");
    assert!(store.writer.write(note("note 2")).await.is_err());
    drop(store);
    assert_eq!(notes(&directory), "note 1");
}

/// Lets the database grow by so many pages at most.
fn limit(pages: u32) -> impl FnOnce(&mut WriteTx<'_>) -> Result<(), Error> {
    move |tx| {
        let count: u32 = tx.db.query_row("pragma page_count", [], |row| row.get(0))?;
        Ok(tx.db.query_row(&format!("pragma max_page_count = {}", count.saturating_add(pages)), [], |_| Ok(()))?)
    }
}

/// A full disk in the middle of a write makes SQLite take the whole transaction back, that of the others as well. All of them
/// are told, and when there is room the same writes succeed.
#[tokio::test]
async fn a_full_disk_takes_all_back_that_was_not_answered_and_is_no_end() {
    let directory = TempDir::new().unwrap();
    let (store, reasons) = open(&directory);
    store.writer.write(note("note 0")).await.unwrap();
    let fill = |tx: &mut WriteTx<'_>| {
        limit(0)(tx)?;
        tx.db.execute("insert into meta (name, value) values ('note 2', zeroblob(1000000))", [])?;
        Ok(())
    };
    for _ in 0..10 {
        let first = gather(&store, async || {
            let writer = &store.writer;
            let (one, two, three) =
                tokio::join!(writer.write(note("note 1")), writer.write(fill), writer.write(note("note 3")));
            assert!(matches!(two, Err(Error::DiskFull)), "{two:?}");
            assert_eq!(one.is_ok(), notes(&directory).contains("note 1"));
            assert_eq!(three.is_ok(), notes(&directory).contains("note 3"));
        })
        .await;
        assert!(matches!(first, Ok(()) | Err(Error::DiskFull)), "{first:?}");
        let make_room = |tx: &mut WriteTx<'_>| {
            limit(1_000_000)(tx)?;
            tx.db.execute("delete from meta where name in ('note 1', 'note 3')", [])?;
            Ok(())
        };
        store.writer.write_from_reserve(make_room).await.unwrap();
    }
    store.writer.write(note("note 4")).await.unwrap();
    assert_eq!(notes(&directory), "note 0 note 4");
    drop(store);
    assert!(reasons.recv().is_err(), "the store did not give up");
}

/// The segment is written before the main file, which has no room then.
#[tokio::test]
async fn a_batch_that_the_main_file_has_no_room_for_leaves_its_segment() {
    let directory = TempDir::new().unwrap();
    let (store, _reasons) = open(&directory);
    let at = Timestamp::from_seconds(1_800_000_000).unwrap();
    let record = move |number: i64| {
        move |tx: &mut WriteTx<'_>| {
            let nominal = NotRun::one(at.saturating_add(number), Reason::Missed);
            let record = Record::of_not_run(Uid::from_bytes([1; 16]), nominal, at);
            tx.history.push(HistoryEntry { job: JobId(number), record, node: 0, revision: 1, is_duplicate: false });
            Ok(())
        }
    };
    let recorded = || {
        let segment = fs::read_dir(directory.path().join(HISTORY)).unwrap().next().unwrap().unwrap().path();
        let sql = "select ifnull(group_concat(job, ' ' order by job), '') from attempt";
        let segment = segment.with_file_name("2027-01-15.db");
        Connection::open(segment).unwrap().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
    };
    store.writer.write(record(1)).await.unwrap();
    let break_commits = |tx: &mut WriteTx<'_>| {
        tx.db.execute_batch(
            "create temp trigger no_room after insert on main.meta when new.name = 'batch'
             begin insert into meta values ('note', zeroblob(1000000)); end",
        )?;
        limit(0)(tx)
    };
    store.writer.write(break_commits).await.unwrap();
    for number in 2..5 {
        let written = store.writer.write_from_reserve(record(number)).await;
        assert!(matches!(written, Err(Error::DiskFull)), "{written:?}");
        assert_eq!(recorded(), "1");
    }
    let mend = |tx: &mut WriteTx<'_>| Ok(tx.db.execute_batch("drop trigger no_room")?);
    store.writer.write_from_reserve(mend).await.unwrap();
    store.writer.write(record(5)).await.unwrap();
    assert_eq!(recorded(), "1 5");
    drop(store);
    drop(open(&directory));
    assert_eq!(recorded(), "1 5");
}

/// While the disk is full, what needs room is refused, and what makes room is not.
#[tokio::test]
async fn a_full_disk_refuses_what_needs_room() {
    let directory = TempDir::new().unwrap();
    let (store, _reasons) = open(&directory);
    let reserve = directory.path().join(disk::RESERVE);
    assert!(reserve.exists());
    gather(&store, async || {
        let overflow = |tx: &mut WriteTx<'_>| {
            tx.disk.record_overflow();
            Ok(())
        };
        let writer = &store.writer;
        let (overflow, refused, removed) = tokio::join!(
            writer.write_from_reserve(overflow),
            writer.write(note("note 1")),
            writer.write_from_reserve(note("note 2"))
        );
        assert!(overflow.is_ok() && matches!(refused, Err(Error::DiskFull)) && removed.is_ok());
        assert!(!reserve.exists());
    })
    .await
    .unwrap();
    assert_eq!(notes(&directory), "note 2");
    // There was room all the time.
    store.check().await.unwrap();
    assert!(reserve.exists());
}

#[tokio::test]
async fn a_reader_is_of_use_after_an_error() {
    let directory = TempDir::new().unwrap();
    let (store, _reasons) = open(&directory);
    let count = |db: &Connection| Ok(db.query_row("select count(*) from meta", [], |row| row.get::<_, i64>(0))?);
    for breaking in ["select nothing", "rollback", "insert into meta values (1, 1)"] {
        let error = store.readers.point(|db| {
            count(db)?;
            db.execute_batch(breaking)?;
            Err::<(), _>(Error::Stale)
        });
        assert!(error.is_err());
        let before = store.readers.point(count).unwrap();
        // Not in the snapshot of the broken one.
        let name = format!("note {before}");
        let add = move |tx: &mut WriteTx<'_>| Ok(tx.db.execute("insert into meta values (?1, 1)", [name])?);
        store.writer.write(add).await.unwrap();
        assert_eq!(store.readers.point(count).unwrap(), before + 1, "after {breaking}");
    }
}

/// Two rotations whose last steps share a commit: the second sees what the first has sealed with the new key, and a crash
/// takes that back.
#[tokio::test]
async fn an_old_key_stays_until_what_was_sealed_anew_is_on_disk() {
    let directory = TempDir::new().unwrap();
    let (store, _reasons) = open(&directory);
    let uid = Uid::from_bytes([1; 16]);
    let sealed = store.keyring.read().unwrap().seal(uid, b"x").unwrap();
    let insert = move |tx: &mut WriteTx<'_>| {
        let sql = "insert into job (collection, name, uid, revision, state, series, anchor_at, schedule, action, lane,
                       since, zones, target)
                   values (1, 'j', ?1, 1, 0, 1, 0, '', ?2, 0, 0, '', 'h')";
        Ok(tx.db.execute(sql, rusqlite::params![uid.bytes(), sealed])?)
    };
    store.writer.write(insert).await.unwrap();
    store.add_sealing_key().await.unwrap();
    let file = directory.path().join("secret.key");
    let keys = move || fs::read_to_string(&file).unwrap().lines().count() - 1;
    let keys_in_commit = keys.clone();
    gather(&store, async || {
        let look = store.writer.write(move |_| Ok(keys_in_commit()));
        let (one, two, seen) = tokio::join!(store.reseal(None), store.reseal(None), look);
        assert_eq!((one.unwrap().resealed, two.unwrap().next), (1, None));
        assert_eq!(seen.unwrap(), 2, "keys before the commit");
    })
    .await
    .unwrap();
    assert_eq!(keys(), 1);
}
