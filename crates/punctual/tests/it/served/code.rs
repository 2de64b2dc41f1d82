//! `punctual export`, `diff` and `apply`, and the pipelines that call them.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use super::Served;
use super::cli::command;
use crate::cli::told;

/// Runs a command in the directory of the files, with variables set.
fn run(served: &Served, directory: &Path, variables: &[(&str, &str)], arguments: &str) -> String {
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    let mut command = command(served, &arguments);
    told(command.current_dir(directory).envs(variables.iter().copied()), "")
}

const PASSWORD: [(&str, &str); 1] = [("OPS_PASSWORD", "one")];

fn files(directory: &Path, hours: &str) {
    let jobs = directory.join("jobs");
    fs::create_dir_all(&jobs).unwrap();
    let ops = format!(
        "# What the team ops runs.\nkind: collection\nname: ops\ntags: {{ team: ops }}\n---\nkind: job\ncollection: ops\nname: nightly\n\
         startTime: 2099-01-01T00:00:00Z\nrecurrence:\n  frequency: day\n  count: 5\n  schedule: {{ hours: {hours} }}\n  timeZone: Europe/Berlin\n\
         action:\n  request:\n    uri: https://example.invalid/report\n    method: POST\n    \
         authentication: {{ type: basic, username: robot, password: {{ fromEnv: OPS_PASSWORD }} }}\n"
    );
    fs::write(jobs.join("ops.yaml"), ops).unwrap();
    fs::write(
        jobs.join("original.json"),
        r#"{"value": [{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "ops/weekly", "location": "West Europe", // as it was
            "properties": {"startTime": "2099-01-01T00:00:00Z", "recurrence": {"frequency": "Week"}, "state": "Enabled",
            "action": {"type": "Http", "request": {"uri": "http://example.invalid/", "method": "GET"}}}}]}"#,
    )
    .unwrap();
    fs::write(
        jobs.join("alerts.yaml"),
        "kind: alert\nname: team\nwhen: [failing, recovered]\naction: { request: { uri: https://hooks.example.invalid/x } }\n",
    )
    .unwrap();
}

#[test]
fn files_are_planned_applied_and_pruned() {
    let (data, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let run = |variables: &[(&str, &str)], arguments: &str| run(&served, directory.path(), variables, arguments);
    files(directory.path(), "[2]");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web"), @"");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --check --output name"), @"");
    assert_snapshot!(run(&[], "apply -f jobs --set web"), @"");
    assert_snapshot!(run(&PASSWORD, "apply -f jobs --set web --output name"), @"");
    assert_snapshot!(run(&[], "apply -f jobs --set web"), @"");
    files(directory.path(), "[2, 14]");
    assert_snapshot!(run(&[("OPS_PASSWORD", "two")], "apply -f jobs --set web --dry-run --check"), @"");
    assert_snapshot!(run(&[], "apply -f jobs --set web --progress"), @"");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --output json"), @"");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs"), @"");
    fs::remove_file(directory.path().join("jobs/original.json")).unwrap();
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web"), @"");
    assert_snapshot!(run(&PASSWORD, "apply -f jobs --set web --prune"), @"");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --prune --check"), @"");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --prune"), @"");
    // What the set does not mark is nobody's to delete.
    served.client().call("PUT", "/v1/collections/ops/jobs/by-hand", BY_HAND).unwrap();
    fs::write(directory.path().join("jobs/ops.yaml"), "kind: collection\nname: other\n").unwrap();
    assert_snapshot!(run(&[], "apply -f jobs --set web --prune"), @"");
    assert_eq!(served.client().call("GET", "/v1/collections/ops/jobs/by-hand", "").unwrap().status, 200);
}

const BY_HAND: &str = r#"{"startTime": "2099-01-01", "action": {"request": {"uri": "https://example.invalid/"}}}"#;

