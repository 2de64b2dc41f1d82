//! What the history says when there was no answer.

use std::net::TcpListener;

use insta::assert_snapshot;
use punctual_actions::egress::{Egress, Network};
use punctual_actions::{Actions, Executor, Settings};
use punctual_model::occurrence::Phase;

use crate::job::{Job, actions, settings, tell};
use crate::receiver::{Receiver, Reply, Step};

async fn told(reply: Reply) -> String {
    let receiver = Receiver::always(reply).await;
    Job::get(receiver.url("/")).tell().await
}

#[tokio::test]
async fn nobody_listens() {
    // The port was free a moment ago, and is not given to anybody else so soon.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_snapshot!(Job::get(format!("http://{address}/")).tell().await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: ConnectFailure Unable to connect to the remote server: 127.0.0.1:PORT refused the connection.
    ");
}

#[tokio::test]
async fn no_answer() {
    assert_snapshot!(told(Reply::close()).await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: ConnectionClosed The connection was closed before an answer came.
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200 OK\r\nServ").then(Step::Close)).await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: ConnectionClosed The connection was closed within the headers.
    ");
}

#[tokio::test]
async fn no_http() {
    assert_snapshot!(told(Reply::raw("SSH-2.0-OpenSSH_9.2p1\r\n").then(Step::Hang)).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP.
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 twohundred OK\r\n\r\n")).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP as it should be: invalid response status.
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200 OK\r\nno header\r\n\r\n")).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP as it should be: invalid header name.
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 101 Switching Protocols\r\n\r\n")).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer changes to another protocol, unasked.
    ");
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n")).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP as it should be: its Transfer-Encoding is gzip.
    ");
    let endless =
        Reply { steps: vec![Step::Write(b"HTTP/1.1 200 OK\r\n".to_vec()), Step::Repeat(b"x: y\r\n".to_vec(), 20_000)] };
    assert_snapshot!(told(endless).await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The headers of the answer exceed 65536 bytes.
    ");
}

#[tokio::test]
async fn addresses_that_are_refused_by_policy() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let own = Egress { own_listeners: vec![receiver.address], is_loopback_allowed: true, ..Egress::default() };
    let listed = Egress { allowed: vec![Network::parse("10.0.0.0/8").unwrap()], ..own.clone() };
    let denied = Egress { denied: vec![Network::parse("10.0.0.0/8").unwrap()], ..Egress::default() };
    let port = receiver.address.port();
    let mut told = Vec::new();
    for (egress, uri) in [
        (Egress::default(), receiver.url("/")),
        (Egress::default(), "http://169.254.169.254/latest/meta-data".to_owned()),
        (Egress::default(), "http://[::ffff:169.254.169.254]/".to_owned()),
        (Egress::default(), format!("http://localhost:{port}/")),
        (own, receiver.url("/")),
        (listed, "http://192.0.2.1/".to_owned()),
        (denied, "http://10.1.2.3/".to_owned()),
    ] {
        let actions = Actions::new(Settings { egress, ..Settings::default() }).unwrap();
        told.push(tell(&Job::get(uri).run(&actions).await));
    }
    assert_snapshot!(told.join("\n"), @"
    failed for good, trouble None
    Http Action - Request to host '127.0.0.1' failed: RequestProhibitedByPolicy The address 127.0.0.1 is refused by policy: loopback addresses are not allowed on this server.
    failed for good, trouble None
    Http Action - Request to host '169.254.169.254' failed: RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    failed for good, trouble None
    Http Action - Request to host '169.254.169.254' failed: RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    failed, trouble None
    Http Action - Request to host 'localhost' failed: RequestProhibitedByPolicy The address 127.0.0.1 is refused by policy: loopback addresses are not allowed on this server.
    failed for good, trouble None
    Http Action - Request to host '127.0.0.1' failed: RequestProhibitedByPolicy The address 127.0.0.1 is refused by policy: this server listens there itself.
    failed for good, trouble None
    Http Action - Request to host '192.0.2.1' failed: RequestProhibitedByPolicy The address 192.0.2.1 is refused by policy: it is in none of the ranges that this server allows.
    failed for good, trouble None
    Http Action - Request to host '10.1.2.3' failed: RequestProhibitedByPolicy The address 10.1.2.3 is refused by policy: it is in a range that this server denies.
    ");
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn addresses_that_cannot_be_called() {
    assert_snapshot!(Job::get("http://bücher.example/").tell().await, @"
    failed for good, trouble None
    Http Action - The address cannot be called. A host is an IP address, or a name of letters, digits, hyphens and dots; one with other letters has to be written in its xn-- form.
    ");
}

#[tokio::test]
async fn an_error_action_that_was_taken_away() {
    let mut call = Job::get("http://127.0.0.1/").call();
    call.phase = Phase::Error;
    assert_snapshot!(tell(&actions().execute(call).await), @"
    failed for good, trouble None
    The job has no error action any more.
    ");
}

#[tokio::test]
async fn settings_that_cannot_be_used() {
    for pem in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = Actions::new(Settings { ca_pem: Some(pem.into()), ..settings() }).err().unwrap();
        assert!(error.to_string().contains("expected one or more certificates in PEM"), "{error}");
    }
}

#[tokio::test]
async fn one_bad_call_leaves_the_next_one_alone() {
    let receiver = Receiver::start(|seen| match seen.number {
        0 => Reply::raw("garbage"),
        1 => Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"),
        _ => Reply::ok("mine"),
    })
    .await;
    let actions = actions();
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(tell(&Job::new("POST", receiver.url("/")).run(&actions).await));
    }
    assert_snapshot!(told.join("\n"), @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP.
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 2␍␊ Body: ok
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 4␍␊ Body: mine
    ");
    assert_eq!(receiver.connections(), 3);
}
