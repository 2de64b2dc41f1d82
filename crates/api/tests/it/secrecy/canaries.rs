//! A canary in every place for a secret, and a search through every answer.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::server::Server;

fn canary(place: &str) -> String {
    format!("CANARY-{place}")
}

const SIGNING_KEY: &str = "whsec_CANARYCANARYCANARYCANARYCANARYAA";

/// A real one, which is a canary itself.
fn pfx() -> String {
    BASE64_STANDARD.encode(include_bytes!("../../../../pfx/tests/fixtures/aes128.pfx"))
}

fn authentications() -> Vec<(&'static str, Value)> {
    vec![
        ("certificate", json!({ "type": "ClientCertificate", "pfx": pfx(), "password": "secret" })),
        ("basic", json!({ "type": "Basic", "username": "ada", "password": canary("basic") })),
        (
            "oauth",
            json!({ "type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "https://a/", "clientId": "id",
            "secret": canary("oauth") }),
        ),
    ]
}

fn actions() -> Vec<(String, Value)> {
    let mut actions: Vec<_> = authentications()
        .into_iter()
        .map(|(name, authentication)| {
            (name.to_owned(), json!({ "request": { "uri": "https://example.com", "authentication": authentication } }))
        })
        .collect();
    let sas = format!("?sv=2015&sig={}", canary("sas"));
    actions.push((
        "queue".into(),
        json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": sas, "message": "m" } }),
    ));
    for (member, to) in [("serviceBusQueueMessage", "queueName"), ("serviceBusTopicMessage", "topicPath")] {
        let authentication = json!({ "type": "SharedAccessKey", "sasKeyName": "k", "sasKey": canary("sasKey") });
        actions.push((
            member.to_owned(),
            json!({ member: { to: "t", "namespace": "ns", "authentication": authentication, "message": "m" } }),
        ));
    }
    actions
}

#[tokio::test]
async fn no_answer_holds_a_secret() {
    let server = Server::start().await;
    for (name, action) in actions() {
        for (nested, error) in actions() {
            let path = format!("/v1/jobs/{name}-{nested}");
            let mut whole = action.clone();
            whole["errorAction"] = error;
            let sign = json!({ "secret": SIGNING_KEY });
            let job = json!({ "properties": { "action": whole, "recurrence": { "frequency": "day" }, "options": { "sign": sign } } });
            let made = server.put(&path, job.clone()).await;
            assert_eq!(made.status(), 201, "{made}");
            assert_eq!(server.put(&path, job.clone()).await.status(), 200);
            server.get(&path).await;
            server.patch(&path, json!({ "properties": { "options": { "timeout": "PT5S" } } })).await;
            server.call("GET", &path).header("x-punctual-dialect", "openapi").send().await;
            server.patch(&path, json!({ "properties": { "options": { "sign": "whsec_CANARY" } } })).await;
            // The same with something wrong beside each secret, and with every secret itself of the wrong kind.
            let wrong = json!({ "properties": { "action": job["properties"]["action"], "state": "x", "recurrence": { "frequency": "never" } } });
            assert_eq!(server.put(&path, wrong).await.status(), 400);
            server.post(&format!("{path}/run")).await;
            server.get(&format!("{path}/history")).await;
        }
    }
    server.get("/v1/jobs").await;
    server.call("POST", "/v1/preview").json(&json!({ "properties": { "action": actions()[0].1 } })).send().await;
    server.everything().await;
    let answers = server.answers.lock().unwrap();
    assert!(answers.len() > 300);
    let pfx = pfx();
    for answer in answers.iter() {
        assert!(!answer.contains("CANARY") && !answer.contains(&pfx[..40]), "{answer}");
        assert!(!answer.contains(r#""secret""#), "the password of the PFX file: {answer}");
    }
}

/// A secret in the wrong form, too long, or in the wrong place is not repeated by the message that says so.
#[tokio::test]
async fn no_complaint_holds_a_secret() {
    let server = Server::start().await;
    let long = format!("CANARY{}", "x".repeat(5000));
    let request = |authentication: Value| json!({ "request": { "uri": "https://example.com", "authentication": authentication } });
    let queue = |sas: Value| json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": sas, "message": "m" } });
    let bus = |key: Value| {
        json!({ "serviceBusQueueMessage": { "queueName": "q", "namespace": "ns", "message": "m",
        "authentication": { "type": "SharedAccessKey", "sasKeyName": "k", "sasKey": key } } })
    };
    let basic = |password: Value| request(json!({ "type": "Basic", "username": "ada", "password": password }));
    let wrong = [
        basic(json!(["CANARY"])),
        basic(json!({ "CANARYname": "CANARY" })),
        basic(json!(long)),
        basic(json!("CANARY\r\n")),
        request(json!("CANARY")),
        request(json!(["CANARY"])),
        request(json!({ "type": "ClientCertificate", "pfx": "CANARY!", "password": "CANARY" })),
        request(json!({ "type": "ClientCertificate", "pfx": { "x": "CANARY" } })),
        request(json!({ "type": "ActiveDirectoryOAuth", "secret": "CANARY" })),
        request(json!({ "type": "Basics", "username": "ada", "password": "CANARY" })),
        queue(json!("CANARY \u{7}")),
        queue(json!(["CANARY"])),
        queue(json!(long)),
        bus(json!(["CANARY"])),
        bus(json!(long)),
        json!({ "request": { "uri": "https://example.com/\u{7}?key=CANARY" } }),
        json!({ "request": { "uri": "ftp://user:CANARY@example.com/?CANARY" } }),
        json!({ "request": { "uri": ["https://example.com/?CANARY"] } }),
        json!({ "request": { "uri": "https://example.com", "headers": { "Authorization": ["CANARY"] } } }),
        json!({ "request": { "uri": "https://example.com", "headers": { "X-Key": "CANARY\r\nx" } } }),
        json!({ "request": { "uri": "https://example.com", "headers": "CANARY" } }),
        json!({ "request": { "uri": "https://example.com", "body": ["CANARY"] } }),
        json!({ "request": { "uri": "https://example.com", "method": "GET", "body": { "x": "CANARY" } } }),
        json!({ "request": "CANARY" }),
        json!({ "queueMessage": "CANARY" }),
        json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": { "k": "CANARY" } } }),
    ];
    for action in wrong {
        let answer = server.put("/v1/jobs/j", json!({ "properties": { "action": action } })).await;
        assert_eq!(answer.status(), 400, "{action}: {answer}");
        assert!(!answer.all().contains("CANARY"), "{action}: {answer}");
    }
}
