//! `punctual add` and `punctual job`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;

use insta::assert_snapshot;

use super::Served;
use super::cli::{command, punctual, without_what_changes};
use super::receiver::Receiver;
use crate::cli::told;

fn run(served: &Served, arguments: &[&str], stdin: &str) -> String {
    without_what_changes(served, &told(&mut command(served, arguments), stdin))
}

#[test]
fn the_first_job_is_one_line() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert_snapshot!(punctual(&served, "add https://example.invalid/a?b --every day --start 2099-01-30T05:00 --zone Europe/Prague"), @"
    -- stdout
    default/example.invalid-a
    At 05:00 every day, Europe/Prague
    next runs 2099-01-30T05:00:00+01:00
    2099-01-31T05:00:00+01:00
    2099-02-01T05:00:00+01:00
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "add https://example.invalid/a --every 5m"), @"
    -- stderr
    error: there is a job default/example.invalid-a already, and it was not touched; change it: punctual job edit default/example.invalid-a
    -- exit status 1
    ");
    assert_snapshot!(punctual(&served, "add https://example.invalid/b"), @"
    -- stderr
    error: punctual add: given no time, expected --every 5m, --cron '30 2 * * *' or --at 08:00
    -- exit status 2
    ");
    assert_snapshot!(punctual(&served, "add https://example.invalid/b --every soon --zone Mars"), @r#"
    -- stderr
    error: --zone: given "Mars", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    error: --every: given "soon", expected a number and a unit such as 15m, 2 hours, day, 3 weeks, 6 months or year
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "add ftp://example.invalid/b --every 5m"), @r#"
    -- stderr
    error: action.request.uri: Given "ftp://example.invalid/b", expected a scheme of http or https.
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "add https://example.invalid/c --at 2099-01-01T08:00 --zone Europe/Prague --name once --times utc"), @"
    -- stdout
    default/once
    Once, at INSTANT
    next runs INSTANT
    -- exit status 0
    ");
}

