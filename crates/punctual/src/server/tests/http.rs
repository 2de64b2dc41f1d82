//! Versions of HTTP, and requests that are not as they should be.

use insta::assert_snapshot;

use super::client::{Http2, Wire};
use super::{config, start};

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nfirst").await;
    assert_snapshot!(wire.answer().await, @"
    HTTP/1.1 200 OK
    content-length: 5

    first
    ");
    // Two at once are answered in their order.
    wire.send("GET /who HTTP/1.1\r\nHost: h\r\n\r\nPOST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nthird")
        .await;
    assert!(wire.answer().await.ends_with("HTTP/1.1 tls=false"));
    assert!(wire.answer().await.ends_with("third"));
}

#[tokio::test]
async fn a_client_that_speaks_http2_is_answered_in_http2() {
    let server = start(config()).await;
    let client = Http2::connect(server.address).await;
    assert_eq!(client.ask("/who", "").await.unwrap().1, "HTTP/2.0 tls=false");
    assert_eq!(client.ask("/echo", "body").await.unwrap().1, "body");
}

#[tokio::test]
async fn http2_answers_one_request_while_another_one_waits() {
    let mut server = start(config()).await;
    let client = Http2::connect(server.address).await;
    let (waited, ()) = tokio::join!(client.ask("/wait", ""), async {
        assert_eq!(server.event().await, "begun /wait");
        assert_eq!(client.ask("/echo", "meanwhile").await.unwrap().1, "meanwhile");
        server.gate.add_permits(1);
    });
    assert_eq!(waited.unwrap().1, "waited");
}

#[tokio::test]
async fn a_panic_is_answered_and_hurts_nobody_else() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    assert_snapshot!(wire.get("/panic").await, @r#"
    HTTP/1.1 500 Internal Server Error
    content-type: application/json; charset=utf-8
    content-length: 100

    {"error":{"code":"InternalError","message":"The server failed at this request. Its log says more."}}
    "#);
    assert!(wire.get("/who").await.starts_with("HTTP/1.1 200"));
    let client = Http2::connect(server.address).await;
    assert_eq!(client.ask("/panic", "").await.unwrap().0, 500);
    assert_eq!(client.ask("/who", "").await.unwrap().0, 200);
}

#[tokio::test]
async fn a_head_that_is_wrong_is_refused_and_the_connection_closed() {
    let server = start(config()).await;
    let huge = format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    let many = format!("GET / HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: y\r\n".repeat(101));
    let mut answers = Vec::new();
    for head in ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n", &huge, &many] {
        let mut wire = Wire::connect(server.address).await;
        wire.send(head).await;
        answers.push(wire.rest().await.lines().next().unwrap_or_default().to_owned());
    }
    assert_snapshot!(answers.join("\n"), @"
    HTTP/1.1 400 Bad Request
    HTTP/1.1 400 Bad Request
    HTTP/1.1 431 Request Header Fields Too Large
    HTTP/1.1 431 Request Header Fields Too Large
    ");
}

#[tokio::test]
async fn http2_refuses_a_head_that_is_too_large() {
    let server = start(config()).await;
    let client = Http2::connect(server.address).await;
    let path = format!("/{}", "x".repeat(20_000));
    assert_eq!(client.ask(&path, "").await.unwrap().0, 431);
    assert_eq!(client.ask("/who", "").await.unwrap().0, 200);
}

/// A proxy before us may see other bounds between requests than we do. Whatever can be read in two ways is refused. Only
/// for both kinds of length together RFC 9112 (6.3) lets the chunks count, and then the connection ends: what comes after
/// them never gets to the handler.
#[tokio::test]
async fn no_second_request_can_be_hidden_in_a_first() {
    const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
    let heads = [
        "Content-Length: 5\r\nContent-Length: 0",
        "Content-Length: 0\r\nContent-Length: 5",
        "Content-Length: 0, 5",
        "Content-Length: +0",
        "Content-Length: 0x0",
        "Content-Length : 0",
        "Content-Length: 0\r\n Transfer-Encoding: chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
    ];
    let mut seen = Vec::new();
    for head in heads {
        let mut server = start(config()).await;
        let mut wire = Wire::connect(server.address).await;
        wire.send(&format!("POST /echo HTTP/1.1\r\nHost: h\r\n{head}\r\n\r\n0\r\n\r\n{HIDDEN}")).await;
        let answers = wire.rest().await;
        let statuses: Vec<&str> = answers.lines().filter(|line| line.starts_with("HTTP/")).collect();
        seen.push(format!("{head:?}: {}", statuses.join(", ")));
        server.shutdown.cancel();
        while let Some(event) = server.events.recv().await {
            assert!(!event.contains("hidden"), "{head:?}: {event}");
        }
    }
    assert_snapshot!(seen.join("\n"), @r#"
    "Content-Length: 5\r\nContent-Length: 0": HTTP/1.1 400 Bad Request
    "Content-Length: 0\r\nContent-Length: 5": HTTP/1.1 400 Bad Request
    "Content-Length: 0, 5": HTTP/1.1 400 Bad Request
    "Content-Length: +0": HTTP/1.1 400 Bad Request
    "Content-Length: 0x0": HTTP/1.1 400 Bad Request
    "Content-Length : 0": HTTP/1.1 400 Bad Request
    "Content-Length: 0\r\n Transfer-Encoding: chunked": HTTP/1.1 400 Bad Request
    "Transfer-Encoding: identity": HTTP/1.1 400 Bad Request
    "Transfer-Encoding: chunked, identity": HTTP/1.1 400 Bad Request
    "Transfer-Encoding: xchunked": HTTP/1.1 400 Bad Request
    "Transfer-Encoding: chunked\r\nContent-Length: 5": HTTP/1.1 200 OK
    "Content-Length: 5\r\nTransfer-Encoding: chunked": HTTP/1.1 200 OK
    "#);
}
