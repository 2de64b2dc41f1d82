//! Who is told of failures, by the real server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

use insta::assert_snapshot;
use serde_json::json;

use super::Served;
use super::cli::punctual;
use super::http::Client;
use super::receiver::Receiver;
use crate::cli::told;

/// Jobs that fail together.
const JOBS: usize = 5;

/// The first message, and the second.
const FAILED: &[u16] = &[503, 503, 503, 503, 503, 200];

/// A job that runs when it is told to.
fn job(port: u16) -> String {
    json!({
        "startTime": "2099-01-01T00:00:00Z",
        "recurrence": {"frequency": "Day"},
        "action": {"request": {"uri": format!("http://127.0.0.1:{port}/")}, "retryPolicy": {"retryType": "none"}},
    })
    .to_string()
}

fn put(client: &mut Client, path: &str, body: &str) {
    let answer = client.call("PUT", path, body).unwrap();
    assert!(matches!(answer.status, 200 | 201), "{path}: {answer:?}");
}

fn alert(port: u16) -> String {
    let action = json!({"request": {"uri": format!("http://127.0.0.1:{port}/hook"), "method": "POST"}});
    json!({"when": ["failing", "recovered"], "action": action}).to_string()
}

fn run_all(client: &mut Client) {
    for number in 0..JOBS {
        let answer = client.call("POST", &format!("/v1/jobs/job-{number}/run"), "").unwrap();
        assert!(answer.status < 300, "{answer:?}");
    }
}

#[test]
fn a_target_that_goes_down_is_one_message_and_its_recovery_another() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let (target, hook) = (Receiver::start(FAILED), Receiver::start(&[200]));
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(hook.port));
    for number in 0..JOBS {
        put(&mut client, &format!("/v1/jobs/job-{number}"), &job(target.port));
    }
    run_all(&mut client);
    hook.wait_for(1);
    let opened = hook.json(0);
    assert_eq!((&opened["kind"], &opened["jobCount"], &opened["code"]), (&"opened".into(), &5.into(), &503.into()));
    let headline = format!("5 jobs fail at 127.0.0.1:{}: 127.0.0.1 answered 503 Service Unavailable.", target.port);
    assert!(opened["headline"].as_str().unwrap().starts_with(&headline), "{opened}");
    assert_eq!(opened["excerpt"], "ok");
    // Nobody says how people reach the server.
    assert_eq!(opened["link"], format!("http://127.0.0.1:{}/v1/incidents/1", served.port));
    let incidents = punctual(&served, "incidents");
    assert!(incidents.contains("failing"), "{incidents}");
    // The command in the message runs again what failed, all of it.
    let command = opened["rerun"].as_str().unwrap();
    let said = punctual(&served, command.strip_prefix("punctual ").unwrap());
    assert!(said.contains("run again: 5 occurrences"), "{command}: {said}");
    hook.wait_for(2);
    let recovered = hook.json(1);
    assert_eq!((&recovered["kind"], &recovered["wellCount"]), (&"recovered".into(), &5.into()), "{recovered}");
    assert_eq!(recovered["incident"], opened["incident"]);
    assert_eq!(hook.number(), 2, "nobody was told anything else");
}

#[test]
fn a_message_survives_a_kill_and_a_test_says_what_came_back() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    // The first attempt to tell fails, and the server is killed before it tries again.
    let (target, hook) = (Receiver::start(&[500]), Receiver::start(&[503, 200]));
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(hook.port));
    put(&mut client, "/v1/jobs/job-0", &job(target.port));
    client.call("POST", "/v1/jobs/job-0/run", "").unwrap();
    hook.wait_for(1);
    served.kill();
    let served = Served::start(data.path());
    hook.wait_for(2);
    assert_eq!(hook.json(0), hook.json(1), "the same message, byte for byte");
    let tags = hook.header("x-ms-execution-tag");
    assert_eq!(tags[0], tags[1]);
    let tested = punctual(&served, "alert test ops");
    assert!(tested.contains("arrived"), "{tested}");
    assert_eq!(hook.json(2)["kind"], "test");
}

#[test]
fn a_paused_server_tells_and_a_corrected_address_gets_what_the_wrong_one_refused() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let (wrong, right) = (Receiver::start(&[503]), Receiver::start(&[200]));
    let target = Receiver::start(&[500]);
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(wrong.port));
    put(&mut client, "/v1/jobs/job-0", &job(target.port));
    client.call("POST", "/v1/jobs/job-0/run", "").unwrap();
    target.wait_for(1);
    punctual(&served, "pause");
    wrong.wait_for(1);
    put(&mut client, "/v1/alerts/ops", &alert(right.port));
    right.wait_for(1);
    assert_eq!(right.json(0), wrong.json(0), "the same message");
    assert_eq!(right.header("x-ms-execution-tag"), wrong.header("x-ms-execution-tag"));
    let tested = punctual(&served, "alert test ops");
    assert!(tested.contains("arrived"), "{tested}");
    assert_eq!((wrong.number(), target.number()), (1, 1), "the server is still paused");
}

