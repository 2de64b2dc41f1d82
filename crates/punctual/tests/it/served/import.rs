//! The story of moving in: files of other schedulers become jobs of a real server, and run.

use std::fs;
use std::path::Path;

use super::Served;
use super::receiver::Receiver;
use crate::cli::told;

/// Runs a command in the directory of the files, as the owner of the server.
fn punctual(served: &Served, directory: &Path, arguments: &[&str]) -> String {
    let url = format!("http://127.0.0.1:{}", served.port);
    let mut command = crate::binary();
    command.args(arguments).current_dir(directory).env("PUNCTUAL_URL", &url).env("PUNCTUAL_TOKEN", &served.token);
    told(&mut command, "")
}

/// A workflow that calls every second.
fn workflow(port: u16) -> String {
    format!(
        r#"{{"name": "every-second", "properties": {{"state": "Enabled", "definition": {{
            "triggers": {{"T": {{"type": "Recurrence", "recurrence": {{"frequency": "Second", "interval": 1}}}}}},
            "actions": {{"A": {{"type": "Http", "inputs": {{"method": "POST", "uri": "http://127.0.0.1:{port}/moved",
                "headers": {{"X-From": "logic-app"}}, "body": {{"a": 1}}, "retryPolicy": {{"type": "none"}}}}}}}}}}}}}}"#
    )
}

/// A template with a job whose key only Azure knows.
const TEMPLATE: &str = r#"{
  "parameters": {"account": {"type": "string", "defaultValue": "mystorage"}},
  "resources": [
    {"type": "Microsoft.Scheduler/jobCollections", "name": "ops", "location": "[resourceGroup().location]", "properties": {"sku": {"name": "Standard"}}},
    {"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "ops/past", "properties": {
      "startTime": "2016-01-01T00:30:00Z", "recurrence": {"frequency": "Hour", "interval": 1},
      "action": {"type": "Https", "request": {"uri": "https://example.com/", "method": "GET"}}}},
    {"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "ops/queue", "properties": {
      "recurrence": {"frequency": "Day"},
      "action": {"type": "StorageQueue", "queueMessage": {"storageAccount": "[parameters('account')]", "queueName": "work", "message": "go",
        "sasToken": "[listKeys(resourceId('Microsoft.Storage/storageAccounts', parameters('account')), '2019-06-01').keys[0].value]"}}}}
  ]
}"#;

const CRONTAB: &str =
    "CRON_TZ=Europe/Berlin\n0 3 * * * curl -fsS https://example.com/nightly\n0 4 * * * /usr/local/bin/backup\n";

fn state(served: &Served, path: &str) -> Option<String> {
    let answer = served.client().call("GET", path, "").unwrap();
    (answer.status == 200).then(|| answer.body["state"].as_str().unwrap().to_owned())
}

#[test]
fn a_directory_of_files_becomes_running_jobs() {
    let (data, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200]);
    fs::write(files.path().join("template.json"), TEMPLATE).unwrap();
    fs::write(files.path().join("crontab"), CRONTAB).unwrap();
    fs::write(files.path().join("workflow.json"), workflow(receiver.port)).unwrap();
    let run = |arguments: &[&str]| punctual(&served, files.path(), arguments);

    // The report comes first, and writes nothing.
    let shown = run(&["import", "arm", "template.json"]);
    assert!(shown.contains("listKeys.mystorage.keys.0.value") && shown.contains("nothing was written"), "{shown}");
    assert_eq!(state(&served, "/v1/collections/ops/jobs/queue"), None);

    // With --yes the jobs are made, disabled; what is missing stays so.
    let made = run(&["import", "arm", "template.json", "--yes", "--enable"]);
    assert!(made.contains("template.json: made 2 jobs; 1 enabled") && made.ends_with("exit status 0"), "{made}");
    assert_eq!(state(&served, "/v1/collections/ops/jobs/queue").as_deref(), Some("disabled"));
    assert_eq!(state(&served, "/v1/collections/ops/jobs/past").as_deref(), Some("enabled"));
    // A start in the past makes no burst: the next run is the only thing that waits.
    let past = served.client().call("GET", "/v1/collections/ops/jobs/past", "").unwrap().body;
    assert_eq!(past["status"]["executionCount"], 0, "{past}");

    // What is there, and enabled, is nobody's to replace: nothing of the file is written.
    let again = run(&["import", "arm", "template.json", "--yes", "--set", "listKeys.mystorage.keys.0.value=sig=x"]);
    assert!(again.contains("there already") && again.ends_with("exit status 1"), "{again}");
    let secret = "/v1/collections/ops/jobs/queue";
    assert_eq!(state(&served, secret).as_deref(), Some("disabled"));

    // A crontab, with the reason for what does not fit.
    let cron = run(&["import", "crontab", "crontab", "--yes"]);
    assert!(cron.contains("1 exactly, 0 nearly, 0 by hand, 1 not") && cron.contains("it runs \"backup\""), "{cron}");
    assert_eq!(state(&served, "/v1/jobs/example-com-nightly").as_deref(), Some("disabled"));

    // Nothing runs before --enable; then it does, as it did in its origin.
    let workflow = run(&["import", "logic-app", "workflow.json", "--yes"]);
    assert!(workflow.contains("made 1 job; 0 enabled"), "{workflow}");
    assert_eq!(receiver.number(), 0);
    let workflow = run(&["import", "logic-app", "workflow.json", "--yes", "--enable"]);
    assert!(workflow.contains("made 1 job, 1 of them again; 1 enabled"), "{workflow}");
    receiver.wait_for(2);
    assert_eq!(receiver.header("X-From")[..2], ["logic-app", "logic-app"]);
    assert_eq!(receiver.json(0), serde_json::json!({ "a": 1 }));
    assert_eq!(served.stop(), Some(0));
}

#[test]
fn an_import_is_all_or_nothing() {
    let (data, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    // A collection of the Free plan takes five jobs: the sixth is refused, and the five before it are taken back.
    let job = |number: usize| {
        format!(
            r#"{{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "free/j{number}", "properties": {{
                "recurrence": {{"frequency": "Hour"}}, "action": {{"request": {{"uri": "https://example.com/"}}}}}}}}"#
        )
    };
    let jobs: Vec<_> = (1..=6).map(job).collect();
    let collection =
        r#"{"type": "Microsoft.Scheduler/jobCollections", "name": "free", "properties": {"sku": {"name": "Free"}}}"#;
    fs::write(files.path().join("free.json"), format!(r#"{{"resources": [{collection}, {}]}}"#, jobs.join(", ")))
        .unwrap();
    let refused = punctual(&served, files.path(), &["import", "arm", "free.json", "--yes"]);
    assert!(!refused.ends_with("exit status 0"), "{refused}");
    let answer = served.client().call("GET", "/v1/collections/free", "").unwrap();
    assert_eq!(answer.status, 404, "{answer:?}");
    // A file that cannot be read keeps the others from being written, too.
    fs::write(files.path().join("broken.json"), "{\n  \"resources\": [\n").unwrap();
    fs::write(files.path().join("good.json"), format!(r#"{{"resources": [{}]}}"#, jobs[0])).unwrap();
    let broken = punctual(&served, files.path(), &["import", "arm", "good.json", "broken.json", "--yes"]);
    assert!(broken.contains("broken.json: line 3") && broken.ends_with("exit status 2"), "{broken}");
    assert_eq!(state(&served, "/v1/collections/free/jobs/j1"), None);
}
