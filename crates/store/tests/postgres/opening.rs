//! Opening the store: its schema, and its keys.

use punctual_store::postgres::Postgres;
use punctual_store::seal::Keyring;
use punctual_store::{Error, KeySource, Store};

use crate::place::Place;
use crate::sample::{find_job, make_collection, make_job};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_that_start_together_make_one_schema() {
    let schema = schema!();
    let (one, two, three, four) =
        tokio::join!(schema.try_open(), schema.try_open(), schema.try_open(), schema.try_open());
    let nodes = [one.unwrap(), two.unwrap(), three.unwrap(), four.unwrap()];
    let collection = make_collection(&nodes[0], "s/g/c").await;
    for node in &nodes {
        assert_eq!(node.collection(&collection.key).await.unwrap().as_ref(), Some(&collection));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_key_is_refused() {
    let schema = schema!();
    let store = schema.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &collection, "j").await;
    let other = Postgres::open(&schema.settings(), Keyring::generate().unwrap(), KeySource::Outside).await;
    let Err(Error::Corrupt(reason)) = other else { panic!("another key of the same number") };
    assert_eq!(reason, "sealing key 1 is not the one that the database was written with; put that one back");
    let mut keyring = Keyring::generate().unwrap();
    keyring.add_key().unwrap();
    keyring.drop_old_keys();
    let other = Postgres::open(&schema.settings(), keyring, KeySource::Outside).await;
    let Err(Error::Corrupt(reason)) = other else { panic!("a keyring without the key") };
    assert!(reason.starts_with("sealing key 1 is missing"), "{reason}");
    assert!(find_job(&*store, &collection, "j").await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_program_stands_beside_a_newer_schema_that_allows_it() {
    let schema = schema!();
    drop(schema.open().await);
    schema.run("update schema_state set version = 99").await;
    drop(schema.open().await);
    schema.run("update schema_state set least_version = 99").await;
    let refused = schema.try_open().await.err().unwrap();
    assert!(matches!(&refused, Error::Refused(reason) if reason.contains("schema 99")), "{refused}");
    schema.run("update schema_state set version = 1, least_version = 1; update schema_step set checksum = 'x'").await;
    assert!(matches!(schema.try_open().await, Err(Error::Refused(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_first_nodes_one_makes_the_key_and_the_other_keeps_none() {
    let schema = schema!();
    let files = ["a", "b"].map(|name| schema.path(name));
    let settings = schema.settings();
    let (one, other) = tokio::join!(
        Postgres::open_with_key_file(&settings, None, &files[0]),
        Postgres::open_with_key_file(&settings, None, &files[1])
    );
    assert_eq!([files[0].exists(), files[1].exists()], [one.is_ok(), other.is_ok()]);
    let Err(Error::Refused(reason)) = (if one.is_ok() { other } else { one }) else { panic!("both, or neither") };
    assert!(reason.starts_with("this node has no sealing key"), "{reason}");
}
