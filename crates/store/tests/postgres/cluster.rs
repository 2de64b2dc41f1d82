//! Nodes, their leases, and the shards they own.

use std::sync::Arc;
use std::time::Duration;

use punctual_model::job::Uid;
use punctual_store::postgres::Postgres;
use punctual_store::{
    Batch, BatchOutcome, Claim, ClusterStore, DueKey, Error, Handover, JobId, NewNode, NodeId, NodeReport, OpenWork,
    PauseEntry, Shards, Store, WorkChange, WorkStore, Written,
};

use crate::engine::{all_due, go_on, next_batch, work};
use crate::sample::{at, by, edited, find_job, make_collection, make_jobs};

const LEASE: Duration = Duration::from_mins(10);

/// A lease that is over when it begins.
const NONE: Duration = Duration::ZERO;

fn new(name: &str) -> NewNode {
    NewNode { name: name.to_owned(), version: "1".to_owned(), url: "http://here".to_owned() }
}

async fn join(store: &Postgres, name: &str) -> NodeId {
    store.join(new(name), LEASE).await.unwrap()
}

/// Ends the lease of a node.
async fn expire(store: &Postgres, node: NodeId) {
    store.renew(node, NONE, NodeReport::default()).await.unwrap();
}

async fn owned(store: &Postgres, node: NodeId) -> Shards {
    store.cluster().await.unwrap().owned_by(node)
}

/// A store with some jobs that wake at different times.
async fn stock(store: &Arc<Postgres>, jobs: usize) -> Vec<DueKey> {
    let collection = make_collection(&**store, "s/g/c").await;
    let as_store: Arc<dyn Store> = store.clone();
    make_jobs(&as_store, &collection, jobs).await;
    all_due(&**store).await
}

/// What is in flight of a job at a node, as a claim.
async fn claim_of(store: &Postgres, job: JobId) -> Claim {
    let entry = work(store, job).await;
    let OpenWork::Schedule(progress) = entry.open else { panic!("the schedule of a job") };
    Claim { row: entry.id, occurrence: progress.open.unwrap() }
}

