//! Messages for storage queues: what the service receives, and what the history says about its answers.

use std::net::{IpAddr, Ipv4Addr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use punctual_actions::storage_queue::{self, ACCOUNT};
use punctual_actions::{Actions, Call, Executor, LookUp, ServiceEndpoint, Settings};
use punctual_model::action::{Action, ErrorAction, MessageFormat, Secret, StorageQueueAction, Target};
use punctual_model::job::Definition;
use punctual_model::occurrence::Phase;
use punctual_model::options::{Options, OptionsParts, StatusRange, Success};
use punctual_model::time::{Span, Timestamp};

use crate::job::{call, pass, settings, tell};
use crate::receiver::{Receiver, Reply};

const SIGNATURE: &str = "c2lnbmF0dXJl+/=";
const TOKEN: &str = "?sv=2019-02-02&se=2030-01-01T00%3A00%3A00Z&sp=a&sig=c2lnbmF0dXJl%2B%2F%3D";

fn queue(message: &str) -> StorageQueueAction {
    StorageQueueAction {
        account: "MyAccount".to_owned(),
        queue: "tasks".to_owned(),
        sas_token: Secret::new(TOKEN),
        message: message.to_owned(),
        format: None,
        time_to_live: None,
        visibility_delay: None,
    }
}

fn formatted(message: &str, format: MessageFormat) -> StorageQueueAction {
    StorageQueueAction { format: Some(format), ..queue(message) }
}

fn attempt(action: StorageQueueAction, options: OptionsParts) -> Call {
    let action = Action { target: Target::StorageQueue(action), retry: None, error: None, sign: None };
    call(Definition { start: None, action, recurrence: None, options: Options::new(options).unwrap() }, false)
}

/// Actions whose storage accounts are all at the receiver, by their path.
fn actions(receiver: &Receiver) -> Actions {
    let endpoint = ServiceEndpoint::http(&receiver.url("/{account}"), ACCOUNT).unwrap();
    Actions::new(Settings { storage_queue: storage_queue::Settings { endpoint }, ..settings() }).unwrap()
}

fn created() -> Reply {
    let body = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><QueueMessagesList><QueueMessage><MessageId>1</MessageId>\
                </QueueMessage></QueueMessagesList>";
    Reply::with("201 Created", &[("Content-Type", "application/xml")], body.as_bytes())
}

fn refused(status: &str, code: &str) -> Reply {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>No.</Message></Error>");
    Reply::with(status, &[], body.as_bytes())
}

/// The request that a message makes: its first line, its own headers, its body.
async fn received(action: StorageQueueAction) -> String {
    let receiver = Receiver::always(created()).await;
    let outcome = actions(&receiver).execute(attempt(action, OptionsParts::default())).await;
    assert!(tell(&outcome).starts_with("succeeded"), "{outcome:?}");
    let seen = receiver.requests().remove(0);
    let is_own = |line: &&str| !line.starts_with("Host") && !line.starts_with("User-Agent");
    let headers: Vec<_> = seen.headers().filter(is_own).collect();
    format!("POST {}\n{}\n\n{}", seen.target(), headers.join("\n"), str::from_utf8(&seen.body).unwrap())
}

/// What is on the queue, as a consumer reads it.
async fn on_the_queue(action: StorageQueueAction) -> String {
    let text = received(action).await;
    let text = text.split_once("<MessageText>").unwrap().1.split_once("</MessageText>").unwrap().0.to_owned();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&#xD;", "\r").replace("&amp;", "&")
}

async fn told(action: StorageQueueAction, reply: Reply) -> String {
    let receiver = Receiver::always(reply).await;
    tell(&actions(&receiver).execute(attempt(action, OptionsParts::default())).await)
}

#[tokio::test]
async fn the_request() {
    let action = StorageQueueAction {
        time_to_live: Some(Span::parse("PT1.2S").unwrap()),
        visibility_delay: Some(Span::parse("PT1.1S").unwrap()),
        ..formatted("hello", MessageFormat::Base64)
    };
    assert_snapshot!(received(action).await, @"
    POST /myaccount/tasks/messages?sv=2019-02-02&se=2030-01-01T00%3A00%3A00Z&sp=a&sig=c2lnbmF0dXJl%2B%2F%3D&visibilitytimeout=1&messagettl=2
    x-ms-version: 2019-07-07
    x-ms-client-request-id: 30313233-3435-3637-3839-616263646566
    Content-Type: application/xml
    Content-Length: 64

    <QueueMessage><MessageText>aGVsbG8=</MessageText></QueueMessage>
    ");
    // The question mark in front of the signature may be there or not.
    let bare = StorageQueueAction { sas_token: Secret::new(&TOKEN[1..]), ..queue("hello") };
    let line = |text: String| text.lines().next().unwrap().to_owned();
    assert_eq!(line(received(bare).await), line(received(queue("hello")).await));
}

/// The message is filled in, and what the user wrote of it is not kept.
#[tokio::test]
async fn placeholders() {
    let options = OptionsParts { placeholders: Some(true), ..OptionsParts::default() };
    let action = formatted("the <secret> {{job.name}}", MessageFormat::Raw);
    let reply = Reply::with("400 Bad Request", &[], "the <secret> täglich, täglich".as_bytes());
    let receiver = Receiver::always(reply).await;
    let outcome = actions(&receiver).execute(attempt(action, options)).await;
    assert!(outcome.message.ends_with("Body: ***täglich, täglich"), "{}", outcome.message);
    let body = receiver.requests().remove(0).body;
    assert_snapshot!(String::from_utf8(body).unwrap(), @"<QueueMessage><MessageText>the &lt;secret&gt; täglich</MessageText></QueueMessage>");
}

#[tokio::test]
async fn the_envelope_of_the_original() {
    let text = on_the_queue(queue("a <b> & \"c\" ü\r\nd")).await;
    let envelope = String::from_utf8(STANDARD.decode(text).unwrap()).unwrap();
    assert_snapshot!(envelope.replace('\r', "␍"), @r#"
    <?xml version="1.0" encoding="utf-16"?>␍
    <StorageQueueMessage xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">␍
      <ExecutionTag>abababababababababababababababab</ExecutionTag>␍
      <ClientRequestId>30313233-3435-3637-3839-616263646566</ClientRequestId>␍
      <ExpectedExecutionTime>2027-01-15T08:00:00</ExpectedExecutionTime>␍
      <SchedulerJobId>täglich</SchedulerJobId>␍
      <SchedulerJobCollectionId>c</SchedulerJobCollectionId>␍
      <Region />␍
      <Message>a &lt;b&gt; &amp; "c" ü&#xD;
    d</Message>␍
    </StorageQueueMessage>
    "#);
}

#[tokio::test]
async fn the_other_formats() {
    let message = "{\"a\": \"<&>\"}\r\n\tü😀]]>";
    assert_eq!(on_the_queue(formatted(message, MessageFormat::Raw)).await, message);
    assert_snapshot!(received(formatted(message, MessageFormat::Raw)).await.lines().skip(5).collect::<String>(), @r#"<QueueMessage><MessageText>{"a": "&lt;&amp;&gt;"}&#xD;	ü😀]]&gt;</MessageText></QueueMessage>"#);
    let text = on_the_queue(formatted("\u{0}\u{1}", MessageFormat::Base64)).await;
    assert_eq!(STANDARD.decode(text).unwrap(), [0, 1]);
}

#[tokio::test]
async fn an_account_in_the_name_of_the_host() {
    let receiver = Receiver::always(created()).await;
    let endpoint = format!("http://{{account}}.queue.example:{}", receiver.address.port());
    let settings = Settings {
        storage_queue: storage_queue::Settings { endpoint: ServiceEndpoint::http(&endpoint, ACCOUNT).unwrap() },
        look_up: LookUp::new(|name| {
            assert_eq!(name, "myaccount.queue.example");
            Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])
        }),
        ..settings()
    };
    let outcome = Actions::new(settings).unwrap().execute(attempt(queue("x"), OptionsParts::default())).await;
    assert_snapshot!(tell(&outcome), @r#"
    succeeded, trouble None
    StorageQueue Action - Response from host 'myaccount.queue.example': 'Created' Response Headers: Content-Type: application/xml␍␊Content-Length: 133␍␊ Body: ﻿<?xml version="1.0" encoding="utf-8"?><QueueMessagesList><QueueMessage><MessageId>1</MessageId></QueueMessage></QueueMessagesList>
    "#);
    let target = receiver.requests()[0].target().to_owned();
    assert!(target.starts_with("/tasks/messages?sv="), "{target}");
}

#[tokio::test]
async fn the_largest_message_and_one_more_byte() {
    let fits = "x".repeat(65_536);
    assert_eq!(on_the_queue(formatted(&fits, MessageFormat::Raw)).await.len(), 65_536);
    let receiver = Receiver::always(created()).await;
    let actions = actions(&receiver);
    let mut told = Vec::new();
    for action in [
        formatted(&format!("{fits}x"), MessageFormat::Raw),
        formatted(&"x".repeat(49_153), MessageFormat::Base64),
        queue(&"<".repeat(20_000)),
    ] {
        told.push(tell(&actions.execute(attempt(action, OptionsParts::default())).await));
    }
    assert_snapshot!(told.join("\n"), @"
    failed for good, trouble None
    StorageQueue Action - The message is too large: it has 65537 bytes in the format raw, and a storage queue takes 65536.
    failed for good, trouble None
    StorageQueue Action - The message is too large: it has 65540 bytes in the format base64, and a storage queue takes 65536.
    failed for good, trouble None
    StorageQueue Action - The message is too large: it has 107380 bytes in the format envelope, and a storage queue takes 65536.
    ");
    assert_eq!(receiver.connections(), 0);
}

/// The largest message that may be in a job can be sent, and the next one cannot.
#[tokio::test]
async fn what_is_checked_at_the_door_is_what_is_sent() {
    let receiver = Receiver::always(created()).await;
    let actions = actions(&receiver);
    for beginning in ["", "ü<>&\r", "\u{fffe}"] {
        let filled = |length: usize| queue(&format!("{beginning}{}", "x".repeat(length)));
        let is_taken = |length: usize| {
            let action = Action { target: Target::StorageQueue(filled(length)), retry: None, error: None, sign: None };
            action.check_queue_sizes("c", "täglich").is_empty()
        };
        let largest = (48_000..49_000).rfind(|length| is_taken(*length)).unwrap();
        for (length, verdict) in [(largest, "succeeded"), (largest + 1, "failed")] {
            let mut call = attempt(filled(length), OptionsParts::default());
            // No time is written with more digits.
            call.nominal = Timestamp::MAX;
            let told = tell(&actions.execute(call).await);
            assert!(told.starts_with(verdict), "{beginning:?} {length}: {told}");
        }
    }
}

#[tokio::test]
async fn refusals_are_explained() {
    let mut all = Vec::new();
    for (status, code) in [
        ("403 Forbidden", "AuthenticationFailed"),
        ("403 Forbidden", "AuthorizationPermissionMismatch"),
        ("403 Forbidden", "AuthorizationServiceMismatch"),
        ("403 Forbidden", "AuthorizationProtocolMismatch"),
        ("403 Forbidden", "AuthorizationSourceIPMismatch"),
        ("403 Forbidden", "AuthorizationFailure"),
        ("403 Forbidden", "KeyBasedAuthenticationNotPermitted"),
        ("403 Forbidden", "AccountIsDisabled"),
        ("404 Not Found", "QueueNotFound"),
        ("409 Conflict", "QueueBeingDeleted"),
        ("413 Too Large", "RequestBodyTooLarge"),
        ("400 Bad Request", "OutOfRangeQueryParameterValue"),
        ("400 Bad Request", "SomethingNew"),
        ("400 Bad Request", "<b>no code"),
        ("500 x", "InternalError"),
        ("503 x", "ServerBusy"),
        ("200 OK", "x y"),
        ("302 Found", ""),
        ("502 Bad Gateway", ""),
    ] {
        let text = told(queue("hello"), refused(status, code)).await;
        all.push(
            text.split(" Response Headers:").next().unwrap().replace("StorageQueue Action - Response from host ", ""),
        );
    }
    assert_snapshot!(all.join("\n"), @"
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthenticationFailed). The signature (sasToken) is wrong, has ended, or was made with a key that was changed since. Send the job a new one.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthorizationPermissionMismatch). The signature (sasToken) does not allow to add messages. Send the job one with the permission a.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthorizationServiceMismatch). The signature (sasToken) is not for the messages of queues. Send the job one with ss=q and srt=o, or one of the queue itself.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthorizationProtocolMismatch). The signature (sasToken) demands https, and the configured endpoint is http.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthorizationSourceIPMismatch). The signature (sasToken) is not for the address that this server calls from.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthorizationFailure). The storage account lets nobody in from the address that this server calls from, or not with a signature.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (KeyBasedAuthenticationNotPermitted). The storage account takes no signatures that are made with its keys.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AccountIsDisabled). The storage account is disabled.
    failed, trouble None
    '127.0.0.1': 'NotFound' (QueueNotFound). There is no queue 'tasks' in the account 'MyAccount'. Make it, or correct queueName.
    failed, trouble None
    '127.0.0.1': 'Conflict' (QueueBeingDeleted). The queue 'tasks' is being deleted or is disabled.
    failed, trouble None
    '127.0.0.1': 'RequestEntityTooLarge' (RequestBodyTooLarge). The message is too large for the queue. Make it shorter.
    failed, trouble None
    '127.0.0.1': 'BadRequest' (OutOfRangeQueryParameterValue). The service does not take this timeToLive or visibilityDelay, or something in the signature (sasToken).
    failed, trouble None
    '127.0.0.1': 'BadRequest' (SomethingNew).
    failed, trouble None
    '127.0.0.1': 'BadRequest'
    failed, trouble None
    '127.0.0.1': 'InternalServerError' (InternalError). The service has a problem of its own.
    failed, trouble AskedToWait
    '127.0.0.1': 'ServiceUnavailable' (ServerBusy). The service is busy, and asks to wait.
    failed, trouble None
    '127.0.0.1': 'OK'. The message may not have been taken: such a service answers 'Created'.
    failed, trouble None
    '127.0.0.1': 'Found'. Redirects are not followed; is the endpoint in the configuration right?
    failed, trouble None
    '127.0.0.1': 'BadGateway'
    ");
}

