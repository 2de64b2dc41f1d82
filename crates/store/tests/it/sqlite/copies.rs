//! Data directories that are copied.

use std::fs;

use insta::assert_snapshot;
use proptest::collection::vec;
use proptest::prelude::*;
use punctual_store::copy::{CopyReport, Keys, Place};
use punctual_store::seal::Keyring;
use punctual_store::{Error, JobId, NodeId, Shards, Store, WorkStore};

use crate::copied::{
    assert_same, contents, copy_until, copy_with, die_after, execute, furnish, furnished, named, place,
};
use crate::engine::work;
use crate::lives::{Pair, events};
use crate::place::Directory;
use crate::sample::{make_collection, make_job, now};

async fn copy(from: &Directory, to: &Directory) -> Result<CopyReport, Error> {
    copy_with((&place(from), Keys::default()), (&place(to), Keys::default())).await
}

/// What a copy says that is refused, without the names of directories.
async fn refused(from: &Directory, to: &Directory) -> String {
    let told = copy(from, to).await.unwrap_err().to_string();
    told.replace(&from.path().display().to_string(), "FROM").replace(&to.path().display().to_string(), "TO")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_copy_has_all_that_its_source_has(happens in vec(events(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (source, target) = (Pair::live(happens).await, Directory::new());
            source.try_open().unwrap().forget_watermark(NodeId::ONLY).await.unwrap();
            furnish(&source).await;
            let report = copy(&source, &target).await.unwrap();
            prop_assert!(report.is_verified() && report.left_out.is_empty(), "{report:?}");
            assert_same(source.path(), target.path());
            let keys = [&source, &target].map(|it| fs::read_to_string(it.path().join("secret.key")).unwrap());
            prop_assert_ne!(&keys[0], &keys[1]);
            // The next job gets the same number in both.
            let mut numbers = Vec::new();
            for directory in [&source, &target] {
                let store = directory.try_open().unwrap();
                let collection = make_collection(&store, "next/g/c").await;
                numbers.push((collection.id, make_job(&store, &collection, "next").await.id));
            }
            prop_assert_eq!(numbers[0], numbers[1]);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn an_interrupted_copy_is_not_used_and_goes_on() {
    let (source, target) = (furnished().await, Directory::new());
    execute(
        &source,
        "insert into tally (collection, minute, succeeded, failed, not_run, given_up)
         with recursive minute(number) as (select 0 union all select number + 1 from minute where number < 12000)
         select 7, number, 1, 2, 3, 4 from minute",
    );
    let of = |directory: &Directory| (place(directory), Keys::default());
    copy_until(of(&source), of(&target), "series", 0);
    assert!(target.try_open().is_err());
    copy_until(of(&source), of(&target), "tally", 5_001);
    let told = target.try_open().err().unwrap().to_string();
    assert_snapshot!(told.replace(&target.path().display().to_string(), "TO"), @"TO/punctual.db: this is an unfinished copy: run `punctual copy` again with the same --from and --to, which goes on with it");
    let report = copy(&source, &target).await.unwrap();
    assert!(report.is_verified() && report.resumed_rows > 5_000 && report.copied_rows > 5_000, "{report:?}");
    assert_same(source.path(), target.path());
    drop(target.try_open().unwrap());
    // What is finished is not begun again.
    assert_snapshot!(refused(&source, &target).await, @"the target: it is not empty, and a copy is never mixed with other jobs: it has 1 row of resource_group, 1 row of collection, 1 row of job, 1 row of work, 7 rows of change, 1 row of failing, 12004 rows of tally, 1 row of alert, 2 rows of signal, 2 rows of incident, 2 rows of incident_member, 3 rows of deadline, 2 rows of delivery, 3 rows of token, 1 row of assignment, 1 row of pause, 2 segments of history. Name an empty one");
}

#[tokio::test]
async fn a_source_that_was_used_meanwhile_is_not_mixed_with_what_it_was() {
    let (source, target) = (furnished().await, Directory::new());
    copy_until((place(&source), Keys::default()), (place(&target), Keys::default()), "history_19700210", 0);
    let store = source.try_open().unwrap();
    make_collection(&store, "used/g/c").await;
    drop(store);
    assert_snapshot!(refused(&source, &target).await, @"the target: it is an unfinished copy of another store, or of this one as it was before a server used it again. To begin anew, remove TO/punctual.db* and TO/history");
}

#[tokio::test]
async fn a_store_that_is_in_use_or_not_there_is_not_copied() {
    let (source, target, nothing) = (furnished().await, Directory::new(), Directory::new());
    assert_snapshot!(refused(&nothing, &target).await, @"the source: there is no FROM/punctual.db: name the data directory of a server");
    let store = source.try_open().unwrap();
    assert_snapshot!(refused(&source, &target).await, @"the store is unavailable: the source: another punctual is using FROM");
    drop(store);
    let store = target.try_open().unwrap();
    assert_snapshot!(refused(&source, &target).await, @"the store is unavailable: the target: another punctual is using TO");
    drop(store);
    assert!(copy(&source, &target).await.unwrap().is_verified(), "an empty store is as good as none");
}

#[tokio::test]
async fn keys_are_those_of_each_store() {
    let (source, target) = (furnished().await, Directory::new());
    let to = (&place(&target), Keys::default());
    let wrong = copy_with((&place(&source), named(Keyring::generate().unwrap())), to).await.unwrap_err();
    assert_snapshot!(wrong, @"the source: sealing key 1 is not the one that the database was written with; put that one back");
    // A key file beside a store comes before the configuration, which is for the other one.
    let configured =
        || Keys { named: None, configured: Some(Keyring::parse(&format!("9 {}", "ab".repeat(32))).unwrap()) };
    let report = copy_with((&place(&source), configured()), (&place(&target), configured())).await.unwrap();
    assert!(report.is_verified() && !target.path().join("secret.key").exists());
    let key = configured().configured.unwrap().to_text();
    fs::write(target.path().join("secret.key"), key).unwrap();
    assert_same(source.path(), target.path());
}

#[tokio::test]
async fn what_a_killed_process_may_have_sent_is_sent_again_with_the_mark() {
    let (source, target) = (Directory::new(), Directory::new());
    let store = source.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    make_job(&store, &collection, "due").await;
    drop(store);
    die_after(&source, now()).await;
    assert!(copy(&source, &target).await.unwrap().is_verified());
    let (from, to) = (source.try_open().unwrap(), target.try_open().unwrap());
    assert_eq!((work(&from, JobId(1)).await.resends, work(&to, JobId(1)).await.resends), (0, 1));
    // A takeover marks in the source what is marked in the copy, where there is nothing left to take over.
    assert_eq!(from.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 1);
    assert_eq!(to.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
    assert_eq!(work(&from, JobId(1)).await.resends, work(&to, JobId(1)).await.resends);
}

#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let (source, target) = (furnished().await, Directory::new());
    execute(
        &source,
        "insert into tally (collection, minute, succeeded, failed, not_run, given_up) values (7, 1, 'many', 0, 0, 0), (7, 2, 1, 1, 1, 1);
         update job set action = x'0102';
         insert into token (id, created, record) values ('broken', 1, cast(x'ff' as text))",
    );
    fs::write(source.path().join("history/1970-03-01.db"), "This is no database, however long the text may be.")
        .unwrap();
    let report = copy(&source, &target).await.unwrap();
    assert!(report.is_verified());
    let lines: Vec<String> = report
        .left_out
        .iter()
        .map(|it| format!("{} {}: {} (kept: {})", it.table, it.key, it.reason, it.is_kept))
        .collect();
    assert_snapshot!(lines.join("\n").replace(&source.path().display().to_string(), "FROM"), @r#"
    history_19700301 : FROM/history/1970-03-01.db: file is not a database (kept: false)
    job 1: its action: does not open: it was changed, or is not where it belongs (kept: true)
    tally 7, 1: succeeded is a text (kept: false)
    token "broken": record is a text that is not UTF-8 (kept: false)
    "#);
    assert_eq!(report.left_out_count, 4);
    fs::remove_file(source.path().join("history/1970-03-01.db")).unwrap();
    execute(&source, "delete from tally where minute = 1 and collection = 7; delete from token where id = 'broken'");
    let (from, to) = (contents(source.path()), contents(target.path()));
    for table in ["job", "tally", "token"] {
        assert_eq!(from[table], to[table], "all else is there, and as it was");
    }
    assert_eq!(target.try_open().unwrap().tokens().await.unwrap().len(), 3);
}

#[tokio::test]
async fn records_of_a_batch_that_the_main_file_does_not_know_are_not_copied() {
    let (source, target) = (furnished().await, Directory::new());
    execute(&source, "update meta set value = value - 1 where name = 'batch'");
    assert!(copy(&source, &target).await.unwrap().is_verified());
    drop(source.try_open().unwrap());
    assert_same(source.path(), target.path());
}

#[tokio::test]
async fn what_a_newer_version_has_added_is_not_lost_in_silence() {
    let (source, target) = (furnished().await, Directory::new());
    execute(&source, "alter table job add column colour text");
    assert_snapshot!(refused(&source, &target).await, @"the source: it has the column colour of the table job, which this version of `punctual copy` does not know and would lose: use the version that made it");
    execute(&source, "alter table job drop column colour; create table colour (name text)");
    assert_snapshot!(refused(&source, &target).await, @"the source: it has the table colour, which this version of `punctual copy` does not know and would lose: use the version that made it");
}

/// A target that differs from its source, however that came to be, is no copy.
#[tokio::test]
async fn a_copy_that_differs_is_not_used() {
    let (source, target) = (furnished().await, Directory::new());
    copy_until((place(&source), Keys::default()), (place(&target), Keys::default()), "pause", 0);
    execute(&target, "update job set note = 'another' where id = 1; delete from deadline where trouble = 'late'");
    let report = copy(&source, &target).await.unwrap();
    let differing: Vec<_> = report.tables.iter().filter(|it| !it.is_same()).map(|it| (&*it.name, it.rows)).collect();
    assert_eq!(differing, [("job", (1, 1)), ("deadline", (3, 2))]);
    assert!(!report.is_verified() && target.try_open().is_err());
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    let source = furnished().await;
    let file = source.path().join("punctual.db/here");
    let told = copy_with((&place(&source), Keys::default()), (&Place::Directory(file), Keys::default())).await;
    assert!(told.unwrap_err().to_string().contains("punctual.db/here"));
}
