//! What the server says and leaves behind is of no use to others on its machine.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::json;

use super::http::Client;
use super::receiver::Receiver;

/// Starts a server whose data directory is `data` in `directory`, named by its relative path.
fn start(directory: &Path) -> Child {
    let mut command = crate::binary();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).current_dir(directory);
    command.stderr(Stdio::piped()).spawn().unwrap()
}

/// A server that listens.
struct Started {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// What it has said so far.
    said: String,
    port: u16,
    token: String,
}

impl Started {
    /// Starts a server, and waits until it listens.
    fn wait(directory: &Path) -> Self {
        let mut child = start(directory);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        read_until(&mut stderr, &mut said, "\ntry: ");
        let token = fs::read_to_string(directory.join("data/owner.token")).unwrap().trim().to_owned();
        let listens = said.lines().find(|line| line.contains(" listens on ")).unwrap();
        let port = listens.rsplit(':').next().unwrap().parse().unwrap();
        Self { child, stderr, said, port, token }
    }

    /// Waits until the server says something.
    fn hear(&mut self, text: &str) {
        read_until(&mut self.stderr, &mut self.said, text);
    }

    /// Stops the server as an operator does, and gives all that it has said.
    fn stop(mut self) -> String {
        assert!(Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap().success());
        self.stderr.read_to_string(&mut self.said).unwrap();
        assert!(self.child.wait().unwrap().success());
        self.said
    }
}

fn read_until(stderr: &mut impl BufRead, said: &mut String, text: &str) {
    while !said.contains(text) {
        assert!(stderr.read_line(said).unwrap() > 0, "it ended: {said}");
    }
}

#[test]
fn the_log_holds_no_token_and_the_data_directory_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let started = Started::wait(directory.path());
    let data = directory.path().join("data");
    let token = started.token.clone();
    let answer = Client::new(started.port, token.clone()).call("DELETE", &format!("/v1/tokens/{token}"), "").unwrap();
    assert_eq!(answer.status, 400, "{answer:?}");
    for entry in [data.clone(), data.join("punctual.db"), data.join("punctual.db-wal"), data.join("secret.key")] {
        let mode = fs::metadata(&entry).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", entry.display());
    }
    let said = started.stop();
    assert!(!said.contains(&token[22..]), "{said}");
    assert!(said.contains("DELETE /v1/tokens/*** 400"), "{said}");
    for place in [
        format!("its data is in {}\n", data.display()),
        format!("the owner token is in {0}/owner.token\n", data.display()),
    ] {
        assert!(said.contains(&place), "{place} {said}");
    }
}

#[test]
fn what_an_alert_sends_and_where_is_neither_in_the_log_nor_readable_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let mut started = Started::wait(directory.path());
    let hook = Receiver::start(&[500]);
    let uri = format!("http://127.0.0.1:{}/hooks/HIDDEN1234567890?key=HIDDEN", hook.port);
    let request = json!({ "uri": uri, "headers": { "X-Key": "HIDDEN" }, "body": { "routing_key": "HIDDEN" } });
    let alert = json!({ "when": ["failing"], "format": "pagerDuty", "action": { "request": request } }).to_string();
    let mut client = Client::new(started.port, started.token.clone());
    assert_eq!(client.call("PUT", "/v1/alerts/ops", &alert).unwrap().status, 201);
    assert_eq!(client.call("POST", "/v1/alerts/ops/test", "").unwrap().status, 202);
    hook.wait_for(1);
    assert_eq!((hook.json(0)["routing_key"].as_str(), hook.header("x-key")), (Some("HIDDEN"), vec!["HIDDEN".into()]));
    started.hear("a test of the alert ops did not arrive");
    let messages = client.call("GET", "/v1/alerts/ops/messages", "").unwrap().body;
    assert!(!messages.to_string().contains("HIDDEN"), "{messages}");
    let said = started.stop();
    assert!(!said.contains("HIDDEN"), "{said}");
    let mut folders = vec![directory.path().join("data")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = fs::read(&entry).unwrap();
                assert!(!bytes.windows(6).any(|part| part == b"HIDDEN"), "{}", entry.display());
            }
        }
    }
}

#[test]
fn a_server_that_has_lost_its_database_does_not_start_empty() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("data/history")).unwrap();
    fs::write(directory.path().join("data/secret.key"), "x").unwrap();
    let ended = start(directory.path()).wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(
        !ended.status.success() && said.contains("/data/punctual.db is missing or empty, but secret.key is there"),
        "{said}"
    );
    assert!(!directory.path().join("data/punctual.db").exists());
}