#[test]
fn an_alert_of_another_form_tells_anew_what_did_not_arrive() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let (refusing, chat) = (Receiver::start(&[503]), Receiver::start(&[200]));
    let target = Receiver::start(&[500]);
    let mut client = served.client();
    put(&mut client, "/v1/alerts/ops", &alert(refusing.port));
    put(&mut client, "/v1/jobs/job-0", &job(target.port));
    client.call("POST", "/v1/jobs/job-0/run", "").unwrap();
    refusing.wait_for(1);
    let mut slack: serde_json::Value = serde_json::from_str(&alert(chat.port)).unwrap();
    slack["format"] = json!("slack");
    put(&mut client, "/v1/alerts/ops", &slack.to_string());
    chat.wait_for(1);
    let headline = refusing.json(0)["headline"].as_str().unwrap().to_owned();
    assert!(chat.json(0)["text"].as_str().unwrap().contains(&headline), "{}", chat.json(0));
    let messages = said(&served, "alert messages ops");
    assert!(messages.contains("opened failed The alert has another form now."), "{messages}");
    assert_eq!(refusing.number(), 1, "nothing goes to the old address any more");
}

/// A target that takes a request, and answers it when it is told to.
fn slow_target() -> (u16, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let ((arrive, arrived), (answer, answered)) = (mpsc::channel(), mpsc::channel());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        arrive.send(()).unwrap();
        answered.recv().unwrap();
        _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        // It stays open until the test is over.
        _ = answered.recv();
    });
    (port, arrived, answer)
}

#[test]
fn a_run_that_was_in_flight_before_the_first_alert_is_told_as_slow() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let ((target, arrived, answer), hook) = (slow_target(), Receiver::start(&[200]));
    let mut client = served.client();
    put(&mut client, "/v1/jobs/job-0", &job(target));
    client.call("POST", "/v1/jobs/job-0/run", "").unwrap();
    arrived.recv().unwrap();
    let mut slow: serde_json::Value = serde_json::from_str(&alert(hook.port)).unwrap();
    slow["when"] = json!(["recovered", {"slow": {"after": "1s"}}]);
    put(&mut client, "/v1/alerts/ops", &slow.to_string());
    hook.wait_for(1);
    let opened = hook.json(0);
    assert_eq!((&opened["kind"], &opened["trouble"]), (&"opened".into(), &"slow".into()), "{opened}");
    answer.send(()).unwrap();
    hook.wait_for(2);
    assert_eq!(hook.json(1)["kind"], "recovered");
}

/// Runs a command, and gives what it said in one line after the other.
fn said(served: &Served, arguments: &str) -> String {
    punctual(served, arguments).replace("-- exit status", "exit")
}

