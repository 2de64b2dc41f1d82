//! What an alert sends, and where to, comes out to nobody who may only read.

use punctual_model::access::Role;
use punctual_store::{DeliveryId, DeliveryOutcome};
use serde_json::{Value, json};

use crate::server::{NOW, Server, collection, instant};

fn alerts() -> Vec<(&'static str, Value)> {
    let action = |action: Value| json!({ "when": ["failing"], "scope": "default", "action": action });
    let mut pager = action(
        json!({ "request": { "uri": "https://user:HIDDEN@events.example.com/hooks/HIDDEN1234567890/v2?key=HIDDEN",
        "headers": { "X-Key": "HIDDEN" }, "body": { "routing_key": "HIDDEN" },
        "authentication": { "type": "Basic", "username": "ada", "password": "HIDDEN" } } }),
    );
    pager["format"] = json!("pagerDuty");
    pager["options"] = json!({ "sign": { "secret": "whsec_HIDDENHIDDENHIDDENHIDDENHIDDENAA" } });
    let queue = json!({ "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=2015&sig=HIDDEN", "message": { "k": "HIDDEN" } });
    let topic = json!({ "topicPath": "t", "namespace": "ns", "message": { "k": "HIDDEN" }, "customMessageProperties": { "p": "HIDDEN" },
        "authentication": { "sasKeyName": "k", "sasKey": "HIDDEN" } });
    vec![
        ("pager", pager),
        ("queue", action(json!({ "queueMessage": queue }))),
        ("topic", action(json!({ "serviceBusTopicMessage": topic }))),
    ]
}

#[tokio::test]
async fn readers_of_an_alert_see_no_secret() {
    let server = Server::start().await;
    let reader = server.token(Role::Reader, &collection("default")).await;
    for (at, (name, alert)) in (1..).zip(alerts()) {
        let path = format!("/v1/alerts/{name}");
        let made = server.put(&path, alert.clone()).await;
        assert_eq!(made.status(), 201, "{made}");
        let sent = server.post(&format!("{path}/test")).await;
        assert_eq!(sent.status(), 202, "{sent}");
        assert!(!sent.all().contains("HIDDEN"), "{sent}");
        let outcome = DeliveryOutcome { at: instant(NOW), failure: Some("It failed.".to_owned()), note: None };
        server.alerts.end_delivery(DeliveryId(at), outcome, None).await.unwrap();
        let messages = format!("{path}/messages");
        for path in [&*path, "/v1/alerts", &messages, &format!("{messages}/{at}"), "/v1/incidents"] {
            let shown = server.call("GET", path).bearer(&reader).plain().send().await;
            assert_eq!(shown.status(), 200, "{path}");
            assert!(!shown.all().contains("HIDDEN"), "{path}: {shown}");
        }
    }
    // However short the key of a webhook is.
    for (name, uri) in
        [("short", "https://hooks.example.com/services/T000/HIDDEN"), ("query", "https://example.com?k=HIDDEN")]
    {
        let alert = json!({ "when": ["failing"], "scope": "default", "action": { "request": { "uri": uri } } });
        server.put(&format!("/v1/alerts/{name}"), alert).await;
        let shown = server.call("GET", &format!("/v1/alerts/{name}")).bearer(&reader).plain().send().await;
        let server = uri.rsplit_once("/services").or_else(|| uri.rsplit_once('?')).unwrap().0;
        assert_eq!(shown.at("/action/request/uri"), format!("{server}/***"));
    }
    // The jobs that deliver messages are in no list, and no event or record of theirs is.
    for path in ["/v1/jobs", "/v1/due", "/v1/history", "/v1/failures?since=24h", "/v1/collections"] {
        let shown = server.get(path).await;
        assert!(!shown.all().contains("HIDDEN") && !shown.all().contains("events.example.com"), "{path}: {shown}");
    }
}

#[tokio::test]
async fn writers_of_an_alert_see_no_credentials_and_keep_them() {
    let server = Server::start().await;
    for (name, alert) in alerts() {
        let path = format!("/v1/alerts/{name}");
        server.put(&path, alert.clone()).await;
        let shown = server.call("GET", &path).plain().send().await;
        for member in ["password", "sasToken", "sasKey\"", "whsec_"] {
            assert!(!shown.body().contains(member), "{shown}");
        }
        let again = server.put(&path, shown.json()).await;
        assert_eq!((again.status(), again.etag()), (200, shown.etag()), "nothing has changed: {again}");
    }
    // Sent to another server, the stored password is not enough.
    let mut moved = server.call("GET", "/v1/alerts/pager").plain().send().await.json();
    moved["action"]["request"]["uri"] = json!("https://evil.example.com/");
    let refused = server.put("/v1/alerts/pager", moved).await;
    assert_eq!(refused.status(), 400, "{refused}");
    assert!(refused.body().contains("action.request.authentication.password"), "{refused}");
}

#[tokio::test]
async fn no_complaint_about_an_alert_holds_a_secret() {
    let server = Server::start().await;
    for (name, alert) in alerts() {
        let mut wrong = alert;
        wrong["when"] = json!(["sometimes"]);
        wrong["action"]["retryPolicy"] = json!({ "retryType": "often" });
        let refused = server.put(&format!("/v1/alerts/{name}"), wrong).await;
        assert_eq!(refused.status(), 400);
        assert!(!refused.all().contains("HIDDEN"), "{refused}");
    }
    for body in [json!("HIDDEN"), json!(["HIDDEN"]), json!({ "routing": "HIDDEN" })] {
        let alert = json!({ "when": ["failing"], "format": "pagerDuty", "action": { "request": { "uri": "https://example.com", "body": body } } });
        let refused = server.put("/v1/alerts/x", alert).await;
        assert!(refused.status() == 400 && !refused.all().contains("HIDDEN"), "{refused}");
    }
}
