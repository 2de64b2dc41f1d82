//! What the server says and leaves behind is of no use to others on its machine.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::http::Client;

/// Starts a server whose data directory is `data` in `directory`, named by its relative path.
fn start(directory: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).current_dir(directory);
    command.stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn the_log_holds_no_token_and_the_data_directory_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start(directory.path());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().any(|line| line.starts_with("try: ")) {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    let data = directory.path().join("data");
    let token = fs::read_to_string(data.join("owner.token")).unwrap().trim().to_owned();
    let listens = said.lines().find(|line| line.contains(" listens on ")).unwrap();
    let port = listens.rsplit(':').next().unwrap().parse().unwrap();
    let answer = Client::new(port, token.clone()).call("DELETE", &format!("/v1/tokens/{token}"), "").unwrap();
    assert_eq!(answer.status, 400, "{answer:?}");
    for entry in [data.clone(), data.join("punctual.db"), data.join("punctual.db-wal"), data.join("secret.key")] {
        let mode = fs::metadata(&entry).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", entry.display());
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    stderr.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success());
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
