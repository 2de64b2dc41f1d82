//! The commands that ask a running server.

use std::fs::File;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use super::Served;
use crate::cli::told;

/// Runs a command against a server as its owner. Tokens and instants, which differ each time, are taken out.
pub(super) fn punctual(served: &Served, arguments: &str) -> String {
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    without_what_changes(served, &told(&mut command(served, &arguments), ""))
}

/// A command that asks a server as its owner.
pub(super) fn command(served: &Served, arguments: &[&str]) -> Command {
    let mut command = crate::binary();
    command.args(arguments).env("PUNCTUAL_URL", format!("http://127.0.0.1:{}", served.port));
    command.env("PUNCTUAL_TOKEN", &served.token);
    command
}

/// What was said, without what differs each time.
pub(super) fn without_what_changes(served: &Served, said: &str) -> String {
    let said = said.replace(&format!("http://127.0.0.1:{}", served.port), "URL");
    let changing = |word: &str| {
        let is_tag = word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id = word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        match word {
            _ if word.starts_with("punctual_") => "TOKEN",
            _ if word.contains('T') && word.ends_with('Z') => "INSTANT",
            _ if is_id => "ID",
            _ if is_tag => "TAG",
            _ => return None,
        }
        .into()
    };
    // How many blanks there are depends on how many digits an instant has.
    let line =
        |line: &str| line.split_whitespace().map(|word| changing(word).unwrap_or(word)).collect::<Vec<_>>().join(" ");
    said.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert_snapshot!(punctual(&served, "token create --role reader --scope /subscriptions/a --expires 2099-01-01"), @"
    -- stdout
    TOKEN
    -- stderr
    this is the token; it is not shown again:
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "token list"), @"
    -- stdout
    ID MAY CREATED EXPIRES DESCRIPTION
    ID owner on / INSTANT never the owner, made on first start
    ID reader on /subscriptions/a INSTANT INSTANT
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "token create --role king --scope /here"), @r#"
    -- stderr
    error: grants[0].role: Given "king", expected one of reader, contributor, owner.
    error: grants[0].scope: Given "/here", expected / for the whole server, /subscriptions/S, /subscriptions/S/resourceGroups/G or /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    -- exit status 2
    "#);
    assert_snapshot!(punctual(&served, "token revoke aaaaaaaaaaaa"), @"
    -- stderr
    error: Token 'aaaaaaaaaaaa' cannot be found.
    -- exit status 3
    ");
    let listed = served.client().call("GET", "/v1/tokens", "").unwrap().body;
    let id = listed["value"][1]["id"].as_str().unwrap().to_owned();
    assert_snapshot!(punctual(&served, &format!("token revoke {id}")), @"
    -- stderr
    token ID is revoked
    -- exit status 0
    ");
    let owner = listed["value"][0]["id"].as_str().unwrap();
    assert_eq!(served.client().call("DELETE", &format!("/v1/tokens/{owner}"), "").unwrap().status, 200);
    assert_snapshot!(punctual(&served, "token list --output json"), @"
    -- stderr
    error: Authentication failed: the token is not known. Set PUNCTUAL_TOKEN, or name a file with --token-file.
    -- exit status 4
    ");
}

#[test]
fn roles_are_assigned_listed_and_removed() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let assign = "role assign --issuer https://issuer.example --claim groups --value ops --role contributor";
    assert_snapshot!(punctual(&served, assign), @"
    -- stdout
    1
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "role list"), @"
    -- stdout
    ID ROLE SCOPE ISSUER CLAIM VALUE
    1 contributor / https://issuer.example groups ops
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "role list --output json"), @r#"
    -- stdout
    [
    {
    "claim": "groups",
    "id": 1,
    "issuer": "https://issuer.example",
    "role": "contributor",
    "scope": "/",
    "value": "ops"
    }
    ]
    -- exit status 0
    "#);
    assert_snapshot!(punctual(&served, "role remove 1"), @"
    -- stderr
    assignment 1 is taken back
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "role remove 1"), @"
    -- stderr
    error: Assignment '1' cannot be found.
    -- exit status 3
    ");
}

#[test]
fn the_sealing_key_is_rotated_while_the_server_runs() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let body = r#"{"action": {"request": {"uri": "https://example.com/?key=1"}}, "startTime": "2030-01-01"}"#;
    assert_eq!(served.client().call("PUT", "/v1/jobs/sealed", body).unwrap().status, 201);
    let before = std::fs::read_to_string(data.path().join("secret.key")).unwrap();
    assert_snapshot!(punctual(&served, "secrets rotate"), @"
    -- stderr
    done: 1 jobs are sealed with the new key, and the old one is forgotten
    -- exit status 0
    ");
    let after = std::fs::read_to_string(data.path().join("secret.key")).unwrap();
    assert!(before.lines().last() != after.lines().last() && after.lines().count() == before.lines().count());
    let read = |served: &Served| served.client().call("GET", "/v1/jobs/sealed", "").unwrap();
    assert_eq!(read(&served).body["action"]["request"]["uri"], "https://example.com/?key=1");
    served.kill();
    assert_eq!(read(&Served::start(data.path())).status, 200);
}

#[test]
fn an_answer_that_cannot_be_written_is_no_panic() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    let run = |arguments: &str, stdout: Stdio| {
        let mut command = crate::binary();
        command.args(arguments.split_whitespace()).env("PUNCTUAL_URL", format!("http://127.0.0.1:{}", served.port));
        let output = command.env("PUNCTUAL_TOKEN", &served.token).stdout(stdout).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let commands = [
        "failures --output json",
        "due --output json",
        "incidents --output json",
        "rerun --target h --output json",
        "audit --output json",
        "alert list --output json",
        "cluster status --output json",
        "cluster status",
        "role list --output json",
        "role list",
        "token list --output json",
        "top --once --output json",
        "top --once",
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(run(arguments, writer.into()), (Some(0), String::new()), "{arguments}");
        // A disk on which there is no room.
        if let Ok(full) = File::options().write(true).open("/dev/full") {
            let (status, said) = run(arguments, full.into());
            assert_eq!(status, Some(1), "{arguments}: {said}");
            assert!(said.starts_with("error: cannot write the answer: No space left on device"), "{arguments}: {said}");
        }
    }
}

#[test]
fn where_the_server_listens_is_said_whatever_its_clients_call_it() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("punctual.toml");
    std::fs::write(&config, "server.public_url = \"https://sched.example.com\"\n").unwrap();
    let served = Served::start_with(&directory.path().join("data"), &["--config", config.to_str().unwrap()]);
    let expected = format!(" listens on http://127.0.0.1:{}", served.port);
    assert!(served.greeting[0].ends_with(&expected), "{:?}", served.greeting);
    assert_eq!(served.greeting[1], "clients reach it at https://sched.example.com");
    assert!(punctual(&served, "token list").ends_with("exit status 0"));
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_unreachable() {
    let said = told(crate::binary().args(["token", "list", "--url", "http://127.0.0.1:1"]), "");
    assert!(said.contains("cannot reach http://127.0.0.1:1") && said.ends_with("exit status 5"), "{said}");
}
