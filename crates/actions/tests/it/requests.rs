//! What a target receives, byte for byte.

use insta::assert_snapshot;

use crate::job::{Job, actions, without_ports};
use crate::receiver::{Receiver, Reply};

async fn received(job: impl FnOnce(&Receiver) -> Job) -> String {
    let receiver = Receiver::always(Reply::ok("")).await;
    job(&receiver).run(&actions()).await;
    let seen = receiver.requests().remove(0);
    let text = format!("{}\r\n\r\n{}", seen.head, String::from_utf8(seen.body).unwrap());
    without_ports(&text.replace("\r\n", "\n").replace(env!("CARGO_PKG_VERSION"), "VERSION"))
}

#[tokio::test]
async fn a_get() {
    assert_snapshot!(received(|receiver| Job::get(receiver.url("/a/../b?q=1&r=%20#fragment"))).await, @"
    GET /a/../b?q=1&r=%20 HTTP/1.1
    Host: 127.0.0.1:PORT
    User-Agent: punctual/VERSION
    x-ms-execution-tag: abababababababababababababababab
    x-ms-client-request-id: 30313233-3435-3637-3839-616263646566
    x-ms-scheduler-jobid: t%C3%A4glich
    x-ms-scheduler-expected-execution-time: 2027-01-15T08:00:00Z
    traceparent: 00-abababababababababababababababab-3031323334353637-01
    ");
}

#[tokio::test]
async fn headers_in_their_order_and_case() {
    let job = |receiver: &Receiver| {
        Job::new("POST", receiver.url("?x"))
            .header("SOAPAction", "\"urn:x\"")
            .header("x-lower", "1")
            .header("X-UPPER", "2")
            .header("x-lower", "again")
            .header("Ünnamed".trim_start_matches('Ü'), "grün")
            .header("User-Agent", "mine")
            .header("content-type", "text/xml")
            .body("<a>ü</a>\r\n\r\n")
            .resent()
    };
    assert_snapshot!(received(job).await, @r#"
    POST /?x HTTP/1.1
    Host: 127.0.0.1:PORT
    SOAPAction: "urn:x"
    x-lower: 1
    X-UPPER: 2
    x-lower: again
    nnamed: grün
    User-Agent: mine
    content-type: text/xml
    Content-Length: 13
    x-ms-execution-tag: abababababababababababababababab
    x-ms-client-request-id: 30313233-3435-3637-3839-616263646566
    x-ms-scheduler-jobid: t%C3%A4glich
    x-ms-scheduler-expected-execution-time: 2027-01-15T08:00:00Z
    traceparent: 00-abababababababababababababababab-3031323334353637-01
    x-punctual-resent: true

    <a>ü</a>
    "#);
}

#[tokio::test]
async fn default_types_of_bodies() {
    let lines = |text: String| text.lines().filter(|l| l.starts_with("Content-")).collect::<Vec<_>>().join(", ");
    let mut told = Vec::new();
    for (method, body) in [
        ("POST", Some("{\"a\":1}")),
        ("POST", Some(" [1]")),
        ("PUT", Some("plain")),
        ("GET", Some("plain")),
        ("POST", Some("")),
        ("POST", None),
        ("PURGE", None),
        ("DELETE", None),
    ] {
        let text = received(|receiver| {
            let job = Job::new(method, receiver.url("/"));
            body.map_or(job.clone(), |body| job.body(body))
        });
        told.push(format!("{method} {body:?}: {}", lines(text.await)));
    }
    assert_snapshot!(told.join("\n"), @r#"
    POST Some("{\"a\":1}"): Content-Type: application/json, Content-Length: 7
    POST Some(" [1]"): Content-Type: application/json, Content-Length: 4
    PUT Some("plain"): Content-Type: text/plain; charset=utf-8, Content-Length: 5
    GET Some("plain"): Content-Type: text/plain; charset=utf-8, Content-Length: 5
    POST Some(""): Content-Length: 0
    POST None: Content-Length: 0
    PURGE None: 
    DELETE None:
    "#);
}

#[tokio::test]
async fn methods() {
    let mut told = Vec::new();
    for method in ["get", "Patch", "OPTIONS", "Purge", "M-SEARCH"] {
        let text = received(|receiver| Job::new(method, receiver.url("/"))).await;
        told.push(text.lines().next().unwrap().to_owned());
    }
    assert_snapshot!(told.join("\n"), @"
    GET / HTTP/1.1
    PATCH / HTTP/1.1
    OPTIONS / HTTP/1.1
    Purge / HTTP/1.1
    M-SEARCH / HTTP/1.1
    ");
}

#[tokio::test]
async fn credentials() {
    let authorization = |text: String| {
        text.lines().filter(|line| line.to_lowercase().starts_with("authorization")).collect::<Vec<_>>().join(" | ")
    };
    let basic = received(|receiver| Job::get(receiver.url("/")).basic("Aladdin", "open sesame")).await;
    assert_snapshot!(authorization(basic), @"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    let in_address = |receiver: &Receiver| Job::get(format!("http://Aladdin:open%20sesame@{}/", receiver.address));
    assert_snapshot!(authorization(received(in_address).await), @"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    let own = received(|receiver| in_address(receiver).header("authorization", "Bearer x")).await;
    assert_snapshot!(authorization(own), @"authorization: Bearer x");
    let both = received(|receiver| {
        Job::get(receiver.url("/")).header("Authorization", "Bearer x").basic("Aladdin", "open sesame")
    });
    assert_snapshot!(authorization(both.await), @"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

#[tokio::test]
async fn letters_outside_ascii_in_a_path() {
    let text = received(|receiver| Job::get(receiver.url("/grün?ö={x}"))).await;
    assert_snapshot!(text.lines().next().unwrap(), @"GET /gr%C3%BCn?%C3%B6={x} HTTP/1.1");
}

#[tokio::test]
async fn a_body_that_is_refused_before_it_is_read() {
    let receiver = Receiver::start(|_| Reply::with("413 x", &[], b"too large for me")).await;
    let job = Job::new("POST", receiver.url("/unread")).body(&"x".repeat(16_000_000));
    assert_snapshot!(job.tell().await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'RequestEntityTooLarge' Response Headers: Content-Length: 16␍␊ Body: too large for me
    ");
}
