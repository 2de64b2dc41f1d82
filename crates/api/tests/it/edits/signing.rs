//! `options.sign`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{daily, with};
use crate::server::Server;

const KEY: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
const OTHER_KEY: &str = "whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2";

fn signed(sign: &Value) -> Value {
    with(daily(), "/properties/options", json!({ "sign": sign }))
}

#[tokio::test]
async fn the_key_stays_without_being_sent_again() {
    let server = Server::start().await;
    let path = "/v1/jobs/j";
    assert_snapshot!(server.put(path, signed(&json!({}))).await.complaint(), @"400 BadRequest: properties.options.sign.secret: Given nothing, expected the key to sign with, since none is stored.");
    let made = server.put(path, signed(&json!({ "secret": KEY }))).await;
    assert_eq!(made.status(), 201, "{made}");
    assert_snapshot!(made.at("/properties/options"), @r#"{"sign":{}}"#);
    let masked = [signed(&json!("***")), signed(&json!({ "secret": "***" }))];
    for same in [signed(&json!({})), signed(&json!(KEY)), made.json()].into_iter().chain(masked) {
        let kept = server.put(path, same).await;
        assert_eq!((kept.status(), kept.etag()), (200, made.etag()), "{kept}");
    }
    let elsewhere = json!({ "properties": { "action": { "request": { "uri": "https://elsewhere.example.com/" } } } });
    assert_snapshot!(server.patch(path, elsewhere).await.complaint(), @"400 BadRequest: properties.options.sign.secret: Missing, and no stored secret has this scheme, host and port: send the secret.");
    let timed = server.patch(path, json!({ "properties": { "options": { "timeout": "PT5S" } } })).await;
    assert_snapshot!(timed.at("/properties/options"), @r#"{"sign":{},"timeout":"PT5S"}"#);
    let changed = server.patch(path, json!({ "properties": { "options": { "sign": OTHER_KEY } } })).await;
    assert_ne!(changed.etag(), timed.etag());
    let removed = server.patch(path, json!({ "properties": { "options": { "sign": null } } })).await;
    assert_snapshot!(removed.at("/properties/options"), @r#"{"timeout":"PT5S"}"#);
    assert_eq!(server.put(path, signed(&json!({}))).await.status(), 400, "it was forgotten, and does not come back");
    assert_snapshot!(server.put(path, signed(&json!("***"))).await.complaint(), @"400 BadRequest: properties.options.sign.secret: Given ***, expected the key to sign with, since none is stored.");
}

#[tokio::test]
async fn a_put_without_it_removes_it_and_says_so() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", signed(&json!(KEY))).await;
    let removed = server.put("/v1/jobs/j", daily()).await;
    assert_snapshot!(removed.header("warning"), @r#"299 punctual "properties.options.sign: dropped, since the new definition has none""#);
    assert_eq!(removed.at("/properties/options"), Value::Null);
}

#[tokio::test]
async fn headers_of_the_signature_are_not_the_jobs() {
    let server = Server::start().await;
    let headers = json!({ "Webhook-Id": "1", "X-Webhook": "2" });
    let job = with(signed(&json!(KEY)), "/properties/action/request/headers", headers.clone());
    assert_snapshot!(server.put("/v1/jobs/j", job).await.complaint(), @"400 BadRequest: properties.action.request.headers.Webhook-Id: The signature (options.sign) sets this header: leave it out, or do not sign.");
    let error = json!({ "request": { "uri": "https://example.com", "headers": { "webhook-signature": "x" } } });
    let job = with(signed(&json!(KEY)), "/properties/action/errorAction", error);
    assert_snapshot!(server.put("/v1/jobs/j", job).await.complaint(), @"400 BadRequest: properties.action.errorAction.request.headers.webhook-signature: The signature (options.sign) sets this header: leave it out, or do not sign.");
    let unsigned = with(daily(), "/properties/action/request/headers", headers);
    assert_eq!(server.put("/v1/jobs/j", unsigned).await.status(), 201);
    let patched = server.patch("/v1/jobs/j", json!({ "properties": { "options": { "sign": KEY } } })).await;
    assert_snapshot!(patched.complaint(), @"400 BadRequest: properties.action.request.headers.Webhook-Id: The signature (options.sign) sets this header: leave it out, or do not sign.");
}

#[tokio::test]
async fn a_job_that_makes_no_http_calls_is_warned_of() {
    let server = Server::start().await;
    let queue = json!({ "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "hello" });
    let job = with(signed(&json!(KEY)), "/properties/action", json!({ "queueMessage": queue }));
    let made = server.put("/v1/jobs/j", job.clone()).await;
    assert_eq!(made.status(), 201, "{made}");
    assert_snapshot!(made.header("warning"), @r#"299 punctual "properties.options.sign: only HTTP calls are signed, and this job makes none""#);
    let error = json!({ "request": { "uri": "https://example.com" } });
    let job = with(job, "/properties/action/errorAction", error);
    assert_eq!(server.put("/v1/jobs/j", job).await.header("warning"), "");
}
