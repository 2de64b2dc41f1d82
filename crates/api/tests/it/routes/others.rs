//! Health, the description, and what every answer has.

use bytes::Bytes;
use http::header::AUTHORIZATION;
use insta::assert_snapshot;
use punctual_api::{BodyFault, Peer, RequestBody};
use punctual_model::access::Role;

use crate::server::{Server, collection};

#[tokio::test]
async fn health_needs_no_token() {
    let server = Server::start().await;
    assert_snapshot!(server.call("GET", "/healthz").anonymous().send().await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "status": "ok"
    }
    "#);
    assert_snapshot!(server.call("GET", "/readyz").anonymous().send().await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "status": "ready"
    }
    "#);
    let description = server.call("GET", "/openapi.json").anonymous().send().await;
    assert!(description.status() == 200 && description.json().is_object());
}

#[tokio::test]
async fn every_answer_can_be_found_again() {
    let server = Server::start().await;
    let plain = server.get("/healthz").await;
    let again = server.get("/healthz").await;
    assert_ne!(plain.header("x-ms-request-id"), again.header("x-ms-request-id"));
    assert_eq!(plain.header("x-ms-request-id"), plain.header("x-ms-correlation-request-id"));
    let ids = server.call("GET", "/nowhere").header("x-ms-client-request-id", "mine");
    let ids = ids.header("x-ms-correlation-request-id", "ours").header("x-ms-return-client-request-id", "true");
    let ids = ids.send().await;
    assert_eq!(
        (ids.header("x-ms-client-request-id"), ids.header("x-ms-correlation-request-id")),
        ("mine".into(), "ours".into())
    );
    assert_eq!(ids.header("cache-control"), "no-cache");
    let unasked = server.call("GET", "/healthz").header("x-ms-client-request-id", "mine").send().await;
    assert_eq!(unasked.header("x-ms-client-request-id"), "");
}

#[tokio::test]
async fn a_body_that_did_not_arrive_says_why() {
    let server = Server::start().await;
    for fault in [BodyFault::TooLarge { bytes_max: 7 }, BodyFault::TooSlow { seconds_max: 7 }, BodyFault::Broken] {
        assert!(
            server.call("PUT", "/v1/jobs/j").anonymous().fault(fault).send().await.status() == 401,
            "who comes first"
        );
    }
    let large = server.call("PUT", "/v1/jobs/j").fault(BodyFault::TooLarge { bytes_max: 1_000_000 }).send().await;
    assert_snapshot!(large.complaint(), @"413 RequestTooLarge: The body is longer than 1000000 bytes (setting server.body_bytes_max).");
    let slow = server.call("PUT", "/v1/jobs/j").fault(BodyFault::TooSlow { seconds_max: 30 }).send().await;
    assert_snapshot!(slow.complaint(), @"408 RequestTimeout: The body did not arrive within 30 seconds.");
    let broken = server.call("PUT", "/v1/jobs/j").fault(BodyFault::Broken).send().await;
    assert_snapshot!(broken.complaint(), @"400 BadRequest: The body ended before its announced end.");
    let crowded = server.call("PUT", "/v1/jobs/j").fault(BodyFault::NoRoom).send().await;
    assert_snapshot!(crowded.complaint(), @"503 ServerBusy: Too many large requests are on their way at once; try again.");
}

/// A body that must not be read.
struct Sealed;

impl RequestBody for Sealed {
    async fn read(self, caller: &str) -> Result<Bytes, BodyFault> {
        panic!("the body was read for {caller}")
    }
}

#[tokio::test]
async fn only_the_body_of_who_may_write_is_read() {
    let server = Server::start().await;
    let reader = server.token(Role::Reader, "/").await;
    let owner = server.owner.clone();
    let job = format!("{}/jobs/j", collection("default"));
    for (method, path, token, status) in [
        ("PUT", "/v1/jobs/j", "", 401),
        ("PUT", "/v1/jobs/j", "stranger", 401),
        ("PUT", "/v1/jobs/j", &reader, 403),
        ("PUT", "/nowhere", &owner, 404),
        ("POST", "/v1/jobs/j", &owner, 405),
        ("PUT", &job, &owner, 400),
        ("GET", "/healthz", "", 200),
    ] {
        let request = http::Request::builder().method(method).uri(path);
        let request = request.header(AUTHORIZATION, format!("Bearer {token}")).body(Sealed).unwrap();
        let peer = Peer { address: ([127, 0, 0, 1], 50_000).into(), is_tls: false };
        assert_eq!(server.api.answer(request, peer).await.status(), status, "{method} {path}");
    }
}
