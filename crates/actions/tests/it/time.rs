//! Time-outs, on a clock that the test turns.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use tokio::net::TcpListener;

use crate::job::{Job, actions, tell};
use crate::receiver::{Receiver, Reply, Step};

/// Makes the call, lets the receiver do all it does at once, and turns the clock on.
async fn told(reply: Reply, seconds: u32) -> String {
    told_by(reply, seconds, |job| job).await
}

async fn told_by(reply: Reply, seconds: u32, with: impl Fn(Job) -> Job) -> String {
    let receiver = Receiver::always(reply).await;
    let job = with(Job::get(receiver.url("/")).timeout(seconds));
    let call = tokio::spawn(async move { tell(&job.run(&actions()).await) });
    receiver.answered(1).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(u64::from(seconds) + 1)).await;
    let text = call.await.unwrap();
    tokio::time::resume();
    text
}

#[tokio::test]
async fn no_answer() {
    assert_snapshot!(told(Reply::hang(), 60).await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: Timeout No answer within 60 s.
    ");
}

#[tokio::test]
async fn a_head_that_does_not_end() {
    assert_snapshot!(told(Reply::raw("HTTP/1.1 200 OK\r\nServer: slow").then(Step::Hang), 5).await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: Timeout No answer within 5 s.
    ");
}

#[tokio::test]
async fn a_body_that_does_not_end() {
    let reply = Reply::head("200 OK", &[("Content-Length", "100")]).then(Step::Write(b"one".to_vec()));
    assert_snapshot!(told(reply.then(Step::Hang), 1800).await, @"
    succeeded, trouble None
    Http Action - Response from host '127.0.0.1': 'OK' (the body did not end in time) Response Headers: Content-Length: 100␍␊ Body: one
    ");
    let reply = Reply::head("500 Oops", &[("Content-Length", "100")]).then(Step::Write(b"one".to_vec()));
    assert_snapshot!(told(reply.then(Step::Hang), 60).await, @"
    failed, trouble None
    Http Action - Response from host '127.0.0.1': 'InternalServerError' (the body did not end in time) Response Headers: Content-Length: 100␍␊ Body: one
    ");
}

#[tokio::test]
async fn a_body_that_does_not_end_and_is_asked_about() {
    let reply = Reply::head("200 OK", &[("Content-Length", "100")]).then(Step::Write(b"one".to_vec())).then(Step::Hang);
    let asking = |text: &'static str| move |job: Job| job.success(&[], Some(text));
    assert_snapshot!(told_by(reply.clone(), 60, asking("two")).await, @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: Timeout The answer 'OK' began, but its body did not end within 60 s.
    ");
    assert!(told_by(reply, 60, asking("one")).await.starts_with("succeeded"));
}

#[tokio::test]
async fn a_handshake_that_does_not_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let actions = Arc::new(actions());
    let mut told = Vec::new();
    for seconds in [60, 5] {
        let (job, actions) = (Job::get(format!("https://127.0.0.1:{port}/")).timeout(seconds), Arc::clone(&actions));
        let call = tokio::spawn(async move { tell(&job.run(&actions).await) });
        let (stream, _) = listener.accept().await.unwrap();
        stream.readable().await.unwrap();
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(seconds.min(20).into())).await;
        told.push(call.await.unwrap().replace(&port.to_string(), "PORT"));
        tokio::time::resume();
    }
    assert_snapshot!(told.join("\n"), @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: Timeout No connection to '127.0.0.1', port PORT within 20 s.
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: Timeout No connection within 5 s.
    ");
}