#[test]
fn everything_that_is_wrong_is_told_and_nothing_is_written() {
    let (data, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let run = |arguments: &str| run(&served, directory.path(), &[], arguments);
    files(directory.path(), "[2]");
    let jobs = directory.path().join("jobs");
    fs::write(
        jobs.join("a.yaml"),
        "kind: job\nname: a\naction:\n  queueMessage: { sasToken: secret }\n---\nkind: thing\nname: b\n---\na: [1\n",
    )
    .unwrap();
    fs::write(
        jobs.join("b.yaml"),
        "kind: job\ncollection: OPS\nname: Nightly\nreplace: always\n---\nkind: alert\nname: TEAM\n",
    )
    .unwrap();
    assert_snapshot!(run("apply -f jobs"), @"");
    fs::remove_file(jobs.join("a.yaml")).unwrap();
    fs::write(jobs.join("b.yaml"), "kind: job\ncollection: ops\nname: c\naction: { request: { uri: nowhere } }\n---\nkind: job\ncollection: gone\nname: d\naction: { request: { uri: https://example.invalid/ } }\n").unwrap();
    assert_snapshot!(run("apply -f jobs --output name"), @"");
    assert_eq!(served.client().call("GET", "/v1/collections/ops", "").unwrap().status, 404);
    assert_snapshot!(run("diff -f nowhere"), @"");
    fs::create_dir(directory.path().join("empty")).unwrap();
    assert_snapshot!(run("diff -f empty"), @"");
    assert_snapshot!(run("diff -f jobs --url http://127.0.0.1:1"), @"");
}

#[test]
fn a_job_that_has_ended_is_made_again_if_the_file_says_so() {
    let (data, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let run = |arguments: &str| run(&served, directory.path(), &[], arguments);
    let ended = r#"{"action": {"request": {"uri": "https://example.invalid/"}}, "recurrence": {"frequency": "day", "endTime": "2020-01-01"}}"#;
    assert_eq!(served.client().call("PUT", "/v1/jobs/once", ended).unwrap().body["state"], "completed");
    let file = directory.path().join("once.yaml");
    let write = |replace: &str| {
        let text = "kind: job\nname: once\nstartTime: 2099-01-01T00:00:00Z\naction: { request: { uri: https://example.invalid/ } }\n";
        fs::write(&file, format!("{text}{replace}")).unwrap();
    };
    write("");
    assert_snapshot!(run("apply -f once.yaml"), @"");
    write("replace: completed\n");
    assert_snapshot!(run("apply -f once.yaml"), @"");
    assert_snapshot!(run("apply -f once.yaml"), @"");
    assert_snapshot!(run("export default"), @"");
}

/// The commands of the pipelines under `deploy/ci`, run as far as they can be here: all but the installation.
#[test]
fn the_pipelines_run() {
    let (data, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    files(directory.path(), "[2]");
    let binary = Path::new(env!("CARGO_BIN_EXE_punctual")).parent().unwrap().to_owned();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let shell = |script: &str| {
        let mut shell = std::process::Command::new("bash");
        shell.args(["-e", "-c", script]).current_dir(directory.path()).env("PATH", &path);
        shell.env("PUNCTUAL_URL", format!("http://127.0.0.1:{}", served.port)).env("PUNCTUAL_TOKEN", &served.token);
        shell.env("OPS_PASSWORD", "one").env("GITHUB_STEP_SUMMARY", directory.path().join("summary.md"));
        shell.output().unwrap().status.code()
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/ci");
    let read = |name: &str| -> Value { serde_saphyr::from_str(&fs::read_to_string(root.join(name)).unwrap()).unwrap() };
    let github = read("github-actions.yml");
    let step = |job: &str| {
        let steps = github["jobs"][job]["steps"].as_array().unwrap().iter();
        let own = steps.filter(|step| step["name"] != "Install punctual").filter_map(|step| step["run"].as_str());
        own.map(ToOwned::to_owned).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(shell(&step("plan")), Some(0));
    assert!(fs::read_to_string(directory.path().join("summary.md")).unwrap().contains("create  ops/nightly"));
    assert_eq!(shell(&step("drift")), Some(6), "nothing was applied yet");
    assert_eq!(shell(&step("apply")), Some(0));
    assert_eq!(shell(&step("drift")), Some(0));
    let gitlab = read("gitlab-ci.yml");
    let script = |job: &str| {
        let lines = gitlab[job]["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        lines.collect::<Vec<_>>().join("\n")
    };
    fs::remove_file(directory.path().join("jobs/original.json")).unwrap();
    assert_eq!(shell(&script("drift")), Some(6));
    assert_eq!(shell(&script("plan")), Some(0));
    assert!(fs::read_to_string(directory.path().join("plan.txt")).unwrap().contains("delete  ops/weekly"));
    assert_eq!(shell(&script("apply")), Some(0));
    assert_eq!(shell(&script("drift")), Some(0));
}
