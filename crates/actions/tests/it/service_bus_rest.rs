//! Messages for the Service Bus over HTTPS: a double that checks tokens as the real one does, and what the history says.

use std::sync::Arc;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use percent_encoding::percent_decode_str;
use punctual_actions::service_bus::{self, LoginKind, NAMESPACE, Namespace, NamespaceKey};
use punctual_actions::{Actions, Call, Executor, ServiceEndpoint, Settings};
use punctual_model::access::Scope;
use punctual_model::action::{
    Action, BrokeredProperties, Entity, ErrorAction, SasKey, Secret, ServiceBusAction, Target, Transport,
};
use punctual_model::job::Definition;
use punctual_model::occurrence::Phase;
use punctual_model::options::{Options, OptionsParts};
use punctual_model::time::{Span, Timestamp};

use crate::job::{call, settings, tell, without_ports};
use crate::receiver::{Receiver, Reply, Seen};

const KEY: &str = "a2V5IG9mIHRoZSBidXM=";

fn message(entity: Entity) -> ServiceBusAction {
    ServiceBusAction {
        entity,
        namespace: "Orders-1".to_owned(),
        transport: None,
        authentication: Some(SasKey { name: "send".to_owned(), key: Some(Secret::new(KEY)) }),
        message: "{\"hello\": \"world\"}".to_owned(),
        brokered: BrokeredProperties::default(),
        custom: Vec::new(),
    }
}

fn queue() -> ServiceBusAction {
    message(Entity::Queue("tasks".to_owned()))
}

fn attempt(action: ServiceBusAction, is_resent: bool) -> Call {
    let action = Action { target: Target::ServiceBus(Box::new(action)), retry: None, error: None, sign: None };
    call(Definition { start: None, action, recurrence: None, options: Options::default() }, is_resent)
}

fn bus(receiver: &Receiver) -> service_bus::Settings {
    let endpoint = ServiceEndpoint::http(&receiver.url("/{namespace}"), NAMESPACE).unwrap();
    service_bus::Settings { endpoint, ..service_bus::Settings::default() }
}

fn actions(receiver: &Receiver) -> Actions {
    Actions::new(Settings { service_bus: bus(receiver), ..settings() }).unwrap()
}

/// A namespace that takes messages with a token for the queue they go to, signed with its key and not over.
async fn namespace() -> Receiver {
    Receiver::start(|seen| match check(seen) {
        Ok(()) => Reply::with("201 Created", &[("Content-Type", "application/xml")], b""),
        Err(reason) => {
            let body = format!("<Error><Code>401</Code><Detail>{reason}</Detail></Error>");
            Reply::with("401 Unauthorized", &[], body.as_bytes())
        }
    })
    .await
}

fn check(seen: &Seen) -> Result<(), &'static str> {
    let path = seen.target().strip_suffix("/messages").ok_or("not an address for messages")?;
    let token = seen.header("Authorization").and_then(|value| value.strip_prefix("SharedAccessSignature "));
    let fields: Vec<_> = token.ok_or("no token")?.split('&').filter_map(|field| field.split_once('=')).collect();
    let [("sr", resource), ("sig", signature), ("se", expires), ("skn", "send")] = fields[..] else {
        return Err("not the fields of a token");
    };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let key = hmac::Key::new(hmac::HMAC_SHA256, KEY.as_bytes());
    let signature = STANDARD.decode(decoded(signature)).map_err(|_| "no base64")?;
    hmac::verify(&key, format!("{resource}\n{expires}").as_bytes(), &signature).map_err(|_| "bad signature")?;
    let host = seen.header("Host").ok_or("no host")?;
    if decoded(resource) != format!("http://{host}{path}").to_lowercase() {
        return Err("a token for something else");
    }
    // The attempt was started one second after its nominal time, and the token lives for an hour.
    if expires == "1800003601" { Ok(()) } else { Err("expired, or too long") }
}

