//! A stored secret stays with the server that it is for: whoever may write a job cannot have its secrets sent elsewhere.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use insta::assert_snapshot;
use punctual_model::action::{Action, Target};
use serde_json::{Value, json};

use super::with;
use crate::attempts::find_job;
use crate::server::Server;

/// A credential with its secret, and where in the message that secret stands.
struct Credential {
    name: &'static str,
    message: &'static str,
    whole: Value,
    secret: &'static str,
}

fn http(name: &'static str, authentication: &Value, secret: &'static str) -> Credential {
    let whole = json!({ "uri": "https://example.com/path", "authentication": authentication });
    Credential { name, message: "request", whole, secret }
}

fn credentials() -> [Credential; 5] {
    let pfx =
        std::fs::read(format!("{}/../pfx/tests/fixtures/aes128.pfx", env!("CARGO_MANIFEST_DIR"))).expect("a fixture");
    let basic = json!({ "type": "Basic", "username": "ada", "password": "SECRET" });
    let certificate = json!({ "type": "ClientCertificate", "pfx": BASE64_STANDARD.encode(pfx), "password": "secret" });
    let oauth = json!({ "type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "https://a/", "clientId": "id", "secret": "SECRET" });
    let queue = json!({ "storageAccount": "acct", "queueName": "tasks", "message": "m", "sasToken": "?sv=1&sig=S" });
    let key = json!({ "type": "SharedAccessKey", "sasKeyName": "send", "sasKey": "SECRET" });
    let bus = json!({ "queueName": "q", "namespace": "ns", "message": "m", "authentication": key });
    [
        http("basic", &basic, "authentication/password"),
        http("certificate", &certificate, "authentication/pfx"),
        http("oauth", &oauth, "authentication/secret"),
        Credential { name: "queue", message: "queueMessage", whole: queue, secret: "sasToken" },
        Credential { name: "bus", message: "serviceBusQueueMessage", whole: bus, secret: "authentication/sasKey" },
    ]
}

/// Changes of a message, each by the pointer of a member and its new value: those with which the secret stays, and those
/// with which it does not.
fn changes(credential: &str) -> [Vec<(&'static str, &'static str)>; 2] {
    let kept = [
        ("uri", "https://example.com/other?query"),
        ("uri", "HTTPS://Example.COM:443/path"),
        ("method", "PUT"),
        ("body", "another one"),
    ];
    let lost = [
        ("uri", "http://example.com/path"),
        ("uri", "https://example.org/path"),
        ("uri", "https://example.com.:443/path"),
        ("uri", "https://example.com@example.org/path"),
        ("uri", "https://example.com:8443/path"),
    ];
    let more = |also: &[(&'static str, &'static str)]| [kept.to_vec(), [lost.as_slice(), also].concat()];
    match credential {
        "basic" => more(&[("authentication/username", "bob")]),
        "certificate" => more(&[("authentication/certificateThumbprint", "AB12")]),
        "oauth" => more(&[
            ("authentication/tenant", "example.org"),
            ("authentication/clientId", "other"),
            ("authentication/audience", "https://b/"),
        ]),
        "queue" => [
            vec![("message", "another one"), ("storageAccount", "ACCT")],
            vec![("storageAccount", "stranger"), ("queueName", "others")],
        ],
        _ => [
            vec![("message", "another one"), ("queueName", "other"), ("namespace", "NS")],
            vec![("namespace", "stranger"), ("authentication/sasKeyName", "other")],
        ],
    }
}

/// The job with the message in its action, or in its error action.
fn job(credential: &Credential, message: &Value, is_error: bool) -> Value {
    let action = json!({ credential.message: message });
    if is_error {
        let main = json!({ "request": { "uri": "https://example.net" }, "errorAction": action });
        json!({ "properties": { "action": main } })
    } else {
        json!({ "properties": { "action": action } })
    }
}

/// The message without the members that make its secret.
fn without_secret(credential: &Credential) -> Value {
    let mut message = credential.whole.clone();
    let (parent, name) = credential.secret.rsplit_once('/').unwrap_or(("", credential.secret));
    let pointer = if parent.is_empty() { String::new() } else { format!("/{parent}") };
    let members = message.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("an object");
    members.remove(name);
    if name == "pfx" {
        members.remove("password");
    }
    message
}

/// An object with one member, deep inside.
fn nested(pointer: &str, value: &str) -> Value {
    pointer.rsplit('/').fold(Value::from(value), |inner, name| json!({ name: inner }))
}

/// Whether the stored action can do without a key of the configuration. Only a key of Service Bus may be left to it.
fn has_own_key(action: &Action, is_error: bool) -> bool {
    let target = action.error.as_ref().filter(|_| is_error).map_or(&action.target, |error| &error.target);
    match target {
        Target::ServiceBus(bus) => bus.authentication.as_ref().is_some_and(|key| key.key.is_some()),
        Target::Http(_) | Target::StorageQueue(_) | Target::Email(_) => true,
    }
}

#[tokio::test]
async fn a_stored_secret_stays_where_it_was_sent_to() {
    let server = Server::start().await;
    let mut wrong = Vec::new();
    let mut complaints = BTreeSet::new();
    for (credential, is_error) in credentials().iter().flat_map(|it| [(it, false), (it, true)]) {
        let [kept, lost] = changes(credential.name);
        let both = kept.into_iter().map(|it| (it, true)).chain(lost.into_iter().map(|it| (it, false)));
        for ((pointer, value), is_kept) in both {
            let changed = with(without_secret(credential), &format!("/{pointer}"), value.into());
            let edits = [("PUT", changed), ("PATCH", nested(pointer, value))];
            for (method, message) in edits {
                let made = server.put("/v1/jobs/j", job(credential, &credential.whole, is_error)).await;
                assert!(made.status() == 201 || made.status() == 200, "{made}");
                let edit = job(credential, &message, is_error);
                let answer = server.call(method, "/v1/jobs/j").json(&edit).send().await;
                let case = format!("{} {method} {pointer}={value}", credential.name);
                let stored = find_job(&server, "default", "j").await.job.definition.action;
                let keeps = answer.status() == 200 && has_own_key(&stored, is_error);
                if keeps != is_kept {
                    wrong.push(format!("{case}, error action {is_error}: {answer}"));
                }
                if !is_kept && answer.status() != 200 {
                    complaints.insert(answer.complaint());
                }
                server.delete("/v1/jobs/j").await;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_snapshot!(Vec::from_iter(complaints).join("\n"), @"
    400 BadRequest: properties.action.errorAction.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.errorAction.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    400 BadRequest: properties.action.errorAction.request.authentication.pfx: Missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    400 BadRequest: properties.action.errorAction.request.authentication.secret: Missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    400 BadRequest: properties.action.errorAction.request.uri: Given an http address, expected an https one: a client certificate is shown while TLS is agreed upon.
    400 BadRequest: properties.action.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    400 BadRequest: properties.action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    400 BadRequest: properties.action.request.authentication.pfx: Missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    400 BadRequest: properties.action.request.authentication.secret: Missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    400 BadRequest: properties.action.request.uri: Given an http address, expected an https one: a client certificate is shown while TLS is agreed upon.
    ");
}
