//! HTTP/2, where the target offers it.

use std::sync::atomic::Ordering;

use insta::assert_snapshot;
use punctual_actions::{Actions, Settings};

use crate::job::{Job, pass, settings, tell};
use crate::receiver::certificates::Authority;
use crate::receiver::http2::{Http2Receiver, Middleman};
use crate::receiver::{Receiver, Reply};

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

#[tokio::test]
async fn a_connection_that_was_cut_is_noticed() {
    let authority = Authority::new();
    let receiver = Http2Receiver::echo(authority.server("localhost")).await;
    let middleman = Middleman::before(receiver.address).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let job = Job::get(format!("https://localhost:{}/", middleman.address.port())).timeout(5);
    assert!(tell(&job.clone().run(&actions).await).starts_with("succeeded"));
    middleman.cut();
    pass(41).await;
    let text = tell(&job.run(&actions).await);
    assert!(text.starts_with("succeeded"), "{text}");
    assert_eq!(receiver.connections.load(Ordering::SeqCst), 2);
}

/// Not only at the address of the job.
#[tokio::test]
async fn a_time_out_ends_the_connection_to_the_host_of_a_redirect() {
    let authority = Authority::new();
    let receiver = Http2Receiver::echo(authority.server("localhost")).await;
    let port = receiver.address.port();
    let first = Receiver::always(Reply::redirect(&format!("https://localhost:{port}/hang"))).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    for connections in 1..=2 {
        let text = tell(&Job::get(first.url("/")).timeout(1).run(&actions).await);
        assert!(text.contains("No answer within 1 s."), "{text}");
        assert_eq!(receiver.connections.load(Ordering::SeqCst), connections);
    }
}

#[tokio::test]
async fn a_path_that_http2_cannot_carry_goes_by_http1() {
    let authority = Authority::new();
    let mut config = authority.server("localhost");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let receiver = Receiver::start_tls(config, |_| Reply::ok("fine")).await;
    let actions = Actions::new(Settings { ca_pem: Some(authority.pem()), ..settings() }).unwrap();
    let text = tell(&Job::get(receiver.secure_url("/a<b>?c=`d`")).run(&actions).await);
    assert!(text.starts_with("succeeded"), "{text}");
    assert_eq!(receiver.requests()[0].target(), "/a<b>?c=`d`");
}
