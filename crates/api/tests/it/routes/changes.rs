//! Who changed what.

use insta::assert_snapshot;
use punctual_model::access::Role;
use serde_json::{Value, json};

use crate::server::{Server, collection};

fn job(interval: u32, body: &str, password: &str) -> Value {
    let request = json!({
        "uri": "https://example.com/hook?key=in-the-query",
        "method": "POST",
        "body": body,
        "authentication": { "type": "Basic", "username": "me", "password": password },
    });
    json!({ "properties": {
        "startTime": "2026-11-16T08:00:00Z",
        "action": { "type": "Https", "request": request },
        "recurrence": { "frequency": "Hour", "interval": interval },
    } })
}

fn path(rest: &str) -> String {
    format!("{}{rest}?api-version=2016-03-01", collection("default"))
}

/// The changes, each in one line: what, by whom, and what became of which members.
fn lines(answer: &crate::answer::Answer) -> String {
    let body = answer.json();
    let line = |change: &Value| {
        let members = change["members"].as_array().map(|members| {
            let member = |it: &Value| format!("{} {} -> {}", it["path"].as_str().unwrap(), it["before"], it["after"]);
            members.iter().map(member).collect::<Vec<_>>().join("; ")
        });
        let by = if change["by"] == "punctual" { "the server" } else { "a token" };
        let secrets = if change["secretsChanged"] == true { " (and a secret)" } else { "" };
        let kept = if change["definition"].is_object() { "" } else { ", nothing kept" };
        let members = members.unwrap_or_default();
        format!("{} by {by}{kept}: {members}{secrets}", change["change"].as_str().unwrap()).trim_end().to_owned()
    };
    body["value"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
}

async fn edited() -> Server {
    let server = Server::start().await;
    for job in [job(1, "one", "first"), job(2, "one", "first"), job(2, "two", "second")] {
        assert!(server.put(&path("/jobs/j"), job).await.status() < 300);
    }
    let off = json!({ "properties": { "state": "Disabled" } });
    assert_eq!(server.call("PATCH", &path("/jobs/j")).json(&off).send().await.status(), 200);
    // Nothing changes, and nothing is noted.
    assert_eq!(server.call("PATCH", &path("/jobs/j")).json(&off).send().await.status(), 200);
    server
}

#[tokio::test]
async fn each_says_what_it_changed() {
    let server = edited().await;
    assert_eq!(server.call("DELETE", &path("/jobs/j")).send().await.status(), 200);
    let answer = server.get(&path("/jobs/J/changes")).await;
    assert_snapshot!(lines(&answer), @r#"
    deleted by a token, nothing kept:
    disabled by a token: state "enabled" -> "disabled"
    changed by a token: action.request.body "one" -> "two" (and a secret)
    changed by a token: recurrence.interval 1 -> 2
    created by a token:
    "#);
    let first = &answer.json()["value"][4];
    assert_eq!(first["time"], "2026-11-15T12:00:00Z");
    assert!(first["requestId"].as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!(first["definition"]["recurrence"], json!({ "frequency": "hour", "interval": 1 }));
    let short = server.get("/v1/jobs/j/changes").await;
    assert_eq!(lines(&short), lines(&answer));
}

#[tokio::test]
async fn secrets_are_in_none_of_them() {
    let server = edited().await;
    let text = server.get(&path("/jobs/j/changes")).await.to_string();
    assert!(!text.contains("first") && !text.contains("\"password\""), "{text}");
}

#[tokio::test]
async fn readers_see_what_changed_and_not_to_what() {
    let server = edited().await;
    let reader = server.token(Role::Reader, "/").await;
    let answer = server.call("GET", &path("/jobs/j/changes")).bearer(&reader).send().await;
    assert_snapshot!(lines(&answer), @r#"
    disabled by a token: state "enabled" -> "disabled"
    changed by a token: action.request.body "***" -> "***" (and a secret)
    changed by a token: recurrence.interval 1 -> 2
    created by a token:
    "#);
    let text = answer.to_string();
    assert!(!text.contains("in-the-query") && !text.contains("\"two\""), "{text}");
}

#[tokio::test]
async fn of_a_collection() {
    let server = Server::start().await;
    assert_eq!(server.call("POST", &path("/disable")).send().await.status(), 200);
    assert_eq!(server.call("POST", &path("/enable")).send().await.status(), 200);
    assert_snapshot!(lines(&server.get(&path("/changes")).await), @r#"
    enabled by a token: properties.state "Disabled" -> "Enabled"
    disabled by a token: properties.state "Enabled" -> "Disabled"
    created by a token:
    "#);
}

#[tokio::test]
async fn pages_go_on_where_the_last_ended() {
    let server = Server::start().await;
    for interval in 1..=60 {
        assert!(server.put(&path("/jobs/j"), job(interval, "x", "y")).await.status() < 300);
    }
    let first = server.get(&path("/jobs/j/changes")).await.json();
    assert_eq!(first["value"].as_array().unwrap().len(), 50);
    assert_eq!(first["value"][49]["members"][0]["before"], 10);
    let next = first["nextLink"].as_str().unwrap().trim_start_matches("https://punctual.example");
    let second = server.get(next).await.json();
    assert_eq!(second["value"].as_array().unwrap().len(), 10);
    assert_eq!(second["value"][9]["change"], "created");
    let some = server.get(&(path("/jobs/j/changes") + "&$top=2&$skip=1")).await.json();
    assert_eq!((some["value"].as_array().unwrap().len(), &some["value"][1]["members"][0]["before"]), (2, &json!(57)));
}

#[tokio::test]
async fn what_never_was_is_not_found() {
    let server = Server::start().await;
    assert_eq!(server.get(&path("/jobs/never/changes")).await.status(), 404);
    assert_eq!(server.get("/v1/collections/never/changes").await.status(), 404);
    assert_eq!(server.get(&(path("/changes") + "&$top=51")).await.status(), 400);
}
