//! What a masked answer hides is never stored in the place of what it hides: sent back, the mask stands for what is stored.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use insta::assert_snapshot;
use punctual_model::access::Role;
use punctual_model::action::Action;
use serde_json::{Value, json};

use super::with;
use crate::attempts::find_job;
use crate::server::{GROUP, Server};

/// A place where a secret may stand in a message.
struct Place {
    message: &'static str,
    whole: Value,
    /// Where the secret stands in the message.
    pointer: &'static str,
    /// The secret as a client sends it that never had it.
    masked: &'static str,
    /// A change with which the secret goes to another server.
    elsewhere: (&'static str, &'static str),
}

fn http(pointer: &'static str, masked: &'static str, members: &Value) -> Place {
    let mut whole = json!({ "uri": "https://example.com/path", "method": "POST" });
    whole.as_object_mut().expect("an object").append(&mut members.as_object().expect("an object").clone());
    Place { message: "request", whole, pointer, masked, elsewhere: ("/uri", "https://example.org/path") }
}

fn address(uri: &str, masked: &'static str, elsewhere: &'static str) -> Place {
    Place { elsewhere: ("/uri", elsewhere), ..http("/uri", masked, &json!({ "uri": uri })) }
}

fn credentials(pointer: &'static str, authentication: &Value) -> Place {
    http(pointer, "***", &json!({ "authentication": authentication }))
}

fn queue(pointer: &'static str, masked: &'static str) -> Place {
    let whole =
        json!({ "storageAccount": "acct", "queueName": "tasks", "message": "HIDDEN", "sasToken": "?sv=1&sig=HIDDEN" });
    Place { message: "queueMessage", whole, pointer, masked, elsewhere: ("/storageAccount", "stranger") }
}

fn bus(pointer: &'static str) -> Place {
    let key = json!({ "type": "SharedAccessKey", "sasKeyName": "send", "sasKey": "HIDDEN" });
    let whole = json!({ "topicPath": "t", "namespace": "ns", "message": "HIDDEN", "authentication": key,
        "customMessageProperties": { "p": "HIDDEN", "q.r": "HIDDEN" } });
    let elsewhere = ("/namespace", "stranger");
    Place { message: "serviceBusTopicMessage", whole, pointer, masked: "***", elsewhere }
}

