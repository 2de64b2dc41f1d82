//! ETags, and writes that depend on them.

use insta::assert_snapshot;
use serde_json::json;

use super::{daily, with};
use crate::server::Server;

#[tokio::test]
async fn a_change_has_another_etag() {
    let server = Server::start().await;
    let made = server.put("/v1/jobs/j", daily()).await;
    assert!(made.etag().starts_with('"') && made.etag().ends_with('"'), "{made}");
    assert_eq!(server.get("/v1/jobs/j").await.etag(), made.etag());
    let changed = server.patch("/v1/jobs/j", json!({ "properties": { "state": "Disabled" } })).await;
    assert_ne!(changed.etag(), made.etag());
    server.delete("/v1/jobs/j").await;
    let anew = server.put("/v1/jobs/j", daily()).await;
    assert!(anew.etag() != made.etag() && anew.etag() != changed.etag(), "a new one is not the old one");
    server.post("/v1/jobs/j/run").await;
    assert_eq!(server.get("/v1/jobs/j").await.etag(), anew.etag(), "a run does not change the definition");
}

#[tokio::test]
async fn a_write_waits_for_its_condition() {
    let server = Server::start().await;
    for path in ["/v1/jobs/j", "/v1/collections/c"] {
        let is_job = path.contains("jobs");
        let body = |number: u32| {
            if is_job {
                with(daily(), "/properties/recurrence/count", number.into())
            } else {
                json!({ "tags": { "n": number.to_string() } })
            }
        };
        let put = |header: &'static str, value: String, number: u32| {
            server.call("PUT", path).header(header, &value).json(&body(number)).send()
        };
        assert_eq!(put("if-match", "*".into(), 1).await.status(), 412, "there is nothing yet");
        assert_eq!(put("if-match", "\"x\"".into(), 1).await.status(), 412);
        let made = put("if-none-match", "*".into(), 1).await;
        assert_eq!(made.status(), 201);
        assert_eq!(put("if-none-match", "*".into(), 2).await.status(), 412);
        assert_eq!(put("if-none-match", made.etag(), 2).await.status(), 412);
        assert_eq!(put("if-none-match", "\"other\"".into(), 2).await.status() / 100, 2);
        assert_eq!(put("if-match", made.etag(), 3).await.status(), 412, "somebody else was faster");
        let now = server.get(path).await.etag();
        assert_eq!(put("if-match", format!("\"x\", W/{now}"), 3).await.status() / 100, 2);
        assert_eq!(put("if-match", "*".into(), 4).await.status() / 100, 2);
        for method in ["PATCH", "DELETE"] {
            let stale = server.call(method, path).header("if-match", &now).json(&json!({ "tags": {} })).send().await;
            assert_eq!(stale.status(), 412, "{method} {stale}");
        }
        let now = server.get(path).await.etag();
        assert_eq!(server.call("DELETE", path).header("if-match", &now).send().await.status(), 200);
    }
}

#[tokio::test]
async fn the_refusal_says_what_is_there() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let stale = server.call("PUT", "/v1/jobs/j").header("if-match", "\"old\"").json(&daily()).send().await;
    assert_snapshot!(stale, @r#"
    412 Precondition Failed
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "PreconditionFailed",
        "message": "If-Match says \"old\", but it is \"j1-1\" now; read it again."
      }
    }
    "#);
    let absent = server.call("PUT", "/v1/jobs/k").header("if-match", "*").json(&daily()).send().await;
    assert_snapshot!(absent.complaint(), @"412 PreconditionFailed: If-Match says *, but there is nothing; read it again.");
}

/// A header that cannot be an ETag of ours is not as good as none.
#[tokio::test]
async fn an_unreadable_condition_holds_the_write_back() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", daily()).await;
    let mut request = http::Request::delete("/v1/jobs/j").body(Ok(bytes::Bytes::new())).unwrap();
    let token = format!("Bearer {}", server.owner);
    request.headers_mut().insert("authorization", token.parse().unwrap());
    request.headers_mut().insert("if-match", http::HeaderValue::from_bytes(b"\"\xff\"").unwrap());
    assert_eq!(server.answer(request).await.status(), 412);
}

#[tokio::test]
async fn reading_is_never_answered_with_304() {
    let server = Server::start().await;
    let made = server.put("/v1/jobs/j", daily()).await;
    assert_eq!(server.call("GET", "/v1/jobs/j").header("if-none-match", &made.etag()).send().await.status(), 200);
}
