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
#[expect(clippy::too_many_lines, reason = "one story, most of it is what the program prints")]
fn files_are_planned_applied_and_pruned() {
    let (data, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let run = |variables: &[(&str, &str)], arguments: &str| run(&served, directory.path(), variables, arguments);
    files(directory.path(), "[2]");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web"), @"
    -- stdout
    create  collection ops
    create  ops/nightly
            At 02:00 every day, Europe/Berlin, 5 times; first run 2099-01-01T02:00:00+01:00
    create  ops/weekly
            At 00:00 on Thursday, UTC; first run 2099-01-01T00:00:00Z
    create  alert team
    -- stderr
    plan: 4 to create; 0 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --check --output name"), @"
    -- stdout
    collection ops
    ops/nightly
    ops/weekly
    alert team
    -- stderr
    plan: 4 to create; 0 unchanged
    -- exit status 6
    ");
    assert_snapshot!(run(&[], "apply -f jobs --set web"), @"
    -- stdout
    create  collection ops
    create  ops/weekly
            At 00:00 on Thursday, UTC; first run 2099-01-01T00:00:00Z
    create  alert team
    -- stderr
    note: not set here, so that what is stored stays: OPS_PASSWORD
    not all of this can be written, so that nothing is:
    error: ops/nightly (jobs/ops.yaml:6): action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    -- exit status 2
    ");
    assert_snapshot!(run(&PASSWORD, "apply -f jobs --set web --output name"), @"
    -- stdout
    collection ops
    ops/nightly
    ops/weekly
    alert team
    -- stderr
    applied: 4 created; 0 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&[], "apply -f jobs --set web"), @"
    -- stderr
    note: not set here, so that what is stored stays: OPS_PASSWORD
    applied: nothing to change; 4 unchanged
    -- exit status 0
    ");
    files(directory.path(), "[2, 14]");
    assert_snapshot!(run(&[("OPS_PASSWORD", "two")], "apply -f jobs --set web --dry-run --check"), @"
    -- stdout
    change  ops/nightly
            recurrence.schedule.hours: [2] becomes [2,14]
            a secret changes
            these 2 runs vanish: 2099-01-04T02:00:00+01:00, 2099-01-05T02:00:00+01:00; these 2 runs appear: 2099-01-01T14:00:00+01:00, 2099-01-02T14:00:00+01:00
            next run stays 2099-01-01T02:00:00+01:00
    -- stderr
    plan: 1 to change; 3 unchanged
    -- exit status 6
    ");
    assert_snapshot!(run(&[], "apply -f jobs --set web --progress"), @"
    -- stdout
    change  ops/nightly
            recurrence.schedule.hours: [2] becomes [2,14]
            these 2 runs vanish: 2099-01-04T02:00:00+01:00, 2099-01-05T02:00:00+01:00; these 2 runs appear: 2099-01-01T14:00:00+01:00, 2099-01-02T14:00:00+01:00
            next run stays 2099-01-01T02:00:00+01:00
    -- stderr
    1 object …
    3 objects …
    4 objects …
    note: not set here, so that what is stored stays: OPS_PASSWORD
    1 object …
    1 object …
    applied: 1 changed; 3 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --output json"), @"
    -- stdout
    []
    -- stderr
    plan: nothing to change; 4 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs"), @"
    -- stderr
    not all of this can be written, so that nothing is:
    error: collection ops (jobs/ops.yaml:1): belongs to the set web: say --set web, or take it over with --take-over
    error: ops/nightly (jobs/ops.yaml:6): belongs to the set web: say --set web, or take it over with --take-over
    error: ops/weekly (jobs/original.json:1): belongs to the set web: say --set web, or take it over with --take-over
    -- exit status 2
    ");
    fs::remove_file(directory.path().join("jobs/original.json")).unwrap();
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web"), @"
    -- stderr
    plan: nothing to change; 3 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "apply -f jobs --set web --prune"), @"
    -- stdout
    delete  ops/weekly
            runs vanish: 2099-01-01T00:00:00Z, 2099-01-08T00:00:00Z, 2099-01-15T00:00:00Z, …
    -- stderr
    applied: 1 deleted; 3 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --set web --prune --check"), @"
    -- stderr
    plan: nothing to change; 3 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run(&PASSWORD, "diff -f jobs --prune"), @"
    -- stderr
    error: the following required arguments were not provided:
      --set <NAME>

    Usage: punctual diff --file <PATH> --set <NAME> --prune

    For more information, try '--help'.
    -- exit status 2
    ");
    // What the set does not mark is nobody's to delete.
    served.client().call("PUT", "/v1/collections/ops/jobs/by-hand", BY_HAND).unwrap();
    fs::write(directory.path().join("jobs/ops.yaml"), "kind: collection\nname: other\n").unwrap();
    assert_snapshot!(run(&[], "apply -f jobs --set web --prune"), @"
    -- stdout
    create  collection other
    delete  ops/nightly
            5 runs vanish: 2099-01-01T02:00:00+01:00, 2099-01-01T14:00:00+01:00, 2099-01-02T02:00:00+01:00, …
    -- stderr
    applied: 1 created, 1 deleted; 1 unchanged
    -- exit status 0
    ");
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
    assert_snapshot!(run("apply -f jobs"), @r#"
    -- stderr
    error: jobs/a.yaml:1: action.queueMessage.sasToken: a secret does not stand in a file: write {fromEnv: NAME} or {fromFile: PATH}, and keep it elsewhere
    error: jobs/a.yaml:6: kind: given "thing", expected collection, job or alert
    error: jobs/b.yaml:1: replace: the one thing that can be said here, of a job, is completed
    error: jobs/b.yaml:6: alert TEAM stands in these files twice
    error: jobs/a.yaml: unclosed bracket '[' at line 9, column 4
    -- exit status 2
    "#);
    fs::remove_file(jobs.join("a.yaml")).unwrap();
    fs::write(jobs.join("b.yaml"), "kind: job\ncollection: ops\nname: c\naction: { request: { uri: nowhere } }\n---\nkind: job\ncollection: gone\nname: d\naction: { request: { uri: https://example.invalid/ } }\n").unwrap();
    assert_snapshot!(run("apply -f jobs --output name"), @r#"
    -- stdout
    collection ops
    ops/weekly
    alert team
    -- stderr
    note: not set here, so that what is stored stays: OPS_PASSWORD
    not all of this can be written, so that nothing is:
    error: ops/c (jobs/b.yaml:1): action.request.uri: Given "nowhere", expected an absolute address such as https://example.com/path.
    error: gone/d (jobs/b.yaml:6): The Resource 'Microsoft.Scheduler/jobcollections/gone' under resource group 'default' was not found.
    error: ops/nightly (jobs/ops.yaml:6): action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    -- exit status 2
    "#);
    assert_eq!(served.client().call("GET", "/v1/collections/ops", "").unwrap().status, 404);
    assert_snapshot!(run("diff -f nowhere"), @r#"
    -- stderr
    error: "nowhere": no such file or directory
    -- exit status 3
    "#);
    fs::create_dir(directory.path().join("empty")).unwrap();
    assert_snapshot!(run("diff -f empty"), @"
    -- stderr
    error: empty: there are no documents in it
    -- exit status 2
    ");
    assert_snapshot!(run("diff -f jobs --url http://127.0.0.1:1"), @"
    -- stderr
    error: cannot reach http://127.0.0.1:1: Unable to connect to the remote server: 127.0.0.1:1 refused the connection
    -- exit status 5
    ");
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
    assert_snapshot!(run("apply -f once.yaml"), @"
    -- stderr
    not all of this can be written, so that nothing is:
    error: default/once (once.yaml:1): properties.state: Job 'once' is Completed and cannot be changed any more; delete it first.
    -- exit status 2
    ");
    write("replace: completed\n");
    assert_snapshot!(run("apply -f once.yaml"), @"
    -- stdout
    replace default/once
            the job has ended: it is deleted, and made again
            Once, at 2099-01-01T00:00:00Z; first run 2099-01-01T00:00:00Z
    -- stderr
    applied: 1 made again; 0 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run("apply -f once.yaml"), @"
    -- stderr
    applied: nothing to change; 1 unchanged
    -- exit status 0
    ");
    assert_snapshot!(run("export default"), @r#"
    -- stdout
    kind: collection
    name: default
    state: enabled
    ---
    kind: job
    name: once
    collection: default
    state: enabled
    startTime: "2099-01-01T00:00:00Z"
    action:
      type: https
      request:
        method: GET
        uri: https://example.invalid/
    -- exit status 0
    "#);
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
