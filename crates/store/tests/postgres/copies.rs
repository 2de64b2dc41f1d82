//! Stores that are copied to PostgreSQL and back.

use insta::assert_snapshot;
use proptest::collection::vec;
use proptest::prelude::*;
use punctual_store::copy::{CopyReport, Keys, Place};
use punctual_store::{Error, JobId, NodeId, Shards, WorkId, WorkStore};

use crate::copied::{
    assert_same, contents, copy_until, copy_with, die_after, execute, furnish, furnished, named, place,
};
use crate::engine::work;
use crate::lives::{Pair, events};
use crate::place::Directory;
use crate::sample::{all_history, make_collection, make_job, now};
use crate::schema::Schema;

fn of_schema(schema: &Schema) -> (Place, Keys) {
    (Place::Postgres(Box::new(schema.settings())), named(schema.keyring()))
}

fn of_directory(directory: &Directory) -> (Place, Keys) {
    (place(directory), Keys::default())
}

async fn copy(from: (Place, Keys), to: (Place, Keys)) -> Result<CopyReport, Error> {
    copy_with((&from.0, from.1), (&to.0, to.1)).await
}

/// What a copy says that is refused, without what differs each time.
async fn refused(schema: &Schema, from: (Place, Keys), to: (Place, Keys)) -> String {
    copy(from, to).await.unwrap_err().to_string().replace(&schema.settings().describe(), "PLACE")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back_again_nothing_has_changed(happens in vec(events(), 1..80)) {
        let (Some(schema), Some(other)) = (Schema::new(), Schema::new()) else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let source = Pair::live(happens).await;
            source.try_open().unwrap().forget_watermark(NodeId::ONLY).await.unwrap();
            furnish(&source).await;
            let back = Directory::new();
            let there = copy(of_directory(&source), of_schema(&schema)).await.unwrap();
            prop_assert!(there.is_verified() && there.left_out.is_empty(), "{there:?}");
            let across = copy(of_schema(&schema), of_schema(&other)).await.unwrap();
            prop_assert!(across.is_verified(), "{across:?}");
            let again = copy(of_schema(&other), of_directory(&back)).await.unwrap();
            prop_assert_eq!(&again.tables, &there.tables);
            assert_same(source.path(), back.path());
            // A node finds what the source has, and goes on with the next number.
            let (node, from) = (schema.try_open().await.unwrap(), back.try_open().unwrap());
            let mut numbers = Vec::new();
            for store in [&node as &dyn punctual_store::Store, &from] {
                let collection = make_collection(store, "next/g/c").await;
                numbers.push((collection.id, make_job(store, &collection, "next").await.id));
            }
            prop_assert_eq!(numbers[0], numbers[1]);
            prop_assert_eq!(node.damaged(), 0);
            for job in 0..numbers[0].1.0 {
                prop_assert_eq!(all_history(&node, JobId(job)).await, all_history(&from, JobId(job)).await);
            }
            // Every row is in the shard of its job.
            let due = |shards| node.due(punctual_store::DuePage { shards, ..crate::engine::ALL_DUE });
            let all: Vec<WorkId> = due(Shards::ALL).await.unwrap().into_iter().map(|key| key.id).collect();
            let wrong = "select count(*) from work left join job on job.id = coalesce(work.job, work.id) where job.id is null";
            let orphans: i64 = schema.connect().await.query_one(wrong, &[]).await.unwrap().get(0);
            prop_assert!(orphans == 0 && !all.is_empty());
            for read in node.work(all).await.unwrap() {
                let entry = read.unwrap();
                let sql = "select work.shard, job.uid from work, job where work.id = $1 and job.id = $2";
                let row = schema.connect().await.query_one(sql, &[&entry.id.0, &entry.job.0]).await.unwrap();
                let uid: Vec<u8> = row.get(1);
                let uid = punctual_model::job::Uid::from_bytes(uid.try_into().unwrap());
                prop_assert_eq!(row.get::<_, i16>(0), i16::from(Shards::of(uid)));
            }
            Ok(())
        })?;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_copy_is_not_used_and_goes_on() {
    let (schema, source) = (schema!(), furnished().await);
    execute(
        &source,
        "insert into tally (collection, minute, succeeded, failed, not_run, given_up)
         with recursive minute(number) as (select 0 union all select number + 1 from minute where number < 12000)
         select 7, number, 1, 2, 3, 4 from minute",
    );
    copy_until(of_directory(&source), of_schema(&schema), "series", 0);
    copy_until(of_directory(&source), of_schema(&schema), "tally", 5_001);
    let told = schema.try_open().await.err().unwrap().to_string();
    assert_snapshot!(told, @"this is an unfinished copy: run `punctual copy` again with the same --from and --to, which goes on with it");
    let back = Directory::new();
    let told = refused(&schema, of_schema(&schema), of_directory(&back)).await;
    assert_snapshot!(told, @"the source: this is an unfinished copy: run `punctual copy` again with the same --from and --to, which goes on with it");
    let report = copy(of_directory(&source), of_schema(&schema)).await.unwrap();
    assert!(report.is_verified() && report.resumed_rows > 5_000 && report.copied_rows > 5_000, "{report:?}");
    // Also on the way back, and with a table of history half done.
    copy_until(of_schema(&schema), of_directory(&back), "history_19700210", 0);
    let report = copy(of_schema(&schema), of_directory(&back)).await.unwrap();
    assert!(report.is_verified() && report.resumed_rows > 12_000, "{report:?}");
    assert_same(source.path(), back.path());
    let told = refused(&schema, of_directory(&source), of_schema(&schema)).await;
    assert!(
        told.starts_with(
            "the target: it is not empty, and a copy is never mixed with other jobs: it has 1 row of resource_group"
        ),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_in_use_or_not_there_is_not_copied() {
    let (schema, source, back) = (schema!(), furnished().await, Directory::new());
    let told = refused(&schema, of_schema(&schema), of_directory(&back)).await;
    assert_snapshot!(told, @"the source: PLACE: there is no store: name the database of a server, and with search_path the schema");
    copy(of_directory(&source), of_schema(&schema)).await.unwrap();
    schema.run("insert into node (id, name, heartbeat) values (3, 'third', now() - interval '4 seconds')").await;
    let told = refused(&schema, of_schema(&schema), of_directory(&back)).await;
    assert!(told.starts_with("the source: node 3 (third) uses it: its last heartbeat was "), "{told}");
    assert!(told.ends_with(" seconds ago. Stop all nodes, or wait 30 seconds if it was killed"), "{told}");
    let told = refused(&schema, of_directory(&source), of_schema(&schema)).await;
    assert!(told.starts_with("the target: node 3 (third) uses it"), "{told}");
    schema.run("update node set heartbeat = now() - interval '31 seconds'").await;
    assert!(copy(of_schema(&schema), of_directory(&back)).await.unwrap().is_verified());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_those_of_each_store() {
    let (schema, other, source) = (schema!(), schema!(), furnished().await);
    let without = (of_schema(&schema).0, Keys::default());
    let told = refused(&schema, of_directory(&source), without).await;
    assert_snapshot!(told, @"the target: PostgreSQL keeps no key: name the key file of its nodes (--from-key, --to-key), or set secrets.key");
    copy(of_directory(&source), of_schema(&schema)).await.unwrap();
    let wrong = (of_schema(&schema).0, named(other.keyring()));
    let told = refused(&schema, wrong, of_schema(&other)).await;
    assert_snapshot!(told, @"the source: sealing key 1 is not the one that the database was written with; put that one back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_copies_do_not_write_at_once() {
    let (schema, source) = (schema!(), furnished().await);
    drop(schema.try_open().await.unwrap());
    let other = schema.connect().await;
    other.batch_execute("insert into lock_row (name) values ('copy') on conflict do nothing").await.unwrap();
    other.batch_execute("begin; select 1 from lock_row where name = 'copy' for update").await.unwrap();
    let told = refused(&schema, of_directory(&source), of_schema(&schema)).await;
    assert_snapshot!(told, @"the target: another `punctual copy` is writing to it: wait until that has ended");
    other.batch_execute("rollback").await.unwrap();
    assert!(copy(of_directory(&source), of_schema(&schema)).await.unwrap().is_verified());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_killed_nodes_may_have_sent_is_sent_again_with_the_mark() {
    let (schema, source, back) = (schema!(), Directory::new(), Directory::new());
    let store = source.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    for name in ["1", "2", "3"] {
        make_job(&store, &collection, name).await;
    }
    drop(store);
    execute(&source, "update work set wake_at = wake_at + 20000000 where id > 1");
    die_after(&source, now()).await;
    assert!(copy(of_directory(&source), of_schema(&schema)).await.unwrap().is_verified());
    let node = schema.try_open().await.unwrap();
    let mut resends = Vec::new();
    for job in 1..=3 {
        resends.push(work(&node, JobId(job)).await.resends);
    }
    assert_eq!(resends, [1, 0, 0], "what the server inside the binary may have sent");
    drop(node);
    for (node, watermark) in [(5, now().saturating_add(-1)), (6, now().saturating_add(20_000_000))] {
        let values = format!("{node}, {}, now() - interval '1 hour', now()", watermark.ticks());
        schema.run(&format!("insert into node (id, watermark, heartbeat, lease_until) values ({values})")).await;
    }
    schema.run("update work set wake_at = wake_at + 1 where id = 3; update work set claimed_by = 5 where id = 3").await;
    assert!(copy(of_schema(&schema), of_directory(&back)).await.unwrap().is_verified());
    let store = back.try_open().unwrap();
    for job in 1..=3 {
        assert_eq!(work(&store, JobId(job)).await.resends, 1, "what any node may have sent, or has claimed: job {job}");
    }
    assert_eq!(store.take_over(NodeId::ONLY, Shards::ALL).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_named_or_kept() {
    let (schema, source, back) = (schema!(), furnished().await, Directory::new());
    execute(
        &source,
        "insert into tally (collection, minute, succeeded, failed, not_run, given_up) values (7, 1, 'many', 0, 0, 0);
         update job set action = x'0102'; update work set phase = 70000;
         update alert set record = '{'; update change set uid = x'00' where id = 2",
    );
    let report = copy(of_directory(&source), of_schema(&schema)).await.unwrap();
    let lines: Vec<String> = report
        .left_out
        .iter()
        .map(|it| format!("{} {}: {} (kept: {})", it.table, it.key, it.reason, it.is_kept))
        .collect();
    assert_snapshot!(lines.join("\n"), @"
    job 1: its action: does not open: it was changed, or is not where it belongs (kept: true)
    work 1: phase is the number 70000 (kept: false)
    change 2: its action: the uid it is sealed for is not 16 bytes (kept: true)
    tally 7, 1: succeeded is a text (kept: false)
    ");
    assert!(report.is_verified());
    let report = copy(of_schema(&schema), of_directory(&back)).await.unwrap();
    assert!(report.is_verified() && report.left_out.iter().all(|it| it.is_kept), "{report:?}");
    let (from, to) = (contents(source.path()), contents(back.path()));
    assert_eq!((&from["job"], &from["alert"]), (&to["job"], &to["alert"]));
    assert!(to["work"].is_empty() && to["tally"].len() == from["tally"].len() - 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_newer_version_has_added_is_not_lost_in_silence() {
    let (schema, source) = (schema!(), furnished().await);
    drop(schema.try_open().await.unwrap());
    schema.run("alter table job add column colour text").await;
    let told = refused(&schema, of_directory(&source), of_schema(&schema)).await;
    assert_snapshot!(told, @"the target: it has the column colour of the table job, which this version of `punctual copy` does not know and would lose: use the version that made it");
    schema.run("alter table job drop column colour; create table colour (name text)").await;
    let told = refused(&schema, of_directory(&source), of_schema(&schema)).await;
    assert_snapshot!(told, @"the target: it has the table colour, which this version of `punctual copy` does not know and would lose: use the version that made it");
}