#[test]
fn the_collection_default_is_made_if_it_is_gone() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert!(punctual(&served, "collection delete default").ends_with("exit status 0"));
    assert_snapshot!(punctual(&served, "add https://example.invalid --at 2099-01-01"), @"
    -- stdout
    default/example.invalid
    Once, at INSTANT
    next runs INSTANT
    -- stderr
    the collection default was made
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "add https://example.invalid --at 2099-01-01 --name defalt/x"), @"
    -- stderr
    error: The Resource 'Microsoft.Scheduler/jobcollections/defalt' under resource group 'default' was not found. Did you mean default?
    -- exit status 3
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "the life of one job, each step of which needs those before")]
fn jobs_are_made_changed_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let create = [
        "job",
        "create",
        "nightly",
        "--uri",
        "https://example.invalid/r?key=1",
        "--cron",
        "30 2 * * *",
        "--zone",
        "Europe/Prague",
        "--start",
        "2099-01-01",
        "--header",
        "X-Team: ops",
        "--body",
        "{}",
        "--retries",
        "2",
        "--retry-interval",
        "1m",
        "--timeout",
        "5m",
    ];
    assert_snapshot!(run(&served, &create, ""), @"
    -- stdout
    default/nightly
    At 02:30 every day, Europe/Prague
    next runs 2099-01-01T02:30:00+01:00
    2099-01-02T02:30:00+01:00
    2099-01-03T02:30:00+01:00
    -- exit status 0
    ");
    assert_snapshot!(run(&served, &create, ""), @"
    -- stderr
    error: there is a job default/nightly already, and it was not touched; change it: punctual job edit default/nightly
    -- exit status 1
    ");
    assert_snapshot!(punctual(&served, "job show nightly"), @"
    -- stdout
    job default/nightly
    state enabled
    when At 02:30 every day, Europe/Prague
    does POST https://example.invalid/r
    next run 2099-01-01T02:30:00+01:00
    last run -
    outcome -
    attempts 0, of which failed 0; given up 0
    -- exit status 0
    ");
    assert_snapshot!(run(&served, &["job", "set", "nightly", "--every", "2 days", "--header", "X-Team:", "--header", "Y: z"], ""), @"
    -- stdout
    default/nightly
    At 00:00 every 2 days, Europe/Prague
    next runs 2099-01-01T00:00:00+01:00
    2099-01-03T00:00:00+01:00
    2099-01-05T00:00:00+01:00
    -- stderr
    warning: recurrence.cron: dropped, since the new definition has none; the next run was 2099-01-01T01:30:00Z, is INSTANT
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job show default/nightly --output yaml"), @r#"
    -- stdout
    name: nightly
    collection: default
    path: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/nightly
    state: enabled
    startTime: "2098-12-31T23:00:00Z"
    recurrence:
    frequency: day
    interval: 2
    timeZone: Europe/Prague
    action:
    type: https
    request:
    method: POST
    uri: https://example.invalid/r?key=1
    headers:
    "Y": z
    body: "{}"
    retryPolicy:
    retryCount: 2
    retryInterval: PT1M
    retryType: fixed
    options:
    timeout: PT5M
    status:
    executionCount: 0
    failureCount: 0
    failuresInARow: 0
    faultedCount: 0
    nextExecutionTime: "2098-12-31T23:00:00Z"
    owedRuns: 0
    -- exit status 0
    "#);
    assert_snapshot!(punctual(&served, "job set nightly"), @"
    -- stderr
    error: job set: given nothing, expected a flag that says what to change
    -- exit status 2
    ");
    assert_snapshot!(punctual(&served, "job set nightly --overlap never"), @r#"
    -- stderr
    error: options.overlap: Given "never", expected one of skip, allow.
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "job disable nightly"), @"
    -- stderr
    default/nightly is disabled
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list --state disabled"), @"
    -- stdout
    JOB STATE OUTCOME NEXT RUN WHEN TARGET
    default/nightly disabled - - At 00:00 every 2 days, Europe/Prague POST https://example.invalid/r
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job enable nightly"), @"
    -- stderr
    default/nightly is enabled
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job show nihgtly"), @"
    -- stderr
    error: Job 'nihgtly' cannot be found. Did you mean default/nightly?
    -- exit status 3
    ");
    assert_snapshot!(punctual(&served, "job show defualt/nightly"), @"
    -- stderr
    error: The Resource 'Microsoft.Scheduler/jobcollections/defualt' under resource group 'default' was not found. Did you mean default?
    -- exit status 3
    ");
    assert_snapshot!(punctual(&served, "job show a/b/c"), @"
    -- stderr
    error: invalid value 'a/b/c' for '<JOB>': a job is COLLECTION/JOB, JOB in the collection default, or SUBSCRIPTION/GROUP/COLLECTION/JOB

    For more information, try '--help'.
    -- exit status 2
    ");
    assert_snapshot!(punctual(&served, "job delete nightly nightly"), @"
    -- stderr
    default/nightly is deleted
    error: Job 'nightly' cannot be found.
    -- exit status 3
    ");
}

#[test]
fn jobs_are_made_from_documents() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let yaml = "# a job\naction:\n  request:\n    uri: https://example.invalid/\n    body: |\n      one\n      two\nrecurrence:\n  frequency: day\n  schedule: {hours: [08], minutes: [0]}\nstartTime: 2099-01-01\n";
    assert_snapshot!(run(&served, &["job", "create", "yaml", "-f", "-", "--output", "name"], yaml), @"
    -- stdout
    default/yaml
    -- exit status 0
    ");
    let body = served.client().call("GET", "/v1/jobs/yaml", "").unwrap().body;
    assert_eq!(body["action"]["request"]["body"], "one\ntwo\n");
    assert_eq!(body["recurrence"]["schedule"]["hours"][0], 8);
    let json =
        r#"{ "action": { "request": { "uri": "https://example.invalid/" } }, /* soon */ "startTime": "2099-01-01", }"#;
    assert_snapshot!(run(&served, &["job", "create", "json", "-f", "-", "--disabled", "--method", "POST"], json), @"
    -- stdout
    default/json
    Once, at INSTANT
    -- stderr
    it is disabled, and runs when it is enabled
    -- exit status 0
    ");
    assert_snapshot!(run(&served, &["job", "create", "wrong", "-f", "-"], "action: [1,\n"), @"
    -- stderr
    error: -: unclosed bracket '[' at line 1, column 9
    -- exit status 2
    ");
    assert_snapshot!(run(&served, &["job", "create", "wrong", "-f", "-"], "recurrence: {frequency: day, hours: [25]}\n"), @"
    -- stderr
    error: action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    error: recurrence.hours: Move hours into recurrence.schedule.
    -- exit status 2
    ");
    assert_snapshot!(punctual(&served, "job create wrong"), @"
    -- stderr
    error: --uri: given nothing, expected the address that is called, or a file with --file
    -- exit status 2
    ");
}

#[test]
fn lists_are_filtered_and_sorted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert_snapshot!(punctual(&served, "job list"), @"
    -- stderr
    no job matches; make one: punctual add URL --every 5m
    -- exit status 0
    ");
    assert!(punctual(&served, "collection create ops").ends_with("exit status 0"));
    for (job, host, at) in [
        ("default/b", "b.invalid", "2099-01-02"),
        ("ops/a", "a.invalid", "2099-01-03"),
        ("ops/c", "b.invalid", "2099-01-01"),
    ] {
        let said = punctual(&served, &format!("add https://{host}/ --name {job} --at {at}"));
        assert!(said.ends_with("exit status 0"), "{said}");
    }
    assert_snapshot!(punctual(&served, "job list"), @"
    -- stdout
    JOB STATE OUTCOME NEXT RUN WHEN TARGET
    default/b enabled - INSTANT Once, at INSTANT GET https://b.invalid/
    ops/a enabled - INSTANT Once, at INSTANT GET https://a.invalid/
    ops/c enabled - INSTANT Once, at INSTANT GET https://b.invalid/
    -- stderr
    3 jobs
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list --sort nextRun --output name"), @"
    -- stdout
    ops/c
    default/b
    ops/a
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list ops --output name"), @"
    -- stdout
    ops/a
    ops/c
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list --target b.invalid --limit 1 --output name"), @"
    -- stdout
    default/b
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list --search a.inv --output name"), @"
    -- stdout
    ops/a
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "job list opps"), @"
    -- stderr
    error: The Resource 'Microsoft.Scheduler/jobcollections/opps' under resource group 'default' was not found. Did you mean ops?
    -- exit status 3
    ");
    assert_snapshot!(punctual(&served, "job list --state asleep"), @r#"
    -- stderr
    error: state: Given "asleep", expected one of enabled, disabled, completed, faulted.
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "job list --outcome failed --output json"), @"
    -- stdout
    []
    -- exit status 0
    ");
    let listed = punctual(&served, "job list --output json");
    let json = listed.strip_prefix("-- stdout").unwrap().split("-- exit").next().unwrap();
    let jobs: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!((jobs[0]["name"].as_str(), jobs.as_array().unwrap().len()), (Some("b"), 3));
}

#[test]
fn a_list_is_printed_page_by_page() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let mut client = served.client();
    for number in 0..501 {
        let body = r#"{"action": {"request": {"uri": "https://example.invalid/"}}, "startTime": "2099-01-01"}"#;
        assert_eq!(client.call("PUT", &format!("/v1/jobs/job{number:03}"), body).unwrap().status, 201);
    }
    let names = punctual(&served, "job list --output name");
    assert_eq!(names.lines().filter(|line| line.starts_with("default/job")).count(), 501);
    let said = punctual(&served, "job list --output json");
    let json = said.strip_prefix("-- stdout").unwrap().split("-- exit").next().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap().as_array().unwrap().len(), 501);
    let table = punctual(&served, "job list");
    assert!(table.contains("default/job500") && table.contains("501 jobs") && table.matches("NEXT RUN").count() == 1);
}

#[test]
fn a_run_ends_with_its_outcome() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200, 500]);
    let add = format!("add http://127.0.0.1:{}/ --name target --at 2099-01-01 --retries 0", receiver.port);
    assert!(punctual(&served, &add).ends_with("exit status 0"));
    let said = punctual(&served, "job run target --wait");
    assert!(said.contains("Response from host '127.0.0.1': 'OK'") && said.ends_with("exit status 0"), "{said}");
    let said = punctual(&served, "job run target --wait");
    assert!(said.contains("error: default/target failed: ") && said.ends_with("exit status 1"), "{said}");
    assert_snapshot!(punctual(&served, "job run target"), @"
    -- stdout
    TAG
    -- exit status 0
    ");
    receiver.wait_for(3);
    assert_snapshot!(punctual(&served, "job run targte --wait"), @"
    -- stderr
    error: Job 'targte' cannot be found. Did you mean default/target?
    -- exit status 3
    ");
    assert_snapshot!(punctual(&served, "job history target --limit 2 --outcome givenUp --output name").lines().next().unwrap(), @"-- stdout");
    let said = punctual(&served, "job history target --outcome succeeded");
    assert!(said.contains("INSTANT succeeded INSTANT 1 Http Action - Response from host '127.0.0.1': 'OK'"), "{said}");
    assert_snapshot!(punctual(&served, "job history target --outcome great"), @r#"
    -- stderr
    error: outcome: Given "great", expected succeeded, failed, notRun or givenUp.
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "job rerun target --dry-run --output name"), @"
    -- stdout
    default/target
    -- exit status 0
    ");
    let names =
        told(&mut command(&served, &["job", "history", "target", "--outcome", "givenUp", "--output", "name"]), "");
    let record = names.lines().nth(1).unwrap();
    assert_snapshot!(punctual(&served, &format!("job rerun target {record}")), @"
    -- stdout
    TAG
    -- exit status 0
    ");
    receiver.wait_for(4);
}

#[test]
fn what_happens_to_a_job_is_watched() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let receiver = Receiver::start(&[200]);
    for name in ["watched", "other"] {
        let add = format!("add http://127.0.0.1:{}/ --name {name} --at 2099-01-01", receiver.port);
        assert!(punctual(&served, &add).ends_with("exit status 0"));
    }
    assert_snapshot!(punctual(&served, "job watch wacthed"), @"
    -- stderr
    error: Job 'wacthed' cannot be found. Did you mean default/watched?
    -- exit status 3
    ");
    let mut watch = command(&served, &["job", "watch", "watched"]).stdout(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(watch.stdout.take().unwrap());
    let (heard, line) = mpsc::channel();
    let reader = thread::spawn(move || heard.send(stdout.lines().next().unwrap().unwrap()));
    // Whether the stream has begun is not said: the jobs are run until one run is heard of.
    let line = loop {
        assert!(punctual(&served, "job run other --wait").ends_with("exit status 0"));
        assert!(punctual(&served, "job run watched --wait").ends_with("exit status 0"));
        if let Ok(line) = line.try_recv() {
            break line;
        }
    };
    reader.join().unwrap().unwrap();
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(line.contains("default/watched"), "{line}");
}
