//! Connections are used again, and only as long as that is safe.

use insta::assert_snapshot;

use crate::job::{Job, actions, pass, tell};
use crate::receiver::{Receiver, Reply, Step};

/// How many connections it takes to make three calls.
async fn connections(reply: Reply) -> usize {
    let receiver = Receiver::always(reply).await;
    let actions = actions();
    for _ in 0..3 {
        Job::get(receiver.url("/")).run(&actions).await;
    }
    assert_eq!(receiver.requests().len(), 3);
    receiver.connections()
}

#[tokio::test]
async fn one_after_the_other_they_share_a_connection() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    assert_eq!(connections(Reply::ok("fine")).await, 1);
    assert_eq!(connections(Reply::with("500 x", &[], b"broken")).await, 1);
    assert_eq!(connections(Reply::head("204 x", &[])).await, 1);
    assert_eq!(connections(Reply::raw(chunked)).await, 1);
    assert_eq!(connections(Reply::with("200 OK", &[], &vec![b'x'; 200_000])).await, 1);
    assert_eq!(
        connections(Reply::raw("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n")).await,
        1
    );
}

#[tokio::test]
async fn where_there_is_doubt_they_do_not() {
    let both = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    assert_eq!(connections(Reply::with("200 OK", &[("Connection", "foo, Close")], b"")).await, 3);
    assert_eq!(connections(Reply::raw("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")).await, 3);
    assert_eq!(connections(Reply::raw(both)).await, 3);
    assert_eq!(connections(Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more")).await, 3);
    assert_eq!(connections(Reply::with("200 OK", &[], &vec![b'x'; 300_000])).await, 3);
}

#[tokio::test]
async fn calls_at_the_same_time_have_their_own_connections() {
    let receiver = Receiver::always(Reply::ok("fine")).await;
    let actions = std::sync::Arc::new(actions());
    let calls = (0..20).map(|_| {
        let (job, actions) = (Job::get(receiver.url("/")), std::sync::Arc::clone(&actions));
        tokio::spawn(async move { job.run(&actions).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert!(tell(&call.await.unwrap()).starts_with("succeeded"));
    }
    assert!(receiver.connections() <= 20);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    // The receiver closes after each answer without having said so.
    let receiver = Receiver::always(Reply::ok("fine").then(Step::Close)).await;
    let actions = actions();
    for number in 1..=3 {
        assert!(tell(&Job::new("POST", receiver.url("/")).run(&actions).await).starts_with("succeeded"));
        receiver.answered(number).await;
        // So that what the kernel knows arrives here.
        tokio::task::spawn_blocking(|| {}).await.unwrap();
    }
    assert_eq!(receiver.requests().len(), 3);
}

#[tokio::test]
async fn a_connection_that_nobody_used_for_a_while_is_closed() {
    let receiver = Receiver::always(Reply::ok("fine")).await;
    let actions = actions();
    for (seconds, connections) in [(0, 1), (80, 1), (100, 2)] {
        pass(seconds).await;
        Job::get(receiver.url("/")).run(&actions).await;
        assert_eq!(receiver.connections(), connections, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_connection_that_ends_with_our_request_is_replaced_where_that_is_harmless() {
    let script = |seen: &crate::receiver::Seen| match seen.number {
        1 => Reply::close(),
        _ => Reply::ok("fine"),
    };
    let receiver = Receiver::start(script).await;
    let actions_of_get = actions();
    Job::get(receiver.url("/1")).run(&actions_of_get).await;
    assert!(tell(&Job::get(receiver.url("/2")).run(&actions_of_get).await).starts_with("succeeded"));
    let seen = receiver.requests();
    let told: Vec<_> = seen.iter().map(|seen| (seen.target(), seen.header("x-punctual-resent"))).collect();
    assert_eq!(told, [("/1", None), ("/2", None), ("/2", Some("true"))]);

    let receiver = Receiver::start(script).await;
    let actions_of_post = actions();
    Job::new("POST", receiver.url("/1")).run(&actions_of_post).await;
    assert_snapshot!(tell(&Job::new("POST", receiver.url("/2")).run(&actions_of_post).await), @"
    failed, trouble Unreachable
    Http Action - Request to host '127.0.0.1' failed: ConnectionClosed The connection was closed before an answer came.
    ");
    assert_eq!(receiver.requests().len(), 2);
}
