//! HTTP/2, where the target offers it.

use std::sync::atomic::Ordering;

use insta::assert_snapshot;
use punctual_actions::{Actions, Settings};

use crate::job::{Job, settings, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::http2::Http2Receiver;

#[tokio::test]
async fn many_requests_on_one_connection() {
    let authority = Authority::new();
    let receiver = Http2Receiver::echo(authority.server("localhost")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let url = |path: &str| format!("https://localhost:{}{path}", receiver.address.port());
    let job = Job::new("POST", url("/a?b=%20")).header("X-Own", "value").body("body");
    let text = tell(&job.run(&actions).await);
    let text = text.replace(&receiver.address.port().to_string(), "PORT").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_snapshot!(text, @"
    succeeded, trouble None
    Http Action - Response from host 'localhost': 'OK' Response Headers: content-length: 418␍␊ Body: POST https://localhost:PORT/a?b=%20
    x-own: value
    user-agent: punctual/VERSION
    content-type: text/plain; charset=utf-8
    content-length: 4
    x-ms-execution-tag: abababababababababababababababab
    x-ms-client-request-id: 30313233-3435-3637-3839-616263646566
    x-ms-scheduler-jobid: t%C3%A4glich
    x-ms-scheduler-expected-execution-time: 2027-01-15T08:00:00Z
    traceparent: 00-abababababababababababababababab-3031323334353637-01
    body
    ");
    let calls = (0..10).map(|_| Job::get(url("/")).run(&actions));
    for call in calls {
        assert!(tell(&call.await).starts_with("succeeded"));
    }
    assert_eq!(receiver.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_large_answer_is_not_read_to_its_end() {
    let authority = Authority::new();
    let receiver = Http2Receiver::echo(authority.server("localhost")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    for _ in 0..3 {
        let text = tell(&Job::get(format!("https://localhost:{}/large", receiver.address.port())).run(&actions).await);
        assert!(text.starts_with("succeeded") && text.ends_with(&"x".repeat(1024)), "{text}");
    }
    assert_eq!(receiver.connections.load(Ordering::SeqCst), 1);
}