#[tokio::test]
async fn a_signature_that_shows_why_it_is_refused() {
    let mut all = Vec::new();
    for token in ["?sv=1&se=2020-01-01&sp=a&sig=x", "sv=1&se=2030-01-01&sp=r&sig=x", "sv=1&ss=b&srt=s&sp=a&sig=x"] {
        let action = StorageQueueAction { sas_token: Secret::new(token), ..queue("hello") };
        let text = told(action, refused("403 Forbidden", "AuthenticationFailed")).await;
        all.push(
            text.split(" Response Headers:").next().unwrap().replace("StorageQueue Action - Response from host ", ""),
        );
    }
    assert_snapshot!(all.join("\n"), @"
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthenticationFailed). About the signature (sasToken): it expired at 2020-01-01T00:00:00Z. Send the job a new one.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthenticationFailed). About the signature (sasToken): its permissions (sp) lack a, which allows to add messages. Send the job a new one.
    failed, trouble None
    '127.0.0.1': 'Forbidden' (AuthenticationFailed). About the signature (sasToken): its services (ss) lack q, the queues; its resource types (srt) lack o, to which messages belong. Send the job a new one.
    ");
}

#[tokio::test]
async fn a_service_that_asks_to_wait() {
    let busy = Reply::with("503 x", &[("Retry-After", "30"), ("x-ms-error-code", "ServerBusy")], b"");
    assert_snapshot!(told(queue("hello"), busy).await, @"
    failed, retry after 30 s, trouble AskedToWait
    StorageQueue Action - Response from host '127.0.0.1': 'ServiceUnavailable' (ServerBusy). The service is busy, and asks to wait. Response Headers: Retry-After: 30␍␊x-ms-error-code: ServerBusy␍␊Content-Length: 0␍␊ Body:
    ");
    assert_snapshot!(told(queue("hello"), Reply::with("429 x", &[], b"")).await, @"
    failed, trouble AskedToWait
    StorageQueue Action - Response from host '127.0.0.1': 'TooManyRequests' Response Headers: Content-Length: 0␍␊ Body:
    ");
}

#[tokio::test]
async fn what_the_service_repeats_is_not_kept() {
    let echo = format!(
        "sig={SIGNATURE} {TOKEN} {} {} hello, secret message {}",
        STANDARD.encode(SIGNATURE),
        SIGNATURE.replace('+', "%2b"),
        STANDARD.encode("hello, secret message")
    );
    assert_snapshot!(told(queue("hello, secret message"), Reply::with("403 x", &[("X-Echo", TOKEN)], echo.as_bytes())).await, @"
    failed, trouble None
    StorageQueue Action - Response from host '127.0.0.1': 'Forbidden' Response Headers: X-Echo: ?***␍␊Content-Length: 183␍␊ Body: sig=*** ?*** *** *** *** ***
    ");
}

#[tokio::test]
async fn no_answer() {
    assert_snapshot!(told(queue("x"), Reply::close()).await, @"
    failed, trouble Unreachable
    StorageQueue Action - Request to host '127.0.0.1' failed: ConnectionClosed The connection was closed before an answer came.
    ");
    let receiver = Receiver::always(Reply::hang()).await;
    let options = OptionsParts { timeout: Some(Span::from_seconds(5)), ..OptionsParts::default() };
    let actions = actions(&receiver);
    let attempt = tokio::spawn(async move { tell(&actions.execute(attempt(queue("x"), options)).await) });
    receiver.answered(1).await;
    pass(6).await;
    assert_snapshot!(attempt.await.unwrap(), @"
    failed, trouble Unreachable
    StorageQueue Action - Request to host '127.0.0.1' failed: Timeout No answer within 5 s.
    ");
}

#[tokio::test]
async fn the_policy_about_addresses_holds() {
    let receiver = Receiver::always(created()).await;
    let endpoint = ServiceEndpoint::http(&receiver.url("/{account}"), ACCOUNT).unwrap();
    let settings = Settings { storage_queue: storage_queue::Settings { endpoint }, ..Settings::default() };
    let outcome = Actions::new(settings).unwrap().execute(attempt(queue("x"), OptionsParts::default())).await;
    assert_snapshot!(tell(&outcome), @"
    failed for good, trouble None
    StorageQueue Action - Request to host '127.0.0.1' failed: RequestProhibitedByPolicy The address 127.0.0.1 is refused by policy: loopback addresses are not allowed on this server.
    ");
}

#[tokio::test]
async fn what_is_success_is_not_for_the_job_to_say() {
    let success = Success { status: vec![StatusRange::parse("404").unwrap()], body_contains: Some("x".to_owned()) };
    let options = || OptionsParts { success: Some(success.clone()), ..OptionsParts::default() };
    let receiver =
        Receiver::start(|seen| if seen.number == 0 { created() } else { refused("404 x", "QueueNotFound") }).await;
    let actions = actions(&receiver);
    let first = actions.execute(attempt(queue("x"), options())).await;
    let second = actions.execute(attempt(queue("x"), options())).await;
    assert!(tell(&first).starts_with("succeeded") && tell(&second).starts_with("failed"));
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn as_an_error_action() {
    let receiver = Receiver::always(created()).await;
    let mut call = attempt(queue("main"), OptionsParts::default());
    let mut definition = (*call.definition).clone();
    definition.action.error = Some(ErrorAction { target: Target::StorageQueue(queue("error")), retry: None });
    call.definition = definition.into();
    call.phase = Phase::Error;
    assert!(tell(&actions(&receiver).execute(call).await).starts_with("succeeded"));
    let body = String::from_utf8(receiver.requests().remove(0).body).unwrap();
    let text = body.split(['<', '>']).nth(4).unwrap();
    let envelope = String::from_utf8(STANDARD.decode(text).unwrap()).unwrap();
    assert!(envelope.contains("<Message>error</Message>"), "{envelope}");
}
