//! Where answers send us, and what goes along.

use insta::assert_snapshot;
use punctual_actions::egress::Egress;
use punctual_actions::{Actions, Settings};

use crate::job::{Job, settings, tell, without_ports};
use crate::receiver::certificates::Authority;
use crate::receiver::{Receiver, Reply, Seen};

fn path(seen: &Seen) -> String {
    seen.target().to_owned()
}

#[tokio::test]
async fn within_the_origin_everything_goes_along() {
    let receiver = Receiver::start(|seen| match &*path(seen) {
        "/a/b?c" => Reply::redirect("../d?e#f"),
        "/d?e" => Reply::with("307 x", &[("Location", "?g")], b""),
        "/d?g" => Reply::with("301 x", &[("Location", "h")], b""),
        _ => Reply::ok("there"),
    })
    .await;
    let job = Job::get(format!("http://user:word@{}/a/b?c", receiver.address)).header("X-Key", "k");
    assert_snapshot!(job.tell().await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 5␍␊ Body: there
    ");
    let seen = receiver.requests();
    let targets: Vec<String> = seen.iter().map(path).collect();
    assert_eq!(targets, ["/a/b?c", "/d?e", "/d?g", "/h"]);
    assert!(seen.iter().all(|seen| seen.header("X-Key").is_some() && seen.header("Authorization").is_some()));
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn another_origin_gets_nothing_of_the_job() {
    let other = Receiver::always(Reply::ok("elsewhere")).await;
    let there = other.url("/there");
    let receiver = Receiver::always(Reply::redirect(&there)).await;
    let job = Job::get(format!("http://me:word@{}/", receiver.address)).header("Cookie", "id=12345678").body("secret");
    assert_snapshot!(job.tell().await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' Response Headers: Content-Length: 9␍␊ Body: elsewhere
    ");
    let seen = other.requests().remove(0);
    assert_snapshot!(without_ports(&seen.head.replace("\r\n", "\n").replace(env!("CARGO_PKG_VERSION"), "VERSION")), @"
    GET /there HTTP/1.1
    Host: 127.0.0.1:PORT
    User-Agent: punctual/VERSION
    x-ms-execution-tag: abababababababababababababababab
    x-ms-client-request-id: 30313233-3435-3637-3839-616263646566
    x-ms-scheduler-jobid: t%C3%A4glich
    x-ms-scheduler-expected-execution-time: 2027-01-15T08:00:00Z
    traceparent: 00-abababababababababababababababab-3031323334353637-01
    ");
    assert_eq!(seen.body, b"");
}

#[tokio::test]
async fn five_are_followed_and_no_more() {
    let receiver = Receiver::start(|seen| match seen.target().trim_start_matches('/').parse::<u32>() {
        Ok(0) => Reply::ok("the end"),
        Ok(left) => Reply::redirect(&format!("/{}", left - 1)),
        Err(_) => Reply::redirect("/circle"),
    })
    .await;
    assert!(Job::get(receiver.url("/5")).tell().await.starts_with("succeeded"));
    assert_snapshot!(Job::get(receiver.url("/6")).tell().await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects more than 5 times.
    ");
    assert_snapshot!(Job::new("HEAD", receiver.url("/circle")).tell().await, @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects more than 5 times.
    ");
}

#[tokio::test]
async fn only_requests_that_read_are_redirected() {
    let receiver = Receiver::always(Reply::redirect("/elsewhere")).await;
    assert_snapshot!(Job::new("POST", receiver.url("/")).tell().await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'Found' Response Headers: Location: /elsewhere␍␊Content-Length: 0␍␊ Body:
    ");
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn places_we_do_not_go() {
    let mut told = Vec::new();
    for location in ["http://169.254.169.254/", "ftp://example.com/", "http://[", "http:///x", "//"] {
        let receiver = Receiver::always(Reply::redirect(location)).await;
        told.push(format!("{location}: {}", Job::get(receiver.url("/")).tell().await));
    }
    assert_snapshot!(told.join("\n"), @"
    http://169.254.169.254/: failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    ftp://example.com/: failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects to no address.
    http://[: failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects to no address.
    http:///x: failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects to no address.
    //: failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: ProtocolError The target redirects to no address.
    ");
    let receiver = Receiver::always(Reply::with("302 Found", &[], b"no location")).await;
    assert_snapshot!(Job::get(receiver.url("/")).tell().await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'Found' Response Headers: Content-Length: 11␍␊ Body: no location
    ");
}

#[tokio::test]
async fn never_from_https_to_http() {
    let authority = Authority::new();
    let receiver = Receiver::start_tls(authority.server("localhost"), |_| Reply::redirect("http://localhost:1/")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let job = Job::get(format!("https://localhost:{}/", receiver.address.port()));
    assert_snapshot!(tell(&job.run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host 'localhost' failed: ProtocolError The target redirects from https to http.
    ");
}

#[tokio::test]
async fn every_hop_passes_the_policy() {
    let other = Receiver::always(Reply::ok("secret")).await;
    let receiver = Receiver::always(Reply::redirect(&other.url("/"))).await;
    let egress = Egress { is_loopback_allowed: true, own_listeners: vec![other.address], ..Egress::default() };
    let actions = Actions::new(Settings { egress, ..Settings::default() }).unwrap();
    assert_snapshot!(tell(&Job::get(receiver.url("/")).run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host '127.0.0.1' failed: RequestProhibitedByPolicy The address 127.0.0.1 is refused by policy: this server listens there itself.
    ");
    assert_eq!(other.connections(), 0);
}
