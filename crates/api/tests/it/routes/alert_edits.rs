//! Alerts that are written: who wrote them, how many there may be, and what cannot be read.

use insta::assert_snapshot;
use punctual_model::access::Role;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::{Server, collection};

fn of(scope: &str, password: &str) -> Value {
    let authentication = json!({ "type": "Basic", "username": "ada", "password": password });
    let request = json!({ "uri": "https://hooks.example.com/T0/B0", "authentication": authentication });
    json!({ "when": ["failing"], "scope": scope, "action": { "request": request } })
}

async fn put(server: &Server, name: &str, body: &Value, token: &str) -> Answer {
    server.call("PUT", &format!("/v1/alerts/{name}")).bearer(token).json(body).send().await
}

/// The changes, each in one line: what, and what became of which members.
fn lines(answer: &Answer) -> String {
    let body = answer.json();
    let line = |change: &Value| {
        let member = |it: &Value| format!("{} {} -> {}", it["path"].as_str().unwrap(), it["before"], it["after"]);
        let members: Vec<String> = change["members"].as_array().into_iter().flatten().map(member).collect();
        let secrets = if change["secretsChanged"] == true { " (and a secret)" } else { "" };
        format!("{}: {}{secrets}", change["change"].as_str().unwrap(), members.join("; ")).trim_end().to_owned()
    };
    body["value"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn who_changed_an_alert_is_listed() {
    let server = Server::start().await;
    let mut alert = of("default", "first");
    put(&server, "Ops", &alert, &server.owner).await;
    alert["reminder"] = json!("4h");
    put(&server, "ops", &alert, &server.owner).await;
    put(&server, "ops", &of("default", "second"), &server.owner).await;
    // Nothing changes, and nothing is noted.
    put(&server, "ops", &of("default", "second"), &server.owner).await;
    let mute = server.call("POST", "/v1/alerts/ops/mute").json(&json!({ "for": "1h" })).send().await;
    assert_eq!(mute.status(), 200);
    assert_eq!(server.post("/v1/alerts/ops/unmute").await.status(), 200);
    assert_eq!(server.delete("/v1/alerts/ops").await.status(), 200);
    let answer = server.get("/v1/alerts/oPs/changes").await;
    assert_snapshot!(lines(&answer), @r#"
    deleted:
    unmuted: mutedUntil "2026-11-15T13:00:00Z" -> null
    muted: mutedUntil null -> "2026-11-15T13:00:00Z"
    changed: reminder "PT4H" -> null (and a secret)
    changed: reminder null -> "PT4H"
    created:
    "#);
    let first = &answer.json()["value"][5];
    assert_eq!((&first["change"], &first["by"]), (&json!("created"), &json!("token hyboqd4ahybo")));
    assert!(first["requestId"].as_str().is_some_and(|id| !id.is_empty()));
    assert_snapshot!(first["definition"], @r#"{"action":{"request":{"authentication":{"type":"basic","username":"ada"},"method":"POST","uri":"https://hooks.example.com/T0/B0"},"type":"https"},"format":"json","scope":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default","when":[{"failing":{"attempts":1}}]}"#);
    let ids = answer.each("id");
    let two = server.get("/v1/alerts/ops/changes?$top=2&$skip=1").await;
    assert_eq!(two.each("id"), ids[1..3]);
    assert_snapshot!(server.get("/v1/alerts/nope/changes").await.complaint(), @"404 NotFound: Alert 'nope' cannot be found.");
}

#[tokio::test]
async fn changes_are_listed_page_by_page() {
    let server = Server::start().await;
    for number in 0..60 {
        let mut alert = of("default", "x");
        alert["reminder"] = json!(format!("{}h", number + 1));
        put(&server, "ops", &alert, &server.owner).await;
    }
    let first = server.get("/v1/alerts/ops/changes").await;
    assert_eq!(first.each("id").len(), 50);
    let second = server.get(&first.next_path().unwrap()).await;
    assert_eq!((second.each("id").len(), second.next_path()), (10, None));
    assert!(lines(&first).lines().all(|line| line.starts_with("changed: reminder")), "{first}");
}

#[tokio::test]
async fn what_others_had_under_the_name_is_not_shown() {
    let server = Server::start().await;
    let (ops, web) = (collection("ops"), collection("web"));
    put(&server, "shared", &of(&ops, "x"), &server.owner).await;
    put(&server, "shared", &of(&web, "x"), &server.owner).await;
    server.delete("/v1/alerts/shared").await;
    let changes = async |token: &str| server.call("GET", "/v1/alerts/shared/changes").bearer(token).send().await;
    let of_ops = server.token(Role::Contributor, &ops).await;
    assert_eq!(lines(&changes(&of_ops).await), "created:");
    let of_web = server.token(Role::Reader, &web).await;
    assert_eq!(lines(&changes(&of_web).await), "deleted:\nchanged:");
    // Who may only read does not see the path, which is the key of a webhook.
    let shown = changes(&of_web).await.at("/value/1/definition/action/request/uri");
    assert_eq!(shown, "https://hooks.example.com/***");
    let shown = changes(&of_ops).await.at("/value/0/definition/action/request/uri");
    assert_eq!(shown, "https://hooks.example.com/T0/B0");
    let elsewhere = server.token(Role::Owner, &collection("other")).await;
    assert_eq!(changes(&elsewhere).await.status(), 404);
    assert_eq!(lines(&changes(&server.owner).await).lines().count(), 3);
}

#[tokio::test]
async fn no_more_are_made_at_once_than_there_may_be() {
    let server = Server::start().await;
    let writer = server.token(Role::Contributor, "/subscriptions/local").await;
    for number in 0..98 {
        put(&server, &format!("a{number}"), &of("default", "x"), &writer).await;
    }
    let body = of("default", "x");
    let put_one = |number: u32| {
        let (server, body, writer) = (&server, &body, &writer);
        async move { put(server, &format!("b{number}"), body, writer).await.status() }
    };
    let (first, second, third, fourth) = tokio::join!(put_one(0), put_one(1), put_one(2), put_one(3));
    let mut answers = [first, second, third, fourth];
    answers.sort_unstable();
    assert_eq!(answers, [201, 201, 409, 409]);
    // Nor does one come from elsewhere.
    put(&server, "elsewhere", &of("other", "x"), &writer).await;
    let moved = put(&server, "elsewhere", &body, &writer).await;
    assert_snapshot!(moved.complaint(), @"409 ConflictError: alerts: There are 100 alerts of this collection already, of 100 at most; delete some first.");
    assert_eq!(put(&server, "a1", &of("default/j", "x"), &writer).await.status(), 200, "it was counted before");
}

#[tokio::test]
async fn one_that_cannot_be_read_can_be_deleted() {
    let server = Server::start().await;
    let ops = collection("ops");
    put(&server, "a", &of(&ops, "x"), &server.owner).await;
    server.damage("update alert set record = 'x'");
    let call = async |method: &str, token: &str| server.call(method, "/v1/alerts/a").bearer(token).send().await;
    assert_eq!(call("GET", &server.owner).await.status(), 500);
    let elsewhere = server.token(Role::Contributor, &collection("web")).await;
    assert_eq!(call("DELETE", &elsewhere).await.status(), 404);
    let reader = server.token(Role::Reader, &ops).await;
    assert_eq!(call("DELETE", &reader).await.status(), 403);
    let conditional = server.call("DELETE", "/v1/alerts/a").header("if-match", "\"a1-1\"").send().await;
    assert_eq!(conditional.status(), 412, "what is there cannot be compared");
    let writer = server.token(Role::Contributor, &ops).await;
    assert_eq!(call("DELETE", &writer).await.status(), 200);
    assert_eq!(call("DELETE", &writer).await.status(), 404);
    assert!(put(&server, "a", &of(&ops, "x"), &writer).await.status() == 201, "its name is free");
}