fn places() -> Vec<Place> {
    let pfx =
        std::fs::read(format!("{}/../pfx/tests/fixtures/aes128.pfx", env!("CARGO_MANIFEST_DIR"))).expect("a fixture");
    let certificate = json!({ "type": "ClientCertificate", "pfx": BASE64_STANDARD.encode(pfx), "password": "secret" });
    let basic = json!({ "type": "Basic", "username": "ada", "password": "HIDDEN" });
    let oauth = json!({ "type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "https://a/", "clientId": "id", "secret": "HIDDEN" });
    let hook = "https://example.com/T0/abcdefgh12345678/x";
    vec![
        http("/headers/X-Key", "***", &json!({ "headers": { "X-Key": "HIDDEN", "Accept": "*/*" } })),
        http("/headers/Cookie", "***", &json!({ "headers": { "Cookie": "session=HIDDEN" } })),
        http("/body", "***", &json!({ "body": "HIDDEN" })),
        address("https://u:HIDDEN@example.com/p", "https://***@example.com/p", "https://***@example.org/p"),
        address("https://example.com/p?key=HIDDEN#x", "https://example.com/p?***", "https://example.org/p?***"),
        address(
            "https://example.com/p?a=1&key=HIDDEN",
            "https://example.com/p?a=1&key=***",
            "https://example.org/p?a=1&key=***",
        ),
        address(
            "https://example.com/p?key=HIDDEN",
            "https://example.com/p?key=%2A%2a%2A",
            "https://example.com/p?clef=***",
        ),
        address(hook, "https://example.com/T0/***/x", "https://example.org/T0/***/x"),
        address(hook, "https://example.com/T0/***/x", "https://example.com/T0/***/y"),
        credentials("/authentication/password", &basic),
        credentials("/authentication/secret", &oauth),
        credentials("/authentication/pfx", &certificate),
        queue("/sasToken", "***"),
        queue("/sasToken", "?sv=1&sig=***"),
        queue("/message", "***"),
        bus("/message"),
        bus("/authentication/sasKey"),
        bus("/customMessageProperties/q.r"),
    ]
}

/// The job with the message in its action, or in its error action.
fn job(place: &Place, message: &Value, is_error: bool) -> Value {
    let action = json!({ place.message: message });
    if is_error {
        let main = json!({ "request": { "uri": "https://example.net" }, "errorAction": action });
        json!({ "properties": { "action": main } })
    } else {
        json!({ "properties": { "action": action } })
    }
}

/// An object with one member, deep inside.
fn nested(pointer: &str, value: &str) -> Value {
    pointer[1..].rsplit('/').fold(Value::from(value), |inner, name| json!({ name: inner }))
}

/// The message with its secret masked, as PUT and as PATCH send it.
fn edits(place: &Place, value: &str) -> [(&'static str, Value); 2] {
    let mut whole = place.whole.clone();
    if place.pointer == "/authentication/pfx" {
        whole["authentication"]["password"] = "***".into();
    }
    [("PUT", with(whole, place.pointer, value.into())), ("PATCH", nested(place.pointer, value))]
}

/// The stored action.
async fn stored(server: &Server) -> Action {
    find_job(server, "default", "j").await.job.definition.action
}

#[tokio::test]
async fn a_mask_that_is_sent_back_stands_for_what_is_stored_there() {
    let server = Server::start().await;
    let mut wrong = Vec::new();
    for (place, is_error) in places().iter().flat_map(|it| [(it, false), (it, true)]) {
        let made = server.put("/v1/jobs/j", job(place, &place.whole, is_error)).await;
        assert_eq!(made.status(), 201, "{made}");
        let before = stored(&server).await;
        for (method, message) in edits(place, place.masked) {
            let answer = server.call(method, "/v1/jobs/j").json(&job(place, &message, is_error)).send().await;
            if answer.status() != 200 || stored(&server).await != before {
                wrong.push(format!("{method} {}, error action {is_error}: {answer}", place.pointer));
            }
        }
        server.delete("/v1/jobs/j").await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_mask_is_refused_where_nothing_is_stored_that_it_could_stand_for() {
    let server = Server::start().await;
    let (mut wrong, mut complaints) = (Vec::new(), BTreeSet::new());
    for (place, is_error) in places().iter().flat_map(|it| [(it, false), (it, true)]) {
        let (pointer, value) = place.elsewhere;
        for (method, message) in edits(place, place.masked) {
            let elsewhere = with(message.clone(), pointer, value.into());
            for (is_new, message) in [(false, elsewhere), (true, message)] {
                if !is_new {
                    let made = server.put("/v1/jobs/j", job(place, &place.whole, is_error)).await;
                    assert_eq!(made.status(), 201, "{made}");
                } else if method == "PATCH" {
                    let other = json!({ "properties": { "action": { "request": { "uri": "https://example.net" } } } });
                    server.put("/v1/jobs/j", other).await;
                }
                // What is patched into a job with another action must be whole but for the mask.
                let message = if is_new { edits(place, place.masked)[0].1.clone() } else { message };
                let answer = server.call(method, "/v1/jobs/j").json(&job(place, &message, is_error)).send().await;
                if answer.status() == 400 {
                    complaints.insert(answer.complaint());
                } else {
                    wrong.push(format!("{method} {}, error action {is_error}, new {is_new}: {answer}", place.pointer));
                }
                server.delete("/v1/jobs/j").await;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_snapshot!(Vec::from_iter(complaints).join("\n"), @"
    400 BadRequest: properties.action.errorAction.queueMessage.message: Masked (***), and nothing is stored here for this storageAccount and queueName: send the value.
    400 BadRequest: properties.action.errorAction.queueMessage.message: Masked (***), and nothing is stored here for this storageAccount and queueName: send the value. | properties.action.errorAction.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.errorAction.queueMessage.sasToken: Masked (***), and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.errorAction.request.authentication.password: Masked (***), and no stored password has this username, scheme, host and port: send the password.
    400 BadRequest: properties.action.errorAction.request.authentication.pfx: Masked (***), and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    400 BadRequest: properties.action.errorAction.request.authentication.secret: Masked (***), and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    400 BadRequest: properties.action.errorAction.request.body: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.errorAction.request.headers.Cookie: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.errorAction.request.headers.X-Key: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.errorAction.request.uri: Masked (***), and no stored address of this scheme, host and port looks like it: send the whole address.
    400 BadRequest: properties.action.errorAction.serviceBusTopicMessage.authentication.sasKey: Masked (***), and no stored sasKey has this sasKeyName and namespace: send the sasKey.
    400 BadRequest: properties.action.errorAction.serviceBusTopicMessage.customMessageProperties.q.r: Masked (***), and nothing is stored here for this namespace: send the value.
    400 BadRequest: properties.action.errorAction.serviceBusTopicMessage.message: Masked (***), and nothing is stored here for this namespace: send the value.
    400 BadRequest: properties.action.queueMessage.message: Masked (***), and nothing is stored here for this storageAccount and queueName: send the value.
    400 BadRequest: properties.action.queueMessage.message: Masked (***), and nothing is stored here for this storageAccount and queueName: send the value. | properties.action.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.queueMessage.sasToken: Masked (***), and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.request.authentication.password: Masked (***), and no stored password has this username, scheme, host and port: send the password.
    400 BadRequest: properties.action.request.authentication.pfx: Masked (***), and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    400 BadRequest: properties.action.request.authentication.secret: Masked (***), and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    400 BadRequest: properties.action.request.body: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.request.headers.Cookie: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.request.headers.X-Key: Masked (***), and nothing is stored here for this scheme, host and port: send the value.
    400 BadRequest: properties.action.request.uri: Masked (***), and no stored address of this scheme, host and port looks like it: send the whole address.
    400 BadRequest: properties.action.serviceBusTopicMessage.authentication.sasKey: Masked (***), and no stored sasKey has this sasKeyName and namespace: send the sasKey.
    400 BadRequest: properties.action.serviceBusTopicMessage.customMessageProperties.q.r: Masked (***), and nothing is stored here for this namespace: send the value.
    400 BadRequest: properties.action.serviceBusTopicMessage.message: Masked (***), and nothing is stored here for this namespace: send the value.
    ");
}

/// A mask inside a longer value is not how answers are written here, but how people mask by hand.
#[tokio::test]
async fn credentials_in_headers_are_not_half_a_mask() {
    let server = Server::start().await;
    let headers = json!({ "Authorization": "Bearer ***", "Cookie": "a=1; b=***", "X-Title": "*** read me ***" });
    let job = json!({ "action": { "request": { "uri": "https://example.com", "headers": headers } } });
    assert_snapshot!(server.put("/v1/jobs/j", job).await.complaint(), @"400 BadRequest: action.request.headers.Authorization: A part of the value is masked (***): send the whole value, or only *** to keep it. | action.request.headers.Cookie: A part of the value is masked (***): send the whole value, or only *** to keep it.");
}

/// The whole of what a reader is shown, sent back by someone who may write.
#[tokio::test]
async fn what_a_reader_was_shown_can_be_sent_back_by_a_writer() {
    let server = Server::start().await;
    let reader = server.token(Role::Reader, GROUP).await;
    for place in places() {
        let made = server.put("/v1/jobs/j", job(&place, &place.whole, false)).await;
        for path in ["/v1/jobs/j", &format!("{}/jobs/j?api-version=2016-03-01", crate::server::collection("default"))] {
            let call = server.call("GET", path).bearer(&reader);
            let shown = if path.starts_with("/v1") { call.plain() } else { call }.send().await;
            for method in ["PUT", "PATCH"] {
                let again = server.call(method, path).json(&shown.json()).send().await;
                assert_eq!((again.status(), again.etag()), (200, made.etag()), "{method} {}: {again}", place.pointer);
            }
        }
        server.delete("/v1/jobs/j").await;
    }
}