#[test]
fn alerts_are_set_shown_tested_muted_and_deleted_by_commands() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let hook = Receiver::start(&[200, 404]);
    assert_snapshot!(said(&served, "alert list"), @"
    -- stderr
    there are no alerts; make one: punctual alert set NAME --when failing,recovered --post URL
    exit 0
    ");
    assert_snapshot!(said(&served, "incidents"), @"
    -- stderr
    no incident is open
    exit 0
    ");
    let url = format!("http://127.0.0.1:{}/services/SECRET", hook.port);
    let without_port = |text: String| text.replace(&hook.port.to_string(), "PORT");
    let set = format!(
        "alert set ops --when failing=3,recovered,slow=5x --post {url} --format slack --scope default --reminder 4h"
    );
    assert_snapshot!(said(&served, &set), @"
    -- stderr
    alert ops is set; see whether messages arrive: punctual alert test ops
    exit 0
    ");
    assert_snapshot!(without_port(said(&served, "alert list")), @"
    -- stdout
    NAME WATCHES TELLS MUTED UNTIL WHEN
    ops default http://127.0.0.1:PORT (slack) - failing 3, slow 5x, recovered
    exit 0
    ");
    assert_snapshot!(without_port(said(&served, "alert show ops")), @"
    -- stdout
    name ops
    watches default
    when failing 3, slow 5x, recovered
    tells http://127.0.0.1:PORT (slack)
    reminder PT4H
    changed INSTANT by token ID
    exit 0
    ");
    assert_snapshot!(said(&served, "alert test ops"), @"
    -- stdout
    arrived: Test of the alert ops: messages arrive.
    exit 0
    ");
    // The second message is answered with 404: it did not arrive.
    assert_snapshot!(said(&served, "alert test ops"), @"
    -- stderr
    error: the message did not arrive: 127.0.0.1 answered 404 Not Found.
    exit 1
    ");
    assert_snapshot!(said(&served, "alert messages ops"), @"
    -- stdout
    AT KIND STATE MESSAGE
    INSTANT test failed 127.0.0.1 answered 404 Not Found.
    INSTANT test arrived Test of the alert ops: messages arrive.
    exit 0
    ");
    assert_snapshot!(said(&served, "alert mute ops --for 1h"), @"
    -- stderr
    alert ops tells nothing until INSTANT
    exit 0
    ");
    assert!(without_port(said(&served, "alert show ops")).contains("muted until INSTANT by token"));
    assert_snapshot!(said(&served, "alert unmute ops"), @"
    -- stderr
    alert ops tells again
    exit 0
    ");
    assert_snapshot!(said(&served, "alert delete ops"), @"
    -- stderr
    alert ops is deleted
    exit 0
    ");
    assert_snapshot!(said(&served, "alert test ops"), @"
    -- stderr
    error: Alert 'ops' cannot be found.
    exit 3
    ");
}

#[test]
fn an_alert_comes_from_a_file_and_what_is_wrong_with_it_is_said() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let file = data.path().join("alert.json");
    let set = format!("alert set ops -f {} --output json", file.display());
    let alert =
        r#"{ "when": ["late"], /* a webhook */ "action": { "request": { "uri": "https://example.com/hook" } }, }"#;
    std::fs::write(&file, alert).unwrap();
    assert!(said(&served, &set).contains(r#""after": "PT1M""#));
    std::fs::write(&file, r#"{ "when": ["lat"], "action": { "request": { "uri": "https://example.com/hook" } } }"#)
        .unwrap();
    assert_snapshot!(said(&served, &set), @"
    -- stderr
    error: when[0]: There is no such condition here: did you mean late?
    exit 2
    ");
    assert_snapshot!(said(&served, "alert set ops --when failing=often --post https://example.com"), @r#"
    -- stderr
    error: --when: given "failing=often", expected a number of attempts, such as failing=3
    exit 2
    "#);
    assert!(said(&served, "alert set new --when failing").contains("--post: given nothing"));
    assert!(said(&served, "alert mute ops").ends_with("exit 2"));
}

/// A server that answers a GET and a PUT, each on a connection of its own, and gives the head of the PUT.
fn answering(get: &'static str, put: &'static str) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answered = thread::spawn(move || {
        let mut head = String::new();
        for answer in [get, put] {
            let mut stream = BufReader::new(listener.accept().unwrap().0);
            head.clear();
            while !head.ends_with("\r\n\r\n") {
                stream.read_line(&mut head).unwrap();
            }
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap_or("0");
            stream.read_exact(&mut vec![0; length.parse().unwrap()]).unwrap();
            write!(stream.get_mut(), "{answer}").unwrap();
        }
        head
    });
    (port, answered)
}

#[test]
fn nobody_overwrites_what_somebody_else_has_set_meanwhile() {
    const THERE: &str = "HTTP/1.1 200 OK\r\nETag: \"a1-7\"\r\nContent-Length: 84\r\n\r\n\
        {\"when\":[\"failing\"],\"action\":{\"request\":{\"uri\":\"https://example.com\",\"body\":\"{}\"}}}\n";
    const ABSENT: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}";
    const CHANGED: &str = "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 2\r\n\r\n{}";
    for (get, condition) in [(THERE, "If-Match: \"a1-7\""), (ABSENT, "If-None-Match: *")] {
        let (port, answered) = answering(get, CHANGED);
        let mut command = crate::binary();
        command.args("alert set ops --when ended --post https://example.com".split(' '));
        command.env("PUNCTUAL_URL", format!("http://127.0.0.1:{port}")).env("PUNCTUAL_TOKEN", "x");
        let said = told(&mut command, "");
        let expected = "error: somebody else has changed the alert ops just now, and nothing was written; look at it \
            (punctual alert show ops), and set it again";
        assert!(said.contains(expected) && said.trim_end().ends_with("exit status 1"), "{said}");
        let head = answered.join().unwrap();
        assert!(head.starts_with("PUT /v1/alerts/ops ") && head.contains(condition), "{head}");
    }
}

#[test]
fn what_failed_is_run_again_by_a_command() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let target = Receiver::start(&[503, 200]);
    let mut client = served.client();
    put(&mut client, "/v1/jobs/nightly", &job(target.port));
    assert_snapshot!(said(&served, "rerun default/nightly"), @"
    -- stderr
    nothing to run again: nothing that failed since INSTANT matches default/nightly; what has succeeded since, or is still retried, is left out
    exit 0
    ");
    client.call("POST", "/v1/jobs/nightly/run", "").unwrap();
    target.wait_for(1);
    while !said(&served, "failures").contains("default/nightly failing") {}
    assert_snapshot!(said(&served, "rerun default/nightly --dry-run"), @"
    -- stdout
    JOB RUN AGAIN LEFT BECAUSE
    default/nightly 1 0
    -- stderr
    would be run again: 1 occurrence
    exit 0
    ");
    assert_eq!(target.number(), 1);
    assert_snapshot!(said(&served, "rerun default/nightly --since 1h"), @"
    -- stdout
    JOB RUN AGAIN LEFT BECAUSE
    default/nightly 1 0
    -- stderr
    run again: 1 occurrence
    exit 0
    ");
    target.wait_for(2);
    assert_snapshot!(said(&served, "rerun default/daily"), @"
    -- stderr
    error: Job 'daily' cannot be found.
    exit 3
    ");
    assert_snapshot!(said(&served, "rerun a/b/c/d/e"), @r#"
    -- stderr
    error: COLLECTION/JOB: given "a/b/c/d/e", expected a collection and a job with a slash between them
    exit 2
    "#);
}