fn all_to(to: NodeId) -> Vec<(u8, NodeId)> {
    Shards::ALL.iter().map(|shard| (shard, to)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_renewed_until_it_has_run_out() {
    let schema = schema!();
    let store = schema.node().await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    assert_ne!(a, b);
    let report = NodeReport { clock_offset_ticks: -7, unsettled: 3, overdue_ticks: 9 };
    let view = store.renew(a, LEASE, report).await.unwrap().unwrap();
    let entry = &view.nodes[0];
    assert_eq!((entry.id, &entry.node, entry.report, entry.is_alive), (a, &new("a"), report, true));
    assert!(view.owners.iter().all(Option::is_none) && view.claims == 0);
    expire(&store, a).await;
    assert_eq!(store.renew(a, LEASE, report).await.unwrap(), None, "it has to join again");
    let view = store.cluster().await.unwrap();
    assert_eq!((view.is_alive(a), view.is_alive(b)), (false, true));
    assert!(store.set_watermark(a, at(5)).await.is_err(), "it may start nothing any more");
    store.set_watermark(b, at(5)).await.unwrap();
    store.leave(b).await.unwrap();
    assert_eq!(store.renew(b, LEASE, report).await.unwrap(), None);
    assert_eq!(store.cluster().await.unwrap().nodes.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_are_taken_from_nobody_and_from_the_dead() {
    let schema = schema!();
    let store = schema.node().await;
    let keys = stock(&store, 40).await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    let half: Shards = (0..128).collect();
    assert_eq!(store.take_shards(a, half).await.unwrap().shards, half);
    let taken = store.take_shards(b, Shards::ALL).await.unwrap();
    assert_eq!((taken.shards, taken.marked), (Shards::ALL.without(half), 0), "a lives");
    // Some of what wakes first may have been sent by a.
    let watermark = keys[keys.len() / 2].wake_at;
    store.set_watermark(a, watermark).await.unwrap();
    expire(&store, a).await;
    let taken = store.take_shards(b, Shards::ALL).await.unwrap();
    assert_eq!(taken.shards, half);
    let mut marked = 0;
    for key in &keys {
        let entry = work(&*store, key.job).await;
        marked += u64::from(entry.resends);
        assert!(entry.resends == 0 || key.wake_at <= watermark);
    }
    assert_eq!(taken.marked, marked);
    assert_eq!(owned(&store, b).await, Shards::ALL);
    expire(&store, b).await;
    assert!(matches!(store.take_shards(b, half).await, Err(Error::Stale)), "its lease is over");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_takes_at_the_same_instant_takes_each_shard_once() {
    let schema = schema!();
    let stores = [schema.node().await, schema.node().await];
    let nodes = [join(&stores[0], "a").await, join(&stores[1], "b").await];
    let (one, other) =
        tokio::join!(stores[0].take_shards(nodes[0], Shards::ALL), stores[1].take_shards(nodes[1], Shards::ALL));
    let (one, other) = (one.unwrap().shards, other.unwrap().shards);
    assert_eq!((one.or(other), one.and(other)), (Shards::ALL, Shards::NONE));
    assert_eq!(owned(&stores[0], nodes[1]).await, other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_in_flight_stays_with_who_gives_its_shard_away() {
    let schema = schema!();
    let store = schema.node().await;
    let keys = stock(&store, 3).await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    store.take_shards(a, Shards::ALL).await.unwrap();
    let collection = store.collection(&crate::sample::key("s/g/c")).await.unwrap().unwrap();
    let job = find_job(&*store, &collection, "0000").await.unwrap();
    let other = keys.iter().find(|key| key.job != job.id).unwrap().job;
    let before = work(&*store, job.id).await;
    let handover = Handover {
        from: a,
        shards: all_to(b),
        claims: vec![claim_of(&store, job.id).await],
        claimed_until: at(4_000_000_000),
    };
    store.hand_over(handover.clone()).await.unwrap();
    assert_eq!(owned(&store, b).await, Shards::ALL);
    assert!(matches!(store.hand_over(handover).await, Err(Error::Stale)), "they are not a's any more");
    let claimed = work(&*store, job.id).await;
    assert_eq!((claimed.claimed_by, claimed.resends), (Some(a), 0));
    assert!(claimed.revision > before.revision, "who has read it before finds it changed");
    assert_eq!(work(&*store, other).await.claimed_by, None);
    assert_eq!(store.cluster().await.unwrap().claims, 1);
    assert_eq!(store.end_claims(Shards::ALL).await.unwrap(), [], "a lives, and its time is not over");
    // A job that is edited stays at its attempt, and so does the claim.
    let job = find_job(&*store, &collection, "0000").await.unwrap();
    store.put_job(edited(&collection, &job)).await.unwrap();
    assert_eq!(work(&*store, job.id).await.claimed_by, Some(a));
    // Its settlement ends the claim.
    let entry = work(&*store, job.id).await;
    write_as(&store, a, vec![go_on(&entry, 900)]).await;
    let settled = work(&*store, job.id).await;
    assert_eq!((settled.claimed_by, store.cluster().await.unwrap().claims), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_is_the_owners_and_what_happened_is_anyones() {
    let schema = schema!();
    let store = schema.node().await;
    let keys = stock(&store, 2).await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    store.take_shards(a, Shards::ALL).await.unwrap();
    let decided = [work(&*store, keys[0].job).await, work(&*store, keys[1].job).await]
        .map(|entry| WorkChange { needs_shard: true, ..go_on(&entry, 900) });
    let shard = [(Shards::of(job_uid(&store, keys[1].job).await), b)];
    let handover = Handover { from: a, shards: shard.to_vec(), claims: Vec::new(), claimed_until: at(5) };
    store.hand_over(handover).await.unwrap();
    let is_applied = |written: &Written| matches!(written, Written::Applied { .. });
    let written = write_as(&store, a, decided.to_vec()).await;
    assert_eq!(written.iter().map(is_applied).collect::<Vec<_>>(), [true, false], "the other row is b's by now");
    let happened = WorkChange { needs_shard: false, ..decided[1].clone() };
    let written = write_as(&store, a, vec![happened]).await;
    assert!(is_applied(&written[0]), "an attempt that a has made is settled by a");
}

async fn write_as(store: &Postgres, node: NodeId, mut changes: Vec<WorkChange>) -> Vec<Written> {
    changes.sort_unstable_by_key(|change| change.id);
    match store.write_work(Batch { node, id: next_batch(), changes, notes: Vec::new() }).await {
        BatchOutcome::Written(written) => written,
        other => panic!("{other:?}"),
    }
}

/// What decides about the shard of a job.
async fn job_uid(store: &Postgres, job: JobId) -> Uid {
    store.definitions(vec![job]).await.unwrap().remove(0).unwrap().uid
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_of_the_dead_and_old_claims_are_sent_again_with_the_mark() {
    let schema = schema!();
    let store = schema.node().await;
    let keys = stock(&store, 2).await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    store.take_shards(a, Shards::ALL).await.unwrap();
    let claims = vec![claim_of(&store, keys[0].job).await];
    store.hand_over(Handover { from: a, shards: all_to(b), claims, claimed_until: at(5) }).await.unwrap();
    assert_eq!(store.end_claims(Shards::ALL).await.unwrap(), [keys[0].job], "its time is over");
    let claims = vec![claim_of(&store, keys[1].job).await];
    let until = at(4_000_000_000);
    store.hand_over(Handover { from: b, shards: all_to(a), claims, claimed_until: until }).await.unwrap();
    expire(&store, b).await;
    assert_eq!(store.end_claims(Shards::NONE).await.unwrap(), [], "that is up to who owns the shard");
    assert_eq!(store.end_claims(Shards::ALL).await.unwrap(), [keys[1].job], "its node is gone");
    for key in &keys {
        let entry = work(&*store, key.job).await;
        assert_eq!((entry.claimed_by, entry.resends), (None, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_given_to_a_node_that_is_gone() {
    let schema = schema!();
    let store = schema.node().await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    store.take_shards(a, Shards::ALL).await.unwrap();
    expire(&store, b).await;
    let handover = Handover { from: a, shards: all_to(b), claims: Vec::new(), claimed_until: at(5) };
    assert!(matches!(store.hand_over(handover).await, Err(Error::Stale)));
    assert!(store.set_draining(a, true).await.unwrap() && !store.set_draining(b, true).await.unwrap());
    assert!(store.cluster().await.unwrap().nodes[0].is_draining);
    store.leave(a).await.unwrap();
    assert!(store.cluster().await.unwrap().owners.iter().all(Option::is_none));
}

/// A node that has not heard of a pause may start what wakes in it. What it may have sent is marked, and more rather than less.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_node_may_have_sent_before_it_heard_of_a_pause_is_marked() {
    let schema = schema!();
    let store = schema.node().await;
    let keys = stock(&store, 3).await;
    let (a, b) = (join(&store, "a").await, join(&store, "b").await);
    store.take_shards(a, Shards::ALL).await.unwrap();
    store.set_watermark(a, at(5)).await.unwrap();
    store.pause(PauseEntry::begin("ada".to_owned(), "a drill".to_owned(), at(7))).await.unwrap();
    store.set_watermark(a, keys[0].wake_at).await.unwrap();
    expire(&store, a).await;
    let sent = keys.iter().filter(|key| key.wake_at <= keys[0].wake_at).count() as u64;
    assert_eq!(store.take_shards(b, Shards::ALL).await.unwrap().marked, sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_node_writes_the_others_hear_of() {
    let schema = schema!();
    let [writer, reader] = [schema.node().await, schema.node().await];
    stock(&writer, 2).await;
    reader.follow().await.unwrap();
    reader.bell().take();
    let collection = writer.collection(&crate::sample::key("s/g/c")).await.unwrap().unwrap();
    let job = find_job(&*writer, &collection, "0000").await.unwrap();
    writer.put_job(edited(&collection, &job)).await.unwrap();
    writer.bell().take();
    reader.follow().await.unwrap();
    assert_eq!(reader.bell().take().jobs, [job.id].into());
    writer.follow().await.unwrap();
    assert!(writer.bell().take().is_empty(), "it has rung for its own writes already");
    let job = find_job(&*writer, &collection, "0001").await.unwrap();
    writer.delete_job(job.id, job.revision, by(at(8))).await.unwrap();
    reader.follow().await.unwrap();
    assert!(reader.bell().take().all, "rows of a job that is gone may be about to start");
    let pause = PauseEntry::begin("ada".to_owned(), "a drill".to_owned(), at(7));
    writer.pause(pause).await.unwrap();
    reader.follow().await.unwrap();
    assert!(reader.bell().take().pauses.unwrap().is_paused());
    writer.pause(PauseEntry::begin_at_start("serve --paused".to_owned(), String::new(), at(8))).await.unwrap();
    reader.follow().await.unwrap();
    assert!(reader.bell().take().pauses.unwrap().holds_messages());
    reader.follow().await.unwrap();
    assert!(reader.bell().take().is_empty());
}
