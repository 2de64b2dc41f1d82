//! The time in which client certificates are valid: from 2026-11-15T11:50:51Z to 2126-10-22T11:50:51Z, these.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::Server;

fn certificate(name: &str) -> Value {
    let file = std::fs::read(format!("{}/../pfx/tests/fixtures/{name}.pfx", env!("CARGO_MANIFEST_DIR"))).unwrap();
    json!({ "type": "ClientCertificate", "pfx": BASE64_STANDARD.encode(file), "password": "secret" })
}

fn job(main: &Value, error: &Value) -> Value {
    let request = |authentication: &Value| json!({ "uri": "https://example.com", "authentication": authentication });
    json!({ "properties": { "action": { "request": request(main), "errorAction": { "request": request(error) } } } })
}

#[tokio::test]
async fn one_that_is_not_valid_is_refused() {
    let server = Server::start().await;
    let both = job(&certificate("aes128"), &certificate("ed25519"));
    let mut told = Vec::new();
    for now in ["2026-11-15T11:50:50Z", "2126-10-22T11:50:52Z"] {
        server.set_clock(now);
        told.push(server.put("/v1/jobs/j", both.clone()).await.complaint());
    }
    assert_snapshot!(told.join("\n"), @"
    400 BadRequest: properties.action.request.authentication.pfx: Given a certificate that is not valid before 2026-11-15T11:50:51Z, expected one that is valid now, which is 2026-11-15T11:50:50Z. | properties.action.errorAction.request.authentication.pfx: Given a certificate that is not valid before 2026-11-15T11:50:51Z, expected one that is valid now, which is 2026-11-15T11:50:50Z.
    400 BadRequest: properties.action.request.authentication.pfx: Given a certificate that expired at 2126-10-22T11:50:51Z, expected one that is valid now, which is 2126-10-22T11:50:52Z. | properties.action.errorAction.request.authentication.pfx: Given a certificate that expired at 2126-10-22T11:50:51Z, expected one that is valid now, which is 2126-10-22T11:50:52Z.
    ");
    server.set_clock("2026-11-15T11:50:51Z");
    let made = server.put("/v1/jobs/j", both).await;
    assert_eq!((made.status(), made.header("warning").as_str()), (201, ""), "{made}");
}

/// A job must be changeable when its certificate has expired; another one must be valid.
#[tokio::test]
async fn one_that_expires_is_warned_of() {
    let server = Server::start().await;
    server.set_clock("2126-09-22T11:50:50Z");
    let early = server.put("/v1/jobs/early", job(&certificate("aes128"), &Value::Null)).await;
    assert_eq!((early.status(), early.header("warning").as_str()), (201, ""), "{early}");
    server.set_clock("2126-09-22T11:50:51Z");
    let soon = server.put("/v1/jobs/soon", job(&Value::Null, &certificate("aes128"))).await;
    assert_snapshot!(soon.header("warning"), @r#"299 punctual "properties.action.errorAction.request.authentication.pfx: the certificate expires at 2126-10-22T11:50:51Z""#);
    server.set_clock("2126-11-01T00:00:00Z");
    let method = |method: &str| json!({ "properties": { "action": { "request": { "method": method } } } });
    let kept = server.patch("/v1/jobs/early", method("PUT")).await;
    assert_eq!(kept.status(), 200, "{kept}");
    assert_snapshot!(kept.header("warning"), @r#"299 punctual "properties.action.request.authentication.pfx: the certificate expired at 2126-10-22T11:50:51Z""#);
    let other = json!({ "properties": { "action": { "request": { "authentication": certificate("ed25519") } } } });
    assert_snapshot!(server.patch("/v1/jobs/early", other).await.complaint(), @"400 BadRequest: properties.action.request.authentication.pfx: Given a certificate that expired at 2126-10-22T11:50:51Z, expected one that is valid now, which is 2126-11-01T00:00:00Z.");
}
