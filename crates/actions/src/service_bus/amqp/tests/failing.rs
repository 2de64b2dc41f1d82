//! What is said about messages that a broker does not take.

use insta::assert_snapshot;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::Pair;
use super::double::{Fate, Reason, Script};

fn reason(condition: &str, description: &str) -> Reason {
    (condition.to_owned(), description.to_owned())
}

/// What is said about a message with this fate; the next one, with a better fate, must arrive.
async fn fate(fate: Fate) -> String {
    let pair = Pair::new(Script { fate, ..Script::default() }).await;
    let refusal = pair.refusal("one").await;
    pair.double.change(|script| script.fate = Fate::Accepted);
    pair.send("two").await.unwrap();
    refusal
}

async fn rejected(condition: &str, description: &str) -> String {
    fate(Fate::Rejected(Some(reason(condition, description)))).await
}

#[tokio::test]
async fn a_message_that_is_not_accepted_is_explained() {
    assert_snapshot!(fate(Fate::Rejected(None)).await, @"MessageRejected The broker rejected the message and gave no reason. [None]");
    assert_snapshot!(fate(Fate::Released).await, @"MessageReleased The broker gave the message back: it does not take it now. [None]");
    assert_snapshot!(fate(Fate::Modified).await, @"MessageModified The broker gave the message back: it could not deliver it. [None]");
    assert_snapshot!(rejected("amqp:not-allowed", "A session id\r\nis needed.").await, @"MessageRefused The broker refused the message (amqp:not-allowed: A session id is needed). [None]");
    assert_snapshot!(rejected("amqp:resource-limit-exceeded", "The quota was reached.").await, @"QuotaExceeded The queue or topic 'orders' is full (amqp:resource-limit-exceeded: The quota was reached). [None]");
    assert_snapshot!(rejected("com.microsoft:entity-disabled", "").await, @"EntityDisabled The queue or topic 'orders' is disabled (com.microsoft:entity-disabled). [None]");
    assert_snapshot!(rejected("com.microsoft:timeout", "Try later.").await, @"Timeout The broker did not store the message in time (com.microsoft:timeout: Try later). [Unreachable]");
}

#[tokio::test]
async fn a_busy_broker_is_left_alone_for_a_while() {
    assert_snapshot!(rejected("com.microsoft:server-busy", "The request was terminated.").await, @"ServerBusy The broker asks to be left alone for a while (com.microsoft:server-busy: The request was terminated). [AskedToWait, retry after 10 s]");
}

#[tokio::test]
async fn what_the_broker_says_is_cut_and_shows_no_signature() {
    let token = "got SharedAccessSignature sr=x&sig=abc%3d&se=1 and sig=def";
    assert_snapshot!(rejected("x:y", token).await, @"MessageRefused The broker refused the message (x:y: got SharedAccessSignature sr=x&sig=***&se=1 and sig=***). [None]");
    assert_eq!(rejected("x:y", &"ä".repeat(10_000)).await.matches('ä').count(), 512);
}

#[tokio::test]
async fn a_link_that_is_detached_because_of_the_message_is_explained() {
    let too_large = reason("amqp:link:message-size-exceeded", "The limit is 256 KB.");
    assert_snapshot!(fate(Fate::Detached(Some(too_large))).await, @"MessageTooLarge The message is larger than the broker takes (amqp:link:message-size-exceeded: The limit is 256 KB). [None]");
    let is_gone = reason("amqp:resource-deleted", "The entity was deleted.");
    assert_snapshot!(fate(Fate::Closed(Some(is_gone))).await, @"EntityNotFound The queue or topic 'orders' was deleted (amqp:resource-deleted: The entity was deleted). [None]");
}

#[tokio::test]
async fn a_message_that_is_too_large_is_not_sent_at_all() {
    let mut pair = Pair::new(Script::default()).await;
    assert_snapshot!(pair.refusal(&"x".repeat(300_000)).await, @"MessageTooLarge The message has 300055 bytes with its properties; the broker takes 262144 for 'orders'. [None]");
    pair.send("small").await.unwrap();
    assert_snapshot!(pair.events().await, @"opened · attached orders · small for orders");
}

#[tokio::test]
async fn a_queue_that_does_not_exist_is_named() {
    let pair = Pair::new(Script { unknown: vec!["orders".to_owned()], ..Script::default() }).await;
    assert_snapshot!(pair.refusal("one").await, @"EntityNotFound The broker has no queue or topic 'orders' (amqp:not-found: The messaging entity could not be found). [None]");
    pair.send_to("others", "two").await.unwrap();
    pair.double.change(|script| script.unknown.clear());
    pair.send("three").await.unwrap();
}

#[tokio::test]
async fn a_link_without_a_token_is_refused() {
    let mut pair = Pair::new(Script::default()).await;
    pair.double.change(|script| script.key = Some(("Root".to_owned(), "secret".to_owned())));
    assert_snapshot!(pair.refusal("one").await, @"UnauthorizedAccess The broker does not let us send to 'orders' (amqp:unauthorized-access: 'Send' claim(s) are required). [None]");
    pair.double.change(|script| script.key = None);
    pair.send("two").await.unwrap();
    assert_snapshot!(pair.events().await, @"opened · detached orders · attached orders · two for orders");
}

#[tokio::test]
async fn a_broker_that_closes_the_connection_twice_is_explained() {
    let pair = Pair::new(Script { fate: Fate::Cut, ..Script::default() }).await;
    assert_snapshot!(pair.refusal("one").await, @"ConnectionClosed The connection to the broker broke before it confirmed the message. [Unreachable]");
    pair.double.change(|script| script.fate = Fate::Closed(Some(reason("amqp:connection:forced", "Maintenance"))));
    assert_snapshot!(pair.refusal("one").await, @"ConnectionClosed The broker closed the connection (amqp:connection:forced: Maintenance). [Unreachable]");
    pair.double.change(|script| script.fate = Fate::Detached(None));
    assert_snapshot!(pair.refusal("one").await, @"ConnectionClosed The broker detached the link to 'orders'. [Unreachable]");
}

/// What is said about a server that answers with these bytes to the first it reads, and then closes.
async fn stranger(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 8]).await.unwrap();
        stream.write_all(answer).await.unwrap();
    });
    let mut pair = Pair::new(Script::default()).await;
    pair.broker.port = port;
    pair.refusal("one").await.replace(&port.to_string(), "PORT")
}

#[tokio::test]
async fn a_server_that_is_no_broker_is_explained() {
    assert_snapshot!(stranger(b"HTTP/1.1 400 Bad Request\r\n\r\n").await, @"ServerProtocolViolation '127.0.0.1' does not speak AMQP 1.0 on port PORT. [None]");
    assert_snapshot!(stranger(b"AMQP\x00\x00\x09\x01").await, @"ServerProtocolViolation '127.0.0.1' does not speak AMQP 1.0 on port PORT. [None]");
    assert_snapshot!(stranger(b"").await, @"ConnectionClosed The broker closed the connection before AMQP was agreed upon. [Unreachable]");
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut pair = Pair::new(Script::default()).await;
    pair.broker.port = port;
    assert_snapshot!(pair.refusal("one").await.replace(&port.to_string(), "PORT"), @"ConnectFailure Unable to connect to the remote server: 127.0.0.1:PORT refused the connection. [Unreachable]");
}
