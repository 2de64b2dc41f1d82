//! `punctual context`, and which server a command asks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

use super::Served;
use crate::cli::told;

/// A command of somebody whose files are in that directory, and who has set no variable.
fn command(home: &Path, arguments: &str) -> Command {
    let mut command = crate::binary();
    command
        .args(arguments.split_whitespace())
        .current_dir(home)
        .env("XDG_CONFIG_HOME", home)
        .env("PUNCTUAL_DATA", "none");
    command
}

fn run(home: &Path, arguments: &str, stdin: &str) -> String {
    told(&mut command(home, arguments), stdin).replace(home.to_str().unwrap(), "HOME")
}

#[test]
fn servers_have_names() {
    let (data, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let home = home.path();
    let url = format!("http://127.0.0.1:{}", served.port);
    let run = |arguments: &str, stdin: &str| run(home, arguments, stdin).replace(&url, "URL");
    assert_snapshot!(run("context list", ""), @"
    -- stderr
    no server has a name yet; give one: punctual context add NAME --url URL
    -- exit status 0
    ");
    assert_snapshot!(run(&format!("context add prod --url {url} --token-file -"), &served.token), @"
    -- stderr
    prod is in HOME/punctual/contexts.toml with its token; commands ask it from now on
    -- exit status 0
    ");
    assert_snapshot!(run("context add test --url http://127.0.0.1:1", ""), @"
    -- stderr
    test is in HOME/punctual/contexts.toml without a token; commands ask prod; change that with: punctual context use test
    -- exit status 0
    ");
    // How many blanks there are depends on how many digits the port has.
    let listed = run("context list", "");
    let listed: Vec<_> = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_snapshot!(listed.join("\n"), @"
    -- stdout
    USED NAME URL TOKEN
    * prod URL yes
    test http://127.0.0.1:1 no
    -- exit status 0
    ");
    assert_snapshot!(run("context list --output name", ""), @"
    -- stdout
    prod
    test
    -- exit status 0
    ");
    let file = home.join("punctual").join("contexts.toml");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!run("context list --output json", "").contains(&served.token));
    assert_snapshot!(run("collection list", ""), @"
    -- stdout
    COLLECTION  STATE    PLAN  LIMITS
    default     enabled  -     -
    -- exit status 0
    ");
    assert!(run("collection list --context test", "").ends_with("exit status 5"));
    assert_snapshot!(run("collection list --context pord", ""), @r#"
    -- stderr
    error: there is no context "pord"; did you mean "prod"?
    -- exit status 3
    "#);
    assert_snapshot!(run("collection list --context prod --url http://x", "").lines().nth(1).unwrap(), @"error: the argument '--context <NAME>' cannot be used with '--url <URL>'");
    assert!(told(command(home, "collection list").env("PUNCTUAL_CONTEXT", "test"), "").ends_with("exit status 5"));
    assert!(
        told(command(home, "collection list").env("PUNCTUAL_URL", "http://127.0.0.1:1"), "").ends_with("exit status 5")
    );
    assert_snapshot!(run("context use test", ""), @"
    -- stderr
    commands ask http://127.0.0.1:1 from now on
    -- exit status 0
    ");
    assert!(run("collection list", "").ends_with("exit status 5"));
    assert_snapshot!(run("context remove test", ""), @"
    -- stderr
    context test is removed; no context is in use now
    -- exit status 0
    ");
    assert_snapshot!(run("context remove test", ""), @r#"
    -- stderr
    error: there is no context "test"; see: punctual context list
    -- exit status 3
    "#);
    assert_snapshot!(run("context add p --url prod", ""), @r#"
    -- stderr
    error: --url: given "prod", expected an address such as http://127.0.0.1:7878
    -- exit status 2
    "#);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_snapshot!(run("collection list", ""), @"
    -- stderr
    error: HOME/punctual/contexts.toml has tokens, and others on this machine may read it; chmod 600 HOME/punctual/contexts.toml
    -- exit status 1
    ");
}

#[test]
fn the_token_of_a_context_goes_to_its_server_alone() {
    let (data, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path());
    let url = format!("http://127.0.0.1:{}", served.port);
    let added = run(home.path(), &format!("context add prod --url {url} --token-file -"), &served.token);
    assert!(added.ends_with("exit status 0"), "{added}");
    // The same server by its address, without the token that its name stands for.
    let said = run(home.path(), &format!("collection list --url {url}"), "");
    assert!(said.ends_with("exit status 4"), "{said}");
    // A server on this machine leaves its token in its data.
    let said =
        told(command(home.path(), &format!("collection list --url {url}")).env("PUNCTUAL_DATA", data.path()), "");
    assert!(said.ends_with("exit status 0"), "{said}");
}
