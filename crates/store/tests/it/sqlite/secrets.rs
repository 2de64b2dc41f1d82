//! What can be read in the files.

use std::fs;
use std::path::Path;

use punctual_store::Store;

use crate::place::Directory;
use crate::sample::{definition, make_collection, new_job, pfx};

/// Every member of an action that a user may write a secret into, with a word that is nowhere else. Host, account, queue,
/// namespace and entity are in clear: jobs are found by what they call.
const JOBS: [&str; 4] = [
    r#"{"recurrence": {"cron": "7 7 * * *", "timeZone": "Europe/Prague"}, "action": {"request": {
        "uri": "https://a.example/canary-path?canary-query", "headers": {"Canary-Header": "canary-value"},
        "body": "canary-body", "authentication": {"type": "Basic", "username": "canary-user", "password": "canary-password"}},
        "errorAction": {"request": {"uri": "https://canary-error.example", "authentication": {"type": "ActiveDirectoryOAuth",
        "tenant": "canary-tenant", "audience": "canary-audience", "clientId": "canary-client", "secret": "canary-secret"}}}}}"#,
    r#"{"action": {"queueMessage": {"storageAccount": "account", "queueName": "a-queue",
        "sasToken": "canary-sas", "message": "canary-message"}}}"#,
    r#"{"action": {"serviceBusQueueMessage": {"queueName": "a-bus", "namespace": "a-namespace",
        "message": "canary-text", "authentication": {"sasKeyName": "canary-name", "sasKey": "canary-key"},
        "customMessageProperties": {"canary-custom": "canary-property"}, "brokeredMessageProperties": {"label": "canary-label"}}}}"#,
    r#"{"action": {"request": {"uri": "https://a.example", "authentication": {"pfx": "PFX", "password": "secret"}}}}"#,
];

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    all
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
}

/// No file has any of it; the schedule is in clear, which also shows that the files were looked at.
fn check(directory: &Directory, when: &str) {
    let files = files(directory.path());
    let pfx = &pfx()[..40];
    for (name, bytes) in &files {
        assert!(!holds(bytes, "canary") && !holds(bytes, pfx), "{name} {when}");
    }
    assert!(files.iter().any(|(_, bytes)| holds(bytes, "Europe/Prague")), "{when}");
}

#[tokio::test]
async fn nothing_of_an_action_is_in_clear() {
    let directory = Directory::new();
    let store = directory.try_open().unwrap();
    let collection = make_collection(&store, "s/g/c").await;
    for (number, text) in JOBS.into_iter().enumerate() {
        let mut write = new_job(&collection, &number.to_string());
        write.job.definition = definition(text);
        store.put_job(write).await.unwrap();
    }
    check(&directory, "while it is open");
    store.add_sealing_key().await.unwrap();
    while store.reseal(None).await.unwrap().next.is_some() {}
    check(&directory, "after a rotation");
    drop(store);
    check(&directory, "when it is closed");
}
