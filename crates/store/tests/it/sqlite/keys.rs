//! The key file: which one is taken, and what a crash may leave.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use insta::assert_snapshot;
use punctual_store::Store;
use punctual_store::seal::Keyring;
use rusqlite::Connection;

use crate::place::Directory;
use crate::sample::{find_job, key, make_collection, make_job};

fn key_file(directory: &Directory) -> PathBuf {
    directory.path().join("secret.key")
}

fn told(directory: &Directory) -> String {
    directory.try_open().err().unwrap().to_string().replace(directory.path().to_str().unwrap(), "DATA")
}

/// A directory with a job in it.
async fn with_job() -> Directory {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    make_job(&store, &collection, "j").await;
    directory
}

async fn opens(directory: &Directory) -> bool {
    let store = directory.try_open().unwrap();
    let collection = store.collection(&key("s/g/c")).await.unwrap().unwrap();
    find_job(&store, &collection, "j").await.is_some()
}

async fn rotate(directory: &Directory) {
    let store = directory.try_open().unwrap();
    store.add_sealing_key().await.unwrap();
    while store.reseal(None).await.unwrap().next.is_some() {}
}

#[tokio::test]
async fn only_its_owner_can_read_it() {
    let directory = with_job().await;
    rotate(&directory).await;
    assert_eq!(fs::metadata(key_file(&directory)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn another_one_is_refused() {
    let directory = with_job().await;
    let right = fs::read(key_file(&directory)).unwrap();
    fs::write(key_file(&directory), Keyring::generate().unwrap().to_text()).unwrap();
    assert_snapshot!(told(&directory), @"sealing key 1 is not the one that the database was written with; put that one back");
    fs::write(key_file(&directory), "1 secret").unwrap();
    assert_snapshot!(told(&directory), @"the key file DATA/secret.key: line 1 of the key file is not a number and 64 hexadecimal digits");
    fs::write(key_file(&directory), right).unwrap();
    assert!(opens(&directory).await);
}

#[tokio::test]
async fn one_that_lacks_a_key_is_refused() {
    let directory = with_job().await;
    let before = fs::read(key_file(&directory)).unwrap();
    // Of a server whose keys were changed more often.
    let mut other = Keyring::generate().unwrap();
    other.add_key().unwrap();
    other.drop_old_keys();
    fs::write(key_file(&directory), other.to_text()).unwrap();
    assert_snapshot!(told(&directory), @"sealing key 1 is missing, and the database holds actions that only it opens; put it back. If the database is of a backup from before `punctual secrets rotate`, that is the secret.key of that time");
    // From before the last rotation.
    fs::write(key_file(&directory), &before).unwrap();
    rotate(&directory).await;
    fs::write(key_file(&directory), &before).unwrap();
    assert_snapshot!(told(&directory), @"sealing key 2 is missing, and the database holds actions that only it opens; put it back. If the database is of a backup from before `punctual secrets rotate`, that is the secret.key of that time");
}

#[tokio::test]
async fn a_missing_one_is_not_made_anew_for_a_database_that_needs_it() {
    let directory = with_job().await;
    let right = fs::read(key_file(&directory)).unwrap();
    fs::remove_file(key_file(&directory)).unwrap();
    assert_snapshot!(told(&directory), @"the key file DATA/secret.key is missing, and the database holds actions that only it opens; put it back");
    assert!(!key_file(&directory).exists());
    fs::write(key_file(&directory), right).unwrap();
    assert!(opens(&directory).await);
}

#[tokio::test]
async fn an_old_key_is_forgotten_after_a_rotation() {
    let directory = with_job().await;
    let keys = || fs::read_to_string(key_file(&directory)).unwrap();
    let before = keys();
    rotate(&directory).await;
    let after = keys();
    assert!(after.lines().count() == before.lines().count() && after.lines().last() != before.lines().last());
    assert!(opens(&directory).await);
    let database = Connection::open(directory.path().join("punctual.db")).unwrap();
    let known = |sql| database.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(known("select group_concat(id) from sealing_key"), "2");
    assert_eq!(known("select ifnull(group_concat(name), '') from meta where name like 'resealed%'"), "");
}

/// The crash between the two places in which a key is noted or forgotten.
#[tokio::test]
async fn a_crash_in_a_rotation_leaves_what_opens() {
    let directory = with_job().await;
    let first = fs::read_to_string(key_file(&directory)).unwrap();
    // The new key is in the file, and not in the database.
    let mut both = Keyring::parse(&first).unwrap();
    both.add_key().unwrap();
    fs::write(key_file(&directory), both.to_text()).unwrap();
    assert!(opens(&directory).await);
    rotate(&directory).await;
    // The old ones are gone from the file, and not from the database.
    let database = Connection::open(directory.path().join("punctual.db")).unwrap();
    database.execute("insert into sealing_key values (1, 'x'), (2, 'y')", []).unwrap();
    drop(database);
    assert!(opens(&directory).await);
    // Half a file beside it is nobody's.
    fs::write(directory.path().join("secret.key.new"), "1 ab").unwrap();
    rotate(&directory).await;
    assert!(opens(&directory).await);
}

#[tokio::test]
async fn keys_from_outside_are_not_changed_from_here() {
    let directory = Directory::new();
    let mut keys = Keyring::generate().unwrap();
    let open = |keys: &Keyring| {
        let keys = Keyring::parse(&keys.to_text()).unwrap();
        punctual_store::sqlite::Sqlite::open(directory.path(), Some(keys), Box::new(drop))
    };
    let store = open(&keys).unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    make_job(&store, &collection, "j").await;
    assert_snapshot!(store.add_sealing_key().await.unwrap_err(), @"the store is unavailable: the keys are in the setting secrets.key; add a line with a higher number there, start again, and rotate then");
    drop(store);
    assert!(!key_file(&directory).exists());
    keys.add_key().unwrap();
    let store = open(&keys).unwrap();
    while store.reseal(None).await.unwrap().next.is_some() {}
    drop(store);
    keys.drop_old_keys();
    assert!(find_job(&open(&keys).unwrap(), &collection, "j").await.is_some());
}
