//! Pausing, backing up and restoring the real server.

use std::net::TcpListener;
use std::path::Path;

use super::Served;
use super::receiver::Receiver;
use crate::cli::told;

/// Runs a command as the owner of a server, and gives what it says.
fn punctual(served: Option<&Served>, arguments: &[&str]) -> String {
    let mut command = crate::binary();
    command.args(arguments);
    if let Some(served) = served {
        let url = format!("http://127.0.0.1:{}", served.port);
        command.env("PUNCTUAL_URL", url).env("PUNCTUAL_TOKEN", &served.token);
    }
    told(&mut command, "")
}

/// Runs a command that must succeed.
fn succeed(served: Option<&Served>, arguments: &[&str]) -> String {
    let said = punctual(served, arguments);
    assert!(said.ends_with("-- exit status 0"), "{arguments:?}: {said}");
    said
}

fn put_job(served: &Served, name: &str, port: u16) {
    let body = format!(r#"{{"action": {{"request": {{"uri": "http://127.0.0.1:{port}/{name}"}}}}}}"#);
    let answer = served.client().call("PUT", &format!("/v1/jobs/{name}"), &body).unwrap();
    assert_eq!(answer.status, 201, "{:?}", answer.body);
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_paused_server_starts_nothing_until_it_is_resumed() {
    let (data, target) = (tempfile::tempdir().unwrap(), Receiver::start(&[200]));
    let served = Served::start_with(data.path(), &["--paused"]);
    put_job(&served, "a", target.port);
    assert_eq!(served.client().call("POST", "/v1/jobs/a/run", "").unwrap().status, 200);
    // The pause outlives the process, also without the flag.
    served.kill();
    let served = Served::start(data.path());
    let said = punctual(Some(&served), &["pause", "--why", "again"]);
    assert!(said.contains("by serve --paused (started with --paused)"), "the first reason stays: {said}");
    assert_eq!(served.client().call("GET", "/readyz", "").unwrap().body["paused"], true);
    let said = succeed(Some(&served), &["resume", "--dry-run"]);
    assert!(said.contains("resuming now would start 2 occurrences of 1 job, and record 0 as not run"), "{said}");
    assert_eq!(target.number(), 0);
    succeed(Some(&served), &["resume"]);
    target.wait_for(2);
    assert!(succeed(Some(&served), &["resume"]).contains("the server is not paused"));
    succeed(Some(&served), &["pause"]);
    put_job(&served, "b", target.port);
    assert_eq!(served.stop(), Some(0));
    assert_eq!(target.number(), 2);
}

#[test]
fn what_is_in_flight_is_told_apart_from_what_resuming_would_start() {
    let (data, silent) = (tempfile::tempdir().unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let served = Served::start(data.path());
    put_job(&served, "hangs", silent.local_addr().unwrap().port());
    let _unanswered = silent.accept().unwrap();
    succeed(Some(&served), &["pause", "--why", "a look"]);
    put_job(&served, "waits", 9);
    let said = succeed(Some(&served), &["resume", "--dry-run"]);
    assert!(
        said.contains("would start 1 occurrence of 1 job, and record 0 as not run; 1 attempt that started"),
        "{said}"
    );
    let changes = served.client().call("GET", "/v1/changes", "").unwrap().body;
    assert_eq!(changes["value"][0]["change"], "paused", "{changes}");
    served.kill();
}

#[test]
fn a_drill_with_a_backup_calls_nobody_and_afterwards_calls_are_marked() {
    let (data, elsewhere, target) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Receiver::start(&[200]));
    let (file, copy) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    let served = Served::start(data.path());
    put_job(&served, "ran", target.port);
    target.wait_for(1);
    succeed(Some(&served), &["pause"]);
    put_job(&served, "due", target.port);
    let said = succeed(None, &["backup", text(&file), "--data", text(data.path())]);
    assert!(said.contains(" has 2 jobs, and 1 record of 1 day of history"), "{said}");
    succeed(Some(&served), &["resume"]);
    target.wait_for(2);
    served.kill();
    let said = succeed(None, &["restore", text(&file), "--data", text(&copy), "--paused"]);
    assert!(said.contains("next: put the secret.key of the server, with key 1, into "), "{said}");
    let again = punctual(None, &["restore", text(&file), "--data", text(&copy)]);
    assert!(again.contains("is not empty") && again.ends_with("-- exit status 1"), "{again}");
    for key in ["secret.key", "owner.token"] {
        std::fs::copy(data.path().join(key), copy.join(key)).unwrap();
    }
    let restored = Served::start(&copy);
    assert_eq!(restored.client().call("GET", "/v1/jobs/ran", "").unwrap().status, 200);
    assert_eq!(target.number(), 2, "the drill calls nobody");
    succeed(Some(&restored), &["resume"]);
    target.wait_for(3);
    assert_eq!(target.header("x-punctual-resent"), ["", "", "true"]);
    let tags = target.header("x-ms-execution-tag");
    assert_eq!(tags[1], tags[2], "the same occurrence");
}
