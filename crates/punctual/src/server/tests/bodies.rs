//! Bodies that are too long, too slow or broken.

use insta::assert_snapshot;

use super::client::{Http2, Wire};
use super::{SHORT, ServerConfig, config, start};
use crate::limits::REFUSED_BODY_BYTES_MAX;

#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit_says() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    let body = "x".repeat(1000);
    wire.send(&format!("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{body}")).await;
    assert!(wire.answer().await.ends_with(&format!("\n\n{body}")));
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n").await;
    for _ in 0..1000 {
        wire.send("1\r\ny\r\n").await;
    }
    wire.send("0\r\nTrailer: ignored\r\n\r\n").await;
    assert!(wire.answer().await.ends_with(&format!("\n\n{}", "y".repeat(1000))));
}

#[tokio::test]
async fn a_body_that_says_it_is_too_long_is_not_read() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n").await;
    assert_snapshot!(wire.answer().await, @"
    HTTP/1.1 413 Payload Too Large
    connection: close
    content-length: 34

    the body is longer than 1000 bytes
    ");
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_client_that_asks_before_it_sends_is_told_at_once() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n").await;
    assert!(wire.rest().await.starts_with("HTTP/1.1 413"));
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok").await;
    wire.send("GET /who HTTP/1.0\r\n\r\n").await;
    let answers = wire.rest().await;
    assert!(answers.starts_with("HTTP/1.1 100 Continue\n\nHTTP/1.1 200"), "{answers}");
}

#[tokio::test]
async fn a_body_that_becomes_too_long_is_refused() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    let chunk = "x".repeat(0x200);
    wire.send(&format!("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n200\r\n{chunk}\r\n")).await;
    wire.send(&format!("200\r\n{chunk}\r\n")).await;
    let answer = wire.answer().await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("connection: close"), "{answer}");
}

/// Most clients send everything before they read anything. If the connection were closed under them, they would see that
/// and not the answer.
#[tokio::test]
async fn who_sends_too_much_still_reads_the_refusal() {
    let server = start(config()).await;
    let length = REFUSED_BODY_BYTES_MAX - 1;
    let mut wire = Wire::connect(server.address).await;
    wire.send(&format!("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n")).await;
    wire.send(&"x".repeat(length)).await;
    assert!(wire.rest().await.ends_with("the body is longer than 1000 bytes"));
}

#[tokio::test]
async fn http2_refuses_one_body_and_goes_on() {
    let server = start(config()).await;
    let client = Http2::connect(server.address).await;
    let (status, text) = client.ask("/echo", vec![b'x'; 100_000]).await.unwrap();
    assert_eq!((status.as_u16(), text.as_str()), (413, "the body is longer than 1000 bytes"));
    assert_eq!(client.ask("/echo", "short").await.unwrap().1, "short");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let server = start(ServerConfig { body_time_max: SHORT, ..config() }).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhal").await;
    assert_snapshot!(wire.rest().await, @"
    HTTP/1.1 408 Request Timeout
    connection: close
    content-length: 45

    the body was not complete within 0.05 seconds
    ");
}

#[tokio::test]
async fn a_body_that_breaks_the_rules_is_a_fault() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n").await;
    assert_snapshot!(wire.rest().await, @"
    HTTP/1.1 400 Bad Request
    connection: close
    content-length: 69

    the body ended before it was complete, or is not written as HTTP asks
    ");
}
