//! Connections that do nothing, and those that wait for their place.

use tokio::time::timeout;

use super::client::{Http2, Wire};
use super::{SHORT, ServerConfig, config, start, within};

#[tokio::test]
async fn who_does_not_finish_a_head_is_cut_off() {
    let server = start(ServerConfig { header_time_max: SHORT, ..config() }).await;
    for beginning in
        ["", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\n", "PRI * HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let mut wire = Wire::connect(server.address).await;
        wire.send(beginning).await;
        wire.assert_cut_off().await;
    }
}

#[tokio::test]
async fn who_does_not_finish_the_next_head_is_cut_off() {
    let server = start(ServerConfig { header_time_max: SHORT, idle_time_max: SHORT, ..config() }).await;
    let mut wire = Wire::connect(server.address).await;
    wire.get("/who").await;
    wire.send("GET / HTTP/1.1\r\n").await;
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = start(ServerConfig { idle_time_max: SHORT, ..config() }).await;
    let mut wire = Wire::connect(server.address).await;
    wire.get("/who").await;
    assert_eq!(wire.rest().await, "");
    let client = Http2::connect(server.address).await;
    client.ask("/who", "").await.unwrap();
    within(client.ended).await.unwrap().expect("closed as HTTP/2 closes");
}

#[tokio::test]
async fn a_connection_whose_request_is_being_answered_is_not_idle() {
    let mut server = start(ServerConfig { header_time_max: SHORT, idle_time_max: SHORT, ..config() }).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n").await;
    assert_eq!(server.event().await, "begun /wait");
    timeout(4 * SHORT, server.event()).await.expect_err("it still waits");
    server.gate.add_permits(1);
    assert!(wire.answer().await.ends_with("waited"));
}

#[tokio::test]
async fn a_connection_too_many_waits_until_one_is_idle() {
    let mut server = start(ServerConfig { connections_max: 1, ..config() }).await;
    let mut first = Wire::connect(server.address).await;
    first.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n").await;
    assert_eq!(server.event().await, "begun /wait");
    let mut second = Wire::connect(server.address).await;
    second.send("GET /who HTTP/1.1\r\nHost: h\r\n\r\n").await;
    timeout(SHORT, server.event()).await.expect_err("there is no place for the second one");
    server.gate.add_permits(1);
    assert!(first.answer().await.ends_with("waited"));
    // It would be kept for a long time, but somebody needs its place.
    assert_eq!(first.rest().await, "");
    assert!(second.answer().await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_connection_is_kept_while_there_are_places() {
    let server = start(ServerConfig { connections_max: 2, ..config() }).await;
    let [mut first, mut second] = [Wire::connect(server.address).await, Wire::connect(server.address).await];
    for _ in 0..3 {
        assert!(first.get("/who").await.starts_with("HTTP/1.1 200"));
        assert!(second.get("/who").await.starts_with("HTTP/1.1 200"));
    }
}