async fn received(action: ServiceBusAction, is_resent: bool) -> String {
    let receiver = namespace().await;
    let outcome = actions(&receiver).execute(attempt(action, is_resent)).await;
    assert!(tell(&outcome).starts_with("succeeded"), "{outcome:?}");
    let seen = receiver.requests().remove(0);
    let is_own = |line: &&str| !["Host", "User-Agent", "Authorization"].iter().any(|name| line.starts_with(name));
    let headers: Vec<_> = seen.headers().filter(is_own).collect();
    format!("POST {}\n{}\n\n{}", seen.target(), headers.join("\n"), str::from_utf8(&seen.body).unwrap())
}

async fn told(action: ServiceBusAction, reply: Reply) -> String {
    let receiver = Receiver::always(reply).await;
    tell(&actions(&receiver).execute(attempt(action, false)).await)
}

/// Message and properties are filled in, and what the user wrote of them is not kept.
#[tokio::test]
async fn placeholders() {
    let filled = |action: ServiceBusAction| {
        let options = OptionsParts { placeholders: Some(true), ..OptionsParts::default() };
        let call = attempt(action, false);
        let definition = Definition { options: Options::new(options).unwrap(), ..Definition::clone(&call.definition) };
        Call { definition: definition.into(), ..call }
    };
    let custom = vec![("job".to_owned(), "\"{{job.name}}\"".to_owned())];
    let action = ServiceBusAction { message: "the secret {{job.name}}".to_owned(), custom, ..queue() };
    let receiver = Receiver::always(Reply::with("400 Bad Request", &[], "the secret täglich".as_bytes())).await;
    let outcome = actions(&receiver).execute(filled(action)).await;
    assert!(outcome.message.ends_with("Body: ***täglich"), "{}", outcome.message);
    let seen = receiver.requests().remove(0);
    let told = [seen.header("Content-Type"), seen.header("job"), str::from_utf8(&seen.body).ok()];
    assert_snapshot!(told.map(Option::unwrap).join("\n"), @r#"
    text/plain; charset=utf-8
    "\"t\u00e4glich\""
    the secret täglich
    "#);
}

#[tokio::test]
async fn the_request() {
    assert_snapshot!(received(queue(), false).await, @r#"
    POST /orders-1/tasks/messages
    Content-Type: application/json
    BrokerProperties: {"MessageId":"abababababababababababababababab"}
    Content-Length: 18

    {"hello": "world"}
    "#);
    let text = |text: &str| Some(text.to_owned());
    let everything = ServiceBusAction {
        transport: Some(Transport::NetMessaging),
        message: "grün".to_owned(),
        brokered: BrokeredProperties {
            content_type: text("text/x-greeting"),
            correlation_id: text("b \"quoted\""),
            force_persistence: Some(true),
            label: text("grün\r\nEvil: 1"),
            message_id: text("d"),
            partition_key: text("e"),
            reply_to: text("f"),
            reply_to_session_id: text("g"),
            scheduled_enqueue_time: Timestamp::from_seconds(1_800_000_500),
            session_id: text("e"),
            time_to_live: Some(Span::parse("PT1M30S").unwrap()),
            to: text("i"),
            via_partition_key: text("j"),
        },
        custom: vec![("Priority".to_owned(), "High".to_owned()), ("x-grün".replace('ü', "u"), "1\n\"ü\"".to_owned())],
        ..message(Entity::Topic("News/Today".to_owned()))
    };
    assert_snapshot!(received(everything, true).await, @r#"
    POST /orders-1/News/Today/messages
    Content-Type: text/x-greeting
    BrokerProperties: {"MessageId":"d","CorrelationId":"b \"quoted\"","ForcePersistence":true,"Label":"gr\u00fcn\u000d\u000aEvil: 1","PartitionKey":"e","ReplyTo":"f","ReplyToSessionId":"g","ScheduledEnqueueTimeUtc":"Fri, 15 Jan 2027 08:08:20 GMT","SessionId":"e","TimeToLive":90,"To":"i","ViaPartitionKey":"j"}
    Priority: "High"
    x-grun: "1\u000a\"\u00fc\""
    punctual-resent: true
    Content-Length: 5

    grün
    "#);
}

#[tokio::test]
async fn what_the_history_says() {
    let receiver = namespace().await;
    let actions = actions(&receiver);
    assert_snapshot!(tell(&actions.execute(attempt(queue(), false)).await), @"
    succeeded, trouble None
    ServiceBusQueue Action - Response from host '127.0.0.1': 'Created' Response Headers: Content-Type: application/xml␍␊Content-Length: 0␍␊ Body:
    ");
    let wrong = SasKey { name: "send".to_owned(), key: Some(Secret::new("wrong")) };
    let action = ServiceBusAction { authentication: Some(wrong), ..message(Entity::Topic("news".to_owned())) };
    assert_snapshot!(tell(&actions.execute(attempt(action, false)).await), @"
    failed, trouble None
    ServiceBusTopic Action - Response from host '127.0.0.1': 'Unauthorized'. The key 'send' is not the one that the namespace has under this name, or it does not allow to send to 'news'. Response Headers: Content-Length: 61␍␊ Body: <Error><Code>401</Code><Detail>bad signature</Detail></Error>
    ");
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn refusals_are_explained() {
    let mut all = Vec::new();
    for status in ["200 OK", "301 x", "400 x", "403 x", "404 x", "410 x", "413 x", "418 x", "429 x", "500 x", "503 x"] {
        let text = told(queue(), Reply::with(status, &[], b"")).await;
        all.push(
            text.split(" Response Headers:")
                .next()
                .unwrap()
                .replace("ServiceBusQueue Action - Response from host ", ""),
        );
    }
    assert_snapshot!(all.join("\n"), @"
    failed, trouble None
    '127.0.0.1': 'OK'. The message may not have been taken: such a service answers 'Created'.
    failed, trouble None
    '127.0.0.1': 'MovedPermanently'. Redirects are not followed; is the endpoint in the configuration right?
    failed, trouble None
    '127.0.0.1': 'BadRequest'. The broker does not take the message as it is: see what it says below.
    failed, trouble None
    '127.0.0.1': 'Forbidden'. 'tasks' is full, or the message is too large for it.
    failed, trouble None
    '127.0.0.1': 'NotFound'. There is no 'tasks' in the namespace. Make it, or correct queueName.
    failed, trouble None
    '127.0.0.1': 'Gone'. There is no 'tasks' in the namespace. Make it, or correct queueName.
    failed, trouble None
    '127.0.0.1': 'RequestEntityTooLarge'. The message is too large.
    failed, trouble None
    '127.0.0.1': '418'
    failed, trouble AskedToWait
    '127.0.0.1': 'TooManyRequests'. The broker is busy, and asks to wait.
    failed, trouble None
    '127.0.0.1': 'InternalServerError'. The broker has a problem of its own.
    failed, trouble AskedToWait
    '127.0.0.1': 'ServiceUnavailable'. The broker is busy, and asks to wait.
    ");
    let busy = Reply::with("503 x", &[("Retry-After", "4")], b"");
    assert!(told(queue(), busy).await.starts_with("failed, retry after 4 s, trouble AskedToWait"));
    assert_snapshot!(told(queue(), Reply::close()).await, @"
    failed, trouble Unreachable
    ServiceBusQueue Action - Request to host '127.0.0.1' failed: ConnectionClosed The connection was closed before an answer came.
    ");
}

#[tokio::test]
async fn keys_of_the_configuration() {
    let receiver = namespace().await;
    let key = |scopes: &[&str]| NamespaceKey {
        namespace: "orders-1".to_owned(),
        name: "send".to_owned(),
        key: Secret::new(KEY),
        scopes: scopes.iter().map(|scope| Scope::parse(scope).unwrap()).collect(),
    };
    let mut all = Vec::new();
    // The job is in the collection c of the group g of the subscription s.
    for scopes in [&["/subscriptions/S/resourceGroups/G"][..], &["/"], &["/subscriptions/s/resourceGroups/g2"], &[]] {
        let service_bus = service_bus::Settings { keys: vec![key(scopes)], ..bus(&receiver) };
        let actions = Actions::new(Settings { service_bus, ..settings() }).unwrap();
        for name in ["send", "Other"] {
            let action =
                ServiceBusAction { authentication: Some(SasKey { name: name.to_owned(), key: None }), ..queue() };
            let text = tell(&actions.execute(attempt(action, false)).await);
            all.push(format!("{name} for {scopes:?}: {}", text.split(" Response Headers:").next().unwrap()));
        }
    }
    assert_snapshot!(all.join("\n"), @r#"
    send for ["/subscriptions/S/resourceGroups/G"]: succeeded, trouble None
    ServiceBusQueue Action - Response from host '127.0.0.1': 'Created'
    Other for ["/subscriptions/S/resourceGroups/G"]: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'Other' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    send for ["/"]: succeeded, trouble None
    ServiceBusQueue Action - Response from host '127.0.0.1': 'Created'
    Other for ["/"]: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'Other' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    send for ["/subscriptions/s/resourceGroups/g2"]: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'send' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    Other for ["/subscriptions/s/resourceGroups/g2"]: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'Other' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    send for []: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'send' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    Other for []: failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure There is no key 'Other' of the namespace 'Orders-1' that this job may use: give it one (authentication.sasKey), or have the operator put it into the configuration for this collection.
    "#);
    // A message of an alert may use what serves the alert's scope, whatever the path of its job.
    let service_bus = service_bus::Settings { keys: vec![key(&["/subscriptions/a"])], ..bus(&receiver) };
    let actions_of_alerts = Actions::new(Settings { service_bus, ..settings() }).unwrap();
    let action = ServiceBusAction { authentication: Some(SasKey { name: "send".to_owned(), key: None }), ..queue() };
    let mut told = Vec::new();
    for scope in ["/subscriptions/a/resourceGroups/g", "/subscriptions/b", "/"] {
        let mut call = attempt(action.clone(), false);
        let definition = Arc::make_mut(&mut call.definition);
        definition.options = definition.options.clone().with_key_scope(Scope::parse(scope).unwrap());
        told.push(tell(&actions_of_alerts.execute(call).await).starts_with("succeeded"));
    }
    assert_eq!(told, [true, false, false]);
    let action = ServiceBusAction { authentication: None, ..queue() };
    assert_snapshot!(tell(&actions(&receiver).execute(attempt(action, false)).await), @"
    failed for good, trouble None
    ServiceBusQueue Action - AuthenticationFailure The namespace 'Orders-1' demands a key, and the job names none (authentication.sasKeyName).
    ");
}

#[tokio::test]
async fn namespaces_elsewhere() {
    let receiver = namespace().await;
    let mut own = Namespace {
        name: "ORDERS-1".to_owned(),
        endpoint: Some(ServiceEndpoint::http(&receiver.url(""), "").unwrap()),
        amqp_endpoint: None,
        login: LoginKind::Cbs,
        queue_address: "{queue}".to_owned(),
        topic_address: "{topic}".to_owned(),
    };
    let actions = |own: &Namespace| {
        let service_bus = service_bus::Settings { namespaces: vec![own.clone()], ..service_bus::Settings::default() };
        Actions::new(Settings { service_bus, ..settings() }).unwrap()
    };
    assert!(tell(&actions(&own).execute(attempt(queue(), false)).await).starts_with("succeeded"));
    assert_eq!(receiver.requests()[0].target(), "/tasks/messages");
    let amqp = ServiceBusAction { transport: Some(Transport::Amqp), ..queue() };
    assert_snapshot!(tell(&actions(&own).execute(attempt(amqp, false)).await), @"
    failed for good, trouble None
    ServiceBusQueue Action - The configuration names no address at which the namespace 'Orders-1' is reached over AMQP. Set transportType to NetMessaging.
    ");
    own.amqp_endpoint = own.endpoint.take();
    let https = ServiceBusAction { transport: Some(Transport::NetMessaging), ..queue() };
    assert_snapshot!(tell(&actions(&own).execute(attempt(https, false)).await), @"
    failed for good, trouble None
    ServiceBusQueue Action - The configuration names no address at which the namespace 'Orders-1' is reached over HTTPS. Set transportType to AMQP.
    ");
}

#[tokio::test]
async fn what_the_broker_repeats_is_not_kept() {
    let receiver = Receiver::start(|seen| {
        let token = seen.header("Authorization").unwrap().to_owned();
        let signature = token.split("sig=").nth(1).unwrap().split('&').next().unwrap();
        let signature = percent_decode_str(signature).decode_utf8().unwrap();
        let echo =
            format!("{token} {signature} {KEY} {} classified-property {{\"hello\": \"world\"}}", STANDARD.encode(KEY));
        Reply::with("400 x", &[], echo.as_bytes())
    })
    .await;
    let action = ServiceBusAction { custom: vec![("a".to_owned(), "classified-property".to_owned())], ..queue() };
    // The length of the answer depends on the port, and on the signature.
    let told = tell(&actions(&receiver).execute(attempt(action, false)).await);
    assert_snapshot!(told.split(" Body: ").nth(1).unwrap(), @"*** *** *** ***0= *** ***");
}

/// Stored by an older version, or over AMQP before: what cannot be a header is not sent.
#[tokio::test]
async fn what_cannot_be_a_header() {
    let receiver = namespace().await;
    let actions = actions(&receiver);
    let custom = |name: &str| ServiceBusAction { custom: vec![(name.to_owned(), "x".to_owned())], ..queue() };
    let content_type =
        BrokeredProperties { content_type: Some("a\r\nEvil: 1".to_owned()), ..BrokeredProperties::default() };
    let mut all = Vec::new();
    for action in [
        custom("a b"),
        custom("a\r\nEvil"),
        custom("Authorization"),
        custom("Punctual-Resent"),
        ServiceBusAction { brokered: content_type, ..queue() },
    ] {
        all.push(tell(&actions.execute(attempt(action, false)).await));
    }
    assert_snapshot!(all.join("\n"), @r#"
    failed for good, trouble None
    ServiceBusQueue Action - The property "a b" cannot be sent over HTTPS: expected a name that can be a header, of letters, digits and !#$%&'*+-.^_`|~; or the transportType AMQP.
    failed for good, trouble None
    ServiceBusQueue Action - The property "a\r\nEvil" cannot be sent over HTTPS: expected a name that can be a header, of letters, digits and !#$%&'*+-.^_`|~; or the transportType AMQP.
    failed for good, trouble None
    ServiceBusQueue Action - The property "Authorization" cannot be sent over HTTPS: expected a name that is no header of the request itself; or the transportType AMQP.
    failed for good, trouble None
    ServiceBusQueue Action - The property "Punctual-Resent" cannot be sent over HTTPS: expected a property that Punctual does not set itself.
    failed for good, trouble None
    ServiceBusQueue Action - The message cannot be sent over HTTPS: contentType: given other characters, expected printable ASCII, such as text/plain.
    "#);
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn as_an_error_action() {
    let receiver = namespace().await;
    let mut call = attempt(queue(), false);
    let mut definition = (*call.definition).clone();
    let target = Target::ServiceBus(Box::new(message(Entity::Queue("errors".to_owned()))));
    definition.action.error = Some(ErrorAction { target, retry: None });
    call.definition = definition.into();
    call.phase = Phase::Error;
    let actions = actions(&receiver);
    assert!(tell(&actions.execute(call.clone()).await).starts_with("succeeded"));
    assert_eq!(without_ports(receiver.requests()[0].target()), "/orders-1/errors/messages");
    actions.forget(&call.definition);
}
