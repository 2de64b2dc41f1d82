//! The end: what was asked is answered, what takes too long is cut.

use insta::assert_snapshot;
use tokio::net::TcpStream;

use super::client::{Http2, Wire};
use super::{SHORT, ServerConfig, ShutdownReport, config, start, within};

#[tokio::test]
async fn what_was_asked_is_answered_and_then_everything_is_closed() {
    let mut server = start(config()).await;
    let address = server.address;
    let mut idle = Wire::connect(address).await;
    idle.get("/who").await;
    let mut busy = Wire::connect(address).await;
    busy.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n").await;
    let http2 = Http2::connect(address).await;
    let ask = http2.ask("/wait", "");
    let rest = async {
        while server.event().await != "begun /wait" {}
        while server.event().await != "begun /wait" {}
        server.shutdown.cancel();
        // This one has nothing to wait for. When it is closed, the others have been told, too.
        assert_eq!(idle.rest().await, "");
        server.gate.add_permits(2);
        assert_snapshot!(busy.answer().await, @"
        HTTP/1.1 200 OK
        connection: close
        content-length: 6

        waited
        ");
        assert_eq!(busy.rest().await, "");
    };
    let (answered, ()) = tokio::join!(ask, rest);
    assert_eq!(answered.unwrap().1, "waited");
    drop(http2);
    assert_eq!(server.stop().await, ShutdownReport { finished_count: 3, cut_count: 0 });
    TcpStream::connect(address).await.expect_err("nobody listens any more");
}

#[tokio::test]
async fn what_takes_too_long_is_cut() {
    let mut server = start(ServerConfig { shutdown_time_max: SHORT, ..config() }).await;
    let mut hanging = Wire::connect(server.address).await;
    hanging.send("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n").await;
    let http2 = Http2::connect(server.address).await;
    let rest = async {
        assert_eq!(server.event().await, "begun /hang");
        assert_eq!(server.event().await, "begun /hang");
        server.shutdown.cancel();
        assert_eq!(server.event().await, "ended /hang");
        assert_eq!(server.event().await, "ended /hang");
        hanging.assert_cut_off().await;
    };
    let (answered, ()) = tokio::join!(http2.ask("/hang", ""), rest);
    assert!(!answered.is_ok_and(|(status, _)| status == 200));
    assert_eq!(server.stop().await, ShutdownReport { finished_count: 0, cut_count: 2 });
}

#[tokio::test]
async fn a_connection_that_never_asked_does_not_delay_the_end() {
    let server = start(config()).await;
    let [silent, mut halfway, mut asked] =
        [Wire::connect(server.address).await, Wire::connect(server.address).await, Wire::connect(server.address).await];
    halfway.send("GET / HTTP/1.1\r\n").await;
    // Connections are accepted in their order: when this one is answered, the others are open.
    asked.get("/who").await;
    assert_eq!(server.stop().await, ShutdownReport { finished_count: 3, cut_count: 0 });
    for wire in [silent, halfway, asked] {
        wire.assert_cut_off().await;
    }
}

#[tokio::test]
async fn a_request_is_answered_to_its_end_when_its_client_has_gone() {
    let mut server = start(config()).await;
    let address = server.address;
    let mut leaving = Wire::connect(address).await;
    leaving.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n").await;
    assert_eq!(server.event().await, "begun /wait");
    drop(leaving);
    server.shutdown.cancel();
    // The port is closed, and so is the connection; only the request is still there.
    while TcpStream::connect(address).await.is_ok() {}
    assert!(!server.task.is_finished());
    server.gate.add_permits(1);
    assert_eq!(server.event().await, "ended /wait");
    within(server.task).await.unwrap();
    assert_eq!(server.gate.available_permits(), 0, "it went through the gate");
}
