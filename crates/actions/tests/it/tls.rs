//! TLS: whom we trust, and what the history says if we do not.

use insta::assert_snapshot;
use punctual_actions::{Actions, Settings};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::job::{Job, settings, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::{Receiver, Reply};

async fn told(authority: &Authority, config: rustls::ServerConfig, host: &str) -> String {
    let receiver = Receiver::start_tls(config, |_| Reply::ok("over TLS")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    tell(&Job::get(format!("https://{host}:{}/", receiver.address.port())).run(&actions).await)
}

#[tokio::test]
async fn a_name_an_address_and_an_authority_of_ones_own() {
    let authority = Authority::new();
    assert_snapshot!(told(&authority, authority.server("localhost"), "localhost").await, @"
    succeeded, trouble None
    Http Action - Response from host 'localhost': 'OK' Response Headers: Content-Length: 8␍␊ Body: over TLS
    ");
    assert!(told(&authority, authority.server("localhost"), "LOCALHOST").await.starts_with("succeeded"));
    assert!(told(&authority, authority.server("127.0.0.1"), "127.0.0.1").await.starts_with("succeeded"));
}

#[tokio::test]
async fn certificates_that_are_not_trusted() {
    let authority = Authority::new();
    assert_snapshot!(told(&authority, authority.server("example.com"), "localhost").await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: TrustFailure The certificate is not for 'localhost'; it is for 'example.com'.
    ");
    assert_snapshot!(told(&authority, authority.expired_server("localhost"), "localhost").await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: TrustFailure The certificate of 'localhost' expired at 2020-12-31T00:00:00Z.
    ");
    assert_snapshot!(told(&authority, Authority::new().server("localhost"), "localhost").await, @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: TrustFailure The certificate of 'localhost' was issued by nobody this server trusts.
    ");
}

#[tokio::test]
async fn one_side_speaks_tls_and_the_other_does_not() {
    let authority = Authority::new();
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = plain.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let job = Job::get(format!("https://localhost:{port}/"));
    assert_snapshot!(tell(&job.run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: SecureChannelFailure 'localhost' does not speak TLS on this port.
    ");
    let secure = Receiver::start_tls(authority.server("localhost"), |_| Reply::ok("")).await;
    assert_snapshot!(tell(&Job::get(secure.url("/")).run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ServerProtocolViolation The answer is not HTTP but TLS: the address should begin with https.
    ");
}

#[tokio::test]
async fn connections_are_used_again() {
    let authority = Authority::new();
    let receiver = Receiver::start_tls(authority.server("localhost"), |_| Reply::ok("over TLS")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    for _ in 0..3 {
        let job = Job::get(format!("https://localhost:{}/", receiver.address.port()));
        assert!(tell(&job.run(&actions).await).starts_with("succeeded"));
    }
    assert_eq!(receiver.connections(), 1);
}
