//! Credentials go in, and stay without being sent again.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::Server;

fn http(authentication: &Value) -> Value {
    json!({ "properties": { "action": { "request": { "uri": "https://example.com", "authentication": authentication } } } })
}

fn message(kind: &str, mut rest: Value, authentication: Value) -> Value {
    let members = rest.as_object_mut().unwrap();
    members.insert("message".to_owned(), "hello".into());
    if !authentication.is_null() {
        members.insert("authentication".to_owned(), authentication);
    }
    json!({ "properties": { "action": { kind: rest } } })
}

fn queue(account: &str, sas: Option<&str>) -> Value {
    let mut message = json!({ "storageAccount": account, "queueName": "tasks", "message": "hello" });
    if let Some(sas) = sas {
        message["sasToken"] = sas.into();
    }
    json!({ "properties": { "action": { "queueMessage": message } } })
}

fn bus(key: &str, secret: Option<&str>) -> Value {
    let mut authentication = json!({ "type": "SharedAccessKey", "sasKeyName": key });
    if let Some(secret) = secret {
        authentication["sasKey"] = secret.into();
    }
    message("serviceBusQueueMessage", json!({ "queueName": "q", "namespace": "ns" }), authentication)
}

/// With its secret; the same without; and with another public part, without.
fn cases() -> Vec<(&'static str, Value, Value, Value)> {
    let oauth = |client: &str| json!({ "type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "https://a/", "clientId": client });
    let with = |mut value: Value, name: &str| {
        value[name] = "SECRET".into();
        value
    };
    let basic = |user: &str| json!({ "type": "Basic", "username": user });
    vec![
        ("basic", http(&with(basic("ada"), "password")), http(&basic("ada")), http(&basic("bob"))),
        ("oauth", http(&with(oauth("id1"), "secret")), http(&oauth("id1")), http(&oauth("id2"))),
        ("queue", queue("acct", Some("?sv=1&sig=SECRET")), queue("acct", None), queue("other", None)),
    ]
}

#[tokio::test]
async fn a_secret_that_is_not_sent_again_is_kept_while_the_rest_is_the_same() {
    let server = Server::start().await;
    let mut refusals = Vec::new();
    for (name, whole, without, other) in cases() {
        let path = format!("/v1/jobs/{name}");
        refusals.push(format!("new {name}: {}", server.put(&path, without.clone()).await.complaint()));
        let made = server.put(&path, whole).await;
        assert_eq!(made.status(), 201, "{made}");
        let kept = server.put(&path, without).await;
        assert_eq!((kept.status(), kept.etag()), (200, made.etag()), "{name}: {kept}");
        let written_back = server.put(&path, kept.json()).await;
        assert_eq!(written_back.etag(), made.etag(), "{name}: {written_back}");
        refusals.push(format!("other {name}: {}", server.put(&path, other).await.complaint()));
        assert_eq!(server.get(&path).await.etag(), made.etag());
    }
    assert_snapshot!(refusals.join("\n"), @"
    new basic: 400 BadRequest: properties.action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    other basic: 400 BadRequest: properties.action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    new oauth: 400 BadRequest: properties.action.request.authentication.secret: Missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    other oauth: 400 BadRequest: properties.action.request.authentication.secret: Missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    new queue: 400 BadRequest: properties.action.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    other queue: 400 BadRequest: properties.action.queueMessage.sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    ");
}

/// A key of a broker may also stand in the configuration of the server, so that a job need not have one.
#[tokio::test]
async fn a_key_of_service_bus_is_kept_or_left_to_the_configuration() {
    let server = Server::start().await;
    let made = server.put("/v1/jobs/j", bus("k1", Some("SECRET"))).await;
    let kept = server.put("/v1/jobs/j", bus("k1", None)).await;
    assert_eq!((kept.status(), kept.etag()), (200, made.etag()), "{kept}");
    assert_eq!(server.put("/v1/jobs/j", bus("k2", None)).await.status(), 200);
    assert_eq!(server.put("/v1/jobs/new", bus("k1", None)).await.status(), 201);
}

#[tokio::test]
async fn no_object_at_all_removes_them() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", http(&json!({ "type": "Basic", "username": "ada", "password": "SECRET" }))).await;
    let patched =
        server.patch("/v1/jobs/j", json!({ "properties": { "action": { "request": { "method": "POST" } } } })).await;
    assert_eq!(patched.at("/properties/action/request/authentication/username"), "ada", "PATCH keeps them");
    let removed = server
        .put("/v1/jobs/j", json!({ "properties": { "action": { "request": { "uri": "https://example.com" } } } }))
        .await;
    assert_eq!(removed.at("/properties/action/request/authentication"), json!(null));
    let gone = server.put("/v1/jobs/j", http(&json!({ "type": "Basic", "username": "ada" }))).await;
    assert_eq!(gone.status(), 400, "it was forgotten, and does not come back");
    server.put("/v1/jobs/j", http(&json!({ "type": "Basic", "username": "ada", "password": "SECRET" }))).await;
    let nulled = server
        .patch("/v1/jobs/j", json!({ "properties": { "action": { "request": { "authentication": null } } } }))
        .await;
    assert_eq!(nulled.at("/properties/action/request/authentication"), json!(null));
}

#[tokio::test]
async fn a_new_kind_of_credentials_forgets_the_old_one() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", http(&json!({ "type": "Basic", "username": "ada", "password": "SECRET" }))).await;
    let oauth = json!({ "type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "https://a/", "clientId": "id", "secret": "S2" });
    let patched = server
        .patch("/v1/jobs/j", json!({ "properties": { "action": { "request": { "authentication": oauth } } } }))
        .await;
    assert_snapshot!(patched.at("/properties/action/request/authentication"), @r#"{"audience":"https://a/","clientId":"id","tenant":"contoso.com","type":"ActiveDirectoryOAuth"}"#);
}
