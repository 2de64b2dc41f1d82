//! Bodies that are too long, too slow or broken.

use std::sync::Arc;

use insta::assert_snapshot;
use tokio::task::JoinSet;

use super::client::{Http2, Wire};
use super::{SHORT, ServerConfig, config, start, within};
use crate::limits::{BODIES_BYTES_PER_CALLER_MAX, REFUSED_BODY_BYTES_MAX, REQUEST_STREAMS_MAX, REQUESTS_ANSWERED_MAX};

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

/// A stranger is refused without a look at the body, and the connection goes on if the rest of the body is short.
#[tokio::test]
async fn who_is_refused_need_not_send_the_body() {
    let server = start(config()).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n").await;
    assert_snapshot!(wire.answer().await, @"
    HTTP/1.1 401 Unauthorized
    content-length: 12

    who are you?
    ");
    wire.send("hello").await;
    assert!(wire.get("/who").await.starts_with("HTTP/1.1 200"));
    wire.send("POST /refuse HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").await;
    assert!(wire.rest().await.contains("connection: close"), "a body that nobody asked for may still come");
}

/// The connection is closed, but not before the answer was read.
#[tokio::test]
async fn who_is_refused_while_sending_reads_the_answer() {
    let server = start(config()).await;
    for framing in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
        let mut wire = Wire::connect(server.address).await;
        wire.send(&format!("POST /refuse HTTP/1.1\r\nHost: h\r\n{framing}\r\n\r\n")).await;
        wire.send(&format!("8000\r\n{}\r\n", "x".repeat(0x8000))).await;
        let answer = wire.answer().await;
        assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test]
async fn strangers_on_many_streams_are_refused_before_their_bodies_come() {
    let server = start(ServerConfig { connections_max: 20, ..config() }).await;
    let mut asked = JoinSet::new();
    for _ in 0..10 {
        let client = Arc::new(Http2::connect(server.address).await);
        for _ in 0..REQUEST_STREAMS_MAX {
            let client = Arc::clone(&client);
            asked.spawn(async move { client.promise("/refuse").await.map(|(status, _)| status.as_u16()) });
        }
    }
    let answers = within(asked.join_all()).await;
    assert!(answers.iter().all(|answer| matches!(answer, Ok(401))), "{answers:?}");
}

/// More bodies are on their way than requests may be answered at once, and others are answered.
#[tokio::test]
async fn bodies_that_do_not_come_keep_nobody_waiting() {
    let mut server = start(ServerConfig { connections_max: 20, ..config() }).await;
    let mut asked = JoinSet::new();
    let number = REQUESTS_ANSWERED_MAX / REQUEST_STREAMS_MAX as usize + 1;
    for _ in 0..number {
        let client = Arc::new(Http2::connect(server.address).await);
        for _ in 0..REQUEST_STREAMS_MAX {
            let client = Arc::clone(&client);
            asked.spawn(async move { client.promise("/echo").await });
        }
    }
    for _ in 0..number * REQUEST_STREAMS_MAX as usize {
        assert_eq!(server.event().await, "begun /echo");
    }
    assert!(Wire::connect(server.address).await.get("/who").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn bodies_of_requests_that_are_being_answered_take_room() {
    let bytes_max = BODIES_BYTES_PER_CALLER_MAX;
    let mut server = start(ServerConfig { body_bytes_max: bytes_max, ..config() }).await;
    let client = Arc::new(Http2::connect(server.address).await);
    let first = Arc::clone(&client);
    let first = tokio::spawn(async move { first.ask("/keep", vec![b'x'; bytes_max]).await });
    assert_eq!(server.event().await, "begun /keep");
    assert_eq!(server.event().await, "read /keep");
    assert_eq!(client.ask("/echo", "").await.unwrap().0, 200, "no body needs no room");
    let (status, text) = client.ask("/echo", "second").await.unwrap();
    assert_snapshot!(format!("{status}: {text}"), @"503 Service Unavailable: there is no room for the body at the moment");
    let mut wire = Wire::connect(server.address).await;
    wire.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nthird").await;
    server.gate.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap().1, format!("kept {bytes_max}"));
    assert!(wire.answer().await.ends_with("third"), "a connection with one request can wait");
    assert_eq!(client.ask("/echo", "fourth").await.unwrap().1, "fourth");
}
