//! `options.placeholders`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{daily, with};
use crate::server::Server;

fn saying(body: &str) -> Value {
    with(daily(), "/properties/action/request/body", json!(body))
}

fn choose(value: &Value) -> Value {
    json!({ "properties": { "options": { "placeholders": value } } })
}

#[tokio::test]
async fn placeholders_are_switched_on_and_off() {
    let server = Server::start().await;
    let path = "/v1/jobs/j";
    let forgotten = server.put(path, saying("{{job.name}}")).await;
    assert_snapshot!(forgotten.header("warning"), @r#"299 punctual "properties.options.placeholders: the action has placeholders, which are sent as they are written; set this to true to have them filled in""#);
    let switched_on = server.patch(path, choose(&json!(true))).await;
    assert_snapshot!(format!("{} {}", switched_on.header("warning"), switched_on.at("/properties/options")), @r#" {"placeholders":true}"#);
    assert_eq!(switched_on.at("/properties/action/request/body"), "{{job.name}}", "shown as it was written");
    let switched_off = server.patch(path, choose(&json!(false))).await;
    assert_snapshot!(format!("{} {}", switched_off.header("warning"), switched_off.at("/properties/options")), @r#" {"placeholders":false}"#);
    let dropped = server.put(path, saying("job.name")).await;
    assert_snapshot!(dropped.header("warning"), @r#"299 punctual "properties.options.placeholders: dropped, since the new definition has none""#);
}

/// What was fine as a text may be wrong as a template.
#[tokio::test]
async fn switching_them_on_checks_what_is_there() {
    let server = Server::start().await;
    assert_eq!(server.put("/v1/jobs/j", saying("{{mustache}}")).await.status(), 201);
    let refused = server.patch("/v1/jobs/j", choose(&json!(true))).await;
    assert_snapshot!(refused.complaint(), @"400 BadRequest: properties.action.request.body: There is no placeholder {{mustache}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.");
}
